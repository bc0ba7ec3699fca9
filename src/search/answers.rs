//! What the net has said of positions, kept for when they come up again: by another order of moves, in the next search, or
//! when a game is looked through.

use std::sync::{Arc, Mutex, PoisonError};

use crate::net::Evaluation;

/// How many are kept, each in a place that its key says; a power of two. On 19x19 each takes some 1.5 KiB.
const PLACES: usize = 1 << 13;

/// Answers by the position they are about. Threads share them.
#[derive(Debug)]
pub(super) struct Answers {
    places: Vec<Mutex<Option<Kept>>>,
}

#[derive(Clone, Debug)]
struct Kept {
    key: u64,
    answer: Arc<Evaluation>,
}

impl Answers {
    /// No answers yet.
    pub(super) fn new() -> Answers {
        Answers { places: std::iter::repeat_with(Mutex::default).take(PLACES).collect() }
    }

    /// What was said of a position.
    pub(super) fn get(&self, key: u64) -> Option<Arc<Evaluation>> {
        let place = self.place(key)?.lock().unwrap_or_else(PoisonError::into_inner);
        place.as_ref().filter(|kept| kept.key == key).map(|kept| kept.answer.clone())
    }

    /// Keeps what was said of a position, in place of another where there is no room for both.
    pub(super) fn keep(&self, key: u64, answer: Arc<Evaluation>) {
        if let Some(place) = self.place(key) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Kept { key, answer });
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.places.iter_mut().for_each(|place| *place.get_mut().unwrap_or_else(PoisonError::into_inner) = None);
    }

    fn place(&self, key: u64) -> Option<&Mutex<Option<Kept>>> {
        self.places.get(key as usize % PLACES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_until_another_takes_its_place() {
        let mut answers = Answers::new();
        let answer = |value| Arc::new(Evaluation { policy: vec![0.0; 3], value });
        let (a, b) = (7, 7 + PLACES as u64);
        assert_eq!(answers.get(a), None);
        answers.keep(a, answer(1.0));
        assert_eq!((answers.get(a), answers.get(b)), (Some(answer(1.0)), None));
        answers.keep(b, answer(2.0));
        assert_eq!((answers.get(a), answers.get(b)), (None, Some(answer(2.0))));
        answers.clear();
        assert_eq!(answers.get(b), None);
    }
}

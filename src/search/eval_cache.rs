//! What the net has said of positions, kept for when they come up again: by another order of moves, in the next search, or
//! when a game is looked through.

use std::sync::{Arc, Mutex, PoisonError};

use crate::kernel::MAX_SIDE;
use crate::net::Evaluation;

/// The most bytes that a place takes: on the largest board, with what the allocator and the lock add.
const PLACE: usize = (MAX_SIDE as usize * MAX_SIDE as usize + 1) * size_of::<f32>() + 128;

/// Answers by the position they are about, each in the place that its key says. Threads share them.
#[derive(Debug)]
pub(crate) struct Answers {
    places: Vec<Mutex<Option<Kept>>>,
}

#[derive(Clone, Debug)]
struct Kept {
    key: u64,
    answer: Arc<Evaluation>,
}

impl Answers {
    /// No answers yet, and never more than fit into so many bytes; fewer where the system has no memory for their places.
    pub(crate) fn new(bytes: usize) -> Answers {
        let mut places: Vec<Mutex<Option<Kept>>> = Vec::new();
        let mut count = (bytes / PLACE).max(1);
        while places.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
        }
        places.resize_with(count, Mutex::default);
        Answers { places }
    }

    /// What was said of a position.
    pub(crate) fn get(&self, key: u64) -> Option<Arc<Evaluation>> {
        let place = self.place(key)?.lock().unwrap_or_else(PoisonError::into_inner);
        place.as_ref().filter(|kept| kept.key == key).map(|kept| kept.answer.clone())
    }

    /// Keeps what was said of a position, in place of another where there is no room for both.
    pub(crate) fn keep(&self, key: u64, answer: Arc<Evaluation>) {
        if let Some(place) = self.place(key) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Kept { key, answer });
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.places.iter_mut().for_each(|place| *place.get_mut().unwrap_or_else(PoisonError::into_inner) = None);
    }

    fn place(&self, key: u64) -> Option<&Mutex<Option<Kept>>> {
        // the lowest bit of a key says what kind of answer is asked for: one of them is rare
        self.places.get((key >> 1) as usize % self.places.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_until_another_takes_its_place() {
        let mut answers = Answers::new(10 * PLACE);
        let answer = |value| Arc::new(Evaluation { policy: vec![0.0; 3], value });
        let (a, b) = (7, 27);
        assert_eq!(answers.get(a), None);
        answers.keep(a, answer(1.0));
        assert_eq!((answers.get(a), answers.get(b)), (Some(answer(1.0)), None));
        answers.keep(b, answer(2.0));
        assert_eq!((answers.get(a), answers.get(b)), (None, Some(answer(2.0))));
        answers.clear();
        assert_eq!(answers.get(b), None);
    }
}

//! What the net has said of positions, kept for when they come up again: by another order of moves, in the next search, or
//! when a game is looked through.

use std::sync::{Arc, Mutex, PoisonError};

use crate::kernel::MAX_SIDE;
use crate::net::Evaluation;

/// The most bytes that a place takes: on the largest board, with what the allocator and the lock add.
const SLOT_BYTES: usize = (MAX_SIDE as usize * MAX_SIDE as usize + 1) * size_of::<f32>() + 128;

/// Answers by the position they are about, each in the place that its key says. Threads share them.
#[derive(Debug)]
pub(crate) struct EvalCache {
    slots: Vec<Mutex<Option<CacheEntry>>>,
}

#[derive(Clone, Debug)]
struct CacheEntry {
    key: u64,
    answer: Arc<Evaluation>,
}

impl EvalCache {
    /// No answers yet, and never more than fit into so many bytes; fewer where the system has no memory for their places.
    pub(crate) fn new(bytes: usize) -> EvalCache {
        let mut slots: Vec<Mutex<Option<CacheEntry>>> = Vec::new();
        let mut count = (bytes / SLOT_BYTES).max(1);
        while slots.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
        }
        slots.resize_with(count, Mutex::default);
        EvalCache { slots }
    }

    /// What was said of a position.
    pub(crate) fn get(&self, key: u64) -> Option<Arc<Evaluation>> {
        let slot = self.slot(key)?.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().filter(|entry| entry.key == key).map(|entry| entry.answer.clone())
    }

    /// Keeps what was said of a position, in place of another where there is no room for both.
    pub(crate) fn insert(&self, key: u64, answer: Arc<Evaluation>) {
        if let Some(slot) = self.slot(key) {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(CacheEntry { key, answer });
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot.get_mut().unwrap_or_else(PoisonError::into_inner) = None);
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<CacheEntry>>> {
        // the lowest bit of a key says what kind of answer is asked for: one of them is rare
        self.slots.get((key >> 1) as usize % self.slots.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_until_another_takes_its_place() {
        let mut answers = EvalCache::new(10 * SLOT_BYTES);
        let answer = |value| Arc::new(Evaluation { policy: vec![0.0; 3], value });
        let (a, b) = (7, 27);
        assert_eq!(answers.get(a), None);
        answers.insert(a, answer(1.0));
        assert_eq!((answers.get(a), answers.get(b)), (Some(answer(1.0)), None));
        answers.insert(b, answer(2.0));
        assert_eq!((answers.get(a), answers.get(b)), (None, Some(answer(2.0))));
        answers.clear();
        assert_eq!(answers.get(b), None);
    }
}

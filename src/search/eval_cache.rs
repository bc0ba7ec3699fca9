//! Cache of net evaluations by position hash: for transpositions, later searches, and stepping through a game.
//!
//! A direct-mapped table: each key has one slot, and a new entry replaces the old one.

use std::sync::{Arc, PoisonError};

use crate::search::sync::Mutex;

/// The table, shared by threads; one lock per slot.
#[derive(Debug)]
pub(crate) struct EvalCache<T> {
    slots: Vec<Mutex<Option<CacheEntry<T>>>>,
}

#[derive(Clone, Debug)]
struct CacheEntry<T> {
    key: u64,
    evaluation: Arc<T>,
}

impl<T> EvalCache<T> {
    /// An empty cache bounded to `bytes`, for evaluations of `slot_bytes` at most; smaller if the system refuses the
    /// memory for its slots.
    pub(crate) fn new(bytes: usize, slot_bytes: usize) -> EvalCache<T> {
        let mut slots: Vec<Mutex<Option<CacheEntry<T>>>> = Vec::new();
        let mut count = (bytes / slot_bytes).max(1);
        while slots.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
        }
        slots.resize_with(count, Mutex::default);
        EvalCache { slots }
    }

    /// The evaluation of a position.
    pub(crate) fn get(&self, key: u64) -> Option<Arc<T>> {
        let slot = self.slot(key)?.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().filter(|entry| entry.key == key).map(|entry| entry.evaluation.clone())
    }

    /// Stores the evaluation of a position, in place of the slot's old one.
    pub(crate) fn insert(&self, key: u64, evaluation: Arc<T>) {
        if let Some(slot) = self.slot(key) {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(CacheEntry { key, evaluation });
        }
    }

    /// Removes every entry.
    pub(crate) fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot.get_mut().unwrap_or_else(PoisonError::into_inner) = None);
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<CacheEntry<T>>>> {
        // in the search by playouts the lowest bit marks a mean over symmetries, which is rare: it would leave half of the
        // slots empty
        self.slots.get((key >> 1) as usize % self.slots.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::native::Evaluation;

    #[test]
    fn entry_is_found_until_replaced() {
        let mut cache = EvalCache::new(1000, 100);
        let evaluation = |value| Arc::new(Evaluation { policy: vec![0.0; 3], value, score: None });
        let (a, b) = (7, 27);
        assert_eq!(cache.get(a), None);
        cache.insert(a, evaluation(1.0));
        assert_eq!((cache.get(a), cache.get(b)), (Some(evaluation(1.0)), None));
        cache.insert(b, evaluation(2.0));
        assert_eq!((cache.get(a), cache.get(b)), (None, Some(evaluation(2.0))));
        cache.clear();
        assert_eq!(cache.get(b), None);
    }
}

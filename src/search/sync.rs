//! Atomics and locks of the state that the threads of a search share.
//!
//! They are those of the standard library. `tests/loom` compiles the files that import them from here with loom's instead,
//! which tries every order in which threads can take their steps.

pub(crate) use std::sync::Mutex;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering};

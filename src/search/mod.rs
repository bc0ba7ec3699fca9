//! The tree search.

pub mod eval_cache;
pub mod evaluator;
pub mod limits;
pub mod params;
pub mod priors;
pub mod progress;
pub mod restrictions;
pub mod searcher;
pub mod stats;
pub mod stop_signal;
pub mod tree;
mod worker;

pub use limits::{Allotment, Limits, Standing, should_stop};
pub use progress::Reports;
pub use restrictions::Restrictions;
pub use searcher::{Candidate, Searcher, Task, Thought, fingerprint};
pub use stats::Lead;
pub use stop_signal::Interrupt;

/// What so many playouts find of a position, without a net.
#[cfg(test)]
pub(crate) fn thought_of(position: &crate::kernel::Position, playouts: u64) -> Thought {
    Searcher::new(16 << 20, 1).think(&Task {
        position,
        color: position.to_move(),
        limits: Limits::playouts(playouts),
        threads: 1,
        params: &params::Params::default(),
        extra_komi: 0.0,
        restrictions: None,
        net: None,
        interrupt: &Interrupt::default(),
    })
}

//! The input of a search.

use crate::kernel::{Color, Position};
use crate::net::Net;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::restrictions::Restrictions;
use crate::search::stop_signal::StopSignal;

/// A position to search, with limits and settings.
pub struct SearchRequest<'a> {
    /// The root position, with its game history (for superko and tree reuse) and rules.
    pub position: &'a Position,
    /// The side to move at the root; it may differ from [`Position::to_move`].
    pub color: Color,
    /// When to stop.
    pub limits: Limits,
    /// Number of search threads; 0 counts as 1.
    pub threads: usize,
    /// Search and playout parameters.
    pub params: &'a Params,
    /// Virtual komi: points added to White's score in playouts, beyond the komi of the rules. Leads in the result
    /// exclude it.
    pub extra_komi: f64,
    /// Moves excluded near the root.
    pub restrictions: Option<&'a Restrictions>,
    /// The policy and value net; without one, UCT with RAVE is used throughout.
    pub net: Option<&'a Net>,
    /// Stops the search from outside.
    pub stop_signal: &'a StopSignal,
}

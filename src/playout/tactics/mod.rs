//! Tactical analysis of the current board: liberties after a move, captures, escapes, self-atari, ladders and vital
//! points, mostly without allocation.
//!
//! Nothing here decides legality; [`Board::check`](crate::kernel::Board::check) does.

pub(crate) mod captures;
pub(crate) mod escapes;
pub(crate) mod ladder;
pub(crate) mod liberties;
pub(crate) mod nakade;
pub(crate) mod point_list;
pub(crate) mod self_atari;
#[cfg(test)]
mod tests;

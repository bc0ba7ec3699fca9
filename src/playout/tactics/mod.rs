//! Tactical questions about captures, answered on the board as it stands, mostly without allocation.
//!
//! Nothing here is a rule: [`Board::check`](crate::kernel::Board::check) says what is legal.

pub(crate) mod captures;
pub(crate) mod escapes;
pub(crate) mod ladder;
pub(crate) mod liberties;
pub(crate) mod nakade;
pub(crate) mod point_list;
pub(crate) mod self_atari;
#[cfg(test)]
mod tests;

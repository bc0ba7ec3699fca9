//! Playouts: random games from a position to its end.
//!
//! [`light`] plays uniformly random moves; [`heavy`] answers local threats with the help of `patterns` and
//! `tactics` and is the one the search uses. Playouts know the board only, neither komi nor superko;
//! callers count the score of the final board.

pub mod heavy;
pub mod light;
pub(crate) mod patterns;
pub(crate) mod tactics;

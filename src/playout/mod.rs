//! Random games from a position to its end.

pub mod heavy;
pub mod light;
pub mod patterns;
pub mod tactics;

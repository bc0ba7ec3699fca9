//! The fuzz targets, which `cargo fuzz` runs from `fuzz_targets` and `cargo test` from the integration tests. Oracle
//! and helpers are those of the integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/it/oracle.rs"]
pub mod oracle;
#[path = "../../tests/it/oracle_game.rs"]
pub mod oracle_game;
#[path = "../../tests/it/support.rs"]
pub mod support;
pub mod targets;

//! What is fuzzed: `cargo fuzz` reaches it from `fuzz_targets`, and `cargo test` from the tests of the engine, whose oracle
//! it shares.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/it/oracle.rs"]
pub mod oracle;
#[path = "../../tests/it/oracle_game.rs"]
pub mod oracle_game;
#[path = "../../tests/it/support.rs"]
pub mod support;
pub mod targets;

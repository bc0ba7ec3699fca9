//! All integration tests in one binary, which builds faster than a binary per file.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod agreement;
mod analysis;
mod analyze;
mod bad_input;
mod cases;
mod clients;
mod counts;
mod dependencies;
mod differential;
mod engine;
mod eval;
mod examples;
mod faults;
mod files;
mod fuzzing;
mod glossary;
mod gogui;
mod interleavings;
mod killed;
mod net;
mod oracle;
mod oracle_game;
mod play;
mod pondering;
mod process;
mod referee;
mod ren_db;
mod replay;
mod report;
mod rules;
mod score;
mod score_file;
mod search;
mod selfplay;
mod sgf;
mod shared_data;
mod structure;
mod support;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;
mod terminal;
mod training;
mod transcripts;
mod undo;

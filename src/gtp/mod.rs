//! The Go Text Protocol (GTP), version 2: lines in, answers out.

pub mod args;
pub mod cached_analysis;
pub mod command_files;
pub mod commands;
pub mod engine;
pub mod response;
pub mod search_log;
pub mod server;

pub use engine::{Engine, FAULT};
pub use server::{exchange, serve};

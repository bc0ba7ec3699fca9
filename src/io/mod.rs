//! Files, quoted text and memory: the operating system and other people's data.

pub mod files;
pub mod memory;
pub mod ren_db_file;
pub mod text;

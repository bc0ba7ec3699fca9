//! Files, the memory the system grants, file forms, quoting of foreign text, and hashing.

pub mod files;
pub(crate) mod hash;
pub mod memory;
pub mod quote;
pub mod ren_db_file;

//! Files, the memory that the system grants, the file format of ren databases, quoting of input, and hashing.

pub mod files;
pub(crate) mod hash;
pub mod memory;
pub mod quote;
pub mod ren_db_file;

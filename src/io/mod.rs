//! Files, the memory that the system grants, the file format of ren databases, and quoting of input.

pub mod files;
pub mod memory;
pub(crate) mod nearest;
pub mod quote;
pub mod ren_db_file;

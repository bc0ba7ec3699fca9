//! Files, the memory that the system grants, and the file format of ren databases.

pub mod files;
pub mod memory;
pub mod ren_db_file;

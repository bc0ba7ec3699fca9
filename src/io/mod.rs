//! Files, the names of rotated logs, the memory that the system grants, and the file format of ren databases.

pub(crate) mod file_map;
pub mod files;
pub mod memory;
pub mod ren_db_file;
pub(crate) mod rotated_logs;

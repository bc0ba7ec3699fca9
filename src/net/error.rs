//! The error of a net file.

use std::fmt;

/// The reason why a file is not a valid net, in one line without the file's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetError(pub(in crate::net) String);

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NetError {}

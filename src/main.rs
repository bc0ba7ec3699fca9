//! The program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    kifuwarabe_uec14::cli::run()
}

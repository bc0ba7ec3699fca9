//! Process-wide signal handlers.

use std::io;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

/// Lets SIGTERM end the process at once with exit code 0. Nothing needs cleaning up: an answer is logged before it is
/// written, and an interrupted save leaves the old file in place.
pub(crate) fn exit_on_sigterm() -> io::Result<()> {
    #[cfg(unix)]
    {
        let always = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGTERM, 0, always)?;
    }
    Ok(())
}

/// Turns an exceeded file-size limit into a write error, like a full disk, by handling SIGXFSZ.
pub(crate) fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}

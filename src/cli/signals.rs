//! Process-wide signal handlers.

use std::io;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
#[cfg(unix)]
use signal_hook::consts::{SIGTERM, SIGXFSZ};

/// Lets SIGTERM end the process at once with exit code 0. Nothing needs cleaning up but a terminal, which gets back the
/// modes that it has now: an answer is logged before it is written, and an interrupted save leaves the old file in place.
pub(crate) fn exit_on_sigterm() -> io::Result<()> {
    #[cfg(unix)]
    match tcgetattr(io::stdin()) {
        Ok(modes) => exit_with_terminal(modes)?,
        Err(_) => {
            let always = Arc::new(AtomicBool::new(true));
            signal_hook::flag::register_conditional_shutdown(SIGTERM, 0, always)?;
        }
    }
    Ok(())
}

/// The same, from a thread that first restores the modes of the terminal on standard input. The line editor and games
/// change them.
#[cfg(unix)]
fn exit_with_terminal(modes: Termios) -> io::Result<()> {
    let (mut signals, sender) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, sender)?;
    std::thread::Builder::new().name("sigterm".to_owned()).spawn(move || {
        if signals.read_exact(&mut [0]).is_ok() {
            // the process ends in any case
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
            signal_hook::low_level::exit(0);
        }
    })?;
    Ok(())
}

/// Turns an exceeded file-size limit into a write error, like a full disk, by handling SIGXFSZ.
pub(crate) fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Ok(())
}

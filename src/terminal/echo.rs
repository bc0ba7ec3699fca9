//! Keys typed while the program is busy: they wait for the next line editor instead of appearing on the screen.
//!
//! Between two lines a terminal echoes what is typed, in the middle of the output. While a value of [`EchoOff`] lives
//! it does not. The keys stay in the terminal's queue; Ctrl-C still is a signal, and keeps the keys before it.

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The terminal of standard input without echo. Dropping it restores the terminal.
pub(crate) struct EchoOff {
    #[cfg(unix)]
    before: Option<Termios>,
}

impl EchoOff {
    /// Turns echo and line editing of the terminal off. Nothing changes if standard input is no terminal, or on systems
    /// other than Unix, whose terminals do not echo between two reads.
    pub(crate) fn hold() -> EchoOff {
        EchoOff {
            #[cfg(unix)]
            before: silence(),
        }
    }
}

/// The modes of the terminal before the change; `None` if it could not be changed.
#[cfg(unix)]
fn silence() -> Option<Termios> {
    let before = tcgetattr(std::io::stdin()).ok()?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
    // otherwise the signal of Ctrl-C discards the keys that wait
    silent.local_modes.insert(LocalModes::NOFLSH);
    tcsetattr(std::io::stdin(), OptionalActions::Now, &silent).ok()?;
    Some(before)
}

#[cfg(unix)]
impl Drop for EchoOff {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // `Now` keeps the keys that wait
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

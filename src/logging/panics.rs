//! A panic as an event: logged like other errors, and not printed to a stream that a controller reads.

use std::{backtrace::Backtrace, panic::PanicHookInfo};

/// Logs a panic with its backtrace. For [`std::panic::set_hook`].
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or("no message");
    let backtrace = Backtrace::force_capture().to_string();
    tracing::error!(place, message_text = message, backtrace, "internal error");
}

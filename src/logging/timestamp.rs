//! Local time, as the logs and stderr write it.

use chrono::Local;

/// Milliseconds and the offset from UTC: `2022-09-14T23:36:15.521+0900`.
pub(super) fn now() -> String {
    Local::now().format("%Y-%m-%dT%H:%M:%S%.3f%z").to_string()
}

/// [`now`]'s text as stderr shows it: `2022-09-14 23:36:15`.
pub(super) fn to_seconds(timestamp: &str) -> String {
    timestamp.split('.').next().unwrap_or_default().replace('T', " ")
}

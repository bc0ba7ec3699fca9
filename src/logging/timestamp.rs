//! Local time, as the logs and stderr write it.

use std::sync::LazyLock;

use chrono::{
    Local,
    format::{Item, StrftimeItems},
};

/// The format of [`now`], parsed once: parsing takes as long as formatting.
static FORMAT: LazyLock<Vec<Item<'static>>> = LazyLock::new(|| StrftimeItems::new("%Y-%m-%dT%H:%M:%S%.3f%z").collect());

/// Milliseconds and the offset from UTC: `2022-09-14T23:36:15.521+0900`.
pub(super) fn now() -> String {
    Local::now().format_with_items(FORMAT.iter()).to_string()
}

/// [`now`]'s text as stderr shows it: `2022-09-14 23:36:15`.
pub(super) fn to_seconds(timestamp: &str) -> String {
    timestamp.split('.').next().unwrap_or_default().replace('T', " ")
}

//! The files of a rotated log: `NAME.YYYY-MM-DD` or `NAME.1`, `NAME.2` and so on beside `NAME`.

use std::fs;
use std::path::Path;

use chrono::NaiveDate;

/// The day that a suffix names; `2022-9-14` parses too, but is never the suffix of a log.
pub(super) fn day_of(suffix: &str) -> Option<NaiveDate> {
    suffix.parse::<NaiveDate>().ok().filter(|day| day.to_string() == suffix)
}

/// The texts after `NAME.` in the names of the files beside a log.
pub(super) fn suffixes(path: &Path) -> impl Iterator<Item = String> + use<> {
    let prefix = path.file_name().and_then(|name| name.to_str()).map(|name| format!("{name}."));
    let folder = path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    entries.filter_map(move |entry| Some(entry.file_name().to_str()?.strip_prefix(prefix.as_deref()?)?.to_owned()))
}

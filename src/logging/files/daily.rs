//! A log with a new file every local day, of which the newest are kept.
//!
//! It knows the names of its own files, and touches no other. It does not know which rotation was asked for.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use chrono::{Local, NaiveDate};
use tracing_appender::rolling::RollingFileAppender;

use super::super::console::warn;
use super::{Anew, open_appender, with_suffix};

pub(super) fn today() -> NaiveDate {
    Local::now().date_naive()
}

/// A log with a new file every local day.
///
/// The appender's own daily rotation goes by the date in Greenwich, not that of the stamps, and makes room by deleting
/// whatever begins with the log's name; hence a new appender each day, and a look at the whole name.
pub(super) struct DailyFile<F> {
    path: PathBuf,
    max_files: u32,
    today: F,
    /// The day for which a file was last asked for.
    day: NaiveDate,
    file: RollingFileAppender,
    /// Where the file that is written to was: that of an earlier day where a new one was refused.
    file_path: PathBuf,
    warned: bool,
    anew: Anew,
}

impl<F: Fn() -> NaiveDate> DailyFile<F> {
    pub(super) fn open(path: &Path, max_files: u32, today: F) -> io::Result<Self> {
        let day = today();
        let file_path = with_suffix(path, day);
        let file = open_appender(&file_path)?;
        let (path, anew) = (path.to_owned(), Anew::default());
        let daily = Self { path, max_files, today, day, file, file_path, warned: false, anew };
        daily.delete_old();
        Ok(daily)
    }

    /// Deletes the oldest of the log's files beyond `max_files`.
    fn delete_old(&self) {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str()))
        else {
            return;
        };
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let mut days: Vec<NaiveDate> = entries
            .flatten()
            .filter_map(|entry| {
                let entry = entry.file_name();
                let date = entry.to_str()?.strip_prefix(name)?.strip_prefix('.')?;
                // Only what it would write itself: `2022-9-14` is someone else's.
                date.parse::<NaiveDate>().ok().filter(|day| day.to_string() == date)
            })
            .collect();
        days.sort_unstable_by(|a, b| b.cmp(a));
        for day in days.into_iter().skip(self.max_files as usize).filter(|day| *day != self.day) {
            // What cannot be deleted today is tried again tomorrow.
            let _ = fs::remove_file(with_suffix(&self.path, day));
        }
    }
}

impl<F: Fn() -> NaiveDate> Write for DailyFile<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let day = (self.today)();
        if day != self.day {
            // Either way: a folder that refuses a new file is not asked again with every line.
            self.day = day;
            let path = with_suffix(&self.path, day);
            match open_appender(&path) {
                Ok(file) => {
                    (self.file, self.file_path) = (file, path);
                    self.delete_old();
                }
                Err(reason) if !self.warned => {
                    self.warned = true;
                    warn(format_args!("cannot open log {}: {reason}", path.display()));
                }
                Err(_) => {}
            }
        } else if let Some(file) = self.anew.begin(&self.file_path, open_appender) {
            self.file = file;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

//! A log with one file for each local day: `NAME.YYYY-MM-DD`. The newest files are kept.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use chrono::{Local, NaiveDate};

use super::appender::Appender;
use crate::io::rotated_logs::{RotationSuffix, suffixes, with_suffix};
use crate::logging::stderr::WarnOnce;

pub(super) fn today() -> NaiveDate {
    Local::now().date_naive()
}

/// A log with one file a day.
pub(super) struct DailyFile {
    /// The path without the date.
    path: PathBuf,
    max_files: u32,
    /// The day of the last write. If its file could not be opened, `file` is that of an earlier day.
    day: NaiveDate,
    file: Appender,
    open_warning: WarnOnce,
}

impl DailyFile {
    pub(super) fn open(path: &Path, max_files: u32, day: NaiveDate) -> io::Result<Self> {
        let file = Appender::open(&with_suffix(path, day))?;
        let daily = Self { path: path.to_owned(), max_files, day, file, open_warning: WarnOnce::default() };
        daily.delete_old();
        Ok(daily)
    }

    /// Writes to the file of this day.
    pub(super) fn write_on(&mut self, day: NaiveDate, bytes: &[u8]) -> io::Result<usize> {
        if day == self.day {
            return self.file.write(bytes);
        }
        // Set even if the file cannot be opened, so that it is tried once a day, not with every line.
        self.day = day;
        let path = with_suffix(&self.path, day);
        match self.file.switch_to(path.clone()) {
            Ok(()) => self.delete_old(),
            Err(reason) => self.open_warning.warn(format_args!("cannot open log {}: {reason}", path.display())),
        }
        self.file.append(bytes)
    }

    /// Deletes the oldest files beyond `max_files`, but never today's. Files that cannot be deleted stay.
    fn delete_old(&self) {
        let day_of = |suffix| match suffix {
            RotationSuffix::Day(day) => Some(day),
            RotationSuffix::Number(_) => None,
        };
        let mut days: Vec<NaiveDate> = suffixes(&self.path).filter_map(day_of).collect();
        days.sort_unstable_by(|a, b| b.cmp(a));
        for day in days.into_iter().skip(self.max_files as usize).filter(|day| *day != self.day) {
            let _ = fs::remove_file(with_suffix(&self.path, day));
        }
    }
}

impl Write for DailyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_on(today(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

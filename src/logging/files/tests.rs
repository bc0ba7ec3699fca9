//! Which files a log leaves behind, and what is in them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    io::Write,
    sync::atomic::{AtomicU32, Ordering},
};

use chrono::NaiveDate;
use tempfile::{TempDir, tempdir};

use super::*;

/// All files in the folder: name and size.
fn files(folder: &TempDir) -> Vec<(String, u64)> {
    let mut files: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len())
        })
        .collect();
    files.sort();
    files
}

fn sizes(files: &[(&str, u64)]) -> Vec<(String, u64)> {
    files.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
}

#[test]
fn sized_logs_stay_within_their_bounds() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    fs::write(with_suffix(&path, 3), "left over").unwrap();
    fs::write(with_suffix(&path, "bak"), "not a log").unwrap();
    let mut file = SizedFile::open(&path, 10, 3).unwrap();
    for line in 0..100 {
        file.write_all(format!("{line:3}\n").as_bytes()).unwrap();
    }
    assert_eq!(files(&folder), sizes(&[("a.log", 8), ("a.log.1", 8), ("a.log.2", 8), ("a.log.bak", 9)]));
    assert_eq!(fs::read_to_string(&path).unwrap(), " 98\n 99\n");
    assert_eq!(fs::read_to_string(with_suffix(&path, 2)).unwrap(), " 94\n 95\n");
    // Goes on where it was left, and a line is never cut.
    drop(file);
    let mut file = SizedFile::open(&path, 10, 3).unwrap();
    file.write_all(b"x\n").unwrap();
    file.write_all(b"longer than the limit\n").unwrap();
    assert_eq!(files(&folder)[..2], sizes(&[("a.log", 22), ("a.log.1", 10)]));
}

#[test]
fn one_sized_file_starts_over() {
    let folder = tempdir().unwrap();
    let mut file = SizedFile::open(&folder.path().join("a.log"), 10, 1).unwrap();
    for _ in 0..5 {
        file.write_all(b"1234\n").unwrap();
    }
    assert_eq!(files(&folder), sizes(&[("a.log", 5)]));
}

#[test]
fn a_log_that_cannot_rotate_keeps_its_lines() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    // Nothing can be renamed to a folder that is not empty.
    fs::create_dir_all(with_suffix(&path, 1).join("full")).unwrap();
    let mut file = SizedFile::open(&path, 10, 2).unwrap();
    for _ in 0..9 {
        file.write_all(b"1234\n").unwrap();
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), 45);
}

#[test]
fn daily_logs_keep_the_newest_days() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    for name in ["a.log", "a.log.2022-9-1", "a.log.old", "a.log.json.2022-09-01", "a.log.2022-09-10"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let day = AtomicU32::new(12);
    let today = || NaiveDate::from_ymd_opt(2022, 9, day.load(Ordering::Relaxed)).unwrap();
    let mut file = DailyFile::open(&path, 2, today).unwrap();
    file.write_all(b"12\n").unwrap();
    for date in [13, 14] {
        day.store(date, Ordering::Relaxed);
        file.write_all(b"a\n").unwrap();
        file.write_all(b"b\n").unwrap();
    }
    let expected = [
        ("a.log", 0),
        ("a.log.2022-09-13", 4),
        ("a.log.2022-09-14", 4),
        ("a.log.2022-9-1", 0),
        ("a.log.json.2022-09-01", 0),
        ("a.log.old", 0),
    ];
    assert_eq!(files(&folder), sizes(&expected));
    // A second start on the same day loses nothing.
    drop(file);
    DailyFile::open(&path, 1, today).unwrap().write_all(b"c\n").unwrap();
    assert_eq!(files(&folder)[1], ("a.log.2022-09-14".to_owned(), 6));
    assert_eq!(files(&folder).len(), 5);
}

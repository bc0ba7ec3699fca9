//! The files that each kind of rotation leaves, and their content.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{fs, io::Write, thread};

use chrono::NaiveDate;
use tempfile::{TempDir, tempdir};

use super::{appender::Appender, daily::DailyFile, rotated_set, sized::SizedFile};
use crate::io::rotated_logs::with_suffix;

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
fn sized_logs_respect_the_limits_of_size_and_number() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    fs::write(with_suffix(&path, 3), "left over").unwrap();
    fs::write(with_suffix(&path, "bak"), "not a log").unwrap();
    let mut file = SizedFile::open(&path, 10, 3).unwrap();
    for line in 0..100 {
        file.write_all(format!("{line:3}\n").as_bytes()).unwrap();
    }
    assert_eq!(
        files(&folder),
        sizes(&[("a.log", 8), ("a.log.1", 8), ("a.log.2", 8), ("a.log.bak", 9), ("a.log.lock", 0)])
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), " 98\n 99\n");
    assert_eq!(fs::read_to_string(with_suffix(&path, 2)).unwrap(), " 94\n 95\n");
    // A second start appends, and a line longer than the limit is not split.
    drop(file);
    let mut file = SizedFile::open(&path, 10, 3).unwrap();
    file.write_all(b"x\n").unwrap();
    file.write_all(b"longer than the limit\n").unwrap();
    assert_eq!(files(&folder)[..2], sizes(&[("a.log", 22), ("a.log.1", 10)]));
}

#[test]
fn a_single_sized_file_is_emptied() {
    let folder = tempdir().unwrap();
    let mut file = SizedFile::open(&folder.path().join("a.log"), 10, 1).unwrap();
    for _ in 0..5 {
        file.write_all(b"1234\n").unwrap();
    }
    assert_eq!(files(&folder), sizes(&[("a.log", 5), ("a.log.lock", 0)]));
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

fn september(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2022, 9, day).unwrap()
}

#[test]
fn daily_logs_keep_the_newest_days_and_leave_other_files() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    for name in ["a.log", "a.log.2022-9-1", "a.log.old", "a.log.json.2022-09-01", "a.log.2022-09-10"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let mut file = DailyFile::open(&path, 2, september(12)).unwrap();
    for day in [12, 13, 14] {
        file.write_on(september(day), b"a\n").unwrap();
        file.write_on(september(day), b"b\n").unwrap();
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
    // A second start on the same day appends.
    drop(file);
    DailyFile::open(&path, 1, september(14)).unwrap().write_on(september(14), b"c\n").unwrap();
    assert_eq!(files(&folder)[1], ("a.log.2022-09-14".to_owned(), 6));
    assert_eq!(files(&folder).len(), 5);
}

#[test]
fn a_daily_log_continues_in_the_old_file_if_the_new_one_cannot_be_opened() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    fs::create_dir(with_suffix(&path, "2022-09-13")).unwrap();
    let mut file = DailyFile::open(&path, 8, september(12)).unwrap();
    for day in [12, 13, 13, 14] {
        file.write_on(september(day), format!("{day}\n").as_bytes()).unwrap();
    }
    let read = |day: &str| fs::read_to_string(with_suffix(&path, day)).unwrap();
    assert_eq!((read("2022-09-12").as_str(), read("2022-09-14").as_str()), ("12\n13\n13\n", "14\n"));
}

#[test]
fn a_removed_file_is_created_again() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("logs/a.log");
    let mut plain = Appender::open(&path).unwrap();
    let mut sized = SizedFile::open(&with_suffix(&path, "sized"), 10, 2).unwrap();
    for _ in 0..2 {
        plain.write_all(b"123456\n").unwrap();
        sized.write_all(b"123456\n").unwrap();
        assert_eq!(fs::read_dir(folder.path().join("logs")).unwrap().count(), 2, "a new file has room: no rotation");
        fs::remove_dir_all(folder.path().join("logs")).unwrap();
    }
}

#[test]
fn an_incomplete_last_line_is_ended() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    for (before, after) in [("torn", "torn\nnew\n"), ("whole\n", "whole\nnew\n"), ("", "new\n")] {
        fs::write(&path, before).unwrap();
        Appender::open(&path).unwrap().write_all(b"new\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
        fs::write(&path, before).unwrap();
        SizedFile::open(&path, 1 << 20, 1).unwrap().write_all(b"new\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
    }
}

#[cfg(unix)]
#[test]
fn two_engines_rotate_one_log_together() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    let mut engines = [0; 2].map(|_| SizedFile::open(&path, 40, 4).unwrap());
    for line in 0..24 {
        engines[line % 2].write_all(format!("{line:4}\n").as_bytes()).unwrap();
    }
    // eight lines of five bytes a file, in order: neither engine renames the other's new file
    let files = rotated_set(&path);
    assert_eq!(files, [with_suffix(&path, 2), with_suffix(&path, 1), path.clone()]);
    let lines: Vec<String> = files
        .iter()
        .flat_map(|file| fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert_eq!(lines, (0..24).map(|line| format!("{line:4}")).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn engines_that_rotate_at_the_same_time_lose_no_line() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    thread::scope(|scope| {
        for engine in 0..4 {
            let mut log = SizedFile::open(&path, 100, 1000).unwrap();
            scope.spawn(move || {
                for line in 0..250 {
                    log.write_all(format!("{engine} {line:3}\n").as_bytes()).unwrap();
                }
            });
        }
    });
    let files = rotated_set(&path);
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let all: Vec<String> = (0..4).flat_map(|engine| (0..250).map(move |line| format!("{engine} {line:3}"))).collect();
    assert_eq!(lines, all);
    assert!(files.len() > 10, "{} files", files.len());
}

#[test]
fn a_line_does_not_wait_for_a_rotation_by_another_engine() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    let mut log = SizedFile::open(&path, 10, 3).unwrap();
    let other = fs::File::create(with_suffix(&path, "lock")).unwrap();
    other.lock().unwrap();
    for _ in 0..3 {
        log.write_all(b"1234\n").unwrap();
    }
    assert_eq!(files(&folder), sizes(&[("a.log", 15), ("a.log.lock", 0)]));
    drop(other);
    log.write_all(b"1234\n").unwrap();
    assert_eq!(files(&folder), sizes(&[("a.log", 5), ("a.log.1", 15), ("a.log.lock", 0)]));
}

#[test]
fn a_rotated_set_is_in_the_order_of_its_lines() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.log");
    assert_eq!(rotated_set(&path), std::slice::from_ref(&path), "a missing log");
    for suffix in ["1", "2", "10", "02", "0", "bak", "1.gz", "2022-09-10", "2022-09-09", "2022-9-8"] {
        fs::write(with_suffix(&path, suffix), "").unwrap();
    }
    let older = ["2022-09-09", "2022-09-10", "10", "2", "1"].map(|suffix| with_suffix(&path, suffix));
    assert_eq!(rotated_set(&path), older);
    fs::write(&path, "").unwrap();
    assert_eq!(rotated_set(&path), [&older[..], std::slice::from_ref(&path)].concat());
}

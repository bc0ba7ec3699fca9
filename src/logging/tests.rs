//! What an event looks like in every log and on stderr, and what a failing log does to the others.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    io::Write,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::config::ConsoleMode;

use super::{console::STAMP_BYTES, *};

const NOBODY: Watch = Watch { stdin_is_terminal: true, stderr_is_terminal: true, debug_input: false };

/// A sink whose content a test can look at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn config(folder: &TempDir, sets: &[&str]) -> EngineConfig {
    let path = folder.path().display();
    let mut all = vec![
        format!("Paths.PlainTextLog='{path}/logs/plain.log'"),
        format!("Paths.JsonLog='{path}/logs/json.log'"),
        "Log.Console=off".to_owned(),
    ];
    all.extend(sets.iter().map(|set| (*set).to_owned()));
    EngineConfig::built_in(&all).unwrap()
}

fn say(kind: Kind, plain: &str, msg: &str, fields: &[(&'static str, serde_json::Value)]) {
    exchange(&Exchange { kind, plain, caller: Location::caller(), msg, fields });
}

/// Each line without its stamp, which must be one.
#[track_caller]
fn unstamped(line: &str) -> &str {
    let (stamp, rest) = line.split_at(28);
    assert!(is_stamp(stamp), "{line}");
    rest
}

fn is_stamp(stamp: &str) -> bool {
    has_shape(stamp, "0000-00-00T00:00:00.000+0000") || has_shape(stamp, "0000-00-00T00:00:00.000-0000")
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(a, b)| if b == b'0' { a.is_ascii_digit() } else { a == b })
}

#[test]
fn both_logs_have_every_line_at_once() {
    let folder = tempdir().unwrap();
    let (plain, json) = (folder.path().join("logs/plain.log"), folder.path().join("logs/json.log"));
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    tracing::subscriber::with_default(subscriber(&config(&folder, &[]), NOBODY), || {
        say(Kind::Input, "# play black B2", "input", &[("command", json!("play black B2"))]);
        assert_eq!(unstamped(&read(&plain)), "\t# play black B2\n");
        assert!(read(&json).ends_with("}\n"));

        say(Kind::Answer, "= ", "ok", &[]);
        say(Kind::Answer, "= 1\n 2 +x.+\n\n 3\n\n", "output", &[("board", json!("1\n\"2\"")), ("area", json!(2))]);
        tracing::warn!(file = "a b", number = 3, half = 0.5, good = true, word = "x", "cannot\nopen");
        tracing::error!(reason = %"no", "gone");
        tracing::info!("news");
        tracing::debug!("never seen");
        tracing::error!(target: "elsewhere", "never seen");
    });

    let text = read(&plain);
    let rows: Vec<_> = text.lines().collect();
    assert_eq!(rows.len(), 10, "{text}");
    assert_eq!(unstamped(rows[1]), "\t=");
    assert_eq!(unstamped(rows[2]), "\t= 1");
    assert_eq!(rows[3..6], [" 2 +x.+", "", " 3"]);
    assert_eq!(unstamped(rows[6]), "\twarning: cannot");
    assert_eq!(rows[7], "open file=\"a b\" number=3 half=0.5 good=true word=x");
    assert_eq!(unstamped(rows[8]), "\terror: gone reason=no");
    assert_eq!(unstamped(rows[9]), "\tinfo: news");

    let text = read(&json);
    let parts: Vec<_> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
            let (level, rest) = line.split_once(r#","ts":""#).unwrap();
            let (caller, msg) = unstamped(rest).split_once(r#","msg":"#).unwrap();
            let caller = caller.strip_prefix(r#"","caller":"logging/tests.rs:"#).unwrap();
            assert!(caller.strip_suffix('"').unwrap().parse::<u32>().is_ok(), "{line}");
            (level, msg)
        })
        .collect();
    let info = r#"{"level":"info""#;
    assert_eq!(
        parts,
        [
            (info, r#""input","command":"play black B2"}"#),
            (info, r#""ok"}"#),
            (info, r#""output","board":"1\n\"2\"","area":2}"#),
            (r#"{"level":"warn""#, r#""cannot\nopen","file":"a b","number":3,"half":0.5,"good":true,"word":"x"}"#),
            (r#"{"level":"error""#, r#""gone","reason":"no"}"#),
            (info, r#""news"}"#),
        ]
    );
}

#[test]
fn logs_are_appended_to_and_an_unopenable_one_stops_no_other() {
    let folder = tempdir().unwrap();
    fs::create_dir_all(folder.path().join("logs/json.log")).unwrap();
    for _ in 0..2 {
        tracing::subscriber::with_default(subscriber(&config(&folder, &[]), NOBODY), || {
            say(Kind::Input, "# quit", "input", &[]);
        });
    }
    let text = fs::read_to_string(folder.path().join("logs/plain.log")).unwrap();
    assert_eq!(text.lines().map(unstamped).collect::<Vec<_>>(), ["\t# quit"; 2]);
}

#[test]
fn without_logs_nothing_is_written() {
    let folder = tempdir().unwrap();
    let config = config(&folder, &["Paths.PlainTextLog=", "Paths.JsonLog="]);
    tracing::subscriber::with_default(subscriber(&config, NOBODY), || say(Kind::Input, "# quit", "input", &[]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // Nobody listens.
    say(Kind::Input, "# quit", "input", &[]);
}

fn on_console(mode: ConsoleMode, watched: Watch) -> Vec<String> {
    let shared = Shared::default();
    let layer = LogLayer::new(console::format(mode, watched), Box::new(shared.clone()), None);
    tracing::subscriber::with_default(Registry::default().with(vec![layer]), || {
        say(Kind::Input, "# play black B2", "input", &[]);
        say(Kind::Answer, "= 1\r\n= 2\r? 3\n\n= 4\n\n", "ok", &[]);
        tracing::info!("news");
        tracing::warn!(key = 1, "look");
    });
    let text = shared.text();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| {
            let (stamp, rest) = line.split_at(STAMP_BYTES);
            assert!(has_shape(stamp, "[0000-00-00 00:00:00]\t"), "{line}");
            rest.to_owned()
        })
        .collect()
}

#[test]
fn every_row_on_the_console_is_stamped() {
    let (command, warning) = ("# play black B2", "warning: look key=1");
    assert_eq!(on_console(ConsoleMode::Full, NOBODY), [command, "= 1", "= 2", "? 3", "", "= 4", warning]);
    assert_eq!(on_console(ConsoleMode::Echo, NOBODY), [command, warning]);
    assert_eq!(on_console(ConsoleMode::Off, NOBODY), [warning]);
}

#[test]
fn auto_echoes_where_someone_watches_a_program() {
    for (stdin_is_terminal, stderr_is_terminal, debug_input, echoes) in [
        (false, true, false, true),
        (true, true, false, false),
        (false, false, false, false),
        (true, false, false, false),
        (true, true, true, true),
        (false, false, true, true),
    ] {
        let watched = Watch { stdin_is_terminal, stderr_is_terminal, debug_input };
        assert_eq!(on_console(ConsoleMode::Auto, watched).len() == 2, echoes, "{watched:?}");
    }
}

#[test]
fn callers_are_paths_inside_the_source_folder() {
    for (file, expected) in [
        ("src/gtp/play.rs", "gtp/play.rs"),
        ("src\\gtp\\play.rs", "gtp/play.rs"),
        ("/home/src/engine/src/main.rs", "main.rs"),
        ("C:\\engine\\src\\main.rs", "main.rs"),
        ("tests/srcs/a.rs", "tests/srcs/a.rs"),
        ("mysrc/a.rs", "mysrc/a.rs"),
        ("src", "src"),
        ("", ""),
    ] {
        assert_eq!(source_path(file), expected);
    }
}
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_reason_to_stop() {
    let folder = tempdir().unwrap();
    let sets = ["Paths.PlainTextLog=/dev/full", "Paths.JsonLog=/dev/null", "Log.Rotation=size", "Log.MaxMegabytes=1"];
    tracing::subscriber::with_default(subscriber(&config(&folder, &sets), NOBODY), || {
        let long = "x".repeat(600 << 10);
        for _ in 0..3 {
            say(Kind::Answer, &long, "output", &[("text", json!(long))]);
        }
    });
    assert!(Path::new("/dev/null").exists());
    assert!(!Path::new("/dev/null.1").exists());
}

#[test]
fn a_torn_line_spoils_no_other() {
    /// Takes four bytes, then nothing for a while.
    struct Tearing(Shared, Arc<AtomicU32>);
    impl Write for Tearing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.1.fetch_add(1, Ordering::Relaxed) {
                0 => self.0.write(&bytes[..4]),
                1 | 2 => Err(io::ErrorKind::StorageFull.into()),
                _ => self.0.write(bytes),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let shared = Shared::default();
    let layer = LogLayer::new(Format::Plain, Box::new(Tearing(shared.clone(), Arc::default())), None);
    tracing::subscriber::with_default(Registry::default().with(vec![layer]), || {
        for text in ["# 1", "# 2", "# 3", "# 4"] {
            say(Kind::Input, text, "input", &[]);
        }
    });
    let text = shared.text();
    let rows: Vec<_> = text.lines().collect();
    assert_eq!((rows.len(), rows[0].len()), (3, 4), "{text}");
    assert_eq!((unstamped(rows[1]), unstamped(rows[2])), ("\t# 3", "\t# 4"));
}

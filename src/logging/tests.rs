//! The form of an event in each log and on stderr; logs that cannot be opened or written.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    io::{self, Write},
    panic::Location,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use serde_json::json;
use tempfile::{TempDir, tempdir};
use tracing_subscriber::{Registry, layer::SubscriberExt as _};

use crate::config::{ConsoleMode, EngineConfig};

use super::{
    entry::{Entry, EntryKind, log},
    format::{ConsoleContext, Format, InputSource},
    json::{Field, caller},
    layer::LogLayer,
    sink::Sink,
    subscriber,
};

const TERMINAL: ConsoleContext =
    ConsoleContext { stdin_is_terminal: true, stderr_is_terminal: true, input: InputSource::Stdin };

/// A writer whose content a test can read.
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

fn write(kind: EntryKind, plain: &str, msg: &str, fields: &[Field]) {
    log(&Entry { kind, plain, caller: Location::caller(), msg, fields });
}

/// The subscriber of one log alone.
fn only(format: Format, writer: impl Write + Send + 'static) -> impl tracing::Subscriber + Send + Sync {
    Registry::default().with(LogLayer { sinks: vec![Sink::new(format, Box::new(writer), None)] })
}

/// The line without its timestamp.
#[track_caller]
fn without_timestamp(line: &str) -> &str {
    let (timestamp, rest) = line.split_at(28);
    let has_form = |form| has_shape(timestamp, form);
    assert!(has_form("0000-00-00T00:00:00.000+0000") || has_form("0000-00-00T00:00:00.000-0000"), "{line}");
    rest
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(a, b)| if b == b'0' { a.is_ascii_digit() } else { a == b })
}

#[test]
fn both_logs_get_every_event_before_the_call_returns() {
    let folder = tempdir().unwrap();
    let (plain, json) = (folder.path().join("logs/plain.log"), folder.path().join("logs/json.log"));
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    tracing::subscriber::with_default(subscriber(&config(&folder, &[]), TERMINAL), || {
        write(EntryKind::Input, "# play black B2", "input", &[("command", json!("play black B2"))]);
        assert_eq!(without_timestamp(&read(&plain)), "\t# play black B2\n");
        assert!(read(&json).ends_with("}\n"));

        write(EntryKind::Answer, "= ", "ok", &[]);
        write(
            EntryKind::Answer,
            "= 1\n 2 +x.+\n\n 3\n\n",
            "output",
            &[("board", json!("1\n\"2\"")), ("area", json!(2))],
        );
        tracing::warn!(file = "a b", number = 3, half = 0.5, good = true, word = "x", "cannot\nopen");
        tracing::error!(reason = %"no", "gone");
        tracing::info!("news");
        tracing::debug!("not logged");
        tracing::error!(target: "elsewhere", "not logged");
    });

    let text = read(&plain);
    let rows: Vec<_> = text.lines().collect();
    assert_eq!(rows.len(), 10, "{text}");
    assert_eq!(without_timestamp(rows[1]), "\t=");
    assert_eq!(without_timestamp(rows[2]), "\t= 1");
    assert_eq!(rows[3..6], [" 2 +x.+", "", " 3"]);
    assert_eq!(without_timestamp(rows[6]), "\twarning: cannot");
    assert_eq!(rows[7], "open file=\"a b\" number=3 half=0.5 good=true word=x");
    assert_eq!(without_timestamp(rows[8]), "\terror: gone reason=no");
    assert_eq!(without_timestamp(rows[9]), "\tinfo: news");

    let text = read(&json);
    let parts: Vec<_> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
            let (level, rest) = line.split_once(r#","ts":""#).unwrap();
            let (caller, msg) = without_timestamp(rest).split_once(r#","msg":"#).unwrap();
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
fn logs_are_appended_to_and_one_that_cannot_be_opened_does_not_affect_the_other() {
    let folder = tempdir().unwrap();
    fs::create_dir_all(folder.path().join("logs/json.log")).unwrap();
    for _ in 0..2 {
        tracing::subscriber::with_default(subscriber(&config(&folder, &[]), TERMINAL), || {
            write(EntryKind::Input, "# quit", "input", &[]);
        });
    }
    let text = fs::read_to_string(folder.path().join("logs/plain.log")).unwrap();
    assert_eq!(text.lines().map(without_timestamp).collect::<Vec<_>>(), ["\t# quit"; 2]);
}

#[test]
fn disabled_logs_write_no_file() {
    let folder = tempdir().unwrap();
    let config = config(&folder, &["Paths.PlainTextLog=", "Paths.JsonLog="]);
    tracing::subscriber::with_default(subscriber(&config, TERMINAL), || {
        write(EntryKind::Input, "# quit", "input", &[])
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // Without a subscriber.
    write(EntryKind::Input, "# quit", "input", &[]);
}

fn on_console(mode: ConsoleMode, context: ConsoleContext) -> Vec<String> {
    let shared = Shared::default();
    tracing::subscriber::with_default(only(Format::console(mode, context), shared.clone()), || {
        write(EntryKind::Input, "# play black B2", "input", &[]);
        write(EntryKind::Answer, "= 1\r\n= 2\r? 3\n\n= 4\n\n", "ok", &[]);
        tracing::info!("news");
        tracing::warn!(key = 1, "look");
    });
    let text = shared.text();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| {
            let (prefix, rest) = line.split_at(22);
            assert!(has_shape(prefix, "[0000-00-00 00:00:00]\t"), "{line}");
            rest.to_owned()
        })
        .collect()
}

#[test]
fn every_row_on_the_console_has_a_timestamp() {
    let (command, warning) = ("# play black B2", "warning: look key=1");
    assert_eq!(on_console(ConsoleMode::Full, TERMINAL), [command, "= 1", "= 2", "? 3", "", "= 4", warning]);
    assert_eq!(on_console(ConsoleMode::Echo, TERMINAL), [command, warning]);
    assert_eq!(on_console(ConsoleMode::Off, TERMINAL), [warning]);
}

#[test]
fn auto_echoes_commands_of_programs_to_a_terminal() {
    for (stdin_is_terminal, stderr_is_terminal, input, echoes) in [
        (false, true, InputSource::Stdin, true),
        (true, true, InputSource::Stdin, false),
        (false, false, InputSource::Stdin, false),
        (true, false, InputSource::Stdin, false),
        (true, true, InputSource::DebugInput, true),
        (false, false, InputSource::DebugInput, true),
    ] {
        let context = ConsoleContext { stdin_is_terminal, stderr_is_terminal, input };
        assert_eq!(on_console(ConsoleMode::Auto, context).len() == 2, echoes, "{context:?}");
    }
}

#[test]
fn caller_is_a_path_below_the_source_folder() {
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
        assert_eq!(caller(file, 7), format!("{expected}:7"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_device_as_log_cause_no_error() {
    let folder = tempdir().unwrap();
    let sets = ["Paths.PlainTextLog=/dev/full", "Paths.JsonLog=/dev/null", "Log.Rotation=size", "Log.MaxMegabytes=1"];
    tracing::subscriber::with_default(subscriber(&config(&folder, &sets), TERMINAL), || {
        let long = "x".repeat(600 << 10);
        for _ in 0..3 {
            write(EntryKind::Answer, &long, "output", &[("text", json!(long))]);
        }
    });
    assert!(Path::new("/dev/null").exists());
    assert!(!Path::new("/dev/null.1").exists());
}

#[test]
fn an_incomplete_line_does_not_damage_the_next_one() {
    /// Accepts four bytes, fails twice, then accepts all.
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
    tracing::subscriber::with_default(only(Format::Plain, Tearing(shared.clone(), Arc::default())), || {
        for text in ["# 1", "# 2", "# 3", "# 4"] {
            write(EntryKind::Input, text, "input", &[]);
        }
    });
    let text = shared.text();
    let rows: Vec<_> = text.lines().collect();
    assert_eq!((rows.len(), rows[0].len()), (3, 4), "{text}");
    assert_eq!((without_timestamp(rows[1]), without_timestamp(rows[2])), ("\t# 3", "\t# 4"));
}

#[test]
fn notes_go_to_the_json_log_only() {
    let lines = |format| {
        let shared = Shared::default();
        tracing::subscriber::with_default(only(format, shared.clone()), || {
            write(EntryKind::Note, "", "file", &[("path", json!("a")), ("bytes", json!({"z": 1, "a": [null, 0.5]}))]);
        });
        shared.text()
    };
    let json = lines(Format::Json);
    let end = r#","msg":"file","path":"a","bytes":{"a":[null,0.5],"z":1}}"#;
    assert!(json.strip_suffix('\n').is_some_and(|line| line.ends_with(end)), "{json}");
    assert_eq!(lines(Format::Plain), "");
    assert_eq!(lines(Format::Console { input: true, answers: true }), "");
}

#[test]
#[should_panic(expected = "a repeated key")]
#[cfg(debug_assertions)]
fn a_field_must_not_repeat_a_common_key() {
    write(EntryKind::Note, "", "file", &[("ts", json!(1))]);
}

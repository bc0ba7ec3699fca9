//! Scripts of commands with their answers and logs: `tests/transcripts/NAME.gtp` is the engine's input, `NAME.out` its
//! standard output, `NAME.log` and `NAME.jsonl` are its logs with times and line numbers masked. `UPDATE_EXPECT=1 cargo
//! test` rewrites the last three. `NAME.err` is its standard error, which is empty without such a file.

use expect_test::expect_file;

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, gtp_scripts, repository};
use crate::support::{STAMP, has_shape};

#[test]
fn answers_and_logs_of_every_script_match() {
    let scripts = gtp_scripts("tests/transcripts");
    assert!(scripts.len() >= 11, "{} scripts", scripts.len());
    scripts.iter().for_each(|script| check(script));
}

fn check(script: &std::path::Path) {
    let folder = Folder::new();
    // the net's output differs in its last digits between processors
    let output = folder.run(&["--set", "Net.Use=false"], &std::fs::read(script).unwrap());
    let here = folder.path().canonicalize().unwrap();
    let mask_folder = |text: &str| text.replace(&format!("{}/", here.display()), "FOLDER/");
    expect_file![script.with_extension("out")].assert_eq(&mask_folder(&String::from_utf8(output.stdout).unwrap()));
    let stderr = std::fs::read_to_string(script.with_extension("err")).unwrap_or_default();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), stderr, "{}", script.display());
    assert_eq!(output.status.code(), Some(0), "{}", script.display());
    expect_file![script.with_extension("log")].assert_eq(&mask_folder(&mask_plain_log(&folder.read(PLAIN_LOG))));
    expect_file![script.with_extension("jsonl")].assert_eq(&mask_folder(&mask_json_log(&folder.read(JSON_LOG))));
}

/// The plain-text log with every well-formed time stamp replaced by `TIME`.
fn mask_plain_log(log: &str) -> String {
    let mut masked = String::new();
    for line in log.split_inclusive('\n') {
        match line.split_once('\t') {
            Some((stamp, rest)) if is_stamp(stamp) => masked.push_str(&format!("TIME\t{rest}")),
            _ => masked.push_str(line),
        }
    }
    masked
}

/// The JSON log with every well-formed time stamp replaced by `TIME`, and every line number by `LINE`. The record of
/// the session, which depends on the machine, is removed; seeds, random unless configured, are masked.
fn mask_json_log(log: &str) -> String {
    let mut masked = String::new();
    assert!(log.lines().next().is_some_and(|line| line.contains(r#","msg":"session","version":""#)), "{log}");
    for line in log.lines().skip(1) {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let stamp = event["ts"].as_str().unwrap();
        assert!(is_stamp(stamp), "{line}");
        let caller = event["caller"].as_str().unwrap();
        let (file, number) = caller.split_once(':').unwrap();
        assert!(number.parse::<u32>().is_ok() && repository().join("src").join(file).exists(), "{line}");
        assert!(line.starts_with(&format!(r#"{{"level":"info","ts":"{stamp}","caller":"{caller}","msg":""#)), "{line}");
        let seconds =
            event["seconds"].as_f64().map(|seconds| (format!("\"seconds\":{seconds:?},"), "\"seconds\":TIME,"));
        let (seconds, time) = seconds.unwrap_or_default();
        let line = line.replacen(stamp, "TIME", 1).replacen(caller, &format!("{file}:LINE"), 1);
        let line = line.replacen(&seconds, time, 1);
        masked += &line.replacen(&format!("\"seed\":{}", event["seed"]), "\"seed\":SEED", 1);
        masked.push('\n');
    }
    masked
}

/// Whether a text has the form of `2022-09-14T23:36:15.521+0900`.
fn is_stamp(text: &str) -> bool {
    text.len() == STAMP.len() && has_shape(text, STAMP)
}

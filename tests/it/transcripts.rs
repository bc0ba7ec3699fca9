//! Scripts of commands with the answers and the logs they must give: `tests/transcripts/NAME.gtp` is piped into the
//! engine, `NAME.out` is its standard output, `NAME.log` and `NAME.jsonl` are its logs with times and line numbers
//! struck out. `UPDATE_EXPECT=1 cargo test` writes the three anew.

use expect_test::expect_file;

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, repository};

#[test]
fn every_script_gives_its_answers_and_logs() {
    let mut count = 0;
    let folder = repository().join("tests/transcripts");
    for script in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if script.extension().is_some_and(|extension| extension == "gtp") {
            count += 1;
            check(&script);
        }
    }
    assert!(count >= 11, "{count} scripts");
}

fn check(script: &std::path::Path) {
    let folder = Folder::new();
    // what the net says differs in its last digits from processor to processor
    let output = folder.run(&["--set", "Net.Use=false"], &std::fs::read(script).unwrap());
    let here = folder.path().canonicalize().unwrap();
    let strike_folder = |text: &str| text.replace(&format!("{}/", here.display()), "FOLDER/");
    expect_file![script.with_extension("out")].assert_eq(&strike_folder(&String::from_utf8(output.stdout).unwrap()));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{}", script.display());
    assert_eq!(output.status.code(), Some(0), "{}", script.display());
    expect_file![script.with_extension("log")].assert_eq(&strike_folder(&plain_struck(&folder.read(PLAIN_LOG))));
    expect_file![script.with_extension("jsonl")].assert_eq(&strike_folder(&json_struck(&folder.read(JSON_LOG))));
}

/// The plain-text log with each time stamp made `TIME`, once it has been seen to be one.
fn plain_struck(log: &str) -> String {
    let mut struck = String::new();
    for line in log.split_inclusive('\n') {
        match line.split_once('\t') {
            Some((stamp, rest)) if is_stamp(stamp) => struck.push_str(&format!("TIME\t{rest}")),
            _ => struck.push_str(line),
        }
    }
    struck
}

/// The JSON log with each time stamp made `TIME` and each line number made `LINE`, once they have been seen to be such. How
/// the session started depends on the machine, and chance where no seed is set.
fn json_struck(log: &str) -> String {
    let mut struck = String::new();
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
        struck += &line.replacen(&format!("\"seed\":{}", event["seed"]), "\"seed\":SEED", 1);
        struck.push('\n');
    }
    struck
}

/// Whether a text is shaped as `2022-09-14T23:36:15.521+0900`.
fn is_stamp(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd.ddd+dddd";
    text.len() == shape.len()
        && text.chars().zip(shape.chars()).all(|(found, wanted)| match wanted {
            'd' => found.is_ascii_digit(),
            '+' => found == '+' || found == '-',
            _ => found == wanted,
        })
}

//! Logs of every command, with duplicate keys, of earlier versions and in several files.

use super::*;
use crate::support::skipped;

/// Valid arguments of a command.
fn arguments(command: &Command) -> &'static str {
    match command.arguments {
        "" => "",
        "COLOR" => "b",
        "COLOR SECONDS STONES" => "b 10 0",
        "COLOR [SEED]" => "b 5",
        "COLOR VERTEX" | "COLOR VERTEX ..." => "w C3",
        "FILE [MOVE_NUMBER]" => "a.sgf 2",
        "JSON" => "{\"maxVisits\": 20}",
        "KEY VALUE" => "ko SIMPLE",
        "MAIN BYO_YOMI STONES" => "60 10 5",
        "MOVE VERTEX" => "B2 C3",
        "N" => "5",
        "NAME" => "japanese",
        "NAME VALUE" => "Level 5",
        "NAME|JSON" => "japanese",
        "PATH" => "rens.json",
        "POINTS" | "RATING" => "6.5",
        "RESULT" => "B+3.5",
        "SYSTEM [NUMBER ...]" => "none",
        "VERTEX" => "C3",
        "VERTEX VERTEX" => "C3 B2",
        "VISITS" => "10",
        "VERTEX ..." => "B2 D4",
        "X Y" => "1 2",
        "[COLOR] [N] [KEY VALUE]" => "b 10",
        "[COLOR] [SYMMETRY|all] [OPTIMISM]" => "0",
        "[COMMAND]" => "level",
        "[FILE] [rens] [ownership] [variation] [from N] [to N]" => "- rens",
        "[FILE]" => "-",
        "[KEY VALUE]" => "Komi 7",
        "[MOVES]" | "[ORDINAL]" => "1",
        "[N]" => "5",
        "[TEXT]" => "text",
        "[VERTEX]" | "[VERTEX|COLOR]" => "C3",
        "[captures]" => "captures",
        "alive|seki|dead" => "dead",
        "file PATH" => "file data/board1.txt",
        "WIDTH [HEIGHT]" => "5",
        "WIDTH HEIGHT" => "5 5",
        "get | set true|false" => "get",
        other => panic!("{}: unknown arguments {other}", command.name),
    }
}

#[test]
fn answers_do_not_replace_keys_of_their_log_line() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("a.sgf"), "(;SZ[5];B[cc];W[bb])").unwrap();
    let set = set_arguments(&["Search.MaxPlayouts=20", "Search.Threads=1", "Net.Use=false", "Game.BoardSize=5"]);
    let mut script = String::new();
    let mut count = 0;
    for command in COMMANDS.iter().filter(|command| command.name != "quit") {
        for arguments in ["", arguments(command), "99"] {
            script += &format!("{} {arguments}\n", command.name);
            count += 1;
        }
    }
    assert_eq!(folder.run(&set, script.as_bytes()).status.code(), Some(0));
    for line in folder.read(JSON_LOG).lines() {
        // of duplicate keys this parser takes the last
        let event: Value = serde_json::from_str(line).unwrap();
        let is_text = |key: &str| event[key].as_str().is_some_and(|text| !text.is_empty());
        assert!(event["level"] == "info" && is_text("ts") && is_text("msg"), "{line}");
        assert!(event["caller"].as_str().is_some_and(|caller| caller.contains(".rs:")), "{line}");
    }
    let text = assert_replays(&folder, &[]);
    assert!(text.contains(&format!("session 1: {count} commands replayed, ")), "{text}");
}

/// In older logs the answers to `level` have a second key `level`, after that of the log line.
#[test]
fn the_first_of_duplicate_keys_counts() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false"]);
    for command in ["level 99", "play b D4", "level"] {
        engine.ask(command);
    }
    engine.end();
    let log = folder.read(JSON_LOG);
    let old =
        log.replace("\"Level\":\"99\"", "\"level\":\"99\"").replace("\"param\":\"Level\",\"value\":10", "\"level\":10");
    assert_eq!(old.matches("\"level\":").count(), log.matches("\"level\":").count() + 2);
    write_log(&folder, &[old.trim_end().to_owned()]);
    let output = folder.run(&["log2sgf", JSON_LOG], b"");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert!(stdout(&output).contains(";B[dp]"), "{}", stdout(&output));
}

/// A log of version 0.15: its configurations, commands and answers have names of options that were replaced since. Session 1
/// uses the net, session 2 does not.
const LOG_0_15: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/session_0.15.log");

/// A log without `final_score` and its answers: the score of an unfinished game is another one than in version 0.15.
fn without_scores(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let is_score = |line: &str| line.contains(r#""msg":"input","command":"final_score""#);
    let is_of_score = |number: usize| is_score(lines[number]) || (number > 0 && is_score(lines[number - 1]));
    (0..lines.len()).filter(|&number| !is_of_score(number)).map(|number| lines[number].to_owned() + "\n").collect()
}

#[test]
fn logs_with_replaced_names_of_options_replay_alike() {
    let folder = Folder::new();
    let log = without_scores(&std::fs::read_to_string(LOG_0_15).unwrap());
    write_log(&folder, &[log.trim_end().to_owned()]);
    let replay = |arguments: &[&str]| {
        let output = folder.run(&[&["replay", JSON_LOG, "--session"], arguments].concat(), b"");
        let text = stdout(&output) + &stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{text}");
        text
    };
    // one name is of no release
    for (old, new) in RENAMED.into_iter().filter(|(old, _)| *old != "SmallNetSearch") {
        assert!(log.contains(&format!("\\n{old} = ")) && !log.contains(new), "{old}");
    }
    let text = replay(&["2"]);
    assert!(text.contains("session 2: 22 commands replayed, 22 answers equal, 0 not compared, 0 with"), "{text}");
    let text = replay(&["1", "--no-search"]);
    assert!(text.contains("session 1: 23 commands replayed, 19 answers equal, 0 not compared, 4 with"), "{text}");
    // on another processor the net adds in another order, and searches can differ
    let output = folder.run(&["replay", JSON_LOG, "--session", "1"], b"");
    let text = stdout(&output) + &stderr(&output);
    if text.contains("a processor whose net uses") {
        return skipped("searches by net are not compared with those of the log: it is of another processor");
    }
    assert!(text.contains("session 1: 23 commands replayed, 23 answers equal"), "{text}");
}

#[test]
fn a_rotated_log_is_read_by_its_name_alone() {
    let folder = Folder::new();
    let lines = short_session(&folder);
    // more than ten files, so that the order of numbers is not that of their names
    assert!(lines.len() > 12, "{lines:?}");
    for (line, number) in lines.iter().rev().zip(0..) {
        let name = if number == 0 { JSON_LOG.to_owned() } else { format!("{JSON_LOG}.{number}") };
        std::fs::write(folder.path().join(name), format!("{line}\n")).unwrap();
    }
    for name in ["bak", "01", "0", "1.gz", "2022-9-1"] {
        std::fs::write(folder.path().join(format!("{JSON_LOG}.{name}")), "not of the log\n").unwrap();
    }
    let summary = assert_replays(&folder, &[]);
    assert!(summary.contains("session 1: 7 commands replayed, 7 answers equal"), "{summary}");
    let output = folder.run(&["log2sgf", JSON_LOG], b"");
    assert!(output.status.success() && stdout(&output).starts_with("(;"), "{}", stderr(&output));
    let into_the_log = folder.run(&["log2sgf", JSON_LOG, "-o", &format!("{JSON_LOG}.2")], b"");
    assert!(stderr(&into_the_log).contains("that is the log"), "{}", stderr(&into_the_log));
    // the newest file alone has no start of a session
    let newest = folder.path().join("newest");
    std::fs::copy(folder.path().join(JSON_LOG), &newest).unwrap();
    assert_eq!(folder.run(&["replay", "newest"], b"").status.code(), Some(2));

    // the files of a daily log bear its name and a date
    let folder = Folder::new();
    let lines = short_session(&folder);
    std::fs::remove_file(folder.path().join(JSON_LOG)).unwrap();
    for (part, day) in lines.chunks(lines.len().div_ceil(2)).zip(["2022-09-09", "2022-09-10"]) {
        std::fs::write(folder.path().join(format!("{JSON_LOG}.{day}")), part.join("\n") + "\n").unwrap();
    }
    let output = replay(&folder, &[], "");
    let summary = stdout(&output);
    assert!(summary.contains("session 1: 7 commands replayed, 7 answers equal"), "{summary}");
}

#[test]
fn logs_are_bounded_by_default_and_replay() {
    let folder = Folder::new();
    // a small bound in place of 16 MiB; the default rotation is by size
    let mut engine = start(&folder, &["Log.MaxMegabytes=1", "Net.Use=false"]);
    let comment = "x".repeat(300_000);
    for number in 0..12 {
        engine.ask(&format!("test_y {number} # {comment}"));
    }
    engine.end();
    let files = crate::engine::file_names(folder.path());
    let of_json: Vec<&String> = files.iter().filter(|name| name.starts_with(JSON_LOG)).collect();
    assert!((3..=8).contains(&of_json.len()), "{files:?}");
    let summary = assert_replays(&folder, &[]);
    assert!(summary.contains("12 commands replayed, 12 answers equal"), "{summary}");
    let mut engine = start(&folder, &["Log.Rotation=never", "Log.MaxMegabytes=1"]);
    engine.ask(&format!("name # {}", "x".repeat(1_000_000)));
    engine.ask(&format!("name # {}", "x".repeat(1_000_000)));
    engine.end();
    assert!(std::fs::metadata(folder.path().join(JSON_LOG)).unwrap().len() > 2 << 20);
}

/// A text is that of a panic if it is an error.
#[test]
fn an_answer_with_the_words_of_a_panic_is_replayed() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false"]);
    assert_eq!(engine.ask("echo internal error"), "= internal error");
    engine.end();
    assert!(assert_replays(&folder, &[]).contains("1 answer equal, 0 not compared"));
}

#[test]
fn answers_with_the_version_are_compared_within_a_version() {
    let folder = Folder::new();
    let mut engine = start(&folder, &[]);
    for command in ["version", "gomill-describe_engine", "kata-get-models", "printsgf", "kata-get-param Thread"] {
        engine.ask(command);
    }
    engine.end();
    assert!(assert_replays(&folder, &[]).contains("5 answers equal"));
    let log = folder.read(JSON_LOG).replace(env!("CARGO_PKG_VERSION"), "0.15.9").replace("did you mean", "expected");
    write_log(&folder, &[log.trim_end().to_owned()]);
    assert!(assert_replays(&folder, &[]).contains("1 answer equal, 4 not compared"));
}

/// The JSON log has the whole text of an answer.
#[test]
fn logged_answers_are_whole() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false", "Game.BoardSize=3"]);
    let answers = ["showboard", "gogui-rules_final_result"].map(|command| engine.ask(command));
    engine.end();
    let log = folder.read(JSON_LOG);
    let texts: Vec<String> = log
        .lines()
        .filter_map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            event["text"].as_str().map(|text| format!("= {text}"))
        })
        .collect();
    assert_eq!(texts, answers);
    // logs of earlier versions have a part of it
    let lines: Vec<String> = log
        .lines()
        .map(|line| {
            let mut event: Map<String, Value> = serde_json::from_str(line).unwrap();
            event.remove("text");
            Value::Object(event).to_string()
        })
        .collect();
    write_log(&folder, &lines);
    assert!(assert_replays(&folder, &[]).contains("2 answers equal"));
}

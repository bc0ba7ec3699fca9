//! `--score FILE`: the result of a game record on the command line.

use std::process::Output;

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG};

/// A finished 5x5 game: White owns the right side, and its stone on A1 is dead.
const FINISHED: &str = "AB[ba][bb][ac][bc][cc][dc][bd][cd][be][ce]AW[ca][cb][db][eb][ec][dd][ed][de][ae]";

/// Writes a record, and scores it.
fn score(folder: &Folder, record: &str, options: &[&str]) -> Output {
    std::fs::write(folder.path().join("game.sgf"), record).unwrap();
    let output = folder.run(&[&["--score", "game.sgf"], options].concat(), b"name\n");
    assert!(!folder.path().join(PLAIN_LOG).exists() && !folder.path().join(JSON_LOG).exists(), "a log was written");
    output
}

#[track_caller]
fn check(record: &str, options: &[&str], expected: &str) {
    let output = score(&Folder::new(), record, options);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[track_caller]
fn check_refused(record: &str, expected: &str) {
    let output = score(&Folder::new(), record, &[]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((stderr.as_str(), output.status.code()), (format!("kifuwarabe-uec14: {expected}\n").as_str(), Some(2)));
    assert!(output.stdout.is_empty());
}

#[test]
fn scores_a_finished_game() {
    check(
        &format!("(;SZ[5]KM[0.5]RU[Chinese]RE[B+2.50]{FINISHED};B[];W[])"),
        &[],
        "B+2.5\ndead: A1\nrules: chinese, from the record\nkomi: 0.5, from the record\n",
    );
}

#[test]
fn missing_rules_and_komi_come_from_the_configuration() {
    check(
        &format!("(;SZ[5]{FINISHED};B[];W[])"),
        &["--set", "Game.Komi=-1", "--set", "Game.Rules=japanese"],
        "B+3\ndead: A1\nrules: japanese, from the configuration\nkomi: -1, from the configuration\n",
    );
    check(
        &format!("(;SZ[5]RU[house]KM[2]{FINISHED};B[];W[])"),
        &[],
        "B+1\ndead: A1\nrules: chinese, from the configuration; the record says house, which names no rules known here\n\
         komi: 2, from the record\n",
    );
}

#[test]
fn ing_rules_are_the_nearest_ones_and_it_says_so() {
    for name in ["GOE", "Ing"] {
        check(
            &format!("(;SZ[5]RU[{name}]KM[0.5]{FINISHED};B[];W[])"),
            &[],
            "B+2.5\ndead: A1\nrules: ing, from the record; nearest rules to Ing's: positional superko for its ko rule, \
             area for its counting of stones\nkomi: 0.5, from the record\n",
        );
    }
}

#[test]
fn tromp_taylor_counts_every_stone_as_alive() {
    check(
        &format!("(;SZ[5]RU[Tromp-Taylor]KM[0]{FINISHED};B[];W[])"),
        &[],
        "0\ndead: none\nrules: tromp-taylor, from the record\nkomi: 0, from the record\n",
    );
}

#[test]
fn reports_a_different_result_in_the_record() {
    for result in ["W+Resign", "B+3.5", "W+", "W+R", "W+T", "0", "Draw"] {
        check(
            &format!("(;SZ[5]KM[0.5]RU[AGA]RE[{result}]{FINISHED};B[];W[])"),
            &[],
            &format!(
                "B+2.5\ndead: A1\nrules: aga, from the record\nkomi: 0.5, from the record\n\
                 the record's own result differs: {result}\n"
            ),
        );
    }
}

#[test]
fn a_result_without_points_agrees_by_its_winner() {
    for result in ["B+", "B+R", "B+Time", "?", "Void", "B+2.5", "B+2,5"] {
        check(
            &format!("(;SZ[5]KM[0.5]RU[AGA]RE[{result}]{FINISHED};B[];W[])"),
            &[],
            "B+2.5\ndead: A1\nrules: aga, from the record\nkomi: 0.5, from the record\n",
        );
    }
}

#[test]
fn reports_the_handicap_bonus() {
    check(
        "(;SZ[9]HA[2]KM[0.5]RU[Chinese]AB[cc][gg];W[];B[])",
        &[],
        "B+78.5\ndead: none\nnot finished: counted as if the game ended now\nrules: chinese, from the record\n\
         komi: 0.5, from the record\nhandicap: 2 points for White\n",
    );
}

#[test]
fn invalid_record_is_one_line_with_its_position() {
    check_refused(
        "no game",
        "--score game.sgf: byte 7: no game record: no `(;` was found, and no `(` before a property",
    );
    check_refused("", "--score game.sgf: byte 0: no game record: no `(;` was found, and no `(` before a property");
    check_refused("(;SZ[9];B[zz])", "--score game.sgf: byte 9: B[zz]: no point of a 9x9 board");
    check_refused("(;SZ[9];B[aa]", "--score game.sgf: byte 13: the file ends inside the game");
    check_refused("(;GM[2];B[aa])", "--score game.sgf: byte 4: GM[2]: only Go is read, which is GM[1]");
    check_refused(&"(;".repeat(1000), "--score game.sgf: byte 2000: the file ends inside the game");
}

#[test]
fn moves_before_an_illegal_one_are_scored() {
    // the stone on A1 is dead, and White plays there again
    let record = format!("(;SZ[5]KM[0.5]RU[Chinese]RE[B+3.5]{FINISHED};B[];W[ae];B[];W[])");
    check(
        &record,
        &[],
        "B+2.5\ndead: A1\nrules: chinese, from the record\nkomi: 0.5, from the record\n\
         the record's own result differs: B+3.5\nmove 2, white A1, is illegal (masonry: there is a stone on the point); the moves before it are used\n",
    );
    let output = score(&Folder::new(), &record, &["--json"]);
    let details: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&details["score"], &details["illegalMove"]), (&"B+2.5".into(), &"move 2, white A1: masonry".into()));
    assert_eq!((details.get("leadStdev"), output.status.code()), (None, Some(0)));
}

#[test]
fn an_estimate_has_the_standard_deviation_of_the_lead() {
    let folder = Folder::new();
    let record = "(;SZ[9]KM[6.5];B[ee];W[ge])";
    let output = score(&folder, record, &["--json"]);
    let details: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let stdev = details["leadStdev"].as_f64().unwrap();
    assert!(1.0 < stdev && stdev < 40.0, "{details}");
    let text = String::from_utf8(score(&folder, record, &[]).stdout).unwrap();
    let line = format!("\nnot finished: the score is an estimate, ± {stdev:.1} (standard deviation)\n");
    assert!(text.contains(&line), "{text}");
    // without a network there is none
    let text = String::from_utf8(score(&folder, record, &["--set", "Net.Use=false"]).stdout).unwrap();
    assert!(text.contains("\nnot finished: the score is an estimate\n"), "{text}");
}

#[test]
fn unreadable_file_is_named() {
    let folder = Folder::new();
    for name in ["nowhere.sgf", "data", "two\nlines.sgf"] {
        let output = folder.run(&["--score", name], b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.stdout.len(), output.status.code(), stderr.lines().count()), (0, Some(2), 1), "{stderr}");
        assert!(stderr.contains("--score: cannot read ") && stderr.contains(&name.replace('\n', "\\n")), "{stderr}");
    }
    let both = folder.run(&["--score", "a.sgf", "-d"], b"");
    assert_eq!((both.stdout.len(), both.status.code()), (0, Some(2)));
    assert!(!folder.path().join(PLAIN_LOG).exists());
}

#[test]
fn details_are_json() {
    let record = format!("(;SZ[5]KM[0.5]RU[Chinese]{FINISHED};B[];W[])");
    let output = score(&Folder::new(), &record, &["--json"]);
    let details: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = serde_json::json!({
        "score": "B+2.5", "margin": 2.5, "isFinished": true, "rules": "chinese", "komi": 0.5,
        "handicapPoints": 0.0, "button": null,
        "black": {"stones": 10, "territory": 4, "prisoners": 0, "tax": 0},
        "white": {"stones": 8, "territory": 3, "prisoners": 0, "tax": 0},
        "neutral": 0, "filled": [], "owners": ["xxooo", "xxooo", "xxxxo", "xxxoo", "xxxoo"],
        "seki": [],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&details[key], value, "{key} of {details}");
    }
    assert_eq!(details["dead"][0]["stones"], serde_json::json!(["A1"]));
    assert!(details["dead"][0]["ownership"].as_f64().unwrap() < 0.0);
    assert!(["alive", "dead"].contains(&details["leastSure"]["status"].as_str().unwrap()));
}

#[test]
fn details_need_a_record() {
    let output = Folder::new().run(&["--json"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--score"));
}

//! `report --serve`: requests on standard input, an answer to each, and the same numbers as `report --json`.

use std::fs;

use serde_json::Value;

use crate::engine::Folder;
use crate::report::{FINISHED, GAME};

/// The answers to lines of input.
fn answers(folder: &Folder, lines: &str) -> Vec<Value> {
    let output = folder.run(&["report", "--serve", "--visits", "20", "--threads", "1"], lines.as_bytes());
    assert_eq!((String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()), ("", Some(0)));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    fs::write(folder.path().join("game.sgf"), GAME).unwrap();
    fs::write(folder.path().join("finished.sgf"), FINISHED).unwrap();
    folder
}

#[test]
fn answers_have_the_numbers_of_a_report_with_that_seed() {
    let folder = folder();
    // what was reviewed before does not change the numbers
    let found = answers(
        &folder,
        "{\"id\":\"a\",\"record\":\"finished.sgf\"}\n{\"id\":\"b\",\"record\":\"game.sgf\",\"seed\":7}\n\
         {\"id\":\"c\",\"record\":\"game.sgf\",\"seed\":8,\"visits\":30}\n{\"id\":\"d\",\"record\":\"game.sgf\",\"seed\":7}\n\
         {\"id\":\"e\",\"record\":\"game.sgf\",\"seed\":8,\"playouts\":30}\n",
    );
    let expected = |seed: &str, visits: &str| -> Value {
        let options = ["--set", seed, "report", "game.sgf", "--json", "-", "--threads", "2", "--visits", visits];
        serde_json::from_slice(&folder.run(&options, b"").stdout).unwrap()
    };
    let numbers = |number: usize, id: &str| {
        let mut answer = found[number].clone();
        let answer = answer.as_object_mut().unwrap();
        assert_eq!((answer.remove("id"), answer.remove("warnings")), (Some(id.into()), Some(Value::Array(vec![]))));
        Value::Object(answer.clone())
    };
    assert_eq!(numbers(0, "a")["positions"][2]["lead"], 4.5);
    let (seven, eight) = (expected("Search.Seed=7", "20"), expected("Search.Seed=8", "30"));
    assert_eq!((numbers(1, "b"), numbers(2, "c"), numbers(3, "d")), (seven.clone(), eight.clone(), seven.clone()));
    // the name of earlier versions
    assert_eq!(numbers(4, "e"), eight);
    assert_ne!(seven["positions"], eight["positions"]);
    assert_eq!((&seven["visits"], &eight["visits"], found.len()), (&20.into(), &30.into(), 5));
}

#[test]
fn moves_have_a_phase_and_an_accuracy_that_the_summary_averages() {
    let folder = folder();
    let game = &answers(&folder, "{\"id\":\"a\",\"record\":\"game.sgf\"}\n")[0];
    let moves: Vec<&Value> =
        game["positions"].as_array().unwrap().iter().filter_map(|position| position.get("played")).collect();
    assert_eq!(moves.len(), 13);
    for part in game["summary"].as_array().unwrap() {
        let is_in_part = |played: &&&Value| {
            played["color"] == part["color"] && [&played["phase"], &"game".into()].contains(&&part["phase"])
        };
        let accuracies: Vec<f64> =
            moves.iter().filter(is_in_part).map(|played| played["accuracy"].as_f64().unwrap()).collect();
        assert_eq!(accuracies.len() as u64, part["moves"].as_u64().unwrap());
        let mean = accuracies.iter().sum::<f64>() / accuracies.len() as f64;
        assert!((mean - part["accuracy"].as_f64().unwrap()).abs() <= 0.101, "{part}: {mean}");
    }
}

#[test]
fn lines_that_cannot_be_answered_get_an_error_and_the_next_is_read() {
    let folder = folder();
    fs::write(folder.path().join("cut.sgf"), "(;SZ[9];B[aa]").unwrap();
    fs::write(folder.path().join("damaged.sgf"), "(;SZ[5];B[cc](;W[cb])(;W))").unwrap();
    let long = format!("{{\"id\":\"a\",\"record\":\"{}\"}}", "x".repeat(1 << 20));
    let lines = [
        (long.as_str(), "line of 1048598 bytes, expected at most 1048576"),
        (r#"nonsense"#, "invalid request: expected a JSON object, found nonsense"),
        (r#"["a",null,"game.sgf",1,0]"#, "invalid request: expected a JSON object, found [\"a\",null"),
        (r#"{"id":"a","#, ", found {\"id\":\"a\","),
        (r#"{"record":"game.sgf"}"#, "id: missing, expected a text"),
        (r#"{"id":7,"record":"game.sgf"}"#, "id: expected a text, found 7"),
        (r#"{"id":"a"}"#, "expected either \"record\" or \"action\", found neither"),
        (
            r#"{"id":"a","record":"game.sgf","action":"query_version"}"#,
            "expected either \"record\" or \"action\", found both",
        ),
        (r#"{"id":"a","record":["game.sgf"]}"#, "record: expected the path of a file as a text, found [\"game.sgf\"]"),
        (r#"{"id":"a","record":""}"#, "record: expected the path of a file as a text, found \"\""),
        (r#"{"id":"a","record":"cut.sgf"}"#, "report cut.sgf: byte 13: "),
        (r#"{"id":"a","record":"absent.sgf"}"#, "absent.sgf"),
        (r#"{"id":"a","record":"game.sgf","visit":1}"#, "unknown field `visit`"),
        (r#"{"id":"a","record":"game.sgf","visits":0}"#, "visits: expected a whole number of at least 1, found 0"),
        (
            r#"{"id":"a","record":"game.sgf","playouts":"many"}"#,
            "visits: expected a whole number of at least 1, found \"many\"",
        ),
        (r#"{"id":"a","record":"game.sgf","visits":9,"visits":9}"#, "duplicate field `visits`"),
        (
            r#"{"id":"a","record":"game.sgf","seed":9007199254740992}"#,
            "seed: expected a whole number from 0 to 9007199254740991, found 9007199254740992",
        ),
        (r#"{"id":"a","action":"reviwe"}"#, "action \"reviwe\": expected \"query_version\""),
    ];
    let input: Vec<&str> = lines.iter().map(|(line, _)| *line).collect();
    let input =
        input.join("\n\n") + "\n{\"id\":\"b\",\"record\":\"damaged.sgf\"}\n{\"id\":\"c\",\"action\":\"query_version\"}";
    fs::write(folder.path().join("illegal.sgf"), "(;SZ[5];B[cc];W[cc])").unwrap();
    let input = input + "\n{\"id\":\"d\",\"record\":\"illegal.sgf\"}\n";
    let found = answers(&folder, &input);
    for ((line, message), answer) in lines.iter().zip(&found) {
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(message), "{message}: {answer}");
        let has_id = line.starts_with("{\"id\":\"a\"") && line.ends_with('}') && line.len() < 1000;
        assert_eq!(answer.get("id").is_some(), has_id, "{answer}");
    }
    let damaged = &found[lines.len()];
    assert!(damaged["warnings"][0].as_str().unwrap().starts_with("damaged.sgf: byte "), "{damaged}");
    assert_eq!(damaged["positions"].as_array().unwrap().len(), 3);
    let identity = &found[lines.len() + 1];
    assert_eq!((&identity["id"], &identity["program"]), (&"c".into(), &"Kifuwarabe UEC14".into()));
    assert_eq!(identity["net"].as_str().map(str::len), Some(32));
    let illegal = &found[lines.len() + 2];
    let warning = "illegal.sgf: move 2, white C3, is illegal (masonry: there is a stone on the point); the moves before it are used";
    assert_eq!((&illegal["warnings"][0], illegal["positions"].as_array().unwrap().len()), (&warning.into(), 2));
    assert_eq!(found.len(), lines.len() + 3);
}

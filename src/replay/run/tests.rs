//! Unit tests of the replay: replaced searches and the comparison of answers.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::gtp::response::FinishedCommand;
use crate::player::Purpose;
use crate::replay::Place;

fn answer(fields: Value) -> LoggedAnswer {
    let Value::Object(fields) = fields else { unreachable!("fields are an object") };
    LoggedAnswer { msg: "output".to_owned(), fields }
}

fn command(text: &str, color: Option<Color>) -> LoggedCommand {
    let search = |color| SearchRecord {
        purpose: Purpose::Move,
        color,
        seed: 1,
        number: 1,
        threads: 2,
        simulations: 9,
        playouts: 9,
        visits: 9,
        elapsed: Duration::ZERO,
        single_root_symmetry: false,
        end_searches_allowed: false,
        completed: true,
    };
    LoggedCommand {
        place: Place { file: "a.log".into(), line: 7 },
        text: text.to_owned(),
        searches: color.map(search).into_iter().collect(),
        files: Vec::new(),
        answer: None,
        pondered: Vec::new(),
    }
}

#[test]
fn logged_moves_replace_searches() {
    let replaced = |text, fields| without_search(&command(text, Some(Color::White)), &answer(fields));
    for text in [
        "genmove_white",
        "genmove_debug w",
        "3 genmove w",
        "kgs-genmove_cleanup white",
        "lz-genmove_analyze 10 w",
        "kata-genmove_analyze",
    ] {
        assert_eq!(replaced(text, json!({"move": "D4"})).unwrap(), "play white D4");
        assert_eq!(replaced(text, json!({"move": "resign"})), None);
    }
    assert_eq!(replaced("place_free_handicap 2", json!({"points": "D4 Q16"})).unwrap(), "set_free_handicap D4 Q16");
    assert_eq!(replaced("reg_genmove b", json!({"move": "D4"})), None);
    assert_eq!(replaced("kifuwarabe-visits", json!({"text": "D4 9"})), None);
}

#[test]
fn lines_beyond_the_input_limit_are_recognized() {
    let refused = answer(json!({"lineLength": 2_000_000, "text": "another sentence"}));
    assert!(is_too_long(&command("play b D4", None), &refused));
    // of versions up to 0.15
    let refused = answer(json!({"text": "line of 2000000 bytes, expected at most 1048576"}));
    assert!(is_too_long(&command("play b D4 xxxx… (2000000 bytes)", None), &refused));
    assert!(!is_too_long(&command("play b D4 (20 bytes)", None), &refused));
    assert!(!is_too_long(&command("x (2000000 bytes)", None), &answer(json!({"text": "unknown command"}))));
}

#[test]
fn differences_are_shown_except_times() {
    let difference = |comparison| match comparison {
        Comparison::Different(text) => text,
        other => format!("{other:?}"),
    };
    let given = |fields: Vec<(&'static str, Value)>| FinishedCommand {
        response: crate::gtp::response::Response { id: None, is_success: true, text: String::new() },
        msg: "output",
        fields,
        is_diagram: false,
        next: crate::gtp::response::Next::Continue,
    };
    let logged = answer(json!({"move": "D4", "value": 0.513, "seconds": 0.1, "reports": 3}));
    let alike = given(vec![("move", "D4".into()), ("value", 0.513.into()), ("seconds", 7.into())]);
    assert_eq!(compare("genmove", &logged, &alike, 0, true), Comparison::Equal);
    let differs_in_search = difference(compare("genmove", &logged, &alike, 1, true));
    assert!(differs_in_search.contains("1 of its searches differ from the log"));
    let other = given(vec![("move", "D5".into()), ("value", 0.513.into())]);
    assert_eq!(
        difference(compare("genmove", &logged, &other, 0, true)),
        "  in the log: {\"move\":\"D4\"}\n  replayed:   {\"move\":\"D5\"}"
    );
}

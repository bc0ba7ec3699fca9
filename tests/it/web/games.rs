//! Games on pages: moves, refusals, undo, score, analysis, records, and what is kept.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use kifuwarabe_uec14::sgf::GameTree;
use serde_json::{Value, json};

use crate::engine::{Folder, JSON_LOG};
use crate::web::server::{Page, Server};

#[test]
fn a_move_is_answered_and_taken_back_with_its_answer() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    assert_eq!(page.latest["hello"]["protocolVersion"], 1);
    page.begin(9, "b", 1);
    page.send(json!({"type": "play", "point": 40}));
    page.at(2);
    assert_eq!(page.board().as_bytes()[40], b'x');
    assert_eq!((page.state()["turn"].as_str(), page.state()["toMove"].as_str()), (Some("person"), Some("b")));
    page.send(json!({"type": "undo"}));
    page.at(0);
    assert!(page.board().bytes().all(|cell| cell == b'.'));
    page.send(json!({"type": "redo"}));
    page.at(2);
    assert_eq!(page.refused(json!({"type": "play", "point": 40})), ("masonry".to_owned(), json!(40)));
    page.send(json!({"type": "resign"}));
    page.until(|page| page.state()["over"] == true);
    assert_eq!(page.state()["result"], "W+R");
    assert_eq!(page.state()["mayGoOn"], false);
    assert_eq!(page.refused(json!({"type": "play", "point": 0})).0, "over");
    // only the resignation is taken back
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!((page.number(), result_of_record(&server)), (2, None));
    page.send(json!({"type": "undo"}));
    page.at(0);
}

/// The `RE` of the current record, if it has one.
pub fn result_of_record(server: &Server) -> Option<String> {
    server.record().split_once("RE[").and_then(|(_, rest)| Some(rest.split_once(']')?.0.to_owned()))
}

#[test]
fn a_result_stays_at_its_node_when_the_game_goes_on() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, 13, 7]);
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    assert_eq!(result_of_record(&server).as_deref(), Some("B+R"));
    // a resignation is taken back alone
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!((page.number(), result_of_record(&server)), (3, None));
    page.play(&[8]);
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    assert_eq!(page.state()["mayGoOn"], true);
    let after = |page: &Page| (page.state()["over"].as_bool(), result_of_record(&server));
    page.play(&[17]);
    assert_eq!(after(&page), (Some(false), Some("W+R".to_owned())));
    // undo comes back to it, and then takes it back
    page.send(json!({"type": "undo"}));
    page.at(4);
    assert_eq!((&page.state()["result"], after(&page)), (&json!("W+R"), (Some(true), Some("W+R".to_owned()))));
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!((page.number(), after(&page)), (4, (Some(false), None)));
}

#[test]
fn illegal_points_have_their_rules_and_a_ko_is_refused() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(4, "both", 1);
    // Black takes at B3, and White may not retake at C3:
    // . o x .
    // o . o x
    // . o x .
    // . . . x
    page.play(&[2, 1, 7, 4, 10, 9, 15, 6]);
    page.play(&[5]);
    assert_eq!(page.board(), ".ox.ox.x.ox....x");
    assert_eq!(page.state()["illegal"]["6"], "ko");
    assert_eq!(page.refused(json!({"type": "play", "point": 6})), ("ko".to_owned(), json!(6)));
    assert_eq!(page.state()["prisoners"], json!({"b": 1, "w": 0}));
    assert_eq!(page.state()["illegal"]["0"], Value::Null);
}

#[test]
fn rens_have_liberties_names_and_ages() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, 0, 13]);
    let rens = page.state()["rens"].as_array().unwrap();
    let black = rens.iter().find(|ren| ren["color"] == "b").unwrap();
    assert_eq!(black["stones"].as_array().unwrap().len(), 2);
    let liberties: BTreeSet<i64> = black["liberties"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
    assert_eq!(liberties, BTreeSet::from([7, 8, 11, 14, 17, 18]));
    assert_eq!((black["since"].as_u64(), black["atari"].as_bool()), (Some(3), Some(false)));
    let white = rens.iter().find(|ren| ren["color"] == "w").unwrap();
    assert_eq!((white["since"].as_u64(), white["name"].as_str()), (Some(2), Some("003,05A")));
}

#[test]
fn two_passes_are_counted_and_dead_stones_can_be_corrected() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(7, "both", 1);
    // a wall of each colour
    for rank in 0..7 {
        page.play(&[rank * 7 + 2, rank * 7 + 4]);
    }
    page.play(&[-1, -1]);
    page.until(|page| page.state()["score"].is_object());
    let score = page.state()["score"].clone();
    assert_eq!((score["result"].as_str(), score["finished"].as_bool()), (Some("W+6.5"), Some(true)));
    assert_eq!(score["edited"], false);
    page.act(json!({"type": "dead", "point": 4}), |page| page.state()["score"]["edited"] == true);
    // 7 dead stones and their points are Black's: 14 + 7 + 7 + 14 of territory and 7 prisoners
    assert_eq!(page.state()["score"]["result"], "B+42.5");
    page.act(json!({"type": "dead", "point": 4}), |page| page.state()["score"]["result"] == "W+6.5");
    // the engine's score again, with its notes
    assert_eq!(page.state()["score"], score);
    assert_eq!(page.state()["result"], Value::Null);
    page.act(json!({"type": "accept"}), |page| page.state()["result"] == "W+6.5");
    let record = server.request(&format!("GET /game.sgf HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()));
    assert!(record.contains("RE[W+6.5]") && record.contains("application/x-go-sgf"), "{record}");
}

#[test]
fn a_score_is_left_at_once() {
    let folder = Folder::new();
    // 19x19, both passed with a board full of unsettled groups: the count takes a second or more
    let server = Server::start(&folder, &["--set", "Game.BoardSize=19"]);
    let mut page = server.page();
    page.begin(19, "both", 1);
    let stones: Vec<i64> = (0..361).step_by(7).collect();
    page.play(&stones);
    for leave in [
        json!({"type": "score", "on": false}),
        json!({"type": "go", "node": 3}),
        json!({"type": "undo"}),
        json!({"type": "load", "sgf": "(;SZ[5];B[aa])"}),
    ] {
        page.act(json!({"type": "score", "on": true}), |page| page.state()["thinking"] == "score");
        page.send(leave.clone());
        page.until(|page| page.state()["thinking"].is_null());
        assert_eq!(page.state()["score"], Value::Null, "{leave}");
    }
    page.until(|page| page.latest["game"]["width"] == 5 && page.board().len() == 25);
    page.act(json!({"type": "score", "on": true}), |page| page.state()["score"].is_object());
}

#[test]
fn stones_of_unclear_life_are_named_until_a_person_decides() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--set", "Net.Use=false"]);
    let mut page = server.page();
    page.begin(9, "both", 1);
    // each side has a few stones, and nothing is settled
    page.play(&[20, 24, 60, 56, 40]);
    page.act(json!({"type": "score", "on": true}), |page| page.state()["score"].is_object());
    let score = page.state()["score"].clone();
    let unclear: Vec<i64> = score["unclear"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
    assert_eq!(score["finished"], false);
    let Some(&first) = unclear.first() else { panic!("{score}") };
    assert_ne!(page.board().as_bytes()[first as usize], b'.');
    page.act(json!({"type": "dead", "point": first}), |page| page.state()["score"]["edited"] == true);
    assert!(!page.state()["score"]["unclear"].as_array().unwrap().contains(&json!(first)), "{}", page.state()["score"]);
    page.act(json!({"type": "dead", "point": first}), |page| page.state()["score"]["edited"] == false);
    assert_eq!(page.state()["score"], score);
}

#[test]
fn only_searches_at_full_strength_give_values() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--set", "Search.Seconds=2"]);
    let mut page = server.page();
    let valued = |page: &Page| page.latest["values"]["values"].as_array().unwrap().len();
    for (side, level, count) in [(9, 3, 0), (7, 10, 1)] {
        page.begin(side, "b", level);
        page.send(json!({"type": "play", "point": 24}));
        page.at(2);
        page.act(json!({"type": "rename", "black": "a", "white": "b"}), |page| page.latest["game"]["black"] == "a");
        // a new page gets all values
        assert_eq!(valued(&server.page()), count, "level {level}");
    }
}

#[test]
fn analysis_runs_while_a_visible_page_watches() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(9, "both", 1);
    page.act(json!({"type": "watch", "on": true, "policy": true}), |page| page.latest["analysis"].is_object());
    let analysis = page.latest["analysis"].clone();
    assert_eq!(analysis["ownership"].as_array().unwrap().len(), 81);
    assert_eq!(analysis["policy"].as_array().unwrap().len(), 81);
    let first = &analysis["moves"][0];
    assert_eq!(first["point"], first["pv"][0]);
    // it follows the game
    page.act(json!({"type": "play", "point": 40}), |page| page.latest["analysis"]["node"] == 1);
    for number in 0..20 {
        page.act(json!({"type": "visible", "on": false}), |page| page.state()["watching"] == false);
        page.act(json!({"type": "visible", "on": true}), |page| page.state()["watching"] == true);
        page.latest["analysis"] = Value::Null;
        page.until(|page| page.latest["analysis"]["visits"].as_u64().is_some_and(|visits| visits > number));
    }
    page.act(json!({"type": "settings", "maxVisits": 10}), |page| page.latest["analysis"]["done"] == true);
    // a search that goes on ends at the limit exactly
    let more = page.latest["analysis"]["visits"].as_u64().unwrap() + 7;
    page.act(json!({"type": "settings", "maxVisits": more}), |page| page.latest["analysis"]["visits"] == more);
    // the state after the analysis: from here on the engine waits
    while page.read() != "state" {}
    page.act(json!({"type": "watch", "on": false}), |page| page.state()["watching"] == false);
    page.act(json!({"type": "hint"}), |page| page.latest["hint"].is_object());
    assert_eq!(page.latest["hint"]["node"], 1);
}

#[test]
fn a_review_evaluates_every_position() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, 11, 7]);
    page.send(json!({"type": "go", "node": 1}));
    page.send(json!({"type": "review", "on": true, "visits": 50}));
    let mut known = BTreeSet::new();
    let mut progress = BTreeSet::new();
    while known.len() < 4 || progress.len() < 5 {
        let event = page.read();
        if event == "state" && page.state()["thinking"] == "review" {
            progress.insert(page.state()["review"].to_string());
        }
        if event == "values" {
            let values = page.latest["values"]["values"].as_array().unwrap();
            known.extend(values.iter().filter(|row| row[3].as_u64() >= Some(50)).filter_map(|row| row[0].as_u64()));
        }
    }
    page.until(|page| page.state()["thinking"].is_null());
    assert_eq!(progress.into_iter().collect::<Vec<_>>(), ["[0,4]", "[1,4]", "[2,4]", "[3,4]", "[4,4]"]);
    assert!(page.state()["review"].is_null());
    assert_eq!(page.state()["node"], 1, "the review does not move the page");
}

/// A record with variations, comments, marks, set-up stones and properties that no program knows.
const RECORD: &str = "(;FF[4]CA[UTF-8]GM[1]SZ[9]KM[7]RU[Chinese]XX[unknown \\] kept]AB[cc][gg]PB[甲]PW[乙]PL[W]\n\
    ;W[ee]C[a \\] comment\nof two lines]TR[cc][gg]LB[ee:A]\n(;B[ce];W[gc])\n(;B[ge]N[wide];AW[aa][ab]C[set up];W[ac]))";

#[test]
fn a_record_keeps_its_variations_and_changes() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.act(json!({"type": "load", "sgf": RECORD}), |page| page.latest["game"]["black"] == "甲");
    page.until(|page| page.board().len() == 81);
    assert_eq!(page.latest["tree"]["nodes"].as_array().unwrap().len(), 7);
    let wide = 4;
    page.act(json!({"type": "go", "node": wide}), |page| page.state()["node"] == wide);
    page.act(json!({"type": "go", "node": 6}), |page| page.state()["node"] == 6);
    assert_eq!(page.board().bytes().filter(|&cell| cell == b'o').count(), 4);
    page.act(json!({"type": "watch", "on": true}), |page| page.latest["analysis"]["node"] == 6);
    page.act(json!({"type": "watch", "on": false}), |page| page.state()["watching"] == false);
    let sgf = |server: &Server| {
        let answer = server.request(&format!("GET /game.sgf HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()));
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    };
    let as_read = GameTree::read(RECORD.as_bytes()).unwrap().write();
    assert_eq!(sgf(&server).trim_end(), as_read);
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["node"] == 1);
    assert_eq!(page.state()["comment"], "a ] comment\nof two lines");
    assert_eq!(page.state()["marks"].as_array().unwrap().len(), 3);
    let marks = |page: &Page| page.state()["marks"].as_array().unwrap().len();
    page.act(json!({"type": "mark", "node": 1, "point": 0, "kind": "CR"}), |page| marks(page) == 4);
    page.act(json!({"type": "mark", "node": 1, "point": 1, "kind": "LB", "text": "x]"}), |page| marks(page) == 5);
    page.act(json!({"type": "comment", "node": 1, "text": "new\\"}), |page| page.state()["comment"] == "new\\");
    let changed = sgf(&server);
    assert!(changed.contains("CR[aa]") && changed.contains("LB[ee:A][ba:x\\]]") && changed.contains("C[new\\\\]"));
    page.act(json!({"type": "mark", "node": 1, "point": 0, "kind": "CR"}), |page| marks(page) == 4);
    page.send(json!({"type": "promote", "node": wide}));
    page.until(|page| page.latest["tree"]["order"]["1"] == json!([4, 2]));
    page.act(json!({"type": "deleteNode", "node": 2}), |page| page.latest["tree"]["nodes"][2][3] == 4);
    assert!(!sgf(&server).contains("B[ce]"));
    assert_eq!(page.refused(json!({"type": "go", "node": 2})).0, "notFound");
}

#[test]
fn a_reload_a_second_page_and_a_restart_find_the_game_again() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, 11]);
    page.send(json!({"type": "undo"}));
    page.at(1);
    page.play(&[7, 13]);
    let mut second = server.page();
    assert_eq!(second.board(), page.board());
    second.play(&[6]);
    page.at(4);
    assert_eq!(second.board(), page.board());
    let (state, tree, id) = (page.state().clone(), page.latest["tree"].clone(), page.latest["game"]["id"].clone());
    drop(server);

    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    for key in ["board", "node", "number", "toMove", "last"] {
        assert_eq!(page.state()[key], state[key], "{key}");
    }
    assert_eq!((&page.latest["tree"], &page.latest["game"]["id"]), (&tree, &id));
    // another game, and back
    page.begin(9, "both", 1);
    page.play(&[0]);
    assert_eq!(page.latest["games"]["games"].as_array().unwrap().len(), 2);
    page.act(json!({"type": "open", "game": id}), |page| page.latest["game"]["id"] == id);
    page.until(|page| page.board() == state["board"]);
    assert_eq!(page.refused(json!({"type": "deleteGame", "game": id})).0, "busy");
    let other = page.latest["games"]["games"].as_array().unwrap().iter().find(|game| game["id"] != id).unwrap();
    let other = other["id"].clone();
    let count = |page: &Page| page.latest["games"]["games"].as_array().unwrap().len();
    page.act(json!({"type": "deleteGame", "game": other}), |page| count(page) == 1);
    // a second server of the same folder saves nothing
    let beside = Server::start(&folder, &[]);
    assert!(beside.page().latest["games"]["games"].as_array().unwrap().is_empty());
}

/// After a step back the engine waits, until a move is played: also one that it played for the person.
#[test]
fn the_engine_answers_the_move_that_it_played_for_a_person() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--set", "Search.MaxPlayouts=50"]);
    let mut page = server.page();
    page.begin(9, "b", 1);
    page.send(json!({"type": "play", "point": 40}));
    page.at(2);
    page.send(json!({"type": "undo"}));
    page.at(0);
    page.send(json!({"type": "genmove"}));
    page.at(2);
}

#[test]
fn a_session_of_a_page_replays() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--set", "Search.MaxPlayouts=200", "--set", "Search.Seconds=60"]);
    let mut page = server.page();
    page.begin(9, "w", 10);
    page.at(1);
    let free = |page: &Page| page.board().find('.').unwrap();
    let point = free(&page);
    page.send(json!({"type": "play", "point": point}));
    page.at(3);
    page.send(json!({"type": "undo"}));
    page.at(1);
    page.act(json!({"type": "load", "sgf": RECORD}), |page| page.board().contains('x'));
    page.act(json!({"type": "go", "node": 6}), |page| page.state()["node"] == 6);
    page.act(json!({"type": "watch", "on": true}), |page| page.latest["analysis"]["node"] == 6);
    page.act(json!({"type": "go", "node": 3}), |page| page.latest["analysis"]["node"] == 3);
    page.act(json!({"type": "watch", "on": false}), |page| page.state()["watching"] == false);
    drop(server);
    let log = folder.read(JSON_LOG);
    assert!(log.contains("kata-genmove_analyze b") && log.contains("loadsgf game.sgf"), "{log}");
    let output = folder.run(&["replay", JSON_LOG], b"");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn clocks_run_and_a_game_is_lost_on_time() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let new = |time: Value| {
        json!({"type": "new", "width": 9, "height": 9, "komi": 7, "rules": "chinese", "handicap": 2, "person": "both",
            "level": 1, "time": time})
    };
    assert_eq!(page.refused(new(json!({"main": -1, "period": 0, "periods": 0}))).0, "value");
    page.act(new(json!({"main": 0.5, "period": 0.5, "periods": 2})), |page| page.state()["clock"].is_object());
    assert_eq!(page.latest["game"]["handicap"], 2);
    assert_eq!(page.state()["clock"]["running"], "w");
    page.until(|page| page.state()["over"] == true);
    assert_eq!(page.state()["result"], "B+T");
    assert!(page.state()["clock"]["running"].is_null());
}

#[test]
fn settings_and_sizes_are_checked() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let base = json!({"type": "new", "width": 9, "height": 13, "komi": 7, "rules": "chinese", "handicap": 0,
        "person": "both", "level": 1, "time": null});
    for (key, value, code) in [
        ("width", json!(26), "size"),
        ("height", json!(0), "size"),
        ("width", json!(1), "size"),
        ("rules", json!("chess"), "value"),
        ("handicap", json!(10), "value"),
        ("handicap", json!(1), "value"),
        ("level", json!(11), "value"),
        ("komi", json!(1e9), "value"),
        ("person", json!("x"), "invalid"),
    ] {
        let mut new = base.clone();
        new[key] = value.clone();
        assert_eq!(page.refused(new).0, code, "{key} {value}");
    }
    assert_eq!(page.refused(json!({"type": "settings", "threads": 9999})).0, "value");
    assert_eq!(page.refused(json!({"type": "load", "sgf": "(;GM[2])"})).0, "file");
    // loaded, and its fault told
    assert_eq!(page.noticed(json!({"type": "load", "sgf": "(;SZ[9];B[aa];W[aa];B[bb])"})), "illegalMove");
    page.until(|page| page.board().len() == 81);
    page.play(&[0]);
    assert_eq!(page.refused(json!({"type": "go", "node": 2})).0, "file");
    // a record without rules has the configured ones, not those of the game before
    page.begin(5, "both", 1);
    assert_eq!(page.latest["game"]["rules"], "japanese");
    page.act(json!({"type": "load", "sgf": "(;SZ[7])"}), |page| page.latest["game"]["width"] == 7);
    assert_eq!(page.latest["game"]["rules"], "chinese");
    page.act(json!({"type": "load", "sgf": "(;SZ[6]KM[3])"}), |page| page.latest["game"]["komi"] == 3.0);
    page.act(json!({"type": "load", "sgf": "(;SZ[8])"}), |page| page.latest["game"]["width"] == 8);
    assert_eq!(page.latest["game"]["komi"], 6.5);
    // komi and rules of unknown meaning are named
    assert_eq!(page.latest["game"]["unknownKomi"], json!(null));
    page.act(json!({"type": "load", "sgf": "(;SZ[7]KM[375]RU[foo])"}), |page| page.latest["game"]["width"] == 7);
    let game = &page.latest["game"];
    assert_eq!((&game["unknownKomi"], &game["unknownRules"]), (&json!("375"), &json!("foo")));
    assert_eq!((&game["komi"], &game["rules"]), (&json!(6.5), &json!("chinese")));
    // the bytes of a file whose encoding is detected
    page.act(
        json!({"type": "load", "sgf": "(;SZ[6]PB[\u{c4}\u{f4}\u{ce}\u{c0}\u{c6}\u{bd}])", "bytes": true}),
        |page| page.latest["game"]["width"] == 6,
    );
    assert_eq!(page.latest["game"]["black"], "聂卫平");
    assert_eq!(page.refused(json!({"type": "load", "sgf": "(;PB[聂])", "bytes": true})).0, "invalid");
    // a name is one line
    page.act(json!({"type": "load", "sgf": "(;SZ[8]PB[a\nb])"}), |page| page.latest["game"]["width"] == 8);
    assert_eq!(page.latest["game"]["black"], "a b");
    page.act(json!({"type": "rename", "black": "c\r\nd", "white": "e\n"}), |page| {
        page.latest["game"]["black"] == "c d"
    });
    assert_eq!(page.latest["game"]["white"], "e");
    page.act(base, |page| page.latest["game"]["height"] == 13);
    page.until(|page| page.board().len() == 117);
}

#[test]
fn a_server_that_cannot_listen_leaves_the_log_of_another_alone() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let log = || fs::read_to_string(folder.path().join(JSON_LOG)).unwrap();
    let sessions = |log: &str| log.matches("\"session\"").count();
    let before = log();
    let port = server.host().rsplit(':').next().unwrap().to_owned();
    let second = folder.run(&["web", "--port", &port], b"");
    let error = String::from_utf8(second.stderr).unwrap();
    assert!(second.status.code() == Some(2) && error.contains(&format!("web: 127.0.0.1:{port}")), "{error}");
    assert!(sessions(&before) > 0 && sessions(&log()) == sessions(&before), "{}", log());
}

/// Launchers of browsers explain themselves badly: by an exit status as Rust writes it.
#[cfg(target_os = "linux")]
#[test]
fn a_browser_that_cannot_be_opened_is_one_plain_line() {
    let folder = Folder::new();
    let mut command = folder.command(&["web", "--open"]);
    // without any program that could open a page
    let launchers = folder.path().join("launchers");
    fs::create_dir(&launchers).unwrap();
    command.env("PATH", launchers).env("XDG_STATE_HOME", folder.path().join("state"));
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut server = Server { child, address: String::new() };
    let mut line = String::new();
    BufReader::new(server.child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let (_, rest) = line.split_once("no browser could be opened, open http://127.0.0.1:").expect(&line);
    assert!(rest.ends_with("/ in one yourself\n"), "{line}");
}

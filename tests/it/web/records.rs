//! Records on pages: what is loaded, kept as it is, and saved.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::engine::Folder;
use crate::web::games::result_of_record;
use crate::web::server::{Page, Server};

#[test]
fn the_result_of_a_loaded_record_stays() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let load = json!({"type": "load", "sgf": "(;SZ[5]KM[7]RE[W+3.5];B[aa];W[bb])"});
    page.act(load, |page| page.latest["game"]["width"] == 5);
    page.act(json!({"type": "go", "node": 2}), |page| page.state()["result"] == "W+3.5");
    page.send(json!({"type": "undo"}));
    page.at(1);
    assert_eq!((page.state()["over"].as_bool(), result_of_record(&server).as_deref()), (Some(false), Some("W+3.5")));
    page.act(json!({"type": "go", "node": 2}), |page| page.state()["result"] == "W+3.5");
    page.play(&[12]);
    assert_eq!((page.state()["over"].as_bool(), result_of_record(&server).as_deref()), (Some(false), Some("W+3.5")));
    // a result of this game takes its place until it is taken back
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    assert_eq!(result_of_record(&server).as_deref(), Some("B+R"));
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!(result_of_record(&server).as_deref(), Some("W+3.5"));
}

/// A loss on time in a loaded record is of another game, and SGF's words for no result are none.
#[test]
fn moves_may_follow_the_end_of_a_loaded_record() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    for (result, is_over) in [("B+T", true), ("?", false), ("Void", false)] {
        let before = page.latest["game"]["id"].clone();
        let load = json!({"type": "load", "sgf": format!("(;SZ[5]KM[7]RE[{result}];B[aa];W[bb])")});
        page.act(load, |page| page.latest["game"]["id"] != before);
        page.at(0);
        page.send(json!({"type": "go", "node": 2}));
        page.at(2);
        assert_eq!(page.state()["over"], is_over, "{result}");
        page.play(&[12]);
    }
}

/// A finished game: a wall of each colour.
const FINISHED: &str =
    "(;SZ[5]KM[0.5]AB[ba][bb][ac][bc][cc][dc][bd][cd][be][ce]AW[ca][cb][db][eb][ec][dd][ed][de][ae])";

#[test]
fn an_accepted_result_stays_at_its_node_in_later_ends_and_in_the_saved_game() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.act(json!({"type": "load", "sgf": FINISHED}), |page| page.latest["game"]["width"] == 5);
    page.until(|page| page.board().len() == 25);
    let accept = |page: &mut Page| {
        page.until(|page| page.state()["score"].is_object());
        page.act(json!({"type": "accept"}), |page| page.state()["result"].is_string());
        page.state()["result"].as_str().unwrap().to_owned()
    };
    page.play(&[-1, -1]);
    let accepted = accept(&mut page);
    page.play(&[-1]);
    assert_eq!((&page.state()["result"], result_of_record(&server).as_ref()), (&json!(null), Some(&accepted)));
    // a later end is taken back without the earlier one
    accept(&mut page);
    page.send(json!({"type": "undo"}));
    page.at(2);
    assert_eq!(
        (page.state()["result"].as_str(), result_of_record(&server).as_ref()),
        (Some(&*accepted), Some(&accepted))
    );
    page.play(&[-1]);
    // counted and saved
    page.at(3);
    drop(server);
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    assert_eq!((page.number(), &page.state()["result"]), (3, &json!(null)));
    page.send(json!({"type": "undo"}));
    page.at(2);
    assert_eq!(page.state()["result"], accepted.as_str());
    page.act(json!({"type": "undo"}), |page| page.number() == 1);
    assert_eq!(result_of_record(&server), None);
}

/// At the first node, and after the engine's first move.
#[test]
fn an_accepted_result_is_taken_back_alone_without_a_move_before_it() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let after_a_pass = FINISHED.strip_suffix(')').unwrap().to_owned() + ";B[])";
    for (record, person, node) in [(FINISHED, "both", 0_u64), (&*after_a_pass, "w", 1)] {
        let before = page.latest["game"]["id"].clone();
        page.act(json!({"type": "load", "sgf": record}), |page| page.latest["game"]["id"] != before);
        page.act(json!({"type": "go", "node": node}), |page| page.state()["node"] == node);
        page.act(json!({"type": "settings", "person": person}), |page| page.latest["game"]["person"] == person);
        page.act(json!({"type": "score", "on": true}), |page| page.state()["score"].is_object());
        page.act(json!({"type": "accept"}), |page| page.state()["result"].is_string());
        assert_eq!(result_of_record(&server).as_deref(), page.state()["result"].as_str(), "{person}");
        page.act(json!({"type": "undo"}), |page| page.latest["error"].is_object() || page.state()["result"].is_null());
        assert_eq!((&page.latest["error"], page.number()), (&json!(null), node), "{person}");
        assert_eq!(result_of_record(&server), None, "{person}");
        assert_eq!(page.refused(json!({"type": "undo"})).0, "notFound", "{person}");
        page.latest["error"] = json!(null);
    }
}

#[test]
fn the_result_of_a_loaded_record_is_deleted_with_its_end() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let load = json!({"type": "load", "sgf": "(;SZ[5]KM[7]RE[W+3.5];B[aa](;W[bb])(;W[cc]))"});
    page.act(load, |page| page.latest["game"]["width"] == 5);
    page.send(json!({"type": "deleteNode", "node": 3}));
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["node"] == 1);
    assert_eq!(result_of_record(&server).as_deref(), Some("W+3.5"), "another end is deleted");
    page.send(json!({"type": "deleteNode", "node": 2}));
    page.act(json!({"type": "go", "node": 0}), |page| page.state()["node"] == 0);
    assert_eq!(result_of_record(&server), None);
    // as after an end that is taken back
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!(result_of_record(&server), None);
}

#[test]
fn the_end_of_a_loaded_record_stays_where_it_was_when_the_game_is_read_again() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = page_at_a_loaded_result(&server);
    page.play(&[12]);
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    drop(server);
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!((page.number(), result_of_record(&server).as_deref()), (2, Some("W+3.5")));
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["node"] == 1);
    assert_eq!(page.state()["result"], "W+3.5");
}

#[test]
fn games_saved_by_earlier_versions_keep_their_result() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (mut page, id) = page_with_a_game(&server);
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    drop(server);
    let results = save_as_earlier_version(&folder, &id, json!([1, "B+R"]));
    assert_eq!(results, json!({"loaded": null, "own": [[1, "B+R"]]}));
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    assert_eq!(page.state()["result"], "B+R");
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
    assert_eq!(result_of_record(&server), None);
}

#[test]
fn a_saved_end_without_a_node_leaves_the_result_of_the_record() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let page = page_at_a_loaded_result(&server);
    let id = page.latest["game"]["id"].as_str().unwrap().to_owned();
    drop(server);
    save_as_earlier_version(&folder, &id, json!([9, "B+R"]));
    let server = Server::start(&folder, &[]);
    assert_eq!(server.page().state()["result"], "W+3.5");
}

#[test]
fn the_list_of_games_is_sent_once_for_a_loaded_record() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(7, "both", 1);
    page.send(json!({"type": "load", "sgf": "(;SZ[5];B[aa])"}));
    page.send(json!({"type": "comment", "node": 0, "text": "end"}));
    let mut lists = 0;
    while page.state()["comment"] != "end" {
        lists += usize::from(page.read() == "games");
    }
    assert_eq!(lists, 1);
}

/// The ids of nodes within the program are new after a game is read again; a score is not that of another node.
#[test]
fn a_game_that_is_opened_again_has_the_scores_of_its_own_nodes() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    // the board is Black's, or White's, with two eyes
    let boards = "(;SZ[5]KM[0](;AB[ba:ee][ab][ad:ae])(;AW[ba:ee][ab][ad:ae]))";
    page.act(json!({"type": "load", "sgf": boards}), |page| page.latest["game"]["width"] == 5);
    page.send(json!({"type": "promote", "node": 2}));
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["node"] == 1);
    page.act(json!({"type": "score", "on": true}), |page| page.state()["score"].is_object());
    let id = page.latest["game"]["id"].clone();
    page.begin(7, "both", 1);
    page.act(json!({"type": "open", "game": id}), |page| page.latest["game"]["id"] == id);
    page.act(json!({"type": "go", "node": 2}), |page| page.state()["node"] == 2);
    page.act(json!({"type": "score", "on": true}), |page| page.state()["score"].is_object());
    assert!(page.state()["score"]["result"].as_str().unwrap().starts_with("W+"), "{}", page.state()["score"]);
}

#[test]
fn comments_and_marks_belong_to_the_node_that_they_name() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, 11]);
    page.send(json!({"type": "comment", "node": 1, "text": "first"}));
    page.send(json!({"type": "mark", "node": 1, "point": 0, "kind": "TR"}));
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["node"] == 1);
    assert_eq!(
        (page.state()["comment"].as_str(), page.state()["marks"].as_array().map(Vec::len)),
        (Some("first"), Some(1))
    );
    assert!(server.record().replace('\n', "").contains(";B[cc]C[first]TR[aa];W[bc])"), "{}", server.record());
    assert_eq!(page.refused(json!({"type": "comment", "node": 9, "text": "x"})).0, "notFound");
}

#[test]
fn problems_are_saved_and_of_collections_the_first_game_is_loaded() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let count = |page: &crate::web::server::Page| page.latest["games"]["games"].as_array().unwrap().len();
    assert_eq!(count(&page), 0);
    page.begin(7, "both", 1);
    let problem = "(;SZ[5]AB[aa]AW[bb]PB[Black]C[Black to play])(;SZ[6])";
    assert_eq!(page.noticed(json!({"type": "load", "sgf": problem})), "firstGameOnly");
    page.until(|page| count(page) == 1);
    let game = page.latest["games"]["games"][0].clone();
    assert_eq!(
        (game["black"].as_str(), game["white"].as_str(), game["moves"].as_u64()),
        (Some("Black"), Some(""), Some(0))
    );
}

/// A file that names its encoding is sent as text if it is UTF-8, and so is what a person pastes.
#[test]
fn a_text_with_an_encoding_is_read_as_it_is_and_its_faults_are_where_they_are_in_a_file() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let record = "(;CA[GBK]SZ[9]PB[聂卫平];B[aa];W[zz])";
    assert_eq!(page.noticed(json!({"type": "load", "sgf": record})), "illegalMove");
    let place = format!("byte {}: W[zz]: no point of a 9x9 board", record.find("[zz]").unwrap());
    assert_eq!(page.latest["notice"]["text"], place.as_str());
    page.until(|page| page.latest["game"]["black"] == "聂卫平");
    // the same place as in a file
    fs::write(folder.path().join("game.sgf"), record.replace("GBK", "UTF-8")).unwrap();
    let output = folder.run(&["--score", "game.sgf"], b"");
    let longer = format!("byte {}: W[zz]", record.find("[zz]").unwrap() + 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains(&longer), "{output:?}");
}

/// A page with a game of one move, and the name of the game.
fn page_with_a_game(server: &Server) -> (Page, String) {
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12]);
    let id = page.latest["game"]["id"].as_str().unwrap().to_owned();
    (page, id)
}

/// A page with a record of one move and the result W+3.5, at its end.
fn page_at_a_loaded_result(server: &Server) -> Page {
    let mut page = server.page();
    let load = json!({"type": "load", "sgf": "(;SZ[5]KM[7]RE[W+3.5];B[aa])"});
    page.act(load, |page| page.latest["game"]["width"] == 5);
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["result"] == "W+3.5");
    page
}

/// Makes the file of a game one of an earlier version, which has its `end` in place of its results; returns these. The
/// current node is that of number 1.
fn save_as_earlier_version(folder: &Folder, id: &str, end: serde_json::Value) -> serde_json::Value {
    let path = saved_game(folder, id);
    let mut game: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let results = game.as_object_mut().unwrap().remove("results").unwrap();
    (game["end"], game["current"]) = (end, json!(1));
    fs::write(&path, game.to_string()).unwrap();
    results
}

/// The file of a game.
fn saved_game(folder: &Folder, id: &str) -> PathBuf {
    folder.path().join(format!("state/kifuwarabe-uec14/games/{id}.json"))
}

#[test]
fn the_current_game_had_another_file_in_earlier_versions() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (_, id) = page_with_a_game(&server);
    drop(server);
    let games = folder.path().join("state/kifuwarabe-uec14/games");
    fs::rename(games.join("current"), games.join("live")).unwrap();
    let server = Server::start(&folder, &[]);
    assert_eq!(server.page().latest["game"]["id"], id);
}

#[test]
fn a_damaged_file_does_not_end_the_program() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (_, id) = page_with_a_game(&server);
    drop(server);
    let path = saved_game(&folder, &id);
    let text = fs::read_to_string(&path).unwrap();
    let damaged = text.replace("\"numbers\":[0,1]", "\"numbers\":[0,3000000000]");
    assert_ne!(text, damaged);
    fs::write(&path, damaged).unwrap();
    let server = Server::start(&folder, &[]);
    let page = server.page();
    assert_eq!(page.latest["game"]["id"], id);
    assert_eq!(page.latest["tree"]["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn an_error_does_not_tell_the_place_of_a_damaged_file() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (mut page, id) = page_with_a_game(&server);
    page.begin(5, "both", 1);
    fs::write(saved_game(&folder, &id), "garbage").unwrap();
    let (code, _) = page.refused(json!({"type": "open", "game": id}));
    let text = page.latest["error"]["text"].as_str().unwrap();
    assert!(code == "file" && text.contains("cannot be read") && !text.contains('/'), "{code}: {text}");
}

#[test]
fn a_game_has_the_name_of_the_chosen_rules() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let names = page.latest["hello"]["rules"].as_array().unwrap().clone();
    assert!(["japanese", "korean", "ing", "aga-button"].iter().all(|name| names.contains(&json!(name))), "{names:?}");
    let new = json!({"type": "new", "width": 5, "height": 5, "komi": 3.75, "rules": "korean", "handicap": 0,
        "person": "both", "level": 1, "time": null});
    page.act(new, |page| page.latest["game"]["width"] == 5);
    page.until(|page| page.board().len() == 25);
    assert_eq!((&page.latest["game"]["rules"], &page.latest["game"]["komi"]), (&json!("korean"), &json!(3.75)));
    assert!(server.record().contains("RU[korean]"), "{}", server.record());
}

#[cfg(unix)]
#[test]
fn pages_are_told_once_that_games_are_not_saved_and_once_that_they_are_again() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (mut page, id) = page_with_a_game(&server);
    let games = folder.path().join("state/kifuwarabe-uec14/games");
    let away = folder.path().join("away");
    fs::rename(&games, &away).unwrap();
    assert_eq!(page.noticed(json!({"type": "play", "point": 11})), "notSaved");
    let text = page.latest["notice"]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("games are not saved: ") && !text.contains("state"), "{text}");
    page.at(2);
    page.latest["notice"] = json!(null);
    page.play(&[7]);
    assert!(page.latest["notice"].is_null(), "once");
    // a page that connects now knows nothing of it
    let mut later = server.page();
    later.until(|page| page.latest["notice"]["text"] == text.as_str());
    fs::rename(&away, &games).unwrap();
    assert_eq!(page.noticed(json!({"type": "play", "point": 8})), "savedAgain");
    page.at(4);
    assert!(fs::read_to_string(saved_game(&folder, &id)).unwrap().contains("\"moves\":4"));
    page.latest["notice"] = json!(null);
    page.play(&[3]);
    assert!(page.latest["notice"].is_null(), "once");
    // a server whose folder another one uses
    let second = Server::start(&folder, &[]);
    let mut page = second.page();
    page.until(|page| page.latest["notice"]["text"] == "games are not saved: another server uses their folder");
}

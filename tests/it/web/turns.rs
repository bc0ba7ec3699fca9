//! Turns on pages: whose clock runs, and games that go on or are left.

use serde_json::{Value, json};

use crate::engine::Folder;
use crate::web::server::{Page, Server};

/// A game of two people on 9x9 with main time in seconds.
fn timed(page: &mut Page, main: f64) {
    let new = json!({"type": "new", "width": 9, "height": 9, "komi": 7, "rules": "chinese", "handicap": 0,
        "person": "both", "level": 1, "time": {"main": main, "period": 0, "periods": 0}});
    page.act(new, |page| page.state()["clock"].is_object());
}

fn running(page: &Page) -> Option<&str> {
    page.state()["clock"]["running"].as_str()
}

fn left(page: &Page, color: &str) -> f64 {
    page.state()["clock"][color]["main"].as_f64().unwrap()
}

#[test]
fn the_clock_of_the_side_to_move_runs_after_undo_and_redo() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    timed(&mut page, 1000.0);
    assert_eq!(running(&page), Some("b"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    page.play(&[40]);
    assert_eq!(running(&page), Some("w"));
    let black = left(&page, "b");
    assert!(black <= 999.7, "{black}");
    // undo gives the time back, and redo takes it again
    page.act(json!({"type": "undo"}), |page| page.number() == 0);
    assert!(running(&page) == Some("b") && left(&page, "b") > 999.9, "{}", page.state()["clock"]);
    page.act(json!({"type": "redo"}), |page| page.number() == 1);
    assert_eq!((running(&page), left(&page, "b")), (Some("w"), black));
}

#[test]
fn a_restarted_server_has_the_time_that_was_left() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    timed(&mut page, 1000.0);
    std::thread::sleep(std::time::Duration::from_millis(300));
    page.play(&[40]);
    let black = left(&page, "b");
    assert!(black <= 999.7, "{black}");
    drop(server);
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let shown = page.state()["clock"].clone();
    assert!((left(&page, "b") - black).abs() < 0.001 && left(&page, "w") <= 1000.0, "{shown}");
    assert_eq!(running(&page), None);
    // so does a game that is opened again
    let id = page.latest["game"]["id"].clone();
    timed(&mut page, 500.0);
    page.until(|page| page.number() == 0);
    page.play(&[40]);
    page.act(json!({"type": "open", "game": id}), |page| page.latest["game"]["id"] == id);
    page.until(|page| page.state()["clock"].is_object() && left(page, "w") > 500.0);
    assert!((left(&page, "b") - black).abs() < 0.001, "{}", page.state()["clock"]);
}

/// It would lose on time, because it does not move after a step back or forth.
#[test]
fn the_clock_of_an_engine_that_waits_does_not_run() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    timed(&mut page, 1000.0);
    page.play(&[40]);
    page.act(json!({"type": "undo"}), |page| page.number() == 0);
    page.act(json!({"type": "settings", "person": "b"}), |page| page.latest["game"]["person"] == "b");
    page.act(json!({"type": "redo"}), |page| page.number() == 1);
    assert_eq!(running(&page), None);
    page.act(json!({"type": "settings", "person": "both"}), |page| page.latest["game"]["person"] == "both");
    page.act(json!({"type": "undo"}), |page| page.number() == 0);
    page.act(json!({"type": "redo"}), |page| page.number() == 1);
    assert_eq!(running(&page), Some("w"));
}

#[test]
fn the_clock_runs_on_after_a_look_at_earlier_positions() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    timed(&mut page, 1000.0);
    page.play(&[40, 41]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    for node in [0, 1] {
        page.act(json!({"type": "go", "node": node}), |page| page.state()["node"] == node);
        assert_eq!(running(&page), None, "{node}");
    }
    let black = left(&page, "b");
    assert!(black <= 999.7, "{black}");
    std::thread::sleep(std::time::Duration::from_millis(300));
    page.act(json!({"type": "go", "node": 2}), |page| page.state()["node"] == 2);
    // the time before the look is gone, that of the look is not
    assert_eq!(running(&page), Some("b"));
    assert!((black - 0.2..=black).contains(&left(&page, "b")), "{black} {}", page.state()["clock"]);
    // a move elsewhere begins another line
    page.act(json!({"type": "go", "node": 1}), |page| page.state()["node"] == 1);
    page.play(&[42]);
    page.act(json!({"type": "go", "node": 2}), |page| page.state()["node"] == 2);
    assert_eq!(running(&page), None);
    page.act(json!({"type": "go", "node": 3}), |page| page.state()["node"] == 3);
    assert_eq!(running(&page), Some("b"));
    // so does the end of the game
    page.act(json!({"type": "resign"}), |page| page.state()["over"] == true);
    page.act(json!({"type": "go", "node": 0}), |page| page.state()["node"] == 0);
    page.act(json!({"type": "go", "node": 3}), |page| page.state()["node"] == 3);
    assert_eq!(running(&page), None);
}

#[test]
fn a_hint_does_not_lose_the_game_on_time() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    timed(&mut page, 3.0);
    page.act(json!({"type": "hint"}), |page| page.state()["thinking"] == "hint");
    assert_eq!(running(&page), None);
    page.until(|page| page.latest["hint"].is_object());
    page.until(|page| page.state()["thinking"].is_null());
    assert_eq!((running(&page), page.state()["over"].as_bool()), (Some("b"), Some(false)));
    page.until(|page| page.state()["over"] == true);
    assert_eq!((page.state()["result"].as_str(), left(&page, "b")), (Some("W+T"), 0.0));
}

/// Two people may go on after the end, but a click that comes just after the flag takes no loss back.
#[test]
fn a_loss_on_time_stays_until_it_is_taken_back() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    timed(&mut page, 0.3);
    page.until(|page| page.state()["over"] == true);
    assert_eq!(page.refused(json!({"type": "play", "point": 40})).0, "over");
    assert_eq!((page.state()["result"].as_str(), page.number()), (Some("W+T"), 0));
    page.act(json!({"type": "undo"}), |page| page.state()["over"] == false);
}

#[test]
fn a_game_that_is_left_gets_no_hasty_move() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--set", "Search.Seconds=60"]);
    let mut page = server.page();
    for leave in [json!({"type": "resign"}), json!({"type": "load", "sgf": "(;SZ[5];B[aa])"})] {
        page.begin(9, "w", 10);
        page.until(|page| page.state()["thinking"] == "move");
        let id = page.latest["game"]["id"].clone();
        page.act(leave, |page| page.state()["over"] == true || page.latest["game"]["id"] != id);
        if page.latest["game"]["id"] == id {
            assert_eq!((page.number(), page.state()["result"].as_str()), (0, Some("B+R")));
            assert_eq!(page.latest["tree"]["nodes"].as_array().unwrap().len(), 1);
        } else {
            // a game without moves is not saved
            assert!(page.latest["games"]["games"].as_array().unwrap().iter().all(|game| game["id"] != id));
        }
    }
}

#[test]
fn a_game_goes_on_after_two_passes() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, -1, -1]);
    page.until(|page| page.state()["score"].is_object());
    assert_eq!((page.state()["over"].as_bool(), &page.state()["result"]), (Some(true), &Value::Null));
    // as the page does for "Play on"
    page.send(json!({"type": "undo"}));
    page.at(2);
    assert_eq!((page.state()["over"].as_bool(), &page.state()["score"]), (Some(false), &Value::Null));
    page.play(&[7]);
}

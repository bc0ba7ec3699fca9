//! Searches that have reached their end: live analysis is shown again, and a review goes on to the next position; and
//! limits of searches that are refused.

use serde_json::{Value, json};

use crate::engine::{Folder, JSON_LOG};
use crate::support::tiny_katago_net;
use crate::web::server::{Page, Server};

fn is_done(page: &Page) -> bool {
    page.latest["analysis"]["done"] == true
}

/// A game on 9x9 whose live analysis has reached its limit, and the server waits.
fn analyzed(page: &mut Page) -> Value {
    page.begin(9, "both", 1);
    page.act(json!({"type": "settings", "maxVisits": 100}), |page| page.state()["maxVisits"] == 100);
    page.act(json!({"type": "watch", "on": true}), is_done);
    // the state after the analysis
    while page.read() != "state" {}
    page.latest["analysis"].take()
}

/// The searches that the server has begun so far.
fn searches(folder: &Folder) -> usize {
    folder.read(JSON_LOG).lines().filter(|line| line.contains("\"input\"") && line.contains("kata-analyze")).count()
}

#[test]
fn a_finished_analysis_is_sent_to_pages_that_begin_to_watch() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    let analysis = analyzed(&mut page);
    let before = searches(&folder);
    assert!(analysis["node"] == 0 && analysis["policy"].is_null() && before > 0, "{analysis}");
    page.act(json!({"type": "watch", "on": false}), |page| page.state()["watching"] == false);
    page.act(json!({"type": "watch", "on": true}), is_done);
    assert_eq!(page.latest["analysis"].take(), analysis);
    page.act(json!({"type": "visible", "on": false}), |page| page.state()["watching"] == false);
    page.act(json!({"type": "visible", "on": true}), is_done);
    assert_eq!(page.latest["analysis"].take(), analysis);
    page.act(json!({"type": "watch", "on": true, "policy": true}), is_done);
    let mut with_policy = page.latest["analysis"].take();
    assert_eq!(with_policy["policy"].take().as_array().unwrap().len(), 81);
    assert_eq!(with_policy, analysis);
    // a second tab; the first one has it already
    let mut other = server.page();
    other.act(json!({"type": "watch", "on": true}), is_done);
    assert_eq!(other.latest["analysis"], analysis);
    page.act(json!({"type": "rename", "black": "a", "white": "b"}), |page| page.latest["game"]["black"] == "a");
    assert!(page.latest["analysis"].is_null());
    assert_eq!(searches(&folder), before);
}

#[test]
fn a_position_that_a_page_comes_back_to_is_analysed_again() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    analyzed(&mut page);
    page.send(json!({"type": "play", "point": 40}));
    page.send(json!({"type": "undo"}));
    page.until(|page| page.state()["node"] == 1);
    page.until(|page| page.state()["node"] == 0);
    page.latest["analysis"] = Value::Null;
    page.until(|page| is_done(page) && page.latest["analysis"]["node"] == 0);
}

#[test]
fn searches_with_full_memory_reach_their_end() {
    let folder = Folder::new();
    // a small net, which fills the memory soon
    let net = format!("Net.File={}", tiny_katago_net().display());
    let server = Server::start(&folder, &["--set", "Search.MemoryMB=16", "--set", &net]);
    let mut page = server.page();
    page.begin(9, "both", 1);
    page.act(json!({"type": "review", "on": true, "visits": 1_000_000}), |page| page.state()["thinking"] == "review");
    page.until(|page| page.state()["thinking"].is_null());
    assert_eq!(searches(&folder), 1);
    let values = server.page().latest["values"]["values"].clone();
    assert!((20..1_000_000).contains(&values[0][3].as_u64().unwrap()), "{values}");
    // a search without a limit says that it has ended, and is not begun again
    page.act(json!({"type": "watch", "on": true}), is_done);
    page.latest["analysis"] = Value::Null;
    page.act(json!({"type": "watch", "on": false}), |page| page.state()["watching"] == false);
    page.act(json!({"type": "watch", "on": true}), is_done);
    assert_eq!(searches(&folder), 2);
}

#[test]
fn a_review_with_visits_out_of_range_is_refused() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    for visits in [0, 1_000_001] {
        assert_eq!(page.refused(json!({"type": "review", "on": true, "visits": visits})).0, "value", "{visits}");
        page.act(json!({"type": "comment", "node": 0, "text": "x"}), |page| page.state()["comment"] == "x");
        assert!(page.state()["review"].is_null(), "{visits}");
    }
}

#[test]
fn a_review_leaves_out_nodes_that_are_deleted() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12, 11, 7]);
    // the deletion arrives while the first position is searched
    page.send(json!({"type": "review", "on": true, "visits": 1000}));
    page.send(json!({"type": "deleteNode", "node": 2}));
    page.until(|page| page.number() == 1);
    page.until(|page| page.state()["thinking"].is_null());
    let values = server.page().latest["values"]["values"].clone();
    let nodes: Vec<u64> = values.as_array().unwrap().iter().filter_map(|row| row[0].as_u64()).collect();
    assert_eq!(nodes, [0, 1]);
}

#[test]
fn refused_settings_change_nothing() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.begin(5, "both", 1);
    assert_eq!(page.refused(json!({"type": "settings", "level": 3, "threads": 9999})).0, "value");
    page.act(json!({"type": "rename", "black": "a", "white": "b"}), |page| page.latest["game"]["black"] == "a");
    assert_eq!(page.latest["game"]["level"], 1);
}

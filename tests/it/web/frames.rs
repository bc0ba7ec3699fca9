//! Random actions in the frames of a page: whole ones with any values, and damaged ones. The server answers each, and
//! its game stays one that can be shown, saved and read.
//!
//! `KIFUWARABE_FUZZ_SECONDS=60` sends them for a minute with a random RNG seed; `KIFUWARABE_FUZZ_SEED=N` sets the seed.

use std::time::Instant;

use fastrand::Rng;
use kifuwarabe_uec14::sgf::GameTree;
use serde_json::{Value, json};
use tungstenite::Message;

use crate::engine::{Folder, JSON_LOG};
use crate::fuzzing;
use crate::web::server::{Page, Server};

/// Frames between two checks, fewer than the server lets wait.
const BATCH: usize = 20;

fn number(rng: &mut Rng) -> Value {
    let common = rng.i64(-2..30);
    rng.choice([json!(common), json!(common), json!(common), json!(4_000_000_000_u64), json!(-1e300), json!(null)])
        .unwrap()
}

fn text(rng: &mut Rng) -> String {
    let pieces = ["", "a", "]", "\\", "\n", "石", "\u{202e}", "\u{0}", "../x", "<b>", ";W[aa]"];
    (0..rng.usize(..6)).map(|_| *rng.choice(&pieces).unwrap()).collect()
}

/// An action with values that may be out of range.
fn action(rng: &mut Rng) -> Value {
    let is_on = rng.bool();
    match rng.u8(..24) {
        0..=7 => json!({"type": "play", "point": number(rng)}),
        8 => json!({"type": "undo"}),
        9 => json!({"type": "redo"}),
        10 => json!({"type": "go", "node": number(rng)}),
        11 => json!({"type": "resign"}),
        12 => {
            let person = *rng.choice(&["b", "w", "both", "both", "both", "none", "x"]).unwrap();
            let time = if is_on {
                json!({"main": number(rng), "period": number(rng), "periods": number(rng)})
            } else {
                Value::Null
            };
            let [width, height] = [(); 2].map(|()| rng.u8(1..8));
            json!({"type": "new", "width": width, "height": height, "komi": number(rng), "rules": rng.choice(["japanese",
                "chinese", "aga", "none"]).unwrap(), "handicap": rng.u8(..4), "person": person, "level": rng.u8(..3), "time": time})
        }
        13 => json!({"type": "settings", "level": rng.u8(..4), "threads": rng.u8(..3), "maxVisits": rng.u16(1..200)}),
        14 => json!({"type": "score", "on": is_on}),
        15 => json!({"type": "dead", "point": number(rng)}),
        16 => json!({"type": "accept"}),
        17 => json!({"type": "review", "on": is_on, "visits": rng.u8(1..20)}),
        18 => json!({"type": "comment", "node": number(rng), "text": text(rng)}),
        19 => {
            let kind = rng.choice(["TR", "SQ", "CR", "MA", "LB", "XX"]).unwrap();
            json!({"type": "mark", "node": number(rng), "point": number(rng), "kind": kind, "text": text(rng)})
        }
        20 => json!({"type": rng.choice(["deleteNode", "promote"]).unwrap(), "node": number(rng)}),
        21 => {
            json!({"type": "load", "sgf": format!("(;SZ[{}]{};B[bb](;W[cc])(;W[dd]C[{}]))", rng.u8(1..9), text(rng), text(rng))})
        }
        22 => json!({"type": "rename", "black": text(rng), "white": text(rng)}),
        _ => json!({"type": rng.choice(["watch", "visible"]).unwrap(), "on": is_on}),
    }
}

/// The text of an action, one time in five damaged.
fn frame(rng: &mut Rng) -> String {
    let mut frame: Vec<char> = action(rng).to_string().chars().collect();
    if rng.u8(..5) == 0 {
        let at = rng.usize(..frame.len());
        match rng.u8(..3) {
            0 => frame.truncate(at),
            1 => drop(frame.remove(at)),
            _ => frame.insert(at, rng.choice(['{', '"', '9', '-', '\u{7f}', '碁']).unwrap()),
        }
    }
    frame.into_iter().collect()
}

/// The game as it is shown and saved.
fn check(server: &Server, page: &Page) {
    let state = page.state();
    let side = |name: &str| page.latest["game"][name].as_u64().unwrap() as usize;
    let board = state["board"].as_str().unwrap();
    assert!(board.len() == side("width") * side("height"), "{:#}", page.latest);
    assert!(board.chars().all(|cell| "xo.".contains(cell)), "{board}");
    let answer =
        server.request(&format!("GET /game.sgf HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.host()));
    let (head, record) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    GameTree::read(record.as_bytes()).unwrap_or_else(|error| panic!("{error}: {record}"));
}

#[test]
fn any_frames_leave_a_whole_game() {
    let (seconds, seed) = fuzzing::configured(3);
    let (mut rng, begin) = (Rng::with_seed(seed), Instant::now());
    let folder = Folder::new();
    let server = Server::start(&folder, &["--set", "Search.MaxPlayouts=30"]);
    let mut page = server.page();
    let mut batches = 0;
    while seconds.map_or(batches < 12, |seconds| begin.elapsed() < seconds) {
        let frames: Vec<String> = (0..BATCH).map(|_| frame(&mut rng)).collect();
        for frame in &frames {
            page.socket.send(Message::text(frame.clone())).unwrap();
        }
        // the answer to this comes after all others, with a new state
        page.send(json!({"type": "rename", "black": format!("batch {batches}"), "white": ""}));
        page.until(|page| page.latest["game"]["black"] == format!("batch {batches}"));
        while page.read() != "state" {}
        check(&server, &page);
        batches += 1;
    }
    eprintln!("{} frames from seed {seed} in {:.1} s", batches * BATCH, begin.elapsed().as_secs_f64());
    assert!(!folder.read(JSON_LOG).contains("panicked"), "{}", folder.read(JSON_LOG));
}

//! JSON logs: reading their sessions, replaying one without its searches, and its games.

use std::fs;

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::io::files::DataFolder;
use kifuwarabe_uec14::kernel::Coordinate;
use kifuwarabe_uec14::replay::{self, ReplayMode, Sessions, records};
use kifuwarabe_uec14::sgf;

use crate::support::empty_position;

/// Pieces of a log for the bytes from 0x80 on: whole events, then the parts of others.
const PIECES: &[&str] = &[
    "\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"session\",\"version\":\"0.15.0\",\"folder\":\"/\",\
     \"configuration\":\"\",\"seed\":1,\"threads\":1,\"processors\":1}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"ok\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"input\",\"command\":\"play b C3\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"input\",\"command\":\"genmove w\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"input\",\"command\":\"loadsgf a.sgf\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"input\",\"command\":\"undo\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"output\",\"move\":\"B2\",\"value\":0.5}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"output\",\"move\":\"resign\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"error\",\"text\":\"internal error\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"search\",\"purpose\":\"move\",\"color\":\"white\",\
     \"seed\":1,\"number\":1,\"threads\":1,\"simulations\":5,\"playouts\":5,\"visits\":5,\"seconds\":0.1,\
     \"singleRootSymmetry\":false,\"statusSearched\":true,\"completed\":true}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"file\",\"path\":\"a.sgf\",\"use\":\"read\",\
     \"bytes\":\"(;SZ[5];B[cc];W[bb])\"}\n",
    "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":",
    "\"input\",\"command\":\"",
    "\"output\",",
    "\"search\",\"purpose\":\"ponder\",",
    "\"file\",\"path\":\"",
    "\"}\n",
    "\"seconds\":-1e300",
    "18446744073709551615",
    "gg_genmove b ",
    "place_free_handicap ",
    "time_left b ",
    "boardsize ",
    "kata-set-rules ",
    "\"points\":\"A1 B2\"",
    "\\ud800",
];

/// The first line of a log of a session on 5x5.
const START: &str = "{\"level\":\"info\",\"ts\":\"\",\"caller\":\"\",\"msg\":\"session\",\"version\":\"0.16.0\",\
                     \"folder\":\"/\",\"configuration\":\"\",\"seed\":1,\"threads\":1,\"processors\":1}\n";

/// The input is the log, after [`START`] unless it begins with `{`; bytes from 0x80 on are replaced by [`PIECES`].
pub fn run(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = if data.first() == Some(&b'{') { Vec::new() } else { START.as_bytes().to_vec() };
    for &byte in data {
        match byte.checked_sub(0x80) {
            None => log.push(byte),
            Some(number) => log.extend(PIECES[usize::from(number) % PIECES.len()].as_bytes()),
        }
    }
    fs::write(&path, log).unwrap();
    for session in Sessions::new(std::slice::from_ref(&path)) {
        let session = match session.unwrap() {
            (_, Ok(session)) => session,
            (_, Err(reason)) => return assert_eq!(reason.lines().count(), 1, "{reason}"),
        };
        let engine = || {
            let mut engine = Engine::new(empty_position(Coordinate::square(5).unwrap()));
            engine.files.folder = DataFolder::new(folder.path()).unwrap();
            engine.player.options.seed = 1;
            // searches are short; a flag of the stop signal would be cleared by the next line
            engine.player.options.max_playouts = 20;
            engine
        };
        let mut replayed = engine();
        let outcome = replay::run(&mut replayed, &session, usize::MAX, ReplayMode::LoggedMoves).unwrap();
        assert!(outcome.equal + outcome.uncompared + outcome.substituted == outcome.replayed, "{outcome:?}");
        assert!(!replay::summary_messages(&session, &outcome).is_empty());
        replayed.position.assert_consistent();
        let (games, _) = records(&session, engine());
        for game in games {
            sgf::read(sgf::write(&game).as_bytes()).unwrap();
        }
    }
}

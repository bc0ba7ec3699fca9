//! A session that goes on after its replay.

use std::io::Write;
use std::sync::mpsc::channel;
use std::thread;

use crate::engine::{Folder, JSON_LOG, MAX_WAIT, Running, start};

#[test]
fn a_line_stops_an_analysis_after_the_replay() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=5", "Net.Use=false"]);
    for _ in 0..6 {
        engine.ask("name");
    }
    engine.end();
    let mut engine = Running::start(folder.command(&["replay", JSON_LOG, "--until", "end"]));
    let mut stdin = engine.stdin.take().unwrap();
    stdin.write_all(b"kata-analyze b 1\n").unwrap();
    assert_eq!(engine.read_line(), "= \n");
    assert!(engine.read_line().starts_with("info move "));
    stdin.write_all(b"1 name\n").unwrap();
    // the end of the input would stop the analysis, too, so it comes only if the line has not
    let (stopped, is_stopped) = channel();
    let input = thread::spawn(move || {
        let is_in_time = is_stopped.recv_timeout(MAX_WAIT).is_ok();
        drop(stdin);
        is_in_time
    });
    engine.read_answer();
    // fails if the time was over
    let _ = stopped.send(());
    assert!(input.join().unwrap(), "the line did not stop the analysis");
    assert!(engine.read_answer().starts_with("=1 "));
    engine.end();
}

//! The engine at a terminal: what is typed, pasted and typed ahead, and how a thought is ended.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::Folder;

/// How long something may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program at a terminal that is none: what it writes is kept, what is typed is sent.
pub struct Terminal {
    child: Child,
    stdin: ChildStdin,
    seen: Arc<Mutex<String>>,
}

impl Terminal {
    /// `None` where there is no program that makes such terminals.
    pub fn start(folder: &Folder, options: &str, variables: &[(&str, &str)]) -> Option<Terminal> {
        let version = Command::new("script").arg("--version").output();
        if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
            eprintln!("SKIPPED: there is no `script` of util-linux: nothing was typed at a terminal");
            return None;
        }
        let command = format!("exec {} {options}", env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
        let mut child = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(folder.path())
            .env_remove("NO_COLOR")
            .env_remove("LC_ALL")
            .env_remove("LC_CTYPE")
            .envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")])
            // the history of whoever runs the tests is not touched
            .env("HOME", folder.path())
            .env("XDG_STATE_HOME", folder.path())
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let seen = Arc::new(Mutex::new(String::new()));
        let mut stdout = child.stdout.take().unwrap();
        let screen = seen.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut bytes) {
                screen.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Some(Terminal { stdin: child.stdin.take().unwrap(), child, seen })
    }

    pub fn type_in(&mut self, keys: &str) {
        self.stdin.write_all(keys.as_bytes()).unwrap();
        self.stdin.flush().unwrap();
    }

    /// Quits, with success.
    pub fn leave(mut self) {
        self.type_in("quit\r");
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success());
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("no end: {:?}", self.seen.lock().unwrap());
    }

    fn shows(&self, text: &str) -> bool {
        self.seen.lock().unwrap().contains(text)
    }

    /// Waits until a text is there, and takes all up to it off the screen.
    pub fn wait_for(&mut self, text: &str) -> String {
        let begin = Instant::now();
        loop {
            let mut seen = self.seen.lock().unwrap();
            if let Some(at) = seen.find(text) {
                return seen.drain(..at + text.len()).collect();
            }
            assert!(begin.elapsed() < PATIENCE, "no {text:?} in {seen:?}");
            drop(seen);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const READY: &str = "ready, type help";

#[test]
fn all_lines_of_a_paste_are_commands() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "", &[]) else { return };
    let greeting = terminal.wait_for(READY);
    terminal.type_in("boardsize 9\rplay b E5\r1 name\n2 play w E5\r\r3 play w C3\r4 last_move\r");
    for answer in ["=1 Kifuwarabe UEC14", "?2 masonry", "=3 ", "=4 white C3"] {
        terminal.wait_for(answer);
    }
    terminal.leave();
    // a terminal that brackets what is pasted would hand it over as one line
    assert!(!greeting.contains("\u{1b}[?2004h"), "{greeting:?}");
    let history = folder.read("kifuwarabe-uec14/history");
    assert!(history.ends_with("boardsize 9\nplay b E5\n1 name\n2 play w E5\n3 play w C3\n4 last_move\nquit\n"));
}

#[test]
fn a_line_typed_ahead_ends_an_analysis_and_is_answered() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "--set Game.BoardSize=5", &[]) else { return };
    terminal.type_in("1 lz-analyze 10\r2 name\r3 kata-analyze 10\r\r4 version\r");
    for answer in ["=1", "=2 Kifuwarabe UEC14", "=3", "=4 "] {
        terminal.wait_for(answer);
    }
    terminal.leave();
}

#[test]
fn ctrl_c_ends_a_thought_and_not_the_engine() {
    let folder = Folder::new();
    let options = "--set Game.BoardSize=9 --set Search.Seconds=3000 --set Search.Threads=1";
    let Some(mut terminal) = Terminal::start(&folder, options, &[]) else { return };
    terminal.wait_for(READY);
    // an analysis is listened to by the editor, to which Ctrl-C is a key
    terminal.type_in("1 lz-analyze 5\r");
    terminal.wait_for("info move");
    terminal.type_in("\u{3}");
    terminal.wait_for("\r\n\r\n");
    terminal.type_in("2 name\r");
    terminal.wait_for("=2 Kifuwarabe UEC14");
    terminal.type_in("3 lz-genmove_analyze b 5\r");
    terminal.wait_for("info move");
    terminal.type_in("\u{3}");
    terminal.wait_for("\nplay ");
    // where nobody edits a line it is a signal; one that comes too early gives up the line
    terminal.type_in("4 name\r5 genmove w\r");
    terminal.wait_for("=4 ");
    let begin = Instant::now();
    while !terminal.shows("=5 ") {
        assert!(begin.elapsed() < PATIENCE, "{:?}", terminal.seen.lock().unwrap());
        thread::sleep(Duration::from_millis(300));
        terminal.type_in("\u{3}");
    }
    // what is typed together with Ctrl-C is given up with it
    thread::sleep(Duration::from_secs(1));
    terminal.type_in("6 move_history\r");
    terminal.wait_for("=6 white ");
    terminal.wait_for("\nblack ");
    terminal.leave();
}

#[test]
fn a_game_is_played_with_moves_typed_ahead() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "play --size 5 --set Search.MaxPlayouts=10", &[]) else { return };
    terminal.type_in("C3\rundo\rscore\r");
    terminal.wait_for("as the stones stand");
    terminal.leave();
}

//! The engine at a pseudo-terminal: typing, pasting, typing ahead, and Ctrl-C.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Folder, JSON_LOG};
use crate::support::{skipped, tiny_katago_net};

/// Time limit for an expected output; generous, for busy machines.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program at a pseudo-terminal made by `script`. A thread collects its output.
pub struct Terminal {
    child: Child,
    stdin: ChildStdin,
    seen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Starts the program; `None`, with a message, without the `script` of util-linux.
    pub fn start(folder: &Folder, options: &str, variables: &[(&str, &str)]) -> Option<Terminal> {
        Terminal::start_sized(folder, options, variables, (80, 24))
    }

    /// As [`Terminal::start`], on a screen of so many columns and rows.
    pub fn start_sized(
        folder: &Folder,
        options: &str,
        variables: &[(&str, &str)],
        (columns, rows): (usize, usize),
    ) -> Option<Terminal> {
        let program = env!("CARGO_BIN_EXE_kifuwarabe-uec14");
        let command = format!("stty cols {columns} rows {rows}; exec {program} {options}");
        Terminal::start_shell(folder, &command, variables)
    }

    /// Starts a command of the shell.
    fn start_shell(folder: &Folder, command: &str, variables: &[(&str, &str)]) -> Option<Terminal> {
        let version = Command::new("script").arg("--version").output();
        if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
            skipped("no `script` of util-linux, so no test at a terminal");
            return None;
        }
        let mut child = Command::new("script")
            .args(["-qec", command, "/dev/null"])
            .current_dir(folder.path())
            .env_remove("NO_COLOR")
            .env_remove("LC_ALL")
            .env_remove("LC_CTYPE")
            .envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")])
            // keeps the user's own history file out of the test
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
        self.type_bytes(keys.as_bytes());
    }

    pub fn type_bytes(&mut self, keys: &[u8]) {
        self.stdin.write_all(keys).unwrap();
        self.stdin.flush().unwrap();
    }

    /// Types `quit` and waits for a successful exit.
    pub fn leave(self) {
        self.leave_by("quit\r");
    }

    /// Leaves a game that is in no file.
    pub fn leave_unsaved(self) {
        self.leave_by("quit\ry\r");
    }

    /// Types the keys and waits for a successful exit.
    pub fn leave_by(mut self, keys: &str) {
        self.type_in(keys);
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success());
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("not ended: {:?}", self.seen.lock().unwrap());
    }

    /// All output that was not removed by [`Terminal::wait_for`].
    pub fn seen(&self) -> String {
        self.seen.lock().unwrap().clone()
    }

    pub fn shows(&self, text: &str) -> bool {
        self.seen.lock().unwrap().contains(text)
    }

    /// Waits for a text in the output; removes and returns the output up to it.
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
fn a_byte_that_is_not_utf8_drops_its_line_only() {
    let folder = Folder::new();
    for (options, prompt) in [("", "> "), ("play --size 5 --seconds 0.1", "black> ")] {
        let Some(mut terminal) = Terminal::start(&folder, options, &[]) else { return };
        terminal.wait_for(prompt);
        terminal.type_bytes(b"hint \xe9\r");
        terminal.wait_for("the line is dropped");
        terminal.wait_for(prompt);
        terminal.leave();
    }
}

#[test]
fn each_pasted_line_is_a_command() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "", &[]) else { return };
    let greeting = terminal.wait_for(READY);
    terminal.type_in("boardsize 9\rplay b E5\r1 name\n2 play w E5\r\r3 play w C3\r4 last_move\r");
    for answer in ["=1 Kifuwarabe UEC14", "?2 masonry", "=3 ", "=4 white C3"] {
        terminal.wait_for(answer);
    }
    terminal.leave();
    // bracketed paste mode would deliver the paste as one line
    assert!(!greeting.contains("\u{1b}[?2004h"), "{greeting:?}");
    let history = folder.read("kifuwarabe-uec14/history");
    assert!(history.ends_with("boardsize 9\nplay b E5\n1 name\n2 play w E5\n3 play w C3\n4 last_move\nquit\n"));
}

/// On stderr, and at the terminal only: answers and logs are the same for programs and people.
#[test]
fn an_unknown_command_is_answered_with_the_nearest_names() {
    let folder = Folder::new();
    let piped = folder.run(&[], b"showbord\n7 Genmove b\nanalyze\nxyzzy\n");
    let unknown = "? unknown command\n\n?7 unknown command\n\n? unknown command\n\n? unknown command\n\n";
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), unknown);
    let Some(mut terminal) = Terminal::start(&folder, "", &[("NO_COLOR", "1")]) else { return };
    terminal.wait_for(READY);
    terminal.type_in("1 showbord\r");
    terminal.wait_for("?1 unknown command\r\n\r\n[kifuwarabe-uec14] did you mean showboard?\r\n");
    terminal.type_in("2 Genmove b\r");
    terminal.wait_for("?2 unknown command\r\n\r\n[kifuwarabe-uec14] did you mean genmove");
    terminal.type_in("3 analyze\r");
    terminal.wait_for("?3 unknown command\r\n\r\n[kifuwarabe-uec14] did you mean kata-analyze, lz-analyze");
    terminal.type_in("4 xyzzy\r");
    terminal.wait_for("?4 unknown command\r\n\r\n[kifuwarabe-uec14] type help for the commands\r\n");
    terminal.type_in("play b C3\r5 d4\r");
    terminal.wait_for("?5 unknown command\r\n\r\n[kifuwarabe-uec14] did you mean play white d4?\r\n");
    terminal.leave();
    let log = folder.read(JSON_LOG);
    assert_eq!(log.matches(r#""text":"unknown command""#).count(), 9, "{log}");
    assert!(!log.contains("did you mean") && !log.contains("type help"), "{log}");
}

#[test]
fn line_typed_ahead_stops_an_analysis_and_is_answered() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "--set Game.BoardSize=5", &[]) else { return };
    terminal.type_in("1 lz-analyze 10\r2 name\r3 kata-analyze 10\r\r4 version\r");
    for answer in ["=1", "=2 Kifuwarabe UEC14", "=3", "=4 "] {
        terminal.wait_for(answer);
    }
    terminal.leave();
}

/// On stderr, and at the terminal only.
#[test]
fn a_person_is_told_how_an_analysis_ends() {
    let folder = Folder::new();
    let told = "[kifuwarabe-uec14] Enter ends the analysis";
    let piped = folder.run(&["--set", "Game.BoardSize=5"], b"kata-analyze 10\n\nlz-analyze 10\n\n");
    assert!(!String::from_utf8(piped.stderr).unwrap().contains("Enter"));
    assert!(!String::from_utf8(piped.stdout).unwrap().contains("Enter"));
    for variables in [&[][..], &[("TERM", "dumb")]] {
        let Some(mut terminal) = Terminal::start(&folder, "--set Game.BoardSize=5", variables) else { return };
        for command in ["kata-analyze 10", "lz-analyze b 10"] {
            terminal.type_in(&format!("{command}\r"));
            terminal.wait_for(told);
            terminal.wait_for("info move ");
            terminal.type_in("\r1 name\r");
            terminal.wait_for("=1 Kifuwarabe UEC14");
        }
        terminal.type_in("2 kata-genmove_analyze b 10\r");
        let seen = terminal.wait_for("\nplay ");
        assert!(!seen.contains(told), "it ends by itself: {seen}");
        terminal.leave();
    }
}

#[test]
fn ctrl_c_stops_the_search_and_not_the_engine() {
    let folder = Folder::new();
    let options = "--set Game.BoardSize=9 --set Search.Seconds=3000 --set Search.Threads=1";
    let Some(mut terminal) = Terminal::start(&folder, options, &[]) else { return };
    terminal.wait_for(READY);
    // during an analysis the editor reads, and Ctrl-C is a key
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
    // during a search no editor reads, and Ctrl-C is a signal; one that comes too early clears the line
    terminal.type_in("4 name\r5 genmove w\r");
    terminal.wait_for("=4 ");
    let begin = Instant::now();
    while !terminal.shows("=5 ") {
        assert!(begin.elapsed() < PATIENCE, "{:?}", terminal.seen.lock().unwrap());
        thread::sleep(Duration::from_millis(300));
        terminal.type_in("\u{3}");
    }
    // input that arrives together with Ctrl-C is discarded with it
    thread::sleep(Duration::from_secs(1));
    terminal.type_in("6 move_history\r");
    terminal.wait_for("=6 white ");
    terminal.wait_for("\nblack ");
    terminal.leave();
}

/// Typed lines wait for the end of a command, so only Ctrl-C cancels a search or ends a benchmark.
#[test]
fn ctrl_c_cancels_a_cancellable_search_and_ends_a_benchmark() {
    let folder = Folder::new();
    let net = format!("--set Net.File={}", tiny_katago_net().display());
    for (net, command, answer) in [
        ("--set Net.Use=false", "1 kata-search_cancellable b", "=1 cancelled\r\n"),
        (&net, "1 kata-benchmark 1000000", " positions, visits/s = "),
    ] {
        let options = format!("--set Game.BoardSize=9 --set Search.Seconds=3000 {net}");
        let Some(mut terminal) = Terminal::start(&folder, &options, &[("NO_COLOR", "1")]) else { return };
        terminal.wait_for(READY);
        terminal.type_in(&format!("{command}\r"));
        // the spinner appears when the command runs
        terminal.wait_for("working (Ctrl-C: stop)");
        terminal.type_in("\u{3}");
        terminal.wait_for(answer);
        terminal.leave();
    }
}

/// The line editor and a game that waits for a search change the modes of the terminal; both give them back.
#[test]
fn sigterm_gives_the_terminal_back() {
    let folder = Folder::new();
    for (options, shown) in [("", READY), ("play --size 9 --color white --seconds 600", "thinking")] {
        let program = env!("CARGO_BIN_EXE_kifuwarabe-uec14");
        let command = format!("sh -c 'echo pid $$.; exec {program} {options}'; echo code $?.; stty -a; echo end.");
        let Some(mut terminal) = Terminal::start_shell(&folder, &command, &[]) else { return };
        terminal.wait_for("pid ");
        let pid = terminal.wait_for(".");
        terminal.wait_for(shown);
        Command::new("sh").args(["-c", &format!("kill -TERM {}", pid.trim_end_matches('.'))]).status().unwrap();
        terminal.wait_for("code 0.");
        let modes = terminal.wait_for("end.");
        assert!(modes.contains(" echo ") && modes.contains(" icanon "), "{options}: {modes}");
    }
}

#[test]
fn play_accepts_lines_typed_ahead() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "play --size 5 --set Search.MaxPlayouts=10", &[]) else { return };
    terminal.type_in("C3\rundo\rscore\r");
    terminal.wait_for("estimate: ");
    terminal.leave();
}

/// On stderr, and at the terminal only: answers and logs are the same for programs and people.
#[test]
fn a_refused_move_is_explained_to_a_person() {
    let folder = Folder::new();
    let setup = "boardsize 5\nset_position b B1 b A2 b B3 w C1 w D2 w C3\nplay b C2\nplay w B2\n";
    let refused = [
        ("play b C2", "ko my_stone:x point:C2", "ko: the ko may not be retaken at once"),
        ("play b B2", "masonry my_stone:x point:B2", "masonry: there is a stone on the point"),
    ];
    let piped = folder.run(&[], (setup.to_owned() + &refused.map(|(command, ..)| command).join("\n")).as_bytes());
    let expected = "= \n\n".repeat(4) + &refused.map(|(_, text, _)| format!("? {text}\n\n")).concat();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), expected);
    let strict = folder.run(&["--strict-gtp"], (setup.to_owned() + "play b C2\n").as_bytes());
    assert!(String::from_utf8(strict.stdout).unwrap().ends_with("? illegal move\n\n"));
    let Some(mut terminal) = Terminal::start(&folder, "", &[("NO_COLOR", "1")]) else { return };
    terminal.wait_for(READY);
    terminal.type_in(&setup.replace('\n', "\r"));
    for (command, text, explanation) in refused {
        terminal.type_in(&format!("{command}\r"));
        terminal.wait_for(&format!("? {text}\r\n\r\n[kifuwarabe-uec14] {explanation}\r\n"));
    }
    terminal.leave();
    let log = folder.read(JSON_LOG);
    assert_eq!(log.matches(r#""text":"ko my_stone:x point:C2""#).count(), 2, "{log}");
    assert!(!log.contains("retaken"), "{log}");

    // a person may type without line editing, where the output is no terminal
    let Some(mut terminal) = Terminal::start(&folder, "| cat", &[]) else { return };
    terminal.type_in(&setup.replace('\n', "\r"));
    let (command, _, explanation) = refused[0];
    terminal.type_in(&format!("{command}\r"));
    terminal.wait_for(&format!("[kifuwarabe-uec14] {explanation}\r\n"));
    terminal.leave();
}

#[test]
fn a_prompt_and_a_spinner_show_that_the_engine_listens_and_works() {
    let folder = Folder::new();
    let options = "--set Game.BoardSize=9 --set Search.Seconds=3000 --set Log.Console=off";
    let Some(mut terminal) = Terminal::start(&folder, options, &[("NO_COLOR", "1")]) else { return };
    terminal.wait_for(READY);
    terminal.wait_for("> ");
    terminal.type_in("1 name\r");
    // a command that takes no time shows no spinner
    let answer = terminal.wait_for("=1 Kifuwarabe UEC14\r\n\r\n");
    assert!(!answer.contains("working"), "{answer:?}");
    terminal.wait_for("> ");
    terminal.type_in("2 genmove b\r");
    terminal.wait_for("working (Ctrl-C: stop) 1 s");
    // keys wait for their turn, even those before Ctrl-C, and do not appear meanwhile
    terminal.type_in("3 na");
    thread::sleep(Duration::from_millis(400));
    let meanwhile = terminal.seen();
    assert!(!meanwhile.contains("3 na"), "{meanwhile:?}");
    terminal.type_in("\u{3}");
    terminal.wait_for("=2 ");
    terminal.wait_for("3 na");
    terminal.type_in("me\r");
    terminal.wait_for("=3 Kifuwarabe UEC14");
    terminal.leave();

    // a program reads the answers alone
    let piped = folder.run(&["--set", "Search.Seconds=1", "--set", "Game.BoardSize=5"], b"1 genmove b\n2 name\n");
    let stdout = String::from_utf8(piped.stdout).unwrap();
    let vertex = stdout.strip_prefix("=1 ").unwrap().split_once("\n\n").unwrap().0;
    assert_eq!(stdout, format!("=1 {vertex}\n\n=2 Kifuwarabe UEC14\n\n"));
    assert_eq!(String::from_utf8(piped.stderr).unwrap(), "");
}

/// A terminal that knows no escape sequences has no line editing, and a line ends an analysis there as well.
#[test]
fn a_line_ends_an_analysis_at_a_dumb_terminal() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "--set Game.BoardSize=5", &[("TERM", "dumb")]) else { return };
    terminal.type_in("kata-analyze b 5 maxmoves 1\r");
    terminal.wait_for("info move ");
    terminal.type_in("name\r");
    terminal.wait_for("= Kifuwarabe UEC14");
    terminal.leave();
}

#[test]
fn ctrl_c_stops_the_search_at_a_dumb_terminal_too() {
    let folder = Folder::new();
    let options = "--set Game.BoardSize=9 --set Search.Seconds=3000 --set Search.Threads=1";
    let Some(mut terminal) = Terminal::start(&folder, options, &[("TERM", "dumb")]) else { return };
    terminal.wait_for(READY);
    terminal.type_in("1 name\r");
    terminal.wait_for("=1 ");
    // at the prompt it clears the line
    terminal.type_in("quit\u{3}");
    terminal.type_in("2 lz-genmove_analyze b 5\r");
    terminal.wait_for("info move");
    terminal.type_in("\u{3}");
    terminal.wait_for("\nplay ");
    terminal.type_in("3 move_history\r");
    terminal.wait_for("=3 black ");
    terminal.leave();
}

#[test]
fn a_dumb_terminal_has_a_prompt() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "", &[("TERM", "dumb")]) else { return };
    terminal.wait_for(READY);
    terminal.wait_for("\n> ");
    terminal.type_in("1 name\r");
    terminal.wait_for("=1 Kifuwarabe UEC14\r\n\r\n> ");
    // not where the output goes to a program
    drop(terminal);
    let Some(mut terminal) = Terminal::start(&folder, "| cat", &[("TERM", "dumb")]) else { return };
    terminal.type_in("1 name\r");
    terminal.wait_for("=1 Kifuwarabe UEC14\r\n\r\n");
    terminal.type_in("2 name\r");
    let seen = terminal.wait_for("=2 Kifuwarabe UEC14");
    assert!(!seen.contains("> "), "{seen}");
    terminal.leave();
}

/// A score takes a second or more on large boards; a program that reads stderr gets nothing but errors.
#[test]
fn a_spinner_shows_that_a_record_is_scored() {
    if !cfg!(debug_assertions) {
        skipped("an optimized program may have the score before the spinner appears");
        return;
    }
    let folder = Folder::new();
    std::fs::write(folder.path().join("game.sgf"), "(;SZ[19];B[pd];W[dd];B[pp];W[dq])").unwrap();
    let Some(mut terminal) = Terminal::start(&folder, "--score game.sgf", &[]) else { return };
    terminal.wait_for(" scoring ");
}

//! The commands that front ends, match runners and servers' clients send at the start and during a game.
//!
//! `tests/clients/NAME.gtp` is such a sequence, taken from the client's source; `NAME.out` is the dialogue, each
//! command followed by its answer. `UPDATE_EXPECT=1 cargo test` rewrites the dialogues. Parts of answers that vary
//! between runs or releases are validated and then masked.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use expect_test::expect_file;
use kifuwarabe_uec14::gtp::table::{COMMANDS, find};
use kifuwarabe_uec14::kernel::Coordinate;

use crate::analyze::Report;
use crate::engine::{Folder, Running, gtp_scripts, place_program, repository, set_arguments, start};
use crate::support::{is_installed, skipped};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn answers_to_every_client_match() {
    let scripts = gtp_scripts("tests/clients");
    assert!(scripts.len() >= 10, "{} scripts", scripts.len());
    // scripts wait for the reports of analyses most of the time
    let at_once = 4;
    thread::scope(|scope| {
        for first in 0..at_once {
            let scripts = scripts.iter().skip(first).step_by(at_once);
            scope.spawn(|| scripts.for_each(|script| check(script)));
        }
    });
}

/// Sabaki's GTP library drives a whole game.
#[test]
fn sabakis_gtp_library_plays_a_game() {
    run_client("sabaki.mjs", &["@sabaki/gtp"]);
}

/// The same library reads analysis streams.
#[test]
fn sabakis_gtp_library_reads_analysis() {
    run_client("analysis.mjs", &["@sabaki/gtp"]);
}

/// Sabaki's libraries for records, boards and GTP step through records during analysis.
#[test]
fn sabakis_libraries_step_through_records() {
    run_client("sabaki_records.mjs", &["@sabaki/gtp", "@sabaki/sgf", "@sabaki/go-board"]);
}

/// Sabaki's reader opens an annotated record.
#[test]
fn sabakis_reader_opens_an_annotated_record() {
    run_client("sabaki_annotated.mjs", &["@sabaki/sgf"]);
}

/// Sabaki's own engine client, from the sources named by `KIFUWARABE_SABAKI`, steps through records during analysis.
#[test]
fn sabakis_engine_client_steps_through_records() {
    let Some(sources) = std::env::var_os("KIFUWARABE_SABAKI") else {
        skipped("sabaki_app.mjs was not run: KIFUWARABE_SABAKI is not the folder of Sabaki's sources");
        return;
    };
    run_client_with("sabaki_app.mjs", &["@sabaki/gtp", "@sabaki/sgf", "@sabaki/immutable-gametree"], &[&sources]);
}

/// gtp2ogs, named by `KIFUWARABE_GTP2OGS` or found on the path, plays games on a local stub of the server.
#[test]
fn gtp2ogs_plays_games() {
    let named = std::env::var_os("KIFUWARABE_GTP2OGS");
    let installed = || {
        let help = Command::new("gtp2ogs").arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status();
        help.is_ok_and(|status| status.success()).then(|| OsString::from("gtp2ogs"))
    };
    let Some(program) = named.or_else(installed) else {
        skipped("ogs.mjs was not run: gtp2ogs is not installed, and KIFUWARABE_GTP2OGS does not name it");
        return;
    };
    run_client_with("ogs.mjs", &["@sabaki/go-board", "ws"], &[&program]);
}

/// KaTrain's engine client, without its window, reviews a whole game.
#[test]
fn katrain_reviews_a_game() {
    run_katrain("katrain_review.py");
}

/// KaTrain's AI strategies play, and its other features query positions.
#[test]
fn katrain_plays_and_explores() {
    run_katrain("katrain_play.py");
}

/// KaTrain's reader opens an annotated record.
#[test]
fn katrain_opens_an_annotated_record() {
    run_katrain("katrain_annotated.py");
}

/// Boards, legal moves and area scores of random games are those of another program.
#[test]
fn boards_are_those_of_sgfmill() {
    run_python("sgfmill_boards.py", "sgfmill", "sgfmill.boards");
}

fn run_katrain(script: &str) {
    run_python(script, "KaTrain", "chardet, katrain, kivy._event, pysgf");
}

/// Runs a script that needs a Python package with these modules, or prints SKIPPED.
fn run_python(script: &str, package: &str, modules: &str) {
    let clients = repository().join("tests/clients");
    let folder = Folder::new();
    let python = |arguments: &[&OsStr]| {
        Command::new("python3")
            .args(arguments)
            .current_dir(folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("KIVY_HOME", folder.path())
            .output()
    };
    let import = format!("import sys; sys.path.insert(0, sys.argv[1]); import {modules}");
    let imported = python(&["-c".as_ref(), import.as_ref(), clients.join("python_modules").as_os_str()]);
    if !imported.is_ok_and(|output| output.status.success()) {
        skipped(&format!("{script} was not run: {package} is not installed: see tests/clients/requirements.txt"));
        return;
    }
    let engine = OsStr::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
    let output = python(&[clients.join(script).as_os_str(), engine]).unwrap();
    let stderr = assert_passed(&output);
    // KaTrain prints what its reading threads cannot handle
    assert!(!stderr.contains("Traceback") && !stderr.contains("ERROR"), "{stderr}");
}

pub(crate) fn run_client(script: &str, packages: &[&str]) {
    run_client_with(script, packages, &[]);
}

fn run_client_with(script: &str, packages: &[&str], arguments: &[&OsStr]) {
    let clients = repository().join("tests/clients");
    if !is_installed("node") {
        skipped(&format!("node is not installed: {script} was not run"));
        return;
    }
    if let Some(missing) = packages.iter().find(|package| !clients.join("node_modules").join(package).is_dir()) {
        skipped(&format!("{script} was not run without {missing}: `npm ci --prefix tests/clients` installs it"));
        return;
    }
    let folder = Folder::new();
    // some clients start the engine in its own folder
    let engine = folder.path().join("kifuwarabe-uec14");
    place_program(&engine);
    let output = Command::new("node")
        .arg(clients.join(script))
        .arg(engine)
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_passed(&output);
}

/// Checks that a client's script ran to its end; gives its stderr.
fn assert_passed(output: &Output) -> String {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains("every check passed"), "{stdout}{stderr}");
    stderr.into_owned()
}

/// A command of a script.
struct Sent<'a> {
    /// The line without its comment.
    line: &'a str,
    id: &'a str,
    name: &'a str,
    arguments: &'a str,
}

impl Sent<'_> {
    fn parse(line: &str) -> Option<Sent<'_>> {
        let line = line.split('#').next()?.trim();
        let first = line.split_whitespace().next()?;
        let id = if first.bytes().all(|digit| digit.is_ascii_digit()) { first } else { "" };
        let rest = line[id.len()..].trim_start();
        let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Sent { line, id, name, arguments })
    }

    /// Whether the command reports until the next one.
    fn is_stream(&self) -> bool {
        self.name.ends_with("-analyze")
    }

    /// The points of a restriction, `avoid` or `allow`, of the colour that is analysed: the colour given, or both colours
    /// if theirs are equal. In lower case.
    fn restricted(&self, kind: &str) -> Option<Vec<String>> {
        let arguments = self.arguments.to_lowercase();
        let points = |color: char| {
            let (_, points) = arguments.split_once(&format!("{kind} {color} "))?;
            Some(points.split(' ').next()?.split(',').map(str::to_owned).collect::<Vec<_>>())
        };
        match arguments.chars().next() {
            Some(color @ ('b' | 'w')) => points(color),
            _ => points('b').filter(|black| points('w').as_ref() == Some(black)),
        }
    }
}

/// A move of the engine takes little time, whatever the clocks of the scripts say.
const LIMITS: [&str; 1] = ["Search.MaxPlayouts=50"];

/// A record that scripts load.
const RECORD: &str = "(;GM[1]FF[4]SZ[9]KM[5.5];B[ee];W[cc];B[gc])";

/// Runs a script in both ways of a client: all commands at once, and each after the answer to the one before, an analysis
/// being left after two reports. The dialogues are the same.
fn check(script: &Path) {
    let name = script.file_stem().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(script).unwrap().replace('\r', "");
    // one client ends its lines with CR LF
    let input = if name == "gtp2ogs" { text.replace('\n', "\r\n") } else { text.clone() };
    let folder = Folder::new();
    std::fs::write(folder.path().join("game.sgf"), RECORD).unwrap();
    let output = folder.run(&set_arguments(&LIMITS), input.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{name}");
    assert_harmless(&String::from_utf8(output.stderr).unwrap(), name);

    let mut sent: Vec<Sent<'_>> = text.lines().filter_map(Sent::parse).collect();
    if let Some(quit) = sent.iter().position(|command| command.name == "quit") {
        sent.truncate(quit + 1);
    }
    let stdout = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<String> = stdout.split_terminator("\n\n").map(str::to_owned).collect();
    let dialogue = dialogue(&sent, &answers, name);
    expect_file![script.with_extension("out")].assert_eq(&dialogue);
    let answers = answers_in_turn(&folder, &sent, if name == "gtp2ogs" { "\r\n" } else { "\n" }, name);
    assert_eq!(self::dialogue(&sent, &answers, name), dialogue, "{name}: one command at a time");
}

/// The commands, each with its masked answer.
fn dialogue(sent: &[Sent<'_>], answers: &[String], name: &str) -> String {
    assert_eq!(answers.len(), sent.len(), "{name}: answers and commands\n{}", answers.join("\n\n"));
    let mut dialogue = String::new();
    let mut masks = Masks::new();
    for (command, answer) in sent.iter().zip(answers) {
        let masked = masks.apply(command, answer);
        dialogue += format!("{}\n{}\n\n", command.line, masked.trim_end()).trim_start();
    }
    dialogue
}

/// The answers to commands of which each is sent after the answer to the one before, or after two reports of an analysis.
fn answers_in_turn(folder: &Folder, sent: &[Sent<'_>], line_end: &str, name: &str) -> Vec<String> {
    let mut engine = start(folder, &LIMITS);
    let mut answers: Vec<String> = Vec::new();
    for command in sent {
        engine.stdin.as_mut().unwrap().write_all(format!("{}{line_end}", command.line).as_bytes()).unwrap();
        if let Some(report) = answers.last_mut().filter(|last| last.ends_with('\n')) {
            // the rest of an analysis
            *report = format!("{report}{}", rest_of_answer(&mut engine));
        }
        let mut answer = engine.read_line();
        if command.is_stream() && answer.starts_with('=') {
            (0..2).for_each(|_| answer += &engine.read_line());
            assert!(answer.lines().skip(1).all(|line| line.starts_with("info move ")), "{name}: {answer}");
        } else {
            answer = format!("{answer}{}", rest_of_answer(&mut engine)).trim_end_matches('\n').to_owned();
        }
        answers.push(answer);
    }
    let (code, stderr) = engine.end();
    assert_eq!(code, Some(0), "{name}");
    assert_harmless(&stderr, name);
    answers
}

/// The lines up to the empty one.
fn rest_of_answer(engine: &mut Running) -> String {
    let lines = std::iter::repeat_with(|| engine.read_line()).take_while(|line| line != "\n");
    lines.collect::<String>().trim_end_matches('\n').to_owned()
}

/// Some clients read stderr, too, and would parse a line of one of these forms as an answer.
fn assert_harmless(stderr: &str, name: &str) {
    for line in stderr.lines() {
        let is_answer = ["=", "?", "info", "play"].iter().any(|start| line.starts_with(start));
        assert!(!is_answer && !line.contains(" -> "), "{name}: on stderr: {line}");
    }
}

/// Masks the parts of answers that vary between runs.
struct Masks {
    coordinate: Coordinate,
    /// Whether the engine has chosen a move in this game.
    has_chosen: bool,
}

impl Masks {
    fn new() -> Masks {
        Masks { coordinate: Coordinate::square(19).unwrap(), has_chosen: false }
    }

    /// The answer as written to the dialogue, after its framing and the masked parts have been validated.
    fn apply(&mut self, command: &Sent<'_>, answer: &str) -> String {
        let context = || format!("{}: {answer}", command.line);
        let (mark, framed) = answer.split_at(1);
        assert!(mark == "=" || mark == "?", "{}", context());
        let text = framed.strip_prefix(command.id).and_then(|framed| framed.strip_prefix(' '));
        let text = text.unwrap_or_else(|| panic!("no id or no space: {}", context()));
        let is_unknown = mark == "?" && text == "unknown command";
        assert_eq!(is_unknown, find(command.name).is_none(), "{}", context());
        if mark == "?" {
            assert!(!text.is_empty() && !text.contains('\n') && !text.contains("internal"), "{}", context());
            return answer.to_owned();
        }
        let lines: Vec<&str> = text.lines().skip_while(|line| line.is_empty()).collect();
        let text = match command.name {
            "boardsize" | "rectangular_boardsize" => {
                let mut sides = command.arguments.split_whitespace().map(|side| side.parse().unwrap());
                let width = sides.next().unwrap();
                self.coordinate = Coordinate::new(width, sides.next().unwrap_or(width)).unwrap();
                self.has_chosen = false;
                text.to_owned()
            }
            "clear_board" => {
                self.has_chosen = false;
                text.to_owned()
            }
            name if name.contains("genmove") => {
                self.has_chosen = true;
                let (vertex, infos) = lines.split_last().unwrap();
                infos.iter().for_each(|info| drop(Report::parse(info)));
                let bare = vertex.strip_prefix("play ").unwrap_or(vertex);
                assert!(self.is_move(bare), "{}", context());
                vertex.replace(bare, "MOVE")
            }
            _ if command.is_stream() => {
                lines.iter().filter(|line| !line.is_empty()).for_each(|info| self.check_report(command, info));
                String::new()
            }
            "place_free_handicap" => {
                let vertices: Vec<&str> = text.split(' ').collect();
                assert!(vertices.iter().all(|vertex| self.is_move(vertex)), "{}", context());
                assert_eq!(vertices.len().to_string(), command.arguments, "{}", context());
                self.has_chosen = true;
                "POINTS".to_owned()
            }
            "list_stones" if self.has_chosen => {
                assert!(text.split_whitespace().all(|vertex| self.is_move(vertex)), "{}", context());
                "POINTS".to_owned()
            }
            "final_score" if self.has_chosen => {
                let number = text.strip_prefix("B+").or_else(|| text.strip_prefix("W+"));
                let is_score = number.is_some_and(|number| number.parse::<f64>().is_ok_and(|points| points > 0.0));
                assert!(is_score || text == "0", "{}", context());
                "SCORE".to_owned()
            }
            "kifuwarabe-ownership" | "kifuwarabe-criticality" => {
                let numbers = text.split_whitespace().filter(|number| number.parse::<f64>().is_ok());
                assert_eq!(numbers.count(), self.coordinate.board_area(), "{}", context());
                "NUMBERS".to_owned()
            }
            "kifuwarabe-search_params" if command.arguments.is_empty() => {
                assert!(lines.iter().all(|line| line.starts_with('[')) && lines.len() > 20, "{}", context());
                "PARAMETERS".to_owned()
            }
            "kifuwarabe-visits" | "kifuwarabe-variation" => {
                assert!(self.is_move(text.split(' ').next().unwrap()), "{}", context());
                "MOVES".to_owned()
            }
            "cputime" | "gomill-cpu_time" => {
                assert!(text.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0), "{}", context());
                "SECONDS".to_owned()
            }
            "list_commands" => {
                let is_command = |name: &str| COMMANDS.iter().any(|command| command.name == name);
                assert!(text.lines().all(is_command) && text.lines().count() + 10 > COMMANDS.len(), "{}", context());
                "COMMANDS".to_owned()
            }
            _ => text.replace(VERSION, "VERSION"),
        };
        format!("{mark}{} {text}", command.id)
    }

    /// Checks a report of an analysis: its form, the moves that the command excludes or selects, and the parts it asks for.
    fn check_report(&self, command: &Sent<'_>, info: &str) {
        let report = Report::parse(info);
        let moves: Vec<String> = report.moves.iter().map(|segment| segment.name().to_lowercase()).collect();
        let (avoided, allowed) = (command.restricted("avoid"), command.restricted("allow"));
        assert!(
            !avoided.is_some_and(|points| moves.iter().any(|name| points.contains(name))),
            "{}: {info}",
            command.line
        );
        assert!(
            allowed.is_none_or(|points| moves.iter().all(|name| points.contains(name))),
            "{}: {info}",
            command.line
        );
        let owners = info.split_once(" ownership ").map(|(_, numbers)| numbers.split(' ').count());
        let expected = command.arguments.contains("ownership true").then(|| self.coordinate.board_area());
        assert_eq!(owners, expected, "{}: {info}", command.line);
        assert_eq!(
            info.contains(" rootInfo "),
            command.arguments.contains("rootInfo true"),
            "{}: {info}",
            command.line
        );
    }

    /// Whether a text is a possible answer of `genmove`, exactly in the form that every client reads.
    fn is_move(&self, text: &str) -> bool {
        let point = self.coordinate.parse_vertex(text);
        point.is_ok_and(|point| self.coordinate.vertex(point) == text) || text == "pass" || text == "resign"
    }
}

#[test]
fn the_version_has_the_form_that_clients_require() {
    let numbers: Vec<u32> = VERSION.split('.').map(|number| number.parse().unwrap()).collect();
    assert!(numbers.len() == 3 && numbers[1] >= 15, "{VERSION}");
}

//! A session: command lines to an engine confined to an empty folder.

use kifuwarabe_uec14::gtp::table::COMMANDS;
use kifuwarabe_uec14::gtp::{Audience, Engine, serve};
use kifuwarabe_uec14::io::files::DataFolder;
use kifuwarabe_uec14::kernel::Coordinate;
use kifuwarabe_uec14::protocol::line::{Request, StreamLines, clean};

use crate::support::empty_position;

/// Words for the bytes from 0x80 on, except at the start of a line, where these stand for commands.
const WORDS: &[&str] = &[
    "black",
    "white",
    "b",
    "w",
    "pass",
    "resign",
    "A1",
    "B2",
    "C3",
    "D4",
    "A2",
    "B1",
    "I5",
    "T19",
    "Z25",
    "Z26",
    "0",
    "1",
    "2",
    "3",
    "9",
    "19",
    "25",
    "-1",
    "6.5",
    "1e308",
    "nan",
    "inf",
    "4294967296",
    "18446744073709551616",
    "true",
    "false",
    "get",
    "set",
    "file",
    "a",
    "a.sgf",
    "b.json",
    "c.svg",
    "\"a b\"",
    "..",
    "/",
    "rens",
    "ownership",
    "variation",
    "alive",
    "dead",
    "seki",
    "captures",
    "avoid",
    "allow",
    "interval",
    "maxmoves",
    "minmoves",
    "rootInfo",
    "pvVisits",
    "MaxPlayouts",
    "MaxVisits",
    "Seconds",
    "Threads",
    "Level",
    "Seed",
    "MemoryMB",
    "Ponder",
    "LiveGraphics",
    "Komi",
    "Rules",
    "byoyomi",
    "canadian",
    "absolute",
    "fischer",
    "none",
    "japanese",
    "tromp-taylor",
    "ko",
    "SITUATIONAL",
    "suicide",
    "scoring",
    "TERRITORY",
    "{\"ko\":\"SIMPLE\"}",
    ",",
    "#",
    "12 ",
    "\t",
    "A1,B2",
    "\u{3042}",
];

/// Commands that search or run status playouts. Each takes a fixed time, however short the input is.
const SEARCH_COMMANDS: &[&str] = &[
    "all_move_values",
    "dragon_data",
    "dragon_status",
    "estimate_score",
    "experimental_score",
    "final_score",
    "final_status",
    "final_status_list",
    "genmove",
    "genmove_black",
    "genmove_debug",
    "genmove_white",
    "gg_genmove",
    "gogui-rules_final_result",
    "kata-analyze",
    "kata-genmove_analyze",
    "kata-search",
    "kata-search_analyze",
    "kata-search_analyze_cancellable",
    "kata-search_cancellable",
    "kata-search_debug",
    "kgs-genmove_cleanup",
    "kifuwarabe-criticality",
    "kifuwarabe-ownership",
    "kifuwarabe-score_details",
    "kifuwarabe-variation",
    "kifuwarabe-visits",
    "lz-analyze",
    "lz-genmove_analyze",
    "new_score",
    "place_free_handicap",
    "print_board",
    "printsgf",
    "reg_genmove",
    "restricted_genmove",
    "top_moves",
    "top_moves_black",
    "top_moves_white",
];

/// The maximum number of these commands in a session.
const MAX_SEARCHES: usize = 2;

/// Each line is a command line; bytes from 0x80 on are replaced by [`WORDS`].
pub fn run(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::new(empty_position(Coordinate::square(5).unwrap()));
    engine.files.folder = DataFolder::new(folder.path()).unwrap();
    engine.player.options.seed = 1;
    // searches are short; a flag of the stop signal would be cleared by the next line
    engine.player.options.max_playouts = 20;
    let input = expand(data);
    let mut output = Vec::new();
    serve(&mut engine, &mut StreamLines::new(input.as_slice()), &mut output, Audience::Program).unwrap();
    check(&input, &String::from_utf8(output).unwrap());
    engine.position.assert_consistent();
    engine.position.board().assert_consistent();
}

/// The command lines for these bytes.
fn expand(data: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut searches = 0;
    for line in data.split(|&byte| byte == b'\n') {
        let mut text = Vec::new();
        for &byte in line {
            if byte < 0x80 {
                text.push(byte);
                continue;
            }
            let number = usize::from(byte - 0x80);
            let word =
                if text.is_empty() { COMMANDS[number % COMMANDS.len()].name } else { WORDS[number % WORDS.len()] };
            if !text.is_empty() {
                text.push(b' ');
            }
            text.extend(word.as_bytes());
        }
        let cleaned = clean(&text);
        let is_search = Request::parse(&cleaned).is_some_and(|request| SEARCH_COMMANDS.contains(&request.name));
        searches += usize::from(is_search);
        if !is_search || searches <= MAX_SEARCHES {
            lines.extend(text);
            lines.push(b'\n');
        }
    }
    lines
}

/// Checks for one well-formed answer with the right id to each command until `quit`.
fn check(input: &[u8], output: &str) {
    let mut rest = output;
    for line in input.split(|&byte| byte == b'\n').map(clean) {
        let Some(Request { id, name, .. }) = Request::parse(&line) else { continue };
        let (answer, others) = rest.split_once("\n\n").unwrap_or_else(|| panic!("no answer to {line:?}: {rest:?}"));
        let text = answer.strip_prefix(['=', '?']).and_then(|text| text.strip_prefix(id.unwrap_or_default()));
        let text = text.and_then(|text| text.strip_prefix(' ')).unwrap_or_else(|| panic!("{line:?}: {answer:?}"));
        assert_ne!(text, "internal error", "{line:?}");
        assert!(answer.starts_with('=') || !text.contains('\n'), "{line:?}: {answer:?}");
        let is_control = |character: char| character.is_control() && character != '\n';
        assert!(!answer.chars().any(is_control), "{line:?}: {answer:?}");
        rest = others;
        if name == "quit" && answer.starts_with('=') {
            break;
        }
    }
    assert_eq!(rest, "");
}

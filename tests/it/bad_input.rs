//! Invalid input gets a one-line error and changes nothing.

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::gtp::table::COMMANDS;
use kifuwarabe_uec14::protocol::line::MAX_LINE;

use crate::engine::{Folder, answers, engine};

/// An engine in a state that differs from the initial one: a game with captures, a ko, and a changed flag.
fn played() -> Engine {
    let mut engine = engine();
    let script = "boardsize 9\nkomi 5.5\ncan_not_put_on_my_eye set true\nplay b C2\nplay w D2\nplay b B3\nplay w E3\nplay b C4\n\
                  play w D4\nplay b D3\nplay w C3\nplay b pass\n";
    assert!(!answers(&mut engine, script.as_bytes()).contains('?'));
    engine
}

/// The observable state of an engine.
fn state(engine: &mut Engine) -> String {
    answers(engine, b"showboard\nboard\nrecord\nrecord captures\nrendb_dump\nrendb_board\ncan_not_put_on_my_eye get\n")
}

/// The answer to an invalid line, which must be a one-line error and leave the state unchanged.
#[track_caller]
fn refused(engine: &mut Engine, line: &[u8]) -> String {
    let before = state(engine);
    let answer = answers(engine, &[line, b"\n"].concat());
    let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
    assert!(answer.starts_with("? ") && answer.ends_with("\n\n"), "{shown}: {answer}");
    assert_eq!(answer.matches('\n').count(), 2, "{shown}: {answer}");
    assert!(answer.len() < 1300, "{shown}: an answer of {} bytes", answer.len());
    assert_eq!(state(engine), before, "{shown}");
    answer
}

#[test]
fn missing_surplus_and_invalid_arguments_are_refused() {
    let mut engine = played();
    for line in [
        "play",
        "play black",
        "play black A1 A2",
        "play black I5",
        "play black A0",
        "play black Z26",
        "play black a",
        "play black 9",
        "play black resign",
        "play green A1",
        "play wall A1",
        "play space A1",
        "play black C3 pass",
        "gogui-analyze_commands 1",
        "gogui-title 1",
        "kifuwarabe-rens 1",
        "kifuwarabe-get_liberty",
        "kifuwarabe-get_liberty pass",
        "kifuwarabe-legal_moves",
        "kifuwarabe-legal_moves green",
        "kifuwarabe-ownership 1",
        "printsgf \"\"",
        "loadsgf \"\"",
        "rendb_save \"\"",
        "rendb_load \"\"",
        "board_set file \"\"",
        "kifuwarabe-search_params Thread 1",
        "kifuwarabe-search_params Threads",
        "kifuwarabe-search_params Threads 65",
        "kifuwarabe-search_params Resign 2",
        "kifuwarabe-search_params ReportWinrateAs green",
        "kifuwarabe-search_params Threads 1 2",
        "kifuwarabe-rule_params Rules other",
        "kifuwarabe-rule_params Komi nan",
        "kifuwarabe-rule_params Komi 1e300",
        "kifuwarabe-rule_params Komi -1000000.5",
        "kifuwarabe-rule_params Can_not_put_on_my_eye true",
        "kifuwarabe-rule_params Suicide 1",
        "kifuwarabe-rule_params Komi 1 2",
        "lz-analyze green",
        "lz-analyze b ownership true",
        "lz-analyze interval",
        "lz-analyze interval often",
        "lz-analyze -5",
        "lz-analyze 1e400",
        "lz-analyze nan",
        "lz-analyze b 1..5",
        "kata-analyze b ownership",
        "kata-analyze b ownership yes",
        "kata-analyze b movesOwnership maybe",
        "kata-analyze minmoves",
        "kata-analyze minmoves -1",
        "kata-analyze maxmoves many",
        "kata-genmove_analyze b avoid",
        "kata-genmove_analyze b avoid b",
        "kata-genmove_analyze b avoid b A1",
        "kata-genmove_analyze b avoid b A1 0",
        "kata-genmove_analyze b avoid b , 1",
        "kata-genmove_analyze b avoid b A1,T19 1",
        "kata-genmove_analyze b avoid A1 b 1",
        "kata-genmove_analyze b allow b A1 1 allow b A2 1",
        "kata-genmove_analyze b allow w A1 1 avoid w A2 1",
        "kata-genmove_analyze b avoid w A1 1 allow w A2 1",
        "kata-search_analyze b b please",
        "lz-genmove_analyze resign",
        "boardsize",
        "boardsize 9 9 9",
        "boardsize 9 26",
        "boardsize 1 9",
        "boardsize 9 x",
        "boardsize 9:",
        "boardsize 9:13 9",
        "boardsize 9:13:9",
        "boardsize 9x13",
        "rectangular_boardsize",
        "rectangular_boardsize 26 2",
        "rectangular_boardsize 9 13 1",
        "gogui-rules_board 1",
        "gogui-rules_board_size 1",
        "gogui-rules_captured_count 1",
        "gogui-rules_final_result 1",
        "gogui-rules_game_id 1",
        "gogui-rules_legal_moves b",
        "gogui-rules_side_to_move b",
        "boardsize 1",
        "boardsize 26",
        "boardsize -9",
        "boardsize 9.0",
        "boardsize 99999999999999999999",
        "komi",
        "komi six",
        "komi 7,50",
        "komi nan",
        "komi inf",
        "komi 6.5 7",
        "clear_board now",
        "undo 1",
        "board 1",
        "showboard 1",
        "record 1",
        "record captures 1",
        "find_all_rens 1",
        "can_not_put_on_my_eye",
        "can_not_put_on_my_eye set",
        "can_not_put_on_my_eye set yes",
        "can_not_put_on_my_eye get it",
        "can_not_put_on_my_eye set false true",
        "remove_ren",
        "remove_ren A1",
        "remove_ren J10",
        "remove_ren C2 D2",
        "rendb_dump 1",
        "rendb_board 0",
        "rendb_board 99",
        "rendb_board -1",
        "rendb_board 1 2",
        "rendb_load",
        "rendb_save",
        "print_board a.svg b.svg",
        "print_board a.svg liberties",
        "print_board rens a.svg",
        "print_board owership",
        "print_board svg",
        "print_board .svg",
        "print_board \"a.svg",
        "test_coord",
        "test_coord A1 A2",
        "test_file I1",
        "test_rank a",
        "test_get_liberty",
        "test_get_liberty pass",
        "test_get_liberty A1 A2",
        "test_get_point_from_code K1",
        "test_get_point_from_xy 1",
        "test_get_point_from_xy 11 1",
        "test_get_point_from_xy 1 2 3",
        "test_x -1",
        "test_x 25",
        "test_y 99",
        "name x",
        "version x",
        "protocol_version x",
        "list_commands x",
        "quit now",
        "help me",
        "help play undo",
        "board_set",
        "board_set file",
        "board_set text x",
        "frobnicate",
        "PLAY black A1",
    ] {
        refused(&mut engine, line.as_bytes());
    }
}

#[test]
fn errors_name_the_found_and_the_expected_value() {
    let mut engine = played();
    for (line, answer) in [
        ("play black I5", "? unexpected vertex:I5, expected A1 to J9 (there is no column I) or pass\n\n"),
        ("play green A1", "? unexpected stone:green, expected black or white\n\n"),
        ("play black", "? missing vertex, usage: play COLOR VERTEX\n\n"),
        ("undo 1", "? unexpected argument:1, usage: undo\n\n"),
        (
            "lz-analyze allow b A1 1 avoid b B1 5",
            "? unexpected argument:avoid, expected no avoid after allow for black\n\n",
        ),
        ("boardsize 26", "? unacceptable size\n\n"),
        ("boardsize 99999999999999999999", "? unacceptable size\n\n"),
        ("rendb_save /absent-folder/x", "? error:cannot write /absent-folder/x: no such folder\n\n"),
        ("frobnicate", "? unknown command\n\n"),
        ("rendb_board 99", "? unexpected ordinal:99, the ren database holds positions 1 to 10\n\n"),
    ] {
        assert_eq!(refused(&mut engine, line.as_bytes()), answer);
    }
}

#[test]
fn invalid_text_is_refused_and_control_characters_are_dropped() {
    let mut engine = played();
    refused(&mut engine, b"\xff\xfe\x80");
    refused(&mut engine, b"play black \xff1");
    refused(&mut engine, b"play bl\xe3ck A1");
    refused(&mut engine, "play black Ａ１".as_bytes());
    refused(&mut engine, b"board_set file \xff\xff");
    // different names would become one
    for name in [b"a\xfeb.sgf", b"a\xffb.sgf"] {
        refused(&mut engine, &[&b"printsgf "[..], name].concat());
    }
    assert_eq!(answers(&mut engine, b"\x00na\x01me\x7f\n"), "= Kifuwarabe UEC14\n\n");
}

#[test]
fn an_overlong_line_is_refused_and_the_next_one_executed() {
    let mut engine = played();
    for start in ["play black ", "board_set file ", "7 name "] {
        let mut line = start.as_bytes().to_vec();
        line.resize(5_000_000, b'x');
        let before = state(&mut engine);
        line.extend(b"\nname\n");
        let answer = answers(&mut engine, &line);
        let (long, next) = answer.split_once("\n\n").unwrap();
        assert!(long.starts_with('?') && long.contains("5000000") && long.contains(&MAX_LINE.to_string()), "{long}");
        assert_eq!(next, "= Kifuwarabe UEC14\n\n");
        assert_eq!(state(&mut engine), before);
    }
    let comment = [b"# ".as_slice(), &vec![b'x'; 5_000_000], b"\nname\n"].concat();
    assert_eq!(answers(&mut engine, &comment), "= Kifuwarabe UEC14\n\n");
    // a line just below the limit is parsed
    let mut line = b"play black ".to_vec();
    line.resize(MAX_LINE, b'x');
    assert!(refused(&mut engine, &line).starts_with("? unexpected vertex:xxx"));
}

#[test]
fn missing_and_malformed_files_are_refused() {
    let folder = Folder::new();
    let mut engine = played();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("empty", b"");
    write("binary", &(0..=255).collect::<Vec<u8>>().repeat(300));
    write("nested", format!("{{\"header\":{}", "[".repeat(1_000_000)).as_bytes());
    write("long", "+".repeat(1_000_000).as_bytes());
    write("no frame", b".........\n".repeat(13).as_slice());
    write(
        "dead",
        b"+++++++++++ +.........+ +.........+ +...x.....+ +..xox....+ +...x.....+ +.........+ +.........+ \
                    +.........+ +.........+ +++++++++++",
    );
    write("gap", "+++++++++++\n+.........+\n".repeat(20).as_bytes());
    for name in [
        "missing",
        "empty",
        "binary",
        "nested",
        "long",
        "no frame",
        "dead",
        "gap",
        "data",
        "data/board1.txt",
        "data/ren_db1.json",
    ] {
        refused(&mut engine, format!("board_set file {}", path(name)).as_bytes());
        refused(&mut engine, format!("rendb_load {}", path(name)).as_bytes());
    }
    #[cfg(unix)]
    for name in ["/dev/zero", "/dev/null"] {
        refused(&mut engine, format!("board_set file {name}").as_bytes());
        refused(&mut engine, format!("rendb_load {name}").as_bytes());
        refused(&mut engine, format!("rendb_save {name}").as_bytes());
    }
    refused(&mut engine, format!("rendb_save {}", path("no folder/x.json")).as_bytes());
    refused(&mut engine, format!("rendb_save {}", path("data")).as_bytes());
    let answer = refused(&mut engine, format!("board_set file {}", path("missing")).as_bytes());
    assert!(answer.starts_with(&format!("? unexpected file:{}", path("missing").get(..20).unwrap())), "{answer}");
    let answer = refused(&mut engine, format!("board_set file {}", path("dead")).as_bytes());
    assert!(answer.ends_with(", the ren at D4 has no liberty\n\n"), "{answer}");
    let answer = refused(&mut engine, format!("board_set file {}", path("data/board1.txt")).as_bytes());
    assert_eq!(answer, "? board out of bounds i:121 size:121\n\n");
}

#[test]
fn random_arguments_get_one_well_formed_answer() {
    let folder = Folder::new();
    let mut rng = fastrand::Rng::with_seed(14);
    let words = [
        "black",
        "w",
        "A1",
        "t19",
        "pass",
        "resign",
        "I5",
        "",
        "-1",
        "0",
        "1",
        "2",
        "19",
        "25",
        "26",
        "1e9",
        "true",
        "get",
        "set",
        "file",
        "data/board1.txt",
        "data/ren_db1.json",
        "6.5",
        "nan",
        "\u{3042}",
        "#",
        "\t",
        "x y",
        "'''",
        "captures",
        "play",
        "999999999999999999999",
    ];
    for command in COMMANDS.iter().filter(|command| command.name != "quit") {
        let mut engine = played();
        for _ in 0..200 {
            let mut line = command.name.to_owned();
            for _ in 0..rng.usize(0..=4) {
                line.push(' ');
                line.push_str(rng.choice(words).unwrap());
            }
            // files are written in the temporary folder only
            let file = format!("{} {}/{}", command.name, folder.path().display(), rng.u8(..4));
            match command.name {
                "rendb_save" | "printsgf" => line = file,
                "print_board" => line = line.replacen(command.name, &format!("{file}.svg"), 1),
                _ => {}
            }
            let answer = answers(&mut engine, format!("{line}\n").as_bytes());
            let body = answer.strip_suffix("\n\n").unwrap_or_else(|| panic!("{line}: {answer}"));
            assert!(body.starts_with("= ") || body.starts_with("? "), "{line}: {answer}");
            assert!(!body.contains("\n\n") && !body.contains("internal error"), "{line}: {answer}");
        }
        engine.position.assert_consistent();
    }
}

#[test]
fn only_spaces_and_tabs_are_white_space() {
    let mut engine = played();
    assert_eq!(answers(&mut engine, b" \t\r\n\n# x\n"), "");
    for line in ["\u{a0}", "\u{3000}", " \u{2003} "] {
        assert_eq!(refused(&mut engine, line.as_bytes()), "? unknown command\n\n");
    }
}

//! Values and errors of every key, overrides, former names, and the lookup of the file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use crate::config::error::ConfigError;
use crate::config::load::{BUILT_IN, FILE_NAME};
use crate::config::print::quote;
use crate::config::settings::{BUILT_IN_NAME, Settings};
use crate::config::types::*;
use crate::kernel::{Color, Coordinate, GameRule, Stone};
use crate::player::options::{self, Options};
use crate::search::params;

const NONE: &[&str] = &[];

fn strings(sets: &[&str]) -> Vec<String> {
    sets.iter().map(|set| (*set).to_owned()).collect()
}

/// The configuration from `text` as `engine.toml` in the working directory, with overrides.
fn check(text: &str, sets: &[&str]) -> Result<EngineConfig, String> {
    let load = || -> Result<_, ConfigError> {
        let mut settings = Settings::default();
        settings.add_file(BUILT_IN_NAME, BUILT_IN)?;
        settings.add_file("engine.toml", text)?;
        sets.iter().try_for_each(|set| settings.add_override(set))?;
        settings.check(Some(Path::new("engine.toml")))
    };
    load().map_err(|error| error.to_string())
}

#[track_caller]
fn assert_error(text: &str, sets: &[&str], expected: &str) {
    assert_eq!(check(text, sets).unwrap_err(), expected);
}

#[test]
fn built_in_file_has_every_key_with_its_default() {
    let config = EngineConfig::built_in(&[]).unwrap();
    let here = std::env::current_dir().unwrap();
    let expected = EngineConfig {
        source: None,
        game: GameConfig {
            rule: GameRule::with_komi(6.5),
            board_size: Coordinate::square(19).unwrap(),
            max_moves: 722,
            board_data: String::new(),
            stones: None,
            play_first: Color::Black,
        },
        paths: PathsConfig {
            plain_text_log: Some(here.join("kifuwarabe-uec14.log")),
            json_log: Some(here.join("kifuwarabe-uec14-json.log")),
            data_folder: None,
        },
        gtp: GtpConfig { illegal_move: IllegalMoveAnswer::Reason },
        search: Options::default(),
        net: NetConfig { is_used: true, file: None, precision: None },
        log: LogConfig { console: ConsoleMode::Auto, rotation: Rotation::Size, max_megabytes: 16, max_files: 8 },
    };
    assert_eq!(config, expected);
    assert_eq!(check("", NONE).unwrap().game, config.game);
}

#[test]
fn errors_name_the_line_and_the_key() {
    let cases = [
        ("[Game]\nBoardSize = 99", "engine.toml:2: Game.BoardSize: expected 2 to 25, found 99"),
        ("[Game]\nBoardSize = 1", "engine.toml:2: Game.BoardSize: expected 2 to 25, found 1"),
        ("[Game]\nBoardSize = -1", "engine.toml:2: Game.BoardSize: expected 2 to 25, found -1"),
        ("[Game]\nBoardSize = 0xFF", "engine.toml:2: Game.BoardSize: expected 2 to 25, found 0xFF"),
        (
            "[Game]\nBoardSize = 19.0",
            "engine.toml:2: Game.BoardSize: expected an integer or a string such as \"9x13\", found 19.0",
        ),
        (
            "[Game]\nBoardSize = [9]",
            "engine.toml:2: Game.BoardSize: expected an integer or a string such as \"9x13\", found an array",
        ),
        (
            "[Game]\nBoardSize = '9x1'",
            "engine.toml:2: Game.BoardSize: expected 2 to 25, or width and height such as 9x13, found \"9x1\"",
        ),
        ("[Game]\n\nKome = 6.5", "engine.toml:3: Game.Kome: unknown key, did you mean Komi?"),
        ("[game]\nKomi = 6.5", "engine.toml:1: game: unknown section, did you mean Game?"),
        (
            "[Game]\nHandicap = 2",
            "engine.toml:2: Game.Handicap: unknown key, expected one of Komi, Rules, BoardSize, MaxMoves, BoardData, PlayFirst",
        ),
        ("[Game]\r\n\r\nkomi = 6.5\r\n", "engine.toml:3: Game.komi: unknown key, did you mean Komi?"),
        (
            "\n\n\n[Game]\nKomi = 'x'",
            "engine.toml:5: Game.Komi: expected a number from -1000000 to 1000000, found \"x\"",
        ),
        ("[Game]\nKomi = true", "engine.toml:2: Game.Komi: expected a number from -1000000 to 1000000, found true"),
        (
            "[Game]\nKomi = 2022-09-14",
            "engine.toml:2: Game.Komi: expected a number from -1000000 to 1000000, found 2022-09-14",
        ),
        (
            "[Game]\nKomi = {a = 1}",
            "engine.toml:2: Game.Komi: expected a number from -1000000 to 1000000, found a table",
        ),
        ("[Game]\nKomi = nan", "engine.toml:2: Game.Komi: expected a finite number, found nan"),
        ("[Game]\nKomi = -inf", "engine.toml:2: Game.Komi: expected a finite number, found -inf"),
        ("[Game]\nMaxMoves = 0", "engine.toml:2: Game.MaxMoves: expected 1 to 1000000, found 0"),
        ("[Game]\nMaxMoves = 1_000_001", "engine.toml:2: Game.MaxMoves: expected 1 to 1000000, found 1000001"),
        (
            "[Game]\nMaxMoves = 99999999999999999999",
            "engine.toml:2: Game.MaxMoves: expected 1 to 1000000, found 99999999999999999999",
        ),
        (
            "[Game]\nPlayFirst = 'red\"\\n'",
            "engine.toml:2: Game.PlayFirst: expected black or white, found \"red\\\"\\\\n\"",
        ),
        ("[Game]\nPlayFirst = 1", "engine.toml:2: Game.PlayFirst: expected black or white, found 1"),
        ("[Game]\nBoardData = 1", "engine.toml:2: Game.BoardData: expected a string, found 1"),
        ("[Paths]\nJsonLog = false", "engine.toml:2: Paths.JsonLog: expected a string, found false"),
        (
            "[Paths]\nLog = ''",
            "engine.toml:2: Paths.Log: unknown key, expected one of PlainTextLog, JsonLog, DataFolder",
        ),
        (
            "[Paths]\nPlainTextLog = 'a.log'\nJsonLog = './a.log'",
            "engine.toml:3: Paths.JsonLog: the same file as Paths.PlainTextLog",
        ),
        (
            "[Paths]\nPlainTextLog = 'a.log'\nJsonLog = 'a.log.1'",
            "engine.toml:3: Paths.JsonLog: the name of an older file of Paths.PlainTextLog",
        ),
        (
            "[Paths]\nPlainTextLog = 'a.log.2022-09-14'\nJsonLog = 'a.log'\n[Log]\nRotation = 'daily'",
            "engine.toml:2: Paths.PlainTextLog: the name of an older file of Paths.JsonLog",
        ),
        (
            "[Log]\nConsole = 'loud'",
            "engine.toml:2: Log.Console: expected one of auto, echo, full, off, found \"loud\"",
        ),
        (
            "[Log]\nRotation = 'weekly'",
            "engine.toml:2: Log.Rotation: expected one of never, daily, size, found \"weekly\"",
        ),
        ("[Log]\nMaxMegabytes = 4097", "engine.toml:2: Log.MaxMegabytes: expected 1 to 4096, found 4097"),
        ("[Search]\nThreads = 65", "engine.toml:2: Search.Threads: expected 0 to 64, found 65"),
        ("[Search]\nThreads = -1", "engine.toml:2: Search.Threads: expected 0 to 64, found -1"),
        ("[Search]\nThreads = 2.5", "engine.toml:2: Search.Threads: expected a whole number from 0 to 64, found 2.5"),
        ("[Search]\nSeconds = 0", "engine.toml:2: Search.Seconds: expected 0.001 to 3600, found 0.0"),
        ("[Search]\nSeconds = 1e300", "engine.toml:2: Search.Seconds: expected 0.001 to 3600, found 1e300"),
        ("[Search]\nLagBuffer = inf", "engine.toml:2: Search.LagBuffer: expected a finite number, found inf"),
        ("[Search]\nResign = 2", "engine.toml:2: Search.Resign: expected true or false, found 2"),
        (
            "[Search]\nReportWinrateAs = 'mine'",
            "engine.toml:2: Search.ReportWinrateAs: expected side-to-move, black or white, found \"mine\"",
        ),
        ("[Search]\nMemoryMB = 15", "engine.toml:2: Search.MemoryMB: expected 16 to 65536, found 15"),
        ("[Search]\nPlayoutCapture = 1.5", "engine.toml:2: Search.PlayoutCapture: expected 0 to 1, found 1.5"),
        (
            "[Search]\nPlayoutCapture = 'x'",
            "engine.toml:2: Search.PlayoutCapture: expected a number from 0 to 1, found \"x\"",
        ),
        ("[Log]\nMaxFiles = 0", "engine.toml:2: Log.MaxFiles: expected 1 to 1000, found 0"),
        ("[Gama]\nKomi = 1", "engine.toml:1: Gama: unknown section, did you mean Game?"),
        // numbers as they are written in many languages, and other numbers that are none in TOML
        ("[Game]\nKomi = 7,5", "engine.toml:2: Komi: expected a decimal point, as in 7.5, found 7,5"),
        ("[Game]\nKomi = -7,5 # half", "engine.toml:2: Komi: expected a decimal point, as in -7.5, found -7,5"),
        ("[Game]\nKomi = '7,5'", "engine.toml:2: Game.Komi: expected a decimal point, as in 7.5, found 7,5"),
        ("Komi = 1", "engine.toml:1: Komi: key without a section, did you mean Game.Komi?"),
        ("\nGame = 1", "engine.toml:2: Game: expected a section, found an integer"),
        ("[[Game]]\nKomi = 1", "engine.toml:1: Game: expected a section, found an array"),
        // the error is about the first invalid line of the file, not the first name in the alphabet
        (
            "[Zoo]\n[Abc]",
            "engine.toml:1: Zoo: unknown section, expected one of the sections Game, Paths, Gtp, Search, Net, Log",
        ),
    ];
    for (text, expected) in cases {
        assert_error(text, NONE, expected);
    }
}

#[test]
fn syntax_errors_name_their_line() {
    for (text, line, named) in [
        ("[Game]\nKomi = \n", 2, "Komi: expected a value after ="),
        ("[Game]\nKomi 6.5\n", 2, "Komi 6.5: "),
        ("[Game]\nKomi = 1\nKomi = 2\n", 3, "Komi: "),
        ("[Game]\n[Game]\n", 2, "[Game]: duplicate key"),
        ("[Game]\n\nBoardData = '''\n\n", 5, ""),
        ("[Game", 1, "[Game: "),
    ] {
        let error = check(text, NONE).unwrap_err();
        assert!(error.starts_with(&format!("engine.toml:{line}: {named}")), "{text:?}: {error}");
        assert!(!error.contains('\n'), "{error:?}");
    }
    assert!(check(&format!("a = {}", "[".repeat(100_000)), NONE).is_err());
}

#[test]
fn spellings_of_values() {
    let text = "\u{feff}[Game]\nKomi = 7\nMaxMoves = 1_000\nPlayFirst = 'W'\nBoardSize = 0x9\n[Log]\nConsole = 'Full'";
    let config = check(text, NONE).unwrap();
    assert_eq!((config.game.rule.komi, config.game.max_moves, config.game.board_size.side()), (7.0, 1000, Some(9)));
    assert_eq!((config.game.play_first, config.log.console), (Color::White, ConsoleMode::Full));
    assert_eq!(check("Game.Komi = -0.5", NONE).unwrap().game.rule.komi, -0.5);
    assert_eq!(check("Game = { PlayFirst = 'BLACK' }", NONE).unwrap().game.play_first, Color::Black);
}

#[test]
fn logs_may_have_related_names() {
    for text in [
        "PlainTextLog = 'a.log'\nJsonLog = 'a.log.json'",
        "PlainTextLog = 'a.log'\nJsonLog = 'a.log.1'\n[Log]\nRotation = 'never'",
        "PlainTextLog = 'a.log'\nJsonLog = 'b.log.1'",
    ] {
        assert!(check(&format!("[Paths]\n{text}"), NONE).is_ok(), "{text}");
    }
}

#[test]
fn overrides_replace_values_of_the_file() {
    let config = check(
        "[Game]\nBoardSize = 99\nKomi = 'x'",
        &["Game.BoardSize=9", "Game.PlayFirst=white", "Game.Komi = 5.5", "Game.Komi=7", "Paths.JsonLog="],
    )
    .unwrap();
    assert_eq!((config.game.board_size.side(), config.game.rule.komi), (Some(9), 7.0));
    assert_eq!((config.game.play_first, config.paths.json_log), (Color::White, None));
    for (set, expected) in [
        ("Game.BoardSize=99", "--set Game.BoardSize=99: expected 2 to 25, found 99"),
        ("Game.Komi=7,5", "--set Game.Komi=7,5: expected a decimal point, as in 7.5, found 7,5"),
        ("Game.Komi=half", "--set Game.Komi=half: expected a number from -1000000 to 1000000, found \"half\""),
        (
            "Game.BoardSize=big",
            "--set Game.BoardSize=big: expected 2 to 25, or width and height such as 9x13, found \"big\"",
        ),
        ("Search.Threads=abc", "--set Search.Threads=abc: expected a whole number from 0 to 64, found \"abc\""),
        ("Search.Seconds=true", "--set Search.Seconds=true: expected a number from 0.001 to 3600, found true"),
        ("Net.Use=1", "--set Net.Use=1: expected true or false, found 1"),
        ("Game.PlayFirst=red", "--set Game.PlayFirst=red: expected black or white, found \"red\""),
        ("Game.Kome=1", "--set Game.Kome=1: unknown key, did you mean Komi?"),
        ("Game=1", "--set Game=1: expected SECTION.KEY=VALUE, such as Game.Komi=1"),
        ("Kome=1", "--set Kome=1: expected SECTION.KEY=VALUE, such as Game.Komi=1"),
        ("Level=9", "--set Level=9: expected SECTION.KEY=VALUE, such as Search.Level=9"),
        ("Komi=1\n2", "--set Komi=1\\n2: expected SECTION.KEY=VALUE, such as Game.Komi=1\\n2"),
        ("Game.Level=9", "--set Game.Level=9: unknown key, did you mean Search.Level?"),
        ("Komi.=1", "--set Komi.=1: unknown section, expected one of the sections Game, Paths, Gtp, Search, Net, Log"),
        ("Gam.Komi=1", "--set Gam.Komi=1: unknown section, did you mean Game?"),
        ("Game.Komi", "--set Game.Komi: expected KEY=VALUE, such as Game.BoardSize=9"),
        ("", "--set : expected KEY=VALUE, such as Game.BoardSize=9"),
        ("Game.Komi=\n1\nx", "--set Game.Komi=\\n1\\nx: expected a number from -1000000 to 1000000, found \"1\\nx\""),
    ] {
        assert_error("", &[set], expected);
    }
}

/// The comment of `Game.Rules` in engine.toml names every rule set.
#[test]
fn the_comment_names_every_rule_set() {
    let (_, comment) = BUILT_IN.split_once("# The rules: ").unwrap();
    let (list, _) = comment.split_once(". They differ").unwrap();
    let list = list.replace("\n# ", " ").replace(" or ", ", ");
    let names: Vec<&str> = list.split(", ").collect();
    assert_eq!(names, crate::kernel::GameRule::names().collect::<Vec<_>>());
}

#[test]
fn every_option_is_a_key() {
    for name in options::names() {
        let (_, value_type) = options::find(name).unwrap();
        let (text, spelled) = match value_type {
            options::ValueType::Integer { max, .. } => (max.to_string(), max.to_string()),
            options::ValueType::Number { min, .. } => (format!("{min:?}"), min.to_string()),
            options::ValueType::Boolean => ("false".to_owned(), "false".to_owned()),
            options::ValueType::Perspective => ("'white'".to_owned(), "white".to_owned()),
        };
        let key = format!("Search.{name}");
        let in_file = check(&format!("{key} = {text}"), NONE).unwrap();
        let set = check("", &[&format!("{key}={text}")]).unwrap();
        assert_eq!(in_file, set);
        assert_eq!(set.search.get(name).unwrap().to_string(), spelled, "{name}");
        // each default stands in one place: in engine.toml, or for tuning parameters in their table
        let is_written = BUILT_IN.contains(&format!("\n{name} = "));
        assert_eq!(is_written, params::find(name).is_none(), "{name}");
    }
    let error = check("[Search]\nThread = 1", NONE).unwrap_err();
    assert_eq!(error, "engine.toml:2: Search.Thread: unknown key, did you mean Threads?");
}

#[test]
fn former_key_names_are_accepted_in_files_and_overrides() {
    for (old, new) in options::RENAMED {
        let (_, value_type) = options::find(new).unwrap();
        let value = match value_type {
            options::ValueType::Integer { max, .. } => max.to_string(),
            options::ValueType::Number { max, .. } => format!("{max:?}"),
            // a switch that is on by default
            options::ValueType::Boolean => false.to_string(),
            options::ValueType::Perspective => unreachable!("{new}"),
        };
        let expected = check(&format!("Search.{new} = {value}"), NONE).unwrap();
        assert_ne!(expected.search, Options::default(), "{new}");
        assert_eq!(check(&format!("[Search]\n{old} = {value}"), NONE).unwrap(), expected);
        assert_eq!(check("", &[&format!("Search.{old}={value}")]).unwrap(), expected);
        // printed by its current name
        let printed = expected.to_toml();
        assert!(printed.contains(&format!("\n{new} = ")) && !printed.contains(&format!("\n{old} = ")), "{printed}");
        // a configuration in a log of an earlier version
        let logged = printed.replace(&format!("\n{new} = "), &format!("\n{old} = "));
        assert_eq!(EngineConfig::recorded(&logged, &[]).unwrap().search, expected.search, "{old}");
        // the later of two values applies, under either name
        for (first, last) in [(old, new), (new, old)] {
            let default = Options::default().get(new).unwrap();
            let sets = [format!("Search.{first}={default}"), format!("Search.{last}={value}")];
            assert_eq!(check("", &[&sets[0], &sets[1]]).unwrap(), expected);
            assert_eq!(check(&format!("Search.{first} = {default}"), &[&sets[1]]).unwrap(), expected);
        }
        // both names in one file are an error that names both
        let error = check(&format!("[Search]\n{old} = {value}\n{new} = {value}"), NONE).unwrap_err();
        assert_eq!(
            error,
            format!(
                "engine.toml:3: Search.{new}: Search.{old} at engine.toml:2 is the same key by another name, remove one of the two"
            )
        );
    }
    // errors name the key as it was written
    assert_error("[Search]\nLag = 61", &[], "engine.toml:2: Search.Lag: expected 0 to 60, found 61.0");
    assert_error(
        "[Search]\nVisits = 'x'",
        &[],
        "engine.toml:2: Search.Visits: expected a whole number from 0 to 1000000000000, found \"x\"",
    );
    assert_error("", &["Search.Lag=61"], "--set Search.Lag=61: expected 0 to 60, found 61.0");
    // a former name is valid in its section only
    assert!(check("[Game]\nLag = 1", NONE).unwrap_err().contains("Game.Lag: unknown key"));
}

const DRAWN_3: &str = "    ABC\n   +++++\n 1 +.x.+\n 2 +xo.+\n 3 +...+\n   +++++\n";
const DRAWN_2: &str = "++++ +x.+ +..+ ++++";

#[test]
fn drawn_board_must_be_legal_for_the_board_size() {
    let file = format!("[Game]\nBoardSize = 3\n\nBoardData = '''\n{DRAWN_3}'''\n");
    let config = check(&file, NONE).unwrap();
    let stones = config.game.stones.unwrap();
    assert_eq!(stones.len(), 25);
    assert_eq!((stones[7], stones[12]), (Stone::Black, Stone::White));
    assert_eq!(config.game.board_data, DRAWN_3);

    let error = check(&file.replace("= 3", "= 4"), NONE).unwrap_err();
    assert!(
        error.starts_with(concat!(
            "engine.toml:4: Game.BoardData: no position for BoardSize 4: ",
            "the drawing has 25 cells, a 4x4 board with its frame has 36"
        )),
        "{error}"
    );
    let error = check(&file, &["Game.BoardSize=2"]).unwrap_err();
    assert!(error.starts_with("--set Game.BoardSize=2: Game.BoardData at engine.toml:4 does not fit: "), "{error}");
    let data = format!("Game.BoardData={DRAWN_2}");
    let error = check(&file, &[&data]).unwrap_err();
    assert!(error.starts_with("--set Game.BoardData=++++ +x.+ +..+ ++++: no position for BoardSize 3: "), "{error}");
    // size and drawing from overrides match, in either order
    assert!(check(&file, &[&data, "Game.BoardSize=2"]).unwrap().game.stones.is_some());
    assert!(check(&file, &["Game.BoardSize=2", &data]).unwrap().game.stones.is_some());
    assert!(check(&file, &["Game.BoardData= ", "Game.BoardSize=9"]).unwrap().game.stones.is_none());

    // of the same width, but two rows
    let error = check(&file, &["Game.BoardSize=3x2"]).unwrap_err();
    assert!(error.starts_with("--set Game.BoardSize=3x2: Game.BoardData at engine.toml:4 does not fit: "), "{error}");
    let data = "Game.BoardData=+++++ +x..+ +..o+ +++++";
    let game = check(&file, &["Game.BoardSize=3x2", data]).unwrap().game;
    assert_eq!((game.board_size, game.stones.unwrap().len()), (Coordinate::new(3, 2).unwrap(), 20));
    let error = check(&file, &["Game.BoardSize=2x3", data]).unwrap_err();
    assert!(error.contains(": no position for BoardSize 2x3: "), "{error}");

    let full = "[Game]\nBoardSize = 2\nBoardData = '++++ +xx+ +xx+ ++++'";
    let error = check(full, NONE).unwrap_err();
    assert!(error.starts_with("engine.toml:3: Game.BoardData: "), "{error}");
}

#[test]
fn printed_configuration_loads_to_an_equal_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.toml");
    let texts = [
        String::new(),
        format!("[Game]\nKomi = -1e6\nBoardSize = 3\nBoardData = '''\n{DRAWN_3}'''\nPlayFirst = 'w'"),
        "[Paths]\nPlainTextLog = ''\nJsonLog = 'a \"b\\u\u{e9} #x.log'\nDataFolder = 'games'\n[Log]\nConsole = 'full'\nRotation = 'size'"
            .to_owned(),
        "[Search]\nThreads = 0\nSeconds = 0.25\nResign = false\nRaveEquivalence = 0.1\nSeed = 9007199254740991\n\
         ReportWinrateAs = 'Black'"
            .to_owned(),
        "[Game]\nBoardSize = '3x2'\nBoardData = '+++++ +x..+ +..o+ +++++'".to_owned(),
        "[Game]\nBoardSize = '25X2'".to_owned(),
        format!("[Game]\nBoardSize = 2\nBoardData = \" \\\\ ''' \\\"\\\"\\\" \\u0001 \\r\\n {DRAWN_2} \\t\\n \""),
    ];
    for text in texts {
        fs::write(&path, text).unwrap();
        let config = EngineConfig::load(Some(&path), &[]).unwrap();
        let printed = config.to_toml();
        assert_eq!(printed.lines().next().unwrap(), format!("# configuration from {}", path.display()));
        fs::write(&path, &printed).unwrap();
        assert_eq!(EngineConfig::load(Some(&path), &[]).unwrap(), config, "{printed}");
    }
    let printed = EngineConfig::built_in(&strings(&["Game.Komi=7"])).unwrap().to_toml();
    assert!(printed.starts_with("# configuration from built-in defaults\n\n[Game]\nKomi = 7.0\n"), "{printed}");
}

#[test]
fn lookup_takes_the_first_existing_file_even_if_it_is_invalid() {
    let (here, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let candidates = [here.path().join(FILE_NAME), beside.path().join(FILE_NAME)];
    let load = || EngineConfig::load_from(None, &candidates, &[]);

    assert_eq!(load().unwrap().source, None);
    fs::write(&candidates[1], "[Game]\nKomi = 1\n").unwrap();
    let config = load().unwrap();
    assert_eq!((config.source.as_deref(), config.game.rule.komi), (Some(candidates[1].as_path()), 1.0));
    assert_eq!(config.paths.plain_text_log.unwrap(), beside.path().join("kifuwarabe-uec14.log"));
    fs::write(&candidates[0], "[Game]\nKomi = 2\n").unwrap();
    assert_eq!(load().unwrap().game.rule.komi, 2.0);
    fs::write(&candidates[0], "[Game]\nKomi = ?\n").unwrap();
    let error = load().unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:2: ", candidates[0].display())), "{error}");
    fs::write(&candidates[0], b"a\n\xff").unwrap();
    let expected = format!("{}: cannot read the configuration: not UTF-8 on line 2", candidates[0].display());
    assert_eq!(load().unwrap_err().to_string(), expected);
    fs::remove_file(&candidates[0]).unwrap();
    fs::create_dir(&candidates[0]).unwrap();
    assert!(load().is_err());
}

#[test]
fn named_file_must_exist_and_be_small() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let error = |expected: &str| {
        let error = EngineConfig::load(Some(&path), &[]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: {expected}", path.display())), "{error}");
    };
    error("cannot read the configuration: ");
    fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    error("cannot read the configuration: larger than 1048576 bytes");
    fs::write(&path, "#".repeat(1 << 20)).unwrap();
    assert!(EngineConfig::load(Some(&path), &[]).is_ok());
}

#[test]
fn a_log_must_not_have_a_name_that_rotation_gives_to_the_other() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("d")).unwrap();
    let load = |json_log: &str, rotation: &str| {
        let path = |name: &str| folder.path().join(name).display().to_string();
        let sets = [
            format!("Paths.PlainTextLog={}", path("d/engine")),
            format!("Paths.JsonLog={}", path(json_log)),
            format!("Log.Rotation={rotation}"),
        ];
        EngineConfig::built_in(&sets)
    };
    let mut colliding = vec!["d/engine.2", "d/engine.2022-09-14", "d/../d/engine.2", "d/x/../engine.2"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("d", folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink("engine.2", folder.path().join("d/json")).unwrap();
        colliding.extend(["link/engine.2", "d/json"]);
    }
    for json_log in colliding {
        let error = load(json_log, "size").unwrap_err().to_string();
        assert!(error.ends_with(": the name of an older file of Paths.PlainTextLog"), "{error}");
        assert!(load(json_log, "never").is_ok(), "{json_log}");
    }
    let others = ["d/engine.2nd.json", "d/engine.02", "d/engine.0", "d/engine.2.gz", "d/engine.2022-9-14", "engine.2"];
    for json_log in others {
        assert!(load(json_log, "size").is_ok(), "{json_log}");
    }
}

#[test]
fn relative_log_paths_start_from_the_folder_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let absolute = folder.path().join("elsewhere.log");
    fs::write(&path, format!("[Paths]\nPlainTextLog = 'logs/a.log'\nJsonLog = {}", quote(&absolute.to_string_lossy())))
        .unwrap();
    let load = |sets: &[&str]| EngineConfig::load(Some(&path), &strings(sets)).unwrap().paths;
    assert_eq!(load(&[]).plain_text_log.unwrap(), folder.path().join("logs/a.log"));
    assert_eq!(load(&[]).json_log.unwrap(), absolute);
    assert_eq!(load(&["Paths.JsonLog=b.log"]).json_log.unwrap(), folder.path().join("b.log"));
    let set = EngineConfig::built_in(&strings(&["Paths.JsonLog=b.log"])).unwrap();
    assert_eq!(set.paths.json_log.unwrap(), std::env::current_dir().unwrap().join("b.log"));
}

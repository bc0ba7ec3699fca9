//! GoGui's analyze commands: every answer has the form of its declared type, and its content matches the position.

use std::collections::BTreeMap;
use std::time::Instant;

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::gtp::table::{COMMANDS, find};
use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, GameRule, Point, Stone, get_liberty};

use crate::engine::{Folder, ask, engine_with, set_up_divided_board, start};

fn engine(side: u8) -> Engine {
    let mut engine = engine_with(side, GameRule::with_komi(0.5), 300);
    engine.player.options.seed = 11;
    engine
}

/// The offered analyze commands: type, label, command with its wildcards.
fn offered() -> Vec<[String; 3]> {
    let text = ask(&mut engine(9), "gogui-analyze_commands");
    let parts = |line: &str| line.split('/').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
    text.lines().map(parts).collect()
}

/// Plays a game with captures, a ko and eyes.
fn play_sample_game(engine: &mut Engine) {
    let moves = "b C3 w C7 b D3 w D7 b E3 w E6 b F3 w F7 b E2 w E8 b G4 w D4 b C4 w D5 b B1 w J9 b A2 w H9 b C2 w J8";
    assert_eq!(ask(engine, &format!("gogui-play_sequence {moves}")), "");
}

/// Lines of graphics by their keyword or colour: points with the text of their label.
fn graphics(coordinate: Coordinate, text: &str) -> BTreeMap<String, Vec<(Point, String)>> {
    let mut lines: BTreeMap<String, Vec<(Point, String)>> = BTreeMap::new();
    let point = |name: &str| coordinate.parse_vertex(name).unwrap_or_else(|_| panic!("{name} in {text}"));
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap();
        let words: Vec<&str> = rest.split(' ').collect();
        let (key, points) = match word {
            "BLACK" | "WHITE" | "CIRCLE" => {
                (word.to_owned(), words.iter().map(|name| (point(name), String::new())).collect())
            }
            "COLOR" => {
                assert!(
                    words[0].len() == 7 && words[0].starts_with('#') && u32::from_str_radix(&words[0][1..], 16).is_ok()
                );
                (words[0].to_owned(), words[1..].iter().map(|name| (point(name), String::new())).collect())
            }
            "LABEL" => {
                assert!(words.len().is_multiple_of(2));
                (word.to_owned(), words.chunks(2).map(|pair| (point(pair[0]), pair[1].to_owned())).collect())
            }
            "TEXT" => (word.to_owned(), Vec::new()),
            _ => panic!("{line}"),
        };
        lines.entry(key).or_default().extend::<Vec<_>>(points);
    }
    lines
}

/// A board of numbers, highest rank first, by point.
fn numbers(coordinate: Coordinate, text: &str) -> BTreeMap<Point, f64> {
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), usize::from(coordinate.height()));
    let mut numbers = BTreeMap::new();
    for (row, y) in rows.iter().zip((1..=coordinate.height()).rev()) {
        for (number, x) in row.split(' ').zip(1..) {
            let number: f64 = number.parse().unwrap();
            assert!((-1.0..=1.0).contains(&number), "{number}");
            numbers.insert(coordinate.point(x, y).unwrap(), number);
        }
    }
    assert_eq!(numbers.len(), coordinate.board_area());
    numbers
}

/// Whether a line is `[TYPE] KEY VALUE` with a value of the type.
fn is_param_line(line: &str) -> bool {
    let Some((kind, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) else { return false };
    let Some((key, value)) = rest.split_once(' ') else { return false };
    !key.is_empty()
        && match kind {
            "bool" => value == "0" || value == "1",
            "string" => !value.is_empty(),
            _ => kind.strip_prefix("list/").is_some_and(|words| words.split('/').any(|word| word == value)),
        }
}

#[test]
fn offered_commands_exist_and_answer_in_their_declared_form() {
    let offered = offered();
    let mut labels: Vec<&str> = offered.iter().map(|[_, label, _]| label.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), offered.len());
    for command in COMMANDS.iter().filter(|command| command.name.starts_with("kifuwarabe-")) {
        let name = command.name;
        assert!(offered.iter().any(|[_, _, line]| line.split(' ').next() == Some(name)), "{name} is not offered");
    }
    for side in [9, 19] {
        let mut engine = engine(side);
        play_sample_game(&mut engine);
        let coordinate = engine.position.board().coordinate();
        let before = ask(&mut engine, "showboard");
        for [kind, _, command] in &offered {
            assert!(find(command.split(' ').next().unwrap()).is_some(), "{command}");
            let line = command.replace("%p", "C3").replace("%c", "white");
            assert!(!line.contains('%'), "{line}");
            let text = ask(&mut engine, &line);
            match kind.as_str() {
                "gfx" => drop(graphics(coordinate, &text)),
                "dboard" => drop(numbers(coordinate, &text)),
                "param" => assert!(text.lines().all(is_param_line), "{text}"),
                "pspairs" => assert!(text.split(' ').count() >= 2, "{text}"),
                "var" => assert!(text.split(' ').all(|name| name == "pass" || coordinate.parse_vertex(name).is_ok())),
                "plist" => assert!(text.split_whitespace().all(|name| coordinate.parse_vertex(name).is_ok()), "{text}"),
                "string" | "hstring" => assert!(!text.is_empty(), "{line}"),
                _ => panic!("{kind}"),
            }
        }
        assert_eq!(ask(&mut engine, "showboard"), before);
    }
}

#[test]
fn the_title_names_board_rules_and_komi() {
    let mut engine = engine(9);
    assert_eq!(ask(&mut engine, "gogui-title"), "Kifuwarabe UEC14: 9x9, chinese rules, komi 0.5");
    ask(&mut engine, "kata-set-rule suicide true");
    assert_eq!(ask(&mut engine, "gogui-title"), "Kifuwarabe UEC14: 9x9, other rules, komi 0.5");
}

/// Calls `check` with positions of random games.
fn random_positions(mut check: impl FnMut(&mut Engine)) {
    for seed in 0..20 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut engine = engine(9);
        for _ in 0..rng.usize(10..120) {
            let position = &mut engine.position;
            let points: Vec<Point> = position.board().coordinate().points().collect();
            let _ = position.play(position.to_move(), *rng.choice(&points).unwrap());
        }
        check(&mut engine);
    }
}

#[test]
fn rens_have_distinct_colours_and_their_liberty_counts() {
    random_positions(|engine| {
        let text = ask(engine, "kifuwarabe-rens");
        let board = engine.position.board();
        let coordinate = board.coordinate();
        let mut lines = graphics(coordinate, &text);
        let labels = lines.remove("LABEL").unwrap();
        lines.remove("TEXT");
        let mut colors: BTreeMap<Point, &str> = BTreeMap::new();
        for (color, points) in &lines {
            assert!(points.iter().all(|(point, _)| colors.insert(*point, color).is_none()), "a point in two colours");
        }
        let stones = |board: &Board| board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space).count();
        assert_eq!((colors.len(), labels.len()), (stones(board), stones(board)));
        for (point, label) in labels {
            let ren = get_liberty(board, point).unwrap();
            assert_eq!(label, ren.liberty_area().to_string());
            for next in coordinate.neighbors(point) {
                let same_ren = ren.locations.contains(&next);
                if let Some(color) = colors.get(&next) {
                    assert_eq!(*color == colors[&point], same_ren, "{}", coordinate.vertex(point));
                }
            }
        }
    });
    assert_eq!(ask(&mut engine(9), "kifuwarabe-rens"), "TEXT rens: Black 0, White 0");
}

#[test]
fn a_ren_is_drawn_with_its_liberties() {
    let mut engine = engine(5);
    ask(&mut engine, "gogui-play_sequence b C3 w B3 b C4 w A1");
    let expected = "COLOR #d95f5f C4 C3\nCIRCLE D4 D3 C2 B4 C5\nTEXT ren color:x area:2 libertyArea:5 adjacentColor:o";
    assert_eq!(ask(&mut engine, "kifuwarabe-get_liberty C4"), expected);
    let text = ask(&mut engine, "kifuwarabe-get_liberty E5");
    assert!(text.ends_with("TEXT ren color:. area:21 libertyArea:0 adjacentColor:xo"), "{text}");
}

#[test]
fn legal_moves_and_reasons_against_others_are_labelled() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    random_positions(|engine| {
        ask(engine, "can_not_put_on_my_eye set true");
        for color in Color::BOTH {
            let text = ask(engine, &format!("kifuwarabe-legal_moves {color}"));
            let coordinate = engine.position.board().coordinate();
            let lines = graphics(coordinate, &text);
            let legal: Vec<Point> = lines.get("#9fd89f").into_iter().flatten().map(|(point, _)| *point).collect();
            let labels: BTreeMap<Point, &str> =
                lines.get("LABEL").into_iter().flatten().map(|(point, label)| (*point, label.as_str())).collect();
            for point in coordinate.points() {
                let expected = match engine.position.check(color, point).map_err(|reason| reason.name()) {
                    Ok(()) => Some("legal"),
                    Err("masonry") => None,
                    Err("opponent_eye") => Some("eye"),
                    Err("my_eye") => Some("own"),
                    Err("suicide") => Some("sui"),
                    Err("ko") => Some("ko"),
                    Err(reason) => panic!("{reason}"),
                };
                let found = if legal.contains(&point) { Some("legal") } else { labels.get(&point).copied() };
                assert_eq!(found, expected, "{} {text}", coordinate.vertex(point));
                *seen.entry(found.unwrap_or("stone").to_owned()).or_default() += 1;
            }
            assert!(text.contains(&format!("TEXT {color}: {} legal", legal.len())), "{text}");
        }
    });
    for reason in ["legal", "eye", "own", "sui", "stone"] {
        assert!(seen.contains_key(reason), "{reason} never occurred: {seen:?}");
    }
    let mut engine = engine(5);
    ask(&mut engine, "gogui-play_sequence b B1 w C1 b A2 w D2 b B3 w C3 b C2 w B2");
    assert!(ask(&mut engine, "kifuwarabe-legal_moves b").contains("LABEL C2 ko"));
    assert!(!ask(&mut engine, "kifuwarabe-legal_moves w").contains("ko"));
}

#[test]
fn safe_points_match_their_unconditional_status() {
    let mut safe = 0;
    random_positions(|engine| {
        let text = ask(engine, "kifuwarabe-safe");
        let coordinate = engine.position.board().coordinate();
        let lines = graphics(coordinate, &text);
        let of =
            |word: &str, point: Point| lines.get(word).is_some_and(|points| points.iter().any(|(p, _)| *p == point));
        for point in coordinate.points() {
            let expected = ask(engine, &format!("unconditional_status {}", coordinate.vertex(point)));
            let stone = engine.position.board().stone(point);
            let found = match (of("CIRCLE", point), of("BLACK", point), of("WHITE", point)) {
                (true, false, false) => "alive",
                (false, true, false) if stone == Stone::Space => "black_territory",
                (false, false, true) if stone == Stone::Space => "white_territory",
                (false, true, false) | (false, false, true) => "dead",
                (false, false, false) => "undecided",
                both => panic!("{both:?}"),
            };
            assert_eq!(found, expected, "{}", coordinate.vertex(point));
            safe += usize::from(found != "undecided");
        }
    });
    assert!(safe > 0, "no point was ever safe");
}

/// An engine on a 5x5 board on which Black owns the files A to C, and White D and E.
fn divided() -> Engine {
    let mut engine = engine(5);
    set_up_divided_board(&mut engine);
    engine
}

#[test]
fn ownership_ignores_the_perspective_and_owned_points_are_not_critical() {
    for (player, perspective) in [("b", "side-to-move"), ("w", "side-to-move"), ("w", "white")] {
        let mut engine = divided();
        ask(&mut engine, &format!("gogui-setup_player {player}"));
        ask(&mut engine, &format!("kata-set-param ReportWinrateAs {perspective}"));
        let coordinate = engine.position.board().coordinate();
        let ownership = numbers(coordinate, &ask(&mut engine, "kifuwarabe-ownership"));
        assert!(
            ownership.iter().all(|(point, owner)| (owner > &0.5) == (coordinate.xy(*point).0 <= 3)),
            "{ownership:?}"
        );
        let criticality = numbers(coordinate, &ask(&mut engine, "kifuwarabe-criticality"));
        assert!(criticality.values().all(|critical| critical.abs() < 0.2), "{criticality:?}");
    }
    // on an empty board the points are somewhat critical
    let mut engine = engine(5);
    let coordinate = engine.position.board().coordinate();
    let criticality = numbers(coordinate, &ask(&mut engine, "kifuwarabe-criticality"));
    assert!(criticality.values().sum::<f64>() > 25.0 * 0.2, "{criticality:?}");
}

#[test]
fn a_cached_analysis_is_shown_until_position_or_settings_change() {
    let mut engine = engine(9);
    let visits = ask(&mut engine, "kifuwarabe-visits");
    let pairs: Vec<(&str, u32)> =
        visits.split(' ').collect::<Vec<_>>().chunks(2).map(|pair| (pair[0], pair[1].parse().unwrap())).collect();
    assert!(pairs.is_sorted_by(|a, b| a.1 >= b.1) && pairs.iter().map(|(_, visits)| visits).sum::<u32>() <= 300);
    let variation = ask(&mut engine, "kifuwarabe-variation");
    assert_eq!(variation.split(' ').next(), Some(pairs[0].0));
    assert_eq!(ask(&mut engine, "kifuwarabe-visits"), visits, "no new search");
    for change in ["komi 7.5", "play b E5", "undo", "kata-set-param MaxPlayouts 200", "gogui-setup_player w"] {
        let before = ask(&mut engine, "kifuwarabe-visits");
        ask(&mut engine, change);
        assert_ne!(ask(&mut engine, "kifuwarabe-visits"), before, "{change}");
    }
    assert_eq!(engine.position.record().len(), 0);
}

#[test]
fn parameter_dialogs_show_the_values_they_set() {
    let mut engine = engine(9);
    for (command, key, value, other) in [
        ("kifuwarabe-search_params", "Threads", "2", "kata-get-param Threads"),
        ("kifuwarabe-search_params", "Resign", "0", "kata-get-param Resign"),
        ("kifuwarabe-search_params", "Ponder", "1", "kata-get-param Ponder"),
        ("kifuwarabe-search_params", "ReportWinrateAs", "black", "kata-get-param ReportWinrateAs"),
        ("kifuwarabe-search_params", "RaveEquivalence", "1234.5", "kata-get-param RaveEquivalence"),
        ("kifuwarabe-rule_params", "Komi", "-3.5", "get_komi"),
        ("kifuwarabe-rule_params", "Rules", "japanese", "gomill-describe_engine"),
        ("kifuwarabe-rule_params", "Can_not_put_on_my_eye", "1", "can_not_put_on_my_eye get"),
    ] {
        let line = |text: &str| text.lines().find(|line| line.contains(&format!("] {key} "))).unwrap().to_owned();
        let before = line(&ask(&mut engine, command));
        assert!(is_param_line(&before) && !before.ends_with(&format!(" {value}")), "{before}");
        assert_eq!(ask(&mut engine, &format!("{command} {key} {value}")), "");
        let after = line(&ask(&mut engine, command));
        assert!(is_param_line(&after) && after.ends_with(&format!(" {value}")), "{after}");
        let seen = match value {
            "0" => "false",
            "1" => "true",
            value => value,
        };
        assert!(ask(&mut engine, other).contains(seen), "{other}");
    }
    ask(&mut engine, "kata-set-rule suicide true");
    let rules = ask(&mut engine, "kifuwarabe-rule_params");
    assert!(rules.starts_with("[list/other/chinese/") && rules.contains("] Rules other\n"), "{rules}");
}

/// The drawings on stderr, which must contain nothing else.
fn drawings(stderr: &str) -> Vec<&str> {
    let (drawings, rest) = stderr.rsplit_once("gogui-gfx: CLEAR\n").unwrap();
    assert_eq!(rest, "");
    drawings.split("gogui-gfx: CLEAR\n").flat_map(|search| search.split_terminator("\n\n")).collect()
}

#[test]
fn live_graphics_are_drawn_only_when_enabled() {
    let session = |live: bool| {
        let folder = Folder::new();
        let setting = format!("Search.LiveGraphics={live}");
        let mut engine = start(&folder, &[&setting, "Search.Seconds=1.5"]);
        engine.ask("boardsize 9");
        engine.ask("kata-set-param RaveEquivalence 3000");
        let begin = Instant::now();
        for command in ["genmove b", "reg_genmove w", "kifuwarabe-ownership"] {
            assert!(engine.ask(command).starts_with("= "));
        }
        assert!(begin.elapsed().as_secs() < 60);
        assert_eq!(engine.ask("quit"), "=");
        engine.end().1
    };
    assert_eq!(session(false), "");
    let stderr = session(true);
    let coordinate = Coordinate::square(9).unwrap();
    // a slow machine draws less often
    assert!(!drawings(&stderr).is_empty(), "{stderr}");
    assert_eq!(stderr.matches("gogui-gfx: CLEAR\n").count(), 3, "one for each search: {stderr}");
    for drawing in drawings(&stderr) {
        let lines: Vec<&str> = drawing.lines().collect();
        let [head, variation, influence, text] = lines[..] else { panic!("{drawing}") };
        assert_eq!(head, "gogui-gfx:");
        let moves: Vec<&str> = variation.strip_prefix("VAR ").unwrap().split(' ').collect();
        for (number, pair) in moves.chunks(2).enumerate() {
            assert_eq!(pair[0] == moves[0], number % 2 == 0, "{variation}");
            assert!(pair[1] == "pass" || coordinate.parse_vertex(pair[1]).is_ok());
        }
        // empty while only one move has been searched
        let influence = influence.strip_prefix("INFLUENCE").unwrap();
        for pair in influence.split_whitespace().collect::<Vec<_>>().chunks(2) {
            assert!(coordinate.parse_vertex(pair[0]).is_ok() && pair[1].parse::<f64>().unwrap().abs() <= 1.0);
        }
        assert!(text.starts_with("TEXT ") && text.ends_with('%'), "{text}");
    }
}

/// The stones of a colour in the answer of `gogui-rules_board`, read as GoGui does: any other character is skipped.
fn stones_of_board(text: &str, (width, height): (u8, u8), symbol: char) -> String {
    let coordinate = Coordinate::new(width, height).unwrap();
    let cells: Vec<char> = text.chars().filter(|cell| matches!(cell, 'X' | 'O' | '.')).collect();
    assert_eq!(cells.len(), coordinate.board_area(), "{text}");
    let point = |point: &Point| coordinate.index_from_highest_rank(*point).is_some_and(|place| cells[place] == symbol);
    coordinate.vertices(&coordinate.points().filter(point).collect::<Vec<_>>())
}

/// As GoGui's ruler: it plays by the lists of legal moves alone, until the list is empty.
#[test]
fn rules_extension_leads_through_a_game() {
    let mut rng = fastrand::Rng::with_seed(4);
    for (size, sides) in [("5", (5, 5)), ("5 3", (5, 3)), ("2 7", (2, 7))] {
        let mut engine = engine(9);
        assert_eq!(ask(&mut engine, &format!("boardsize {size}")), "");
        assert_eq!(ask(&mut engine, "gogui-rules_board_size"), size);
        assert_eq!(ask(&mut engine, "gogui-rules_game_id"), "Go");
        let (mut moves, mut taken) = (0, 0);
        loop {
            let board = ask(&mut engine, "gogui-rules_board");
            for (symbol, color) in [('X', "b"), ('O', "w")] {
                assert_eq!(stones_of_board(&board, sides, symbol), ask(&mut engine, &format!("list_stones {color}")));
            }
            let captures = ["b", "w"].map(|color| ask(&mut engine, &format!("captures {color}")));
            assert_eq!(ask(&mut engine, "gogui-rules_captured_count"), captures.join(" "));
            taken += captures.iter().filter(|count| *count != "0").count();
            let color = ask(&mut engine, "gogui-rules_side_to_move");
            assert_eq!(color, ["black", "white"][moves % 2]);
            let answer = ask(&mut engine, "gogui-rules_legal_moves");
            let legal: Vec<&str> = answer.split_whitespace().collect();
            if legal.is_empty() {
                break;
            }
            assert_eq!(legal.last(), Some(&"pass"));
            assert_eq!(legal[..legal.len() - 1].join(" "), ask(&mut engine, &format!("all_legal {color}")));
            // the game ends some time
            let play = if moves > 60 { "pass" } else { legal[rng.usize(..legal.len())] };
            assert_eq!(ask(&mut engine, &format!("play {color} {play}")), "");
            moves += 1;
        }
        assert!(moves > 2 && taken > 0, "{size}: {moves} moves");
        let (score, sentence) = (ask(&mut engine, "final_score"), ask(&mut engine, "gogui-rules_final_result"));
        let points = score.split_once('+').unwrap().1;
        let winner = if score.starts_with('B') { "Black" } else { "White" };
        assert!(sentence.starts_with(&format!("{winner} wins by {points} point")), "{score}: {sentence}");
    }
}

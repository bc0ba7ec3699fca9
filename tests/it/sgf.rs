//! Game records: reading of SGF, errors, and that written games read back unchanged.
//!
//! The irregular files are not part of the project ([`external`]); without them their test prints SKIPPED and passes.

use kifuwarabe_uec14::kernel::{Color, Coordinate, IllegalMove, MAX_SIDE, MIN_SIDE, Move, Point, Position, Stone};
use kifuwarabe_uec14::sgf::{self, GameRecord, ReplayError, Turn};
use serde_json::Value;

use crate::support::{empty_position, external};

mod encodings;
mod robustness;

/// A game as text: `19 km 6.5 | x A19 | B D4, W pass, set x C3 . D4, to play W`; absent properties are left out. The
/// size is spelt as in `--size`.
fn describe(game: &GameRecord) -> String {
    let coordinate = game.coordinate;
    let stones = |list: &[(Point, Stone)]| {
        list.iter().map(|&(point, stone)| format!(" {stone} {}", coordinate.vertex(point))).collect::<String>()
    };
    let letter = |color: Color| if color == Color::Black { "B" } else { "W" };
    let mut text = coordinate.size_text();
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text += &format!(" {name} {value}");
        }
    };
    fact("km", game.komi.map(|komi| komi.to_string()));
    fact("ha", game.handicap.map(|handicap| handicap.to_string()));
    fact("ru", game.rules.clone());
    fact("re", game.result.clone());
    fact("pb", game.black.clone());
    fact("pw", game.white.clone());
    fact("pl", game.to_play.map(|color| letter(color).to_owned()));
    if !game.setup.is_empty() {
        text += &format!(" |{}", stones(&game.setup));
    }
    let turn = |turn: &Turn| match turn {
        Turn::Move(color, play) => format!("{} {}", letter(*color), play.vertex(coordinate)),
        Turn::Setup(list) => format!("set{}", stones(list)),
        Turn::ToPlay(color) => format!("to play {}", letter(*color)),
    };
    if !game.turns.is_empty() {
        text += &format!(" | {}", game.turns.iter().map(turn).collect::<Vec<_>>().join(", "));
    }
    text
}

/// Reads a record and compares the game as text, or the error.
#[track_caller]
fn check(input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    let found = sgf::read(input).map_or_else(|error| error.to_string(), |game| describe(&game));
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(input));
}

#[test]
fn moves_are_read() {
    check("(;)", "19");
    check("(;B[aa];W[sa];B[as];W[ss])", "19 | B A19, W T19, B A1, W T1");
    check("(;SZ[9];B[ia];W[ed])", "9 | B J9, W E6");
    check("(;SZ[2];B[ba])", "2 | B B2");
    check("(;SZ[25];B[ya];W[tt])", "25 | B Z25, W U6");
    check("(;SZ[9:13];B[am];W[ia];B[ed])", "9x13 | B A1, W J13, B E10");
    check("(;SZ[25:2];B[ab];W[ya])", "25x2 | B A1, W Z2");
    check("(;SZ[2:25];B[ay];W[ba])", "2x25 | B A1, W B25");
    check("(;SZ[ 13 : 9 ]AB[aa:ba])", "13x9 | x A9 x B9");
    check("(;SZ[9:9];B[ia])", "9 | B J9");
    check("(;B[tt];W[];B[pass];W[ \n])", "19 | B pass, W pass, B pass, W pass");
    check("(;SZ[5];B[tt])", "5 | B pass");
    check("(;SZ[20];B[tt])", "20 | B U1");
    check("(;SZ[25:19];B[tt])", "25x19 | B pass");
    check("(;SZ[19:25];B[tt])", "19x25 | B pass");
    check("(;SZ[20:25];B[tt])", "20x25 | B U6");
    check("(;B[aa]B[bb]W[cc];W[dd];W[ee])", "19 | B A19, B B18, W C17, W D16, W E15");
    check("(;B[ aa ]) ", "19 | B A19");
    check("(;B[D4];W[q16])", "19 | B D4, W Q16"); // vertices in place of pairs of letters
    check("(;B[aa];;;W[bb])", "19 | B A19, W B18");
}

#[test]
fn only_the_main_line_of_the_first_game_is_read() {
    check("(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))", "19 | B A19, W B18, B C17");
    check("(;B[aa])(;W[bb])", "19 | B A19");
    check("mail text (so to say; see below)\r\n(\n;B[aa]) and more", "19 | B A19");
    check("\u{feff}(;B[aa]C[(;W[bb\\])])", "19 | B A19");
    check("(;B[aa](;W[bb])(;W[cc", "19 | B A19, W B18"); // text after the main line is ignored
    check("(PB[a]SZ[9];B[aa])", "9 pb a | B A9"); // a server's records have no `;` before the first node
    check("(;B\0[aa]\0;\0W[bb]\0)\0", "19 | B A19, W B18");
}

#[test]
fn setup_stones_are_read() {
    check("(;SZ[9]AB[aa][bb]AW[cc])", "9 | o C7 x B8 x A9");
    check("(;SZ[9]AB[ba:cb]AE[ca])", "9 | x B8 x C8 x B9");
    check("(;SZ[9]AB[cb:ba])", "9 | x B8 x C8 x B9 x C9");
    check("(;SZ[9]AB[aa]AW[aa];AE[bb];AW[cc];AE[aa]PL[W])", "9 pl W | o C7"); // the last value counts
    check("(;SZ[9]AB[];AE[];B[aa])", "9 | B A9");
    check("(;SZ[9]B[aa]AB[bb])", "9 | x B8 | B A9"); // setup before the moves of its node
    check("(;SZ[9]AB[aa];B[bb];AB[cc]AE[aa]PL[W];W[dd])", "9 | x A9 | B B8, set x C7 . A9, to play W, W D6");
    check("(;AB[aa]SZ[9])", "9 | x A9"); // the size may follow
    check("(;C[a];SZ[9];B[aa])", "9 | B A9"); // also in a later node, before the first point
    check("(;B[aa];SZ[9];W[bb])", "19 | B A19, W B18"); // but not after it
    check("(;SZ[9]SZ[13];B[aa])", "9 | B A9");
    check("(;PL[black]PL[];PL[2])", "19 pl W");
}

#[test]
fn root_properties_are_read() {
    check("(;KM[6.5]HA[2]RU[Japanese]RE[B+R]PB[a]PW[b])", "19 km 6.5 ha 2 ru Japanese re B+R pb a pw b");
    let komis = [
        ("-0", "0"),
        ("6,5", "6.5"),
        (" 7 ", "7"),
        ("-59.5", "-59.5"),
        ("+.5", "0.5"),
        ("6.5目", "6.5"),
        ("6目半", "6.5"),
        ("5 1/2", "5.5"),
        ("3½", "3.5"),
        ("6.5 points", "6.5"),
        ("-5 1/2", "-5.5"),
    ];
    for (written, points) in komis {
        check(format!("(;KM[{written}])"), &format!("19 km {points}"));
    }
    for written in ["", "750", "375", "1/2", "3 3/4", "5 1/2 1/4", "3¼", "2 ¾", "none", "-", "6..5", "NaN", "inf"] {
        check(format!("(;KM[{written}])"), "19");
    }
    check("(;KM[1000000.0])", "19 km 1000000");
    for written in ["1000000.5", "-1000000.5", "99999999999999999999999.5"] {
        check(format!("(;KM[{written}])"), "19");
    }
    check("(;HA[2 stones])", "19 ha 2");
    check("(;HA[]HA[-1]HA[99999999999999999999999])", "19");
    check("(;PB[\\a\\]\\\\\\:\\\nb\r\nc\td ]PW[ \n])", "19 pb a]\\:b c d");
    check("(;;KM[7]PB[late];KM[8]PB[later])", "19 km 7 pb late");
    check("(;XX[1]UNKNOWN[2][3]xx[4]B2[5])", "19");
    // FF[3]
    check("(;GaMe[1]SiZe[9]PlayerBlack[a]KoMi[0.5]AddBlack[aa];White[bb])", "9 km 0.5 pb a | x A9 | W B8");
    check("(;GM[game of go]SZ[19:19])", "19");
    // without capitals
    check("(;sz[9]km[0.5]pb[a]ab[aa];b[cc];white[bb])", "9 km 0.5 pb a | x A9 | B C7");
}

#[test]
fn komi_up_to_the_limit_is_read_as_written() {
    for komi in [0.0, 6.5, -3.75, 200.0, 200.5, 300.0, -300.0, 375.0, 1e6, -1e6, 999_999.5] {
        let mut record = GameRecord::new(Coordinate::square(9).unwrap());
        record.komi = Some(komi);
        let written = sgf::write(&record);
        assert_eq!(sgf::read(written.as_bytes()).unwrap().komi, Some(komi), "{written}");
    }
}

#[test]
fn names_are_one_line() {
    check("(;SZ[9]PB[a\nb]PW[c\r\nd\r];B[aa])", "9 pb a b pw c d | B A9");
    let mut record = GameRecord::new(Coordinate::square(9).unwrap());
    (record.black, record.white) = (Some("a\r\nb".to_owned()), Some("c\rd\ne".to_owned()));
    let written = sgf::write(&record);
    assert!(written.contains("PB[a b]PW[c d e]"), "{written}");
    let mut tree = sgf::GameTree::read(b"(;SZ[9]PB[a\nb]C[c\nd])").unwrap();
    let root = tree.root();
    assert_eq!((tree.text(root, "PB").as_deref(), tree.text(root, "C").as_deref()), (Some("a b"), Some("c\nd")));
    tree.set_text(root, "PB", " e\r\nf\n");
    tree.set_text(root, "PW", "\n");
    tree.set_text(root, "C", "g\rh\r\ni");
    assert_eq!((tree.values(root, "PB"), tree.values(root, "PW")), (&["e f".to_owned()][..], &[][..]));
    assert_eq!(tree.values(root, "C"), ["g h\ni"]);
}

#[test]
fn errors_name_the_byte_and_the_problem() {
    check("", "byte 0: no game record: no `(;` was found, and no `(` before a property");
    check("this is not a game ( ) ;", "byte 24: no game record: no `(;` was found, and no `(` before a property");
    check("(;B[aa];W[bb]", "byte 13: the file ends inside the game");
    check("\u{feff}(;B[aa];W[bb]", "byte 13: the file ends inside the game");
    check("(;B[aa];W[b", "byte 9: the file ends before the `]` of the value that begins here");
    check("(;B[aa\\])", "byte 3: the file ends before the `]` of the value that begins here");
    check("(;B;W[aa])", "byte 3: a property without a value");
    check("(;[aa])", "byte 2: a value without a property");
    check("(;B[aa](W[bb]))", "byte 8: no `;` follows a `(`");
    check("(;B[aa]((;W[bb])))", "byte 8: no `;` follows a `(`");
    check("(;B[aa]+)", "byte 7: `+` stands between properties");
    check("(;B[aa]\u{3042})", "byte 7: `あ` stands between properties");
    check("(;GM[2])", "byte 4: GM[2]: only Go is read, which is GM[1]");
    for size in
        ["1", "26", "0", "-9", "", "x", "256", "9:1", "1:9", "9:26", "26:9", "9:", ":9", "9:x", "9:9:9", "9x13", "1.5"]
    {
        check(
            format!("(;SZ[{size}])"),
            &format!("byte 4: SZ[{size}]: expected 2 to 25 points a side, or width and height as in 9:13"),
        );
    }
    for (side, point) in
        [(9, "ja"), (9, "aj"), (20, "tu"), (19, "a"), (19, "aaa"), (19, "aA"), (19, "T20"), (19, "aa:bb")]
    {
        check(format!("(;SZ[{side:02}]B[{point}])"), &format!("byte 9: B[{point}]: no point of a {side}x{side} board"));
    }
    check("(;SZ[9:13]B[ja])", "byte 11: B[ja]: no point of a 9x13 board");
    check("(;SZ[9:13]B[an])", "byte 11: B[an]: no point of a 9x13 board");
    for points in ["aa:", ":aa", "aa:bb:cc", "tt", "aa:zz"] {
        check(format!("(;AB[{points}])"), &format!("byte 4: AB[{points}]: no point of a 19x19 board"));
    }
    check("(;B[aa][bb])", "byte 7: a second value [bb] of one move");
    check(
        format!("(;B[a\nb\0{}])", "あ".repeat(1000)),
        &format!("byte 3: B[a\u{fffd}b\u{fffd}{}…]: no point of a 19x19 board", "あ".repeat(20)),
    );
}

/// Known differences from the manifest's reader, with the reason. A difference that is not in this table fails the
/// test, and so does an entry that is no difference.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("0008", "19 moves 267 passes 3", "a black and a white move in a node are two moves"),
    ("0054", "19 moves 6 passes 1", "vertices such as `D4` are understood"),
    ("0056", "refused", "an AB off the board, which the other reader ignores"),
    ("0059", "19 moves 184", "the names of FF[3] are longer than eight letters"),
    ("0062", "19 moves 8", "a first node without `;`, as a server writes it"),
    ("0067", "19 moves 164", "UTF-16 with its mark"),
    ("0266", "13x16 moves 99", "SZ[13:16], which the other reader refuses, as in the next four"),
    ("0267", "12x7 moves 62", "SZ[12:7]"),
    ("0269", "13x19 moves 248", "SZ[13:19]"),
    ("0271", "7x11 moves 67", "SZ[7:11]"),
    ("0282", "5 moves 7", "a black and a white move in a node are two moves"),
    ("0284", "9x17 moves 166", "SZ[9:17]"),
    ("0291", "19 moves 325", "an unknown encoding is Latin-1: points and numbers are ASCII"),
    ("0313", "19 moves 3", "the main line is complete, the text after it is cut"),
    ("0319", "19 moves 2", "the main line is complete, the text after it is malformed"),
    ("0320", "19 moves 2", "the main line is complete, the text after it is malformed"),
    ("0372", "19 moves 1", "the first game is whole, the second one is cut"),
    ("0373", "refused", "a move with two values"),
    ("0210", "19 moves 0", "UTF-16 without a byte-order mark"),
    ("0379", "refused", "26x26, which the kernel has no names for"),
    ("0406", "19 moves 0", "an unknown encoding is Latin-1: points and numbers are ASCII"),
];

#[test]
fn irregular_files_agree_with_another_reader() {
    let Some(folder) = external("data/oddsgf") else { return };
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.jsonl")).unwrap();
    let (mut read, mut refused, mut wrong) = (0, 0, Vec::new());
    let mut differences: Vec<_> = DIFFERENCES.iter().collect();
    for line in manifest.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let name = line["file"].as_str().unwrap();
        let reader = &line["reader"];
        let theirs = match (reader["size"].as_u64(), reader["mainline_moves"].as_u64()) {
            (Some(size), Some(moves)) => format!("{size} moves {moves} passes {}", reader["mainline_passes"]),
            _ => "refused".to_owned(),
        };
        let answer = sgf::read(&std::fs::read(folder.join(name)).unwrap());
        let ours = answer.as_ref().map_or_else(|_| "refused".to_owned(), counts);
        *if answer.is_ok() { &mut read } else { &mut refused } += 1;
        if let Ok(game) = &answer {
            assert_eq!(sgf::read(sgf::write(game).as_bytes()).as_ref(), Ok(game), "{name}");
        }
        if ours != theirs {
            let known =
                differences.iter().position(|(start, found, _)| name.starts_with(start) && ours.starts_with(found));
            match known {
                Some(index) => drop(differences.remove(index)),
                None => wrong.push(format!("{name}: {ours} ({:?}), not {theirs} {reader}", answer.err())),
            }
        }
    }
    eprintln!("oddsgf: {read} read, {refused} refused, {} differ from the manifest", DIFFERENCES.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(differences.is_empty(), "entries without a difference: {differences:?}");
}

fn counts(game: &GameRecord) -> String {
    let plays: Vec<Move> =
        game.turns.iter().filter_map(|turn| if let Turn::Move(_, play) = turn { Some(*play) } else { None }).collect();
    let passes = plays.iter().filter(|&&play| play == Move::Pass).count();
    format!("{} moves {} passes {passes}", game.coordinate.size_text(), plays.len())
}

/// A random game that could have been read, with any property.
fn random_game(rng: &mut fastrand::Rng, coordinate: Coordinate) -> GameRecord {
    const LETTERS: [&str; 16] = ["a", "Z", " ", "]", "[", "\\", ":", ";", "(", ")", "九", "段", "é", "🀄", "=", "?"];
    let mut game = GameRecord::new(coordinate);
    let points: Vec<Point> = game.coordinate.points().collect();
    let text = |rng: &mut fastrand::Rng| {
        let text: String = (0..rng.usize(..120)).map(|_| LETTERS[rng.usize(..LETTERS.len())]).collect();
        let text = text.trim();
        (rng.bool() && !text.is_empty()).then(|| text.to_owned())
    };
    let color = |rng: &mut fastrand::Rng| if rng.bool() { Color::Black } else { Color::White };
    game.komi = rng.bool().then(|| f64::from(rng.i32(-4000..=4000)) / 20.0);
    game.handicap = rng.bool().then(|| rng.usize(..30));
    (game.rules, game.result) = (text(rng), text(rng));
    (game.black, game.white) = (text(rng), text(rng));
    (game.date, game.name) = (text(rng), text(rng));
    let info = ["AN", "BR", "BT", "CP", "EV", "ON", "PC", "RO", "SO", "US", "WR", "WT"];
    let short = |text: String| text.chars().take(30).collect::<String>().trim_end().to_owned();
    game.game_info = info.into_iter().filter_map(|identifier| Some((identifier, short(text(rng)?)))).collect();
    game.to_play = rng.bool().then(|| color(rng));
    let odds = rng.usize(1..20);
    for &point in &points {
        if rng.usize(..odds) == 1 {
            game.setup.push((point, color(rng).stone()));
        }
    }
    for number in 0..rng.usize(..300) {
        let turn = match rng.u32(..20) {
            0 if number > 0 => Turn::ToPlay(color(rng)),
            1 if number > 0 => {
                let kinds = [Stone::Space, Stone::Black, Stone::White];
                let mut changes = Vec::new();
                for &point in &points {
                    if rng.usize(..points.len()) < 3 {
                        changes.push((point, kinds[rng.usize(..3)]));
                    }
                }
                if changes.is_empty() { Turn::Setup(vec![(points[0], Stone::Space)]) } else { Turn::Setup(changes) }
            }
            2 => Turn::Move(color(rng), Move::Pass),
            _ => Turn::Move(color(rng), Move::Play(points[rng.usize(..points.len())])),
        };
        game.turns.push(turn);
    }
    game
}

#[test]
fn written_games_read_back_unchanged() {
    let mut rng = fastrand::Rng::with_seed(14);
    let (mut passes, mut setups) = (0, 0);
    let sides = || MIN_SIDE..=MAX_SIDE;
    let sizes = sides().flat_map(|width| sides().map(move |height| (width, height)));
    for (width, height) in sizes {
        let coordinate = Coordinate::new(width, height).unwrap();
        // FF[4] forbids two numbers for a square board
        let size = if width == height { format!("SZ[{width}]") } else { format!("SZ[{width}:{height}]") };
        for _ in 0..if width == height { 20 } else { 1 } {
            let game = random_game(&mut rng, coordinate);
            let text = sgf::write(&game);
            assert!(text.contains(&size), "{text}");
            assert_eq!(sgf::read(text.as_bytes()).as_ref(), Ok(&game), "{text}");
            // usable as a GTP answer
            assert!(!text.contains("\n\n") && !text.contains('\r') && text.ends_with(')'), "{text}");
            let long = |line: &&str| line.chars().count() > 80 && !line.starts_with(['P', 'R', 'D', 'G']);
            assert_eq!(text.lines().find(long), None);
            passes += game.turns.iter().filter(|turn| matches!(turn, Turn::Move(_, Move::Pass))).count();
            setups += game.turns.iter().filter(|turn| matches!(turn, Turn::Setup(_))).count();
        }
    }
    assert!(passes > 1000 && setups > 1000, "{passes} passes, {setups} setups");
}

#[test]
fn written_text_is_well_formed() {
    let game = sgf::read(b"(;SZ[5]KM[-6,5]PB[a\nb\\]]AB[aa]AW[bb]PL[W];W[cc];B[];AE[aa]PL[B])").unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        sgf::write(&game),
        format!(
            "(;FF[4]GM[1]CA[UTF-8]AP[Kifuwarabe UEC14:{version}]SZ[5]KM[-6.5]PB[a b\\]]AB[aa]\nAW[bb]PL[W]\n\
             ;W[cc];B[];AE[aa];PL[B])"
        )
    );
    // invalid values are left out, so that the file is readable
    let mut odd = GameRecord::new(Coordinate::square(5).unwrap());
    let off_board = Coordinate::square(19).unwrap().parse_vertex("T19").unwrap();
    odd.komi = Some(f64::NAN);
    odd.black = Some("a\n\n;B[aa]\0\u{2028}".to_owned());
    odd.setup = vec![(off_board, Stone::Black), (off_board, Stone::Wall)];
    odd.turns = vec![Turn::Setup(Vec::new()), Turn::Move(Color::Black, Move::Play(off_board))];
    check(sgf::write(&odd), "5 pb a  ;B[aa]");
}

fn loaded(record: &str, until: Option<usize>) -> Position {
    let like = empty_position(Coordinate::square(19).unwrap());
    sgf::position_of(&sgf::read(record.as_bytes()).unwrap(), &like, until).unwrap()
}

#[test]
fn a_record_is_played_up_to_its_first_illegal_move() {
    let like = empty_position(Coordinate::square(19).unwrap());
    let part = |record: &str| sgf::playable_part(&sgf::read(record.as_bytes()).unwrap(), &like);
    let whole = part("(;SZ[9];B[ee];W[dd])").unwrap();
    assert_eq!((whole.position.record().len(), whole.illegal), (2, None));
    for (record, moves, to_move, illegal, reason) in [
        ("(;SZ[9];B[aa];W[aa])", 1, Color::White, "move 2, white A9", IllegalMove::Masonry),
        ("(;SZ[9]AB[ba][ab];W[aa];B[cc])", 0, Color::White, "move 1, white A9", IllegalMove::OpponentEye),
        ("(;SZ[9];B[aa];B[aa];W[cc];W[cc])", 1, Color::Black, "move 2, black A9", IllegalMove::Masonry),
        ("(;SZ[9];B[aa];AW[bb];W[bb])", 1, Color::White, "move 2, white B8", IllegalMove::Masonry),
        (
            "(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];W[ee];B[cb];W[bb])",
            2,
            Color::White,
            "move 3, white B4",
            IllegalMove::Ko,
        ),
    ] {
        let part = part(record).unwrap();
        let error = part.illegal.unwrap();
        let found = (part.position.record().len(), part.position.to_move(), error.brief(), error.warning());
        let brief = format!("{illegal}: {}", reason.name());
        let (name, words) = (reason.name(), reason.explanation());
        let warning = format!("{illegal}, is illegal ({name}: {words}); the moves before it are used");
        assert_eq!(found, (moves, to_move, brief, warning), "{record}");
    }
    // a set-up that is no position, also before an illegal move
    assert!(matches!(part("(;SZ[2]AB[aa][ba][ab][bb])"), Err(ReplayError::Setup(_))));
    assert!(matches!(part("(;SZ[2];B[aa];AB[aa][ba][ab][bb];W[aa])"), Err(ReplayError::Setup(_))));
}

#[test]
fn the_next_move_determines_the_colour_to_move() {
    for (record, until, expected) in [
        ("(;SZ[9]AB[cc][gg];W[ee];W[dd];B[ff])", Some(1), Color::White),
        ("(;SZ[9]AB[cc][gg];W[ee];W[dd];B[ff])", Some(2), Color::White),
        ("(;SZ[9]AB[cc][gg];W[ee];W[dd];B[ff])", Some(3), Color::Black),
        ("(;SZ[9]AB[cc][gg];W[ee];W[dd];B[ff])", None, Color::White),
        ("(;SZ[9]HA[2]AB[cc][gg])", None, Color::White),
        ("(;SZ[9]HA[2]AB[cc][gg];B[ee])", Some(1), Color::Black),
        ("(;SZ[9]HA[0])", None, Color::Black),
        ("(;SZ[9]PL[W])", None, Color::White),
        ("(;SZ[9];B[aa];AE[aa]PL[B])", None, Color::Black),
    ] {
        assert_eq!(loaded(record, until).to_move(), expected, "{record} {until:?}");
    }
    for (record, expected) in [
        ("(;SZ[9]AB[cc][gg];W[ee])", "PL[W]\n;W[ee])"),
        ("(;SZ[9]AB[cc][gg]PL[B];W[ee])", "PL[B]\n;W[ee])"),
        ("(;SZ[9]PL[B];W[ee])", "PL[B]\n;W[ee])"),
        ("(;SZ[9];B[ee];B[dd])", "KM[6.5]RU[chinese]\n;B[ee];B[dd])"),
        ("(;SZ[9];B[aa];AE[aa]PL[B])", ";B[aa];AE[aa];PL[B])"),
        ("(;SZ[9];B[aa];PL[B];W[bb];W[cc])", ";B[aa];PL[B];W[bb];W[cc])"),
    ] {
        let written = sgf::write(&sgf::record_of(&loaded(record, None)));
        assert!(written.ends_with(expected), "{record}: {written}");
    }
}

#[test]
fn a_declared_even_game_reads_back() {
    let written = sgf::write(&sgf::record_of(&loaded("(;SZ[9]HA[0]AB[cc][gg];W[ee])", None)));
    assert_eq!((loaded(&written, None).handicap(), written.contains("HA[0]")), (0, true), "{written}");
    let written = sgf::write(&sgf::record_of(&loaded("(;SZ[9]AB[cc][gg];W[ee])", None)));
    assert_eq!((loaded(&written, None).handicap(), written.contains("HA")), (2, false), "{written}");
}

#[test]
fn games_read_back_with_their_colour_to_move() {
    let mut rng = fastrand::Rng::with_seed(77);
    let mut to_play_count = 0;
    for _ in 0..200 {
        let mut position = empty_position(Coordinate::square(4).unwrap());
        let points: Vec<Point> = position.board().coordinate().points().collect();
        for _ in 0..rng.usize(..30) {
            let color = if rng.bool() { Color::Black } else { Color::White };
            let point = points[rng.usize(..points.len())];
            match rng.u32(..10) {
                0 => position.set_to_move(color),
                1 => drop(position.remove_ren(point)),
                2 => drop(position.undo()),
                3 => position.pass(color),
                _ => drop(position.play(position.to_move(), point)),
            }
        }
        let written = sgf::write(&sgf::record_of(&position));
        let again = loaded(&written, None);
        assert_eq!(again.board().stones(), position.board().stones(), "{written}");
        assert_eq!((again.record(), again.to_move()), (position.record(), position.to_move()), "{written}");
        assert!(again.history().eq(position.history()), "{written}");
        to_play_count += written.matches(";PL[").count();
    }
    assert!(to_play_count > 50, "{to_play_count}");
}

#[test]
fn further_games_of_a_file_are_noticed() {
    for (text, expected) in [
        ("(;SZ[9];B[aa])", false),
        ("(;SZ[9];B[aa]C[(;a)])\n", false),
        ("(;SZ[9];B[aa](;W[bb])(;W[cc]))(;SZ[9];B[bb])", true),
        ("notes (;SZ[9];B[aa]) and ( no game )", false),
        ("(;SZ[9];B[aa]", false),
    ] {
        assert_eq!(sgf::has_several_games(text.as_bytes()), expected, "{text}");
    }
}

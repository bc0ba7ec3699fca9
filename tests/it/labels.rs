//! `labels` as a program: the rows of its shards against the library, resuming, and its streams.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position, Symmetry};
use kifuwarabe_uec14::net::history::BoardHistory;
use kifuwarabe_uec14::net::katago::features::PLANES;
use kifuwarabe_uec14::net::native::features::{Features as NativeFeatures, PLANES_WITH_LADDERS};
use kifuwarabe_uec14::net::{Net, simd::InstructionSet};
use safetensors::SafeTensors;
use serde_json::Value;

use crate::support::{game_table, tiny_katago_net};

const AREA: usize = 81;

fn labels(folder: &Path, args: &[&str]) -> Output {
    labels_command(folder, args).output().unwrap()
}

fn labels_command(folder: &Path, args: &[&str]) -> Command {
    let net = format!("Net.File={}", tiny_katago_net().display());
    let size = if args.contains(&"--size") { &[][..] } else { &["--size", "9"] };
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
    command.args(["--set", &net, "--set", "Net.Precision=f32", "labels", "--records", "games.tsv"]);
    command.args(size).args(args).current_dir(folder);
    command
}

/// A folder with a table of games, and what a run in it prints.
fn run(folder: &Path, args: &[&str]) -> String {
    fs::write(folder.join("games.tsv"), game_table(40)).unwrap();
    let output = labels(folder, args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn shard(folder: &Path, number: usize) -> Vec<u8> {
    let file = fs::File::open(folder.join(format!("out/shard-{number:05}.safetensors.gz"))).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    bytes
}

fn rows<'a, const N: usize, T>(shard: &'a SafeTensors<'a>, name: &str, read: fn([u8; N]) -> T) -> Vec<Vec<T>> {
    let tensor = shard.tensor(name).unwrap();
    let columns = tensor.shape()[1];
    let numbers = tensor.data().chunks_exact(N).map(|bytes| read(bytes.try_into().unwrap()));
    let mut rows: Vec<Vec<T>> = Vec::new();
    for (number, value) in numbers.enumerate() {
        if number % columns == 0 {
            rows.push(Vec::new());
        }
        rows.last_mut().unwrap().push(value);
    }
    rows
}

fn bit(bytes: &[u8], number: usize) -> bool {
    bytes[number / 8] >> (7 - number % 8) & 1 == 1
}

/// The game of a line of the table before one of its moves.
fn game(line: u32, ply: usize, komi: f64) -> BoardHistory {
    let mut position = Position::new(
        Coordinate::square(9).unwrap(),
        GameRule::with_komi(komi).with_rule_set("japanese").unwrap(),
        0,
        Color::Black,
    );
    let color = |number: usize| if number.is_multiple_of(2) { Color::Black } else { Color::White };
    for number in 0..ply {
        let place = (number * 37 + line as usize * 11) % AREA;
        let point = position.board().coordinate().point(place as u8 % 9 + 1, 9 - place as u8 / 9).unwrap();
        position.play(color(number), point).unwrap();
    }
    BoardHistory::new(&position, color(ply))
}

#[test]
fn rows_are_features_and_outputs_of_the_games_positions() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["--out", "out", "--per-game", "3", "--deviation-share", "0.5", "--max-deviations", "2", "--rules", "japanese"];
    let text = run(folder.path(), &args);
    assert!(text.starts_with("1 shard with ") && text.ends_with(" positions written to out\n"), "{text}");
    let bytes = shard(folder.path(), 0);
    let read = SafeTensors::deserialize(&bytes).unwrap();
    let byte = |[byte]: [u8; 1]| byte;
    let (planes, legal) = (rows(&read, "planes", byte), rows(&read, "legal", byte));
    let (origin, black) = (rows(&read, "game", u32::from_le_bytes), rows(&read, "black", byte));
    let (policy, value) = (rows(&read, "policy", u16::from_le_bytes), rows(&read, "value", f32::from_le_bytes));
    let (score, ownership) = (rows(&read, "score", f32::from_le_bytes), rows(&read, "ownership", i8::from_le_bytes));
    let (played, result) = (rows(&read, "played", i16::from_le_bytes), rows(&read, "result", f32::from_le_bytes));
    let globals = rows(&read, "globals", f32::from_le_bytes);
    let net = Net::read(&fs::read(tiny_katago_net()).unwrap(), InstructionSet::best()).unwrap();
    let (mut of_games, mut off_games) = (0, 0);
    for row in 0..planes.len() {
        let &[file, line, ply, extra] = origin[row].as_slice() else { panic!() };
        assert_eq!(file, 0);
        let sum: u32 = policy[row].iter().map(|&part| u32::from(part)).sum();
        assert!(sum.abs_diff(65535) < 60, "{sum}");
        if extra > 0 {
            assert!(extra <= 2 && played[row] == [-1] && result[row] == [-1.0]);
            off_games += 1;
            continue;
        }
        of_games += 1;
        let game = game(line, ply as usize, 7.0);
        let features = game.features();
        for plane in 0..PLANES {
            for (point, bits) in features.planes().bits().iter().enumerate() {
                assert_eq!(bit(&planes[row], plane * AREA + point), bits >> plane & 1 == 1, "{line} {ply} {plane}");
            }
        }
        assert!(features.legal().iter().enumerate().all(|(place, &legal_now)| bit(&legal[row], place) == legal_now));
        assert_eq!(globals[row], features.globals());
        assert_eq!(black[row], [u8::from(game.to_move() == Color::Black)]);
        assert_eq!(usize::try_from(played[row][0]).unwrap(), (ply as usize * 37 + line as usize * 11) % AREA);
        let won = [[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]][usize::from(game.to_move() == Color::White)];
        assert_eq!(result[row], [won[line as usize % 3]]);
        let output = net.katago().unwrap().evaluate(&[(&features, Symmetry::default())], &mut Default::default());
        let output = &output[0];
        let alike = |one: f32, two: f32, error: f32| assert!((one - two).abs() < error, "{line} {ply}: {one} {two}");
        (0..=AREA).for_each(|place| alike(f32::from(policy[row][place]) / 65535.0, output.policy[place], 1e-4));
        (0..AREA).for_each(|place| alike(f32::from(ownership[row][place]) / 127.0, output.ownership[place], 5e-3));
        alike(value[row][0], output.win, 1e-4);
        alike(value[row].iter().sum(), 1.0, 1e-4);
        alike(score[row][0], output.score_mean, 1e-2);
        alike(score[row][1], output.score_stdev, 1e-2);
        alike(score[row][2], output.lead, 1e-2);
    }
    // three of each game that is not held out
    assert!((90..=120).contains(&of_games) && of_games % 3 == 0, "{of_games}");
    assert!((of_games / 4..of_games).contains(&off_games), "{off_games} of {of_games}");
}

#[test]
fn ends_of_variations_are_rows_beside_the_positions_searched() {
    let of = |args: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &[&["--out", "out", "--per-game", "2", "--max-deviations", "0"], args].concat());
        shard(folder.path(), 0)
    };
    let origins = |bytes: &[u8]| rows(&SafeTensors::deserialize(bytes).unwrap(), "game", u32::from_le_bytes);
    let searched = of(&["--search", "16", "--threads", "1"]);
    assert_eq!(searched, of(&["--search", "16", "--threads", "2"]));
    let rows = origins(&searched);
    let (positions, ends): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[3] == 0);
    // the same positions as without a search, and a few variations of each
    assert_eq!(positions.into_iter().cloned().collect::<Vec<_>>(), origins(&of(&[])));
    assert!(ends.len() > rows.len() / 2, "{} of {}", ends.len(), rows.len());
    assert!(ends.iter().any(|row| row[3] > 2), "every variation has one or two moves");
}

#[test]
fn an_interrupted_run_goes_on_with_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--out", "out", "--games-per-shard", "10", "--komi-spread", "3", "--rules", "chinese", "aga"];
    run(folder.path(), &args);
    let whole = [0, 1, 2, 3].map(|number| shard(folder.path(), number));
    assert!(whole.windows(2).all(|pair| pair[0] != pair[1]));
    fs::remove_file(folder.path().join("out/shard-00001.safetensors.gz")).unwrap();
    let text = run(folder.path(), &[&args[..], &["--threads", "3"]].concat());
    assert!(text.starts_with("1 shard with "), "{text}");
    assert!([0, 1, 2, 3].map(|number| shard(folder.path(), number)) == whole);
    // a folder takes rows of one kind only
    let refused = |more: &[&str], expected: &str| {
        let output = labels(folder.path(), &[&args[..6], more].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("shard-00000.safetensors.gz: ") && text.contains(expected), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    };
    fs::remove_file(folder.path().join("out/shard-00002.safetensors.gz")).unwrap();
    refused(&["--rules", "chinese"], "as in this run, or another --out");
    refused(&["--rules", "chinese", "aga", "--per-game", "5"], "per_game 4, expected 5 as in this run");
    refused(&["--rules", "chinese", "aga", "--set", "Net.Use=false"], "teacher");
    refused(&["--rules", "chinese", "aga", "--seed", "2"], "seed 1, expected 2");
    assert!(!folder.path().join("out/shard-00002.safetensors.gz").exists());
    // the same to standard output, one after another
    let output = labels(folder.path(), &[&["--out", "-"], &args[2..]].concat());
    assert!(output.stdout == whole.concat());
}

#[test]
fn games_held_out_are_apart_and_a_net_is_not_needed() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |args: &[&str]| {
        fs::remove_dir_all(folder.path().join("out")).ok();
        run(folder.path(), &[&["--out", "out", "--deviation-share", "0"], args].concat());
        let bytes = shard(folder.path(), 0);
        let read = SafeTensors::deserialize(&bytes).unwrap();
        let mut lines: Vec<u32> = rows(&read, "game", u32::from_le_bytes).iter().map(|game| game[1]).collect();
        lines.sort_unstable();
        lines.dedup();
        (lines, read.tensor("policy").is_ok())
    };
    let (learned, has_policy) = lines(&[]);
    let (held, _) = lines(&["--held-out"]);
    assert!(has_policy && !held.is_empty() && held.len() < 15);
    assert!(held.iter().all(|line| !learned.contains(line)) && held.len() + learned.len() == 40);
    let (same, has_policy) = lines(&["--set", "Net.Use=false", "--per-game", "24"]);
    assert!(same == learned && !has_policy);
}

#[test]
fn the_last_positions_of_games_include_the_final_one() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["--out", "out", "--deviation-share", "0", "--per-game", "9", "--last", "2"]);
    let bytes = shard(folder.path(), 0);
    let read = SafeTensors::deserialize(&bytes).unwrap();
    let (games, played) = (rows(&read, "game", u32::from_le_bytes), rows(&read, "played", i16::from_le_bytes));
    let black = rows(&read, "black", |[byte]: [u8; 1]| byte);
    assert!(games.len() > 50 && games.len().is_multiple_of(2));
    let table = game_table(40);
    let lines: Vec<&str> = table.lines().collect();
    for (row, game) in games.iter().enumerate() {
        let moves = lines[game[1] as usize].split('\t').next_back().unwrap().len() / 3;
        let ply = game[2] as usize;
        assert_eq!(ply, moves - 1 + row % 2, "line {}", game[1]);
        assert_eq!(played[row] == [-1], ply == moves);
        assert_eq!(black[row], [u8::from(ply.is_multiple_of(2))]);
    }
}

#[test]
fn ends_of_counted_games_have_the_points_of_the_side_to_move() {
    let table = game_table(8);
    let moves: Vec<&str> = table.lines().map(|line| line.split('\t').next_back().unwrap()).collect();
    let passes = format!("{}B..W..", moves[7]);
    let games = [
        // komi, result, rules, set-up, moves
        ("6.5", "B+3.5", "", "", moves[0]),
        ("0", "W+12", "Japanese", "", &moves[1][3..]),
        ("7.5", "W+3.5", "Chinese", "", moves[2]),
        ("6.5", "B+R", "Japanese", "", moves[3]),
        ("7.5", "B+1.75", "Chinese", "", moves[4]),
        ("0.5", "B+3.5", "Japanese", "Bii", moves[5]),
        ("", "B+3.5", "Japanese", "", moves[6]),
        ("6.5", "W+0.5", "Korean", "", &passes),
        ("6.5", "W+2.5", "Japanese", "", &moves[0][..69]),
        ("60", "W+55", "Japanese", "", moves[1]),
        ("7.5", "B+1.5", "", "", moves[2]),
        ("6.5", "W+94.5", "Japanese", "", moves[3]),
        ("7", "Draw", "Japanese", "", moves[4]),
    ];
    let lines = games.map(|(komi, result, rules, setup, moves)| {
        format!("x\t9\t{komi}\t\t{result}\t{rules}\t\t\t\t24\t0\t0\t0\t{setup}\t{moves}\n")
    });
    let ends = |rules: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("games.tsv"), lines.concat()).unwrap();
        let mut found = Vec::new();
        for (out, held_out) in [("learned", None), ("held", Some("--held-out"))] {
            let args = ["--out", out, "--ends", "--rules", rules, "--set", "Net.Use=false"];
            // either group may be empty
            labels(folder.path(), &args.into_iter().chain(held_out).collect::<Vec<_>>());
            let Ok(file) = fs::File::open(folder.path().join(out).join("shard-00000.safetensors.gz")) else { continue };
            let mut bytes = Vec::new();
            GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
            let read = SafeTensors::deserialize(&bytes).unwrap();
            let Ok(_) = read.tensor("margin") else { continue };
            let (games, margins) = (rows(&read, "game", u32::from_le_bytes), rows(&read, "margin", f32::from_le_bytes));
            found.extend(games.into_iter().zip(margins).map(|(game, margin)| (game[1], game[2], margin[0])));
        }
        found.sort_by_key(|end| end.0);
        found
    };
    // the first player of line 1 is White, so Black is to move after 23 moves; White is to move in line 8
    assert_eq!(ends("japanese"), [(0, 24, 3.5), (1, 23, -12.0), (7, 24, -0.5), (8, 23, 2.5), (12, 24, 0.0)]);
    assert_eq!(ends("chinese"), [(2, 24, -3.5)]);
}

/// Earlier versions named the options `off` and `depth`.
#[test]
fn options_are_compared_with_their_earlier_names() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--out", "out", "--set", "Net.Use=false", "--deviation-share", "0.5", "--max-deviations", "2"];
    run(folder.path(), &args);
    let earlier = [(r#"\"deviation_share\""#, r#"\"off\""#), (r#"\"max_deviations\""#, r#"\"depth\""#)];
    let mut bytes = shard(folder.path(), 0);
    for (name, earlier) in earlier {
        let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
        bytes[at..at + name.len()].copy_from_slice(format!("{earlier:width$}", width = name.len()).as_bytes());
    }
    let file = fs::File::create(folder.path().join("out/shard-00000.safetensors.gz")).unwrap();
    let mut file = GzEncoder::new(file, Compression::fast());
    file.write_all(&bytes).unwrap();
    file.finish().unwrap();
    assert!(run(folder.path(), &args).starts_with("0 shards with "));
    for (options, expected) in [
        (["--deviation-share", "0.25", "--max-deviations", "2"], "deviation_share 0.5, expected 0.25 as in this run"),
        (["--deviation-share", "0.5", "--max-deviations", "3"], "max_deviations 2, expected 3 as in this run"),
    ] {
        let text = String::from_utf8(labels(folder.path(), &[&args[..4], &options].concat()).stderr).unwrap();
        assert!(text.contains(expected), "{text}");
    }
}

/// Walks of a process that are followed move by move.
struct Walks(Child);

impl Walks {
    fn new(folder: &Path, count: usize) -> Walks {
        fs::write(folder.join("games.tsv"), game_table(40)).unwrap();
        let count = count.to_string();
        let mut command = labels_command(folder, &["--set", "Net.Use=false", "--out", "-", "--walks", &count]);
        Walks(command.args(["--rules", "japanese"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn next_shard(&mut self) -> Vec<u8> {
        let stdout = self.0.stdout.as_mut().unwrap();
        let mut bytes = vec![0; 8];
        stdout.read_exact(&mut bytes).unwrap();
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        bytes.resize(8 + length, 0);
        stdout.read_exact(&mut bytes[8..]).unwrap();
        let header: Value = serde_json::from_slice(&bytes[8..]).unwrap();
        let ends = header.as_object().unwrap().values().filter_map(|tensor| tensor["data_offsets"][1].as_u64());
        let data = ends.max().unwrap() as usize;
        bytes.resize(8 + length + data, 0);
        stdout.read_exact(&mut bytes[8 + length..]).unwrap();
        bytes
    }

    fn send(&mut self, places: &[u16]) {
        let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
        self.0.stdin.as_mut().unwrap().write_all(&bytes).unwrap();
    }
}

#[test]
fn walks_go_on_with_the_moves_that_are_read() {
    const NEW: u16 = u16::MAX;
    let folder = tempfile::tempdir().unwrap();
    let mut walks = Walks::new(folder.path(), 4);
    let mut games: Vec<(Vec<u32>, BoardHistory)> = Vec::new();
    for round in 0..6 {
        let bytes = walks.next_shard();
        let read = SafeTensors::deserialize(&bytes).unwrap();
        let origin = rows(&read, "game", u32::from_le_bytes);
        let (planes, native) =
            (rows(&read, "planes", |[b]: [u8; 1]| b), rows(&read, "native_planes", |[b]: [u8; 1]| b));
        let globals = rows(&read, "native_globals", f32::from_le_bytes);
        // the first game ended by two passes; the second was left after the first round
        for (row, origin) in origin.iter().enumerate() {
            if origin[3] == 0 {
                assert!(round == 0 || row == 1 || (row == 0 && round % 3 == 0), "row {row} is new in round {round}");
                let start = (origin.clone(), game(origin[1], origin[2] as usize, 7.0));
                if round == 0 { games.push(start) } else { games[row] = start }
            }
            assert_eq!(origin[..3], games[row].0[..3]);
            let game = &games[row].1;
            let (features, input) = (game.features(), NativeFeatures::of_history(game, PLANES_WITH_LADDERS));
            for point in 0..AREA {
                let set = |bytes: &[u8], planes: usize| {
                    (0..planes).filter(|plane| bit(bytes, plane * AREA + point)).fold(0, |all, plane| all | 1 << plane)
                };
                assert_eq!(set(&planes[row], PLANES), features.planes().bits()[point], "round {round}, row {row}");
                assert_eq!(
                    set(&native[row], PLANES_WITH_LADDERS),
                    input.planes().bits()[point],
                    "round {round}, row {row}"
                );
            }
            assert_eq!(globals[row], input.score_globals());
        }
        assert_eq!(origin.iter().map(|origin| origin[3]).collect::<Vec<_>>(), [round % 3, 0, round, round]);
        // a pass, another game, a move
        let coordinate = Coordinate::square(9).unwrap();
        let places: Vec<u16> = (0..4)
            .map(|row| match row {
                0 => AREA as u16,
                1 => NEW,
                _ => games[row].1.features().legal()[..AREA].iter().rposition(|&legal| legal).unwrap() as u16,
            })
            .collect();
        walks.send(&places);
        for ((_, game), place) in games.iter_mut().zip(&places).filter(|(_, place)| **place != NEW) {
            game.play(Move::all(coordinate).nth(usize::from(*place)).unwrap());
        }
    }
    let mut child = walks.0;
    drop(child.stdin.take());
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn mistakes_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.tsv"), game_table(40)).unwrap();
    for (args, expected) in [
        (&["--out", "out", "--deviation-share", "2"][..], "'2' for '--deviation-share <P>': expected 0 to 1"),
        (&["--out", "out", "--rules", "mine"], "expected one of"),
        (&["--out", "games.tsv"], "games.tsv"),
        (&["--out", "out", "--set", "Net.File="], "expected a net of KataGo in Net.File"),
        (&["--out", "out", "--records", "absent"], "--records absent: "),
        (&["--out", "out", "--walks", "4"], "--walks 4: expected --out -"),
        (&["--out", "-", "--walks", "4", "--deviation-share", "0.1"], "'--deviation-share <P>'"),
        (&["--out", "out", "--ends", "--last", "4"], "'--last <N>'"),
    ] {
        let output = labels(folder.path(), args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let mut walks = labels_command(folder.path(), &["--out", "-", "--walks", "2"]);
    let mut child = walks.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[0x80, 1, 0x80, 1]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("standard input: policy index 384: expected the index of a legal move, or 65535"), "{text}");
    let empty = labels(folder.path(), &["--out", "out", "--size", "13"]);
    assert!(
        String::from_utf8(empty.stderr)
            .unwrap()
            .contains("--records games.tsv: no record table or self-play file with games on 13x13")
    );
}

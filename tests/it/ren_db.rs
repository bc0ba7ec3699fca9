//! The ren database and its file: the scan order against a second, recursive implementation, and that loading reverses
//! saving.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Folder, answers, engine};
use crate::support::RECTANGLES;

/// Scans a board, given as rows of characters with the frame, in the order of the database: file by file, depth first,
/// east, north, west, south. Gives `name suffix -> (stone, locate, liberty)`.
fn scan(rows: &[Vec<char>]) -> BTreeMap<String, (char, String, String)> {
    let mut seen = BTreeSet::new();
    let mut rens = BTreeMap::new();
    for x in 1..rows[0].len() - 1 {
        for y in 1..rows.len() - 1 {
            if seen.contains(&(x, y)) {
                continue;
            }
            let (mut points, mut liberties) = (Vec::new(), Vec::new());
            walk(rows, x, y, &mut seen, &mut points, &mut liberties);
            let &(x0, y0) = points.iter().min_by_key(|&&(x, y)| (y, x)).unwrap();
            let name = format!("{y0:02}{}", letter(x0));
            rens.insert(name, (rows[y][x], names(&points), names(&liberties)));
        }
    }
    rens
}

type Points = Vec<(usize, usize)>;

fn walk(
    rows: &[Vec<char>],
    x: usize,
    y: usize,
    seen: &mut BTreeSet<(usize, usize)>,
    points: &mut Points,
    liberties: &mut Points,
) {
    seen.insert((x, y));
    points.push((x, y));
    for (x2, y2) in [(x + 1, y), (x, y - 1), (x - 1, y), (x, y + 1)] {
        if rows[y2][x2] == rows[y][x] {
            if !seen.contains(&(x2, y2)) {
                walk(rows, x2, y2, seen, points, liberties);
            }
        } else if rows[y2][x2] == '.' && !liberties.contains(&(x2, y2)) {
            liberties.push((x2, y2));
        }
    }
}

fn letter(x: usize) -> char {
    b"?ABCDEFGHJKLMNOPQRSTUVWXYZ"[x].into()
}

fn names(points: &[(usize, usize)]) -> String {
    points.iter().map(|&(x, y)| format!("{}{y}", letter(x))).collect::<Vec<_>>().join(" ")
}

/// The rows of a `board` answer.
fn rows_of(answer: &str) -> Vec<Vec<char>> {
    let rows = answer.lines().filter(|line| line.ends_with('+'));
    rows.map(|line| line[line.find('+').unwrap()..].chars().collect()).collect()
}

#[test]
fn board4_has_48_rens_in_scan_order() {
    let folder = Folder::new();
    let output = folder.run(&[], b"board_set file data/board4.txt\nrendb_save a file.json\nboard\n");
    let answers = String::from_utf8(output.stdout).unwrap();
    let saved = folder.read("a file.json");
    assert!(saved.starts_with(r#"{"header":{"boardWidth":19,"boardHeight":19},"rens":{"001,01A":{"stone":"x","locate":"A1","liberty":"B1 A2"},"#));
    let file: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let rens = file["rens"].as_object().unwrap();
    let expected = scan(&rows_of(&answers));
    assert_eq!((rens.len(), expected.len()), (48, 48));
    for (name, (stone, locate, liberty)) in expected {
        let ren = &rens[&format!("001,{name}")];
        assert_eq!(ren["stone"], stone.to_string(), "{name}");
        assert_eq!(ren["locate"], locate, "{name}");
        assert_eq!(ren["liberty"], if stone == '.' { "" } else { liberty.as_str() }, "{name}");
    }
}

#[test]
fn save_load_save_is_the_identity_on_random_games_of_all_sizes() {
    let folder = Folder::new();
    let mut rng = fastrand::Rng::with_seed(48);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let squares = (2..=25).map(|side| (side, side));
    // the shortest side of GTP is 2
    let rectangles = RECTANGLES.into_iter().filter(|(width, height)| width.min(height) > &1);
    for (width, height) in squares.chain(rectangles) {
        let mut engine = engine();
        let size = format!("{width} {height}");
        let mut script = format!("boardsize {size}\n");
        for number in 0..60 {
            let (x, y) = (rng.usize(1..=width.into()), rng.usize(1..=height.into()));
            script += &format!("play {} {}{y}\n", ["black", "white"][number % 2], letter(x));
        }
        answers(&mut engine, script.as_bytes());
        let dumps = "rendb_dump\nrendb_board\n";
        let script = format!(
            "{dumps}rendb_save {}\nboardsize {size}\nrendb_load {}\nrendb_save {}\n{dumps}",
            path("1"),
            path("1"),
            path("2")
        );
        let output = answers(&mut engine, script.as_bytes());
        assert!(!output.contains("? "), "{size}: {output}");
        assert_eq!(folder.read("1"), folder.read("2"), "{size}");
        let parts: Vec<&str> = output.split("\n\n").collect();
        assert_eq!((parts[0], parts[1]), (parts[6], parts[7]), "{size}");
        assert!(parts[0].starts_with("= dump'''[001,01A]"));
    }
}

#[test]
fn every_position_of_a_game_is_stored_in_scan_order() {
    for (width, height) in [(6, 6), (3, 7), (9, 2)] {
        check_every_position(width, height);
    }
}

fn check_every_position(width: usize, height: usize) {
    let mut engine = engine();
    let mut rng = fastrand::Rng::with_seed(7);
    answers(&mut engine, format!("boardsize {width} {height}\n").as_bytes());
    for number in 0..80 {
        let (x, y) = (rng.usize(1..=width), rng.usize(1..=height));
        let command = format!("play {} {}{y}\n", ["b", "w"][number % 2], letter(x));
        answers(&mut engine, command.as_bytes());
        let board = answers(&mut engine, b"board\n");
        let db = engine.position.ren_db();
        let ordinal = engine.position.ordinal();
        let coordinate = db.coordinate();
        let stored: BTreeMap<String, (char, String, String)> = (db.iter().filter(|(id, _)| id.ordinal == ordinal))
            .map(|(id, ren)| {
                let liberties = coordinate.vertices(&ren.liberties);
                let name = db.name(id)[4..].to_owned();
                (name, (ren.stone.symbol(), coordinate.vertices(&ren.locations), liberties))
            })
            .collect();
        assert_eq!(stored, scan(&rows_of(&board)), "{board}");
    }
}

/// `find_all_rens` adds no ren whose points a loaded one has, so that what is saved then can be loaded.
#[test]
fn rens_of_a_board_and_a_loaded_database_share_no_point() {
    let folder = Folder::new();
    let input = "boardsize 3\nset_position b B2 w A1\nrendb_save a.json\nset_position b B1 b B2 w C3\nrendb_load a.json\n\
                 find_all_rens\nrendb_save b.json\nrendb_load b.json\nrendb_dump\n";
    let output = String::from_utf8(folder.run(&[], input.as_bytes()).stdout).unwrap();
    assert!(!output.contains('?'), "{output}");
}

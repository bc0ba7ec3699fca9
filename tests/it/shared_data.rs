//! Records of real games, illegal moves and named rule cases of the folder `data` of the test data
//! ([`external`]), replayed.
//!
//! The tests compare the final and intermediate boards, captured stones, kos and the largest capture of real games,
//! illegal moves with their reasons, and complete sets of legal moves. The folder is outside of the project; without it
//! these tests print SKIPPED and pass.
//!
//! All real games are played on a [`Board`], every 20th also on a [`Position`] with undo of all moves; the other files
//! are played on a [`Position`].

use std::time::Instant;

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, IllegalMove, KoRule, Move, Point, Position, Stone};
use serde_json::Value;

use crate::support::{MAX_MOVES, external, rule};

/// The text of a file in the folder; prints SKIPPED and gives `None` without it.
pub fn file(name: &str) -> Option<String> {
    Some(std::fs::read_to_string(external(&format!("data/{name}"))?).unwrap())
}

fn lines(name: &str) -> Option<Vec<Value>> {
    let text = file(name)?;
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty(), "{name} is empty");
    Some(lines)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn coordinate(line: &Value) -> Coordinate {
    Coordinate::square(number(&line["size"]) as u8).unwrap()
}

/// A move as `["b", "Q16"]`; `None` for a pass.
fn read_move(coordinate: Coordinate, pair: &Value) -> (Color, Option<Point>) {
    let color = read_color(&pair[0]);
    let vertex = text(&pair[1]);
    (color, (vertex != "pass").then(|| coordinate.parse_vertex(vertex).unwrap()))
}

fn read_color(value: &Value) -> Color {
    Color::parse(text(value)).unwrap()
}

fn set_up(coordinate: Coordinate, line: &Value) -> Vec<Stone> {
    let setup = list(&line["setup"]).iter().map(|pair| read_move(coordinate, pair));
    Board::new(coordinate).stones_with(setup.map(|(color, point)| (point.unwrap(), color.stone())))
}

/// Rows as the files write them: rank 1 first, separated by `/`.
fn rows(board: &Board) -> String {
    let coordinate = board.coordinate();
    let cell = |x, y| match board.stone(coordinate.point(x, y).unwrap()) {
        Stone::Black => 'b',
        Stone::White => 'w',
        _ => '.',
    };
    let row = |y| (1..=coordinate.width()).map(move |x| cell(x, y)).collect::<String>();
    (1..=coordinate.height()).map(row).collect::<Vec<_>>().join("/")
}

fn new_position(coordinate: Coordinate, stones: &[Stone]) -> Position {
    let mut position = Position::new(coordinate, rule(false), MAX_MOVES, Color::Black);
    position.set_up(stones).unwrap();
    position
}

fn make(position: &mut Position, (color, point): (Color, Option<Point>)) -> Result<(), IllegalMove> {
    position.make_move(color, point.map_or(Move::Pass, Move::Play))
}

/// Collects disagreements, so that a run shows all of them.
#[derive(Default)]
struct Disagreements(Vec<String>);

impl Disagreements {
    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, id: &str, subject: &str, ours: T, theirs: T) {
        if ours != theirs {
            self.0.push(format!("{id}: {subject}: {ours:?}, in the file {theirs:?}"));
        }
    }

    #[track_caller]
    fn assert_none(self) {
        let Disagreements(list) = self;
        assert!(list.is_empty(), "{} disagreements:\n{}", list.len(), list[..list.len().min(30)].join("\n"));
    }
}

fn check_replays(name: &str, at_least: usize) {
    let Some(lines) = lines(name) else { return };
    let started = Instant::now();
    let mut wrong = Disagreements::default();
    let mut plies = 0;
    for (index, line) in lines.iter().enumerate() {
        replay(line, &mut wrong);
        if index % 20 == 0 {
            replay_and_undo(line, &mut wrong);
        }
        plies += list(&line["moves"]).len();
    }
    eprintln!("{name}: {} games, {plies} plies, {:.1} s", lines.len(), started.elapsed().as_secs_f64());
    assert!(lines.len() >= at_least);
    wrong.assert_none();
}

fn replay(line: &Value, wrong: &mut Disagreements) {
    let id = text(&line["id"]);
    let coordinate = coordinate(line);
    let mut board = Board::from_stones(coordinate, &set_up(coordinate, line)).unwrap();
    let mut lost = [0, 0];
    let mut largest = 0;
    let mut kos = 0;
    let mut checkpoints = list(&line["checkpoints"]).iter().peekable();
    for (ply, pair) in (1..).zip(list(&line["moves"])) {
        let (color, point) = read_move(coordinate, pair);
        if let Some(point) = point {
            match board.play(color, point, &mut ()) {
                Ok(taken) => {
                    lost[color.opponent().index()] += taken as u64;
                    largest = largest.max(taken as u64);
                    kos += u64::from(board.ko().is_some());
                }
                Err(reason) => {
                    wrong.expect(id, &format!("ply {ply}, {pair}"), Err(reason), Ok(()));
                    return;
                }
            }
        } else {
            board.pass();
        }
        while let Some(checkpoint) = checkpoints.next_if(|checkpoint| number(&checkpoint[0]) == ply) {
            wrong.expect(id, &format!("rows after ply {ply}"), rows(&board).as_str(), text(&checkpoint[1]));
            let theirs = [number(&checkpoint[2]), number(&checkpoint[3])];
            wrong.expect(id, &format!("stones lost after ply {ply}"), lost, theirs);
        }
    }
    wrong.expect(id, "checkpoints left", checkpoints.count(), 0);
    wrong.expect(id, "final rows", rows(&board).as_str(), text(&line["final"]));
    wrong.expect(id, "stones lost", lost, [number(&line["black_captured"]), number(&line["white_captured"])]);
    wrong.expect(id, "largest capture", largest, number(&line["largest_capture"]));
    wrong.expect(id, "ko positions", kos, number(&line["ko_positions"]));
    board.assert_consistent();
}

fn replay_and_undo(line: &Value, wrong: &mut Disagreements) {
    let id = text(&line["id"]);
    let coordinate = coordinate(line);
    let stones = set_up(coordinate, line);
    let mut position = new_position(coordinate, &stones);
    for pair in list(&line["moves"]) {
        if let Err(reason) = make(&mut position, read_move(coordinate, pair)) {
            wrong.expect(id, &format!("{pair} in a position"), Err(reason), Ok(()));
            return;
        }
    }
    wrong.expect(id, "final rows of a position", rows(position.board()).as_str(), text(&line["final"]));
    let taken = [position.prisoners(Color::White), position.prisoners(Color::Black)].map(u64::from);
    wrong.expect(id, "prisoners", taken, [number(&line["black_captured"]), number(&line["white_captured"])]);
    position.assert_consistent();
    while position.undo().is_ok() {}
    wrong.expect(id, "stones after undo of all", position.board().stones(), &stones[..]);
    position.assert_consistent();
}

#[test]
fn real_games_on_9x9_match() {
    check_replays("replay_truth_9.jsonl", 1516);
}

#[test]
fn real_games_on_13x13_match() {
    check_replays("replay_truth_13.jsonl", 211);
}

#[test]
fn real_games_on_19x19_match() {
    check_replays("replay_truth_19.jsonl", 1518);
}

/// Whether a verdict has a reason that the files' word can stand for.
fn is_reason(answer: Result<(), IllegalMove>, word: &str) -> bool {
    match word {
        "legal" => answer.is_ok(),
        "ko" => answer == Err(IllegalMove::Ko),
        "superko" => answer == Err(IllegalMove::Superko),
        "occupied" => answer == Err(IllegalMove::Masonry),
        "suicide" => matches!(answer, Err(IllegalMove::OpponentEye | IllegalMove::Suicide)),
        other => panic!("unknown reason {other}"),
    }
}

#[test]
fn illegal_moves_of_real_games_are_refused() {
    let Some(lines) = lines("illegal_truth.jsonl") else { return };
    let started = Instant::now();
    let mut wrong = Disagreements::default();
    for line in &lines {
        let id = text(&line["id"]);
        let coordinate = coordinate(line);
        let mut position = new_position(coordinate, &set_up(coordinate, line));
        for pair in list(&line["moves"]) {
            let answer = make(&mut position, read_move(coordinate, pair));
            wrong.expect(id, &format!("{pair}"), answer, Ok(()));
        }
        let (color, point) = read_move(coordinate, &line["illegal"]);
        let point = point.unwrap();
        let before = rows(position.board());
        for answer in [
            position.check(color, point),
            position.board().check(color, point),
            make(&mut position, (color, Some(point))),
        ] {
            if !is_reason(answer, text(&line["reason"])) {
                wrong.expect(
                    id,
                    &format!("{}", line["illegal"]),
                    format!("{answer:?}").as_str(),
                    text(&line["reason"]),
                );
            }
        }
        wrong.expect(id, "rows after the refusal", rows(position.board()), before);
    }
    eprintln!("illegal_truth.jsonl: {} lines, {:.1} s", lines.len(), started.elapsed().as_secs_f64());
    assert!(lines.len() >= 630);
    wrong.assert_none();
}

/// The rules as the files name them.
const RULES: [(&str, KoRule, bool); 5] = [
    ("simple", KoRule::Simple, false),
    ("psk", KoRule::Positional, false),
    ("ssk", KoRule::Situational, false),
    ("psk_multisuicide", KoRule::Positional, true),
    ("ssk_multisuicide", KoRule::Situational, true),
];

/// Named cases: the verdict under each rule, with its reason.
#[test]
fn named_cases_have_their_verdicts() {
    let Some(lines) = lines("rules_cases.jsonl") else { return };
    let mut wrong = Disagreements::default();
    let mut probes_asked = 0;
    let each_rule = lines.iter().flat_map(|line| RULES.map(|rules| (line, rules)));
    for (line, (rules, ko, suicide)) in each_rule {
        let id = &format!("{} under {rules}", text(&line["id"]));
        let coordinate = coordinate(line);
        let mut position = new_position(coordinate, Board::new(coordinate).stones());
        (position.rule_mut().ko, position.rule_mut().suicide) = (ko, suicide);
        let mut probes = list(&line["probes"]).to_vec();
        probes.sort_by_key(|probe| number(&probe["after_ply"]));
        let mut probes = probes.into_iter().peekable();
        let is_reached = list(&line["final_reached_under"]).iter().any(|reached| reached == rules);
        let moves = list(&line["moves"]);
        for ply in 0..=moves.len() {
            while let Some(probe) = probes.next_if(|probe| number(&probe["after_ply"]) == ply as u64) {
                let Some(expected) = probe["expect"][rules].as_str() else { continue };
                let point = coordinate.parse_vertex(text(&probe["move"])).unwrap();
                let answer = position.check(read_color(&probe["player"]), point);
                probes_asked += 1;
                if !is_reason(answer, expected.trim_start_matches("illegal:")) {
                    wrong.expect(id, &format!("{probe}"), format!("{answer:?}").as_str(), expected);
                }
            }
            if ply as u64 == number(&line["setup_plies"]) {
                let drawn = rows(position.board()).replace('b', "X").replace('w', "O");
                let theirs: Vec<&str> = text(&line["diagram"]).split('/').rev().collect();
                wrong.expect(id, "diagram", drawn, theirs.join("/"));
            }
            if let Some(pair) = moves.get(ply) {
                let answer = make(&mut position, read_move(coordinate, pair));
                if answer.is_err() {
                    // a case may end with a move that only other rules allow
                    wrong.expect(id, &format!("ply {ply}, {pair}"), is_reached, false);
                    break;
                }
            }
        }
        if is_reached {
            wrong.expect(id, "final rows", rows(position.board()).as_str(), text(&line["final_rows"]));
        }
    }
    eprintln!("rules_cases.jsonl: {} cases, {probes_asked} verdicts", lines.len());
    assert!(lines.len() >= 17 && probes_asked >= 17 * RULES.len());
    wrong.assert_none();
}

/// Random games under every rule, with complete sets of legal moves.
#[test]
fn legal_moves_of_random_games_match() {
    let Some(lines) = lines("rules_random.jsonl") else { return };
    let mut wrong = Disagreements::default();
    let (mut games, mut sets) = ([0; RULES.len()], 0);
    for line in &lines {
        let id = text(&line["id"]);
        let suicide = line["suicide"] != "forbidden";
        let named = |(name, _, with_suicide): &(&str, KoRule, bool)| {
            name.starts_with(text(&line["rule"])) && *with_suicide == suicide
        };
        let index = RULES.iter().position(named).unwrap();
        games[index] += 1;
        let coordinate = coordinate(line);
        let mut position = new_position(coordinate, Board::new(coordinate).stones());
        (position.rule_mut().ko, position.rule_mut().suicide) = (RULES[index].1, suicide);
        let moves = list(&line["moves"]);
        for ply in 0..=moves.len() {
            for probe in list(&line["probes"]).iter().filter(|probe| number(&probe["ply"]) == ply as u64) {
                let color = read_color(&probe["to_move"]);
                let points = coordinate.points();
                let legal: Vec<Point> = points.filter(|&p| position.check(color, p).is_ok()).collect();
                let read = |vertex: &Value| coordinate.parse_vertex(text(vertex)).unwrap();
                let mut theirs: Vec<Point> = list(&probe["legal"]).iter().map(read).collect();
                theirs.sort_unstable();
                let subject = format!("legal for {color} after ply {ply}");
                sets += 1;
                wrong.expect(id, &subject, coordinate.vertices(&legal), coordinate.vertices(&theirs));
                wrong.expect(
                    id,
                    &format!("rows after ply {ply}"),
                    rows(position.board()).as_str(),
                    text(&probe["rows"]),
                );
                for vertex in list(&probe["ko_banned"]).iter() {
                    wrong.expect(
                        id,
                        &format!("{subject}: {vertex}"),
                        position.check(color, read(vertex)),
                        Err(if index == 0 { IllegalMove::Ko } else { IllegalMove::Superko }),
                    );
                }
            }
            if let Some(pair) = moves.get(ply) {
                let answer = make(&mut position, read_move(coordinate, pair));
                wrong.expect(id, &format!("ply {ply}, {pair}"), answer, Ok(()));
            }
        }
        wrong.expect(id, "final rows", rows(position.board()).as_str(), text(&line["final_rows"]));
        let lost = [position.prisoners(Color::White), position.prisoners(Color::Black)].map(u64::from);
        let theirs = [number(&line["black_stones_lost"]), number(&line["white_stones_lost"])];
        wrong.expect(id, "stones lost", lost, theirs);
    }
    eprintln!("rules_random.jsonl: {games:?} games, {sets} legal sets");
    assert!(games.iter().filter(|&&games| games >= 65).count() >= 5, "{games:?}");
    wrong.assert_none();
}

/// In real games that repeat a board the first move refused by a superko is the published one.
#[test]
fn the_first_superko_violations_of_real_games_match() {
    let Some(lines) = lines("superko_real.jsonl") else { return };
    let mut wrong = Disagreements::default();
    for line in &lines {
        let id = text(&line["id"]);
        let coordinate = coordinate(line);
        for (key, ko) in [
            ("first_positional_superko_violation_ply", KoRule::Positional),
            ("first_situational_superko_violation_ply", KoRule::Situational),
        ] {
            let mut position = new_position(coordinate, &set_up(coordinate, line));
            position.rule_mut().ko = ko;
            position.set_to_move(read_color(&line["moves"][0][0]));
            let mut refused = -1;
            for (ply, pair) in (number(&line["ply_base"]) as i64..).zip(list(&line["moves"])) {
                match make(&mut position, read_move(coordinate, pair)) {
                    Ok(()) => {}
                    Err(IllegalMove::Superko) => {
                        refused = ply;
                        break;
                    }
                    Err(other) => wrong.expect(id, &format!("ply {ply}"), Err(other), Ok(())),
                }
            }
            wrong.expect(id, key, refused, line[key].as_i64().unwrap());
        }
    }
    eprintln!("superko_real.jsonl: {} games", lines.len());
    wrong.assert_none();
}

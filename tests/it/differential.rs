//! Random games on every board size, the kernel and the oracle side by side.
//!
//! This guards the rules as a whole: after every ply the verdict and its reason for every point and both colours, of
//! [`Board::check`] and of [`Position::check`], the stones, the ko, the prisoners, the side to move and what an observer
//! was told; rens, liberties and the ren scan every `detail` plies. Colours move out of turn, pass, and start from boards
//! that were set up. Each test counts what it met and fails if a rule was never put to the question.

use std::time::Instant;

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Board, Color, Colors, Coordinate, Move, Position, Stone, get_liberty};

use crate::oracle::{self, Oracle, Place, Verdict};
use crate::support::{
    Events, MAX_MOVES, color_of, draw, point_of, rule, sign, sorted, stone_of, stones_of, verdict_of,
};

/// How often each thing came up.
#[derive(Default, Debug)]
struct Met {
    plies: u64,
    passes: u64,
    out_of_turn: u64,
    verdicts: u64,
    set_ups: u64,
    set_ups_refused: u64,
    masonry: u64,
    ko: u64,
    ko_lifted_by_pass: u64,
    ko_not_binding_after_set_up: u64,
    suicide: u64,
    opponent_eye: u64,
    my_eye: u64,
    capture: u64,
    multi_ren_capture: u64,
    snapback: u64,
    joined_two: u64,
    largest_capture: u64,
    largest_ren: u64,
}

/// One game: the oracle, a [`Position`], and a [`Board`] that is played on by itself.
struct Game {
    coordinate: Coordinate,
    oracle: Oracle,
    position: Position,
    board: Board,
    my_eye: bool,
    rng: Rng,
    /// Where the last play took a single stone without making a ko.
    thrown_in: Option<(Place, i8)>,
}

impl Game {
    fn new(columns: u8, rows: u8, seed: u64) -> Game {
        let coordinate = Coordinate::new(columns, rows).unwrap();
        let mut rng = Rng::with_seed(seed);
        let my_eye = rng.bool();
        let first = if rng.bool() { Color::Black } else { Color::White };
        let position = Position::new(coordinate, rule(my_eye), MAX_MOVES, first);
        assert_eq!(position.to_move(), first);
        let oracle = Oracle::new(columns.into(), rows.into());
        Game { coordinate, oracle, position, board: Board::new(coordinate), my_eye, rng, thrown_in: None }
    }

    /// Starts anew from random stones: refused while a ren has no liberty, and then nothing changes.
    fn set_up(&mut self, met: &mut Met) {
        let first = self.position.to_move();
        let density = self.rng.u32(10..95);
        let black = self.rng.u32(0..=100);
        let mut oracle = Oracle::new(self.oracle.columns, self.oracle.rows);
        for (row, column) in oracle.places() {
            if self.rng.u32(0..100) < density {
                let color = if self.rng.u32(0..100) < black { oracle::BLACK } else { oracle::WHITE };
                oracle.cells[row][column] = color;
            }
        }
        loop {
            let stones = stones_of(self.coordinate, &oracle);
            let answer = self.position.set_up(&stones);
            let board = Board::from_stones(self.coordinate, &stones);
            assert_eq!(answer.is_ok(), oracle.is_position(), "set-up\n{}", self.drawn(&oracle));
            assert_eq!(board.is_ok(), oracle.is_position(), "from_stones\n{}", self.drawn(&oracle));
            if let Ok(board) = board {
                met.set_ups += 1;
                self.board = board;
                self.oracle = oracle;
                break;
            }
            met.set_ups_refused += 1;
            self.same_stones();
            // a hole in the first ren that needs one, and in each of the others of a large board
            let groups = oracle.groups().into_iter();
            let dead = groups.filter(|group| group.color != oracle::EMPTY && group.liberties.is_empty());
            for group in dead.take(1 + self.coordinate.board_area() / 50) {
                let (row, column) = group.places[self.rng.usize(..group.places.len())];
                oracle.cells[row][column] = oracle::EMPTY;
            }
        }
        assert_eq!(self.position.to_move(), first);
        assert_eq!(self.position.record().len(), 0);
        self.same_stones();
    }

    /// One random ply, compared in full.
    fn ply(&mut self, met: &mut Met) {
        met.plies += 1;
        let turn = self.position.to_move();
        let color = if self.rng.u32(0..12) == 0 { turn.opponent() } else { turn };
        met.out_of_turn += u64::from(color != turn);
        let legal: Vec<Place> = self
            .oracle
            .places()
            .into_iter()
            .filter(|&place| self.oracle_verdict(color, place) == Verdict::Legal)
            .collect();
        // takes are looked for now and then, or large rens would hardly ever fall
        let wants_to_take = self.rng.u32(0..3) == 0;
        let takes = legal.iter().copied().filter(|&place| wants_to_take && self.takes(color, place));
        let takes: Vec<Place> = takes.collect();
        let pool = if takes.is_empty() { &legal } else { &takes };
        if pool.is_empty() || self.rng.u32(0..25) == 0 {
            self.pass(color, met);
        } else {
            let place = pool[self.rng.usize(..pool.len())];
            self.play(color, place, met);
        }
        assert_eq!(self.position.to_move(), color.opponent());
        self.same_stones();
        self.same_verdicts(met);
    }

    fn pass(&mut self, color: Color, met: &mut Met) {
        met.passes += 1;
        let ko = self.oracle.ko;
        self.oracle.pass(sign(color));
        self.position.pass(color);
        self.board.pass();
        self.thrown_in = None;
        if let Some((place, banned)) = ko {
            let answer = self.position.check(color_of(banned), point_of(self.coordinate, place));
            assert_eq!(answer, Ok(()), "a pass lifts the ko\n{}", draw(&self.board));
            met.ko_lifted_by_pass += 1;
        }
    }

    fn play(&mut self, color: Color, place: Place, met: &mut Met) {
        let point = point_of(self.coordinate, place);
        if self.board.ko().is_some_and(|ko| ko.point == point && ko.color == color) {
            // the position lets a colour retake that has not moved since the set-up; the board alone does not
            self.board.pass();
        }
        let before = draw(&self.board);
        let own_rens = self.own_rens_beside(sign(color), place);
        let mut events = Events::default();
        let taken = self.board.play(color, point, &mut events);
        let played = self.position.play(color, point).is_ok();
        let groups = self.oracle.play(sign(color), place);
        let told = || format!("{color} {} on\n{before}", self.coordinate.vertex(point));

        let expected = sorted(groups.iter().flat_map(|group| &group.places).map(|&p| point_of(self.coordinate, p)));
        assert_eq!(taken, Ok(expected.len()), "stones taken by {}", told());
        assert!(played, "refused by the position: {}", told());
        let item = &self.position.record().items()[self.position.record().len() - 1];
        assert_eq!((item.color, item.play), (color, Move::Play(point)), "record item of {}", told());
        assert_eq!(sorted(item.captured.iter().copied()), expected, "record item of {}", told());
        assert_eq!(item.ko, self.oracle.ko.map(|_| point), "record item's ko of {}", told());
        assert_eq!(events.placed, [(color, point)], "placed, {}", told());
        assert!(events.captured.iter().all(|&(c, _)| c == color.opponent()), "colour taken, {}", told());
        assert_eq!(sorted(events.captured.iter().map(|&(_, p)| p)), expected, "captured, {}", told());
        assert!(events.joined.iter().all(|&(c, _)| c == color), "colour joined, {}", told());
        assert_eq!(events.joined.len(), own_rens, "each ren joins once, {}", told());

        let count = expected.len() as u64;
        met.capture += u64::from(count > 0);
        met.multi_ren_capture += u64::from(groups.len() > 1);
        met.largest_capture = met.largest_capture.max(count);
        met.joined_two += u64::from(own_rens > 1);
        met.snapback += u64::from(self.thrown_in == Some((place, sign(color))) && count > 1);
        self.thrown_in = match groups.as_slice() {
            [group] if count == 1 && self.oracle.ko.is_none() => Some((group.places[0], -sign(color))),
            _ => None,
        };
    }

    fn oracle_verdict(&self, color: Color, place: Place) -> Verdict {
        let moved = self.oracle.moved[oracle::side(sign(color))];
        self.oracle.verdict(sign(color), place, moved, self.my_eye)
    }

    fn takes(&self, color: Color, place: Place) -> bool {
        let around = self.coordinate.neighbors(point_of(self.coordinate, place));
        around.into_iter().any(|p| self.board.stone(p) == color.opponent().stone() && self.board.atari(p).is_some())
    }

    fn own_rens_beside(&self, color: i8, (row, column): Place) -> usize {
        let around = [(row, column + 1), (row - 1, column), (row, column - 1), (row + 1, column)];
        let own = around.into_iter().filter(|&next| self.oracle.at(next) == color);
        let mut names: Vec<Option<Place>> = own.map(|next| self.oracle.group(next).places.into_iter().min()).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    fn same_stones(&self) {
        let expected = stones_of(self.coordinate, &self.oracle);
        assert_eq!(self.position.board().stones(), expected, "stones\n{}", self.drawn(&self.oracle));
        assert_eq!(self.board.stones(), expected, "stones\n{}", self.drawn(&self.oracle));
        assert!(self.board == *self.position.board(), "the board by itself and the position's");
        let ko = self.board.ko().map(|ko| (ko.point, sign(ko.color)));
        let expected = self.oracle.ko.map(|(place, color)| (point_of(self.coordinate, place), color));
        assert_eq!(ko, expected, "ko\n{}", draw(&self.board));
        for color in Color::BOTH {
            let taken = self.oracle.taken[oracle::side(sign(color))];
            assert_eq!(self.position.prisoners(color), taken, "prisoners of {color}");
        }
        let empty = self.coordinate.points().filter(|&p| self.board.stone(p) == Stone::Space);
        assert_eq!(sorted(self.board.empty_points().iter().copied()), empty.collect::<Vec<_>>(), "empty points");
    }

    fn same_verdicts(&self, met: &mut Met) {
        for place in self.oracle.places() {
            let point = point_of(self.coordinate, place);
            for color in Color::BOTH {
                let told = || format!("{color} {} on\n{}", self.coordinate.vertex(point), draw(&self.board));
                let expected = self.oracle.verdict(sign(color), place, true, false);
                assert_eq!(verdict_of(self.board.check(color, point)), expected, "board: {}", told());
                let moved = self.oracle.moved[oracle::side(sign(color))];
                let in_game = match expected {
                    // only these can read otherwise in a game
                    Verdict::Ko | Verdict::Suicide | Verdict::Legal => self.oracle_verdict(color, place),
                    settled => settled,
                };
                assert_eq!(verdict_of(self.position.check(color, point)), in_game, "moved {moved}: {}", told());
                met.verdicts += 2;
                met.ko_not_binding_after_set_up += u64::from(expected == Verdict::Ko && in_game != expected);
                match in_game {
                    Verdict::Legal => {}
                    Verdict::Masonry => met.masonry += 1,
                    Verdict::Ko => met.ko += 1,
                    Verdict::OpponentEye => met.opponent_eye += 1,
                    Verdict::MyEye => met.my_eye += 1,
                    Verdict::Suicide => met.suicide += 1,
                }
            }
        }
    }

    /// Rens: the board's own, and the flood fill from one random point of each.
    fn same_rens(&mut self, met: &mut Met) {
        for group in self.oracle.groups() {
            let coordinate = self.coordinate;
            let places = sorted(group.places.iter().map(|&p| point_of(coordinate, p)));
            let liberties = sorted(group.liberties.iter().map(|&p| point_of(coordinate, p)));
            let start = places[self.rng.usize(..places.len())];
            let told = || format!("ren at {} of\n{}", coordinate.vertex(start), draw(&self.board));
            let ren = get_liberty(&self.board, start).unwrap();
            assert_eq!(ren.stone, stone_of(group.color), "{}", told());
            assert_eq!(ren.locations[0], start, "walked from where it was asked: {}", told());
            assert_eq!(ren.area(), places.len(), "area, {}", told());
            assert_eq!(ren.minimum_location(), Some(places[0]), "smallest point, {}", told());
            assert_eq!(sorted(ren.locations), places, "locations, {}", told());
            assert_eq!(ren.liberties.len(), liberties.len(), "liberty area, {}", told());
            assert_eq!(sorted(ren.liberties), liberties, "liberties, {}", told());
            let black = group.touches_black && group.color != oracle::BLACK;
            let white = group.touches_white && group.color != oracle::WHITE;
            assert_eq!(ren.adjacent.contains(Color::Black), black, "adjacent black, {}", told());
            assert_eq!(ren.adjacent.contains(Color::White), white, "adjacent white, {}", told());
            assert_eq!(ren.adjacent == Colors::NONE, !black && !white, "adjacent, {}", told());
            if group.color == oracle::EMPTY {
                continue;
            }
            met.largest_ren = met.largest_ren.max(places.len() as u64);
            let atari = if let [only] = liberties[..] { Some(only) } else { None };
            assert_eq!(sorted(self.board.ren_points(start)), places, "stones, {}", told());
            assert_eq!(self.board.liberty_count(start), liberties.len(), "liberties counted, {}", told());
            for &place in &places {
                assert_eq!(self.board.atari(place), atari, "atari, {}", told());
            }
        }
        assert_eq!(get_liberty(&self.board, self.coordinate.point(0, 0).unwrap()), None, "the wall is no ren");
    }

    fn drawn(&self, oracle: &Oracle) -> String {
        let row = |row: usize| (1..=oracle.columns).map(move |column| stone_of(oracle.cells[row][column]).to_string());
        (1..=oracle.rows).map(|at| row(at).collect::<String>() + "\n").collect()
    }
}

/// Plays games until `plies` have been played; the first and every third after it start from a random set-up.
#[track_caller]
fn check(met: &mut Met, columns: u8, rows: u8, plies: u64, detail: u64) {
    let area = u64::from(columns) * u64::from(rows);
    let end = met.plies + plies;
    let mut number = 0;
    while met.plies < end {
        let mut game = Game::new(columns, rows, (u64::from(columns) << 40 | u64::from(rows) << 32) + number);
        let is_set_up = number % 3 == 0;
        if is_set_up {
            game.set_up(met);
        }
        game.same_verdicts(met);
        let length = if is_set_up { area + 10 } else { 3 * area + 10 };
        let length = length.min(end - met.plies).min(if is_set_up { 150 } else { 1000 });
        for ply in 1..=length {
            game.ply(met);
            if ply % detail == 0 {
                game.same_rens(met);
            }
            if ply % (area / 2 + 3) == 0 {
                game.board.assert_consistent();
                game.position.assert_consistent();
            }
        }
        game.same_rens(met);
        game.board.assert_consistent();
        game.position.assert_consistent();
        number += 1;
    }
}

fn report(name: &str, met: &Met, started: Instant) {
    eprintln!("{name}: {:.1} s, {met:?}", started.elapsed().as_secs_f64());
}

/// A game on a board of ordinary shape meets all of these.
#[track_caller]
fn assert_met_everything(met: &Met) {
    let counts = [
        ("masonry", met.masonry),
        ("ko", met.ko),
        ("ko lifted by a pass", met.ko_lifted_by_pass),
        ("suicide", met.suicide),
        ("opponent_eye", met.opponent_eye),
        ("my_eye", met.my_eye),
        ("capture", met.capture),
        ("capture of several rens", met.multi_ren_capture),
        ("snapback", met.snapback),
        ("several rens joined", met.joined_two),
        ("pass", met.passes),
        ("play out of turn", met.out_of_turn),
        ("set-up", met.set_ups),
        ("set-up refused", met.set_ups_refused),
    ];
    for (name, count) in counts {
        assert!(count > 0, "never met: {name}");
    }
}

/// 2x2 to 9x9: rens compared after every ply to 5x5, after every 4th above.
#[test]
fn small_squares_agree_with_the_oracle() {
    let started = Instant::now();
    let mut met = Met::default();
    for (side, plies) in
        [(2, 10_000), (3, 24_000), (4, 28_000), (5, 20_000), (6, 9_000), (7, 6_000), (8, 3_000), (9, 3_000)]
    {
        check(&mut met, side, side, plies, if side <= 5 { 1 } else { 4 });
    }
    report("small squares", &met, started);
    assert_met_everything(&met);
    assert!(met.ko_not_binding_after_set_up > 0, "never met: a ko that does not bind after a set-up");
    assert!(met.plies >= 103_000);
}

/// 10x10 to 25x25: verdicts after every ply, rens after every 25th.
#[test]
fn large_squares_agree_with_the_oracle() {
    let started = Instant::now();
    let mut met = Met::default();
    for side in 10..=25 {
        check(&mut met, side, side, 300 + u64::from(side) * 10, 25);
    }
    report("large squares", &met, started);
    assert_met_everything(&met);
    assert!(met.largest_capture >= 20, "no large ren was taken");
}

#[test]
fn rectangles_agree_with_the_oracle() {
    let started = Instant::now();
    let mut met = Met::default();
    for length in 1..=25 {
        check(&mut met, length, 1, 300, 3);
        check(&mut met, 1, length, 300, 3);
    }
    for (columns, rows) in [(2, 3), (3, 2), (5, 9), (9, 5), (2, 25), (25, 2)] {
        check(&mut met, columns, rows, 600, 5);
    }
    report("rectangles", &met, started);
    assert_met_everything(&met);
}

//! Random games on every board size, compared between the kernel and the oracle.
//!
//! After every ply the test compares the verdict and its reason for every point and both colours, of [`Board::check`]
//! and of [`Position::check`], the stones, the ko, the prisoners, the side to move and the observed events; every
//! `detail` plies also rens, liberties and the ren scan. Colours move out of turn, pass, and start from boards that
//! were set up. Each test counts the cases that occurred and fails if one of the rules never applied.

use std::time::Instant;

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Board, Color, Colors, Coordinate, Move, Position, Stone, get_liberty};

use crate::oracle::{self, Oracle, Place, Verdict};
use crate::support::{
    Events, MAX_MOVES, color_of, draw, point_of, rule, sign, sorted, stone_of, stones_of, verdict_of,
};

/// Number of occurrences of each case.
#[derive(Default, Debug)]
struct Coverage {
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

/// One game, played on the oracle, on a [`Position`], and on a separate [`Board`].
struct Game {
    coordinate: Coordinate,
    oracle: Oracle,
    position: Position,
    board: Board,
    my_eye: bool,
    rng: Rng,
    /// The point and colour of a stone that the last play captured alone without making a ko.
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

    /// Restarts from random stones. A set-up is refused, without a change, while a ren has no liberty.
    fn set_up(&mut self, coverage: &mut Coverage) {
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
            assert_eq!(answer.is_ok(), oracle.is_position(), "set-up\n{}", self.draw_oracle(&oracle));
            assert_eq!(board.is_ok(), oracle.is_position(), "from_stones\n{}", self.draw_oracle(&oracle));
            if let Ok(board) = board {
                coverage.set_ups += 1;
                self.board = board;
                self.oracle = oracle;
                break;
            }
            coverage.set_ups_refused += 1;
            self.same_stones();
            // remove a stone of the first ren without liberties, on large boards of several such rens
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
    fn ply(&mut self, coverage: &mut Coverage) {
        coverage.plies += 1;
        let turn = self.position.to_move();
        let color = if self.rng.u32(0..12) == 0 { turn.opponent() } else { turn };
        coverage.out_of_turn += u64::from(color != turn);
        let legal: Vec<Place> = self
            .oracle
            .places()
            .into_iter()
            .filter(|&place| self.oracle_verdict(color, place) == Verdict::Legal)
            .collect();
        // sometimes captures are preferred; otherwise large rens are hardly ever captured
        let prefers_captures = self.rng.u32(0..3) == 0;
        let captures = legal.iter().copied().filter(|&place| prefers_captures && self.captures(color, place));
        let captures: Vec<Place> = captures.collect();
        let pool = if captures.is_empty() { &legal } else { &captures };
        if pool.is_empty() || self.rng.u32(0..25) == 0 {
            self.pass(color, coverage);
        } else {
            let place = pool[self.rng.usize(..pool.len())];
            self.play(color, place, coverage);
        }
        assert_eq!(self.position.to_move(), color.opponent());
        self.same_stones();
        self.same_verdicts(coverage);
    }

    fn pass(&mut self, color: Color, coverage: &mut Coverage) {
        coverage.passes += 1;
        let ko = self.oracle.ko;
        self.oracle.pass(sign(color));
        self.position.pass(color);
        self.board.pass();
        self.thrown_in = None;
        if let Some((place, banned)) = ko {
            let answer = self.position.check(color_of(banned), point_of(self.coordinate, place));
            assert_eq!(answer, Ok(()), "a pass lifts the ko\n{}", draw(&self.board));
            coverage.ko_lifted_by_pass += 1;
        }
    }

    fn play(&mut self, color: Color, place: Place, coverage: &mut Coverage) {
        let point = point_of(self.coordinate, place);
        if self.board.ko().is_some_and(|ko| ko.point == point && ko.color == color) {
            // in a position, but not on a board, a colour that has not moved since the set-up may retake
            self.board.pass();
        }
        let before = draw(&self.board);
        let own_rens = self.own_rens_beside(sign(color), place);
        let mut events = Events::default();
        let taken = self.board.play(color, point, &mut events);
        let played = self.position.play(color, point).is_ok();
        let groups = self.oracle.play(sign(color), place);
        let context = || format!("{color} {} on\n{before}", self.coordinate.vertex(point));

        let expected = sorted(groups.iter().flat_map(|group| &group.places).map(|&p| point_of(self.coordinate, p)));
        assert_eq!(taken, Ok(expected.len()), "stones captured by {}", context());
        assert!(played, "refused by the position: {}", context());
        let item = &self.position.record().items()[self.position.record().len() - 1];
        assert_eq!((item.color, item.play), (color, Move::Play(point)), "record item of {}", context());
        assert_eq!(sorted(item.captured.iter().copied()), expected, "record item of {}", context());
        assert_eq!(item.takes_ko, self.oracle.ko.is_some(), "record item's ko of {}", context());
        assert_eq!(events.placed, [(color, point)], "placed, {}", context());
        assert!(events.captured.iter().all(|&(c, _)| c == color.opponent()), "colour captured, {}", context());
        assert_eq!(sorted(events.captured.iter().map(|&(_, p)| p)), expected, "captured, {}", context());
        assert!(events.joined.iter().all(|&(c, _)| c == color), "colour joined, {}", context());
        assert_eq!(events.joined.len(), own_rens, "each ren joins once, {}", context());

        let count = expected.len() as u64;
        coverage.capture += u64::from(count > 0);
        coverage.multi_ren_capture += u64::from(groups.len() > 1);
        coverage.largest_capture = coverage.largest_capture.max(count);
        coverage.joined_two += u64::from(own_rens > 1);
        coverage.snapback += u64::from(self.thrown_in == Some((place, sign(color))) && count > 1);
        self.thrown_in = match groups.as_slice() {
            [group] if count == 1 && self.oracle.ko.is_none() => Some((group.places[0], -sign(color))),
            _ => None,
        };
    }

    fn oracle_verdict(&self, color: Color, place: Place) -> Verdict {
        let moved = self.oracle.moved[oracle::side(sign(color))];
        self.oracle.verdict(sign(color), place, moved, self.my_eye)
    }

    fn captures(&self, color: Color, place: Place) -> bool {
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
        assert_eq!(self.position.board().stones(), expected, "stones\n{}", self.draw_oracle(&self.oracle));
        assert_eq!(self.board.stones(), expected, "stones\n{}", self.draw_oracle(&self.oracle));
        assert!(self.board == *self.position.board(), "the separate board and the position's");
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

    fn same_verdicts(&self, coverage: &mut Coverage) {
        for place in self.oracle.places() {
            let point = point_of(self.coordinate, place);
            for color in Color::BOTH {
                let context = || format!("{color} {} on\n{}", self.coordinate.vertex(point), draw(&self.board));
                let expected = self.oracle.verdict(sign(color), place, true, false);
                assert_eq!(verdict_of(self.board.check(color, point)), expected, "board: {}", context());
                let moved = self.oracle.moved[oracle::side(sign(color))];
                let in_game = match expected {
                    // only these verdicts can differ in a game
                    Verdict::Ko | Verdict::Suicide | Verdict::Legal => self.oracle_verdict(color, place),
                    other => other,
                };
                assert_eq!(verdict_of(self.position.check(color, point)), in_game, "moved {moved}: {}", context());
                coverage.verdicts += 2;
                coverage.ko_not_binding_after_set_up += u64::from(expected == Verdict::Ko && in_game != expected);
                match in_game {
                    Verdict::Legal => {}
                    Verdict::Masonry => coverage.masonry += 1,
                    Verdict::Ko => coverage.ko += 1,
                    Verdict::OpponentEye => coverage.opponent_eye += 1,
                    Verdict::MyEye => coverage.my_eye += 1,
                    Verdict::Suicide => coverage.suicide += 1,
                }
            }
        }
    }

    /// Compares the board's rens, and the flood fill from one random point of each.
    fn same_rens(&mut self, coverage: &mut Coverage) {
        for group in self.oracle.groups() {
            let coordinate = self.coordinate;
            let places = sorted(group.places.iter().map(|&p| point_of(coordinate, p)));
            let liberties = sorted(group.liberties.iter().map(|&p| point_of(coordinate, p)));
            let start = places[self.rng.usize(..places.len())];
            let context = || format!("ren at {} of\n{}", coordinate.vertex(start), draw(&self.board));
            let ren = get_liberty(&self.board, start).unwrap();
            assert_eq!(ren.stone, stone_of(group.color), "{}", context());
            assert_eq!(ren.locations[0], start, "the scan starts at the given point: {}", context());
            assert_eq!(ren.area(), places.len(), "area, {}", context());
            assert_eq!(ren.minimum_location(), Some(places[0]), "smallest point, {}", context());
            assert_eq!(sorted(ren.locations), places, "locations, {}", context());
            assert_eq!(ren.liberties.len(), liberties.len(), "liberty area, {}", context());
            assert_eq!(sorted(ren.liberties), liberties, "liberties, {}", context());
            let black = group.touches_black && group.color != oracle::BLACK;
            let white = group.touches_white && group.color != oracle::WHITE;
            assert_eq!(ren.adjacent.contains(Color::Black), black, "adjacent black, {}", context());
            assert_eq!(ren.adjacent.contains(Color::White), white, "adjacent white, {}", context());
            assert_eq!(ren.adjacent == Colors::NONE, !black && !white, "adjacent, {}", context());
            if group.color == oracle::EMPTY {
                continue;
            }
            coverage.largest_ren = coverage.largest_ren.max(places.len() as u64);
            let atari = if let [only] = liberties[..] { Some(only) } else { None };
            assert_eq!(sorted(self.board.ren_points(start)), places, "stones, {}", context());
            assert_eq!(self.board.liberty_count(start), liberties.len(), "liberties counted, {}", context());
            for &place in &places {
                assert_eq!(self.board.atari(place), atari, "atari, {}", context());
            }
        }
        assert_eq!(get_liberty(&self.board, self.coordinate.point(0, 0).unwrap()), None, "the wall is no ren");
    }

    fn draw_oracle(&self, oracle: &Oracle) -> String {
        let row = |row: usize| (1..=oracle.columns).map(move |column| stone_of(oracle.cells[row][column]).to_string());
        (1..=oracle.rows).map(|at| row(at).collect::<String>() + "\n").collect()
    }
}

/// Plays games until `plies` have been played; the first and every third after it start from a random set-up.
#[track_caller]
fn check(coverage: &mut Coverage, columns: u8, rows: u8, plies: u64, detail: u64) {
    let area = u64::from(columns) * u64::from(rows);
    let end = coverage.plies + plies;
    let mut number = 0;
    while coverage.plies < end {
        let mut game = Game::new(columns, rows, (u64::from(columns) << 40 | u64::from(rows) << 32) + number);
        let is_set_up = number % 3 == 0;
        if is_set_up {
            game.set_up(coverage);
        }
        game.same_verdicts(coverage);
        let length = if is_set_up { area + 10 } else { 3 * area + 10 };
        let length = length.min(end - coverage.plies).min(if is_set_up { 150 } else { 1000 });
        for ply in 1..=length {
            game.ply(coverage);
            if ply % detail == 0 {
                game.same_rens(coverage);
            }
            if ply % (area / 2 + 3) == 0 {
                game.board.assert_consistent();
                game.position.assert_consistent();
            }
        }
        game.same_rens(coverage);
        game.board.assert_consistent();
        game.position.assert_consistent();
        number += 1;
    }
}

fn report(name: &str, coverage: &Coverage, started: Instant) {
    eprintln!("{name}: {:.1} s, {coverage:?}", started.elapsed().as_secs_f64());
}

/// On a board of ordinary shape all of these cases occur.
#[track_caller]
fn assert_full_coverage(coverage: &Coverage) {
    let counts = [
        ("masonry", coverage.masonry),
        ("ko", coverage.ko),
        ("ko lifted by a pass", coverage.ko_lifted_by_pass),
        ("suicide", coverage.suicide),
        ("opponent_eye", coverage.opponent_eye),
        ("my_eye", coverage.my_eye),
        ("capture", coverage.capture),
        ("capture of several rens", coverage.multi_ren_capture),
        ("snapback", coverage.snapback),
        ("several rens joined", coverage.joined_two),
        ("pass", coverage.passes),
        ("play out of turn", coverage.out_of_turn),
        ("set-up", coverage.set_ups),
        ("set-up refused", coverage.set_ups_refused),
    ];
    for (name, count) in counts {
        assert!(count > 0, "never occurred: {name}");
    }
}

/// 2x2 to 9x9: rens compared after every ply to 5x5, after every 4th above.
#[test]
fn small_squares_agree_with_the_oracle() {
    let started = Instant::now();
    let mut coverage = Coverage::default();
    for (side, plies) in
        [(2, 10_000), (3, 24_000), (4, 28_000), (5, 20_000), (6, 9_000), (7, 6_000), (8, 3_000), (9, 3_000)]
    {
        check(&mut coverage, side, side, plies, if side <= 5 { 1 } else { 4 });
    }
    report("small squares", &coverage, started);
    assert_full_coverage(&coverage);
    assert!(coverage.ko_not_binding_after_set_up > 0, "never occurred: a ko that does not bind after a set-up");
    assert!(coverage.plies >= 103_000);
}

/// 10x10 to 25x25: verdicts after every ply, rens after every 25th.
#[test]
fn large_squares_agree_with_the_oracle() {
    let started = Instant::now();
    let mut coverage = Coverage::default();
    for side in 10..=25 {
        check(&mut coverage, side, side, 300 + u64::from(side) * 10, 25);
    }
    report("large squares", &coverage, started);
    assert_full_coverage(&coverage);
    assert!(coverage.largest_capture >= 20, "no large ren was captured");
}

#[test]
fn rectangles_agree_with_the_oracle() {
    let started = Instant::now();
    let mut coverage = Coverage::default();
    for length in 1..=25 {
        check(&mut coverage, length, 1, 300, 3);
        check(&mut coverage, 1, length, 300, 3);
    }
    for (columns, rows) in [(2, 3), (3, 2), (3, 7), (7, 3), (5, 9), (9, 5), (2, 25), (25, 2)] {
        check(&mut coverage, columns, rows, 600, 5);
    }
    for (columns, rows) in [(9, 13), (13, 9), (19, 18)] {
        check(&mut coverage, columns, rows, 400, 25);
    }
    // one long side, and the other of every length
    for length in 2..25 {
        check(&mut coverage, length, 25, 150, 50);
        check(&mut coverage, 25, length, 150, 50);
    }
    report("rectangles", &coverage, started);
    assert_full_coverage(&coverage);
}

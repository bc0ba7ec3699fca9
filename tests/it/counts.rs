//! Published counts, reproduced by this kernel.
//!
//! This checks legality as a whole against independent numbers. A colouring of a board is legal if every ren has a
//! liberty; the number of legal colourings is published. [`Board::from_stones`] must accept exactly that many, and as
//! many must be reachable from the empty board by plays of either colour. Every legal colouring is reachable on every
//! shape, 1xN too: place its stones one by one in any order; a part of a legal colouring is legal, so none of these
//! plays captures, is suicide or meets a ko. Without suicide no other colouring is reachable.
//!
//! Numbers of legal positions: J. Tromp and G. Farneback, "Combinatorics of Go"; OEIS A094777 (n x n), A102620 (1 x n),
//! A266278 (2 x n), A356049 (m x n). Numbers of move sequences (perft): 9x9 by P. McKenzie and N. Wedd, computer-go
//! list, 13 January 2005; the other boards from independent programs that reproduce theirs.

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, Observer, Point, Position, Stone};

use crate::support::{empty_position, slow_tests};

fn coordinate(columns: u8, rows: u8) -> Coordinate {
    Coordinate::new(columns, rows).unwrap()
}

/// Writes the colouring with this number: one base-3 digit per point.
fn paint(points: &[Point], mut number: usize, stones: &mut [Stone]) {
    for point in points {
        stones[point.index()] = [Stone::Space, Stone::Black, Stone::White][number % 3];
        number /= 3;
    }
}

#[track_caller]
fn check_colourings(columns: u8, rows: u8, published: usize) {
    let coordinate = coordinate(columns, rows);
    let points: Vec<Point> = coordinate.points().collect();
    let mut stones = Board::new(coordinate).stones().to_vec();
    let mut legal = 0;
    for number in 0..3_usize.pow(points.len() as u32) {
        paint(&points, number, &mut stones);
        if let Ok(board) = Board::from_stones(coordinate, &stones) {
            legal += 1;
            if number % 997 == 0 {
                board.assert_consistent();
                assert_eq!(board.stones(), stones);
            }
        }
    }
    assert_eq!(legal, published, "legal colourings of {columns}x{rows}");
}

/// Updates the number of a colouring from the observed events alone.
struct ColouringTracker<'a> {
    weights: &'a [usize],
    number: usize,
}

fn digit(color: Color) -> usize {
    match color {
        Color::Black => 1,
        Color::White => 2,
    }
}

impl Observer for ColouringTracker<'_> {
    fn placed(&mut self, color: Color, point: Point) {
        self.number += digit(color) * self.weights[point.index()];
    }

    fn captured(&mut self, color: Color, point: Point) {
        self.number -= digit(color) * self.weights[point.index()];
    }
}

#[track_caller]
fn check_plays(columns: u8, rows: u8, published: usize) {
    let coordinate = coordinate(columns, rows);
    let points: Vec<Point> = coordinate.points().collect();
    let mut weights = vec![0; coordinate.memory_area()];
    for (point, power) in points.iter().zip(0..) {
        weights[point.index()] = 3_usize.pow(power);
    }
    let mut reached_bits = vec![0_u64; 3_usize.pow(points.len() as u32) / 64 + 1];
    reached_bits[0] = 1;
    let mut reached = 1;
    let mut waiting = vec![0];
    let mut stones = Board::new(coordinate).stones().to_vec();
    let mut next = Board::new(coordinate);
    while let Some(number) = waiting.pop() {
        paint(&points, number, &mut stones);
        // a board made from stones has no ko, as after a pass
        let board = Board::from_stones(coordinate, &stones).expect("only legal positions are reached");
        for color in Color::BOTH {
            for &point in &points {
                next.clone_from(&board);
                let mut tracker = ColouringTracker { weights: &weights, number };
                if next.play(color, point, &mut tracker).is_ok() {
                    let (word, bit) = (tracker.number / 64, 1 << (tracker.number % 64));
                    if reached_bits[word] & bit == 0 {
                        reached_bits[word] |= bit;
                        reached += 1;
                        waiting.push(tracker.number);
                    }
                }
            }
        }
    }
    assert_eq!(reached, published, "positions of {columns}x{rows} reached by play");
}

#[test]
fn accepted_colourings_match_published_counts() {
    for (columns, published) in (1..).zip([1, 5, 15, 41, 113, 313, 867, 2401, 6649]) {
        check_colourings(columns, 1, published);
        check_colourings(1, columns, published);
    }
    for (columns, published) in (2..).zip([57, 489, 4125, 35117]) {
        check_colourings(columns, 2, published);
        check_colourings(2, columns, published);
    }
    check_colourings(3, 3, 12675);
    check_colourings(3, 4, 321_689);
    if slow_tests() {
        check_colourings(4, 4, 24_318_165);
    }
}

#[test]
fn positions_reached_by_play_match_published_counts() {
    for (columns, published) in (1..).zip([1, 5, 15, 41, 113, 313, 867, 2401]) {
        check_plays(columns, 1, published);
        check_plays(1, columns, published);
    }
    check_plays(2, 2, 57);
    check_plays(2, 3, 489);
    check_plays(3, 2, 489);
    check_plays(2, 4, 4125);
    check_plays(3, 3, 12675);
    if slow_tests() {
        check_plays(3, 4, 321_689);
        check_plays(4, 4, 24_318_165);
    }
}

/// Whether passes count as moves of a sequence. If so, two passes in a row end it, and `AfterPass` says that the last
/// move was a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Passes {
    No,
    Yes,
    AfterPass,
}

impl Passes {
    fn after_a_play(self) -> Passes {
        if self == Passes::No { Passes::No } else { Passes::Yes }
    }
}

/// The number of sequences of `depth` moves from here, colours alternating.
fn perft(board: &Board, color: Color, depth: usize, passes: Passes) -> u64 {
    let legal = board.empty_points().iter().filter(|&&point| board.check(color, point).is_ok());
    if depth == 1 {
        return legal.count() as u64 + u64::from(passes != Passes::No);
    }
    let mut total = 0;
    let mut next = board.clone();
    for &point in legal {
        next.clone_from(board);
        next.play_legal(color, point, &mut ());
        total += perft(&next, color.opponent(), depth - 1, passes.after_a_play());
    }
    if passes == Passes::Yes {
        next.clone_from(board);
        next.pass();
        total += perft(&next, color.opponent(), depth - 1, Passes::AfterPass);
    }
    total
}

/// The same by plays and undos on one [`Position`].
fn perft_with_undo(position: &mut Position, depth: usize, passes: Passes) -> u64 {
    if depth == 0 {
        return 1;
    }
    let color = position.to_move();
    let mut total = 0;
    for point in position.board().coordinate().points() {
        if position.play(color, point).is_ok() {
            total += perft_with_undo(position, depth - 1, passes.after_a_play());
            position.undo().unwrap();
        }
    }
    if passes != Passes::No {
        position.pass(color);
        total += match passes {
            // the second pass ends the sequence, so it counts only as the last move
            Passes::AfterPass => u64::from(depth == 1),
            _ => perft_with_undo(position, depth - 1, Passes::AfterPass),
        };
        position.undo().unwrap();
    }
    total
}

#[track_caller]
fn check_perft(columns: u8, rows: u8, passes: Passes, expected: &[u64]) {
    let board = Board::new(coordinate(columns, rows));
    let counts: Vec<u64> = (1..=expected.len()).map(|depth| perft(&board, Color::Black, depth, passes)).collect();
    assert_eq!(counts, expected, "{columns}x{rows}, passes: {passes:?}");
}

#[track_caller]
fn check_perft_with_undo(columns: u8, rows: u8, passes: Passes, expected: &[u64]) {
    let mut position = empty_position(coordinate(columns, rows));
    let counts: Vec<u64> = (1..=expected.len()).map(|depth| perft_with_undo(&mut position, depth, passes)).collect();
    assert_eq!(counts, expected, "{columns}x{rows}, passes: {passes:?}, with undo");
}

#[test]
fn perft_matches_published_counts() {
    check_perft(2, 2, Passes::No, &[4, 12, 24, 16, 32, 32, 32, 96, 192]);
    check_perft(2, 3, Passes::No, &[6, 30, 120, 336, 616, 664, 1232]);
    check_perft(3, 3, Passes::No, &[9, 72, 504, 2976, 14720, 56176]);
    check_perft(3, 4, Passes::No, &[12, 132, 1320, 11808, 93992]);
    check_perft(4, 4, Passes::No, &[16, 240, 3360, 43576]);
    check_perft(5, 5, Passes::No, &[25, 600, 13800, 303_424, 6_368_416]);
    check_perft(7, 7, Passes::No, &[49, 2352, 110_544]);
    check_perft(9, 9, Passes::No, &[81, 6480, 511_920]);
    check_perft(19, 19, Passes::No, &[361, 129_960]);
    check_perft(2, 2, Passes::Yes, &[5, 21, 68, 156, 316, 604, 1168, 2592, 5768]);
    check_perft(2, 3, Passes::Yes, &[7, 43, 222, 934, 3242, 8666, 20760]);
    check_perft(3, 3, Passes::Yes, &[10, 91, 738, 5281, 33384, 179_712]);
    check_perft(3, 4, Passes::Yes, &[13, 157, 1740, 17620, 162_732]);
    check_perft(4, 4, Passes::Yes, &[17, 273, 4112, 57984]);
    check_perft(9, 9, Passes::Yes, &[82, 6643, 531_522]);
    check_perft(19, 19, Passes::Yes, &[362, 130_683]);
    if slow_tests() {
        check_perft(3, 3, Passes::No, &[9, 72, 504, 2976, 14720, 56176, 168_144]);
        check_perft(3, 3, Passes::Yes, &[10, 91, 738, 5281, 33384, 179_712, 842_728]);
        check_perft(3, 4, Passes::No, &[12, 132, 1320, 11808, 93992, 645_240]);
        check_perft(3, 4, Passes::Yes, &[13, 157, 1740, 17620, 162_732, 1_345_968]);
        check_perft(4, 4, Passes::No, &[16, 240, 3360, 43576, 521_800]);
        check_perft(7, 7, Passes::No, &[49, 2352, 110_544, 5_084_656]);
        check_perft(9, 9, Passes::No, &[81, 6480, 511_920, 39_929_136]);
        check_perft(13, 13, Passes::No, &[169, 28392, 4_741_464]);
    }
}

#[test]
fn perft_with_undo_matches_published_counts() {
    check_perft_with_undo(2, 2, Passes::No, &[4, 12, 24, 16, 32, 32, 32, 96, 192]);
    check_perft_with_undo(2, 3, Passes::No, &[6, 30, 120, 336, 616]);
    check_perft_with_undo(3, 3, Passes::No, &[9, 72, 504, 2976]);
    check_perft_with_undo(2, 2, Passes::Yes, &[5, 21, 68, 156, 316, 604, 1168]);
    check_perft_with_undo(2, 3, Passes::Yes, &[7, 43, 222, 934]);
}

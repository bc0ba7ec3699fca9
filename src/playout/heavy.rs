//! Heavy playouts: random games in which each side answers the last move locally.
//!
//! The first of these steps that finds a move decides:
//! 1. capture: the ren of the last move, or a ren beside the player's own move before it, if it is in atari;
//! 2. escape: own rens that the last move put in atari;
//! 3. two liberties: an atari without escape against the last move's ren, or the defence of an own ren beside it;
//! 4. nakade: the vital point of a small eye space beside the last move;
//! 5. pattern: a 3x3 pattern beside the last move, then beside the own move before it (S. Gelly and others,
//!    "Modification of UCT with patterns in Monte-Carlo Go", INRIA RR-6062, 2006);
//! 6. a random move that fills no own eye and is no self-atari that gains nothing.
//!
//! Each step but the last is tried with its probability only ([`StepProbabilities`]), which keeps playouts diverse.

use std::cell::RefCell;

use fastrand::Rng;

use crate::kernel::{Board, Color, Move, Point};
use crate::playout::light::MOVES_PER_POINT;
use crate::playout::patterns::Patterns;
use crate::playout::tactics::captures::counter_captures;
use crate::playout::tactics::escapes::escapes;
use crate::playout::tactics::ladder::LadderReader;
use crate::playout::tactics::liberties::{
    has_two_liberties_without, is_legal_without_self_atari, liberties_after, two_liberties_of,
};
use crate::playout::tactics::nakade::nakade_point;
use crate::playout::tactics::point_list::PointList;
use crate::playout::tactics::self_atari::{is_playout_move, is_self_atari};

/// Random draws of an empty point before a scan of all of them.
const MAX_DRAWS: usize = 4;

/// Probability, 0 to 1, of trying each step of a playout move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepProbabilities {
    /// Captures of the last move's ren, and of rens beside the player's own move before it.
    pub capture: f64,
    /// Including among these captures stones that could not escape.
    pub capture_caught: f64,
    /// Escapes from atari.
    pub escape: f64,
    /// Attack and defence of rens with two liberties.
    pub two_liberties: f64,
    /// Vital points of eye spaces.
    pub nakade: f64,
    /// Patterns beside the last move.
    pub pattern: f64,
    /// Patterns beside the own move before it.
    pub pattern_before: f64,
}

impl StepProbabilities {
    /// The defaults of the search parameters.
    pub const DEFAULT: StepProbabilities = StepProbabilities {
        capture: 0.6,
        capture_caught: 0.2,
        escape: 0.9,
        two_liberties: 0.5,
        nakade: 0.5,
        pattern: 0.9,
        pattern_before: 0.0,
    };
}

/// The move choice of heavy playouts: probabilities in units of 1/256, and the pattern table.
pub struct PlayoutPolicy {
    capture: u16,
    capture_caught: u16,
    escape: u16,
    two_liberties: u16,
    nakade: u16,
    pattern: u16,
    pattern_before: u16,
    patterns: &'static Patterns,
}

impl PlayoutPolicy {
    /// A policy with these probabilities, rounded to 1/256.
    pub fn new(probabilities: &StepProbabilities) -> PlayoutPolicy {
        let threshold = |probability: f64| (probability * f64::from(CERTAIN)).round() as u16;
        PlayoutPolicy {
            capture: threshold(probabilities.capture),
            capture_caught: threshold(probabilities.capture_caught),
            escape: threshold(probabilities.escape),
            two_liberties: threshold(probabilities.two_liberties),
            nakade: threshold(probabilities.nakade),
            pattern: threshold(probabilities.pattern),
            pattern_before: threshold(probabilities.pattern_before),
            patterns: Patterns::shared(),
        }
    }
}

/// Probability 1 as a threshold for a random byte.
const CERTAIN: u16 = 256;

/// Plays until two passes in a row or [`MOVES_PER_POINT`] moves per point. Returns the number of moves, passes
/// included.
///
/// `recent` are the last two moves, the latest first, `None` for a pass or no move. Every move is pushed to `moves`. If
/// that has the capacity for [`MOVES_PER_POINT`] moves per point, nothing is allocated but for a thread's first ladder.
pub fn play_out(
    board: &mut Board,
    to_move: Color,
    recent: [Option<Point>; 2],
    policy: &PlayoutPolicy,
    rng: &mut Rng,
    moves: &mut Vec<Move>,
) -> usize {
    LADDER.with_borrow_mut(|ladder| play_with_ladder(board, to_move, recent, policy, ladder, rng, moves))
}

thread_local! {
    /// The thread's ladder reader: it has no state between readings, but allocating its board per playout would cost
    /// more than reading.
    static LADDER: RefCell<LadderReader> = const { RefCell::new(LadderReader::new()) };
}

fn play_with_ladder(
    board: &mut Board,
    to_move: Color,
    recent: [Option<Point>; 2],
    policy: &PlayoutPolicy,
    ladder: &mut LadderReader,
    rng: &mut Rng,
    moves: &mut Vec<Move>,
) -> usize {
    let limit = MOVES_PER_POINT * board.coordinate().board_area();
    let mut color = to_move;
    let [mut last, mut before] = recent;
    let mut passes = 0;
    let mut length = 0;
    while passes < 2 && length < limit {
        let chosen = policy.choose(board, color, [last, before], ladder, rng);
        match chosen {
            Some(point) => {
                board.play_legal(color, point, &mut ());
                moves.push(Move::Play(point));
                passes = 0;
            }
            None => {
                board.pass();
                moves.push(Move::Pass);
                passes += 1;
            }
        }
        before = last;
        last = chosen;
        color = color.opponent();
        length += 1;
    }
    length
}

impl PlayoutPolicy {
    /// The next move of a playout; `None` is a pass. `recent` as in [`play_out`].
    fn choose(
        &self,
        board: &Board,
        color: Color,
        recent: [Option<Point>; 2],
        ladder: &mut LadderReader,
        rng: &mut Rng,
    ) -> Option<Point> {
        // written out for both colours, so that the compiler specializes each
        match color {
            Color::Black => self.choose_for(board, Color::Black, recent, ladder, rng),
            Color::White => self.choose_for(board, Color::White, recent, ladder, rng),
        }
    }

    #[inline(always)]
    fn choose_for(
        &self,
        board: &Board,
        color: Color,
        recent: [Option<Point>; 2],
        ladder: &mut LadderReader,
        rng: &mut Rng,
    ) -> Option<Point> {
        if let [Some(last), before] = recent {
            // one draw for all steps, a random byte each
            let [capture_byte, escape_byte, two_liberties_byte, nakade_byte, pattern_byte, before_byte, caught_byte, _] =
                rng.u64(..).to_le_bytes().map(u16::from);
            let captures = [capture_byte < self.capture, caught_byte < self.capture_caught];
            let [ataris, twos] = board.weak_neighbors(color, last);
            let may_escape = (escape_byte < self.escape) & (ataris != 0);
            let attack = board.may_have_two_liberties(last);
            let may_decide = (two_liberties_byte < self.two_liberties) & (attack | (twos != 0));
            let answer = capture(board, color, last, before, captures, rng)
                .or_else(|| may_escape.then(|| escape(board, last, ataris, ladder, rng)).flatten())
                .or_else(|| may_decide.then(|| two_liberties(board, last, attack, twos, rng)).flatten())
                .or_else(|| {
                    let tried = [nakade_byte < self.nakade, pattern_byte < self.pattern];
                    self.nakade_or_pattern(board, color, last, tried, rng)
                })
                .or_else(|| {
                    let before = before.filter(|_| before_byte < self.pattern_before)?;
                    let (matching, _) = self.patterns.around(board, color, before);
                    pattern(board, color, &points_around(board, before), matching, rng)
                });
            if answer.is_some() {
                return answer;
            }
        }
        random(board, color, rng)
    }

    /// Nakade and pattern steps beside a point: the vital point of an eye space, else a move that matches a pattern.
    #[inline]
    fn nakade_or_pattern(
        &self,
        board: &Board,
        color: Color,
        near: Point,
        [tries_nakade, tries_pattern]: [bool; 2],
        rng: &mut Rng,
    ) -> Option<Point> {
        let around = points_around(board, near);
        let (matching, nakade_candidates) = self.patterns.around(board, color, near);
        // the first four are the neighbours
        let nakade_candidates = nakade_candidates & if tries_nakade { 15 } else { 0 };
        let vital = nakade(board, color, &around, nakade_candidates);
        if vital.is_some() || !tries_pattern {
            return vital;
        }
        pattern(board, color, &around, matching, rng)
    }
}

/// The eight points around a point, in the order of [`Patterns::around`].
#[inline]
fn points_around(board: &Board, near: Point) -> [Point; 8] {
    let coordinate = board.coordinate();
    let [east, north, west, south] = coordinate.neighbors(near);
    let [north_east, _, north_west, _] = coordinate.neighbors(north);
    let [south_east, _, south_west, _] = coordinate.neighbors(south);
    [east, north, west, south, north_east, north_west, south_east, south_west]
}

/// Nakade step: the vital point of the eye space of one of the candidates, a mask over the points `around`.
#[inline]
fn nakade(board: &Board, color: Color, around: &[Point; 8], mut candidates: u32) -> Option<Point> {
    while candidates != 0 {
        let start = *around.get(candidates.trailing_zeros() as usize)?;
        if let Some(vital) = nakade_point(board, color.opponent(), start)
            && board.check(color, vital).is_ok()
        {
            return Some(vital);
        }
        candidates &= candidates - 1;
    }
    None
}

/// Pattern step: a random one of the points `around` that match a pattern, a mask over them.
#[inline]
fn pattern(board: &Board, color: Color, around: &[Point; 8], mut matching: u32, rng: &mut Rng) -> Option<Point> {
    while matching != 0 {
        let mut remaining = matching;
        for _ in 0..rng.u32(..matching.count_ones()) {
            remaining &= remaining - 1;
        }
        let place = remaining.trailing_zeros();
        let point = *around.get(place as usize)?;
        if is_playout_move(board, color, point) {
            return Some(point);
        }
        matching &= !(1 << place);
    }
    None
}

/// A uniformly random point of a list.
#[inline]
fn pick<const N: usize>(points: &PointList<N>, rng: &mut Rng) -> Option<Point> {
    let points = points.as_slice();
    match points {
        [] => None,
        &[only] => Some(only),
        _ => points.get(rng.usize(..points.len())).copied(),
    }
}

/// Capture step: the ren of the last move, or one beside the own move before it. Unless it `includes_caught` ones, only
/// rens that could extend to two liberties: the others cannot escape, so their capture can wait.
#[inline(always)]
fn capture(
    board: &Board,
    color: Color,
    last: Point,
    before: Option<Point>,
    [is_tried, includes_caught]: [bool; 2],
    rng: &mut Rng,
) -> Option<Point> {
    // an atari is rare and well predicted, a random byte is not: both are tested in one branch
    let beside = before.map_or(0, |before| board.atari_neighbors(color.opponent(), before));
    if !(is_tried & ((beside != 0) | board.is_atari(last))) {
        return None;
    }
    let mut found = PointList::<8>::new();
    let mut add = |ren: Point| {
        if let Some(liberty) = board.atari(ren)
            && board.check(color, liberty).is_ok()
            && (includes_caught || !is_self_atari(board, color.opponent(), liberty))
        {
            found.insert(liberty);
        }
    };
    add(last);
    if let Some(before) = before {
        for (place, neighbor) in board.coordinate().neighbors(before).into_iter().enumerate() {
            if beside >> place & 1 != 0 {
                add(neighbor);
            }
        }
    }
    pick(&found, rng)
}

/// Escape step: saves a ren that the last move put in atari. `ataris` has a bit for each neighbour of that move.
fn escape(board: &Board, last: Point, ataris: u32, ladder: &mut LadderReader, rng: &mut Rng) -> Option<Point> {
    let mut found = PointList::<8>::new();
    let mut rens = PointList::<4>::new();
    for (place, neighbor) in board.coordinate().neighbors(last).into_iter().enumerate() {
        if ataris >> place & 1 != 0 && rens.insert(board.ren_head(neighbor)) {
            escapes(board, neighbor, ladder, &mut found);
        }
    }
    pick(&found, rng)
}

/// Two-liberty step: an atari without escape against the last move's ren (if `attack`), or the defence of an own ren
/// beside it; `own` has a bit for each neighbour of the last move that may be such a ren.
fn two_liberties(board: &Board, last: Point, attack: bool, own: u32, rng: &mut Rng) -> Option<Point> {
    let mut found = PointList::<8>::new();
    if attack && let Some(pair) = two_liberties_of(board, last) {
        add_attacks(board, last, pair, &mut found);
    }
    let mut rens = PointList::<4>::new();
    for (place, neighbor) in board.coordinate().neighbors(last).into_iter().enumerate() {
        if own >> place & 1 != 0
            && rens.insert(board.ren_head(neighbor))
            && let Some(pair) = two_liberties_of(board, neighbor)
        {
            add_defenses(board, neighbor, pair, &mut found);
        }
    }
    pick(&found, rng)
}

/// Adds the ataris against a ren with these two liberties after which it cannot extend to two liberties.
#[inline]
fn add_attacks(board: &Board, ren: Point, [one, two]: [Point; 2], found: &mut PointList<8>) {
    let Some(color) = board.stone(ren).color() else { return };
    for (here, there) in [(one, two), (two, one)] {
        if threatens(board, color, here, there) {
            found.insert(here);
        }
    }
}

/// Adds captures for the owner of a ren with these two liberties, and extensions to three, if an atari threatens it
/// ([`add_attacks`]).
#[inline]
fn add_defenses(board: &Board, ren: Point, [one, two]: [Point; 2], found: &mut PointList<8>) {
    let Some(color) = board.stone(ren).color() else { return };
    for (here, there) in [(one, two), (two, one)] {
        if !threatens(board, color, here, there) {
            continue;
        }
        counter_captures(board, ren, found);
        for point in [here, there] {
            if board.check(color, point).is_ok()
                && liberties_after(board, color, point, &mut [Point::default(); 3]) == 3
            {
                found.insert(point);
            }
        }
    }
}

/// Whether after an atari at `point` a ren of `color` with the other liberty `extension` cannot extend to two liberties.
#[inline]
fn threatens(board: &Board, color: Color, point: Point, extension: Point) -> bool {
    // three empty neighbours leave at least two after the atari
    board.empty_neighbors(extension) < 3
        && !has_two_liberties_without(board, color, extension, point)
        && is_legal_without_self_atari(board, color.opponent(), point)
}

/// Last step: a nearly uniform random move ([`is_playout_move`]); `None` if there is none.
#[inline(always)]
fn random(board: &Board, color: Color, rng: &mut Rng) -> Option<Point> {
    let empty = board.empty_points();
    if empty.is_empty() {
        return None;
    }
    for _ in 0..MAX_DRAWS {
        let point = *empty.get(rng.usize(..empty.len()))?;
        if is_playout_move(board, color, point) {
            return Some(point);
        }
    }
    first_playout_move_from(board, color, rng.usize(..empty.len()))
}

/// The first such move in the list of empty points, starting at an index and wrapping around.
#[inline(never)]
fn first_playout_move_from(board: &Board, color: Color, start: usize) -> Option<Point> {
    let (before, after) = board.empty_points().split_at_checked(start)?;
    after.iter().chain(before).copied().find(|&point| is_playout_move(board, color, point))
}

#[cfg(test)]
mod tests;

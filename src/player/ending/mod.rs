//! Endgame fill-in: fills dame and plays the reinforcements that they call for, before a finished game is counted.
//!
//! Players agree to stop before the dame are filled, but the score depends on them: a region is territory only when its
//! border is closed, and a dame that takes a liberty may call for a reinforcement in the territory. So both players
//! alternate until both pass, and each takes the move with the best balance of points: what it gains, what it denies
//! the opponent, and what the opponent threatens afterwards ([`threats`]). This reads no deeper than ladders. So when
//! nothing is left by that, a search ([`region_search`]) looks for reinforcements that are still missing. A position
//! with more open points ([`Stage::Open`]) is not filled in.

mod end_board;
pub(super) mod end_search;
mod region_search;
mod threats;

use std::collections::HashSet;

use crate::kernel::region::regions;
use crate::kernel::{Board, Color, Point, PointSet, Scoring, Stone};
use crate::player::ending::end_board::{EndBoard, PointEstimate};
use crate::player::ending::region_search::RegionSearch;
use crate::player::ending::threats::{Threat, Threats};
use crate::player::status::Status;

/// The greatest number of fill-ins, the first one included.
const ATTEMPTS: usize = 4;

/// The largest ren whose loss during the fill-in is not taken for a mistake: the stone of a ko.
const KO_STONES: usize = 1;

/// The fill-in is tried if at most one point in [`OPEN_DIVISOR`] is open, and if at most one in [`UNCLEAR_DIVISOR`] has
/// no clear owner. The stones of a dead group, and the points around it, often have none in playouts.
const OPEN_DIVISOR: usize = 12;
const UNCLEAR_DIVISOR: usize = 6;

/// A game is finished if moreover at most one point in [`FINISHED_OPEN_DIVISOR`], or at most [`MIN_FINISHED_OPEN`]
/// points are open, whichever is more.
const FINISHED_OPEN_DIVISOR: usize = 48;
const MIN_FINISHED_OPEN: usize = 2;

/// The fill-in of a finished game has at most one move more than dame for this many points, or [`MIN_MORE_MOVES`]. On
/// 19x19 that is 18. At the ends of strong amateurs' games on a server there were at most 4 more, and 20 moves earlier
/// 12 in the median; professionals often leave more than 9 unplayed.
const MORE_MOVES_DIVISOR: usize = 20;
const MIN_MORE_MOVES: usize = 2;

/// The greatest number of reinforcements that searches add.
const MAX_REINFORCEMENTS: usize = 10;

/// Units per point in the value of a move. Linked stones add fewer units than a point, so that they break ties.
const UNITS_PER_POINT: i32 = 1000;

/// How deep the fill-in reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadingDepth {
    /// Ladders only: some 25 ms on 19x19.
    Ladders,
    /// Ladders, and under territory scoring searches of all regions: some tenths of a second. Under area scoring a
    /// reinforcement costs nothing once the dame are filled.
    Searches,
}

/// The end of a game, filled in.
pub(super) struct FilledIn {
    /// The board after the moves.
    pub(super) board: Board,
    /// The dead stones on it.
    pub(super) dead: PointSet,
    /// Stones captured by Black and by White in the moves.
    pub(super) captured: [u32; 2],
    /// The moves.
    pub(super) moves: Vec<(Color, Point)>,
    /// The stones in seki, which the moves leave alone.
    pub(super) seki: PointSet,
}

impl FilledIn {
    /// A board that is counted as it stands.
    pub(super) fn as_it_stands(board: &Board, status: &Status) -> FilledIn {
        FilledIn {
            board: board.clone(),
            dead: status.dead.clone(),
            captured: [0; 2],
            moves: Vec::new(),
            seki: status.seki.clone(),
        }
    }
}

/// How far a game has come, by the points that are still open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// Too many points are open, or their owners unclear, for a fill-in.
    Open,
    /// The fill-in gives a score.
    Late,
    /// Hardly a point is open: only dame and reinforcements are left.
    Finished,
}

/// The stage of a game, from the status of its stones.
pub(super) fn stage(board: &Board, scoring: Scoring, status: &Status) -> Stage {
    let area = board.coordinate().board_area();
    let open = open_points(board, scoring, status);
    let is_open = open > area / OPEN_DIVISOR || unclear_points(board, status) > area / UNCLEAR_DIVISOR;
    if is_open || has_invadable_half(board, status) {
        Stage::Open
    } else if open > (area / FINISHED_OPEN_DIVISOR).max(MIN_FINISHED_OPEN) {
        Stage::Late
    } else {
        Stage::Finished
    }
}

/// Whether a fill-in of so many moves hardly did more than fill dame, as it does in a finished game.
pub(super) fn is_short(board: &Board, status: &Status, moves: usize) -> bool {
    let dame = EndBoard::new(board, status).dame().iter().count();
    moves <= dame + (board.coordinate().board_area() / MORE_MOVES_DIVISOR).max(MIN_MORE_MOVES)
}

/// Whether more than half of the board is one region of empty points and dead stones that is not unconditionally
/// anyone's: large enough for the opponent to live in, as on a board with handicap stones only, however clear its owner
/// seems.
fn has_invadable_half(board: &Board, status: &Status) -> bool {
    let is_free = |point: Point| board.stone(point) == Stone::Space || status.dead.contains(point);
    let regions = regions(board.coordinate(), is_free);
    let half = regions.iter().find(|region| 2 * region.points.len() > board.coordinate().board_area());
    half.is_some_and(|region| {
        let decided = status.decided(board);
        !region.points.iter().all(|&point| decided.contains(point))
    })
}

/// The number of empty points without a clear owner in regions that living stones of both colours border, without dame.
fn open_points(board: &Board, scoring: Scoring, status: &Status) -> usize {
    let open = EndBoard::new(board, status).estimate(scoring, &status.ownership).open;
    open.into_iter().filter(|&point| end_board::owner_by(&status.ownership, point) == 0).count()
}

/// The number of points without a clear owner that are neither dame nor decided by unconditional life or a seki.
fn unclear_points(board: &Board, status: &Status) -> usize {
    let (dame, decided) = (EndBoard::new(board, status).dame(), status.decided(board));
    let is_unclear =
        |&p: &Point| end_board::owner_by(&status.ownership, p) == 0 && !dame.contains(p) && !decided.contains(p);
    board.coordinate().points().filter(is_unclear).count()
}

/// Fills the end of a game in, from a position with `to_move` to move.
///
/// No living group dies while both players only fill dame. If one does, or a dead one comes alive, then the reading was
/// not deep enough to answer in time. The fill-in is repeated: a group that died counts as alive, and its dame are left
/// to its owner; a group that came alive counts as dead.
pub(super) fn fill_in_end(
    board: &Board,
    to_move: Color,
    scoring: Scoring,
    status: &Status,
    depth: ReadingDepth,
) -> FilledIn {
    let mut fixed = PointSet::new();
    let mut attempts = 1;
    let mut game = loop {
        let mut game = EndGame::new(board, scoring, status, &fixed);
        game.play(to_move);
        let changed = changed_stones(board, status, &game.end);
        if changed.is_empty() || attempts == ATTEMPTS {
            break game;
        }
        fixed.extend(changed);
        attempts += 1;
    };
    if depth == ReadingDepth::Searches && scoring == Scoring::Territory {
        let mut search = RegionSearch::new();
        for _ in 0..MAX_REINFORCEMENTS {
            let Some((owner, point)) = search.reinforcement(&game.end) else { break };
            game.play_move(owner, point);
            game.play(owner.opponent());
        }
    }
    let EndGame { end: EndBoard { board, dead, captured, .. }, moves, .. } = game;
    FilledIn { board, dead, captured, moves, seki: status.seki.clone() }
}

/// The living stones that a fill-in lost, except single ones as in a ko, and the dead ones that it saved.
fn changed_stones(board: &Board, status: &Status, end: &EndBoard) -> Vec<Point> {
    let is_changed = |&p: &Point| {
        let was_dead = status.dead.contains(p);
        let is_alive = end.board.stone(p) == board.stone(p) && !end.dead.contains(p);
        is_alive == was_dead && (was_dead || board.ren_size(p) > KO_STONES)
    };
    let stones = board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space);
    stones.filter(|p| !status.seki.contains(*p)).filter(is_changed).collect()
}

/// The state of the fill-in.
struct EndGame<'a> {
    end: EndBoard,
    status: &'a Status,
    scoring: Scoring,
    threats: Threats,
    moves: Vec<(Color, Point)>,
    /// The boards that were reached, by [`EndBoard::hash`].
    reached: HashSet<u64>,
}

impl<'a> EndGame<'a> {
    fn new(board: &Board, scoring: Scoring, status: &'a Status, fixed: &PointSet) -> EndGame<'a> {
        let end = EndBoard { fixed: fixed.clone(), ..EndBoard::new(board, status) };
        let reached = HashSet::from([end.hash]);
        EndGame { end, status, scoring, threats: Threats::new(), moves: Vec::new(), reached }
    }

    /// Plays until both players pass.
    fn play(&mut self, to_move: Color) {
        let limit = self.end.board.coordinate().board_area();
        let mut color = to_move;
        let mut passes = 0;
        while passes < 2 && self.moves.len() < limit {
            match self.best_move(color) {
                Some(point) => {
                    self.play_move(color, point);
                    passes = 0;
                }
                None => {
                    self.end.board.pass();
                    passes += 1;
                }
            }
            color = color.opponent();
        }
    }

    fn play_move(&mut self, color: Color, point: Point) {
        self.end.play(color, point);
        self.reached.insert(self.end.hash);
        self.moves.push((color, point));
    }

    /// The best move of `color` that recreates no earlier board of the fill-in; `None` to pass.
    ///
    /// A move is worth the points that it gains, and those that the opponent would gain on the same point, less what
    /// the opponent threatens after it. A dame is taken if that loses nothing.
    fn best_move(&mut self, color: Color) -> Option<Point> {
        let opponent = color.opponent();
        let estimate = self.end.estimate(self.scoring, &self.status.ownership);
        let now = estimate.value * i32::from(color.sign());
        let own = self.threats.of(&self.end, color);
        let against = self.threats.of(&self.end, opponent);
        let (free, others) = self.candidates(color, estimate, &own, &against);
        let mut best = None;
        let mut least = -greatest(&against) * UNITS_PER_POINT;
        let moves = free.iter().map(|&point| (point, true)).chain(others.iter().map(|&point| (point, false)));
        for (point, is_free) in moves {
            let Some((gain, after)) = self.gain(color, point, now, greatest(&own)) else { continue };
            // three kos, or more, would be taken for ever
            if self.reached.contains(&after.hash) {
                continue;
            }
            let answers = self.threats.of(&after, opponent);
            let head = after.board.ren_head(point);
            let is_lost = answers.iter().any(|threat| after.board.ren_head(threat.ren) == head);
            let denied = match is_lost {
                true => 0,
                false => self.gain(opponent, point, -now, greatest(&against)).map_or(0, |(gain, _)| gain.max(0)),
            };
            let links = if is_free { self.linked_stones(color, point).min(UNITS_PER_POINT - 1) } else { 0 };
            let value = (gain + denied - greatest(&answers)) * UNITS_PER_POINT + links;
            if value > least || (best.is_none() && is_free && value == least) {
                (best, least) = (Some(point), value);
            }
        }
        best
    }

    /// The points of `color` minus the opponent's on a board of the fill-in.
    fn points(&self, end: &EndBoard, color: Color) -> i32 {
        end.estimate(self.scoring, &self.status.ownership).value * i32::from(color.sign())
    }

    /// The points on which a move of `color` may be worth something: those without an owner yet, and those that win or
    /// save stones.
    fn candidates(
        &self,
        color: Color,
        PointEstimate { dame, open, .. }: PointEstimate,
        own: &[Threat],
        against: &[Threat],
    ) -> (Vec<Point>, Vec<Point>) {
        let mut free = dame;
        free.extend(open.into_iter().filter(|&p| self.is_contested(color, p)));
        let mut others: Vec<Point> = own.iter().map(|threat| threat.attack).collect();
        others.extend(against.iter().flat_map(|threat| threats::defences(&self.end, threat)));
        others.sort_unstable();
        others.dedup();
        others.retain(|point| !free.contains(point));
        free.retain(|&point| !self.is_left_to(color.opponent(), point));
        [&mut free, &mut others].into_iter().for_each(|points| points.retain(|&point| !self.is_in_seki(point)));
        (free, others)
    }

    /// The gain of a move of `color` in points, a threat that costs the opponent points to answer included, with the
    /// position after it; `None` if it is illegal. `points` and `threat` are those of `color` before it.
    fn gain(&mut self, color: Color, point: Point, points: i32, threat: i32) -> Option<(i32, EndBoard)> {
        self.end.board.check(color, point).ok()?;
        let mut after = self.end.clone();
        after.play(color, point);
        if after.board.is_atari(point) && after.captured == self.end.captured {
            // it would be captured at once
            return Some((0, after));
        }
        let value = self.points(&after, color);
        let threats = self.threats.of(&after, color);
        let price = if greatest(&threats) > threat { self.price_of_answer(&after, color, &threats, value) } else { 0 };
        Some((value - points + price, after))
    }

    /// The points that the opponent of `color` loses by the best answer to threats, or by none. `points` are those of
    /// `color` before the answer.
    fn price_of_answer(&mut self, end: &EndBoard, color: Color, threats: &[Threat], points: i32) -> i32 {
        let mut price = greatest(threats);
        let Some(worst) = threats.iter().max_by_key(|threat| threat.gain) else { return 0 };
        for point in threats::defences(end, worst) {
            if price == 0 || end.board.check(color.opponent(), point).is_err() {
                continue;
            }
            let mut after = end.clone();
            after.play(color.opponent(), point);
            let value = self.points(&after, color);
            let lost = (value - points).max(0);
            if lost < price {
                price = price.min(lost + greatest(&self.threats.of(&after, color)));
            }
        }
        price
    }

    /// The number of stones that a move of `color` links to others which no other point links to them.
    fn linked_stones(&self, color: Color, point: Point) -> i32 {
        let board = &self.end.board;
        let heads = |around: Point| {
            let mut heads: Vec<Point> = (board.coordinate().neighbors(around).into_iter())
                .filter(|&p| self.end.living(p) == Some(color))
                .map(|p| board.ren_head(p))
                .collect();
            heads.sort_unstable();
            heads.dedup();
            heads
        };
        let here = heads(point);
        let are_linked = |a: Point, b: Point| {
            board.empty_points().iter().filter(|&&p| p != point).any(|&p| {
                let there = heads(p);
                there.contains(&a) && there.contains(&b)
            })
        };
        let is_apart = |&a: &Point| here.iter().any(|&b| a != b && !are_linked(a, b));
        let sizes = || here.iter().copied().filter(is_apart).map(|head| board.ren_size(head) as i32);
        sizes().sum::<i32>() - sizes().max().unwrap_or(0)
    }

    /// Whether a point of an open region may be worth a move of `color`: beside a living stone of its own or one point
    /// away, and not in the opponent's sure possession.
    fn is_contested(&self, color: Color, point: Point) -> bool {
        const SURE: f32 = 0.9;
        let owner = self.status.ownership.get(point.index()).map_or(0.0, |owner| owner * f32::from(color.sign()));
        let board = &self.end.board;
        let is_near = || {
            let around = board.coordinate().neighbors(point).into_iter();
            around.filter(|&p| board.stone(p) == Stone::Space).any(|p| self.end.touches(color, p))
        };
        owner > -SURE && (self.end.touches(color, point) || is_near())
    }

    /// Whether a stone of `owner` that keeps its status is beside a point.
    fn is_left_to(&self, owner: Color, point: Point) -> bool {
        let mut around = self.end.board.coordinate().neighbors(point).into_iter();
        around.any(|p| self.end.board.stone(p) == owner.stone() && self.end.fixed.contains(p))
    }

    /// Whether a point is a liberty of stones in seki.
    fn is_in_seki(&self, point: Point) -> bool {
        self.end.board.coordinate().neighbors(point).iter().any(|&p| self.status.seki.contains(p))
    }
}

/// The greatest gain of some threats.
fn greatest(threats: &[Threat]) -> i32 {
    threats.iter().map(|threat| threat.gain).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::parse_board;
    use crate::player::status::classify_stones;

    /// The moves of the fill-in on a drawn board, rank 1 first.
    fn filled(drawn: &str, to_move: Color, scoring: Scoring) -> String {
        let board = parse_board(drawn).unwrap();
        let status = classify_stones(&board, to_move, 400);
        let end = fill_in_end(&board, to_move, scoring, &status, ReadingDepth::Searches);
        let coordinate = board.coordinate();
        let moves = end.moves.iter().map(|&(color, point)| format!("{color} {}", coordinate.vertex(point)));
        moves.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn three_kos_are_not_taken_for_ever() {
        // kos at A1, D1 and K8
        let drawn = "
            . x o . o x . . . . . x x o . . . . .
            x o o o x x x x x x x x o o . . . . .
            . x o o o o x o o o o o o o . o . . .
            x x x o . o x x x x x x o x . . o . .
            . . x x x o o o o x o o x o o o . o .
            . . . x . x o . . . x o x o . . o . .
            . . . . x x o x x x x o x x o o . o .
            . . . x o o o o x . x o o x o x o x o
            . x . . x o . x o x o o x x x x x x o
            . o x x x o . . o o . o x . . . x . o
            . x o o o o o o o . . o o x x . . x x
            . . x o . x x o x o o x o o o x x x o
            . . x x x x o o x x x x o . . o x o o
            . . x . x o o x o . x o . o . o o . .
            . . x x x x x x . x x x o o o . . o .
            . . x o x . . x x x o x x o x o x o .
            . x x o x x x o o o o o o x x . x o .
            x o o o o o o . . . . o x . x x x x o
            . o . . . . . . . . . o x x . x x . .
        ";
        let board = parse_board(drawn).unwrap();
        let status = classify_stones(&board, Color::Black, 400);
        let end = fill_in_end(&board, Color::Black, Scoring::Territory, &status, ReadingDepth::Ladders);
        let mut reached = HashSet::from([board.stones().to_vec()]);
        let mut board = board;
        for (color, point) in end.moves {
            board.lift_ko(); // a pass may have come before the move
            board.play(color, point, &mut ()).unwrap();
            assert!(reached.insert(board.stones().to_vec()), "{} repeats", board.coordinate().vertex(point));
        }
    }

    /// Two living groups with a column of dame between them.
    const DAME: &str = "
        . x . o .
        x x . o o
        . x . o .
        x x . o o
        . x . o .
    ";

    #[test]
    fn dame_are_filled_in_turn() {
        for scoring in [Scoring::Area, Scoring::Territory] {
            let moves = filled(DAME, Color::Black, scoring);
            let colors: Vec<_> = moves.split(", ").map(|text| text.split(' ').next().unwrap()).collect();
            assert_eq!(colors, ["black", "white", "black", "white", "black"], "{moves}");
        }
    }

    #[test]
    fn a_dame_that_gives_atari_calls_for_a_reinforcement() {
        let drawn = "
            . . x . o .
            x x o o o o
            . x o . o .
            x x o o o o
            . x x o . o
            . . x o o .
        ";
        assert_eq!(filled(drawn, Color::White, Scoring::Territory), "white D1, black B1");
    }

    #[test]
    fn an_eye_space_that_one_move_takes_calls_for_a_reinforcement() {
        // six points in the corner without outside liberties are two eyes only for the player who moves first
        let drawn = "
            . . . x o . o
            . . . x o o .
            x x x x o . o
            o o o o o o .
            . o . o . o o
        ";
        let moves = filled(drawn, Color::White, Scoring::Territory);
        assert!(["black B1", "black B2"].contains(&moves.as_str()), "{moves}");
        // one move in it is enough
        let drawn = drawn.replacen(". . . x", ". x . x", 1);
        assert_eq!(filled(&drawn, Color::White, Scoring::Territory), "");
    }

    #[test]
    fn a_game_in_progress_is_not_finished() {
        let board = parse_board(". . . . .\n. . x . .\n. . . . .\n. . o . .\n. . . . .").unwrap();
        let status = classify_stones(&board, Color::Black, 400);
        assert_ne!(stage(&board, Scoring::Area, &status), Stage::Finished);
        let board = parse_board(DAME).unwrap();
        let status = classify_stones(&board, Color::Black, 400);
        assert_eq!(stage(&board, Scoring::Area, &status), Stage::Finished);
    }
}

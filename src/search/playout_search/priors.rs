//! Heuristic priors: virtual playouts that a new node starts with, from tactics, patterns and distance.
//!
//! Each feature of a move adds virtual playouts, won (1) or lost (0), with its weight: over all features, the prior's
//! value is `Σ vᵢwᵢ / Σ wᵢ` and its weight `Σ wᵢ`. Sources: G. Chaslot and others, "Progressive strategies for
//! Monte-Carlo tree search", 2007; S. Gelly and D. Silver, "Combining online and offline knowledge in UCT", 2007.
//! Distances are along rens, as in the common fate graph of T. Graepel and others, "Learning on graphs in the game of
//! Go", 2001.

use crate::kernel::{Board, Color, GameRule, IllegalMove, Move, Point, PointSet, Stone};
use crate::playout::light::is_own_eye;
use crate::playout::patterns::Patterns;
use crate::playout::tactics::ladder::LadderReader;
use crate::playout::tactics::liberties::liberties_after;
use crate::playout::tactics::point_list::PointList;
use crate::playout::tactics::self_atari::is_bad_self_atari;
use crate::search::params::Params;

/// The prior of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Prior {
    /// The move.
    pub(super) play: Move,
    /// Win probability of the side that makes the move, 0 to 1.
    pub(super) value: f32,
    /// Number of virtual playouts behind the value.
    pub(super) weight: f32,
}

/// The greatest distance from the last move with a weight.
const MAX_DISTANCE: usize = 4;

/// Number of stones beyond which the weight of a capture, escape or ladder grows no more.
const MAX_STONES: usize = 8;
/// The weight of a capture, escape or ladder of `s` stones is multiplied by `1 + WEIGHT_PER_STONE · (s − 1)`.
const WEIGHT_PER_STONE: f64 = 0.25;

/// The factor of the weight of a pattern that is not beside one of the last two moves; chosen by hand.
const PATTERN_ELSEWHERE: f64 = 0.25;

/// The prior value of a suicide.
const SUICIDE_VALUE: f32 = 0.1;

/// Sum of the virtual playouts of a move.
struct VirtualPlayouts {
    wins: f64,
    playouts: f64,
}

impl VirtualPlayouts {
    fn add(&mut self, value: f64, weight: f64) {
        self.wins += value * weight;
        self.playouts += weight;
    }
}

/// Pushes a prior for every legal move that fills no own eye, and for a pass. `recent` are the last two moves, the
/// latest first, `None` for a pass or no move.
pub(super) fn priors(board: &Board, color: Color, recent: [Option<Point>; 2], params: &Params, out: &mut Vec<Prior>) {
    let unit = params.prior_weight;
    let patterns = Patterns::shared();
    let mut ladder = LadderReader::new();
    let rings = recent.first().copied().flatten().map(|last| distance_rings(board, last));
    for &point in board.empty_points() {
        if board.check(color, point).is_err() || is_own_eye(board, color, point) {
            continue;
        }
        // an even prior for every move; at least one playout, to keep the weight positive
        let mut sum = VirtualPlayouts { wins: 0.0, playouts: 0.0 };
        sum.add(0.5, (unit / 2.0).max(1.0));
        add_tactics(board, color, point, params, &mut ladder, &mut sum);
        let near = recent.iter().flatten().any(|&last| is_beside(board, last, point));
        if patterns.matches(board, color, point) {
            sum.add(1.0, unit * params.prior_pattern * if near { 1.0 } else { PATTERN_ELSEWHERE });
        }
        if let Some(rings) = &rings
            && let Some(distance) = rings.iter().position(|ring| ring.contains(point))
        {
            sum.add(1.0, unit * params.prior_distance / (distance + 1) as f64);
        }
        add_lines(board, point, params, &mut sum);
        let play = Move::Play(point);
        out.push(Prior { play, value: (sum.wins / sum.playouts) as f32, weight: sum.playouts as f32 });
    }
    out.push(Prior { play: Move::Pass, value: params.pass_prior as f32, weight: unit.max(1.0) as f32 });
}

/// Whether the rules of a game allow a play, superko apart.
pub(super) fn is_allowed(board: &Board, color: Color, point: Point, rule: &GameRule) -> bool {
    rule.check(board, color, point, true).is_ok()
}

/// Fits the priors of a position to the rules of the game: removes plays that they forbid, and adds suicides that they
/// allow, which nearly always lose stones for nothing.
pub(super) fn adapt_to_rule(board: &Board, color: Color, rule: &GameRule, params: &Params, priors: &mut Vec<Prior>) {
    if rule.can_not_put_on_my_eye {
        priors.retain(|prior| prior.play.point().is_none_or(|point| is_allowed(board, color, point, rule)));
    }
    if rule.suicide {
        let points = board.empty_points().iter().copied();
        let suicides = points.filter(|&p| board.check(color, p) == Err(IllegalMove::Suicide));
        let weight = params.prior_weight.max(1.0) as f32;
        let prior = |point: Point| Prior { play: Move::Play(point), value: SUICIDE_VALUE, weight };
        priors.extend(suicides.filter(|&p| is_allowed(board, color, p, rule)).map(prior));
    }
}

/// Adds the weights of captures, escapes, ladder attacks and self-atari.
fn add_tactics(
    board: &Board,
    color: Color,
    point: Point,
    params: &Params,
    ladder: &mut LadderReader,
    sum: &mut VirtualPlayouts,
) {
    let unit = params.prior_weight;
    let by_stones = |stones: usize| 1.0 + WEIGHT_PER_STONE * stones.min(MAX_STONES).saturating_sub(1) as f64;
    let mut taken = 0;
    let mut saved = 0;
    let mut caught = 0;
    let mut rens = PointList::<4>::new();
    let mut after = [Point::default(); 3];
    let liberties = liberties_after(board, color, point, &mut after);
    for neighbor in board.coordinate().neighbors(point) {
        let stone = board.stone(neighbor);
        let Some(owner) = stone.color() else { continue };
        if !rens.insert(board.ren_head(neighbor)) {
            continue;
        }
        let size = board.ren_size(neighbor);
        let in_atari = board.is_atari(neighbor);
        if owner == color {
            if in_atari && (liberties > 2 || liberties == 2 && !ladder.is_captured(board, neighbor)) {
                saved += size;
            }
        } else if in_atari {
            taken += size + stones_saved_by_capture(board, color, neighbor);
        } else if liberties > 1
            && board.liberties_up_to(neighbor, &mut [Point::default(); 3]) == 2
            && ladder.captures_after(board, neighbor, point)
        {
            caught += size;
        }
    }
    if taken + saved > 0 {
        sum.add(1.0, unit * params.prior_atari * by_stones(taken + saved));
    }
    if caught > 0 {
        sum.add(1.0, unit * params.prior_ladder * by_stones(caught));
    }
    if taken == 0 && is_bad_self_atari(board, color, point) {
        sum.add(0.0, unit * params.prior_self_atari);
    }
}

/// Number of stones of `color` in atari beside an opponent's ren, which its capture saves.
fn stones_saved_by_capture(board: &Board, color: Color, ren: Point) -> usize {
    let mut saved = PointList::<8>::new();
    let mut stones = 0;
    for point in board.ren_points(ren) {
        for neighbor in board.coordinate().neighbors(point) {
            if board.stone(neighbor) == color.stone()
                && board.is_atari(neighbor)
                && saved.insert(board.ren_head(neighbor))
            {
                stones += board.ren_size(neighbor);
            }
        }
    }
    stones
}

/// Adds the weights of the lines near the edge, for points without stones near: first and second line lost, third and
/// fourth won on large boards.
fn add_lines(board: &Board, point: Point, params: &Params, sum: &mut VirtualPlayouts) {
    let coordinate = board.coordinate();
    let (width, height) = (coordinate.width(), coordinate.height());
    if width.min(height) < 9 || !is_isolated(board, point) {
        return;
    }
    let (x, y) = coordinate.xy(point);
    let line = x.min(y).min(width + 1 - x).min(height + 1 - y);
    let weight = params.prior_weight * params.prior_edge;
    match line {
        1 => sum.add(0.0, weight),
        2 => sum.add(0.0, weight / 2.0),
        3 | 4 if width.min(height) >= 13 => sum.add(1.0, weight / 2.0),
        _ => {}
    }
}

/// Whether no stone is within two steps.
fn is_isolated(board: &Board, point: Point) -> bool {
    let around = |p: Point| board.coordinate().neighbors(p).into_iter();
    around(point).all(|p| match board.stone(p) {
        Stone::Space => around(p).all(|q| board.stone(q).color().is_none()),
        Stone::Wall => true,
        Stone::Black | Stone::White => false,
    })
}

/// Whether two points are adjacent, orthogonally or diagonally.
fn is_beside(board: &Board, a: Point, b: Point) -> bool {
    let coordinate = board.coordinate();
    let ((ax, ay), (bx, by)) = (coordinate.xy(a), coordinate.xy(b));
    ax.abs_diff(bx) <= 1 && ay.abs_diff(by) <= 1
}

/// The points at distances 1 to [`MAX_DISTANCE`] from a stone's ren. A step leads to a neighbour; at a stone, to its
/// whole ren.
fn distance_rings(board: &Board, start: Point) -> [PointSet; MAX_DISTANCE] {
    let mut seen = PointSet::new();
    let mut queue: Vec<Point> = Vec::with_capacity(board.coordinate().board_area());
    queue.extend(board.ren_points(start).filter(|&p| seen.insert(p)));
    let mut from = 0;
    std::array::from_fn(|_| {
        let mut ring = PointSet::new();
        let to = queue.len();
        while from < to {
            let Some(&point) = queue.get(from) else { break };
            from += 1;
            for neighbor in board.coordinate().neighbors(point) {
                if board.stone(neighbor) == Stone::Wall || seen.contains(neighbor) {
                    continue;
                }
                for p in board.ren_points(neighbor) {
                    seen.insert(p);
                    ring.insert(p);
                    queue.push(p);
                }
            }
        }
        ring
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;
    use crate::kernel::test_boards::board;

    fn value(board: &Board, color: Color, last: Option<&str>, vertex: &str) -> Option<f32> {
        let mut out = Vec::new();
        let last = last.map(|vertex| board.coordinate().parse_vertex(vertex).unwrap());
        priors(board, color, [last, None], &Params::default(), &mut out);
        for prior in &out {
            assert!((0.0..=1.0).contains(&prior.value) && prior.weight > 0.0, "{prior:?}");
        }
        let point = board.coordinate().parse_vertex(vertex).unwrap();
        out.iter().find(|prior| prior.play == Move::Play(point)).map(|prior| prior.value)
    }

    #[test]
    fn legal_moves_but_eye_fills_and_a_pass_have_a_prior() {
        let board = board(&[".x.x.", "xxxxx", "ooooo", ".o.o.", "oo..o"]);
        let mut out = Vec::new();
        priors(&board, Color::White, [None, None], &Params::default(), &mut out);
        let moves: Vec<String> = out.iter().map(|prior| prior.play.vertex(board.coordinate())).collect();
        assert_eq!(moves, ["C4", "C5", "D5", "pass"]);
    }

    #[test]
    fn captures_and_escapes_are_good_and_self_atari_is_bad() {
        let atari = board(&[".xx..", "xoo..", ".xx..", "....."]);
        assert!(value(&atari, Color::Black, None, "D2").unwrap() > 0.7);
        assert!(value(&atari, Color::White, None, "D2").unwrap() > 0.7);
        assert_eq!(value(&atari, Color::White, None, "E4"), Some(0.5));
        let gift = board(&["x..o..", "oooo..", "xxxx..", "......"]);
        assert!(value(&gift, Color::Black, None, "B1").unwrap() < 0.4);
    }

    #[test]
    fn distance_to_the_last_move_and_lines_count() {
        let board = Board::new(Coordinate::square(13).unwrap());
        let empty = |vertex| value(&board, Color::Black, None, vertex).unwrap();
        assert!(empty("G1") < empty("G2") && empty("G2") < empty("G6") && empty("G6") < empty("G3"));
        let mut next = board.clone();
        next.play_legal(Color::Black, board.coordinate().parse_vertex("G7").unwrap(), &mut ());
        let near = |vertex| value(&next, Color::White, Some("G7"), vertex).unwrap();
        assert!(near("G8") > near("H8") && near("H8") > near("H9"));
    }
}

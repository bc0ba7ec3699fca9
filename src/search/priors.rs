//! What a move seems worth before it is tried: results that a tree begins a move with, as if they had been played.
//!
//! The idea is G. Chaslot's and R. Coulom's (progressive strategies, 2007) and S. Gelly's and D. Silver's (prior knowledge in UCT,
//! 2007). Distances run along rens, as T. Graepel's common fate graph (2001) has them.

use crate::kernel::{Board, Color, Move, Point, PointSet, Stone};
use crate::playout::light::is_own_eye;
use crate::playout::patterns::Patterns;
use crate::playout::tactics::{Ladder, Points, is_bad_self_atari, liberties_after};
use crate::search::params::Params;

/// What a move is believed to be worth, and how firmly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prior {
    /// The move.
    pub play: Move,
    /// The chance, from 0 to 1, that it wins for the player who makes it.
    pub value: f32,
    /// How many playouts that belief counts as.
    pub weight: f32,
}

/// How far from the last move distances are looked at.
const FARTHEST: usize = 4;

/// Up to how many stones a capture or escape grows in weight, and by what part of it for each.
const MOST_STONES: usize = 8;
const PER_STONE: f64 = 0.25;

/// Wins and playouts that were never played.
struct Tally {
    wins: f64,
    playouts: f64,
}

impl Tally {
    fn add(&mut self, value: f64, weight: f64) {
        self.wins += value * weight;
        self.playouts += weight;
    }
}

/// Adds a prior to `out` for every move that is allowed and fills no own eye, and for a pass. `recent` are the two moves
/// before, the latest first, `None` for a pass or no move.
pub fn priors(board: &Board, color: Color, recent: [Option<Point>; 2], params: &Params, out: &mut Vec<Prior>) {
    let unit = params.prior_weight;
    let patterns = Patterns::shared();
    let mut ladder = Ladder::new();
    let rings = recent.first().copied().flatten().map(|last| rings(board, last));
    for &point in board.empty_points() {
        if board.check(color, point).is_err() || is_own_eye(board, color, point) {
            continue;
        }
        // half a win in one playout keeps the weight positive
        let mut stats = Tally { wins: 0.0, playouts: 0.0 };
        stats.add(0.5, (unit / 2.0).max(1.0));
        tactics(board, color, point, params, &mut ladder, &mut stats);
        let near = recent.iter().flatten().any(|&last| is_beside(board, last, point));
        if patterns.matches(board, color, point) {
            stats.add(1.0, unit * params.prior_pattern * if near { 1.0 } else { 0.25 });
        }
        if let Some(rings) = &rings
            && let Some(distance) = rings.iter().position(|ring| ring.contains(point))
        {
            stats.add(1.0, unit * params.prior_distance / (distance + 1) as f64);
        }
        lines(board, point, params, &mut stats);
        let play = Move::Play(point);
        out.push(Prior { play, value: (stats.wins / stats.playouts) as f32, weight: stats.playouts as f32 });
    }
    out.push(Prior { play: Move::Pass, value: params.pass_prior as f32, weight: unit as f32 });
}

/// Counts what a move takes, saves, attacks and gives away.
fn tactics(board: &Board, color: Color, point: Point, params: &Params, ladder: &mut Ladder, stats: &mut Tally) {
    let unit = params.prior_weight;
    let by_stones = |stones: usize| 1.0 + PER_STONE * stones.min(MOST_STONES).saturating_sub(1) as f64;
    let mut taken = 0;
    let mut saved = 0;
    let mut caught = 0;
    let mut rens = Points::<4>::new();
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
            if in_atari && (liberties > 2 || liberties == 2 && !ladder.catches(board, neighbor)) {
                saved += size;
            }
        } else if in_atari {
            taken += size + threatened_by(board, color, neighbor);
        } else if liberties > 1
            && board.liberties_up_to(neighbor, &mut [Point::default(); 3]) == 2
            && ladder.attack_works(board, neighbor, point)
        {
            caught += size;
        }
    }
    if taken + saved > 0 {
        stats.add(1.0, unit * params.prior_atari * by_stones(taken + saved));
    }
    if caught > 0 {
        stats.add(1.0, unit * params.prior_ladder * by_stones(caught));
    }
    if taken == 0 && is_bad_self_atari(board, color, point) {
        stats.add(0.0, unit * params.prior_self_atari);
    }
}

/// How many stones of `color` in atari beside a ren are saved by taking it.
fn threatened_by(board: &Board, color: Color, ren: Point) -> usize {
    let mut saved = Points::<8>::new();
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

/// Counts against the edge and for the lines above it where no stone is near.
fn lines(board: &Board, point: Point, params: &Params, stats: &mut Tally) {
    let coordinate = board.coordinate();
    let (width, height) = (coordinate.width(), coordinate.height());
    if width.min(height) < 9 || !is_lonely(board, point) {
        return;
    }
    let (x, y) = coordinate.xy(point);
    let line = x.min(y).min(width + 1 - x).min(height + 1 - y);
    let weight = params.prior_weight * params.prior_edge;
    match line {
        1 => stats.add(0.0, weight),
        2 => stats.add(0.0, weight / 2.0),
        3 | 4 if width.min(height) >= 13 => stats.add(1.0, weight / 2.0),
        _ => {}
    }
}

/// Whether no stone is within two steps.
fn is_lonely(board: &Board, point: Point) -> bool {
    let around = |p: Point| board.coordinate().neighbors(p).into_iter();
    around(point).all(|p| match board.stone(p) {
        Stone::Space => around(p).all(|q| board.stone(q).color().is_none()),
        Stone::Wall => true,
        Stone::Black | Stone::White => false,
    })
}

/// Whether two points touch, at a corner or a side.
fn is_beside(board: &Board, a: Point, b: Point) -> bool {
    let coordinate = board.coordinate();
    let ((ax, ay), (bx, by)) = (coordinate.xy(a), coordinate.xy(b));
    ax.abs_diff(bx) <= 1 && ay.abs_diff(by) <= 1
}

/// The points one, two, ... steps away from a stone's ren: a step leads to a neighbour, and with a stone to its whole ren.
fn rings(board: &Board, start: Point) -> [PointSet; FARTHEST] {
    let mut seen = PointSet::new();
    let mut edge: Vec<Point> = Vec::with_capacity(board.coordinate().board_area());
    edge.extend(board.ren_points(start).filter(|&p| seen.insert(p)));
    let mut from = 0;
    std::array::from_fn(|_| {
        let mut ring = PointSet::new();
        let to = edge.len();
        while from < to {
            let Some(&point) = edge.get(from) else { break };
            from += 1;
            for neighbor in board.coordinate().neighbors(point) {
                if board.stone(neighbor) == Stone::Wall || seen.contains(neighbor) {
                    continue;
                }
                for p in board.ren_points(neighbor) {
                    seen.insert(p);
                    ring.insert(p);
                    edge.push(p);
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
    fn every_sensible_move_has_one() {
        let board = board(&[".x.x.", "xxxxx", "ooooo", ".o.o.", "oo..o"]);
        let mut out = Vec::new();
        priors(&board, Color::White, [None, None], &Params::default(), &mut out);
        let moves: Vec<String> = out.iter().map(|prior| prior.play.vertex(board.coordinate())).collect();
        assert_eq!(moves, ["C4", "C5", "D5", "pass"]);
    }

    #[test]
    fn taking_and_saving_are_good_and_giving_away_is_bad() {
        let atari = board(&[".xx..", "xoo..", ".xx..", "....."]);
        assert!(value(&atari, Color::Black, None, "D2").unwrap() > 0.7);
        assert!(value(&atari, Color::White, None, "D2").unwrap() > 0.7);
        assert_eq!(value(&atari, Color::White, None, "E4"), Some(0.5));
        let gift = board(&["x..o..", "oooo..", "xxxx..", "......"]);
        assert!(value(&gift, Color::Black, None, "B1").unwrap() < 0.4);
    }

    #[test]
    fn the_neighbourhood_of_the_last_move_and_the_lines() {
        let board = Board::new(Coordinate::square(13).unwrap());
        let empty = |vertex| value(&board, Color::Black, None, vertex).unwrap();
        assert!(empty("G1") < empty("G2") && empty("G2") < empty("G6") && empty("G6") < empty("G3"));
        let mut next = board.clone();
        next.play_legal(Color::Black, board.coordinate().parse_vertex("G7").unwrap(), &mut ());
        let near = |vertex| value(&next, Color::White, Some("G7"), vertex).unwrap();
        assert!(near("G8") > near("H8") && near("H8") > near("H9"));
    }
}

//! Reinforcements that only a search finds: moves that a player needs in an own region, because the opponent, who moves
//! first there, gains something.
//!
//! The static value of an ended game counts every region for the colour around it. A search tests this region by
//! region. All other large regions are filled with stones of their owners, with two eyes left in each, so that nothing
//! is to be gained in them and playouts are short. Then the opponent moves first, in a tree search ([`Searcher`]) under
//! area scoring: there an answer inside of the region costs nothing. The komi is such that the opponent wins with two
//! points more than the static value.

use crate::kernel::{Board, Color, GameRule, Point, PointSet, Position, Scoring, Stone};
use crate::player::ending::end_board::{Enclosure, EndBoard};
use crate::player::status::seed;
use crate::search::params::Params;
use crate::search::{Limits, SearchRequest, Searcher, StopSignal};

/// Regions up to this number of points stay open in every search: eyes depend on each other.
const SMALL_REGION: usize = 6;

/// The number of eyes that make a filled region safe.
const EYE_COUNT: usize = 2;

/// Points by which the attacker has to exceed the static value; half a point less is the komi.
const MIN_GAIN_POINTS: f64 = 2.0;

/// A region needs a reinforcement if the opponent, who moves first, gains with at least this probability. Where there is
/// nothing to gain, blunders in playouts leave the opponent up to 0.8.
const MIN_GAIN_PROBABILITY: f32 = 0.88;

/// The owner's move is a reinforcement if the opponent gains with at most this probability after it.
const MAX_GAIN_AFTER_DEFENCE: f32 = 0.5;

/// Playouts of the stages of a search, each with the range of the attacker's win probability in which the next follows.
type SearchStage = (u64, std::ops::Range<f32>);

/// Stages of the searches with the attacker to move.
const ATTACK: [SearchStage; 5] =
    [(300, 0.25..1.0), (700, 0.5..1.0), (1500, 0.6..0.95), (2500, 0.6..MIN_GAIN_PROBABILITY), (5000, 0.0..0.0)];

/// Stages of the searches with the owner to move.
const DEFENCE: [SearchStage; 2] = [(1000, 0.3..1.0), (1500, 0.0..0.0)];

/// Playouts of all searches for one score, about.
const MAX_PLAYOUTS: u64 = 60_000;

/// Memory of a search tree in bytes.
const TREE_BYTES: usize = 4 << 20;

/// Searches for reinforcements; counts the playouts of one score.
pub(super) struct RegionSearch {
    playouts_left: u64,
}

/// The result of a search in a region.
struct Verdict {
    /// The probability that the attacker gains [`MIN_GAIN_POINTS`] points.
    gain_probability: f32,
    /// The best move; `None` for a pass.
    play: Option<Point>,
}

impl RegionSearch {
    pub(super) const fn new() -> RegionSearch {
        RegionSearch { playouts_left: MAX_PLAYOUTS }
    }

    /// A move that its colour needs at the end of a game, when all dame are filled.
    pub(super) fn reinforcement(&mut self, end: &EndBoard) -> Option<(Color, Point)> {
        let all = end.enclosures();
        let is_large = |region: &&Enclosure| region.points.len() > SMALL_REGION;
        let large = all.iter().filter(is_large).map(|region| (region.owner, Some(region)));
        // small regions are part of every search; a player who has no others gets one search for them
        let has_small_only = |&color: &Color| {
            all.iter().any(|region| region.owner == color) && !all.iter().any(|r| r.owner == color && is_large(&r))
        };
        let small = Color::BOTH.into_iter().filter(has_small_only).map(|color| (color, None));
        let boards: Vec<(Color, Board)> =
            (large.chain(small)).filter_map(|(owner, open)| Some((owner, settled_but_for(end, &all, open)?))).collect();
        boards.iter().find_map(|(owner, board)| {
            let attack = self.search(end, board, owner.opponent(), owner.opponent(), &ATTACK)?;
            if attack.gain_probability < MIN_GAIN_PROBABILITY {
                return None;
            }
            let defence = self.search(end, board, *owner, owner.opponent(), &DEFENCE)?;
            let is_legal = |&point: &Point| end.board.check(*owner, point).is_ok();
            let point = defence.play.filter(is_legal).filter(|_| defence.gain_probability <= MAX_GAIN_AFTER_DEFENCE)?;
            Some((*owner, point))
        })
    }

    /// Searches a board with `player` to move for the gain of `attacker`. `None` if the playouts are used up.
    fn search(
        &mut self,
        end: &EndBoard,
        board: &Board,
        player: Color,
        attacker: Color,
        stages: &[SearchStage],
    ) -> Option<Verdict> {
        let dead: PointSet = end.dead.iter().filter(|&p| board.stone(p) == end.board.stone(p)).collect();
        let settled = EndBoard { board: board.clone(), dead, ..end.clone() };
        let value = f64::from(settled.estimate(Scoring::Area, &[]).value);
        let mut position = Position::new(board.coordinate(), GameRule::with_komi(0.0), 0, player);
        position.set_up(board.stones()).ok()?;
        let mut searcher = Searcher::new(TREE_BYTES, seed(board, player));
        let mut verdict = None;
        for (playouts, open) in stages {
            self.playouts_left = self.playouts_left.checked_sub(*playouts)?;
            let result = searcher.search(&SearchRequest {
                extra_komi: value + (MIN_GAIN_POINTS - 0.5) * f64::from(attacker.sign()),
                ..SearchRequest::new(
                    &position,
                    player,
                    Limits::playouts(*playouts),
                    &Params::default(),
                    &StopSignal::default(),
                )
            });
            let best = result.best()?;
            let gain_probability = if player == attacker { best.value } else { 1.0 - best.value };
            verdict = Some(Verdict { gain_probability, play: best.play.point() });
            if !open.contains(&gain_probability) {
                break;
            }
        }
        verdict
    }
}

/// The board with all large regions but `open` filled by their owners.
fn settled_but_for(end: &EndBoard, all: &[Enclosure], open: Option<&Enclosure>) -> Option<Board> {
    let coordinate = end.board.coordinate();
    let mut stones = end.board.stones().to_vec();
    let is_open = |other: &Enclosure| open.is_some_and(|open| std::ptr::eq(open, other));
    let others = all.iter().filter(|other| !is_open(other) && other.points.len() > SMALL_REGION);
    for (owner, points, eyes) in others.filter_map(|other| Some((other.owner, &other.points, eyes(end, other)?))) {
        for point in points {
            let cell = stones.get_mut(point.index())?;
            *cell = if eyes.contains(point) { Stone::Space } else { owner.stone() };
        }
    }
    Board::from_stones(coordinate, &stones).ok()
}

/// Points of a region for two eyes, if the rest of it is filled by its owner; `None` if it has no room for them.
fn eyes(end: &EndBoard, region: &Enclosure) -> Option<[Point; EYE_COUNT]> {
    let coordinate = end.board.coordinate();
    let inside: PointSet = region.points.iter().copied().collect();
    let is_owned = |p: Point| inside.contains(p) || end.living(p) == Some(region.owner) || !coordinate.contains(p);
    let mut enclosed = region.points.iter().copied().filter(|&p| coordinate.neighbors(p).into_iter().all(is_owned));
    let first = enclosed.next()?;
    let second = enclosed.find(|&p| !coordinate.neighbors(p).contains(&first))?;
    Some([first, second])
}

//! Reinforcements that only a search finds: moves that a player needs in an own region, because the opponent, who moves
//! first there, gains something.
//!
//! The static value of an ended game counts every region for the colour around it. A search tests this region by
//! region. All other large regions are filled with stones of their owners, with two eyes left in each, so that nothing
//! is to be gained in them and playouts are short. Then the opponent moves first, in a tree search ([`Searcher`]) under
//! area scoring: there an answer inside of the region costs nothing. The komi is such that the opponent wins with two
//! points more than the static value, or with more where two points cannot be prevented by one move.

use crate::kernel::{Board, Color, GameRule, Point, PointSet, Position, Scoring, Stone};
use crate::player::ending::status_board::{Enclosure, StatusBoard};
use crate::player::fixed_search::{FixedSearch, SearchStage, StagedResult, UserInterrupt, search_in_stages, seed};
use crate::search::Searcher;

/// Regions up to this number of points stay open in every search: eyes depend on each other.
const SMALL_REGION: usize = 6;

/// The number of eyes that make a filled region safe.
const EYE_COUNT: usize = 2;

/// Points by which the attacker has to exceed the static value; half a point less is the komi. A reinforcement costs one
/// point, so that a smaller gain calls for none. Against the greater gains a move is searched where none prevents the
/// smaller ones: if there are two weaknesses, the opponent still gains from the lesser one after a move at the greater.
pub(super) const GAINS: [f64; 3] = [2.0, 4.0, 6.0];

/// A region needs a reinforcement if the opponent, who moves first, gains with at least this probability. Where there is
/// nothing to gain, blunders in playouts leave the opponent up to 0.8.
const MIN_GAIN_PROBABILITY: f32 = 0.88;

/// The owner's move is a reinforcement if the opponent gains with at most this probability after it.
const MAX_GAIN_AFTER_DEFENSE: f32 = 0.5;

/// Stages of the searches with the attacker to move, by the attacker's win probability.
const ATTACK: [SearchStage; 5] = [
    SearchStage::new(300, 0.25..1.0),
    SearchStage::new(700, 0.5..1.0),
    SearchStage::new(1500, 0.6..0.95),
    SearchStage::new(2500, 0.6..MIN_GAIN_PROBABILITY),
    SearchStage::last(5000),
];

/// Stages of the searches with the owner to move.
const DEFENSE: [SearchStage; 2] = [SearchStage::new(1000, 0.3..1.0), SearchStage::last(1500)];

/// Playouts of all searches for one score, about.
const MAX_PLAYOUTS: u64 = 60_000;

/// Memory of a search tree in bytes.
const REGION_TREE_BYTES: usize = 4 << 20;

/// Searches for reinforcements; counts the playouts of one score.
pub(super) struct PlayoutReinforcements<'a> {
    playouts_left: u64,
    interrupt: UserInterrupt<'a>,
}

impl<'a> PlayoutReinforcements<'a> {
    pub(super) const fn new(interrupt: UserInterrupt<'a>) -> PlayoutReinforcements<'a> {
        PlayoutReinforcements { playouts_left: MAX_PLAYOUTS, interrupt }
    }

    /// A move that its colour needs at the end of a game, when all dame are filled.
    pub(super) fn reinforcement(&mut self, status_board: &StatusBoard) -> Option<(Color, Point)> {
        let all = status_board.enclosures();
        let is_large = |region: &&Enclosure| region.points.len() > SMALL_REGION;
        let large = all.iter().filter(is_large).map(|region| (region.owner, Some(region)));
        // small regions are part of every search; a player who has no others gets one search for them
        let has_small_only = |&color: &Color| {
            all.iter().any(|region| region.owner == color) && !all.iter().any(|r| r.owner == color && is_large(&r))
        };
        let small = Color::BOTH.into_iter().filter(has_small_only).map(|color| (color, None));
        let boards: Vec<(Color, Board)> = (large.chain(small))
            .filter_map(|(owner, searched)| Some((owner, settled_but_for(status_board, &all, searched)?)))
            .collect();
        boards.iter().find_map(|(owner, board)| Some((*owner, self.reinforcement_of(status_board, board, *owner)?)))
    }

    /// A move that `owner` needs on a board on which the other large regions are filled. It is one against the smallest
    /// of the [`GAINS`] of which a single move deprives the opponent.
    fn reinforcement_of(&mut self, status_board: &StatusBoard, board: &Board, owner: Color) -> Option<Point> {
        let attacker = owner.opponent();
        let value = static_value(status_board, board);
        for gain in GAINS {
            let extra_komi = value + (gain - 0.5) * f64::from(attacker.sign());
            let attack = self.search(board, attacker, attacker, extra_komi, &ATTACK)?;
            if attack.win_probability < MIN_GAIN_PROBABILITY {
                return None;
            }
            let defense = self.search(board, owner, attacker, extra_komi, &DEFENSE)?;
            let is_legal = |&point: &Point| status_board.board.check(owner, point).is_ok();
            if let Some(point) = defense.play.filter(is_legal)
                && defense.win_probability <= MAX_GAIN_AFTER_DEFENSE
            {
                return Some(point);
            }
        }
        None
    }

    /// Searches a board with `player` to move for the probability that `attacker` wins with an extra komi. `None` if the
    /// playouts are used up, and after an interrupt.
    fn search(
        &mut self,
        board: &Board,
        player: Color,
        attacker: Color,
        extra_komi: f64,
        stages: &[SearchStage],
    ) -> Option<StagedResult> {
        let mut position = Position::new(board.coordinate(), GameRule::with_komi(0.0), 0, player);
        position.set_up(board.stones()).ok()?;
        let interrupt = self.interrupt;
        let search = FixedSearch { extra_komi, interrupt, ..FixedSearch::new(&position, player) };
        let mut searcher = Searcher::new(REGION_TREE_BYTES, seed(board, player));
        let stages = stages.iter().cloned();
        search_in_stages(&mut searcher, &search, attacker, stages, &mut self.playouts_left)
            .filter(|last| !last.budget_exhausted)
    }
}

/// Black's area less White's on a board in which large regions are filled.
fn static_value(status_board: &StatusBoard, board: &Board) -> f64 {
    let dead: PointSet = status_board.dead.iter().filter(|&p| board.stone(p) == status_board.board.stone(p)).collect();
    let settled = StatusBoard { board: board.clone(), dead, ..status_board.clone() };
    f64::from(settled.count_points(Scoring::Area, &[]).board_margin)
}

/// The board with all large regions but `searched` filled by their owners.
fn settled_but_for(status_board: &StatusBoard, all: &[Enclosure], searched: Option<&Enclosure>) -> Option<Board> {
    let coordinate = status_board.board.coordinate();
    let mut stones = status_board.board.stones().to_vec();
    let is_searched = |other: &Enclosure| searched.is_some_and(|searched| std::ptr::eq(searched, other));
    let others = all.iter().filter(|other| !is_searched(other) && other.points.len() > SMALL_REGION);
    for (owner, points, eyes) in
        others.filter_map(|other| Some((other.owner, &other.points, eyes(status_board, other)?)))
    {
        for point in points {
            let cell = stones.get_mut(point.index())?;
            *cell = if eyes.contains(point) { Stone::Space } else { owner.stone() };
        }
    }
    Board::from_stones(coordinate, &stones).ok()
}

/// Points of a region for two eyes, if the rest of it is filled by its owner; `None` if it has no room for them.
fn eyes(status_board: &StatusBoard, region: &Enclosure) -> Option<[Point; EYE_COUNT]> {
    let coordinate = status_board.board.coordinate();
    let inside: PointSet = region.points.iter().copied().collect();
    let is_owned =
        |p: Point| inside.contains(p) || status_board.living(p) == Some(region.owner) || !coordinate.contains(p);
    let mut enclosed = region.points.iter().copied().filter(|&p| coordinate.neighbors(p).into_iter().all(is_owned));
    let first = enclosed.next()?;
    let second = enclosed.find(|&p| !coordinate.neighbors(p).contains(&first))?;
    Some([first, second])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards;

    #[test]
    fn the_greater_of_two_weaknesses_is_mended_first() {
        // White can capture one stone at A2 or two at G2
        let board = test_boards::board(&[".......", ".xx.xx.", "xoxxxox", "oooooox", ".o.o.oo", "ooooo.o"]);
        let coordinate = board.coordinate();
        let mut status_board = StatusBoard::with_all_alive(&board);
        assert!(status_board.dead.is_empty());
        for expected in [Some("G2"), Some("A2"), None] {
            let found = PlayoutReinforcements::new(UserInterrupt::default()).reinforcement(&status_board);
            let vertex = found.map(|(_, point)| coordinate.vertex(point).to_string());
            assert_eq!(vertex.as_deref(), expected);
            if let Some((owner, point)) = found {
                assert_eq!(owner, Color::Black);
                status_board.play(owner, point);
            }
        }
    }
}

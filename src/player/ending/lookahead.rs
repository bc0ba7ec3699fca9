//! Look-ahead in the fill-in: moves that are better than the greedy ones, by the results of greedy play after them.
//!
//! The greedy fill-in values each move on its own. It does not see that a move is forcing, that two moves depend on each
//! other, or who takes the last of several small moves. Two methods try other moves and compare the results of greedy
//! play to the end, the rollouts:
//!
//! - policy improvement by rollouts (G. Tesauro and G. Galperin, On-line Policy Improvement using Monte-Carlo Search,
//!   1996): at each turn the move with the best rollout, if no reply spoils it;
//! - best-first minimax search (R. Korf and D. Chickering, Best-first minimax search, 1996): a tree whose leaves have
//!   the values of their rollouts, always expanded at the end of its principal variation.
//!
//! Both prefer moves after which greedy play goes wrong for the opponent, but not the same ones. So a result counts only
//! if both find the same score, and otherwise that of greedy play.

use crate::kernel::{Color, Move};
use crate::player::ending::fill_in::{Checkpoint, FillIn, greedy_move};

/// Alternatives to the greedy move at a turn, and replies to an alternative, in policy improvement.
const ALTERNATIVES: usize = 8;
const REPLIES: usize = 6;

/// The greatest gain of an alternative in points. A greater one is a mistake of greedy play rather than an endgame move.
const MAX_GAIN: i32 = 3;

/// Expansions of the best-first search, and the moves of a node beside the greedy one and a pass.
const EXPANSIONS: usize = 40;
const BRANCHES: usize = 6;

/// Positions whose moves are ranked in the look-ahead of one score: some seconds. If they do not suffice, greedy play
/// counts.
pub(super) const MAX_RANKED_POSITIONS: usize = 6000;

/// Plays until both players pass, each turn with the move whose rollout is best.
pub(super) fn play_by_rollouts(fill_in: &mut FillIn<'_>, to_move: Color) {
    let limit = fill_in.status_board.board.coordinate().board_area();
    let (mut color, mut passes) = (to_move, 0);
    while passes < 2 && fill_in.moves.len() < limit {
        if fill_in.has_no_rankings_left() {
            return fill_in.play_greedily(color, passes);
        }
        let play = improved_move(fill_in, color, passes);
        passes = fill_in.make_move(color, play, passes);
        color = color.opponent();
    }
}

/// The greedy move, or an alternative that gains at most [`MAX_GAIN`] points by its rollout and is still better after
/// the best reply.
fn improved_move(fill_in: &mut FillIn<'_>, color: Color, passes: usize) -> Move {
    let start = fill_in.checkpoint();
    let alternatives = fill_in.ranked_moves(color);
    let greedy = greedy_move(&alternatives);
    let alternatives: Vec<Move> = alternatives
        .iter()
        .take(ALTERNATIVES)
        .map(|ranked| Move::Play(ranked.point))
        .filter(|&play| play != greedy)
        .collect();
    if alternatives.is_empty() {
        return greedy;
    }
    let value = rollout(fill_in, &start, color, greedy, passes);
    let mut gains = Vec::new();
    for play in alternatives {
        if fill_in.has_no_rankings_left() {
            return greedy;
        }
        gains.push((rollout(fill_in, &start, color, play, passes) - value, play));
    }
    gains.retain(|(gain, _)| (1..=MAX_GAIN).contains(gain));
    gains.sort_by_key(|(gain, _)| -gain);
    let (mut best, mut best_gain) = (greedy, 0);
    for (gain, play) in gains {
        if gain > best_gain {
            let Some(worst) = value_after_reply(fill_in, &start, color, play, passes) else { return greedy };
            let checked = gain.min(worst - value);
            if checked > best_gain {
                (best, best_gain) = (play, checked);
            }
        }
    }
    best
}

/// The points of `color` if it makes a move at `start` and both play greedily to the end.
fn rollout(fill_in: &mut FillIn<'_>, start: &Checkpoint, color: Color, play: Move, passes: usize) -> i32 {
    let passes = fill_in.make_move(color, play, passes);
    fill_in.play_greedily(color.opponent(), passes);
    let value = fill_in.board_margin() * i32::from(color.sign());
    fill_in.restore(start);
    value
}

/// The points of `color` if it makes a move at `start`, the opponent replies with the best rollout, and both play
/// greedily to the end; `None` if no rankings are left.
fn value_after_reply(
    fill_in: &mut FillIn<'_>,
    start: &Checkpoint,
    color: Color,
    play: Move,
    passes: usize,
) -> Option<i32> {
    let passes = fill_in.make_move(color, play, passes);
    let after = fill_in.checkpoint();
    let replies = fill_in.ranked_moves(color.opponent());
    let moves = replies.iter().take(REPLIES).map(|reply| Move::Play(reply.point));
    let mut worst: Option<i32> = None;
    for reply in moves.chain([Move::Pass]) {
        if fill_in.has_no_rankings_left() {
            worst = None;
            break;
        }
        let value = -rollout(fill_in, &after, color.opponent(), reply, passes);
        worst = Some(worst.map_or(value, |worst| worst.min(value)));
    }
    fill_in.restore(start);
    worst
}

/// A node of the best-first search.
struct Node {
    state: Checkpoint,
    to_move: Color,
    /// Passes in a row before it.
    passes: usize,
    /// Black's points by the rollout from here, or by minimax over the children.
    value: i32,
    /// The nodes after the greedy move, some others, and a pass. The greedy move is first, so that it is preferred to
    /// others of the same value. A leaf has none.
    children: Vec<Node>,
}

/// Plays until both players pass, first the principal variation of a best-first search, then greedily.
pub(super) fn play_best_first(fill_in: &mut FillIn<'_>, to_move: Color) {
    let state = fill_in.checkpoint();
    fill_in.play_greedily(to_move, 0);
    let value = fill_in.board_margin();
    let mut root = Node { state, to_move, passes: 0, value, children: Vec::new() };
    for _ in 0..EXPANSIONS {
        if fill_in.has_no_rankings_left() || !root.expand_principal_leaf(fill_in) {
            break;
        }
    }
    let leaf = root.principal_leaf();
    fill_in.restore(&leaf.state);
    fill_in.play_greedily(leaf.to_move, leaf.passes);
}

impl Node {
    /// The child with the best value for the player to move.
    fn best_child(&self) -> Option<usize> {
        let value = |index: &usize| self.children.get(*index).map(|child| child.value * i32::from(self.to_move.sign()));
        // of equal values the first, while `max_by_key` takes the last
        (0..self.children.len()).rev().max_by_key(value)
    }

    /// The end of the principal variation.
    fn principal_leaf(&self) -> &Node {
        match self.best_child().and_then(|best| self.children.get(best)) {
            Some(child) => child.principal_leaf(),
            None => self,
        }
    }

    /// Expands the end of the principal variation and updates the values above it; `false` if the game ends there.
    fn expand_principal_leaf(&mut self, fill_in: &mut FillIn<'_>) -> bool {
        let is_expanded = match self.best_child().and_then(|best| self.children.get_mut(best)) {
            Some(child) => child.expand_principal_leaf(fill_in),
            None => self.expand(fill_in),
        };
        if let Some(child) = self.best_child().and_then(|best| self.children.get(best)) {
            self.value = child.value;
        }
        is_expanded
    }

    /// Adds the children of a leaf; `false` if the game ends here.
    fn expand(&mut self, fill_in: &mut FillIn<'_>) -> bool {
        if self.passes >= 2 {
            return false;
        }
        fill_in.restore(&self.state);
        let ranked = fill_in.ranked_moves(self.to_move);
        let greedy = greedy_move(&ranked);
        let others = ranked.iter().map(|ranked| Move::Play(ranked.point)).filter(|&play| play != greedy).take(BRANCHES);
        let pass = (greedy != Move::Pass).then_some(Move::Pass);
        for play in std::iter::once(greedy).chain(others).chain(pass) {
            if fill_in.has_no_rankings_left() {
                break;
            }
            fill_in.restore(&self.state);
            let passes = fill_in.make_move(self.to_move, play, self.passes);
            let state = fill_in.checkpoint();
            let value = if play == greedy {
                self.value
            } else {
                fill_in.play_greedily(self.to_move.opponent(), passes);
                fill_in.board_margin()
            };
            let child = Node { state, to_move: self.to_move.opponent(), passes, value, children: Vec::new() };
            self.children.push(child);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{PointSet, Position, test_boards};
    use crate::player::ending::{Reading, fill_in_end};
    use crate::player::fixed_search::UserInterrupt;
    use crate::player::status::{classify_stones, status_by_katago_or_playouts};

    /// The end of a game of 1971 whose players counted one point more for Black than greedy play: Black G6 first is
    /// forcing. Rank 1 is the first row.
    const FORCING_MOVE_FIRST: &str = "
        . . . . . . . . . o x x . . . . . . .
        . . . . . . . . o o o x . . . . . . .
        . . . o o o o o . o x x . . . x . . .
        . . o o x o x o o x x o . . . . x . .
        . x o x x x x x x x . . . x . o x x x
        o o x x . x . . . o x . . o x x o o x
        o x x x x x o . o . x o . . x o o . o
        o x . o o o . o . o o x o x o o o . .
        o o o o x o o . o o x x x x x o . o .
        x o . x x x o . o x . x . o o . o . .
        x x x . x . x o . x x . x x o . . . .
        x . . . . x x o o o x x . x o . . . .
        . x o . x o x x x o o o o o o o o o o
        . . x x . o o o x . . . x x x o x o x
        . x x o o . o x x x o . x . . x x x x
        . x o x o o o x o o . o o x . x . . .
        x x o x o x x x o . o o x x x . . . .
        x x o . o o o x x o . o o x x . . . .
        o o o . . . o o x o . o x x . . . . .
    ";

    /// A drawn board under territory scoring.
    fn position(drawn: &str) -> Position {
        test_boards::position(&[drawn], "japanese", 5.5, Color::Black)
    }

    #[test]
    fn a_forcing_move_comes_before_a_move_of_the_same_value() {
        let position = position(FORCING_MOVE_FIRST);
        let board = position.board();
        let status = status_by_katago_or_playouts(&position, None);
        let first_move = |reading| {
            let filled = fill_in_end(&position, &status, reading, None, UserInterrupt::default());
            filled.moves.first().map(|&(_, point)| board.coordinate().vertex(point).to_string())
        };
        assert_eq!(first_move(Reading::Ladders).as_deref(), Some("K14"));
        assert_eq!(first_move(Reading::LookAhead).as_deref(), Some("G6"));
    }

    /// A move after which the opponent has nothing to play is judged alike for both players.
    #[test]
    fn colours_are_treated_alike() {
        let drawn = ". x . o .\nx x . o o\n. x . o .\nx x . o o\n. x . o .\n. x x o .";
        let swap = |cell: char| match cell {
            'x' => 'o',
            'o' => 'x',
            _ => cell,
        };
        let swapped: String = drawn.chars().map(swap).collect();
        let margin = |drawn: &str, color: Color, captured: [u32; 2]| {
            let position = position(drawn);
            let status = classify_stones(position.board(), color, 400);
            let mut fill_in = FillIn::new(&position, &status, &PointSet::new());
            fill_in.status_board.captured = captured;
            play_by_rollouts(&mut fill_in, color);
            fill_in.board_margin()
        };
        // the player to move is ahead, then behind
        for points in [[9, 0], [0, 9]] {
            let [own, other] = points;
            assert_eq!(margin(drawn, Color::Black, [own, other]), -margin(&swapped, Color::White, [other, own]));
        }
    }

    #[test]
    fn without_rankings_left_play_is_greedy() {
        let position = position(FORCING_MOVE_FIRST);
        let status = classify_stones(position.board(), Color::Black, 400);
        let moves = |rankings_left: usize, play: &dyn Fn(&mut FillIn<'_>)| {
            let mut fill_in = FillIn::new(&position, &status, &PointSet::new());
            fill_in.rankings_left = rankings_left;
            play(&mut fill_in);
            fill_in.moves
        };
        let greedy = moves(usize::MAX, &|fill_in| fill_in.play_greedily(Color::Black, 0));
        assert_eq!(moves(1, &|fill_in| play_by_rollouts(fill_in, Color::Black)), greedy);
        assert_eq!(moves(1, &|fill_in| play_best_first(fill_in, Color::Black)), greedy);
    }

    /// The best-first search prefers the greedy move to others of the same value, so it plays a position without a
    /// better move like the greedy fill-in.
    #[test]
    fn without_a_better_move_play_is_greedy() {
        let position = position(". x . o .\nx x . o o\n. x . o .\nx x . o o\n. x . o .");
        let status = classify_stones(position.board(), Color::Black, 400);
        let moves = |play: &dyn Fn(&mut FillIn<'_>)| {
            let mut fill_in = FillIn::new(&position, &status, &PointSet::new());
            play(&mut fill_in);
            fill_in.moves
        };
        let greedy = moves(&|fill_in| fill_in.play_greedily(Color::Black, 0));
        assert!(!greedy.is_empty());
        assert_eq!(moves(&|fill_in| play_by_rollouts(fill_in, Color::Black)), greedy);
        assert_eq!(moves(&|fill_in| play_best_first(fill_in, Color::Black)), greedy);
    }
}

//! Reinforcements that a net finds: moves that a player needs when all dame are filled, because the opponent, who moves
//! first then, gains something.
//!
//! [`RegionSearch`](super::region_search) looks for the same with playouts, region by region. A net with a score head
//! judges the whole board at once, under the rules of the game, and sees more. Of 600 ends of professional games that were
//! filled in without it, the built-in net finds a gain at 34. In 25 of them a reinforcement brings the count nearer to the
//! result of the record, in 9 farther from it.

use std::ops::RangeInclusive;

use crate::kernel::{Color, GameRule, Move, Point, Position};
use crate::net::Net;
use crate::player::ending::endgame_net_search::EndgameNetSearch;
use crate::player::ending::region_search::GAINS;
use crate::player::ending::status_board::StatusBoard;
use crate::player::fixed_search::seed;

/// The first stages of a search for an attack: the visits of the root, and the win probabilities of the attacker with
/// which the search goes on.
const ATTACK_STAGES: [(u64, RangeInclusive<f32>); 2] = [(30, 0.02..=0.95), (100, 0.05..=0.95)];

/// The same for a search for a defense, by the owner. Without prospects it ends early; a refutation may come late.
const DEFENSE_STAGES: [(u64, RangeInclusive<f32>); 2] = [(30, 0.02..=1.0), (100, 0.05..=1.0)];

/// Visits of the root after the last stage.
const MAX_VISITS: u64 = 200;

/// A move attains its aim with at least this win probability.
const MIN_WIN_PROBABILITY: f32 = 0.5;

/// Searches by a net with a score head for reinforcements, under the rules of a game.
pub(super) struct AttackSearch<'a> {
    net: &'a Net,
    rule: GameRule,
}

impl<'a> AttackSearch<'a> {
    pub(super) const fn new(net: &'a Net, rule: GameRule) -> AttackSearch<'a> {
        AttackSearch { net, rule }
    }

    /// A move that its colour needs at the end of a game, when all dame are filled.
    pub(super) fn reinforcement(&self, status_board: &StatusBoard) -> Option<(Color, Point)> {
        Color::BOTH.into_iter().find_map(|owner| Some((owner, self.reinforcement_of(status_board, owner)?)))
    }

    /// A move that `owner` needs, against the smallest of the [`GAINS`] that a single move prevents.
    fn reinforcement_of(&self, status_board: &StatusBoard, owner: Color) -> Option<Point> {
        for gain in GAINS {
            if !self.can_gain(status_board, owner.opponent(), gain) {
                return None;
            }
            if let Some(point) = self.defense(status_board, owner, gain) {
                return Some(point);
            }
        }
        None
    }

    /// Whether the attacker gains this number of points by moving first.
    fn can_gain(&self, status_board: &StatusBoard, attacker: Color, gain: f64) -> bool {
        self.best_move(status_board, attacker, attacker, gain, &ATTACK_STAGES).is_some()
    }

    /// The owner's best move, if the opponent does not gain this number of points after it.
    fn defense(&self, status_board: &StatusBoard, owner: Color, gain: f64) -> Option<Point> {
        self.best_move(status_board, owner, owner.opponent(), gain, &DEFENSE_STAGES)?.point()
    }

    /// The best move of `player`, who has the move, if it attains the aim: for the attacker to gain this number of points,
    /// for the owner to prevent that.
    fn best_move(
        &self,
        status_board: &StatusBoard,
        player: Color,
        attacker: Color,
        gain: f64,
        stages: &[(u64, RangeInclusive<f32>)],
    ) -> Option<Move> {
        let (mut search, position) = self.set_up_search(status_board, player, attacker, gain)?;
        let mut best = |visits| search.search(&position, visits).best().map(|best| (best.play, best.win_probability));
        let is_decided = |(visits, undecided): &(u64, RangeInclusive<f32>)| {
            let (play, win_probability) = best(*visits)?;
            (!undecided.contains(&win_probability)).then_some((play, win_probability))
        };
        let (play, win_probability) = stages.iter().find_map(is_decided).or_else(|| best(MAX_VISITS))?;
        (win_probability >= MIN_WIN_PROBABILITY).then_some(play)
    }

    /// A search of the filled board with `player` to move, under a komi with which the attacker wins by gaining this
    /// number of points. `None` if the board cannot be set up.
    fn set_up_search(
        &self,
        status_board: &StatusBoard,
        player: Color,
        attacker: Color,
        gain: f64,
    ) -> Option<(EndgameNetSearch<'a>, Position)> {
        let on_board = StatusBoard { captured: [0; 2], ..status_board.clone() };
        let value = f64::from(on_board.count_points(self.rule.scoring, &[]).board_margin);
        let komi = value + (gain - 0.5) * f64::from(attacker.sign());
        let rule = GameRule { komi, has_button: false, ..self.rule };
        let mut position = Position::new(status_board.board.coordinate(), rule, 0, player);
        position.set_up(status_board.board.stones()).ok()?;
        Some((EndgameNetSearch::new(self.net, seed(&status_board.board, player)), position))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards;

    #[test]
    fn stones_in_atari_are_saved_until_nothing_can_be_gained() {
        // White can capture one stone at A3 or two at J3
        let board = test_boards::board(&[
            ".x.x.x.x.",
            ".x.....x.",
            ".xx...xx.",
            "xoxxxxxox",
            "oooooooox",
            ".o.o.o.oo",
            "ooo.ooo.o",
            ".o.o.o.o.",
            "ooooooooo",
        ]);
        let coordinate = board.coordinate();
        let mut status_board = StatusBoard::with_all_alive(&board);
        let rule = GameRule::with_komi(6.5).with_rule_set("japanese").unwrap();
        let net = Net::built_in().unwrap();
        let search = AttackSearch::new(&net, rule);
        let mut found = Vec::new();
        while let Some((owner, point)) = search.reinforcement(&status_board) {
            assert_eq!(owner, Color::Black);
            status_board.play(owner, point);
            found.push(coordinate.vertex(point).to_string());
        }
        found.sort_unstable();
        assert_eq!(found, ["A3", "J3"]);
    }
}

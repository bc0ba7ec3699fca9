//! Reinforcements that a net finds: moves that a player needs when all dame are filled, because the opponent, who moves
//! first then, gains something.
//!
//! [`RegionSearch`](super::region_search) looks for the same with playouts, region by region. A net with a score head
//! judges the whole board at once, under the rules of the game, and sees more. Of 600 ends of professional games that were
//! filled in without it, the built-in net finds a gain at 34. In 25 of them a reinforcement brings the count nearer to the
//! result of the record, in 9 farther from it.

use crate::kernel::{Color, GameRule, Move, Point, Position};
use crate::net::Net;
use crate::player::ending::endgame_net_search::EndgameNetSearch;
use crate::player::ending::region_search::GAINS;
use crate::player::ending::status_board::StatusBoard;
use crate::player::fixed_search::seed;

/// Visits of a search, and those after which an attack without prospects is given up.
const VISITS: u64 = 200;
const FIRST_VISITS: u64 = 100;

/// The attacker gains nothing if its win probability is lower than this after the first visits.
const MIN_FIRST_WIN_PROBABILITY: f32 = 0.05;

/// The owner needs a reinforcement if the attacker gains with at least this probability, and if a move of the owner
/// prevents that with at least this one.
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
        let Some((mut search, position)) = self.set_up_search(status_board, attacker, attacker, gain) else {
            return false;
        };
        let stages = [(FIRST_VISITS, MIN_FIRST_WIN_PROBABILITY), (VISITS, MIN_WIN_PROBABILITY)];
        stages.into_iter().all(|(visits, min_win_probability)| {
            best_move(&mut search, &position, visits)
                .is_some_and(|(_, win_probability)| win_probability >= min_win_probability)
        })
    }

    /// The owner's best move, if the opponent does not gain this number of points after it.
    fn defense(&self, status_board: &StatusBoard, owner: Color, gain: f64) -> Option<Point> {
        let (mut search, position) = self.set_up_search(status_board, owner, owner.opponent(), gain)?;
        let (defense, win_probability) = best_move(&mut search, &position, VISITS)?;
        defense.point().filter(|_| win_probability >= MIN_WIN_PROBABILITY)
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

/// The best move of the player to move, with its win probability, when the root has this number of visits.
fn best_move(search: &mut EndgameNetSearch<'_>, position: &Position, visits: u64) -> Option<(Move, f32)> {
    search.search(position, visits).best().map(|best| (best.play, best.win_probability))
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

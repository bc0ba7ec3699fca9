//! Reinforcements that a net finds: moves that a player needs when all dame are filled, because the opponent, who moves
//! first then, gains something.
//!
//! [`PlayoutReinforcements`](super::playout_reinforcements) looks for the same with playouts, region by region. A net
//! with a score head judges the whole board at once, under the rules of the game, and sees more. Of 600 ends of
//! professional games that were filled in without it, searches of 200 visits by the built-in net find a gain at 34. In
//! 25 of them a reinforcement brings the count nearer to the result of the record, in 9 farther from it.

use crate::kernel::{Color, GameRule, Point, Position};
use crate::net::Net;
use crate::player::ending::endgame_net_search::GRAPH_BYTES;
use crate::player::ending::playout_reinforcements::GAINS;
use crate::player::ending::status_board::StatusBoard;
use crate::player::fixed_search::{FixedSearch, SearchStage, StagedResult, UserInterrupt, search_in_stages, seed};
use crate::search::Searcher;

/// Stages of a search for an attack, in simulations, by the attacker's win probability.
const ATTACK: [SearchStage; 3] =
    [SearchStage::new(30, 0.02..0.95), SearchStage::new(70, 0.05..0.95), SearchStage::last(100)];

/// Stages of a search for a defense, in simulations, by the owner's win probability. It ends early only if it fails: a
/// refutation may come late.
const DEFENSE: [SearchStage; 3] =
    [SearchStage::new(30, 0.02..f32::INFINITY), SearchStage::new(70, 0.05..f32::INFINITY), SearchStage::last(100)];

/// A move attains its aim with at least this win probability.
const MIN_WIN_PROBABILITY: f32 = 0.5;

/// Simulations of all searches for the reinforcements of one player in one fill-in.
const MAX_SIMULATIONS: u64 = 1000;

/// Searches by a net with a score head for reinforcements, under the rules of a game; counts the simulations of one
/// fill-in.
pub(super) struct NetReinforcements<'a> {
    net: &'a Net,
    rule: GameRule,
    /// For the reinforcements of Black and of White.
    simulations_left: [u64; 2],
    interrupt: UserInterrupt<'a>,
}

impl<'a> NetReinforcements<'a> {
    pub(super) const fn new(net: &'a Net, rule: GameRule, interrupt: UserInterrupt<'a>) -> NetReinforcements<'a> {
        NetReinforcements { net, rule, simulations_left: [MAX_SIMULATIONS; 2], interrupt }
    }

    /// A move that its colour needs at the end of a game, when all dame are filled.
    pub(super) fn reinforcement(&mut self, status_board: &StatusBoard) -> Option<(Color, Point)> {
        Color::BOTH.into_iter().find_map(|owner| Some((owner, self.reinforcement_of(status_board, owner)?)))
    }

    /// A move that `owner` needs, against the smallest of the [`GAINS`] that a single move prevents.
    fn reinforcement_of(&mut self, status_board: &StatusBoard, owner: Color) -> Option<Point> {
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
    fn can_gain(&mut self, status_board: &StatusBoard, attacker: Color, gain: f64) -> bool {
        self.search(status_board, attacker, attacker, gain, &ATTACK).is_some()
    }

    /// The owner's best move, if the opponent does not gain this number of points after it.
    fn defense(&mut self, status_board: &StatusBoard, owner: Color, gain: f64) -> Option<Point> {
        self.search(status_board, owner, owner.opponent(), gain, &DEFENSE)?.play
    }

    /// Searches the filled board with `player` to move, under a komi with which the attacker wins by gaining this number of
    /// points. `None` if `player` does not win, if the simulations are used up, and after an interrupt.
    fn search(
        &mut self,
        status_board: &StatusBoard,
        player: Color,
        attacker: Color,
        gain: f64,
        stages: &[SearchStage],
    ) -> Option<StagedResult> {
        let on_board = StatusBoard { captured: [0; 2], ..status_board.clone() };
        let value = f64::from(on_board.count_points(self.rule.scoring, &[]).board_margin);
        let komi = value + (gain - 0.5) * f64::from(attacker.sign());
        let rule = GameRule { komi, has_button: false, ..self.rule };
        let mut position = Position::new(status_board.board.coordinate(), rule, 0, player);
        position.set_up(status_board.board.stones()).ok()?;
        let search =
            FixedSearch { net: Some(self.net), interrupt: self.interrupt, ..FixedSearch::new(&position, player) };
        let mut searcher = Searcher::new(GRAPH_BYTES, seed(&status_board.board, player));
        let stages = stages.iter().cloned();
        let simulations_left = &mut self.simulations_left[attacker.opponent().index()];
        search_in_stages(&mut searcher, &search, player, stages, simulations_left)
            .filter(|last| !last.budget_exhausted && last.win_probability >= MIN_WIN_PROBABILITY)
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
        let mut search = NetReinforcements::new(&net, rule, UserInterrupt::default());
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

//! Playouts beside a net: the evaluation by a small net is averaged with the results of random games.
//!
//! A small net evaluates shape but misses tactics; playouts read tactics but miss shape. Their errors differ, so the
//! mean of both has a smaller error than either. Source: D. Silver and others, "Mastering the game of Go with deep
//! neural networks and tree search", 2016. The fuller the board, the shorter and the more exact the playouts: their
//! weight grows with the number of stones.

use fastrand::Rng;

use crate::kernel::Board;
use crate::net::Output;
use crate::net::game::Game;
use crate::playout::heavy::{PlayoutPolicy, play_out};
use crate::playout::light::owner;
use crate::search::tax::tax_difference;

/// Stones for each point of the board up to which playouts have no weight, and from which on they have their full one.
/// Between these their weight is linear. Source: in 3,200 positions of games on 9x9 and 19x19, the weight of 64
/// playouts beside the built-in net for which the win probability was nearest to that of a net of KataGo. It was at most
/// 0.05 below 0.45 stones a point, then 0.15 at 0.5, 0.25 at 0.63, and 0.33 (9x9) and 0.57 (19x19) at 0.8.
const NO_WEIGHT_UNTIL: f32 = 0.35;
const FULL_WEIGHT_FROM: f32 = 0.85;

/// Playouts from the leaves of a search.
pub(super) struct Playouts {
    policy: PlayoutPolicy,
    /// Playouts from each leaf.
    count: u32,
    /// Their share in the result on a full board, from 0 to 1.
    full_weight: f32,
}

impl Playouts {
    /// `count` playouts from each leaf, with this share in the result on a full board.
    pub(super) fn new(policy: PlayoutPolicy, count: u32, full_weight: f64) -> Playouts {
        Playouts { policy, count, full_weight: full_weight as f32 }
    }

    /// The share of playouts from a board in the result, from 0 to 1.
    fn weight(&self, board: &Board) -> f32 {
        let area = board.coordinate().board_area();
        let filled = 1.0 - board.empty_points().len() as f32 / area.max(1) as f32;
        self.full_weight * ((filled - NO_WEIGHT_UNTIL) / (FULL_WEIGHT_FROM - NO_WEIGHT_UNTIL)).clamp(0.0, 1.0)
    }

    /// An output for a game's position, mixed with the results of playouts from it: win probability, lead, score and
    /// ownership. Policy and the deviation of the score remain the net's. `None` if playouts have no weight there.
    pub(super) fn mixed(&self, output: &Output, game: &Game, rng: &mut Rng) -> Option<Output> {
        let weight = self.weight(game.board());
        if weight <= 0.0 {
            return None;
        }
        let (to_move, coordinate) = (game.to_move(), game.board().coordinate());
        let sign = f32::from(to_move.sign());
        let mut recent = game.recent_moves().iter().map(|play| play.point());
        let recent = [(); 2].map(|()| recent.next().flatten());
        let (mut wins, mut leads) = (0.0, 0.0);
        let mut owners = vec![0.0; output.ownership.len()];
        let mut board = Board::new(coordinate);
        let mut moves = Vec::new();
        for _ in 0..self.count {
            board.clone_from(game.board());
            moves.clear();
            play_out(&mut board, to_move, recent, &self.policy, rng, &mut moves);
            let mut margin = 0.0;
            for (point, sum) in coordinate.points_from_last_rank().zip(&mut owners) {
                let owned = owner(&board, point).map_or(0.0, |color| sign * f32::from(color.sign()));
                *sum += owned;
                margin += owned;
            }
            let black_extra =
                game.button_lead(&moves) - game.white_bonus() - f64::from(tax_difference(&board, game.rule()));
            let lead = margin + sign * black_extra as f32;
            leads += lead;
            wins += if lead == 0.0 { 0.5 } else { f32::from(u8::from(lead > 0.0)) };
        }
        let share = 1.0 / self.count.max(1) as f32;
        let mix = |net_value: f32, sum: f32| net_value + weight * (sum * share - net_value);
        Some(Output {
            win: mix(output.win, wins),
            loss: mix(output.loss, self.count as f32 - wins),
            score_mean: mix(output.score_mean, leads),
            lead: mix(output.lead, leads),
            ownership: output.ownership.iter().zip(owners).map(|(&owner, sum)| mix(owner, sum)).collect(),
            ..output.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position, Stone, played, test_boards};
    use crate::playout::heavy::StepProbabilities;

    /// Eight playouts from a leaf, with half of the weight on a full board.
    fn playouts() -> Playouts {
        Playouts::new(PlayoutPolicy::new(&StepProbabilities::DEFAULT), 8, 0.5)
    }

    #[test]
    fn playouts_take_their_share_for_the_side_to_move() {
        // Black has everything but a corner in which White cannot live
        let start = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let moves = "C3 A1 C2 pass B3 pass D3 pass C4 pass C5 pass D4 pass D2 pass C1 pass B4 pass E4 pass E2 pass A3";
        let position = played(start, moves);
        let net_output = Output { win: 0.5, loss: 0.5, ownership: vec![0.0; 25], ..Output::default() };
        let playouts = playouts();
        let share = playouts.weight(position.board());
        assert!(share > 0.1, "{share}");
        for (color, sign) in [(Color::White, -1.0), (Color::Black, 1.0)] {
            let mixed = playouts.mixed(&net_output, &Game::new(&position, color), &mut Rng::with_seed(1)).unwrap();
            assert!((mixed.win - (0.5 + 0.5 * share * sign)).abs() < 0.02, "{color}: {}", mixed.win);
            assert!((mixed.win + mixed.loss - 1.0).abs() < 1e-6);
            assert!((mixed.lead - 24.5 * share * sign).abs() < 1.0, "{color}: {}", mixed.lead);
            assert!(mixed.ownership.iter().sum::<f32>() * sign > 24.0 * share);
        }
    }

    /// A group tax takes two points for each group, and the button gives half a point for the first pass.
    #[test]
    fn taxes_and_the_button_count_in_playouts() {
        let lead = |rules: &str| {
            let rows = [".xo.ox.", "xxoooxx", ".xo.ox.", "xxoooxx", ".xo.ox."];
            let mut position = test_boards::position(&rows, rules, 0.0, Color::White);
            position.set_to_move(Color::White);
            let output = Output { ownership: vec![0.0; 35], ..Output::default() };
            let playouts = Playouts::new(PlayoutPolicy::new(&StepProbabilities::DEFAULT), 8, 1.0);
            let mixed = playouts.mixed(&output, &Game::new(&position, Color::White), &mut Rng::with_seed(1));
            -mixed.unwrap().lead / playouts.weight(position.board())
        };
        // Black has two groups and White one; White's pass is the first
        for (rules, expected) in [("chinese", 5.0), ("stone-scoring", 3.0), ("aga-button", 4.5)] {
            assert!((lead(rules) - expected).abs() < 1e-3, "{rules}: {}", lead(rules));
        }
    }

    #[test]
    fn the_weight_of_playouts_grows_with_the_stones() {
        let coordinate = Coordinate::square(5).unwrap();
        let weight = |stones: usize| {
            let cells = Board::new(coordinate).stones_with(coordinate.points().take(stones).map(|p| (p, Stone::Black)));
            let board = Board::from_stones(coordinate, &cells).unwrap();
            playouts().weight(&board)
        };
        assert_eq!([weight(0), weight(8)], [0.0, 0.0]);
        assert!((weight(15) - 0.25).abs() < 1e-6 && (weight(20) - 0.45).abs() < 1e-6, "{} {}", weight(15), weight(20));
        assert_eq!(weight(22), 0.5);
    }

    #[test]
    fn a_leaf_with_few_stones_has_no_playouts() {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let game = Game::new(&position, Color::Black);
        assert!(playouts().mixed(&Output::default(), &game, &mut Rng::with_seed(1)).is_none());
    }
}

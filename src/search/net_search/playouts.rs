//! Playouts beside a net: the evaluation by a small net is averaged with the results of random games.
//!
//! A small net evaluates shape but misses tactics; playouts read tactics but miss shape. Their errors differ, so the
//! mean of both has a smaller error than either. Source: D. Silver and others, "Mastering the game of Go with deep
//! neural networks and tree search", 2016.

use fastrand::Rng;

use crate::kernel::Board;
use crate::net::Output;
use crate::net::katago::game::Game;
use crate::playout::heavy::{PlayoutPolicy, play_out};
use crate::playout::light::owner;

/// Playouts from the leaves of a search.
pub(super) struct Playouts {
    policy: PlayoutPolicy,
    /// Playouts from each leaf.
    count: u32,
    /// Their share in the result, from 0 to 1.
    weight: f32,
}

impl Playouts {
    /// `count` playouts from each leaf, with this share in the result.
    pub(super) fn new(policy: PlayoutPolicy, count: u32, weight: f64) -> Playouts {
        Playouts { policy, count, weight: weight as f32 }
    }

    /// An output for a game's position, mixed with the results of playouts from it: win probability, lead, score and
    /// ownership. Policy and the deviation of the score remain the net's.
    pub(super) fn mixed(&self, output: &Output, game: &Game, rng: &mut Rng) -> Output {
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
            let lead = margin - sign * game.white_bonus() as f32;
            leads += lead;
            wins += if lead == 0.0 { 0.5 } else { f32::from(u8::from(lead > 0.0)) };
        }
        let share = 1.0 / self.count.max(1) as f32;
        let mix = |said: f32, sum: f32| said + self.weight * (sum * share - said);
        Output {
            win: mix(output.win, wins),
            loss: mix(output.loss, self.count as f32 - wins),
            score_mean: mix(output.score_mean, leads),
            lead: mix(output.lead, leads),
            ownership: output.ownership.iter().zip(owners).map(|(&said, sum)| mix(said, sum)).collect(),
            ..output.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position, played};
    use crate::playout::heavy::StepProbabilities;

    #[test]
    fn playouts_take_their_share_for_the_side_to_move() {
        // Black has everything but a corner in which White cannot live
        let start = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let position = played(start, "C3 A1 C2 pass B3 pass D3 pass C4");
        let said = Output { win: 0.5, loss: 0.5, ownership: vec![0.0; 25], ..Output::default() };
        let playouts = Playouts::new(PlayoutPolicy::new(&StepProbabilities::DEFAULT), 8, 0.5);
        for (color, sign) in [(Color::White, -1.0), (Color::Black, 1.0)] {
            let mixed = playouts.mixed(&said, &Game::new(&position, color), &mut Rng::with_seed(1));
            assert!((mixed.win - (0.5 + 0.25 * sign)).abs() < 0.1, "{color}: {}", mixed.win);
            assert!((mixed.win + mixed.loss - 1.0).abs() < 1e-6);
            assert!((mixed.lead - 12.25 * sign).abs() < 2.0, "{color}: {}", mixed.lead);
            assert!(mixed.ownership.iter().sum::<f32>() * sign > 11.0);
        }
    }
}

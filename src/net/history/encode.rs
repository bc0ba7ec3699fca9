//! The features of the position after a history, and the key under which an evaluation of it is kept.

use crate::kernel::hash::splitmix64;
use crate::kernel::{Color, GameRule, Scoring};
use crate::net::history::{BoardHistory, FeatureOptions, HISTORY_MOVES};
use crate::net::katago::features::{FeatureSource, Features};

impl BoardHistory {
    /// The features of the position within a search, without any of the [`FeatureOptions`].
    pub fn features(&self) -> Features {
        self.features_with(&FeatureOptions::default())
    }

    /// The features of the position.
    pub fn features_with(&self, options: &FeatureOptions) -> Features {
        let mut chains = self.chains();
        let is_area = self.rule.scoring == Scoring::Area;
        let area = is_area.then(|| self.area(&chains, self.rule.tax));
        let wins = area.as_ref().is_none_or(|area| {
            let white = area.white_minus_black as f32;
            (if self.to_move == Color::White { white } else { -white }) + self.own_komi() > 0.0
        });
        let pass_ends = self.pass_would_end();
        let hides_end = pass_ends
            && is_area
            && (options.conservative_pass || self.is_pass_friendly() || (options.passing_hacks && !wins));
        let shown = if hides_end {
            0
        } else if self.has_phase_ended {
            1
        } else {
            HISTORY_MOVES
        };
        let banned = self.banned();
        let [first, second] = &self.before;
        Features::new(FeatureSource {
            board: &self.board,
            chains: &mut chains,
            to_move: self.to_move,
            banned: &banned,
            moves: self.moves.get(..shown.min(self.turns)).unwrap_or_default(),
            before: [first.as_board(), second.as_board()],
            area: area.as_ref(),
            rule: &self.rule,
            own_komi: self.own_komi(),
            is_encore: self.is_encore,
            has_button: self.is_button_open,
            pass_ends: pass_ends && !hides_end,
            doubling: options.doubling_advantage,
            legal: self.legal_moves_without(&banned),
        })
    }

    /// A key of what the evaluation of the position depends on, within a search, without any of the [`FeatureOptions`]:
    /// stones, board size, side to move, bans by ko and superko, komi with every bonus, rules, and what a pass would
    /// do. Moves and boards before are left out, so that transpositions share an evaluation.
    pub fn hash(&self) -> u64 {
        self.hash_with(&FeatureOptions::default())
    }

    /// The key for the features with these options.
    pub fn hash_with(&self, options: &FeatureOptions) -> u64 {
        let FeatureOptions { conservative_pass, passing_hacks, doubling_advantage } = *options;
        let GameRule { ko, scoring, tax, suicide, friendly_pass, can_not_put_on_my_eye, .. } = self.rule;
        let pass_ends = self.pass_would_end();
        let flags = [
            self.area_has_suicide() && !suicide,
            self.is_button_open,
            self.to_move == Color::White,
            suicide,
            friendly_pass,
            can_not_put_on_my_eye,
            scoring == Scoring::Territory,
            self.is_encore,
            self.has_phase_ended,
            pass_ends,
            pass_ends && self.is_pass_friendly(),
            pass_ends && conservative_pass,
            pass_ends && passing_hacks,
        ];
        let flags = flags.into_iter().fold(0, |bits, flag| bits << 1 | u64::from(flag));
        let coordinate = self.board.coordinate();
        let size = u64::from(coordinate.width()) << 8 | u64::from(coordinate.height());
        let rules = (ko as u64) << 2 | tax as u64;
        let komi = u64::from(self.own_komi().to_bits()) << 32 | u64::from(doubling_advantage.to_bits());
        let banned = self.banned();
        let bans = banned.iter().fold(0, |sum, point| sum ^ splitmix64(point.index() as u64));
        [flags << 32 | rules << 16 | size, komi, bans]
            .into_iter()
            .fold(self.stones_hash, |hash, word| splitmix64(hash ^ word))
    }
}

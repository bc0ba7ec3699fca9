//! The engine's advice to the person: hints, estimates of the score, and reviews of the person's moves.
//!
//! In a finished game the settled score takes the place of a search's estimate, as `score` shows it.

use crate::kernel::{Color, Move};
use crate::player::level::STRONGEST;
use crate::player::options::processor_count;
use crate::player::review::{
    AnalysisSettings, MoveLoss, PositionAnalysis, analyze_game, apply_final_score, default_visits, move_losses,
    remove_tempo_bias,
};
use crate::player::{Choice, FinalScore, GenmoveMode, has_few_unsettled_points, is_near_end};
use crate::search::{Limits, SearchResult, TimeBudget};
use crate::terminal::play::game::TerminalGame;
use crate::text::plural::counted;

/// A move for the person.
pub(in crate::terminal::play) struct Hint {
    pub(in crate::terminal::play) play: Move,
    /// The search behind the move.
    pub(in crate::terminal::play) result: SearchResult,
    /// The score of a game that seems to be finished: only dame and reinforcements are left, if anything.
    pub(in crate::terminal::play) settled: Option<FinalScore>,
}

/// The losses of the person's moves.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::terminal::play) struct MoveReview {
    /// Visits for each position, in words.
    pub(in crate::terminal::play) visits: String,
    /// The loss of each move of the game; none for the engine's moves.
    pub(in crate::terminal::play) losses: Vec<MoveLoss>,
    /// The number of the person's moves.
    pub(in crate::terminal::play) moves: usize,
    /// The move that the search preferred, for each move of the game.
    pub(in crate::terminal::play) better: Vec<Option<Move>>,
}

/// A review's visits are this part of those of a report, which takes minutes.
const REVIEW_DIVISOR: u64 = 8;

/// Most seconds of the search behind an estimate of the score.
const ESTIMATE_SECONDS: f64 = 2.0;

/// Minimum number of playouts behind the lead of a hint, in a search by playouts that is limited by time.
const MIN_HINT_PLAYOUTS: u64 = 400;

impl TerminalGame {
    /// Searches the position for an estimate of the score, and returns whether the game seems to be near its end.
    pub(in crate::terminal::play) fn estimate(&mut self) -> (SearchResult, bool) {
        let result = self.analyze(self.position.to_move(), self.estimate_limits());
        let is_near_end = is_near_end(&self.position, &result);
        (result, is_near_end)
    }

    /// The configured limits, and [`ESTIMATE_SECONDS`] also where they have no limit in time.
    fn estimate_limits(&self) -> Limits {
        let limits = self.engine.options.limits();
        let longest = TimeBudget::new(ESTIMATE_SECONDS, ESTIMATE_SECONDS);
        Limits { time: Some(limits.time.map_or(longest, |time| time.capped(ESTIMATE_SECONDS))), ..limits }
    }

    /// Searches every position of the game and rates the person's moves; `None` if the stop flag was set meanwhile.
    /// `progress` is called with the number of positions done and their total.
    pub(in crate::terminal::play) fn review(&self, progress: impl FnMut(usize, usize) + Send) -> Option<MoveReview> {
        let (options, net) = (&self.engine.options, self.engine.net.as_deref());
        let visits = default_visits(net, &options.params, self.coordinate()).div_ceil(REVIEW_DIVISOR);
        let threads = processor_count();
        let settings = AnalysisSettings { visits, threads, options, net, stop_signal: &self.stop_signal };
        let mut analyses = analyze_game(&self.position, settings, progress)?;
        remove_tempo_bias(&self.position, &mut analyses);
        let mut losses = move_losses(&self.position, &analyses);
        let is_by_net = settings.is_search_by_net(self.coordinate());
        let is_near_end =
            |last: &PositionAnalysis| has_few_unsettled_points(&self.position, &last.ownership, is_by_net);
        if self.position.is_over() || analyses.last().is_some_and(is_near_end) {
            let final_score = self.final_score().ok()?;
            if final_score.is_finished || self.position.is_over() {
                apply_final_score(&self.position, &final_score, settings, &mut analyses, &mut losses);
            }
        }
        if self.stop_signal.is_flag_set() {
            return None;
        }
        let mut moves = 0;
        for (loss, item) in losses.iter_mut().zip(self.position.record().items()) {
            if item.color == self.person {
                moves += 1;
            } else {
                *loss = MoveLoss::default();
            }
        }
        let better = analyses.iter().map(|analysis| analysis.variation.first().copied()).collect();
        let visits = counted(visits, settings.visit_name(self.coordinate()));
        Some(MoveReview { visits, losses, moves, better })
    }

    /// The move that the engine would play for the person, and its search result. The search has full strength, at any
    /// configured level. If the tree of earlier playouts settles the move at once, more playouts follow for the lead.
    pub(in crate::terminal::play) fn hint(&mut self) -> Hint {
        let level = std::mem::replace(&mut self.engine.options.level, STRONGEST);
        let limits = self.engine.options.limits();
        let (choice, mut result) = self.search(self.person, GenmoveMode::NoResign, limits);
        let missing = MIN_HINT_PLAYOUTS.saturating_sub(result.stats_samples);
        if limits.time.is_some() && missing > 0 && !result.is_by_net && !self.stop_signal.is_flag_set() {
            result = self.analyze(self.person, Limits::playouts(missing));
        }
        self.engine.options.level = level;
        let chosen = match choice {
            Choice::Move(play) => play,
            // `NoResign` excludes this
            Choice::Resign => Move::Pass,
        };
        // without agreement on dead stones they are still to be captured
        let has_settled_stones = chosen == Move::Pass || self.position.rule().has_agreement();
        let may_be_settled = has_settled_stones && is_near_end(&self.position, &result);
        let counted = if may_be_settled { self.final_score().ok() } else { None };
        let settled = counted.filter(|score| score.is_finished);
        let play = settled.as_ref().map_or(chosen, |score| settled_move(chosen, score, self.person));
        Hint { play, result, settled }
    }
}

/// The move of a player in a finished game: the chosen one, if it is a pass or a move of the fill-in, or else the one
/// that the score expects.
fn settled_move(chosen: Move, score: &FinalScore, color: Color) -> Move {
    match chosen {
        Move::Play(point) if !score.filled.contains(&(color, point)) => score.expected_move(color),
        _ => chosen,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::kernel::test_boards::position;
    use crate::kernel::{Coordinate, GameRule, Position};
    use crate::player::{Options, final_score};

    fn game(person: Color) -> TerminalGame {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        TerminalGame::new(position, person, Options { max_playouts: 20, seed: 1, ..Options::default() }, None)
    }

    #[test]
    fn a_review_rates_the_persons_moves_and_stops_at_the_flag() {
        let mut game = game(Color::Black);
        for vertex in ["A1", "pass"] {
            game.play(Move::parse(vertex, game.coordinate()).unwrap()).unwrap();
            game.play_engine_move();
        }
        let review = game.review(|_, _| {}).unwrap();
        assert_eq!((review.losses.len(), review.better.len(), review.moves), (4, 5, 2));
        assert!(review.losses[0].win_probability > 0.05 && review.losses[1] == MoveLoss::default(), "{review:?}");
        game.stop_flag().store(true, Ordering::Relaxed);
        assert_eq!(game.review(|_, _| {}), None);
    }

    #[test]
    fn a_hint_has_enough_playouts_for_its_lead() {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options { seconds: 0.002, seed: 1, ..Options::default() };
        let mut game = TerminalGame::new(position, Color::Black, options, None);
        assert!(game.hint().result.stats_samples >= MIN_HINT_PLAYOUTS);
    }

    #[test]
    fn hint_searches_at_full_strength_and_restores_the_level() {
        let mut game = game(Color::Black);
        game.engine.options.max_playouts = 300;
        game.engine.options.level = 3;
        assert_eq!(game.hint().result.playouts, 300);
        assert_eq!(game.options().level, 3);
        // the hint's tree is not reused at the lower level
        let limits = game.options().limits();
        let (_, result) = game.search(Color::Black, GenmoveMode::Game, limits);
        assert_eq!((result.playouts, result.visits), (1, 1));
    }

    #[test]
    fn an_estimate_takes_two_seconds_at_most() {
        let mut game = game(Color::Black);
        let longest = TimeBudget::new(2.0, 2.0);
        for (max_playouts, max_visits, max_time, time) in [
            (20, 0, 0.0, longest),
            (0, 1_000_000, 0.0, longest),
            (0, 0, 60.0, longest.with_expiring_time()),
            (0, 20, 0.5, TimeBudget::new(0.5, 0.5).with_expiring_time()),
        ] {
            game.engine.options = Options { max_playouts, max_visits, max_time, ..game.engine.options };
            let configured = game.engine.options.limits();
            assert_eq!(game.estimate_limits(), Limits { time: Some(time), ..configured }, "{configured:?}");
        }
    }

    /// Playouts lead by another number of points than the score, and expect moves in settled areas.
    #[test]
    fn a_hint_and_a_review_of_a_finished_game_are_by_the_score() {
        let rows = [".x.o.", ".xxoo", "xxoo.", ".xxox", "x.xo."];
        let start = position(&rows, "japanese", 0.5, Color::Black);
        let options = Options { max_playouts: 300, seed: 1, ..Options::default() };
        let mut game = TerminalGame::new(start, Color::Black, options, None);
        game.play(Move::parse("C1", game.coordinate()).unwrap()).unwrap();
        game.position.pass(Color::White);
        let Hint { play, settled, .. } = game.hint();
        assert_eq!((play, settled.unwrap().score.to_string().as_str()), (Move::Pass, "W+1.5"));
        let losses = game.review(|_, _| {}).unwrap().losses;
        assert_eq!(losses, [MoveLoss::default(); 2]);
        // under rules without agreement White has to capture the dead stone on E4
        let start = position(&rows, "tromp-taylor", 0.5, Color::White);
        let options = Options { max_playouts: 300, seed: 1, ..Options::default() };
        let Hint { play, settled, .. } = TerminalGame::new(start, Color::White, options, None).hint();
        assert!(settled.is_none() && play != Move::Pass, "{play:?}");
        let mut game = self::game(Color::Black);
        assert!(game.hint().settled.is_none(), "the board is empty");
    }

    #[test]
    fn a_settled_move_is_a_pass_or_one_of_the_fill_in() {
        let coordinate = Coordinate::square(5).unwrap();
        let at = |vertex: &str| coordinate.parse_vertex(vertex).unwrap();
        let play = |vertex: &str| Move::Play(at(vertex));
        let [black, white] = Color::BOTH;
        let mut score = final_score(&game(black).position);
        let filled = [(black, at("A1")), (white, at("B1")), (black, at("C1"))];
        for (chosen, filled, expected) in [
            (Move::Pass, &filled[..], Move::Pass),
            (play("C1"), &filled[..], play("C1")),
            (play("B1"), &filled[..], play("A1")),
            (play("B1"), &filled[1..], Move::Pass),
            (play("B1"), &[], Move::Pass),
        ] {
            score.filled = filled.to_vec();
            assert_eq!(settled_move(chosen, &score, black), expected, "{chosen:?} {filled:?}");
        }
    }
}

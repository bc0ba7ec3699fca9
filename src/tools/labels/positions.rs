//! The choice of positions, and their evaluation.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use fastrand::Rng;

use crate::kernel::{Color, Coordinate, GameRule, Move, Point, Position, Symmetry};
use crate::net::evaluate::batch_size;
use crate::net::history::BoardHistory;
use crate::net::katago::features::Features;
use crate::net::katago::{KatagoNet, Scratch};
use crate::net::native::features::{Features as NativeFeatures, PLANES_WITH_LADDERS};
use crate::net::{Net, Output};
use crate::player::level::sample_index;
use crate::playout::light::is_own_eye;
use crate::search::params::Params;
use crate::search::random::standard_normal;
use crate::search::{Limits, SearchRequest, Searcher, StopSignal, history_hash};
use crate::tools::tables::TableGame;

/// Half of the moves deviating from the game are drawn by the square root of the policy, the others from all that fill
/// no own eye.
const LIKELY_SHARE: f64 = 0.5;

/// The number of variations of a search whose ends are taken, and the share of them that are cut.
const MAX_VARIATIONS: usize = 8;
const CUT_SHARE: f64 = 0.4;

/// Memory of a search in bytes.
const SEARCH_BYTES: usize = 64 << 20;

/// A game to take positions from.
pub(super) struct Source {
    /// The number of its file in `--records`, and of its line, from 0.
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) game: TableGame,
}

/// A position to label.
pub(super) struct Sample {
    /// The number of the file with the game.
    pub(super) file: u32,
    /// The line of the game in the file.
    pub(super) line: u32,
    /// Moves of the game before the position.
    pub(super) ply: u16,
    /// Moves after these that deviate from the game.
    pub(super) deviations: u8,
    /// The policy index of the move played; `None` after a move deviating from the game and in a final position.
    pub(super) played: Option<u16>,
    /// Whether the side to move won the game; `None` without a winner, with another komi than the game's, under other
    /// scoring than that by which the game was counted, or after a move deviating from the game.
    pub(super) result: Option<bool>,
    /// At the end of a game ([`Labeler::ends`]), the points by which the side to move won.
    pub(super) margin: Option<f32>,
    history: BoardHistory,
}

/// A position with its features and the teacher's outputs.
pub(super) struct Label {
    pub(super) sample: Sample,
    pub(super) features: Features,
    /// The input of a native net, if [`Labeler::native_inputs`] asks for it.
    pub(super) native_input: Option<NativeFeatures>,
    pub(super) output: Option<Output>,
}

/// A search whose variations end in positions to label: a net errs in other positions when it searches than in games.
pub(super) struct VariationSearch {
    pub(super) net: Arc<Net>,
    pub(super) visits: u64,
}

/// Takes positions from games and evaluates them.
pub(super) struct Labeler<'a> {
    pub(super) teacher: Option<&'a KatagoNet>,
    pub(super) search: Option<VariationSearch>,
    pub(super) coordinate: Coordinate,
    pub(super) rules: &'a [GameRule],
    pub(super) per_game: usize,
    /// If given, the number of last positions of a game that are used, the final one included.
    pub(super) last: Option<usize>,
    /// Whether each game has one position: that before the passes at its end, if its result was counted by the scoring
    /// of the rules drawn for it.
    pub(super) ends: bool,
    /// The share of the positions after which a move that deviates from the game is played.
    pub(super) deviation_share: f64,
    /// The maximum number of consecutive moves that deviate from the game.
    pub(super) max_deviations: u8,
    pub(super) komi_spread: f64,
    pub(super) threads: usize,
    /// Whether labels have the inputs of a native net, too.
    pub(super) native_inputs: bool,
}

impl Labeler<'_> {
    /// Labels positions of some games, and positions deviating from them. Without a teacher, deviating moves are drawn
    /// from all that fill no own eye.
    pub(super) fn label(&self, games: &[Source], rng: &mut Rng, mut take: impl FnMut(Label)) {
        let starts: Vec<_> = games.iter().flat_map(|source| self.samples(source, rng)).collect();
        let mut samples = match &self.search {
            Some(search) => {
                let starts = starts.into_iter().map(|start| (start, rng.fork())).collect();
                self.in_parallel(starts, |part| {
                    part.into_iter().flat_map(|(start, rng)| search.ends(start, rng)).collect()
                })
            }
            None => starts.into_iter().map(|(sample, _)| sample).collect(),
        };
        for deviations in 0..=self.max_deviations {
            let labels = self.evaluate(samples);
            samples = Vec::new();
            for label in labels {
                if deviations < self.max_deviations && rng.f64() < self.deviation_share {
                    samples.extend(self.deviate(&label, rng));
                }
                take(label);
            }
        }
    }

    /// Positions of a game, as far as it can be replayed, to search from as well if that is wanted.
    pub(super) fn samples(&self, source: &Source, rng: &mut Rng) -> Vec<(Sample, Option<Position>)> {
        let Source { file, line, game } = source;
        let count = game.moves.len();
        let range = self.last.map_or(0..count, |last| (count + 1).saturating_sub(last)..count + 1);
        let mut plies = match self.ends {
            true => vec![game.moves_before_final_passes()],
            false => rng.choose_multiple(range, self.per_game),
        };
        plies.sort_unstable();
        let rule = rng.choice(self.rules).copied();
        let margin = rule.filter(|_| self.ends).and_then(|rule| game.margin(rule.scoring));
        if self.ends && margin.is_none() {
            return Vec::new();
        }
        let pass_alive_by_suicide = self.teacher.is_some_and(KatagoNet::has_pass_alive_by_suicide);
        let komi_change = if rng.bool() { (2.0 * self.komi_spread * standard_normal(rng)).round() / 2.0 } else { 0.0 };
        let Some(mut position) = rule.and_then(|rule| game.start(self.coordinate, rule)) else { return Vec::new() };
        position.rule_mut().komi += komi_change;
        if let Some(rule) = rule {
            position.rule_mut().ko = rule.ko;
        }
        let winner = game.winner_under(position.rule().scoring);
        let mut made = 0;
        let mut samples = Vec::new();
        for ply in plies {
            let rest = game.moves.get(made..ply).unwrap_or_default();
            if rest.iter().try_for_each(|&(color, play)| position.make_move(color, play)).is_err() {
                break;
            }
            made = ply;
            let (color, played) = match game.moves.get(ply) {
                Some(&(color, played)) => (color, Some(played)),
                None => (position.to_move(), None),
            };
            let sample = Sample {
                file: *file,
                line: *line,
                ply: ply as u16,
                deviations: 0,
                played: played.and_then(|play| play.index(self.coordinate)).map(|index| index as u16),
                // the komi of the game decided its result
                result: winner.filter(|_| komi_change == 0.0).map(|winner| winner == color),
                margin: margin.map(|margin| (margin * f64::from(color.sign())) as f32),
                history: BoardHistory::new(&position, color).with_pass_alive_by_suicide(pass_alive_by_suicide),
            };
            samples.push((sample, self.search.as_ref().map(|_| position.clone())));
        }
        samples
    }

    /// The position after a move that the game does not have.
    fn deviate(&self, label: &Label, rng: &mut Rng) -> Option<Sample> {
        let history = &label.sample.history;
        if history.has_two_passes() {
            return None;
        }
        let color = history.to_move();
        let policy = label.output.as_ref().filter(|_| rng.f64() < LIKELY_SHARE);
        let plays: Vec<(Move, f32)> = match policy {
            Some(output) => {
                output.moves(self.coordinate).map(|(play, probability)| (play, probability.sqrt())).collect()
            }
            None => {
                let is_legal_non_eye =
                    |&point: &Point| !is_own_eye(history.board(), color, point) && history.is_legal(point);
                self.coordinate.points().filter(is_legal_non_eye).map(|point| (Move::Play(point), 1.0)).collect()
            }
        };
        label.sample.after(sample_move(&plays, rng).unwrap_or(Move::Pass))
    }

    /// Computes the features of positions and evaluates them. Batches do not depend on the number of threads, for the
    /// last bit of an output depends on its batch.
    pub(super) fn evaluate(&self, samples: Vec<Sample>) -> Vec<Label> {
        self.in_parallel(samples, |part| self.evaluate_part(part))
    }

    /// Applies a function to parts of some items, one for each thread, of whole batches but for the last.
    fn in_parallel<T: Send, U: Send>(&self, items: Vec<T>, apply: impl Fn(Vec<T>) -> Vec<U> + Sync) -> Vec<U> {
        let mut rest = items;
        let share = rest.len().div_ceil(self.threads.max(1)).max(1).next_multiple_of(self.batch_size());
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let tail = rest.split_off(share.min(rest.len()));
            parts.push(std::mem::replace(&mut rest, tail));
        }
        thread::scope(|scope| {
            let running: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| apply(part))).collect();
            running.into_iter().flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// Positions of a batch.
    fn batch_size(&self) -> usize {
        batch_size(self.coordinate.board_area())
    }

    fn evaluate_part(&self, samples: Vec<Sample>) -> Vec<Label> {
        let features: Vec<Features> = samples.iter().map(|sample| sample.history.features()).collect();
        let mut outputs: Vec<Option<Output>> = Vec::new();
        if let Some(teacher) = self.teacher {
            let mut scratch = Scratch::default();
            for batch in features.chunks(self.batch_size()) {
                let inputs: Vec<_> = batch.iter().map(|features| (features, Symmetry::default())).collect();
                outputs.extend(teacher.evaluate(&inputs, &mut scratch).into_iter().map(Some));
            }
        }
        outputs.resize_with(samples.len(), || None);
        let parts = samples.into_iter().zip(features).zip(outputs);
        let label = |((sample, features), output): ((Sample, _), _)| {
            let native_input =
                self.native_inputs.then(|| NativeFeatures::of_history(&sample.history, PLANES_WITH_LADDERS));
            Label { sample, features, native_input, output }
        };
        parts.map(label).collect()
    }
}

impl Sample {
    pub(super) fn history(&self) -> &BoardHistory {
        &self.history
    }

    /// The position after a move that the game does not have; `None` if the game is over.
    pub(super) fn after(&self, play: Move) -> Option<Sample> {
        let Sample { file, line, ply, deviations, .. } = *self;
        let mut history = self.history.clone();
        if history.has_two_passes() {
            return None;
        }
        history.play(play);
        Some(Sample {
            file,
            line,
            ply,
            deviations: deviations.saturating_add(1),
            played: None,
            result: None,
            margin: None,
            history,
        })
    }
}

impl VariationSearch {
    /// A position, and the ends of the variations of its search. Some variations are cut at a random move.
    fn ends(&self, (sample, position): (Sample, Option<Position>), mut rng: Rng) -> Vec<Sample> {
        let Some(position) = position else { return vec![sample] };
        let limits = Limits::visits(self.visits);
        let result = Searcher::new(SEARCH_BYTES, history_hash(&position)).search(&SearchRequest {
            net: Some(&self.net),
            ..SearchRequest::new(
                &position,
                sample.history.to_move(),
                limits,
                &Params::default(),
                &StopSignal::default(),
            )
        });
        let mut ends = Vec::new();
        for candidate in result.candidates.iter().filter(|candidate| candidate.visits > 0).take(MAX_VARIATIONS) {
            let length = candidate.variation.len();
            let made = if rng.f64() < CUT_SHARE { rng.usize(1..=length.max(1)) } else { length };
            let mut history = sample.history.clone();
            for &play in candidate.variation.iter().take(made) {
                if !history.has_two_passes() {
                    history.play(play);
                }
            }
            let Sample { file, line, ply, .. } = sample;
            ends.push(Sample {
                file,
                line,
                ply,
                deviations: made.min(u8::MAX.into()) as u8,
                played: None,
                result: None,
                margin: None,
                history,
            });
        }
        ends.insert(0, sample);
        ends
    }
}

impl Label {
    /// The side to move.
    pub(super) fn color(&self) -> Color {
        self.sample.history.to_move()
    }
}

/// One of some moves, each with a probability in proportion to its weight.
fn sample_move(plays: &[(Move, f32)], rng: &mut Rng) -> Option<Move> {
    let weights: Vec<f32> = plays.iter().map(|(_, weight)| *weight).collect();
    let last = || weights.iter().rposition(|weight| *weight > 0.0);
    Some(plays.get(sample_index(&weights, rng).or_else(last)?)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_drawn_by_weight() {
        let plays = [(Move::Pass, 0.0), (Move::Play(Point::at(30)), 3.0), (Move::Play(Point::at(31)), 1.0)];
        let mut rng = Rng::with_seed(1);
        let drawn: Vec<Option<Move>> = (0..4000).map(|_| sample_move(&plays, &mut rng)).collect();
        let share = |number: usize| drawn.iter().filter(|&&play| play == Some(plays[number].0)).count();
        assert_eq!(share(0), 0);
        assert!((2800..3200).contains(&share(1)), "{}", share(1));
        assert_eq!(share(1) + share(2), 4000);
        assert_eq!(super::sample_move(&[], &mut rng), None);
    }
}

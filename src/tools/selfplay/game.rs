//! One game of the engine against itself, from the first move to its line in the file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use fastrand::Rng;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::kernel::{Color, Coordinate, Move, Position};
use crate::net::Net;
use crate::player::level::STRONGEST;
use crate::player::{Choice, GenmoveMode, Options, Player, PlayerRequest, final_score};
use crate::search::{Limits, ProgressSink, SearchResult, StopSignal};
use crate::tools::selfplay::check;
use crate::tools::selfplay::file::{GameLine, RunSettings};
use crate::tools::tables::move_entry;

/// The opening, whose moves are sampled by visits, has one move for this many points of the board.
const POINTS_PER_OPENING_MOVE: usize = 12;

/// A game is scored unfinished after this many moves for each point; with simple ko it might never end.
const MAX_MOVES_PER_POINT: usize = 3;

/// The inputs common to all games of a run.
pub(super) struct GameRunner<'a> {
    /// The start of every game, without moves.
    pub(super) start: &'a Position,
    pub(super) options: &'a Options,
    pub(super) net: Option<Arc<Net>>,
    pub(super) run: RunSettings,
    /// The number of games played in parallel, which share the memory of the options.
    pub(super) threads: usize,
    /// Whether to run the checks of [`check`] after every move.
    pub(super) checks: bool,
}

impl GameRunner<'_> {
    /// Plays the game of this number to its end. Its RNG seed is seed + (number + 1) · [`GOLDEN_GAMMA`] mod 2⁶⁴, so that a
    /// game does not depend on the others.
    ///
    /// # Errors
    /// A failed check or a panic of the engine, with the moves that led to it.
    pub(super) fn play(&self, number: u64) -> anyhow::Result<GameLine> {
        let mut game = SelfplayGame { position: self.start.clone(), visits: Vec::new() };
        let mut rng = Rng::with_seed(self.run.seed.wrapping_add((number + 1).wrapping_mul(GOLDEN_GAMMA)));
        // a panic becomes an error, so that its message comes with the moves
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            game.play(self, &mut rng)?;
            game.line(self, number)
        }));
        let error = match outcome {
            Ok(Ok(line)) => return Ok(line),
            Ok(Err(error)) => error,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
            }
        };
        Err(anyhow::anyhow!("game {number}: {error}, after the moves: {}", game.moves()))
    }

    /// The player of one game, with its share of the memory. It plays both colours, so that each search reuses the tree
    /// of the one before. Its level is the highest, because lower levels limit the playouts.
    fn player(&self, rng: &mut Rng) -> Player {
        let (seed, memory_mb) = (rng.u64(1..), self.options.memory_share_mb(self.threads));
        let options = Options { threads: 1, seed, memory_mb, resign: false, level: STRONGEST, ..*self.options };
        let mut player = Player::new(options);
        player.net = self.net.clone();
        player
    }
}

/// A game in progress.
struct SelfplayGame {
    position: Position,
    /// For each move, policy index and visits of the visited moves of its search.
    visits: Vec<Vec<(usize, u32)>>,
}

impl SelfplayGame {
    fn play(&mut self, runner: &GameRunner<'_>, rng: &mut Rng) -> Result<(), String> {
        let mut player = runner.player(rng);
        let area = self.position.board().coordinate().board_area();
        while !self.position.is_over() && self.position.record().len() < MAX_MOVES_PER_POINT * area {
            let color = self.position.to_move();
            let request = PlayerRequest {
                position: &self.position,
                color,
                limits: Limits::playouts(runner.run.playouts),
                restrictions: None,
                detailed_ownership: false,
                stop_signal: &StopSignal::default(),
            };
            let (choice, result) = player.choose(&request, GenmoveMode::Game, ProgressSink::default());
            let Choice::Move(chosen) = choice else { return Err("the engine resigned".to_owned()) };
            if runner.checks {
                check::result(&self.position, color, &result)?;
            }
            self.visits.push(visit_counts(&result, self.position.board().coordinate()));
            let is_opening = self.position.record().len() < area / POINTS_PER_OPENING_MOVE;
            let sampled = if is_opening && chosen != Move::Pass { sample(&result, &self.position, rng) } else { None };
            self.make_move(color, sampled.unwrap_or(chosen), runner.checks)?;
        }
        Ok(())
    }

    fn make_move(&mut self, color: Color, play: Move, checks: bool) -> Result<(), String> {
        let before = checks.then(|| self.position.clone());
        self.position.make_move(color, play).map_err(|reason| {
            let vertex = play.vertex(self.position.board().coordinate());
            format!("the engine chose {color} {vertex}: {reason}")
        })?;
        before.map_or(Ok(()), |before| check::position(&self.position, &before))
    }

    /// The line of the finished game; takes the visits.
    fn line(&mut self, runner: &GameRunner<'_>, number: u64) -> Result<GameLine, String> {
        let position = &self.position;
        let coordinate = position.board().coordinate();
        let final_score = final_score(position);
        if runner.checks {
            check::score(position, &final_score)?;
        }
        let items = position.record().items();
        Ok(GameLine {
            game: number,
            run: runner.run.clone(),
            winner: final_score.score.winner().map_or('0', Color::letter),
            margin: final_score.score.margin(),
            moves: items.iter().map(|item| move_entry(item.color, item.play, coordinate)).collect(),
            visits: std::mem::take(&mut self.visits),
            ownership: coordinate
                .points_from_highest_rank()
                .map(|point| final_score.owner(point).map_or(0, Color::sign))
                .collect(),
        })
    }

    /// The moves in the form of `eval --moves`.
    fn moves(&self) -> String {
        let coordinate = self.position.board().coordinate();
        let items = self.position.record().items().iter();
        let words: Vec<String> =
            items.map(|item| format!("{} {}", item.color.letter(), item.play.vertex(coordinate))).collect();
        words.join(" ")
    }
}

/// Samples a legal move other than pass with probability visits / sum of visits. `None` if no such move has visits.
fn sample(result: &SearchResult, position: &Position, rng: &mut Rng) -> Option<Move> {
    let color = position.to_move();
    let is_legal = |play: Move| matches!(play, Move::Play(point) if position.check(color, point).is_ok());
    let legal = || result.candidates.iter().filter(|candidate| is_legal(candidate.play));
    let mut left = rng.u64(..legal().map(|candidate| u64::from(candidate.visits)).sum::<u64>().max(1));
    let sampled = legal().find(|candidate| {
        let is_sampled = left < u64::from(candidate.visits);
        left = left.saturating_sub(u64::from(candidate.visits));
        is_sampled
    });
    sampled.map(|candidate| candidate.play)
}

/// Place among all moves ([`Move::index`]) and visits of the visited moves of a search.
fn visit_counts(result: &SearchResult, coordinate: Coordinate) -> Vec<(usize, u32)> {
    let visited = result.candidates.iter().filter(|candidate| candidate.visits > 0);
    visited.filter_map(|candidate| Some((candidate.play.index(coordinate)?, candidate.visits))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::GameRule;
    use crate::search::search_result_of;

    fn start(size: u8) -> Position {
        Position::new(Coordinate::square(size).unwrap(), GameRule::with_komi(0.5), 0, Color::Black)
    }

    #[test]
    fn samples_in_proportion_to_visits_without_passes() {
        let position = start(5);
        let mut result = search_result_of(&position, 10);
        let coordinate = position.board().coordinate();
        let plays = ["A1", "B2", "C3"].map(|vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap()));
        result.candidates.truncate(4);
        for (candidate, (play, visits)) in
            result.candidates.iter_mut().zip(plays.into_iter().chain([Move::Pass]).zip([60, 0, 40, 500]))
        {
            (candidate.play, candidate.visits) = (play, visits);
        }
        let mut rng = Rng::with_seed(1);
        let mut counts = [0; 3];
        for _ in 0..1000 {
            let play = sample(&result, &position, &mut rng).unwrap();
            counts[plays.iter().position(|&p| p == play).unwrap()] += 1;
        }
        assert!(counts[1] == 0 && (550..650).contains(&counts[0]), "{counts:?}");
        result.candidates.retain(|candidate| candidate.play == Move::Pass);
        assert_eq!(sample(&result, &position, &mut rng), None);
    }

    #[test]
    fn games_in_parallel_share_the_memory() {
        let (start, options) = (start(5), Options { memory_mb: 100, ..Options::default() });
        let run = RunSettings::new(&start, &options, None, 1, 1);
        let mut runner = GameRunner { start: &start, options: &options, net: None, run, threads: 1, checks: false };
        for (threads, memory_mb) in [(1, 100), (3, 34), (64, 2)] {
            runner.threads = threads;
            assert_eq!(runner.player(&mut Rng::with_seed(1)).options.memory_mb, memory_mb, "{threads}");
        }
    }

    #[test]
    fn illegal_move_is_an_error_and_moves_can_be_listed() {
        let mut position = start(5);
        position.play(Color::Black, position.board().coordinate().parse_vertex("C3").unwrap()).unwrap();
        position.pass(Color::White);
        let mut game = SelfplayGame { position, visits: Vec::new() };
        let occupied = Move::Play(game.position.board().coordinate().parse_vertex("C3").unwrap());
        assert_eq!(game.make_move(Color::Black, occupied, true), Err("the engine chose black C3: masonry".to_owned()));
        assert_eq!(game.moves(), "B C3 W pass");
    }
}

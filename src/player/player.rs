//! A player: searches, and says what to answer when the search has ended: a move, a pass, or that the game is given up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::kernel::region::regions;
use crate::kernel::{Color, Move, Point, PointSet, Position, Scoring, Stone};
use crate::net::Net;
use crate::player::level::{Level, level};
use crate::player::options::Options;
use crate::player::score::final_score_by;
use crate::player::status::{Status, classify_stones, classify_without_seki, status_playouts};
use crate::player::time::Lag;
use crate::player::trace::{Purpose, SearchRecord, SearchTrace};
use crate::search::limits::{Limits, TimeBudget};
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::restrictions::Restrictions;
use crate::search::result::SearchResult;
use crate::search::root::history_hashes;
use crate::search::searcher::Searcher;
use crate::search::stop_signal::StopSignal;

/// Playouts from which on their owners of points tell whether the end of the game is near.
const ENOUGH_PLAYOUTS: u64 = 200;

/// Playouts below which their owners of points tell nothing: one alone settles every point.
const GLANCE_PLAYOUTS: u64 = 30;

/// Visits without which a game is not given up.
const SURE_VISITS: u64 = 100;

/// A point is settled if it is the same player's at the end of playouts this much, as a mean from -1 to 1.
const SETTLED: f32 = 0.8;

/// The end of a game may be near when no more than one point in so many is not settled: false points and seki.
const MOST_OPEN: usize = 6;

/// What a player does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A move.
    Move(Move),
    /// The game is given up.
    Resign,
}

/// How a move is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GenmoveMode {
    /// In a game that is being played.
    Game,
    /// In a game that goes on because the players disagree: nothing is dead by agreement.
    Cleanup,
    /// As a question: always a move, or a pass.
    NoResign,
}

/// What a player is asked to think about.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The position.
    pub position: &'a Position,
    /// Whose move is sought, be it their turn or not.
    pub color: Color,
    /// When to stop; the options say how to think, not how long.
    pub limits: Limits,
    /// Moves left out near the root, if any.
    pub restrictions: Option<&'a Restrictions>,
    /// Says when to stop at once.
    pub stop_signal: &'a StopSignal,
}

/// A player of games, who remembers from move to move.
pub struct Player {
    /// What searches are told beforehand.
    pub options: Options,
    /// The net that searches ask, if they ask one.
    pub net: Option<Arc<Net>>,
    /// What searches depended on, so that they can be made again.
    pub trace: SearchTrace,
    searcher: Searcher,
    /// The options that the searcher was made with.
    searcher_options: (u64, u64),
    /// For each colour, its last moves.
    lost: [Lost; 2],
    /// Whether the last search found the game near its end.
    is_late: bool,
    /// How long a playout of the last search took.
    pace: Duration,
    /// How much longer than allowed moves have taken of late, on a machine that is busy with other things.
    overrun: OverrunTracker,
    /// How long the last move took.
    spent: Duration,
    /// Whether more was found than a weak level may know: somebody wanted to, or the level was another.
    saw_full_search: bool,
    /// Chance for the moves of weak levels.
    rng: Rng,
}

impl Player {
    /// A player with these options.
    pub fn new(options: Options) -> Player {
        Player::with_seed(options, options.chance())
    }

    fn with_seed(options: Options, seed: u64) -> Player {
        Player {
            searcher: searcher(&options, seed),
            searcher_options: searcher_options(&options),
            net: None,
            trace: SearchTrace::default(),
            options,
            lost: Default::default(),
            is_late: false,
            pace: Duration::ZERO,
            overrun: OverrunTracker::default(),
            spent: Duration::ZERO,
            saw_full_search: false,
            rng: Rng::with_seed(seed),
        }
    }

    /// How much memory its search takes by now, in MiB: what is left to the next one, whatever options that has.
    pub fn memory_mb(&self) -> u64 {
        (self.searcher.memory() >> 20) as u64
    }

    /// Forgets the game.
    pub fn forget(&mut self) {
        self.searcher.forget();
        self.lost = Default::default();
        self.is_late = false;
    }

    /// Forgets all but what it is told, and begins where chance started from.
    pub fn restart(&mut self) {
        let before = std::mem::replace(self, Player::with_seed(self.options, self.seed()));
        (self.net, self.trace) = (before.net, before.trace);
    }

    /// Thinks about a move to play.
    pub fn choose(
        &mut self,
        query: &Query<'_>,
        manner: GenmoveMode,
        progress: ProgressSink<'_>,
    ) -> (Choice, SearchResult) {
        let Query { position, limits, .. } = *query;
        let begin = Instant::now();
        if position.record().len() < 2 {
            self.is_late = false;
        }
        let again = self.trace.next(Purpose::Move);
        let status_time = match again {
            Some(made) => made.status_searched.then_some(Duration::ZERO),
            None => self.status_time(position, limits.time),
        };
        let time = limits.time.map(|time| time.shortened_by(status_time.unwrap_or_default()));
        let level = self.level(position);
        if level.is_none() {
            self.saw_full_search = true;
        } else if std::mem::take(&mut self.saw_full_search) {
            self.searcher.forget();
        }
        let playouts = level.map_or(u64::MAX, |level| level.playouts).min(limits.playouts);
        let result =
            self.search(&Query { limits: Limits { time, playouts, ..limits }, ..*query }, Purpose::Move, progress);
        // no net is asked when the end is judged
        let eval_time = result.eval_time / self.options.thread_count() as u32;
        let playing = result.elapsed.saturating_sub(result.setup_time + eval_time);
        self.pace = playing / result.playouts.clamp(1, u64::from(u32::MAX)) as u32;
        self.is_late = looks_late(position, &result);
        let choice = self.decide(query, manner, &result, status_time.is_some());
        let elapsed = begin.elapsed();
        self.spent = again.map_or(elapsed, |made| made.elapsed);
        self.overrun.note(limits.time.map_or(Duration::ZERO, |time| self.spent.saturating_sub(time.hard)));
        self.trace.amend(|made| (made.elapsed, made.status_searched) = (elapsed, status_time.is_some()));
        (choice, result)
    }

    /// Thinks about a position that others want to know about. Nothing is remembered but what was found.
    pub fn analyze_position(&mut self, query: &Query<'_>, progress: ProgressSink<'_>) -> SearchResult {
        self.saw_full_search = true;
        self.search(query, Purpose::Analysis, progress)
    }

    /// Thinks while the opponent does, unless it is a weak level that plays. Nothing is remembered but what was found.
    pub fn ponder(&mut self, query: &Query<'_>) {
        if self.level(query.position).is_none() {
            self.search(query, Purpose::Ponder, ProgressSink::default());
        }
    }

    /// How weak the play is to be.
    fn level(&self, position: &Position) -> Option<Level> {
        level(self.options.level, position.board().coordinate().board_area())
    }

    /// How much longer than allowed moves are expected to take: time to keep back beside the lag.
    pub fn overrun(&self) -> OverrunTracker {
        self.overrun
    }

    /// How long the last move took, or if it was made again, took the first time.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Where chance started from.
    pub fn seed(&self) -> u64 {
        self.searcher.seed()
    }

    /// Time to keep back from the search for judging the end of the game; `None` if there is too little, or if it will
    /// hardly be asked for.
    fn status_time(&self, position: &Position, time: Option<TimeBudget>) -> Option<Duration> {
        let Some(time) = time else { return Some(Duration::ZERO) };
        let playouts = status_playouts(position.board().coordinate().board_area()) * self.options.thread_count();
        let status_time = self.pace.saturating_mul(playouts as u32);
        let may_be_late = self.is_late || position.record().ends_in_pass();
        // what is left is searched
        (may_be_late && status_time <= time.soft / 3).then_some(status_time)
    }

    /// Searches, or makes the search again that was given.
    fn search(&mut self, query: &Query<'_>, purpose: Purpose, progress: ProgressSink<'_>) -> SearchResult {
        let again = self.trace.next(purpose);
        let is_other_seed = again.is_some_and(|made| made.seed != self.searcher.seed());
        if is_other_seed || self.searcher_options != searcher_options(&self.options) {
            let seed = again.map_or_else(|| self.options.chance(), |made| made.seed);
            self.searcher = searcher(&self.options, seed);
            self.searcher_options = searcher_options(&self.options);
            self.rng = Rng::with_seed(seed);
        }
        let Query { position, color, restrictions, .. } = *query;
        let nobody = StopSignal::default();
        let (limits, stop_signal) = match again {
            Some(made) => (
                Limits { single_root_symmetry: made.single_root_symmetry, ..Limits::playouts(made.simulations) },
                &nobody,
            ),
            None if self.trace.is_replaying() => (Limits::playouts(1), &nobody),
            None => (query.limits, query.stop_signal),
        };
        let threads = again.map_or_else(|| self.options.thread_count(), |made| made.threads);
        let request = SearchRequest {
            position,
            color,
            limits,
            threads,
            params: &self.options.params,
            extra_komi: if purpose == Purpose::Analysis { 0.0 } else { extra_komi(position, &self.options) },
            restrictions,
            net: self.net.as_deref(),
            stop_signal,
        };
        let mut result = self.searcher.search_with_progress(&request, progress);
        result.completed = match again {
            Some(made) => made.completed,
            // one that stands in for a search is worth nothing
            None => result.completed && !self.trace.is_replaying(),
        };
        self.trace.note(SearchRecord {
            purpose,
            color,
            seed: self.searcher.seed(),
            number: self.searcher.searches(),
            threads,
            simulations: result.simulations,
            playouts: result.playouts,
            visits: result.visits,
            elapsed: result.elapsed,
            single_root_symmetry: limits.uses_single_root_symmetry(),
            status_searched: false,
            completed: result.completed,
        });
        result
    }

    fn decide(&mut self, query: &Query<'_>, manner: GenmoveMode, result: &SearchResult, has_time: bool) -> Choice {
        let Query { position, color, .. } = *query;
        if manner != GenmoveMode::NoResign && self.is_lost(position, color, result) {
            return Choice::Resign;
        }
        let best = match self.level(position) {
            Some(level) => level.choose(result, &mut self.rng),
            None => result.best().map(|best| best.play),
        };
        let best = best.unwrap_or(Move::Pass);
        if best != Move::Pass && !self.is_late {
            return Choice::Move(best);
        }
        let board = position.board();
        let status = if has_time {
            classify_stones(board, position.to_move(), status_playouts(board.coordinate().board_area()))
        } else if result.playouts < GLANCE_PLAYOUTS {
            // there was no time, or the move was known from before
            return Choice::Move(best);
        } else {
            classify_without_seki(board, result.ownership.clone())
        };
        let late = late_move(query, best, result, &status, manner);
        let is_open = query.restrictions.is_none_or(|restrictions| restrictions.admits(color, late, 0));
        Choice::Move(if is_open { late } else { best })
    }

    /// Whether the game is given up: it has looked lost for several moves in a row, and is not young.
    fn is_lost(&mut self, position: &Position, color: Color, result: &SearchResult) -> bool {
        let params = &self.options.params;
        let area = position.board().coordinate().board_area();
        let is_low = result.visits >= SURE_VISITS && f64::from(result.value()) < params.resign_below;
        let lost = &mut self.lost[color.index()];
        lost.note(is_low, position);
        self.options.resign
            && position.record().len() * 5 >= area
            && extra_komi(position, &self.options) == 0.0
            && f64::from(lost.moves) >= params.resign_moves
    }
}

/// However late a move was, later ones keep back no more than this: a clock that has jumped is no slow machine.
const MOST_LATE: Duration = Duration::from_secs(1);

/// How much longer than allowed moves have taken.
#[derive(Clone, Copy, Default, Debug)]
pub struct OverrunTracker {
    /// What was late once may be late again, until it has been in time for a while.
    peak: Duration,
    /// The mean, in which the latest moves count most.
    mean: Duration,
}

impl OverrunTracker {
    fn note(&mut self, late: Duration) {
        let late = late.min(MOST_LATE);
        self.peak = (self.peak * 9 / 10).max(late);
        self.mean = (self.mean * 9 + late) / 10;
    }

    /// This lag, and so much more for the move in hand; for those to come, what is usual.
    pub fn added_to(self, lag: f64) -> Lag {
        Lag { now: lag + self.peak.as_secs_f64(), usual: lag + self.mean.as_secs_f64() }
    }
}

/// The moves of a colour that looked lost, up to its last one.
#[derive(Default)]
struct Lost {
    /// How many in a row.
    moves: u32,
    /// The position before the last one, by the last number of its [`history_hashes`].
    last: u64,
}

impl Lost {
    /// Another move, which looks lost or does not. It takes the place of the last one if it is sought in the same position,
    /// and follows it if that is an earlier one of the same game.
    fn note(&mut self, is_low: bool, position: &Position) {
        let history_hashes = history_hashes(position);
        let now = history_hashes.last().copied().unwrap_or_default();
        let before = match now == self.last {
            true => self.moves.saturating_sub(1),
            false if history_hashes.contains(&self.last) => self.moves,
            false => 0,
        };
        self.moves = if is_low { before + 1 } else { 0 };
        self.last = now;
    }
}

fn searcher(options: &Options, seed: u64) -> Searcher {
    Searcher::new((options.memory_mb as usize) << 20, seed)
}

/// The options that a searcher cannot change.
fn searcher_options(options: &Options) -> (u64, u64) {
    (options.memory_mb, options.seed)
}

/// Points added to White's score in the head of either player while a handicap game is young: a game that looks as
/// even as it was meant to be is played better than one that looks won or lost. They melt away as the board fills.
fn extra_komi(position: &Position, options: &Options) -> f64 {
    let stones = position.handicap() as f64;
    if stones < 2.0 {
        return 0.0;
    }
    let area = position.board().coordinate().board_area() as f64;
    let left = 1.0 - position.record().len() as f64 / (options.params.handicap_moves * area).max(1.0);
    stones * options.params.handicap_points * left.max(0.0)
}

/// The move to play when the end is near: the best one found, or a pass where that loses nothing.
fn late_move(query: &Query<'_>, best: Move, result: &SearchResult, status: &Status, manner: GenmoveMode) -> Move {
    let Query { position, color, .. } = *query;
    let nothing_is_dead = manner == GenmoveMode::Cleanup || !position.rule().friendly_pass;
    let to_take = if nothing_is_dead { dead_stones(position, color.opponent(), status) } else { PointSet::new() };
    let is_settled = is_settled(position, status);
    if to_take.is_empty() {
        let settled = final_score_by(position, status.clone());
        let margin = if color == Color::Black { settled.score.margin() } else { -settled.score.margin() };
        let is_area = position.rule().scoring == Scoring::Area;
        let nothing_left = is_settled && (!is_area || settled.score.neutral == 0);
        // the playouts must agree that the game is won, or that it is not
        let agreed = (margin > 0.0) == (result.value() > 0.5);
        if agreed && (nothing_left || (position.record().ends_in_pass() && is_settled && margin > 0.0)) {
            return Move::Pass;
        }
        return best;
    }
    if !is_settled && best != Move::Pass {
        return best;
    }
    let near = beside(position, status, &to_take);
    let taking = result.candidates.iter().map(|candidate| candidate.play);
    taking.into_iter().find(|play| matches!(play, Move::Play(point) if near.contains(*point))).unwrap_or(best)
}

/// Whether the playouts agree so far on whose point most points are that the end may be near. Where they are too few to
/// tell, it may be once half of the board is full.
fn looks_late(position: &Position, result: &SearchResult) -> bool {
    let board = position.board();
    let points = board.coordinate().points();
    let open = points.filter(|p| result.ownership.get(p.index()).is_none_or(|owner| owner.abs() < SETTLED)).count();
    let area = board.coordinate().board_area();
    if result.playouts < ENOUGH_PLAYOUTS { board.empty_points().len() <= area / 2 } else { open <= area / MOST_OPEN }
}

/// The dead stones of a colour.
fn dead_stones(position: &Position, color: Color, status: &Status) -> PointSet {
    let board = position.board();
    let points = board.coordinate().points();
    points.filter(|&p| board.stone(p) == color.stone() && status.dead.contains(p)).collect()
}

/// Whether every stone's fate is clear, and every point but those between living stones of both colours is somebody's.
fn is_settled(position: &Position, status: &Status) -> bool {
    let board = position.board();
    let owned = |p: &Point| status.ownership.get(p.index()).is_some_and(|owner| owner.abs() >= SETTLED);
    regions(board.coordinate(), |p| board.stone(p) == Stone::Space || status.dead.contains(p)).iter().all(|region| {
        let borders = |color: Color| region.border.iter().any(|&p| board.stone(p) == color.stone());
        let is_seki = region.border.iter().any(|&p| status.seki.contains(p));
        is_seki || (borders(Color::Black) && borders(Color::White)) || region.points.iter().all(owned)
    }) && status.alive.iter().all(|p| owned(&p))
}

/// The empty points of the regions in which these stones lie, dead stones counted as empty.
fn beside(position: &Position, status: &Status, stones: &PointSet) -> PointSet {
    let board = position.board();
    let open = regions(board.coordinate(), |p| board.stone(p) == Stone::Space || status.dead.contains(p));
    open.iter()
        .filter(|region| region.points.iter().any(|&p| stones.contains(p)))
        .flat_map(|region| region.points.iter().copied())
        .filter(|&p| board.stone(p) == Stone::Space)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards::stones;
    use crate::kernel::{Coordinate, GameRule};

    /// A game from a drawn board, Black to move, White having passed.
    fn position(drawn: &[&str], rules: &str, komi: f64) -> Position {
        let (coordinate, stones) = stones(drawn);
        let rule = GameRule::with_komi(komi).named(rules).unwrap();
        let mut position = Position::new(coordinate, rule, 0, Color::White);
        position.set_up(&stones).unwrap();
        position.pass(Color::White);
        position
    }

    fn player() -> Player {
        Player::new(Options { seed: 1, ..Options::default() })
    }

    fn answer(player: &mut Player, position: &Position, manner: GenmoveMode) -> String {
        let query = Query {
            position,
            color: Color::Black,
            limits: Limits::playouts(600),
            restrictions: None,
            stop_signal: &StopSignal::default(),
        };
        let (choice, result) = player.choose(&query, manner, ProgressSink::default());
        assert_eq!(result.playouts, 600);
        match choice {
            Choice::Resign => "resign".to_owned(),
            Choice::Move(play) => play.vertex(position.board().coordinate()),
        }
    }

    #[track_caller]
    fn check(drawn: &[&str], rules: &str, komi: f64, manner: GenmoveMode, expected: &str) {
        assert_eq!(answer(&mut player(), &position(drawn, rules, komi), manner), expected);
    }

    const FINISHED: [&str; 5] = [".x.xo.o", "xxxxooo", ".x.xo.o", "xxxxooo", ".x.xo.o"];
    const ONE_POINT_LEFT: [&str; 5] = [".x..o.o", "xxxxooo", ".x.xo.o", "xxxxooo", ".x.xo.o"];
    const PRISONER: [&str; 5] = ["o..xo.o", "xxxxooo", ".x.xo.o", "xxxxooo", ".x.xo.o"];

    #[test]
    fn a_pass_where_nothing_is_left_won_or_lost() {
        for (rules, komi) in [("chinese", 0.5), ("chinese", 9.5), ("japanese", 0.5), ("tromp-taylor", 0.5)] {
            check(&FINISHED, rules, komi, GenmoveMode::Game, "pass");
        }
    }

    #[test]
    fn the_last_point_is_taken_where_it_counts() {
        check(&ONE_POINT_LEFT, "chinese", 4.5, GenmoveMode::Game, "D1");
    }

    #[test]
    fn dead_stones_are_taken_only_where_nothing_is_dead_by_agreement() {
        check(&PRISONER, "chinese", 0.5, GenmoveMode::Game, "pass");
        check(&PRISONER, "japanese", 0.5, GenmoveMode::Game, "pass");
        check(&PRISONER, "tromp-taylor", 0.5, GenmoveMode::Game, "B1");
        check(&PRISONER, "chinese", 0.5, GenmoveMode::Cleanup, "B1");
    }

    #[test]
    fn no_pass_in_a_young_game_however_little_time_there_is() {
        let young = [".......", "..x.o..", ".......", "..x.o..", "......."];
        let mut position = position(&young, "japanese", 0.5);
        position.undo().unwrap();
        position.set_to_move(Color::Black);
        let none = TimeBudget { soft: Duration::ZERO, hard: Duration::ZERO };
        for seed in 1..=20 {
            let mut player = Player::new(Options { seed, ..Options::default() });
            let query = Query {
                position: &position,
                color: Color::Black,
                limits: Limits { time: Some(none), ..Limits::NONE },
                restrictions: None,
                stop_signal: &StopSignal::default(),
            };
            let (choice, result) = player.choose(&query, GenmoveMode::Game, ProgressSink::default());
            assert_eq!(result.playouts, 1);
            assert!(matches!(choice, Choice::Move(Move::Play(_))), "{choice:?}");
        }
    }

    #[test]
    fn a_weak_level_plays_by_what_it_found_itself() {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let stop_signal = StopSignal::default();
        let limits = Limits::playouts(500);
        let query =
            Query { position: &position, color: Color::Black, limits, restrictions: None, stop_signal: &stop_signal };
        for (level, visits) in [(4, 20), (10, 1000)] {
            let mut player = Player::new(Options { seed: 1, level, ..Options::default() });
            assert_eq!(player.analyze_position(&query, ProgressSink::default()).visits, 500);
            assert_eq!(player.choose(&query, GenmoveMode::Game, ProgressSink::default()).1.visits, visits);
            player.ponder(&query);
            let visits_after = player.choose(&query, GenmoveMode::Game, ProgressSink::default()).1.visits;
            assert_eq!(visits_after, if level == 10 { 2000 } else { 40 });
        }
    }

    /// White leads by more than Black can take, and there is much to play for.
    const LOST: [&str; 5] = ["....o.o", "xxxxooo", "xooooo.", "oo.oooo", ".oo.o.o"];

    #[test]
    fn a_lost_game_is_given_up_after_a_few_moves_and_never_when_asked_a_question() {
        let mut position = position(&LOST, "chinese", 0.5);
        for _ in 0..8 {
            position.pass(Color::Black);
            position.pass(Color::White);
        }
        let mut stubborn = player();
        stubborn.options.resign = false;
        let mut player = player();
        for expected in [false, false, true] {
            position.pass(Color::Black);
            position.pass(Color::White);
            // to ask about one position again and again is no series of moves
            for _ in 0..2 {
                assert_ne!(answer(&mut player, &position, GenmoveMode::NoResign), "resign");
                assert_eq!(answer(&mut player, &position, GenmoveMode::Game) == "resign", expected);
            }
            assert_ne!(answer(&mut stubborn, &position, GenmoveMode::Game), "resign");
        }
        player.forget();
        assert_ne!(answer(&mut player, &position, GenmoveMode::Game), "resign");
    }

    #[test]
    fn a_handicap_is_komi_that_melts_away() {
        let coordinate = Coordinate::square(19).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options::default();
        assert_eq!(extra_komi(&position, &options), 0.0);
        position.declare_handicap(4);
        let full = 4.0 * options.params.handicap_points;
        assert_eq!(extra_komi(&position, &options), full);
        let mut before = full;
        for point in coordinate.points().step_by(2) {
            let color = position.to_move();
            if position.play(color, point).is_ok() {
                assert!(extra_komi(&position, &options) <= before);
                before = extra_komi(&position, &options);
            }
        }
        assert_eq!(before, 0.0);
    }
}

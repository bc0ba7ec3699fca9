//! Time management: the budget of a search from the remaining time, without reading a clock.
//!
//! Times are seconds as `f64`. A move costs its search time and a little more, for communication and because a busy
//! machine stops late. [`ReservedTime`] is that extra time; it is reserved for this move, and for later moves that are
//! paid from the same time.
//!
//! The soft limit ends a search whose best move is clear, the hard limit any search. A search in which the second
//! most visited move cannot become the most visited one ends before, unless the rest of the time is lost, as in
//! byo-yomi and without a clock. Shares of main time follow the usual scheme of dividing by an expected number of moves,
//! with more time in the middle game: S.-C. Huang, R. Coulom, S.-S. Lin, "Time Management for Monte-Carlo Tree Search
//! Applied to the Game of Go", TAAI 2010.

use std::time::Duration;

use crate::player::clock::{Overtime, RemainingTime};
use crate::search::TimeBudget;
use crate::search::limits::MIN_SECONDS;

/// Seconds reserved for a move beyond its search: the option `LagBuffer`, and the overrun that was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ReservedTime {
    /// For the current move.
    pub current: f64,
    /// For each later move, on average.
    pub later: f64,
}

/// Upper limit of a recorded overrun: a greater one comes from a clock that jumped or a suspended machine.
const MAX_OVERRUN: Duration = Duration::from_secs(1);

/// The time of recent moves beyond the hard limits of their budgets.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct OverrunTracker {
    /// The greatest overrun, less 10% for each move since.
    peak: Duration,
    /// The exponential moving average, with a weight of 10% for the last move.
    mean: Duration,
}

impl OverrunTracker {
    /// Records a move's time beyond its hard limit, zero if it kept to it:
    ///
    /// ```text
    /// peak = max(0.9 · peak, overrun)        mean = 0.9 · mean + 0.1 · overrun
    /// ```
    pub(super) fn record(&mut self, overrun: Duration) {
        let overrun = overrun.min(MAX_OVERRUN);
        self.peak = (self.peak * 9 / 10).max(overrun);
        self.mean = (self.mean * 9 + overrun) / 10;
    }

    /// The time to reserve: the configured lag in seconds and the peak overrun for the current move, the lag and the
    /// mean overrun for later ones.
    pub(crate) fn reserved_time(self, lag_buffer: f64) -> ReservedTime {
        ReservedTime { current: lag_buffer + self.peak.as_secs_f64(), later: lag_buffer + self.mean.as_secs_f64() }
    }
}

/// The progress of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameProgress {
    /// Points of the board.
    pub area: usize,
    /// Moves of both players so far.
    pub moves_played: usize,
    /// Points without a stone.
    pub empty: usize,
}

/// Ratio of the hard to the soft limit.
const HARD_RATIO: f64 = 3.0;

/// While main time lasts, a move takes at least this multiple of its overtime. If each doubling of a move's time gains
/// the same strength, main time `m` spent as `x` times the overtime `b` gives `m / (x·b)` moves a gain of `ln x` each.
/// The total, proportional to `ln x / x`, is greatest at `x = e`.
const OVERTIME_MULTIPLE: f64 = std::f64::consts::E;

// The constants below were chosen by hand.

/// Least share of main time for a move, as a multiple of an equal share for each move of a very long game.
const MIN_EQUAL_SHARE: f64 = 0.2;

/// Part of the spare main time that one move may use.
const MAX_SPARE_PART: f64 = 0.3;

/// Share of the costs of later moves that the hard limit leaves unused, besides the costs themselves.
const COST_MARGIN: f64 = 0.3;

/// Moves of a very long game for each point of the board, and beyond these.
const LONG_GAME_MOVES_PER_POINT: f64 = 1.2;
const LONG_GAME_EXTRA_MOVES: f64 = 60.0;

/// Least number of own moves that a very long game may still have.
const MIN_LONG_GAME_MOVES: f64 = 50.0;

/// The budget of a search from the remaining time; `reserved` is the time that the move takes beside its search.
///
/// No game is lost on time, even if every move takes the hard limit and then all of `reserved`, with one exception: if
/// `reserved` alone would use up half of the time of a long game, moves are played almost at once, and the game may
/// still be lost.
pub(crate) fn time_budget(remaining: RemainingTime, reserved: ReservedTime, progress: GameProgress) -> TimeBudget {
    let RemainingTime { main, overtime } = remaining;
    let reserved = ReservedTime { current: reserved.current.max(0.0), later: reserved.later.max(0.0) };
    match overtime {
        Overtime::None => from_main_time(main, reserved, 0.0, progress),
        Overtime::Canadian { seconds, stones } if main <= 0.0 => {
            within_canadian_period(seconds, f64::from(stones), reserved)
        }
        Overtime::ByoYomi { seconds, .. } if main <= 0.0 => {
            TimeBudget::new(seconds - reserved.current, seconds - reserved.current).with_expiring_time()
        }
        Overtime::Canadian { seconds, stones } => {
            let stones = f64::from(stones.max(1));
            before_overtime(main, (seconds - reserved.later * stones) / stones, reserved, progress)
        }
        Overtime::ByoYomi { seconds, .. } => before_overtime(main, seconds - reserved.later, reserved, progress),
        Overtime::Fischer { increment, max_per_move } => {
            let budget = from_main_time(main, reserved, increment, progress);
            match max_per_move {
                Some(max) => budget.capped(max - reserved.current),
                None => budget,
            }
        }
    }
}

/// The budget from main time that has to last for the rest of the game and grows by `increment` with each move:
///
/// ```text
/// now   = main - reserved.current
/// costs = max(0, reserved.later + MIN_SECONDS - increment) · (max_moves - 1)        what later moves cost in a long game
/// spare = now - costs
/// share = max(spare / shares, 0.2 · now / max_moves)
/// gain  = max(0, increment - reserved.later)
/// soft  = share + gain
/// hard  = max(share, min(3 · share, 0.3 · (spare - 0.3 · costs))) + gain       both at most `now`
/// ```
///
/// with `max_moves` from [`GameProgress::max_moves_left`] and `shares` from [`GameProgress::shares`]. The lower bound
/// of `share` uses some time even where the reserved time could be all of it, because long games are rare and it is a worst
/// case; there the hard limit equals the soft one.
fn from_main_time(main: f64, reserved: ReservedTime, increment: f64, progress: GameProgress) -> TimeBudget {
    let now = main - reserved.current;
    let moves = progress.max_moves_left();
    let costs = (reserved.later + MIN_SECONDS - increment).max(0.0) * (moves - 1.0);
    let spare = now - costs;
    let share = (spare / progress.shares()).max(MIN_EQUAL_SHARE * now / moves);
    let stretched = (share * HARD_RATIO).min((spare - COST_MARGIN * costs) * MAX_SPARE_PART).max(share);
    let gain = (increment - reserved.later).max(0.0);
    TimeBudget::new(share + gain, stretched + gain).capped(now)
}

/// The budget from main time after which each move has `after` seconds of overtime, reserved time subtracted:
///
/// ```text
/// soft = max((main - reserved.current) / shares, e · after)
/// hard = 3 · soft                                        both at most `main + after + reserved.later - reserved.current`
/// ```
fn before_overtime(main: f64, after: f64, reserved: ReservedTime, progress: GameProgress) -> TimeBudget {
    // overtime too short for a search counts as none
    if after <= MIN_SECONDS {
        return from_main_time(main, reserved, 0.0, progress);
    }
    let soft = ((main - reserved.current) / progress.shares()).max(after * OVERTIME_MULTIPLE);
    TimeBudget::new(soft, soft * HARD_RATIO).capped(main + after + reserved.later - reserved.current)
}

/// The budget from a period of Canadian overtime with `seconds` left for `stones` moves:
///
/// ```text
/// free = seconds - reserved.current - (reserved.later + MIN_SECONDS) · (stones - 1)
/// soft = free / stones        hard = 2 · free / (stones + 1)
/// ```
///
/// The last move takes all of the rest, which would be lost.
fn within_canadian_period(seconds: f64, stones: f64, reserved: ReservedTime) -> TimeBudget {
    let stones = stones.max(1.0);
    let free = seconds - reserved.current - (reserved.later + MIN_SECONDS) * (stones - 1.0);
    let budget = TimeBudget::new(free / stones, free * 2.0 / (stones + 1.0));
    if stones > 1.0 { budget } else { budget.with_expiring_time() }
}

impl GameProgress {
    /// Moves played so far; stones of a position that was set up count as played.
    fn moves(self) -> f64 {
        self.moves_played.max(self.area.saturating_sub(self.empty)) as f64
    }

    /// Expected number of moves of one player until the end, when three quarters of the board are full:
    /// `max((empty - area / 4) / 2, 10 + area / 20)` in whole numbers.
    fn moves_left(self) -> usize {
        let area = self.area.max(1);
        (self.empty.min(area).saturating_sub(area / 4) / 2).max(10 + area / 20)
    }

    /// Number of moves of one player until the end of a very long game: `(1.2 · area + 60 - moves) / 2`, at least 50.
    fn max_moves_left(self) -> f64 {
        ((self.area as f64 * LONG_GAME_MOVES_PER_POINT + LONG_GAME_EXTRA_MOVES - self.moves()) / 2.0)
            .max(MIN_LONG_GAME_MOVES)
    }

    /// The number of shares that main time is divided into: the sum of the [`importance`] of this and later moves of
    /// one player, relative to that of this move.
    fn shares(self) -> f64 {
        let area = self.area.max(1) as f64;
        let played = self.moves();
        let all: f64 = (0..self.moves_left()).map(|number| importance((played + 2.0 * number as f64) / area)).sum();
        all / importance(played / area)
    }
}

/// The relative time of a move after `progress` moves per point of the board. Piecewise linear: 0.7 in the opening up
/// to 0.04, 1.2 in the middle game from 0.1 to 0.45, 0.5 in the endgame from 0.75.
fn importance(progress: f64) -> f64 {
    const OPENING: f64 = 0.7;
    const MIDDLE: f64 = 1.2;
    const END: f64 = 0.5;
    /// Moves per point at which the opening, the middle game and the endgame give way to each other.
    const TO_MIDDLE: [f64; 2] = [0.04, 0.1];
    const TO_END: [f64; 2] = [0.45, 0.75];
    let between = |[from, to]: [f64; 2]| ((progress - from) / (to - from)).clamp(0.0, 1.0);
    OPENING + (MIDDLE - OPENING) * between(TO_MIDDLE) + (END - MIDDLE) * between(TO_END)
}

#[cfg(test)]
mod tests;

//! The final score: the status of all stones, the endgame fill-in, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use std::fmt;

use crate::kernel::{
    Color, Move, Point, PointSet, Position, Score, ScoreInput, Scoring, areas, score, seki_by_definition,
    without_taxed_territory,
};
use crate::net::Net;
use crate::player::ending::endgame_net_search::EndgameNetSearch;
use crate::player::ending::{FillInResult, Reading, Stage, fill_in_end, has_few_moves_beyond_dame, stage};
use crate::player::estimate::{Estimate, USUAL_OWNERSHIP_BOUND, estimate, probable_score};
use crate::player::fixed_search::{UserInterrupt, seed, without_history};
use crate::player::group_search::resolve_unsettled_groups;
use crate::player::seki;
use crate::player::status::{Status, all_stones, classify_with_ownership, status_by_katago_or_playouts, status_by_net};
use crate::search::StopSignal;

/// The status and score of a position as if both players agreed to stop, or an estimate of an unfinished game.
#[derive(Clone, Debug)]
pub struct FinalScore {
    /// The status of each stone on the board.
    pub status: Status,
    /// The score, in a finished game after the endgame fill-in, and after dead stones were removed.
    pub score: Score,
    /// The moves of the fill-in: dame, reinforcements, and with a net any others. A player without a move passed.
    pub filled: Vec<(Color, Point)>,
    /// The points of Black and of White at the end: living stones, and territory that counts. Neither has territory that
    /// is taxed for a seki, nor, under territory scoring, points that the fill-in took.
    pub areas: [PointSet; 2],
    /// Whether only dame and reinforcements were left. If not, the score is an estimate, except after two passes and by
    /// rules without agreement on dead stones. In an estimate empty points count for their probable owners; with a net
    /// the count stands if it is nearer to the net's lead.
    pub is_finished: bool,
    /// In an estimate by a net's search, the standard deviation of the final score as the net predicts it, in points;
    /// else `None`.
    pub score_stdev: Option<f32>,
}

/// No score, because a user interrupted the command before the count was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted before the score was counted")
    }
}

impl std::error::Error for Interrupted {}

/// As [`CLOSE_TO_LEAD`] if only one colour has living stones. The smallest group that lives has seven points, in the
/// corner. If it lives after all, the score changes by twice as much, 14 points; this is half of that.
const CLOSE_TO_LEAD_OF_ONE_COLOR: f64 = 7.0;

// `CLOSE_TO_LEAD` to `EXPECTED_GAIN` were chosen on professional games, see docs/scoring.md.

/// Points between the count and a net's lead up to which no fill-in by the net follows.
const CLOSE_TO_LEAD: f64 = 0.5;

/// The votes of the count and of each fill-in by a net.
const VOTES: [f64; 4] = [0.8, 0.5, 0.5, 0.5];

/// The square of a distance from the lead, in points, that outweighs a vote.
const SQUARED_DISTANCE_PER_VOTE: f64 = 4.0;

/// Greater distances from the lead count as this one, in points.
const MAX_DISTANCE: f64 = 2.0;

/// Points by which a net's lead favours the side to move at the end of a game under territory scoring: the net expects
/// that it still gains something, while players who agree to stop see nothing left to gain.
const EXPECTED_GAIN: f64 = 0.35;

/// Points between the count and a net's lead, or the score by its ownership, beyond which the game is taken for
/// unfinished. At the ends of games on 19x19 the lead of the built-in net errs by 0.5 points in the median, in 19 of 20
/// by at most 3, and in 99 of 100 by at most 10.
const MAX_FINISHED_LEAD_ERROR: f64 = 12.0;

/// Points between the count and the score by a net's ownership up to which they are the same result.
const SAME_RESULT: f64 = 2.0;

/// Visits for each move of the fill-ins by a net.
const MOVE_VISITS: u64 = 8;

impl FinalScore {
    /// The owner of a point at the end: `None` for a dame, for territory that is taxed for a seki, and under territory
    /// scoring for a point that the fill-in took.
    pub fn owner(&self, point: Point) -> Option<Color> {
        Color::BOTH.into_iter().zip(&self.areas).find_map(|(color, area)| area.contains(point).then_some(color))
    }

    /// The move of `to_move` that the score expects: the first of the fill-in if it is of this colour, or a pass.
    pub(crate) fn expected_move(&self, to_move: Color) -> Move {
        self.filled.first().filter(|(color, _)| *color == to_move).map_or(Move::Pass, |&(_, point)| Move::Play(point))
    }
}

impl From<Estimate> for FinalScore {
    fn from(Estimate { status, score, areas }: Estimate) -> FinalScore {
        FinalScore { status, score, filled: Vec::new(), areas, is_finished: false, score_stdev: None }
    }
}

/// Scores a position as if both players agreed that the game is over: dame are filled and reinforcements added first,
/// and listed in [`FinalScore::filled`]. Under rules without agreement on dead stones
/// ([`GameRule::has_agreement`](crate::kernel::GameRule::has_agreement) is false) every stone on the board is alive, nothing
/// is played, and taxes are those of [`seki_by_definition`].
///
/// If the game is neither finished nor ended by two passes, the score is an estimate.
///
/// The result depends on stones, ko, side to move, prisoners, handicap, button, passes and rules, and under superko on
/// the boards before, but not on earlier searches.
pub fn final_score(position: &Position) -> FinalScore {
    final_score_with(position, None)
}

/// The score as of [`final_score`], checked by a net with a score head. It searches for reinforcements, and if its lead
/// differs from the count, searches by it fill the end in up to three times more; the votes of the scores, and their
/// distances from the lead, decide. A net of KataGo also decides which stones are dead. With a native net, or if too
/// much is unsettled for a fill-in, a game whose count differs by more than 12 points from the lead, and from the score
/// by the net's ownership, is unfinished. An unfinished position is estimated by the ownership of the net's search,
/// unless its count is nearer to the lead. If the game has not ended in a pass, the net knows the last moves, too.
pub fn final_score_with(position: &Position, net: Option<&Net>) -> FinalScore {
    score_unless_interrupted(position, net, UserInterrupt::default())
}

/// The score as of [`final_score_with`], unless a user interrupts the command meanwhile. The end of the input does not.
///
/// # Errors
/// After an interrupt.
pub(crate) fn interruptible_final_score(
    position: &Position,
    net: Option<&Net>,
    stop_signal: &StopSignal,
) -> Result<FinalScore, Interrupted> {
    let interrupt = UserInterrupt::by(stop_signal);
    let score = score_unless_interrupted(position, net, interrupt);
    if interrupt.is_raised() { Err(Interrupted) } else { Ok(score) }
}

/// The score, or any value after an interrupt.
fn score_unless_interrupted(position: &Position, net: Option<&Net>, interrupt: UserInterrupt<'_>) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let has_katago_net = net.is_some_and(|net| net.katago().is_some());
    let mut status = status_by_katago_or_playouts(position, net);
    if !rule.has_agreement() {
        return score_with_ladders_only(position, status);
    }
    let reached = stage(board, rule.scoring, &status);
    let is_counted = position.is_over() || reached == Stage::Finished;
    if is_counted && reached >= Stage::Late && !has_katago_net {
        let margin = |status: &Status| {
            let can_be_filled_in = stage(board, rule.scoring, status) >= Stage::Late;
            can_be_filled_in.then(|| score_with_ladders_only(position, status.clone()).score.margin())
        };
        status = resolve_unsettled_groups(position, status, margin, interrupt);
    }
    let net = net.filter(|net| net.has_score(board.coordinate()));
    match net.and_then(|net| NetCheck::new(net, position, interrupt)) {
        Some(check) if has_katago_net && reached >= Stage::Late => check.corrected(&status, check.count(&status)),
        Some(check) => score_checked_by_net(check, &status, is_counted),
        None => {
            let count = || score_with_status(position, status.clone(), Reading::LookAhead, None, interrupt);
            let counted = is_counted.then(count).filter(|counted| counted.is_finished || position.is_over());
            counted.unwrap_or_else(|| estimate(position, status.clone(), None).into())
        }
    }
}

/// A net's view of the end of a game.
struct NetCheck<'a> {
    net: &'a Net,
    position: &'a Position,
    /// The position from which the net searches. After a pass the search would end with the next one, and count dead stones
    /// as alive, so this position has no history then.
    start: Position,
    /// The points to add to Black's margin in `start`.
    points: f64,
    search: EndgameNetSearch<'a>,
    /// Black's lead in the position, in points.
    lead: f64,
    /// The standard deviation of the final score in points, after [`NetCheck::status_by_search`].
    score_stdev: Option<f32>,
    interrupt: UserInterrupt<'a>,
}

impl<'a> NetCheck<'a> {
    /// Searches for the lead. `None` if the position cannot be set up without its history.
    fn new(net: &'a Net, position: &'a Position, interrupt: UserInterrupt<'a>) -> Option<NetCheck<'a>> {
        let (start, points) =
            if position.ending_passes() > 0 { without_history(position)? } else { (position.clone(), 0.0) };
        let mut search = EndgameNetSearch::new(net, seed(position.board(), position.to_move()), interrupt);
        let lead = search.lead(&start) + points;
        Some(NetCheck { net, position, start, points, search, lead, score_stdev: None, interrupt })
    }

    /// The points between a score and the lead.
    fn distance(&self, score: &FinalScore) -> f64 {
        (score.score.margin() - self.lead).abs()
    }

    /// The lead of a game that the players have stopped, see [`EXPECTED_GAIN`].
    fn lead_at_end(&self) -> f64 {
        match self.position.rule().scoring {
            Scoring::Area => self.lead,
            Scoring::Territory => self.lead - EXPECTED_GAIN * f64::from(self.start.to_move().sign()),
        }
    }

    /// The distance of a score from the [lead](Self::lead_at_end).
    fn distance_at_end(&self, score: &FinalScore) -> f64 {
        (score.score.margin() - self.lead_at_end()).abs()
    }

    /// The count after the fill-in and the reinforcements that the net finds.
    fn count(&self, status: &Status) -> FinalScore {
        score_with_status(self.position, status.clone(), Reading::LookAhead, Some(self.net), self.interrupt)
    }

    /// The count if it is close to the [lead](Self::lead_at_end); else the count or the score of a fill-in by
    /// searches, whichever has the most [`VOTES`], less one for each [`SQUARED_DISTANCE_PER_VOTE`] from the lead. A
    /// fill-in that is farther from the lead than [`MAX_FINISHED_LEAD_ERROR`] has no vote. `status` is that of the
    /// stones of the position. If only one colour has living stones, the count stands within
    /// [`CLOSE_TO_LEAD_OF_ONE_COLOR`] of the lead: nothing is left to fill in, and nets estimate it badly there.
    fn corrected(&self, status: &Status, counted: FinalScore) -> FinalScore {
        let has_both_colors = status.has_both_colors(self.position.board());
        let close = if has_both_colors { CLOSE_TO_LEAD } else { CLOSE_TO_LEAD_OF_ONE_COLOR };
        if self.distance_at_end(&counted) <= close {
            return counted;
        }
        let deduction =
            |score: &FinalScore| self.distance_at_end(score).min(MAX_DISTANCE).powi(2) / SQUARED_DISTANCE_PER_VOTE;
        let is_finished = counted.is_finished;
        let [of_count, of_fill_ins @ ..] = VOTES;
        let mut rating = of_count - deduction(&counted);
        // other scores, each with its votes less the deduction
        let mut others: Vec<(f64, FinalScore)> = Vec::new();
        for (number, vote) in of_fill_ins.into_iter().enumerate() {
            let ratings = std::iter::once(rating).chain(others.iter().map(|(rating, _)| *rating));
            if self.interrupt.is_raised() || is_decided(ratings, of_fill_ins.iter().skip(number).sum()) {
                break;
            }
            let score =
                score_after_fill_in(self.position, status.clone(), self.fill_in(number as u64 + 1), is_finished);
            // its few visits for each move have lost a group
            if self.distance_at_end(&score) > MAX_FINISHED_LEAD_ERROR {
                continue;
            }
            let margin = score.score.margin();
            if margin == counted.score.margin() {
                rating += vote;
            } else if let Some((rating, _)) = others.iter_mut().find(|(_, other)| other.score.margin() == margin) {
                *rating += vote;
            } else {
                others.push((vote - deduction(&score), score));
            }
        }
        // of equal ratings the first counts
        let best = |best: (f64, FinalScore), other: (f64, FinalScore)| if other.0 > best.0 { other } else { best };
        others.into_iter().fold((rating, counted), best).1
    }

    /// The end of the game filled in by searches, then, for what remains, by the fill-in by threats. Fill-ins of different
    /// numbers have other random numbers, and see the positions in other symmetries.
    fn fill_in(&self, number: u64) -> FillInResult {
        let seed = seed(self.position.board(), self.position.to_move()).wrapping_add(number);
        let (mut moves, after) =
            EndgameNetSearch::new(self.net, seed, self.interrupt).fill_in(&self.start, MOVE_VISITS);
        let status = status_by_net(&after, self.net);
        let fill_in = fill_in_end(&after, &status, Reading::Ladders, Some(self.net), self.interrupt);
        moves.extend(fill_in.moves);
        let captured =
            |color: Color| after.prisoners(color) - self.start.prisoners(color) + fill_in.captured[color.index()];
        FillInResult { captured: Color::BOTH.map(captured), moves, ..fill_in }
    }

    /// The estimate by the net's ownership and lead. `status` is that of the stones by the net.
    fn estimate(&self, status: Status) -> FinalScore {
        FinalScore::from(estimate(self.position, status, Some(self.lead)))
    }

    /// The count of an unfinished game if it has ended by two passes; else the count or the estimate by the net's
    /// ownership, whichever is nearer to the lead. `status` is that of the stones by the net.
    fn estimate_or_count(&self, status: Status, counted: FinalScore) -> FinalScore {
        if self.position.is_over() {
            return counted;
        }
        let estimated = self.estimate(status);
        let nearest = if self.distance(&counted) < self.distance(&estimated) { counted } else { estimated };
        FinalScore { score_stdev: self.score_stdev, ..nearest }
    }

    /// Searches for the status of the stones by the net's ownership, and for a better lead.
    fn status_by_search(&mut self) -> Status {
        let (ownership, lead, stdev) = self.search.ownership_and_lead(&self.start);
        (self.lead, self.score_stdev) = (lead + self.points, Some(stdev));
        classify_with_ownership(self.position.board(), ownership, seki::MAX_NODES)
    }
}

/// Whether no distribution of the remaining votes changes the winner. They may go to one of the others, or to a new one
/// from 0.
fn is_decided(ratings: impl Iterator<Item = f64>, votes_left: f64) -> bool {
    let (mut best, mut second) = (f64::NEG_INFINITY, 0.0_f64);
    for rating in ratings {
        if rating > best {
            second = second.max(best);
            best = rating;
        } else {
            second = second.max(rating);
        }
    }
    best > second + votes_left
}

/// The count if a net does not contradict it, or if the game has ended; else the count or the estimate by the net's
/// ownership, whichever is nearer to its lead. In order:
///
/// | Condition | Result |
/// | --- | --- |
/// | finished by the count, which is within [`MAX_FINISHED_LEAD_ERROR`] of the net's lead | the count, corrected |
/// | finished neither by status nor by the net's ownership | the estimate |
/// | finished by the net's ownership, whose score is within [`SAME_RESULT`] of the count | the count, corrected |
/// | finished by the count, which is within [`MAX_FINISHED_LEAD_ERROR`] of that score | the count, corrected |
/// | finished by the net's ownership only, and the count with the net's status of stones is within [`SAME_RESULT`] of that score and within [`MAX_FINISHED_LEAD_ERROR`] of the lead | that count, corrected |
/// | ended by two passes | the count |
/// | otherwise | the count or the estimate, by the lead |
///
/// `status` is that of the stones by playouts. `is_counted`: whether the game has ended, or is finished by this status.
/// Otherwise it is counted, which takes time, only if it is finished by the net's ownership.
fn score_checked_by_net(mut check: NetCheck<'_>, status: &Status, is_counted: bool) -> FinalScore {
    let position = check.position;
    let (board, scoring) = (position.board(), position.rule().scoring);
    let counted = is_counted.then(|| check.count(status));
    if let Some(counted) = counted.as_ref().filter(|counted| counted.is_finished)
        && check.distance(counted) <= MAX_FINISHED_LEAD_ERROR
    {
        return check.corrected(status, counted.clone());
    }
    let status_by_net = check.status_by_search();
    let is_finished_by_net = stage(board, scoring, &status_by_net) == Stage::Finished;
    let Some(counted) = counted.or_else(|| is_finished_by_net.then(|| check.count(status))) else {
        return FinalScore { score_stdev: check.score_stdev, ..check.estimate(status_by_net) };
    };
    // the lead is a mean over the ways in which an unsettled group may end, the probable score is one of them
    let probable = probable_score(position, status_by_net.clone(), USUAL_OWNERSHIP_BOUND).score.margin();
    let from_probable = |counted: &FinalScore| (counted.score.margin() - probable).abs();
    // playouts can leave dead groups without a clear owner, and the net does not
    let is_same = is_finished_by_net
        && from_probable(&counted) <= SAME_RESULT
        && has_few_moves_beyond_dame(board, &status_by_net, counted.filled.len());
    if is_same || (counted.is_finished && from_probable(&counted) <= MAX_FINISHED_LEAD_ERROR) {
        return check.corrected(status, FinalScore { is_finished: true, ..counted });
    }
    if is_finished_by_net && !counted.is_finished {
        // the status of the stones by playouts left too much open for a fill-in
        let counted = check.count(&status_by_net);
        if counted.is_finished
            && from_probable(&counted) <= SAME_RESULT
            && check.distance(&counted) <= MAX_FINISHED_LEAD_ERROR
        {
            return check.corrected(&status_by_net, counted);
        }
    }
    check.estimate_or_count(status_by_net, FinalScore { is_finished: false, ..counted })
}

/// Scores a position with a given status of its stones, without the searches for reinforcements, which take time.
pub(super) fn score_with_ladders_only(position: &Position, status: Status) -> FinalScore {
    score_with_status(position, status, Reading::Ladders, None, UserInterrupt::default())
}

/// Scores a position with a given status of its stones. A net with a score head searches for further reinforcements.
fn score_with_status(
    position: &Position,
    mut status: Status,
    reading: Reading,
    net: Option<&Net>,
    interrupt: UserInterrupt<'_>,
) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let is_agreed = rule.has_agreement();
    if !is_agreed {
        status.alive = all_stones(board);
        status.seki = PointSet::new();
        status.dead = PointSet::new();
    }
    let stage = stage(board, rule.scoring, &status);
    if !is_agreed || stage < Stage::Late {
        let fill_in = FillInResult::as_it_stands(position, &status);
        return score_after_fill_in(position, status, fill_in, stage == Stage::Finished);
    }
    let fill_in = fill_in_end(position, &status, reading, net, interrupt);
    let is_finished = stage == Stage::Finished && has_few_moves_beyond_dame(board, &status, fill_in.moves.len());
    score_after_fill_in(position, status, fill_in, is_finished)
}

/// The score after a fill-in, with the status of the stones before it by what became of them.
fn score_after_fill_in(
    position: &Position,
    mut status: Status,
    fill_in: FillInResult,
    is_finished: bool,
) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let defined = (!rule.has_agreement()).then(|| seki_by_definition(board));
    let prisoners = Color::BOTH.map(|color| position.prisoners(color) + fill_in.captured[color.index()]);
    let seki = defined.as_ref().unwrap_or(&fill_in.seki);
    let input = position.score_input(&fill_in.dead, seki);
    // an open button goes to the first player who passes
    let button = if position.is_button_open() { Some(fill_in.first_to_pass(position.to_move())) } else { input.button };
    let input = ScoreInput { board: &fill_in.board, prisoners, button, ..input };
    let mut areas = without_taxed_territory(&input, areas(&fill_in.board, &fill_in.dead));
    if rule.scoring == Scoring::Territory {
        let is_filled = |&p: &Point| fill_in.board.stone(p) != board.stone(p) && !fill_in.dead.contains(p);
        for point in all_stones(&fill_in.board).iter().filter(is_filled) {
            areas.iter_mut().for_each(|area| area.remove(point));
        }
    }
    for point in all_stones(board).iter() {
        // a stone may be captured, or a ko won, during the fill-in
        let stands = fill_in.board.stone(point) == board.stone(point) && !fill_in.dead.contains(point);
        if stands && status.seki.contains(point) {
            continue;
        }
        status.seki.remove(point);
        if stands {
            status.dead.remove(point);
            status.alive.insert(point);
        } else {
            status.alive.remove(point);
            status.dead.insert(point);
        }
    }
    FinalScore { status, score: score(&input), filled: fill_in.moves, areas, is_finished, score_stdev: None }
}

#[cfg(test)]
mod tests {
    use super::is_decided;

    #[test]
    fn votes_that_are_left_can_decide() {
        for (ratings, votes_left, expected) in [
            (&[0.75][..], 1.5, false),
            (&[1.25], 1.0, true),
            // a new score can reach 1
            (&[1.0], 1.0, false),
            (&[0.5, 1.25], 0.5, true),
            (&[0.75, 1.25], 0.5, false),
            (&[1.25, 0.75], 0.5, false),
            (&[-0.25, 0.75], 0.5, true),
            (&[0.5, 0.25], 0.0, true),
        ] {
            assert_eq!(is_decided(ratings.iter().copied(), votes_left), expected, "{ratings:?} {votes_left}");
        }
    }
}

//! The final score: the status of all stones, the endgame fill-in, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use std::sync::Arc;

use crate::kernel::{
    Color, GameRule, Ko, Point, PointSet, Position, Score, ScoreInput, Scoring, areas, score, seki_by_definition,
    without_taxed_territory,
};
use crate::net::Net;
use crate::player::ending::end_search::EndSearch;
use crate::player::ending::{FilledIn, ReadingDepth, Stage, fill_in_end, has_few_moves_beyond_dame, stage};
use crate::player::estimate::{Estimate, USUAL_OWNERSHIP_BOUND, estimate, probable_score};
use crate::player::fixed_search::{seed, without_history};
use crate::player::group_search::resolve_unsettled_groups;
use crate::player::seki;
use crate::player::status::{Status, all_stones, classify_with_ownership, status_of};
use crate::search::history_hash;

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
    /// Whether the game is finished but for such moves. If not, and the players neither passed twice nor play by rules
    /// without agreement on dead stones, the score is an estimate: empty points count for their probable owner.
    pub is_finished: bool,
}

/// A final score with its inputs.
#[derive(Debug)]
pub(super) struct CachedScore {
    key: ScoreKey,
    net: Option<Arc<Net>>,
    pub(super) score: FinalScore,
}

/// The inputs of a score, without the net.
#[derive(PartialEq, Debug)]
struct ScoreKey {
    history: u64,
    ko: Option<Ko>,
    to_move: Color,
    rule: GameRule,
    prisoners: [u32; 2],
    handicap: usize,
    passes: usize,
}

/// Points between the count and a net's lead up to which the count stands.
const MAX_KATAGO_LEAD_ERROR: f64 = 0.7;

/// Points between the nearest score and the lead up to which no further fill-in follows.
const CLOSE_TO_LEAD: f64 = 0.5;

/// Points between the count and a net's lead, or the score by its ownership, beyond which the game is taken for
/// unfinished. At the ends of games on 19x19 the lead of the built-in net errs by 0.7 points in the median, and in 19 of
/// 20 by at most 12.
const MAX_SMALL_NET_LEAD_ERROR: f64 = 12.0;

/// Points between the count and the score by a net's ownership up to which they are the same result.
const SAME_RESULT: f64 = 2.0;

/// Visits for each move of the fill-ins by a net.
const MOVE_VISITS: [u64; 2] = [8, 32];

impl FinalScore {
    /// The owner of a point at the end: `None` for a dame, for territory that is taxed for a seki, and under territory
    /// scoring for a point that the fill-in took.
    pub fn owner(&self, point: Point) -> Option<Color> {
        Color::BOTH.into_iter().zip(&self.areas).find_map(|(color, area)| area.contains(point).then_some(color))
    }
}

impl From<Estimate> for FinalScore {
    fn from(Estimate { status, score, areas }: Estimate) -> FinalScore {
        FinalScore { status, score, filled: Vec::new(), areas, is_finished: false }
    }
}

impl CachedScore {
    pub(super) fn new(position: &Position, net: Option<&Arc<Net>>, score: FinalScore) -> CachedScore {
        CachedScore { key: ScoreKey::new(position), net: net.cloned(), score }
    }

    /// Whether it is the score of a position with a net.
    pub(super) fn is_of(&self, position: &Position, net: Option<&Arc<Net>>) -> bool {
        let is_same_net = match (&self.net, net) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_net && self.key == ScoreKey::new(position)
    }
}

impl ScoreKey {
    fn new(position: &Position) -> ScoreKey {
        ScoreKey {
            history: history_hash(position),
            ko: position.banned_ko(),
            to_move: position.to_move(),
            rule: *position.rule(),
            prisoners: Color::BOTH.map(|color| position.prisoners(color)),
            handicap: position.handicap(),
            passes: position.ending_passes(),
        }
    }
}

/// Scores a position as if both players agreed that the game is over: dame are filled and reinforcements added first,
/// and listed in [`FinalScore::filled`]. Under rules without agreement on dead stones ([`GameRule::has_agreement`] is
/// false) every stone on the board is alive, nothing is played, and taxes are those of [`seki_by_definition`].
///
/// If the game is neither finished nor ended by two passes, the score is an estimate.
///
/// The result depends on stones, ko, side to move, prisoners, handicap, button, passes and rules, and under superko on
/// the boards before, but not on earlier searches.
pub fn final_score(position: &Position) -> FinalScore {
    final_score_with(position, None)
}

/// The score as of [`final_score`], checked by a net with a score head. A net of KataGo decides which stones are dead;
/// if its lead contradicts the count, it fills the end in by searches, and the score nearest to the lead counts. If the
/// lead of another net contradicts the count, and so does its ownership, the game is unfinished. An unfinished position
/// is estimated by the ownership of the net's search. If the game has not ended in a pass, the net knows the last moves,
/// too.
pub fn final_score_with(position: &Position, net: Option<&Net>) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let katago = net.filter(|net| net.katago().is_some());
    let mut status = status_of(position, katago);
    if !rule.has_agreement() {
        return score_with_status(position, status, ReadingDepth::Searches);
    }
    let reached = stage(board, rule.scoring, &status);
    let is_counted = position.is_over() || reached == Stage::Finished;
    if is_counted && reached >= Stage::Late && katago.is_none() {
        status = resolve_unsettled_groups(position, status, |status| {
            let can_be_filled_in = stage(board, rule.scoring, status) >= Stage::Late;
            can_be_filled_in.then(|| score_with_ladders_only(position, status.clone()).score.margin())
        });
    }
    let full_count = || score_with_status(position, status.clone(), ReadingDepth::Searches);
    match net.filter(|net| net.has_score(board.coordinate())) {
        Some(net) if katago.is_some() && reached >= Stage::Late => {
            correct_with_katago_net(net, position, &status, full_count())
        }
        Some(net) => check_with_small_net(net, position, is_counted, full_count),
        None => {
            let counted = is_counted.then(full_count).filter(|counted| counted.is_finished || position.is_over());
            counted.unwrap_or_else(|| estimate(position, status.clone(), None).into())
        }
    }
}

/// A position from which a net's search scores another one, and the points to add to Black's margin in it. After a pass
/// the search would end with the next one, and count dead stones as alive.
fn start_of_search(position: &Position) -> Option<(Position, f64)> {
    if position.ending_passes() > 0 { without_history(position) } else { Some((position.clone(), 0.0)) }
}

/// The count if a net does not contradict it, or if the game has ended; else the count or the estimate by the net's
/// ownership, whichever is nearer to its lead. In order:
///
/// | Condition | Result |
/// | --- | --- |
/// | finished by the count, which is within [`MAX_SMALL_NET_LEAD_ERROR`] of the net's lead | the count |
/// | finished neither by status nor by the net's ownership | the estimate |
/// | finished by the net's ownership, whose score is within [`SAME_RESULT`] of the count | the count, finished |
/// | finished by the count, which is within [`MAX_SMALL_NET_LEAD_ERROR`] of that score | the count, finished |
/// | ended by two passes | the count |
/// | otherwise | the count or the estimate, by the lead |
///
/// `is_counted`: whether the game has ended, or is finished by the status of its stones. Otherwise `full_count`, which
/// takes time, is called only if the game is finished by the net's ownership.
fn check_with_small_net(
    net: &Net,
    position: &Position,
    is_counted: bool,
    full_count: impl Fn() -> FinalScore,
) -> FinalScore {
    let (board, scoring) = (position.board(), position.rule().scoring);
    let Some((start, points)) = start_of_search(position) else { return full_count() };
    let mut search = EndSearch::new(net, seed(board, position.to_move()));
    let difference = |counted: &FinalScore, margin: f64| (counted.score.margin() - margin).abs();
    let lead = search.lead(&start) + points;
    let counted = is_counted.then(&full_count);
    if let Some(counted) = counted.as_ref().filter(|counted| counted.is_finished)
        && difference(counted, lead) <= MAX_SMALL_NET_LEAD_ERROR
    {
        return counted.clone();
    }
    let (ownership, lead) = search.ownership_and_lead(&start);
    let (status, lead) = (classify_with_ownership(board, ownership, seki::MAX_NODES), lead + points);
    let is_finished_by_net = stage(board, scoring, &status) == Stage::Finished;
    let Some(counted) = counted.or_else(|| is_finished_by_net.then(&full_count)) else {
        return estimate(position, status, Some(lead)).into();
    };
    // the lead is a mean over the ways in which an unsettled group may end, the probable score is one of them
    let from_probable =
        difference(&counted, probable_score(position, status.clone(), USUAL_OWNERSHIP_BOUND).score.margin());
    // playouts can leave dead groups without a clear owner, and the net does not
    let is_same = is_finished_by_net
        && from_probable <= SAME_RESULT
        && has_few_moves_beyond_dame(board, &status, counted.filled.len());
    let is_finished = is_same || (counted.is_finished && from_probable <= MAX_SMALL_NET_LEAD_ERROR);
    if is_finished || position.is_over() {
        return FinalScore { is_finished, ..counted };
    }
    let estimated = FinalScore::from(estimate(position, status, Some(lead)));
    let is_nearer = difference(&counted, lead) < difference(&estimated, lead);
    if is_nearer { FinalScore { is_finished, ..counted } } else { estimated }
}

/// The count, or that of a fill-in by searches with a net of KataGo, whichever is nearest to the net's lead.
fn correct_with_katago_net(net: &Net, position: &Position, status: &Status, counted: FinalScore) -> FinalScore {
    let Some((start, points)) = start_of_search(position) else { return counted };
    let mut search = EndSearch::new(net, seed(position.board(), position.to_move()));
    let lead = search.lead(&start) + points;
    let distance = |score: &FinalScore| (score.score.margin() - lead).abs();
    if distance(&counted) <= MAX_KATAGO_LEAD_ERROR {
        return counted;
    }
    let mut nearest = counted;
    for visits in MOVE_VISITS {
        let end = fill_in_with_net(&mut search, &start, net, visits);
        let searched = count(position, status.clone(), end, nearest.is_finished);
        if distance(&searched) < distance(&nearest) {
            nearest = searched;
        }
        if distance(&nearest) <= CLOSE_TO_LEAD {
            break;
        }
    }
    nearest
}

/// The end of a game filled in by searches with a net, then, for what remains, by the fill-in by threats.
fn fill_in_with_net(search: &mut EndSearch<'_>, start: &Position, net: &Net, visits: u64) -> FilledIn {
    let (mut moves, after) = search.fill_in(start, visits);
    let end = fill_in_end(&after, &status_of(&after, Some(net)), ReadingDepth::Ladders);
    moves.extend(end.moves);
    let captured = |color: Color| after.prisoners(color) - start.prisoners(color) + end.captured[color.index()];
    FilledIn { captured: Color::BOTH.map(captured), moves, ..end }
}

/// Scores a position with a given status of its stones, without the searches for reinforcements, which take time.
pub(super) fn score_with_ladders_only(position: &Position, status: Status) -> FinalScore {
    score_with_status(position, status, ReadingDepth::Ladders)
}

fn score_with_status(position: &Position, mut status: Status, depth: ReadingDepth) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let is_agreed = rule.has_agreement();
    if !is_agreed {
        status.alive = all_stones(board);
        status.seki = PointSet::new();
        status.dead = PointSet::new();
    }
    let stage = stage(board, rule.scoring, &status);
    let end = match is_agreed && stage >= Stage::Late {
        true => fill_in_end(position, &status, depth),
        false => FilledIn::as_it_stands(position, &status),
    };
    let is_finished = stage == Stage::Finished && has_few_moves_beyond_dame(board, &status, end.moves.len());
    count(position, status, end, is_finished)
}

/// The score after a fill-in, with the status of the stones before it by what became of them.
fn count(position: &Position, mut status: Status, end: FilledIn, is_finished: bool) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let defined = (!rule.has_agreement()).then(|| seki_by_definition(board));
    let prisoners = Color::BOTH.map(|color| position.prisoners(color) + end.captured[color.index()]);
    let seki = defined.as_ref().unwrap_or(&end.seki);
    let input = position.score_input(&end.dead, seki);
    // an open button goes to the first player who passes
    let button = if position.is_button_open() { Some(end.first_to_pass(position.to_move())) } else { input.button };
    let input = ScoreInput { board: &end.board, prisoners, button, ..input };
    let mut areas = without_taxed_territory(&input, areas(&end.board, &end.dead));
    if rule.scoring == Scoring::Territory {
        let is_filled = |&p: &Point| end.board.stone(p) != board.stone(p) && !end.dead.contains(p);
        for point in all_stones(&end.board).iter().filter(is_filled) {
            areas.iter_mut().for_each(|area| area.remove(point));
        }
    }
    for point in all_stones(board).iter() {
        // a stone may be captured, or a ko won, during the fill-in
        let stands = end.board.stone(point) == board.stone(point) && !end.dead.contains(point);
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
    FinalScore { status, score: score(&input), filled: end.moves, areas, is_finished }
}

//! The final score: the status of all stones, the endgame fill-in, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use std::sync::Arc;

use crate::kernel::{
    Board, Color, GameRule, Ko, Point, PointSet, Position, Score, ScoreInput, areas, score, score_of_areas,
    seki_by_definition,
};
use crate::net::Net;
use crate::player::ending::end_search::EndSearch;
use crate::player::ending::{FilledIn, ReadingDepth, Stage, fill_in_end, fills_little_but_dame, stage};
use crate::player::group_search::resolve_unsettled_groups;
use crate::player::seki;
use crate::player::status::{Status, classify_by, groups, mean_ownership, owner, seed, status_of, without_history};
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
    /// The points of Black and of White at the end.
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

/// The absolute ownership from which a point counts for its owner in an estimate, if no other bound brings the estimate
/// nearer to the expected lead.
const USUAL_OWNERSHIP_BOUND: f32 = 0.4;

/// The bounds from which an empty point counts for its owner in an estimate.
const OWNERSHIP_BOUNDS: std::ops::RangeInclusive<f32> = 0.05..=0.9;

/// Visits for each move of the fill-ins by a net.
const MOVE_VISITS: [u64; 2] = [8, 32];

impl FinalScore {
    /// The owner of a point at the end; `None` for a neutral point.
    pub fn owner(&self, point: Point) -> Option<Color> {
        Color::BOTH.into_iter().zip(&self.areas).find_map(|(color, area)| area.contains(point).then_some(color))
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
/// The result depends on stones, ko, side to move, prisoners, handicap, button, passes and rules only, not on the moves
/// before or on earlier searches.
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
        return score_by(position, status, ReadingDepth::Searches);
    }
    let reached = stage(board, rule.scoring, &status);
    let is_counted = position.is_over() || reached == Stage::Finished;
    if is_counted && reached >= Stage::Late && katago.is_none() {
        status = resolve_unsettled_groups(position, status, |status| {
            let can_be_filled_in = stage(board, rule.scoring, status) >= Stage::Late;
            can_be_filled_in.then(|| quick_score(position, status.clone()).score.margin())
        });
    }
    let full_count = || score_by(position, status.clone(), ReadingDepth::Searches);
    match net.filter(|net| net.has_score(board.coordinate())) {
        Some(net) if katago.is_some() && reached >= Stage::Late => corrected_by(net, position, &status, full_count()),
        Some(net) => checked_by(net, position, is_counted, full_count),
        None => {
            let counted = is_counted.then(full_count).filter(|counted| counted.is_finished || position.is_over());
            counted.unwrap_or_else(|| estimate(position, status.clone(), None))
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
fn checked_by(net: &Net, position: &Position, is_counted: bool, full_count: impl Fn() -> FinalScore) -> FinalScore {
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
    let (status, lead) = (classify_by(board, ownership, seki::MAX_PLAYS), lead + points);
    let is_finished_by_net = stage(board, scoring, &status) == Stage::Finished;
    let Some(counted) = counted.or_else(|| is_finished_by_net.then(&full_count)) else {
        return estimate(position, status, Some(lead));
    };
    // the lead is a mean over the ways in which an unclear group may end, the probable score is one of them
    let from_probable =
        difference(&counted, probable_score(position, status.clone(), USUAL_OWNERSHIP_BOUND).score.margin());
    // playouts can leave dead groups unclear that the net does not
    let is_same = is_finished_by_net
        && from_probable <= SAME_RESULT
        && fills_little_but_dame(board, &status, counted.filled.len());
    let is_finished = is_same || (counted.is_finished && from_probable <= MAX_SMALL_NET_LEAD_ERROR);
    if is_finished || position.is_over() {
        return FinalScore { is_finished, ..counted };
    }
    let estimated = estimate(position, status, Some(lead));
    let is_nearer = difference(&counted, lead) < difference(&estimated, lead);
    if is_nearer { FinalScore { is_finished, ..counted } } else { estimated }
}

/// The count, or that of a fill-in by searches with a net of KataGo, whichever is nearest to the net's lead.
fn corrected_by(net: &Net, position: &Position, status: &Status, counted: FinalScore) -> FinalScore {
    let Some((start, points)) = start_of_search(position) else { return counted };
    let mut search = EndSearch::new(net, seed(position.board(), position.to_move()));
    let lead = search.lead(&start) + points;
    let distance = |score: &FinalScore| (score.score.margin() - lead).abs();
    if distance(&counted) <= MAX_KATAGO_LEAD_ERROR {
        return counted;
    }
    let mut nearest = counted;
    for visits in MOVE_VISITS {
        let end = filled_in_by(&mut search, &start, net, visits);
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

/// The estimate of an unfinished position: owners of its points that give a score near to Black's expected `lead`. If
/// that is unknown, it is taken to be the sum of the ownership.
fn estimate(position: &Position, status: Status, lead: Option<f64>) -> FinalScore {
    let board = position.board();
    let status = with_expected_groups(board, status);
    let usual = probable_score(position, status.clone(), USUAL_OWNERSHIP_BOUND);
    let usual_sum = sum_of_owners(board, &status, USUAL_OWNERSHIP_BOUND);
    let expected = match lead {
        // komi and prisoners, which no bound changes, are the difference of score and owners
        Some(lead) => usual_sum + (lead - usual.score.margin()) as f32,
        None => board.coordinate().points().map(|point| ownership_of(&status, point)).sum(),
    };
    let bound = bound_near(board, &status, usual_sum, expected);
    if bound == USUAL_OWNERSHIP_BOUND { usual } else { probable_score(position, status, bound) }
}

/// A status whose unclear groups are dead or alive so that the sum over the owners of all stones comes near to the sum
/// of their ownership: first those groups that are nearest to even.
fn with_expected_groups(board: &Board, mut status: Status) -> Status {
    let stones = all_stones(board);
    let expected: f32 = stones.iter().map(|p| ownership_of(&status, p)).sum();
    let mut estimated: f32 =
        stones.iter().map(|p| sign(probable_owner(board, &status, p, USUAL_OWNERSHIP_BOUND))).sum();
    for group in unclear_groups(board, &status) {
        let Some((color, &first)) = group.first().and_then(|p| Some((board.stone(*p).color()?, p))) else { continue };
        let is_dead = status.dead.contains(first);
        let swing = if is_dead { 2.0 } else { -2.0 } * group.len() as f32 * sign(Some(color));
        if (estimated + swing - expected).abs() < (estimated - expected).abs() {
            status = status.with_group(board, &group, !is_dead);
            estimated += swing;
        }
    }
    status
}

/// Black's points less White's, if every point goes to its probable owner.
fn sum_of_owners(board: &Board, status: &Status, bound: f32) -> f32 {
    board.coordinate().points().map(|point| sign(probable_owner(board, status, point, bound))).sum()
}

/// The absolute ownership from which empty points have to count for their owners so that [`sum_of_owners`] comes nearest
/// to an expected sum; `usual_sum` is that by [`USUAL_OWNERSHIP_BOUND`]. Early in a game most points belong to neither player by it,
/// and yet a lead is expected.
fn bound_near(board: &Board, status: &Status, usual_sum: f32, expected: f32) -> f32 {
    let mut empty: Vec<f32> = board.empty_points().iter().map(|&p| ownership_of(status, p)).collect();
    empty.sort_by(|one, other| other.abs().total_cmp(&one.abs()));
    let error = |sum: f32| (sum - expected).abs();
    let mut nearest = (error(usual_sum), USUAL_OWNERSHIP_BOUND);
    let mut sum = sum_of_owners(board, status, *OWNERSHIP_BOUNDS.end());
    for owner in
        empty.iter().filter(|owner| owner.abs() < *OWNERSHIP_BOUNDS.end() && owner.abs() >= *OWNERSHIP_BOUNDS.start())
    {
        sum += owner.signum();
        // within half a point of the nearest, the bound nearest to the usual one
        let (found, bound) = (error(sum), owner.abs());
        let is_nearer = found + 0.5 < nearest.0;
        let is_as_near =
            found <= nearest.0 && (bound - USUAL_OWNERSHIP_BOUND).abs() < (nearest.1 - USUAL_OWNERSHIP_BOUND).abs();
        if is_nearer || is_as_near {
            nearest = (found, bound);
        }
    }
    nearest.1
}

/// The ownership of a point, 0 where it is unknown.
fn ownership_of(status: &Status, point: Point) -> f32 {
    status.ownership.get(point.index()).copied().unwrap_or_default()
}

/// The score if every point goes to its probable owner.
fn probable_score(position: &Position, status: Status, bound: f32) -> FinalScore {
    let board = position.board();
    let owned = Color::BOTH.map(|color| {
        let points = board.coordinate().points();
        points.filter(|&p| probable_owner(board, &status, p, bound) == Some(color)).collect()
    });
    let score = score_of_areas(&position.score_input(&status.dead, &status.seki), &owned);
    FinalScore { status, score, filled: Vec::new(), areas: owned, is_finished: false }
}

/// The probable owner of a point: of a stone by its status, of an empty point by ownership of at least `bound` in
/// absolute value.
fn probable_owner(board: &Board, status: &Status, point: Point, bound: f32) -> Option<Color> {
    match board.stone(point).color() {
        Some(color) if status.dead.contains(point) => Some(color.opponent()),
        Some(color) => Some(color),
        None => owner(&status.ownership, point, bound),
    }
}

/// 1 for Black, -1 for White, 0 for neither.
fn sign(owner: Option<Color>) -> f32 {
    owner.map_or(0.0, |color| f32::from(color.sign()))
}

/// The groups whose mean ownership is below [`USUAL_OWNERSHIP_BOUND`] in absolute value, those nearest to even first; groups that
/// need no ownership are left out.
fn unclear_groups(board: &Board, status: &Status) -> Vec<Vec<Point>> {
    let decided = status.decided(board);
    let with_mean = |group: Vec<Point>| Some((mean_ownership(board, &status.ownership, &group)?.abs(), group));
    let mut unclear: Vec<(f32, Vec<Point>)> = groups(board).into_iter().filter_map(with_mean).collect();
    unclear
        .retain(|(mean, group)| *mean < USUAL_OWNERSHIP_BOUND && !group.iter().any(|&point| decided.contains(point)));
    unclear.sort_by(|one, other| one.0.total_cmp(&other.0));
    unclear.into_iter().map(|(_, group)| group).collect()
}

/// The end of a game filled in by searches with a net, then, for what remains, by the fill-in by threats.
fn filled_in_by(search: &mut EndSearch<'_>, start: &Position, net: &Net, visits: u64) -> FilledIn {
    let (mut moves, after) = search.fill_in(start, visits);
    let (scoring, status) = (start.rule().scoring, status_of(&after, Some(net)));
    let end = fill_in_end(after.board(), after.to_move(), scoring, &status, ReadingDepth::Ladders);
    moves.extend(end.moves);
    let captured = |color: Color| after.prisoners(color) - start.prisoners(color) + end.captured[color.index()];
    FilledIn { captured: Color::BOTH.map(captured), moves, ..end }
}

/// Scores a position with a given status of its stones, without the searches for reinforcements, which take time.
pub(super) fn quick_score(position: &Position, status: Status) -> FinalScore {
    score_by(position, status, ReadingDepth::Ladders)
}

fn score_by(position: &Position, mut status: Status, depth: ReadingDepth) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let is_agreed = rule.has_agreement();
    if !is_agreed {
        status.alive = all_stones(board);
        status.seki = PointSet::new();
        status.dead = PointSet::new();
    }
    let stage = stage(board, rule.scoring, &status);
    let end = match is_agreed && stage >= Stage::Late {
        true => fill_in_end(board, position.to_move(), rule.scoring, &status, depth),
        false => FilledIn::as_it_stands(board, &status),
    };
    let is_finished = stage == Stage::Finished && fills_little_but_dame(board, &status, end.moves.len());
    count(position, status, end, is_finished)
}

/// The score after a fill-in, with the status of the stones before it by what became of them.
fn count(position: &Position, mut status: Status, end: FilledIn, is_finished: bool) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let defined = (!rule.has_agreement()).then(|| seki_by_definition(board));
    let prisoners = Color::BOTH.map(|color| position.prisoners(color) + end.captured[color.index()]);
    let seki = defined.as_ref().unwrap_or(&end.seki);
    let score = score(&ScoreInput { board: &end.board, prisoners, ..position.score_input(&end.dead, seki) });
    let areas = areas(&end.board, &end.dead);
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
    FinalScore { status, score, filled: end.moves, areas, is_finished }
}

fn all_stones(board: &Board) -> PointSet {
    board.coordinate().points().filter(|&point| board.stone(point).color().is_some()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::parse_board;
    use crate::player::status::classify_without_seki;

    #[test]
    fn unclear_groups_are_set_by_the_expected_lead() {
        let board = parse_board("xxx.ooo\n.......\n.......\n.......\n.......\n.......\n.......").unwrap();
        // the ownership of the stones of Black and White and of the empty points; then who lives in the estimate
        for (black, white, empty, expected) in [
            // a group is dead below 0.1, unless that is farther from the sum over the stones
            (0.05, -1.0, 0.0, "black white"),
            (1.0, -0.05, 0.1, "black white"),
            (-0.05, -1.0, -0.1, "white"),
            (1.0, 0.05, 0.0, "black"),
            // two unclear groups
            (0.3, 0.3, 0.0, "black white"),
            (0.05, -0.05, 0.0, "black white"),
            // a clear group stays
            (0.45, -1.0, -0.1, "black white"),
        ] {
            let mut ownership = vec![0.0; board.coordinate().memory_area()];
            for point in board.coordinate().points() {
                ownership[point.index()] = match board.stone(point).color() {
                    Some(Color::Black) => black,
                    Some(Color::White) => white,
                    None => empty,
                };
            }
            let status = with_expected_groups(&board, classify_without_seki(&board, ownership));
            let lives = |color: &Color| status.alive.iter().any(|point| board.stone(point) == color.stone());
            let living: Vec<String> = Color::BOTH.iter().filter(|color| lives(color)).map(Color::to_string).collect();
            assert_eq!(living.join(" "), expected, "{black} {white} {empty}");
        }
    }

    /// Early in a game few points are anyone's for sure, and the estimate is the expected lead all the same.
    #[test]
    fn estimates_come_near_to_the_expected_lead() {
        let rule = GameRule::with_komi(0.0);
        for (strength, rows) in [
            (0.3, "..x.x..\n.......\n.......\n.......\n.......\n.......\n..o.o.."),
            (0.95, "x......\n.......\n.......\n.......\n.......\n.......\n......."),
        ] {
            let board = parse_board(rows).unwrap();
            let coordinate = board.coordinate();
            let mut ownership = vec![0.0; coordinate.memory_area()];
            for (number, point) in coordinate.points().enumerate() {
                ownership[point.index()] = match board.stone(point).color() {
                    Some(color) => 0.9 * f32::from(color.sign()),
                    None => strength * (0.4 + number as f32 / 80.0),
                };
            }
            let expected: f32 = ownership.iter().sum();
            let mut position = Position::new(coordinate, rule, 0, Color::Black);
            position.edit(board.stones()).unwrap();
            let status = classify_without_seki(&board, ownership);
            let found = estimate(&position, status.clone(), None).score.margin();
            assert!((found - f64::from(expected)).abs() <= 1.0, "{strength}: {found}, expected {expected}");
            let found = estimate(&position, status, Some(7.0)).score.margin();
            assert!((found - 7.0).abs() <= 1.0, "{strength}: {found}");
        }
    }
}

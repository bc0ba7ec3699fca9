//! The final score: the status of all stones, the endgame fill-in, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use std::sync::Arc;

use crate::kernel::{
    Board, Color, Ending, GameRule, Ko, Point, PointSet, Position, Score, areas, score, score_of_areas,
    seki_by_definition,
};
use crate::net::Net;
use crate::player::ending::end_search::EndSearch;
use crate::player::ending::{FilledIn, ReadingDepth, can_be_filled_in, fill_in_end, is_finished};
use crate::player::group_search::decide_open_groups;
use crate::player::seki;
use crate::player::status::{Status, classify_by, seed, status_of, without_history};
use crate::search::fingerprint;

/// The status and score of a position as if both players passed.
#[derive(Clone, Debug)]
pub struct FinalScore {
    /// The status of each stone on the board.
    pub status: Status,
    /// The score, after the endgame fill-in and after dead stones were removed.
    pub score: Score,
    /// The moves of the fill-in: dame, reinforcements, and with a net any others. A player without a move passed.
    pub filled: Vec<(Color, Point)>,
    /// The points of Black and of White at the end.
    pub areas: [PointSet; 2],
    /// Whether the game is finished but for such moves. If not, the score is an estimate: open points count for the
    /// player whose they will probably be.
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
const MAX_LEAD_DIFFERENCE: f64 = 0.7;

/// Points between the nearest score and the lead up to which no further fill-in follows.
const CLOSE_TO_LEAD: f64 = 0.5;

/// Points between the count and the lead of a small net beyond which the game is taken for unfinished. On finished games
/// the lead of the built-in net errs by 0.7 points in the median and 12 points at most in 19 of 20.
const MAX_DIFFERENCE_OF_SMALL_NET: f64 = 12.0;

/// The absolute ownership from which an open point counts for its owner in an estimate.
const PROBABLE: f32 = 0.4;

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
            history: fingerprint(position),
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
/// and listed in [`FinalScore::filled`]. Under rules without agreement on dead stones (`friendly_pass` is false) every
/// stone on the board is alive, nothing is played, and taxes are those of [`seki_by_definition`].
///
/// If the game is neither finished nor ended by two passes, the score is an estimate.
///
/// The result depends on stones, ko, side to move, prisoners, handicap, button, passes and rules only, not on the moves
/// before or on earlier searches.
pub fn final_score(position: &Position) -> FinalScore {
    final_score_with(position, None)
}

/// The score as of [`final_score`], checked by a net with a score head. If its lead contradicts the count, a net of
/// KataGo fills the end in by searches, and the score nearest to the lead counts; with another net the game is
/// unfinished, unless the ownership that it finds confirms the count. This ownership also gives the estimate of an
/// unfinished position. A net of KataGo decides which stones are dead. If the game has not ended in a pass, the net
/// knows the last moves, too.
pub fn final_score_with(position: &Position, net: Option<&Net>) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let katago = net.filter(|net| net.katago().is_some());
    let mut status = status_of(position, katago);
    if rule.friendly_pass && katago.is_none() && can_be_filled_in(board, rule.scoring, &status) {
        status = decide_open_groups(position, status, |status| {
            let score = quick_score(position, status.clone());
            score.is_finished.then(|| score.score.margin())
        });
    }
    let mut counted = score_by(position, status.clone(), ReadingDepth::Searches);
    let is_filled_in = std::mem::replace(&mut counted.is_finished, is_finished(board, rule.scoring, &status));
    if !rule.friendly_pass {
        return counted;
    }
    match net.filter(|net| net.has_score(board.coordinate())) {
        Some(net) => checked_by(net, position, &status, counted, is_filled_in),
        None if counted.is_finished || position.is_over() => counted,
        None => estimate(position, status),
    }
}

/// The count if a net does not contradict it; else the score or the estimate that the net finds. `is_filled_in`: whether
/// the fill-in was tried.
fn checked_by(net: &Net, position: &Position, status: &Status, counted: FinalScore, is_filled_in: bool) -> FinalScore {
    // after a pass the net's search would end with the next one, and count dead stones as alive
    let has_passed = position.ending_passes() > 0;
    let start = if has_passed { without_history(position) } else { Some((position.clone(), 0.0)) };
    let Some((start, points)) = start else { return counted };
    let mut search = EndSearch::new(net, seed(position.board(), position.to_move()));
    if is_filled_in && net.katago().is_some() {
        let lead = search.lead(&start) + points;
        return nearest_to_lead(net, &mut search, (position, &start), status, counted, lead);
    }
    let is_near = |margin: f64| (counted.score.margin() - margin).abs() <= MAX_DIFFERENCE_OF_SMALL_NET;
    if counted.is_finished && is_near(search.lead(&start) + points) {
        return counted;
    }
    let ownership = search.ownership(&start);
    let estimated = estimate(position, classify_by(position.board(), ownership, seki::MAX_PLAYS));
    // the lead is a mean over the ways in which an unclear group may end, the estimate is the most probable one
    match counted.is_finished && is_near(estimated.score.margin()) {
        true => counted,
        false if position.is_over() => FinalScore { is_finished: false, ..counted },
        false => estimated,
    }
}

/// The count, or that of a fill-in by searches with a net, whichever is nearest to the net's lead. `positions` are the
/// position, and the one from which the searches start.
fn nearest_to_lead(
    net: &Net,
    search: &mut EndSearch<'_>,
    (position, start): (&Position, &Position),
    status: &Status,
    counted: FinalScore,
    lead: f64,
) -> FinalScore {
    let distance = |score: &FinalScore| (score.score.margin() - lead).abs();
    if distance(&counted) <= MAX_LEAD_DIFFERENCE {
        return counted;
    }
    let mut nearest = counted;
    for visits in MOVE_VISITS {
        let end = filled_in_by(search, start, net, visits);
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

/// The estimate of an unfinished position: a point without a living stone belongs to the player whose it probably is by
/// ownership, and dead stones to their opponent.
fn estimate(position: &Position, status: Status) -> FinalScore {
    let board = position.board();
    let owner = |p: Point| match board.stone(p).color() {
        Some(color) if status.dead.contains(p) => Some(color.opponent()),
        Some(color) => Some(color),
        None => match status.ownership.get(p.index()) {
            Some(&owner) if owner >= PROBABLE => Some(Color::Black),
            Some(&owner) if owner <= -PROBABLE => Some(Color::White),
            _ => None,
        },
    };
    let areas = Color::BOTH.map(|color| board.coordinate().points().filter(|&p| owner(p) == Some(color)).collect());
    let prisoners = Color::BOTH.map(|color| position.prisoners(color));
    let score = score_of_areas(&ending(position, board, prisoners, &status.dead, &status.seki), &areas);
    FinalScore { status, score, filled: Vec::new(), areas, is_finished: false }
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
    let is_agreed = rule.friendly_pass;
    if !is_agreed {
        status.alive = all_stones(board);
        status.seki = PointSet::new();
        status.dead = PointSet::new();
    }
    let is_finished = can_be_filled_in(board, rule.scoring, &status);
    let end = match is_agreed && is_finished {
        true => fill_in_end(board, position.to_move(), rule.scoring, &status, depth),
        false => FilledIn::as_it_stands(board, &status),
    };
    count(position, status, end, is_finished)
}

/// The score after a fill-in, with the status of the stones before it by what became of them.
fn count(position: &Position, mut status: Status, end: FilledIn, is_finished: bool) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let defined = (!rule.friendly_pass).then(|| seki_by_definition(board));
    let prisoners = Color::BOTH.map(|color| position.prisoners(color) + end.captured[color.index()]);
    let seki = defined.as_ref().unwrap_or(&end.seki);
    let score = score(&ending(position, &end.board, prisoners, &end.dead, seki));
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

/// The input of [`score`] for a board and its stones, with the rules and the handicap of a position.
fn ending<'a>(
    position: &'a Position,
    board: &'a Board,
    prisoners: [u32; 2],
    dead: &'a PointSet,
    seki: &'a PointSet,
) -> Ending<'a> {
    let (rule, handicap, button) = (position.rule(), position.handicap(), position.button());
    Ending { board, rule, prisoners, handicap, button, dead, seki }
}

/// The rens that have a stone in `stones`, as lists of all their points. Points are in row-by-row order from A1, rens
/// in the order of their first points.
pub(crate) fn rens_among(board: &Board, stones: &PointSet) -> Vec<Vec<Point>> {
    let mut seen = PointSet::new();
    let mut rens = Vec::new();
    for point in board.coordinate().points() {
        if stones.contains(point) && !seen.contains(point) {
            let mut ren: Vec<Point> = board.ren_points(point).collect();
            ren.sort_unstable();
            ren.iter().for_each(|&stone| {
                seen.insert(stone);
            });
            rens.push(ren);
        }
    }
    rens
}

fn all_stones(board: &Board) -> PointSet {
    board.coordinate().points().filter(|&point| board.stone(point).color().is_some()).collect()
}

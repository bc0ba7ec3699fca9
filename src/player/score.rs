//! The final score: the status of all stones, the endgame fill-in, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use std::sync::Arc;

use crate::kernel::{
    Board, Color, Ending, GameRule, Ko, Point, PointSet, Position, Score, areas, score, seki_by_definition,
};
use crate::net::Net;
use crate::player::ending::end_search::EndSearch;
use crate::player::ending::{FilledIn, ReadingDepth, fill_in_end, is_finished};
use crate::player::group_search::decide_open_groups;
use crate::player::status::{Status, seed, status_of, without_history};
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
    /// Whether the game is finished but for such moves. If not, the score is an estimate of the position as it stands.
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
/// The result depends on stones, ko, side to move, prisoners, handicap, button and rules only, not on the moves before
/// or on earlier searches.
pub fn final_score(position: &Position) -> FinalScore {
    final_score_with(position, None)
}

/// The score as of [`final_score`]. A net of KataGo, if there is one, decides which stones are dead, and checks the
/// count: if its lead contradicts it, searches by the net fill the end in as well, and the score nearest to the lead
/// counts. If the game has not ended in a pass, the net knows the last moves, too.
pub fn final_score_with(position: &Position, net: Option<&Net>) -> FinalScore {
    let net = net.filter(|net| net.katago().is_some());
    let mut status = status_of(position, net);
    let is_filled_in = position.rule().friendly_pass && is_finished(position.board(), position.rule().scoring, &status);
    if is_filled_in && net.is_none() {
        status = decide_open_groups(position, status, |status| {
            let score = quick_score(position, status.clone());
            score.is_finished.then(|| score.score.margin())
        });
    }
    let counted = score_by(position, status.clone(), ReadingDepth::Searches);
    match net.filter(|_| is_filled_in) {
        Some(net) => checked_by(net, position, &status, counted),
        None => counted,
    }
}

/// The count of a finished game, or that of a fill-in by searches with a net if the net's lead contradicts it.
fn checked_by(net: &Net, position: &Position, status: &Status, counted: FinalScore) -> FinalScore {
    // after a pass the net's search would end with the next one, and count dead stones as alive
    let has_passed = position.ending_passes() > 0;
    let start = if has_passed { without_history(position) } else { Some((position.clone(), 0.0)) };
    let Some((start, points)) = start else { return counted };
    let mut search = EndSearch::new(net, seed(position.board(), position.to_move()));
    let lead = search.lead(&start) + points;
    let distance = |score: &FinalScore| (score.score.margin() - lead).abs();
    if distance(&counted) <= MAX_LEAD_DIFFERENCE {
        return counted;
    }
    let mut nearest = counted;
    for visits in MOVE_VISITS {
        let end = filled_in_by(&mut search, &start, net, visits);
        let searched = count(position, status.clone(), end, true);
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
    let is_finished = is_finished(board, rule.scoring, &status);
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
    let score = score(&Ending {
        board: &end.board,
        rule,
        prisoners: Color::BOTH.map(|color| position.prisoners(color) + end.captured[color.index()]),
        handicap: position.handicap(),
        button: position.button(),
        dead: &end.dead,
        seki: defined.as_ref().unwrap_or(&end.seki),
    });
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

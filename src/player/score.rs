//! The final score: the status of all stones, the end played out, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use crate::kernel::{Board, Color, Ending, Point, PointSet, Position, Score, areas, score, seki_by_definition};
use crate::net::Net;
use crate::player::ending::net_search::EndSearch;
use crate::player::ending::{PlayedOut, ReadingDepth, is_finished, play_out_end};
use crate::player::group_search::decide_open_groups;
use crate::player::status::{Status, status_of};

/// The status and score of a position as if both players passed.
#[derive(Clone, Debug)]
pub struct FinalScore {
    /// The status of each stone on the board.
    pub status: Status,
    /// The score, after the end was played out and dead stones were removed.
    pub score: Score,
    /// The moves that were played out before counting: dame, and reinforcements. A player without a move passed.
    pub filled: Vec<(Color, Point)>,
    /// The points of Black and of White at the end.
    pub areas: [PointSet; 2],
    /// Whether the game is finished but for such moves. If not, the score is an estimate of the position as it stands.
    pub is_finished: bool,
}

/// Points between the count by threats and a net's lead up to which the lead confirms the count.
const CONFIRMED: f64 = 0.7;

/// The same for a count by a search with the net: if it is further away, a search with more visits plays the end out.
const FOUND: f64 = 0.5;

/// Visits for each move of the play-outs by a net.
const MOVE_VISITS: [u64; 2] = [8, 32];

impl FinalScore {
    /// The owner of a point at the end; `None` for a neutral point.
    pub fn owner(&self, point: Point) -> Option<Color> {
        Color::BOTH.into_iter().zip(&self.areas).find_map(|(color, area)| area.contains(point).then_some(color))
    }
}

/// Scores a position as if both players agreed that the game is over: dame are filled and reinforcements added first,
/// and listed in [`FinalScore::filled`]. Under rules without agreement on dead stones (`friendly_pass` is false) every
/// stone on the board is alive, nothing is played, and taxes are those of [`seki_by_definition`].
///
/// The result depends on stones, side to move, prisoners, handicap and rules only, not on earlier searches.
pub fn final_score(position: &Position) -> FinalScore {
    final_score_with(position, None)
}

/// The score as of [`final_score`]. A net of KataGo, if there is one, decides which stones are dead, and checks the
/// count: if its lead contradicts it, searches by the net play the end out as well, and the score nearest to the lead
/// counts.
pub fn final_score_with(position: &Position, net: Option<&Net>) -> FinalScore {
    let net = net.filter(|net| net.katago().is_some());
    let mut status = status_of(position, net);
    let has_end = position.rule().friendly_pass && is_finished(position.board(), position.rule().scoring, &status);
    if has_end && net.is_none() {
        let margin = |status: &Status| quick_score(position, status.clone()).score.margin();
        status = decide_open_groups(position, status, margin);
    }
    let read = score_by(position, status.clone(), ReadingDepth::Searches);
    let Some(net) = net.filter(|_| has_end) else { return read };
    let mut search = EndSearch::new(net, position);
    let lead = search.lead(position);
    let distance = |score: &FinalScore| (score.score.margin() - lead).abs();
    if distance(&read) <= CONFIRMED {
        return read;
    }
    let mut nearest = read;
    for visits in MOVE_VISITS {
        let end = played_out_by(&mut search, position, net, visits);
        let searched = count(position, status.clone(), end, true);
        if distance(&searched) < distance(&nearest) {
            nearest = searched;
        }
        if distance(&nearest) <= FOUND {
            break;
        }
    }
    nearest
}

/// The end of a game played out by a search with a net, and what that leaves by the threats on the board.
fn played_out_by(search: &mut EndSearch<'_>, position: &Position, net: &Net, visits: u64) -> PlayedOut {
    let (mut moves, after) = search.play_out(position, visits);
    let (scoring, status) = (position.rule().scoring, status_of(&after, Some(net)));
    let end = play_out_end(after.board(), after.to_move(), scoring, &status, ReadingDepth::Ladders);
    moves.extend(end.moves);
    let captured = |color: Color| after.prisoners(color) - position.prisoners(color) + end.captured[color.index()];
    PlayedOut { captured: Color::BOTH.map(captured), moves, ..end }
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
        true => play_out_end(board, position.to_move(), rule.scoring, &status, depth),
        false => PlayedOut::as_it_stands(board, &status),
    };
    count(position, status, end, is_finished)
}

/// The score of an end that was played out, with the status of the stones before it by what became of them.
fn count(position: &Position, mut status: Status, end: PlayedOut, is_finished: bool) -> FinalScore {
    let (board, rule) = (position.board(), position.rule());
    let defined = (!rule.friendly_pass).then(|| seki_by_definition(board));
    let score = score(&Ending {
        board: &end.board,
        rule,
        prisoners: Color::BOTH.map(|color| position.prisoners(color) + end.captured[color.index()]),
        handicap: position.handicap(),
        button: position.button(),
        dead: &end.dead,
        seki: defined.as_ref().unwrap_or(&status.seki),
    });
    let areas = areas(&end.board, &end.dead);
    for point in all_stones(board).iter().filter(|&point| !status.seki.contains(point)) {
        // a stone may be captured, or a ko won, while the end is played out
        if end.board.stone(point) == board.stone(point) && !end.dead.contains(point) {
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

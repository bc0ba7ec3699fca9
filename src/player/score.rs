//! The final score: the status of all stones, and the points by the rules of the game.
//!
//! Every score and every list of dead stones that the engine reports comes from here.

use crate::kernel::{Board, Color, Ending, Point, PointSet, Position, Score, score};
use crate::net::Net;
use crate::player::status::{Status, status_of};

/// The status and score of a position as if both players passed.
#[derive(Clone, Debug)]
pub struct FinalScore {
    /// The status of each stone.
    pub status: Status,
    /// The score after the removal of dead stones.
    pub score: Score,
}

/// Scores a position as if both players passed. Under rules without agreement on dead stones (`friendly_pass` is false)
/// every stone on the board is alive.
///
/// The result depends on stones, side to move, prisoners, handicap and rules only, not on earlier searches.
pub fn final_score(position: &Position) -> FinalScore {
    final_score_with(position, None)
}

/// Scores a position with a given status of its stones.
/// The score if both players stop now; a net that judges decides which stones are dead.
pub fn final_score_with(position: &Position, net: Option<&Net>) -> FinalScore {
    final_score_by(position, status_of(position, net))
}

pub(crate) fn final_score_by(position: &Position, mut status: Status) -> FinalScore {
    let board = position.board();
    if !position.rule().friendly_pass {
        status.alive = all_stones(board);
        status.seki = PointSet::new();
        status.dead = PointSet::new();
    }
    let score = score(&Ending {
        board,
        rule: position.rule(),
        prisoners: [position.prisoners(Color::Black), position.prisoners(Color::White)],
        handicap: position.handicap(),
        dead: &status.dead,
        seki: &status.seki,
    });
    FinalScore { status, score }
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

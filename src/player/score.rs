//! How a game stands when both players stop: which stones are dead, and the score.
//!
//! This is the one routine behind every score and every list of dead stones that the engine gives.

use crate::kernel::{Board, Color, Ending, Point, PointSet, Position, Score, score};
use crate::player::status::{Status, classify_stones, status_playouts};

/// How a game stands when both players stop.
#[derive(Clone, Debug)]
pub struct FinalScore {
    /// What becomes of each stone.
    pub status: Status,
    /// The score when the dead stones are taken off.
    pub score: Score,
}

/// Judges a position. Where the rules know no agreement on dead stones, every stone on the board is alive.
///
/// The same position gets the same answer, whatever led to it.
pub fn final_score(position: &Position) -> FinalScore {
    let board = position.board();
    final_score_by(
        position,
        classify_stones(board, position.to_move(), status_playouts(board.coordinate().board_area())),
    )
}

/// The score when the stones are what a judgement says, under the same rules.
pub fn final_score_by(position: &Position, mut status: Status) -> FinalScore {
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

/// The rens whose stones are in a set, each row by row from A1, in the order of their first stones: how lists of stones
/// are given out.
pub fn rens_among(board: &Board, stones: &PointSet) -> Vec<Vec<Point>> {
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

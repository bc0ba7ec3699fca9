//! Taxes: the points that the rules deduct from a player's area at the end of a simulation.

use crate::kernel::{Board, GameRule, Point, PointSet, ScoreInput, Tax, score, seki_by_definition};

/// Black's tax less White's, in points, on the final board of a playout, as [`score()`] counts it.
///
/// Playouts end when no player has a move left that is not harmful, with all dead stones captured. So an empty point
/// beside stones of both colours then lies in a seki.
pub(super) fn tax_difference_after_playout(board: &Board, rule: &GameRule) -> i32 {
    let shared: Vec<Point> = match rule.tax {
        Tax::None => return 0,
        Tax::Seki | Tax::All => board.empty_points().iter().copied().filter(|&p| board.is_shared_liberty(p)).collect(),
    };
    if shared.is_empty() && rule.tax == Tax::Seki {
        return 0;
    }
    let beside = shared.iter().flat_map(|&p| board.coordinate().neighbors(p));
    let stones = beside.filter(|&p| board.stone(p).color().is_some());
    tax_difference(board, rule, &stones.flat_map(|p| board.ren_points(p)).collect())
}

/// The same where two passes ended the game under rules without agreement about dead stones: all stones are alive.
pub(super) fn tax_difference_at_end(board: &Board, rule: &GameRule) -> i32 {
    match rule.tax {
        Tax::None => 0,
        Tax::Seki | Tax::All => tax_difference(board, rule, &seki_by_definition(board)),
    }
}

/// Black's tax less White's, in points, with these stones in seki and none dead.
fn tax_difference(board: &Board, rule: &GameRule, seki: &PointSet) -> i32 {
    let dead = PointSet::new();
    let counted = score(&ScoreInput { board, rule, prisoners: [0; 2], handicap: 0, button: None, dead: &dead, seki });
    counted.black.tax as i32 - counted.white.tax as i32
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards::board;

    #[test]
    fn taxes_of_seki_and_of_groups() {
        // a seki in which White has an eye of two points and Black one of one; another White group on the right
        let board = board(&[
            "xxxo..o..",
            ".xxo..o..",
            "xxxo..o..",
            "oxxo..o..",
            "o.xoooo..",
            "o.xo..o..",
            "ooxo..o..",
            ".oxo..o..",
            ".oxo..o..",
        ]);
        let tax =
            |name: &str| tax_difference_after_playout(&board, &GameRule::with_komi(0.0).with_rule_set(name).unwrap());
        assert_eq!((tax("chinese"), tax("japanese"), tax("stone-scoring")), (0, -1, -3));
        // a White group with one eye between two Black ones
        let rows = [".x.xo.", "xxxooo", "oooooo", "xxxxxx", ".x.x.x"];
        let board = self::board(&rows);
        let tax =
            |name: &str| tax_difference_after_playout(&board, &GameRule::with_komi(0.0).with_rule_set(name).unwrap());
        assert_eq!((tax("chinese"), tax("japanese"), tax("stone-scoring")), (0, 0, 3));
    }

    /// The neutral region between the two groups has no liberty of both, and puts both in seki by definition.
    #[test]
    fn a_seki_by_definition_is_taxed_at_the_end_only() {
        let board = board(&[".x..o.", "xx..oo", ".x..oo", ".x..o.", "xx..oo", ".x..o."]);
        let rule = GameRule::with_komi(0.0).with_rule_set("japanese").unwrap();
        // Black has four eyes, White three
        assert_eq!(tax_difference_at_end(&board, &rule), 1);
        assert_eq!(tax_difference_after_playout(&board, &rule), 0);
    }
}

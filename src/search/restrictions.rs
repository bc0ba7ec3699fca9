//! Moves excluded near the root of a search (`avoid` and `allow` of analysis commands).

use crate::kernel::{Color, Coordinate, Move};

/// Excluded moves by colour, each up to a depth.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Restrictions {
    /// By [`Color::index`] and cell index: the first depth at which the move is allowed again. A pass has a cell of the
    /// frame; cells beyond the end are unrestricted.
    until: [Vec<u16>; 2],
}

impl Restrictions {
    /// Excludes moves of a colour at depths below `until` (the root's moves have depth 0). The greatest depth given for
    /// a move counts.
    pub fn avoid(&mut self, color: Color, moves: impl IntoIterator<Item = Move>, until: u16) {
        let depths = &mut self.until[color.index()];
        for play in moves {
            let cell = cell(play);
            if depths.len() <= cell {
                depths.resize(cell + 1, 0);
            }
            if let Some(depth) = depths.get_mut(cell) {
                *depth = until.max(*depth);
            }
        }
    }

    /// Excludes every move of a colour but these, at depths below `until`.
    pub fn allow(&mut self, coordinate: Coordinate, color: Color, moves: &[Move], until: u16) {
        let all = coordinate.points().map(Move::Play).chain([Move::Pass]);
        self.avoid(color, all.filter(|play| !moves.contains(play)), until);
    }

    /// Whether no move is excluded.
    pub(super) fn is_empty(&self) -> bool {
        self.until.iter().flatten().all(|&until| until == 0)
    }

    /// Whether a colour may play a move at a depth.
    pub(crate) fn admits(&self, color: Color, play: Move, depth: usize) -> bool {
        self.until[color.index()].get(cell(play)).is_none_or(|&until| depth >= usize::from(until))
    }
}

/// Index into [`Restrictions::until`].
fn cell(play: Move) -> usize {
    match play {
        Move::Pass => 0,
        Move::Play(point) => point.index(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn avoid_excludes_moves_up_to_a_depth() {
        let coordinate = Coordinate::square(3).unwrap();
        let [a1, b2] = ["A1", "B2"].map(|vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap()));
        let mut restrictions = Restrictions::default();
        assert!(restrictions.is_empty() && restrictions.admits(Color::Black, a1, 0));
        restrictions.avoid(Color::Black, [a1, Move::Pass], 2);
        restrictions.avoid(Color::Black, [a1], 1);
        let admits = |color, play| [0, 1, 2, 3].map(|depth| restrictions.admits(color, play, depth));
        for (color, play, expected) in [
            (Color::Black, a1, [false, false, true, true]),
            (Color::Black, Move::Pass, [false, false, true, true]),
            (Color::Black, b2, [true; 4]),
            (Color::White, a1, [true; 4]),
        ] {
            assert_eq!(admits(color, play), expected, "{color} {play:?}");
        }
    }

    #[test]
    fn allow_excludes_all_other_moves() {
        let coordinate = Coordinate::square(3).unwrap();
        let b2 = Move::Play(coordinate.parse_vertex("B2").unwrap());
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::White, &[b2], 1);
        assert!(!restrictions.is_empty() && restrictions.admits(Color::White, b2, 0));
        for play in coordinate.points().map(Move::Play).filter(|&play| play != b2).chain([Move::Pass]) {
            assert!(!restrictions.admits(Color::White, play, 0) && restrictions.admits(Color::White, play, 1));
            assert!(restrictions.admits(Color::Black, play, 0));
        }
    }
}

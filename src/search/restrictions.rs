//! Moves that a search leaves out near its root, because whoever asks wants to know about the others.

use crate::kernel::{Color, Coordinate, Move};

/// What each player may not play, and how deep in the tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Restrictions {
    /// For each colour, by [`Color::index`]: at how many moves from the root each move is left out. By the cell's index,
    /// a pass as a cell of the frame; moves beyond the end are free.
    until: [Vec<u16>; 2],
}

impl Restrictions {
    /// Leaves out these moves of a player while fewer than so many moves have been made from the root. A move that is
    /// named more than once is left out as deep as the deepest says.
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

    /// Leaves out all moves of a player but these, likewise.
    pub fn allow(&mut self, coordinate: Coordinate, color: Color, moves: &[Move], until: u16) {
        let all = coordinate.points().map(Move::Play).chain([Move::Pass]);
        self.avoid(color, all.filter(|play| !moves.contains(play)), until);
    }

    /// Whether no move is left out.
    pub fn is_empty(&self) -> bool {
        self.until.iter().flatten().all(|&until| until == 0)
    }

    /// Whether a player may play this after so many moves from the root.
    pub fn admits(&self, color: Color, play: Move, depth: usize) -> bool {
        self.until[color.index()].get(cell(play)).is_none_or(|&until| depth >= usize::from(until))
    }
}

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
    fn what_is_left_out_and_how_deep() {
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
    fn all_but_what_is_allowed_is_left_out() {
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

//! Moves that the root's own symmetries take to each other: one of them is searched, the others are its symmetric
//! duplicates.
//!
//! On an empty board eight moves are equivalent. The search visits one of them, which gets the visits of all eight, and
//! analyses list the other seven with its values. Source: KataGo's `rootSymmetryPruning`.

use crate::kernel::{Color, IllegalMove, Move, Point, PointSet, Position, Symmetry};
use crate::search::restrictions::Restrictions;

/// The symmetries of a position, and the root's moves that they make duplicates of others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SymmetricMoves {
    /// For each symmetry that leaves the position as it is, but the identity: the image of each point, by cell index.
    images: Vec<Vec<Point>>,
    /// Points that the restrictions exclude at the root.
    excluded: PointSet,
    /// Duplicates, which are not searched.
    duplicates: PointSet,
}

impl SymmetricMoves {
    /// Of a position in which `color` moves. A position with a move that ko or superko forbids has no symmetries.
    pub(super) fn of(position: &Position, color: Color, restrictions: Option<&Restrictions>) -> SymmetricMoves {
        let images = symmetries(position, color);
        if images.is_empty() {
            return SymmetricMoves::default();
        }
        let is_excluded = |point: &Point| restrictions.is_some_and(|these| !these.admits(color, Move::Play(*point), 0));
        let excluded: PointSet = position.board().coordinate().points().filter(is_excluded).collect();
        let mut duplicates = PointSet::new();
        for point in in_order(position, color) {
            if !excluded.contains(point) && !duplicates.contains(point) {
                let images = images.iter().filter_map(|images| images.get(point.index()).copied());
                duplicates.extend(images.filter(|&image| image != point));
            }
        }
        SymmetricMoves { images, excluded, duplicates }
    }

    /// Whether the position has no symmetry.
    pub(super) fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// Whether a point is a duplicate of another, so that it is not searched.
    pub(super) fn is_duplicate(&self, point: Point) -> bool {
        self.duplicates.contains(point)
    }

    /// The symmetries under which a move of the root is another that may be played: the images of points, by cell
    /// index.
    pub(super) fn images_of(&self, play: Move) -> impl Iterator<Item = &[Point]> {
        let is_playable = move |images: &&[Point]| {
            let image = image(images, play);
            image != play && image.point().is_some_and(|point| !self.excluded.contains(point))
        };
        self.images.iter().map(Vec::as_slice).filter(is_playable)
    }
}

/// The image of a move. A pass stays.
pub(super) fn image(images: &[Point], play: Move) -> Move {
    play.point().and_then(|point| images.get(point.index())).map_or(Move::Pass, |&point| Move::Play(point))
}

/// The points of the board in the order in which one of several symmetric moves is chosen: for Black from the last file
/// to the first, each from the highest rank down (T19 first on 19x19); for White the other way round (A1 first), so
/// that openings look as records show them.
fn in_order(position: &Position, color: Color) -> Vec<Point> {
    let coordinate = position.board().coordinate();
    let columns = (1..=coordinate.width()).rev();
    let ranks = || (1..=coordinate.height()).rev();
    let mut points: Vec<Point> = columns.flat_map(|x| ranks().filter_map(move |y| coordinate.point(x, y))).collect();
    if color == Color::White {
        points.reverse();
    }
    points
}

/// For each symmetry but the identity that leaves the position as it is, the images of points by cell index.
fn symmetries(position: &Position, color: Color) -> Vec<Vec<Point>> {
    let (board, coordinate) = (position.board(), position.board().coordinate());
    let is_kept = |images: &Vec<Point>| {
        let mut points = coordinate.points();
        points.all(|point| images.get(point.index()).is_some_and(|&image| board.stone(point) == board.stone(image)))
    };
    let images = Symmetry::all().skip(1).filter_map(|symmetry| symmetry.images(coordinate));
    let images: Vec<Vec<Point>> = images.filter(is_kept).collect();
    let is_banned = |point| matches!(position.check(color, point), Err(IllegalMove::Ko | IllegalMove::Superko));
    if images.is_empty() || coordinate.points().any(is_banned) { Vec::new() } else { images }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, played};

    fn position(width: u8, height: u8, moves: &str) -> Position {
        let coordinate = Coordinate::new(width, height).unwrap();
        played(Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black), moves)
    }

    fn searched(position: &Position, restrictions: Option<&Restrictions>) -> String {
        let (coordinate, color) = (position.board().coordinate(), position.to_move());
        let moves = SymmetricMoves::of(position, color, restrictions);
        let is_searched = |point: &Point| {
            let is_admitted = restrictions.is_none_or(|these| these.admits(color, Move::Play(*point), 0));
            position.check(color, *point).is_ok() && is_admitted && !moves.is_duplicate(*point)
        };
        coordinate.vertices(&coordinate.points().filter(is_searched).collect::<Vec<_>>())
    }

    #[test]
    fn one_of_symmetric_moves_is_searched() {
        for (width, height, moves, expected) in [
            (5, 5, "", "C3 D3 E3 D4 E4 E5"),
            (5, 5, "C3", "A1 A2 B2 A3 B3"),
            (3, 5, "", "B3 C3 B4 C4 B5 C5"),
            // one symmetry: the diagonal
            (3, 3, "A1", "A2 B2 A3 B3 C3"),
            (3, 3, "A1 B1", "A2 B2 C2 A3 B3 C3 C1"),
        ] {
            let position = position(width, height, moves);
            let mut names: Vec<String> = expected.split(' ').map(str::to_owned).collect();
            let mut found: Vec<String> = searched(&position, None).split(' ').map(str::to_owned).collect();
            names.sort();
            found.sort();
            assert_eq!(found, names, "{width}x{height} {moves}");
        }
    }

    #[test]
    fn a_forbidden_move_ends_all_symmetry() {
        // the lower half is the upper half's mirror image; Black may not retake at C2
        let position = position(4, 3, "B1 C1 A2 D2 B3 C3 C2 B2");
        assert!(symmetries(&position, Color::Black).is_empty());
        assert_eq!(symmetries(&position, Color::White).len(), 1);
    }

    #[test]
    fn an_excluded_move_leaves_its_copies() {
        let position = position(5, 5, "");
        let coordinate = position.board().coordinate();
        let move_at = |name: &str| Move::Play(coordinate.parse_vertex(name).unwrap());
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &[move_at("A1"), move_at("A5"), move_at("B3")], 1);
        assert_eq!(searched(&position, Some(&restrictions)), "B3 A5");
        let moves = SymmetricMoves::of(&position, Color::Black, Some(&restrictions));
        let images = |play| moves.images_of(play).map(|images| image(images, play)).collect::<Vec<_>>();
        assert_eq!(images(move_at("A5")), [move_at("A1"); 2]);
        assert_eq!((images(move_at("B3")), images(Move::Pass)), (vec![], vec![]));
    }
}

//! The marks of a node on the page: markup properties of the record.

use crate::kernel::{Coordinate, Move, Point};
use crate::picture::points::{index, point_at};
use crate::sgf::{self, GameTree, NodeId};
use crate::web::action::Mark;
use crate::web::event::{MarkAt, Refusal, RefusalCode};

/// Sets a mark of a node, or takes it away. A label replaces the point's label; an empty one removes it. Point lists of
/// the record (`TR[aa:bb]`) are written point by point.
///
/// # Errors
/// If the point is not on the board.
pub(super) fn toggle(
    tree: &mut GameTree,
    node: NodeId,
    at: i32,
    kind: Mark,
    text: Option<&str>,
) -> Result<(), Refusal> {
    let coordinate = tree.coordinate();
    let Some(point) = point_at(coordinate, at) else {
        return Err(Refusal::new(RefusalCode::Invalid, format!("point {at} is not on the board")));
    };
    let mut marks = tree.points(node, kind.property());
    let before = marks.len();
    marks.retain(|(other, _)| *other != point);
    match (kind, text.filter(|text| !text.is_empty())) {
        (Mark::Lb, Some(text)) => marks.push((point, Some(text.to_owned()))),
        (Mark::Lb, None) => {}
        _ if marks.len() == before => marks.push((point, None)),
        _ => {}
    }
    let values = marks.into_iter().filter_map(|(point, text)| value(coordinate, point, text)).collect();
    tree.set(node, kind.property(), values);
    Ok(())
}

/// The value of a mark at a point.
fn value(coordinate: Coordinate, point: Point, text: Option<String>) -> Option<String> {
    let letters = sgf::move_letters(Move::Play(point), coordinate)?;
    Some(match text {
        Some(text) => format!("{letters}:{}", sgf::value_of_text(&text)),
        None => letters,
    })
}

/// The marks of a node.
pub(super) fn of_node(tree: &GameTree, node: NodeId) -> Vec<MarkAt> {
    let coordinate = tree.coordinate();
    let marks_of = |kind: Mark| {
        let points = tree.points(node, kind.property()).into_iter();
        points.map(move |(point, text)| MarkAt { point: index(coordinate, point), kind: kind.property(), text })
    };
    Mark::ALL.into_iter().flat_map(marks_of).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_point_of_a_list_can_be_unmarked() {
        let mut tree = GameTree::read(b"(;SZ[5]TR[aa:bb][bb][aa:bb]LB[cc:x][cc:y])").unwrap();
        let root = tree.root();
        assert_eq!(of_node(&tree, root).len(), 5);
        toggle(&mut tree, root, 0, Mark::Tr, None).unwrap();
        let mut left: Vec<i32> = of_node(&tree, root).iter().map(|mark| mark.point).collect();
        left.sort_unstable();
        assert_eq!(left, [1, 5, 6, 12]);
        toggle(&mut tree, root, 0, Mark::Tr, None).unwrap();
        assert_eq!(of_node(&tree, root).iter().filter(|mark| mark.point == 0).count(), 1);
        toggle(&mut tree, root, 12, Mark::Lb, Some("y]")).unwrap();
        assert!(tree.write().contains("LB[cc:y\\]]"), "{}", tree.write());
        toggle(&mut tree, root, 12, Mark::Lb, None).unwrap();
        assert!(!tree.write().contains("LB["), "{}", tree.write());
        assert!(toggle(&mut tree, root, 25, Mark::Tr, None).is_err());
    }
}

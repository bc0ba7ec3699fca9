//! Game records with all their variations.

use kifuwarabe_uec14::kernel::{Color, Move};
use kifuwarabe_uec14::sgf::{self, GameTree};

/// The input is the record.
pub fn run(data: &[u8]) {
    let mut tree = match GameTree::read(data) {
        Ok(tree) => tree,
        Err(error) => return assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    };
    let written = assert_reads_back(&tree);
    let main_line = tree.main_line();
    let last = main_line.last().copied().unwrap_or(tree.root());
    match (sgf::read(data), tree.record_of_path(last)) {
        (Ok(record), path) => assert_eq!(path, Ok(record), "{written}"),
        (Err(error), Err(found)) => assert_eq!(found.problem, error.problem, "{written}"),
        (Err(error), Ok(_)) => panic!("{error}, but not in the tree: {written}"),
    }
    // changes at the last node, which need not be in the main line
    let node = tree.node(tree.node_count() - 1).unwrap();
    assert!(tree.promote(node));
    assert!(tree.main_line().starts_with(&tree.path(node)), "{written}");
    let child = tree.add_child(node, Color::Black, Move::Pass).unwrap();
    assert_eq!(tree.parent(child), Some(node));
    let text: String = String::from_utf8_lossy(data).chars().filter(|&c| c == '\n' || !c.is_control()).collect();
    assert!(tree.set_text(child, "C", &text));
    assert_reads_back(&tree);
    assert!(tree.remove(child) && tree.parent(child).is_none());
    assert_reads_back(&tree);
}

/// Writes the tree and reads it again; returns the text.
fn assert_reads_back(tree: &GameTree) -> String {
    let written = tree.write();
    let again = GameTree::read(written.as_bytes()).unwrap();
    assert_eq!((again.node_count(), again.write()), (tree.node_count(), written.clone()));
    written
}

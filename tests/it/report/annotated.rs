//! The annotated record: the original is kept, and the analysis stands where front ends read it.

use kifuwarabe_uec14::kernel::{Color, Move};
use kifuwarabe_uec14::sgf::{GameTree, NodeId};

use crate::engine::Folder;
use crate::report::report;

/// A pass that is a blunder, a comment, variations with unknown properties, a mark of its own, a node without a move.
const COMMENTED: &str = "(;FF[3]GaMe[1]SZ[5]KM[0.5]XX[a][b]C[start];B[]C[why?\n\nReally];W[cc];TR[cc]\
    (;B[aa]TE[1];W[bc];B[ea](;W[dc])(;W[dd]C[or here]))(;B[cb]ZZ[\\]];W[bb]))";

fn annotated(folder: &Folder, record: &str) -> GameTree {
    let options = ["--visits", "300", "--sgf", "out.sgf", "--overwrite"];
    let output = report(folder, record, &options);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    GameTree::read(folder.read("out.sgf").as_bytes()).unwrap()
}

/// Checks that the tree has all nodes of the original below `from`, in order, with all their properties.
fn assert_has(tree: &GameTree, node: NodeId, original: &GameTree, from: NodeId) {
    for (identifier, values) in original.properties(from) {
        let found = tree.values(node, identifier);
        if identifier == "C" {
            assert!(found[0].starts_with(&values[0]), "{found:?}");
        } else {
            assert_eq!(found, values, "{identifier}");
        }
    }
    let (children, expected) = (tree.children(node), original.children(from));
    assert!(children.len() >= expected.len());
    for (&child, &expected) in children.iter().zip(expected) {
        assert_has(tree, child, original, expected);
    }
}

#[test]
fn original_is_kept_and_moves_are_annotated() {
    let folder = Folder::new();
    let tree = annotated(&folder, COMMENTED);
    let original = GameTree::read(COMMENTED.as_bytes()).unwrap();
    assert_has(&tree, tree.root(), &original, original.root());
    let line = tree.main_line();
    assert_eq!(line.len(), original.main_line().len());
    // the node without a move has the numbers of its position
    for (place, &id) in line.iter().enumerate() {
        let comment = tree.text(id, "C").unwrap_or_default();
        assert_eq!(comment.contains("Kifuwarabe UEC14: Black's win rate "), place != 2, "{place}: {comment}");
        let rate: Option<f64> = tree.text(id, "SBKV").map(|rate| rate.parse().unwrap());
        assert_eq!(rate.is_some_and(|rate| (0.0..=100.0).contains(&rate)), place != 2, "{place}");
        assert_eq!(tree.text(id, "V").is_some(), place != 2);
    }
    // the pass: a blunder with a better line beside it
    let pass = line[1];
    let comment = tree.text(pass, "C").unwrap();
    assert!(comment.starts_with("why?\n\nReally\n\nKifuwarabe UEC14: Black's win rate "), "{comment}");
    assert!(comment.contains("\nBlunder: lost ") && comment.contains(" points. ") && comment.contains(" was better"));
    assert_eq!((tree.values(pass, "BM"), tree.values(pass, "HO")), (&["2".to_owned()][..], &["1".to_owned()][..]));
    let &[first, better] = tree.children(tree.root()) else { panic!("{}", tree.write()) };
    assert_eq!(first, pass);
    assert!(matches!(tree.move_of(better), Some((Color::Black, Move::Play(_)))));
    assert!(tree.text(better, "C").unwrap().contains("better than move 1. Black's win rate "));
    assert!(tree.line_from(better).len() > 1);
    // a mark of the record is kept, and none added
    let marked = line[4];
    assert_eq!((tree.values(marked, "TE"), tree.values(marked, "BM").len()), (&["1".to_owned()][..], 0));
    assert!(tree.text(marked, "C").unwrap().contains("lost "), "{}", tree.write());
}

/// In a record that was never annotated, a paragraph that begins like an annotation is a person's own.
#[test]
fn own_words_stay_in_a_first_annotation() {
    let folder = Folder::new();
    let tree = annotated(&folder, "(;SZ[5]KM[0.5]C[Kifuwarabe UEC14: my opponent today];B[cc])");
    let comment = tree.text(tree.root(), "C").unwrap();
    let expected = "Kifuwarabe UEC14: my opponent today\n\nKifuwarabe UEC14: Black's win rate ";
    assert!(comment.starts_with(expected), "{comment}");
}

#[test]
fn annotation_replaces_an_earlier_one() {
    let folder = Folder::new();
    let first = annotated(&folder, COMMENTED).write();
    assert_eq!(annotated(&folder, &first).write(), first);
}

/// Marks and better lines of an earlier annotation go, comments that were added to it stay.
#[test]
fn a_new_annotation_leaves_nothing_stale() {
    let folder = Folder::new();
    let mut tree = annotated(&folder, COMMENTED);
    let line = tree.line_from(tree.root());
    // the second move is no blunder, although an earlier annotation says so
    let (parent, second) = (line[1], line[3]);
    let text = tree.text(second, "C").unwrap();
    assert!(!text.contains("lost ") && tree.values(second, "BM").is_empty(), "{text}");
    tree.set_text(second, "C", &format!("{text}\nBlunder: lost 50% and 9.0 points.\n\nTeacher: keep this"));
    tree.set(second, "BM", vec!["2".into()]);
    tree.set(second, "HO", vec!["1".into()]);
    let [stale, commented] = ["A5", "E1"].map(|vertex| {
        let point = tree.coordinate().parse_vertex(vertex).unwrap();
        let child = tree.add_child(parent, Color::White, Move::Play(point)).unwrap();
        tree.set_text(child, "C", "Kifuwarabe UEC14: better than move 2. Black's win rate 5%, W+9.0.");
        child
    });
    let last = tree.add_child(commented, Color::Black, Move::Pass).unwrap();
    tree.set_text(last, "C", "and then?");
    let moves = [stale, commented].map(|child| tree.move_of(child));

    let again = annotated(&folder, &tree.write());
    let line = again.line_from(again.root());
    let text = again.text(line[3], "C").unwrap();
    assert!(text.starts_with("Teacher: keep this\n\nKifuwarabe UEC14: ") && !text.contains("Blunder"), "{text}");
    assert!(["BM", "HO"].iter().all(|name| again.values(line[3], name).is_empty()));
    let has = |play| again.children(line[1]).iter().any(|&child| again.move_of(child) == play);
    assert_eq!(moves.map(has), [false, true]);
}

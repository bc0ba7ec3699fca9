//! Game trees of SGF: everything of a file is kept, changes are local, and written trees read back unchanged.
//!
//! The irregular files are not part of the project ([`external`]); without them their test prints SKIPPED and passes.

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position};
use kifuwarabe_uec14::sgf::{self, GameTree, NodeId};

use crate::support::{empty_position, external};

/// A tree as text, a node a line: its depth, then its properties with their values as written.
pub fn describe(tree: &GameTree) -> String {
    let mut text = tree.coordinate().size_text();
    let mut nodes = vec![(tree.root(), 0_usize)];
    while let Some((id, depth)) = nodes.pop() {
        let properties = tree.properties(id).map(|(identifier, values)| format!(" {identifier}{values:?}"));
        text += &format!("\n{depth}{}", properties.collect::<String>());
        nodes.extend(tree.children(id).iter().rev().map(|&child| (child, depth + 1)));
    }
    text
}

#[track_caller]
fn read(text: &str) -> GameTree {
    GameTree::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The tree with the root's `FF` and `CA` left out, which every tree has.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = describe(&read(text)).replace(" FF[\"4\"] CA[\"UTF-8\"]", "");
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{text}");
}

#[track_caller]
fn assert_reads_back(tree: &GameTree, name: &str) {
    let written = tree.write();
    let again = GameTree::read(written.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}\n{written}"));
    assert_eq!(describe(&again), describe(tree), "{name}: {written}");
    assert_eq!(again.write(), written, "{name}");
}

#[test]
fn variations_and_all_properties_are_kept_in_order() {
    check(
        "text (;GM[1]SZ[9]XY[1][ 2\\]][a:b\\:c];B[aa]C[one\n\ntwo](;W[bb](;B[cc])(;B[dd]LB[aa:1][bb:2]))(;W[ee]))(;SZ[5])",
        &[
            "9",
            "0 GM[\"1\"] SZ[\"9\"] XY[\"1\", \" 2\\\\]\", \"a:b\\\\:c\"]",
            "1 B[\"aa\"] C[\"one\\n\\ntwo\"]",
            "2 W[\"bb\"]",
            "3 B[\"cc\"]",
            "3 B[\"dd\"] LB[\"aa:1\", \"bb:2\"]",
            "2 W[\"ee\"]",
        ],
    );
    check("(GaMe[1]SiZe[5];;C[])", &["5", "0 GM[\"1\"] SZ[\"5\"]", "1", "2 C[\"\"]"]);
    // one identifier twice in a node, and lower-case names that FF[4] does not have
    check("(;AB[aa]AB[bb]note[x]a1B[y])", &["19", "0 AB[\"aa\", \"bb\"] note[\"x\"] a1B[\"y\"]"]);
    // a node after variations continues the node before them, as Sabaki reads it
    check("(;B[aa](;W[bb]);W[cc];B[dd])", &["19", "0 B[\"aa\"]", "1 W[\"bb\"]", "1 W[\"cc\"]", "2 B[\"dd\"]"]);
    // the parentheses at the end may be absent after the main line
    check("(;(;B[aa])(;B[bb]", &["19", "0", "1 B[\"aa\"]", "1 B[\"bb\"]"]);
}

/// A property that is written in several parts loses none of them when it is changed.
#[test]
fn repeated_properties_are_one() {
    check(
        "(;TR[aa]C[one]TR[bb]C[]XX[1]C[two]XX[2]C[three];B[aa]B[bb]GC[]GC[x])",
        &[
            "19",
            "0 TR[\"aa\", \"bb\"] C[\"one\\n\\ntwo\\n\\nthree\"] XX[\"1\", \"2\"]",
            "1 B[\"aa\"] B[\"bb\"] GC[\"x\"]",
        ],
    );
    let mut tree = GameTree::read(b"(;TR[aa]C[one]TR[bb]C[two])").unwrap();
    let root = tree.root();
    assert_eq!(tree.text(root, "C").as_deref(), Some("one\n\ntwo"));
    let mut values = tree.values(root, "TR").to_vec();
    values.push("cc".to_owned());
    tree.set(root, "TR", values);
    assert_eq!(tree.write(), "(;FF[4]CA[UTF-8]TR[aa][bb][cc]C[one\n\ntwo])");
}

#[test]
fn format_and_encoding_are_those_of_the_written_text() {
    let (text, _, _) = encoding_rs::SHIFT_JIS.encode("(;FF[3]CA[Shift_JIS]C[黒番\\\\ 表]PB[ソ];B[aa]C[白])");
    let tree = GameTree::read(&text).unwrap();
    assert_eq!(tree.write(), "(;FF[4]CA[UTF-8]C[黒番\\\\ 表]PB[ソ];B[aa]C[白])");
    assert_eq!(tree.text(tree.root(), "C").unwrap(), "黒番\\ 表");
    let (text, _, _) = encoding_rs::GBK.encode("(;CA[gb2312]PW[柯洁])");
    assert_eq!(GameTree::read(&text).unwrap().write(), "(;FF[4]CA[UTF-8]PW[柯洁])");
    assert_eq!(GameTree::read(b"(;PB[Andr\xe9])").unwrap().write(), "(;FF[4]CA[UTF-8]PB[André])");
}

#[test]
fn texts_have_line_ends_and_escapes() {
    let mut tree = read("(;C[a\\]b\\\\c\r\nd\\\ne\tf])");
    let root = tree.root();
    assert_eq!(tree.text(root, "C").unwrap(), "a]b\\c\nde f");
    for text in ["[x]\\", "one\n\ntwo \\n]", "九段: a:b", "\n", "]"] {
        assert!(tree.set_text(root, "C", text));
        assert_eq!(tree.text(root, "C").unwrap(), text);
        assert_reads_back(&tree, text);
    }
    assert!(tree.set_text(root, "C", "a\r\nb\rc\u{7}"));
    assert_eq!(tree.text(root, "C").unwrap(), "a\nb c ");
    assert!(tree.set_text(root, "C", ""));
    assert_eq!(tree.text(root, "C"), None);
}

#[test]
fn errors_name_the_byte_and_the_problem() {
    let error = |text: &str| GameTree::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error("no game"), "byte 7: no game record: no `(;` was found, and no `(` before a property");
    assert_eq!(error("(;B[aa];W"), "byte 9: the file ends inside the game");
    assert_eq!(error("(;B[aa](;W[bb])(;W[cc"), "byte 18: the file ends before the `]` of the value that begins here");
    assert_eq!(error("(;B[aa](;W[bb])(;W"), "byte 18: the file ends inside the game");
    assert_eq!(error("(;B[aa](;W[bb])()"), "byte 16: no `;` follows a `(`");
    assert_eq!(error("(;B[aa](;W[bb])C[x])"), "byte 15: no `;` follows a `(`");
    assert_eq!(error("(;B[aa](;W[bb])(;W[cc]5))"), "byte 22: `5` stands between properties");
    assert_eq!(error("(;SZ[99])"), "byte 4: SZ[99]: expected 2 to 25 points a side, or width and height as in 9:13");
    assert_eq!(error("(;GM[2])"), "byte 4: GM[2]: only Go is read, which is GM[1]");
    // a point off the board is an error of its path only
    let tree = read("(;SZ[9](;B[aa])(;B[zz]))");
    let &[good, bad] = tree.children(tree.root()) else { panic!() };
    assert_eq!(tree.record_of_path(good).unwrap().turns.len(), 1);
    assert_eq!(tree.record_of_path(bad).unwrap_err().to_string(), "byte 18: B[zz]: no point of a 9x9 board");
}

#[test]
fn a_bad_value_is_where_the_reader_of_the_main_line_finds_it() {
    for record in [
        "(;SZ[9]PB[聂卫平];B[aa]C[é];W[zz])",
        "\u{feff}(;SZ[9]PB[聂卫平]AB[aa][cc:zz])",
        "(;SZ[9]AB[aa]\r\nLB[bb:é]AB[cc][zz])",
        "(;SZ[9];B[aa]\n[bb])",
    ] {
        let expected = sgf::read(record.as_bytes()).unwrap_err();
        for tree in [GameTree::read(record.as_bytes()), GameTree::read_text(record)].map(Result::unwrap) {
            let end = *tree.main_line().last().unwrap();
            assert_eq!(tree.record_of_path(end).unwrap_err(), expected, "{record}");
        }
    }
}

/// The encoding that a text names was that of a file.
#[test]
fn a_text_is_read_whatever_encoding_it_names() {
    let text = "(;CA[GBK]SZ[9]PB[聂卫平];B[zz])(;)";
    let tree = GameTree::read_text(text).unwrap();
    assert_eq!(tree.text(tree.root(), "PB").as_deref(), Some("聂卫平"));
    let end = *tree.main_line().last().unwrap();
    assert_eq!(Some(tree.record_of_path(end).unwrap_err().offset), text.find("[zz]"));
    assert!(sgf::text_has_several_games(text));
}

#[test]
fn changes_are_local() {
    let mut tree = read("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd](;B[ee])(;B[ff];W[gg])))");
    let root = tree.root();
    let first = tree.children(root)[0];
    let [b, d]: [NodeId; 2] = tree.children(first).try_into().unwrap();
    let g = tree.line_from(tree.children(d)[1])[1];
    let header = "(;FF[4]CA[UTF-8]SZ[9];B[aa]";
    let whole = tree.write();
    assert_eq!(whole, format!("{header}\n(;W[bb];B[cc])\n(;W[dd]\n(;B[ee])\n(;B[ff];W[gg])))"));
    assert_eq!((tree.node_count(), tree.parent(g), tree.parent(root)), (8, tree.path(g).get(3).copied(), None));
    assert!(tree.promote(g));
    assert_eq!(tree.write(), format!("{header}\n(;W[dd]\n(;B[ff];W[gg])\n(;B[ee]))\n(;W[bb];B[cc]))"));
    assert_eq!(tree.main_line(), tree.path(g));

    // a move that is there is found, another one is added as the last child
    let coordinate = tree.coordinate();
    let play = |name: &str| Move::Play(coordinate.parse_vertex(name).unwrap());
    assert_eq!(tree.add_child(first, Color::White, play("B8")), Some(b));
    assert_eq!(tree.node_count(), 8);
    let pass = tree.add_child(b, Color::Black, Move::Pass).unwrap();
    assert_eq!((tree.move_of(pass), pass.index()), (Some((Color::Black, Move::Pass)), 8));
    assert_eq!(tree.children(b).last(), Some(&pass));

    // a removed node and all nodes after it are unknown, and their ids are not used again
    assert!(tree.remove(d));
    assert_eq!(tree.write(), format!("{header};W[bb]\n(;B[cc])\n(;B[]))"));
    assert_eq!((tree.node(g.index()), tree.path(g), tree.node_count()), (None, vec![], 5));
    assert!(!tree.remove(g) && !tree.remove(root) && !tree.promote(g) && !tree.set_text(g, "C", "x"));
    assert_eq!(tree.add_child(g, Color::White, Move::Pass), None);
    assert_eq!(tree.add_child(pass, Color::White, Move::Pass).unwrap().index(), 9);

    // properties keep their place
    assert!(tree.set(first, "N", vec!["x".into()]) && tree.set(first, "B", vec!["ii".into()]));
    assert_eq!(tree.properties(first).map(|(name, _)| name).collect::<Vec<_>>(), ["B", "N"]);
    assert!(tree.set(first, "B", Vec::new()));
    for (identifier, value) in
        [("n", "x"), ("", "x"), ("N N", "x"), ("1N", "x"), ("N", "]"), ("N", "\\"), ("N", "\\\\]")]
    {
        assert!(!tree.set(first, identifier, vec![value.into()]), "{identifier}[{value}]");
    }
    assert_eq!(tree.values(first, "N"), ["x"]);
    assert_reads_back(&tree, "changed");
}

#[test]
fn paths_lead_to_positions() {
    let tree = read("(;SZ[9]KM[7.5]RU[Japanese]HA[2]AB[cc][gg](;W[ee](;B[ed])(;AE[cc]AW[aa]PL[W])))");
    let like = Position::new(Coordinate::square(19).unwrap(), GameRule::with_komi(6.5), 0, Color::Black);
    let at = |id: NodeId| sgf::position_of(&tree.record_of_path(id).unwrap(), &like, None).unwrap();
    let root = at(tree.root());
    assert_eq!((root.rule().komi, root.handicap(), root.to_move()), (7.5, 2, Color::White));
    let first = tree.children(tree.root())[0];
    let &[played, edited] = tree.children(first) else { panic!() };
    assert_eq!((at(played).record().len(), at(played).to_move()), (2, Color::White));
    let coordinate = tree.coordinate();
    let stone = |position: &Position, name: &str| {
        position.board().stones()[coordinate.parse_vertex(name).unwrap().index()].to_string()
    };
    assert_eq!((stone(&at(edited), "C7"), stone(&at(edited), "A9")), (".".to_owned(), "o".to_owned()));
    assert_eq!(at(edited).to_move(), Color::White);
    // White has the first move without PL and without handicap
    let white = read("(;SZ[9];;W[ee])");
    assert_eq!(white.record_of_path(white.root()).unwrap().to_play, Some(Color::White));
    let new = GameTree::new(Coordinate::new(9, 13).unwrap());
    assert_eq!(new.write(), "(;FF[4]CA[UTF-8]GM[1]SZ[9:13])");
    assert_eq!(read(&new.write()).coordinate(), new.coordinate());
}

#[test]
fn deep_and_wide_trees_are_handled_without_recursion() {
    let count = 300_000;
    let deep = read(&format!("{}{}", "(;B[aa]".repeat(count), ")".repeat(count)));
    assert_eq!((deep.node_count(), deep.main_line().len()), (count, count));
    assert_reads_back(&deep, "deep");
    let mut comb = read(&format!("{}{}", "(;B[aa](;W[])".repeat(count), ")".repeat(count)));
    let last = comb.node(2 * count - 2).unwrap();
    assert_eq!(comb.path(last).len(), count);
    assert_reads_back(&comb, "comb");
    assert!(comb.promote(last));
    assert_eq!(comb.main_line().len(), count + 1);
    let first = comb.children(comb.root())[0];
    assert!(comb.remove(first));
    let wide = read(&format!("(;{})", "(;W[aa]C[x])".repeat(count)));
    assert_eq!(wide.children(wide.root()).len(), count);
    assert_reads_back(&wide, "wide");
}

#[test]
fn trees_over_the_limits_are_refused() {
    let problem = |text: String| GameTree::read(text.as_bytes()).unwrap_err().problem;
    assert_eq!(problem(format!("({})", ";".repeat(sgf::MAX_NODES + 1))), sgf::SgfProblem::TreeTooLarge);
    assert_eq!(problem(format!("(;C{})", "[]".repeat(sgf::MAX_VALUES))), sgf::SgfProblem::TreeTooLarge);
    let mut full = GameTree::read(format!("({})", ";".repeat(sgf::MAX_NODES)).as_bytes()).unwrap();
    assert_eq!(full.add_child(full.root(), Color::Black, Move::Pass), None);
    assert_eq!(full.node_count(), sgf::MAX_NODES);
}

/// Every irregular file whose main line is read has a tree with the same main line, which reads back unchanged.
#[test]
fn trees_of_irregular_files_agree_with_the_reader_of_main_lines() {
    let Some(folder) = external("data/oddsgf") else { return };
    let (mut nodes, mut branches, mut refused) = (0, 0, Vec::new());
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sgf") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        let tree = match (sgf::read(&bytes), GameTree::read(&bytes)) {
            (Ok(record), Ok(tree)) => {
                let last = *tree.main_line().last().unwrap();
                assert_eq!(tree.record_of_path(last), Ok(record), "{name}");
                tree
            }
            (Ok(_), Err(error)) => {
                refused.push(format!("{name}: {error}"));
                continue;
            }
            (Err(error), Ok(tree)) => {
                // a value of the main line
                let found = tree.record_of_path(*tree.main_line().last().unwrap()).unwrap_err();
                assert_eq!(found.problem, error.problem, "{name}");
                tree
            }
            (Err(_), Err(_)) => continue,
        };
        assert_reads_back(&tree, &name);
        nodes += tree.node_count();
        branches += (0..tree.node_count()).filter(|&n| tree.children(tree.node(n).unwrap()).len() > 1).count();
        // every path is a record or an error of one line, and plays or does not
        let like = empty_position(tree.coordinate());
        let leaves = (0..tree.node_count()).map(|n| tree.node(n).unwrap()).filter(|&id| tree.children(id).is_empty());
        for leaf in leaves.take(50) {
            if let Ok(record) = tree.record_of_path(leaf) {
                let _ = sgf::position_of(&record, &like, None);
            }
        }
    }
    eprintln!("oddsgf: {nodes} nodes, {branches} branching; main line only:\n{}", refused.join("\n"));
    assert!(nodes > 10_000 && branches > 100, "{nodes} nodes, {branches} branching");
}

#[test]
fn random_trees_read_back_unchanged() {
    const TEXTS: [&str; 14] = ["a", "]", "\\", "[", ";", "(", ")", "\n", " ", "九", ":", "\\\n", "🀄", "long text "];
    const NAMES: [&str; 8] = ["C", "N", "LB", "AB", "XX", "SBKV", "TR", "K9"];
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..300 {
        let mut tree = GameTree::new(Coordinate::new(rng.u8(2..=25), rng.u8(2..=25)).unwrap());
        let points: Vec<_> = tree.coordinate().points().collect();
        for _ in 0..rng.usize(..80) {
            let Some(id) = tree.node(rng.usize(..tree.node_count() + 3)) else { continue };
            let text = |rng: &mut fastrand::Rng| -> String {
                (0..rng.usize(..30)).map(|_| TEXTS[rng.usize(..TEXTS.len())]).collect()
            };
            let color = if rng.bool() { Color::Black } else { Color::White };
            match rng.u32(..10) {
                0 => drop(tree.remove(id)),
                1 => drop(tree.promote(id)),
                2..5 => {
                    let values: Vec<_> = (0..rng.usize(..5)).map(|_| sgf::value_of_text(&text(&mut rng))).collect();
                    assert!(tree.set(id, NAMES[rng.usize(..8)], values));
                }
                5 => assert!(tree.set_text(id, "C", &text(&mut rng))),
                6 => drop(tree.add_child(id, color, Move::Pass)),
                _ => drop(tree.add_child(id, color, Move::Play(points[rng.usize(..points.len())]))),
            }
        }
        assert_reads_back(&tree, "random");
    }
}

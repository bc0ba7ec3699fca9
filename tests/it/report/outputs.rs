//! The files of `report`: their names, which of them are replaced, standard output, and several records.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::engine::Folder;
use crate::report::{FINISHED, GAME};

fn run(folder: &Folder, options: &[&str]) -> Output {
    folder.run(&[&["--set", "Net.Use=false", "report", "--visits", "20"], options].concat(), b"")
}

fn streams(output: &Output) -> (String, String, Option<i32>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn page_lies_beside_its_record_unless_another_output_is_named() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("games")).unwrap();
    fs::write(folder.path().join("games/a.b.sgf"), FINISHED).unwrap();
    assert_eq!(
        streams(&run(&folder, &["games/a.b.sgf"])),
        ("wrote games/a.b.html: 2 moves, 0 mistakes, 0 blunders\n".into(), String::new(), Some(0))
    );
    // a page of report is replaced
    assert_eq!(streams(&run(&folder, &["games/a.b.sgf"])).2, Some(0));
    fs::remove_file(folder.path().join("games/a.b.html")).unwrap();
    let (stdout, stderr, code) = streams(&run(&folder, &["games/a.b.sgf", "--sgf", "x.sgf", "--json", "-"]));
    assert_eq!((stderr.as_str(), code), ("wrote x.sgf: 2 moves, 0 mistakes, 0 blunders\n", Some(0)));
    let numbers: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&numbers["record"], &numbers["positions"][2]["lead"]), (&"a.b.sgf".into(), &4.5.into()));
    assert!(!folder.path().join("games/a.b.html").exists());
    // in a folder both have the record's name
    fs::create_dir(folder.path().join("out")).unwrap();
    let (wrote, ..) = streams(&run(&folder, &["games/a.b.sgf", "-o", "out", "--sgf", "out"]));
    assert_eq!(wrote, "wrote out/a.b.html, out/a.b.sgf: 2 moves, 0 mistakes, 0 blunders\n");
    // both outputs may be replaced, and the page goes to stdout
    fs::write(folder.path().join("x.json"), &stdout).unwrap();
    let (stdout, stderr, code) =
        streams(&run(&folder, &["games/a.b.sgf", "--sgf", "x.sgf", "--json", "x.json", "-o", "-"]));
    assert_eq!((stderr.as_str(), code), ("wrote x.sgf, x.json: 2 moves, 0 mistakes, 0 blunders\n", Some(0)));
    assert!(stdout.starts_with("<!DOCTYPE html>") && stdout.ends_with("</html>\n"), "{stdout}");
    let (stdout, stderr, _) = streams(&run(&folder, &["games/a.b.sgf", "--sgf", "-"]));
    assert_eq!(stderr, "games/a.b.sgf: 2 moves, 0 mistakes, 0 blunders\n");
    assert!(stdout.starts_with("(;") && stdout.ends_with(")\n"), "{stdout}");
}

#[test]
fn files_that_report_did_not_write_are_kept() {
    let folder = Folder::new();
    fs::write(folder.path().join("game.sgf"), FINISHED).unwrap();
    for name in ["game.html", "x.sgf", "x.json"] {
        fs::write(folder.path().join(name), "my own").unwrap();
    }
    fs::write(folder.path().join("empty.html"), "").unwrap();
    for (options, message) in [
        (vec!["game.sgf"], "--output game.html: this file exists"),
        (vec!["game.sgf", "-o", "x.json"], "--output x.json: this file exists"),
        (vec!["game.sgf", "--sgf", "x.sgf"], "--sgf x.sgf: this file exists"),
        (vec!["game.sgf", "--json", "x.json"], "--json x.json: this file exists"),
        (vec!["game.sgf", "--sgf", "./game.sgf"], "--sgf ./game.sgf: that is the record"),
        (
            vec!["game.sgf", "-o", "a", "--json", "./a"],
            "./a: two outputs would be written to this file, of --output and of --json",
        ),
        (vec!["game.sgf", "-o", "-", "--json", "-"], "only one of them can be `-`"),
        (vec!["game.sgf", "game.sgf", "-o", "-"], "--output -: several records need a folder"),
        (
            vec!["game.sgf", "game.sgf", "--sgf", "x.json"],
            "--sgf x.json: this is a file, and several records need a folder",
        ),
    ] {
        let options = [options, vec!["--visits", "100000000"]].concat();
        let (stdout, stderr, code) = streams(&folder.run(&[&["report"], &options[..]].concat(), b""));
        assert!(stderr.contains(message), "{options:?}: {stderr}");
        assert_eq!((stdout.as_str(), stderr.lines().count(), code), ("", 1, Some(2)), "{stderr}");
    }
    for name in ["game.html", "x.sgf", "x.json"] {
        assert_eq!(folder.read(name), "my own");
    }
    assert_eq!(folder.read("game.sgf"), FINISHED);
    assert_eq!(streams(&run(&folder, &["game.sgf", "-o", "empty.html"])).2, Some(0));
    assert_eq!(streams(&run(&folder, &["game.sgf", "--overwrite"])).2, Some(0));
    assert!(folder.read("game.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn an_annotated_record_with_a_long_comment_is_replaced() {
    let folder = Folder::new();
    let comment = "a long comment ".repeat(400);
    let record = FINISHED.replace("RE[B+4.5]", &format!("RE[B+4.5]C[{comment}]"));
    fs::write(folder.path().join("game.sgf"), record).unwrap();
    for _ in 0..2 {
        let (_, stderr, code) = streams(&run(&folder, &["game.sgf", "--sgf", "x.sgf"]));
        assert_eq!((stderr.as_str(), code), ("", Some(0)));
        let text = folder.read("x.sgf");
        assert!(text.starts_with("(;FF[4]CA[UTF-8]GM[1]KUREPORT["), "{text}");
    }
}

#[test]
fn record_with_a_damaged_variation_has_a_page() {
    let folder = Folder::new();
    fs::write(folder.path().join("game.sgf"), "(;SZ[5]C[start];B[cc](;W[cb])(;W))").unwrap();
    let (stdout, stderr, code) = streams(&run(&folder, &["game.sgf"]));
    let warning = "game.sgf: byte 32: a property without a value; its comments and variations are left out\n";
    assert!(stderr.ends_with(warning) && stderr.lines().count() == 1, "{stderr}");
    assert!(stdout.starts_with("wrote game.html: 2 moves") && code == Some(0), "{stdout}");
    // they would be lost
    let (stdout, stderr, code) = streams(&run(&folder, &["game.sgf", "--sgf", "-"]));
    assert!(stderr.contains("report game.sgf: byte 32: a property without a value"), "{stderr}");
    assert_eq!((stdout.as_str(), code), ("", Some(2)));
}

#[test]
fn several_records_have_an_index() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("b")).unwrap();
    fs::write(folder.path().join("game.sgf"), GAME).unwrap();
    fs::write(folder.path().join("b/game.sgf"), FINISHED).unwrap();
    fs::write(folder.path().join("cut.sgf"), "(;SZ[9];B[aa]").unwrap();
    let all = ["game.sgf", "cut.sgf", "b/game.sgf", "-o", "out", "--sgf", "out/sgf", "--json", "all.json"];
    let (stdout, stderr, code) = streams(&run(&folder, &all));
    assert!(
        stderr.contains("report cut.sgf: byte 13: ") && stderr.contains("report: 1 of 3 records left out"),
        "{stderr}"
    );
    assert_eq!((stderr.lines().count(), code), (2, Some(2)));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{stdout}");
    assert!(lines[0].starts_with("wrote out/game.html, out/sgf/game.sgf: 13 moves, "), "{stdout}");
    assert_eq!(lines[1], "wrote out/game-2.html, out/sgf/game-2.sgf: 2 moves, 0 mistakes, 0 blunders");
    assert_eq!(lines[2..], ["wrote out/index.html: 2 games", "wrote all.json"]);
    let index = folder.read("out/index.html");
    assert_eq!(index.matches("<tr><td><a href=").count(), 2);
    for text in
        ["<a href=\"game.html\">Lee &amp;", "<a href=\"game-2.html\">", "result B+4.5", "<td class=\"n\">100%</td>"]
    {
        assert!(index.contains(text), "{text}: {index}");
    }
    let games: Vec<Value> = folder.read("all.json").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.iter().map(|game| &game["result"]).collect::<Vec<_>>(), ["B+R", "B+4.5"]);
    // pages beside their records, and the index in the present folder; all of them are replaced the second time
    for _ in 0..2 {
        let (stdout, _, code) = streams(&run(&folder, &["game.sgf", "b/game.sgf"]));
        assert!(stdout.ends_with("wrote index.html: 2 games\n") && code == Some(0), "{stdout}");
    }
    assert!(folder.read("index.html").contains("<a href=\"b/game.html\">") && folder.read("b/game.html").len() > 1000);
}

#[test]
fn a_page_gets_another_name_if_its_name_is_taken() {
    let folder = Folder::new();
    for name in ["index.sgf", "game.sgf", "game.txt"] {
        fs::write(folder.path().join(name), FINISHED).unwrap();
    }
    let (stdout, stderr, code) = streams(&run(&folder, &["index.sgf", "game.sgf", "game.txt"]));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    let names: Vec<&str> = stdout.lines().filter_map(|line| line.strip_prefix("wrote ")?.split(':').next()).collect();
    assert_eq!(names, ["index-2.html", "game.html", "game-2.html", "index.html"]);
}

#[test]
fn numbers_of_no_game_replace_nothing() {
    let folder = Folder::new();
    for name in ["a.sgf", "b.sgf"] {
        fs::write(folder.path().join(name), "no game").unwrap();
    }
    let (stdout, stderr, code) = streams(&run(&folder, &["a.sgf", "b.sgf", "--json", "n.json"]));
    assert_eq!((stdout.as_str(), code), ("", Some(2)), "{stderr}");
    assert!(!folder.path().join("n.json").exists());
    // nor do they make a folder
    for options in [&["-o", "out"][..], &["--sgf", "out"], &["-o", "out", "--sgf", "out/sgf"]] {
        let (stdout, stderr, code) = streams(&run(&folder, &[&["a.sgf", "none.sgf"], options].concat()));
        assert_eq!((stdout.as_str(), stderr.lines().count(), code), ("", 3, Some(2)), "{stderr}");
        assert!(!folder.path().join("out").exists(), "{options:?}");
    }
}

#[test]
fn a_folder_that_is_named_is_made() {
    let folder = Folder::new();
    fs::write(folder.path().join("game.sgf"), FINISHED).unwrap();
    let (stdout, stderr, code) = streams(&run(&folder, &["game.sgf", "-o", "a/b/", "--sgf", "c/."]));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    let stdout = stdout.replace('\\', "/");
    assert_eq!(stdout, "wrote a/b/game.html, c/game.sgf: 2 moves, 0 mistakes, 0 blunders\n");
    assert!(folder.read("a/b/game.html").starts_with("<!DOCTYPE html>") && folder.path().join("c/game.sgf").is_file());
    // not where something else is wrong
    fs::write(folder.path().join("foreign.txt"), "my own").unwrap();
    for (json, message) in [
        ("game.sgf", "--json game.sgf: that is the record"),
        ("foreign.txt", "--json foreign.txt: this file exists"),
        ("e/", "the name of a folder, expected that of a file"),
        ("d/e/", "the name of a folder, expected that of a file"),
        ("e/x.json", "no such folder"),
        ("d", "--json d: this is also the folder of an output"),
    ] {
        let (_, stderr, code) = streams(&run(&folder, &["game.sgf", "-o", "d/", "--json", json]));
        assert!(stderr.contains(message) && code == Some(2), "{json}: {stderr}");
        assert!(!folder.path().join("d").exists(), "{json}");
    }
    // the numbers may lie in a new folder
    let (_, stderr, code) = streams(&run(&folder, &["game.sgf", "-o", "d/f/", "--json", "d/x.json"]));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    assert!(folder.path().join("d/f/game.html").is_file() && folder.path().join("d/x.json").is_file());
    // also that of several records is shown without the `.`
    let (stdout, ..) = streams(&run(&folder, &["game.sgf", "game.sgf", "-o", "g/."]));
    assert!(stdout.replace('\\', "/").ends_with("wrote g/index.html: 2 games\n"), "{stdout}");
}

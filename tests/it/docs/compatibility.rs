//! `docs/compatibility.md` and the command table agree: each row of KataGo's and GNU Go's commands is true, and none is
//! missing. The lists of their commands are data of the tests, taken from KataGo 1.17.2 and from GNU Go 3.8.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use kifuwarabe_uec14::gtp::table::find;
use kifuwarabe_uec14::protocol::katago_params::{KATAGO_NAMES, ParamMapping};

use super::{Page, code};
use crate::support::skipped;

const KATAGO: &str = include_str!("../../data/katago_commands.txt");
const GNU_GO: &str = include_str!("../../data/gnugo_commands.txt");

fn page() -> Page {
    Page::read(Path::new("docs/compatibility.md"))
}

/// Checks the rows of a table against the command table, and their names against a list.
#[track_caller]
fn check(title: &str, list: &str) {
    let page = page();
    let rows: Vec<&Vec<String>> = page.rows(title).collect();
    let names: Vec<&str> = rows.iter().map(|row| code(&row[0])).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{title}: {names:?}");
    assert_eq!(names, list.lines().collect::<Vec<_>>(), "{title}: rows of the page, list of the program");
    for (name, row) in names.iter().zip(&rows) {
        let (is_ours, note) = (find(name).is_some(), row[2].as_str());
        match row[1].as_str() {
            "yes" => assert!(is_ours, "{name} is no command, docs/compatibility.md says yes"),
            "alias" => {
                let other = code(note);
                assert!(is_ours && find(other).is_some() && other != *name, "{name} is no alias of {other}");
            }
            "no" => {
                assert!(!is_ours, "{name} is a command, docs/compatibility.md says no");
                assert!(note.len() > 15, "{name}: expected the reason");
            }
            word => panic!("{name}: {word}, expected yes, alias or no"),
        }
    }
    assert!(rows.iter().filter(|row| row[1] == "yes").count() > 40, "{title}");
}

#[test]
fn every_command_of_katago_has_a_true_row() {
    check("KataGo command", KATAGO);
}

#[test]
fn every_command_of_gnu_go_has_a_true_row() {
    check("GNU Go command", GNU_GO);
}

/// An alias answers as the other command does, so both have the same arguments.
#[test]
fn aliases_have_the_arguments_of_the_other_command() {
    let page = page();
    let rows = ["KataGo command", "GNU Go command"].into_iter().flat_map(|title| page.rows(title));
    let aliases: Vec<_> = rows.filter(|row| row[1] == "alias").collect();
    assert!(aliases.len() >= 3);
    for row in aliases {
        let [own, other] = [&row[0], &row[2]].map(|cell| find(code(cell)).unwrap().arguments);
        assert_eq!(own, other, "{row:?}");
    }
}

#[test]
fn every_parameter_of_katago_has_a_true_row() {
    let page = page();
    let documented: Vec<(String, String)> =
        page.rows("KataGo parameter").map(|row| (code(&row[0]).to_owned(), format!("{} {}", row[1], row[2]))).collect();
    let table: Vec<(String, String)> = KATAGO_NAMES
        .iter()
        .map(|(name, meaning)| {
            let text = match meaning {
                ParamMapping::Option(option) => format!("yes `{option}`"),
                ParamMapping::Limit(option) => format!("yes `{option}`, very large values mean no limit"),
                ParamMapping::Unsupported(reason) => format!("no {reason}"),
            };
            ((*name).to_owned(), text)
        })
        .collect();
    assert_eq!(documented, table, "docs/compatibility.md, player/katago_params.rs");
}

/// The list in the tests is that of the installed program.
#[test]
fn gnu_go_lists_the_commands_of_the_table() {
    let programs = ["gnugo", "/usr/games/gnugo"];
    let start = |program| {
        let mut command = Command::new(program);
        command.args(["--mode", "gtp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().ok()
    };
    let Some(mut child) = programs.into_iter().find_map(start) else {
        skipped("there is no gnugo: its list of commands was not compared");
        return;
    };
    child.stdin.take().unwrap().write_all(b"version\nlist_commands\nquit\n").unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let mut answers = output.split("\n\n");
    let version = answers.next().unwrap().trim_start_matches("= ").to_owned();
    if version != "3.8" {
        skipped(&format!("gnugo is of version {version}, expected 3.8"));
        return;
    }
    let listed: BTreeSet<&str> = answers.next().unwrap().trim_start_matches("= ").lines().map(str::trim).collect();
    assert_eq!(listed, GNU_GO.lines().collect());
}

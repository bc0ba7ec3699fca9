//! The tables of commands, options and keys name what the program has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kifuwarabe_uec14::gtp::table::COMMANDS;
use serde_json::Value;

use super::output::{ask, folder};
use super::{Page, code, pages_in};
use crate::engine::{Folder, repository};

#[test]
fn commands_page_lists_every_command_with_its_arguments() {
    let folder = folder();
    let engine: BTreeSet<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let list = ask(&folder, &[], "list_commands\n").concat();
    let listed: BTreeSet<&str> = list.trim_start_matches('=').split_whitespace().collect();
    // with the first GoGui leaves its board to the engine
    let is_unlisted = |name: &str| name.starts_with("gogui-rules_") || name.ends_with("-raw-nn");
    assert_eq!(listed, engine.iter().copied().filter(|name| !is_unlisted(name)).collect());
    let page = Page::read(Path::new("docs/commands.md"));
    let rows: Vec<&str> = page.rows("Command").map(|row| code(&row[0])).collect();
    let names: Vec<&str> = rows.iter().map(|usage| usage.split(' ').next().unwrap()).collect();
    let documented: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(documented.len(), names.len(), "a command is listed twice");
    assert_eq!(documented, engine, "commands of docs/commands.md, commands of the engine");
    let questions: String = names.iter().map(|name| format!("help {name}\n")).collect();
    for (usage, help) in rows.iter().zip(ask(&folder, &[], &questions)) {
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(usage), "docs/commands.md: {usage}\nhelp: {help}");
    }
}

#[test]
fn every_subcommand_and_option_is_documented() {
    let folder = folder();
    let help =
        |arguments: &[&str]| String::from_utf8(folder.run(&[arguments, &["--help"]].concat(), b"").stdout).unwrap();
    let main = help(&[]);
    let list = main.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let subcommands: BTreeSet<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let page = Page::read(Path::new("docs/configuration.md"));
    let documented: BTreeSet<&str> = page.rows("Subcommand").map(|row| code(&row[0])).collect();
    assert_eq!(documented, subcommands, "docs/configuration.md, --help");
    let names = pages_in("docs").into_iter().map(|page| page.path);
    let text: String = names.map(|path| std::fs::read_to_string(repository().join(path)).unwrap()).collect();
    let mut count = 0;
    for subcommand in subcommands.iter().map(|name| vec![*name]).chain([Vec::new()]) {
        let help = help(&subcommand);
        let words = help.lines().filter(|line| line.trim_start().starts_with('-')).flat_map(str::split_whitespace);
        for option in words.filter(|word| word.starts_with("--")) {
            let option = option.trim_end_matches([',', ']']);
            count += 1;
            // a hidden option, to which KataGo's `-config` is mapped
            assert!(option == "--katago-config" || text.contains(option), "{subcommand:?} {option}");
        }
    }
    assert!(count > 30, "{count} options");
}

/// The keys of the printed configuration with their values as TOML.
fn printed_keys(folder: &Folder, arguments: &[&str]) -> BTreeMap<String, String> {
    std::fs::remove_file(folder.path().join("engine.toml")).unwrap_or_default();
    let output = folder.run(&[arguments, &["--print-config"]].concat(), b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let here = folder.path().canonicalize().unwrap();
    let text = text.replace(&format!("{}/", here.display()), "");
    let sections: toml::Table = text.parse().unwrap();
    let pairs = sections.iter().flat_map(|(section, keys)| {
        let keys = keys.as_table().unwrap().iter();
        keys.map(move |(key, value)| (format!("{section}.{key}"), value.to_string()))
    });
    pairs.collect()
}

#[test]
fn configuration_page_lists_every_key_with_its_default() {
    let page = Page::read(Path::new("docs/configuration.md"));
    let rows = page.rows("Key").map(|row| (code(&row[0]).to_owned(), code(&row[1]).to_owned()));
    let documented: BTreeMap<String, String> = rows.collect();
    assert_eq!(documented.len(), page.rows("Key").count(), "a key is listed twice");
    assert_eq!(documented, printed_keys(&folder(), &[]), "docs/configuration.md, --print-config");
}

#[test]
fn configuration_page_names_ranges_and_words_that_the_engine_accepts() {
    let folder = folder();
    let page = Page::read(Path::new("docs/configuration.md"));
    let refusal = |set: &str| {
        let output = folder.run(&["--set", set, "--print-config"], b"");
        String::from_utf8(output.stderr).unwrap()
    };
    let mut ranges = 0;
    for row in page.rows("Key") {
        let (key, values) = (code(&row[0]), &row[2]);
        if values.contains(" to ") {
            ranges += 1;
            let text = refusal(&format!("{key}=-999999999999"));
            assert!(text.contains(&format!("expected {values}, found")), "{key}: {values}\n{text}");
        }
        for word in values.split('`').skip(1).step_by(2) {
            assert_eq!(refusal(&format!("{key}={word}")), "", "{key}");
        }
    }
    assert!(ranges > 30, "{ranges} keys with a range");
}

#[test]
fn old_names_of_keys_are_accepted() {
    let folder = folder();
    let page = Page::read(Path::new("docs/configuration.md"));
    let defaults = printed_keys(&folder, &[]);
    let rows: Vec<_> = page.rows("Old name").collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (old, new) = (code(&row[0]), code(&row[1]));
        assert!(!defaults.contains_key(old), "{old} is no old name");
        let value = if defaults[new].contains('.') { "1.0" } else { "1" };
        let keys = printed_keys(&folder, &["--set", &format!("{old}={value}")]);
        assert_eq!(keys[new], value, "{old}");
    }
}

#[test]
fn matches_of_the_readmes_are_those_of_the_page_of_strength() {
    let page = Page::read(Path::new("docs/strength.md"));
    // the first table has the built-in network of this version
    let strength = &page.tables.iter().find(|table| table.header[0] == "Opponent").unwrap().rows;
    let readme = Page::read(Path::new("README.md"));
    let rows: Vec<&Vec<String>> = readme.rows("Opponent").collect();
    assert!(!rows.is_empty());
    for row in &rows {
        assert!(strength.contains(row), "README.md: {row:?} is no row of docs/strength.md");
    }
    let japanese = Page::read(Path::new("docs/README.ja.md"));
    let translated = japanese.rows("相手").map(|row| match row.as_slice() {
        [_, board, games, interval] => {
            let side = board.trim_end_matches(" 路");
            [format!("{side}x{side}"), games.replace('/', "of"), interval.replace('〜', " to ")]
        }
        _ => panic!("{row:?}"),
    });
    let english: Vec<_> = rows.iter().map(|row| row[1..].to_vec()).collect();
    assert_eq!(translated.map(Vec::from).collect::<Vec<_>>(), english, "docs/README.ja.md, README.md");
}

#[test]
fn reports_page_lists_every_key_of_the_numbers() {
    let folder = folder();
    let finished = "(;SZ[5]KM[0.5]AB[ca][cb][cc][cd][ce]AW[da][db][dc][dd][de];B[];W[])";
    std::fs::write(folder.path().join("finished.sgf"), finished).unwrap();
    std::fs::write(folder.path().join("illegal.sgf"), "(;SZ[5];B[cc];W[cb];B[cc])").unwrap();
    let options = ["--set", "Net.Use=false", "report", "finished.sgf", "illegal.sgf", "--json", "-", "--visits", "20"];
    let output = folder.run(&options, b"");
    let games = String::from_utf8(output.stdout).unwrap();
    let games: Vec<Value> = games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let elements = |key: &str| games.iter().flat_map(|game| game[key].as_array().unwrap()).collect::<Vec<_>>();
    let positions = elements("positions");
    let played = positions.iter().filter_map(|position| position.get("played")).collect();
    let page = Page::read(Path::new("docs/reports.md"));
    for (title, objects) in [
        ("Key", games.iter().collect()),
        ("Key of `summary`", elements("summary")),
        ("Key of `positions`", positions.clone()),
        ("Key of `played`", played),
    ] {
        let keys: BTreeSet<&str> =
            objects.iter().flat_map(|object| object.as_object().unwrap().keys()).map(String::as_str).collect();
        let documented: BTreeSet<&str> = page.rows(title).flat_map(|row| row[0].split(", ").map(code)).collect();
        assert_eq!(documented, keys, "docs/reports.md, {title}");
    }
}

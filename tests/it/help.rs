//! `help`: every command under a subject, every argument explained, and every key that it names accepted.

use std::collections::BTreeSet;

use kifuwarabe_uec14::gtp::table::COMMANDS;
use kifuwarabe_uec14::kernel::GameRule;

use crate::engine;

const WIDTH: usize = 79;

/// The text of a successful answer of a new engine.
fn ask(command: &str) -> String {
    engine::ask(&mut engine::engine(), command)
}

/// The first column of the rows in a help text: names with their own arguments.
fn names(text: &str) -> Vec<&str> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("  ")).filter(|row| !row.starts_with(' '));
    // a name that is wider than its column has a line of its own
    rows.map(|row| match (row.get(..26), row.get(26..28)) {
        (Some(name), Some("  ")) => name.trim_end(),
        _ => row,
    })
    .collect()
}

/// The names in a usage such as `[COLOR] [N] a|b ...`.
fn words(usage: &str) -> BTreeSet<&str> {
    usage.split(|character: char| "[]| ,".contains(character)).filter(|word| !["", "..."].contains(word)).collect()
}

#[test]
fn the_overview_lists_every_command_once_under_a_subject() {
    let text = ask("help");
    let listed: Vec<&str> = names(&text).iter().map(|row| row.split(' ').next().unwrap()).collect();
    let expected: BTreeSet<&str> = COMMANDS.iter().map(|command| command.name).collect();
    assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), expected);
    assert_eq!(listed.len(), COMMANDS.len(), "a command is listed twice");
    let headings: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ') && line.ends_with(':')).collect();
    assert!(headings.len() > 10, "{headings:?}");
    for (number, line) in text.lines().enumerate() {
        assert!(line.len() <= WIDTH, "{line}");
        let is_empty =
            headings.contains(&line) && text.lines().nth(number + 1).is_none_or(|next| !next.starts_with(' '));
        assert!(!is_empty, "no commands under {line}");
    }
}

#[test]
fn every_argument_of_every_command_is_explained() {
    for command in COMMANDS {
        let text = ask(&format!("help {}", command.name));
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), format!("{} {}", command.name, command.arguments).trim_end());
        assert!(text.lines().all(|line| line.len() <= WIDTH && line.trim_end() == line), "{text}");
        let names = names(&text);
        let explained: BTreeSet<&str> = names.iter().flat_map(|name| words(name)).collect();
        for word in words(command.arguments) {
            assert!(explained.contains(word), "{word} is not explained:\n{text}");
        }
        let unique: BTreeSet<&&str> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{text}");
    }
}

#[test]
fn words_are_not_split_and_no_line_is_empty() {
    let text = ask("help can_not_put_on_my_eye");
    assert!(text.contains("one-point") && !text.contains("\n\n"), "{text}");
}

/// The argument lists that the help text of a command allows: each row that begins with a key, with one line for every
/// combination of its `a|b` alternatives.
fn alternatives(command: &str) -> Vec<String> {
    let text = ask(&format!("help {command}"));
    let is_key = |name: &&str| name.starts_with(|first: char| first.is_ascii_lowercase());
    let mut lines = Vec::new();
    for name in names(&text).into_iter().filter(is_key) {
        let mut spelled = vec![String::new()];
        for word in name.split(' ') {
            let choices: Vec<&str> = word.split('|').collect();
            spelled =
                spelled.iter().flat_map(|line| choices.iter().map(move |choice| format!("{line} {choice}"))).collect();
        }
        lines.extend(spelled);
    }
    lines
}

#[test]
fn every_rule_of_the_help_is_accepted() {
    let lines = alternatives("kata-set-rule");
    assert!(lines.len() >= 16, "{lines:?}");
    for line in &lines {
        assert_eq!(ask(&format!("kata-set-rule{line}")), "");
    }
    let keys: BTreeSet<&str> = lines.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    let rules: serde_json::Value = serde_json::from_str(&ask("kata-get-rules")).unwrap();
    assert_eq!(keys, rules.as_object().unwrap().keys().map(String::as_str).collect());
}

#[test]
fn every_time_system_of_the_help_is_accepted() {
    for (command, count) in [("kata-time_settings", 6), ("kgs-time_settings", 4)] {
        let lines = alternatives(command);
        assert_eq!(lines.len(), count);
        for line in lines {
            let numbers =
                line.split(' ').map(|word| if word.starts_with(|c: char| c.is_ascii_uppercase()) { "5" } else { word });
            assert_eq!(ask(&format!("{command}{}", numbers.collect::<Vec<_>>().join(" "))), "");
        }
    }
}

#[test]
fn every_key_of_an_analysis_in_the_help_is_accepted() {
    for (command, count) in [("kata-search_analyze", 21), ("lz-genmove_analyze", 5)] {
        let lines = alternatives(command);
        assert_eq!(lines.len(), count, "{lines:?}");
        for line in lines {
            let spelled = line.replace("COLOR", "b").replace("DEPTH", "1").replace(" N", " 1");
            let answer = ask(&format!("{command}{spelled}"));
            assert!(answer.lines().last().unwrap().starts_with("play "), "{command}{spelled}: {answer}");
        }
    }
}

#[test]
fn every_parameter_is_explained_with_bounds_and_default() {
    let text = ask("help kata-set-param");
    let params = ask("kata-list-params");
    let names: Vec<&str> = names(&text).into_iter().filter(|name| !["NAME", "VALUE"].contains(name)).collect();
    assert_eq!(names, params.split(' ').collect::<Vec<_>>());
    for name in names {
        // a long name has a line of its own
        let (_, row) = ["\n  {name} ", "\n  {name}\n"]
            .iter()
            .find_map(|mark| text.split_once(&mark.replace("{name}", name)))
            .unwrap();
        let row =
            row.split("\n  ").take_while(|line| !line.starts_with(char::is_alphabetic)).collect::<Vec<_>>().join(" ");
        let row = row.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, default) = row.rsplit_once("default ").unwrap_or_else(|| panic!("{name}: {row}"));
        assert!(row.len() > default.len() + 20, "{name}: {row}");
    }
}

#[test]
fn the_rule_sets_of_the_help_are_accepted() {
    let text = ask("help kata-set-rules");
    let names = text.split_once("a rule set: ").unwrap().1.split_once("\n  JSON").unwrap().0;
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let note = GameRule::approximation(name).unwrap_or_default();
        assert_eq!(ask(&format!("kata-set-rules {name}")), note);
    }
}

//! Answers that name options, with replaced names mapped to the present ones.
//!
//! A log of an earlier version has old names in the answers to the commands about options. Commands accept old names
//! (`RENAMED` in `player::options`), so only answers need a mapping: both the logged and the new answer are mapped
//! before they are compared. The order of options is not mapped. Of values, `true` and `2.0` become 1 and 2, because some
//! options were numbers in earlier versions that are switches or whole numbers now. Options that the log's version did not
//! have are left out of the new answer.

use serde_json::{Map, Number, Value};

use crate::gtp::command::Repeatability;
use crate::gtp::table::find;
use crate::player::options::{self, current_name};
use crate::protocol::katago_params;

/// Whether the answers of the command of this name, errors included, name options.
fn names_options(command: &str) -> bool {
    find(command).is_some_and(|command| command.repeatability == Repeatability::OptionNames)
}

/// The fields of an answer to `command`, with present names in keys and text if the command is about options.
pub(super) fn with_current_names(command: &str, fields: Map<String, Value>) -> Map<String, Value> {
    if names_options(command) { mapped(fields) } else { fields }
}

fn mapped(fields: Map<String, Value>) -> Map<String, Value> {
    fields
        .into_iter()
        .map(|(key, value)| {
            let value = match value {
                Value::String(text) => Value::String(mapped_text(&text)),
                Value::Object(object) => Value::Object(mapped(object)),
                Value::Bool(flag) => Value::from(u8::from(flag)),
                Value::Number(number) => whole(&number).map_or(Value::Number(number), Value::from),
                value => value,
            };
            (current_name(&key).to_owned(), value)
        })
        .collect()
}

/// The whole number that a float of JSON is, if it is one that floats keep exactly.
fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    (float.abs() < (1_i64 << 53) as f64).then_some(float as i64)
}

/// The fields of a new answer without the options that the logged answer to the same command does not name.
pub(super) fn without_newer(
    command: &str,
    logged: &Map<String, Value>,
    fields: Map<String, Value>,
) -> Map<String, Value> {
    if names_options(command) { known_fields(logged, fields) } else { fields }
}

fn known_fields(logged: &Map<String, Value>, fields: Map<String, Value>) -> Map<String, Value> {
    let is_known = |key: &str| logged.contains_key(key) || !is_option(key);
    let fields = fields.into_iter().filter(|(key, _)| is_known(key));
    let known = |key: &str, value: Value| match (logged.get(key), value) {
        (Some(Value::String(logged)), Value::String(text)) => Value::String(known_text(logged, &text)),
        (Some(Value::Object(logged)), Value::Object(object)) => Value::Object(known_fields(logged, object)),
        (_, value) => value,
    };
    fields.map(|(key, value)| (key.clone(), known(&key, value))).collect()
}

/// Whether a word is the name of an option, ours or KataGo's.
fn is_option(word: &str) -> bool {
    options::find(word).is_some() || katago_params::find(word).is_some()
}

/// A text without the names of options that `logged` does not have: in a list, or each with its line of a dialog.
fn known_text(logged: &str, text: &str) -> String {
    let has = |name: &str| logged.split_whitespace().any(|word| word == name);
    let is_newer = |word: &str| is_option(word) && !has(word);
    let line = |line: &str| {
        let is_dialog = line.starts_with('[');
        match line.split(' ').any(is_newer) {
            true if is_dialog => None,
            true => Some(line.split(' ').filter(|word| !is_newer(word)).collect::<Vec<_>>().join(" ")),
            false => Some(line.to_owned()),
        }
    };
    text.split('\n').filter_map(line).collect::<Vec<_>>().join("\n")
}

/// Maps every word of letters and digits in `text`.
fn mapped_text(text: &str) -> String {
    let mut mapped = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let (between, from_word) = rest.split_at(start);
        let end = from_word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(from_word.len());
        let (word, after) = from_word.split_at(end);
        mapped.push_str(between);
        mapped.push_str(current_name(word));
        rest = after;
    }
    mapped + rest
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[track_caller]
    fn check(command: &str, fields: &str, expected: &str) {
        let mapped = with_current_names(command, serde_json::from_str(fields).unwrap());
        assert_eq!(mapped, serde_json::from_str(expected).unwrap());
    }

    #[test]
    fn answers_about_options_have_present_names() {
        check("kata-get-params", r#"{"params":{"Lag":0.1,"Seed":7}}"#, r#"{"params":{"LagBuffer":0.1,"Seed":7}}"#);
        check(
            "kata-get-param",
            r#"{"text":"0.1","param":"Lag","value":0.1}"#,
            r#"{"text":"0.1","param":"LagBuffer","value":0.1}"#,
        );
        check("kata-list-params", r#"{"text":"Playouts Visits Lag"}"#, r#"{"text":"MaxPlayouts MaxVisits LagBuffer"}"#);
        check(
            "kata-set-param",
            r#"{"NetValue":"7","text":"unexpected NetValue:7, expected 0 to 1"}"#,
            r#"{"NetValueWeight":"7","text":"unexpected NetValueWeight:7, expected 0 to 1"}"#,
        );
        check(
            "kifuwarabe-search_params",
            r#"{"text":"[string] Exploration 0\n[string] PlayoutCapture 0.6"}"#,
            r#"{"text":"[string] UctExploration 0\n[string] PlayoutCapture 0.6"}"#,
        );
    }

    #[test]
    fn values_have_one_spelling_in_all_versions() {
        check(
            "kata-get-params",
            r#"{"params":{"ExpandAfter":2.0,"Resign":true,"Seconds":0.5}}"#,
            r#"{"params":{"ExpandAfter":2,"Resign":1,"Seconds":0.5}}"#,
        );
    }

    #[test]
    fn newer_options_are_left_out() {
        for (command, logged, given, expected) in [
            (
                "kata-get-params",
                r#"{"params":{"Seed":7}}"#,
                r#"{"params":{"Cpuct":1,"Seed":7}}"#,
                r#"{"params":{"Seed":7}}"#,
            ),
            (
                "kata-list-params",
                r#"{"text":"Seed Level"}"#,
                r#"{"text":"Seed Cpuct Level Ponder maxVisits"}"#,
                r#"{"text":"Seed Level"}"#,
            ),
            (
                "kifuwarabe-search_params",
                r#"{"text":"[string] Seed 1"}"#,
                r#"{"text":"[string] Seed 1\n[bool] Ponder 0"}"#,
                r#"{"text":"[string] Seed 1"}"#,
            ),
            ("name", r#"{"text":"Seed"}"#, r#"{"text":"Seed Level"}"#, r#"{"text":"Seed Level"}"#),
        ] {
            let [logged, given, expected] = [logged, given, expected].map(|json| serde_json::from_str(json).unwrap());
            assert_eq!(without_newer(command, &logged, given), expected, "{command}");
        }
    }

    #[test]
    fn other_answers_stay() {
        let text = r#"{"text":"pspairs/Visits/kifuwarabe-visits","Lag":1}"#;
        check("gogui-analyze_commands", text, text);
    }
}

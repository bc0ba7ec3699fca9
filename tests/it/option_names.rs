//! Names of options that were replaced: valid in every command, and in no answer.

use kifuwarabe_uec14::player::options::{RENAMED, ValueType, find};

use crate::engine::{answer, engine};

/// A client saves all parameters, changes some by either name, and sends them back.
#[test]
fn all_parameters_can_be_set_as_they_were_told() {
    let mut engine = engine();
    let mut ask = |command: &str| answer(&mut engine, command).trim_end().to_owned();
    assert_eq!(ask("kata-set-params {\"MaxVisits\": 77, \"Resign\": false}"), "=");
    let told = ask("kata-get-params");
    let told = told.trim_start_matches("= ");
    assert_eq!(ask("kata-set-params {\"MaxVisits\": 5, \"maxVisits\": 5, \"Resign\": true}"), "=");
    assert_eq!(ask(&format!("kata-set-params {told}")), "=");
    assert_eq!(ask("kata-get-params").trim_start_matches("= "), told);
    for name in ["MaxVisits", "maxVisits"] {
        let changed = told.replace(&format!("\"{name}\":77"), &format!("\"{name}\":90"));
        assert_eq!(ask(&format!("kata-set-params {changed}")), "=");
        assert_eq!(ask("kata-get-param MaxVisits"), "= 90", "by {name}");
        assert_eq!(ask("kata-set-param MaxVisits 77"), "=");
    }
    let refused = ask("kata-set-params {\"MaxVisits\": 5, \"maxVisits\": 6}");
    assert_eq!(refused, "? unexpected param:maxVisits, expected one value: MaxVisits is another name of the same");
    assert_eq!(ask("kata-get-param MaxVisits"), "= 77");
}

#[test]
fn replaced_names_are_valid_in_commands_and_absent_from_answers() {
    for (old, new) in RENAMED {
        let (low, high, range) = match find(new).unwrap().1 {
            ValueType::Integer { min, max } => (min.to_string(), max.to_string(), format!("{min} to ")),
            ValueType::Number { min, max } => (min.to_string(), max.to_string(), format!("{min} to ")),
            ValueType::Boolean => ("false".to_owned(), "true".to_owned(), "true or false".to_owned()),
            ValueType::Perspective => unreachable!("{old}"),
        };
        let mut engine = engine();
        let mut ask = |command: &str| answer(&mut engine, command).trim_end().to_owned();
        assert_eq!(ask(&format!("kata-set-param {old} {high}")), "=");
        assert_eq!(ask(&format!("kata-get-param {old}")), format!("= {high}"));
        assert_eq!(ask(&format!("kata-get-param {new}")), format!("= {high}"));
        assert_eq!(ask(&format!("kifuwarabe-search_params {old} {low}")), "=");
        assert_eq!(ask(&format!("kata-get-param {new}")), format!("= {low}"));
        let refused = ask(&format!("kata-set-param {old} x"));
        assert!(refused.starts_with(&format!("? unexpected {new}:x, expected {range}")), "{refused}");
        for command in ["kata-list-params", "kata-get-params", "kifuwarabe-search_params"] {
            let answer = ask(command);
            let mut words = answer.split(|c: char| !c.is_ascii_alphanumeric());
            assert!(words.clone().any(|word| word == new) && !words.any(|word| word == old), "{old}: {answer}");
        }
    }
}

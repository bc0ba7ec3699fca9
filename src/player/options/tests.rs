//! Options by name, their types and ranges, and the limits that follow from them.

#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn options_are_read_and_set_by_name() {
    let default = Options::default();
    let names: Vec<&str> = names().collect();
    assert_eq!(names.len(), ROWS.len() + PARAMS.len());
    for (number, &name) in names.iter().enumerate() {
        assert!(!names.iter().skip(number + 1).any(|&other| other == name), "{name} twice");
        let (name, value_type) = find(name).unwrap();
        let values = match value_type {
            ValueType::Integer { min, max } => vec![OptionValue::Integer(min), OptionValue::Integer(max)],
            ValueType::Number { min, max } => vec![OptionValue::Number(min), OptionValue::Number(max)],
            ValueType::Boolean => vec![OptionValue::Boolean(true), OptionValue::Boolean(false)],
            ValueType::Perspective => {
                Perspective::NAMES.iter().map(|(_, view)| OptionValue::Perspective(*view)).collect()
            }
        };
        let mut options = default;
        let before = options.get(name).unwrap();
        for value in values {
            options.set(name, value).unwrap();
            assert_eq!(options.get(name), Some(value), "{name}");
            assert_eq!(value_type.read(&value.to_string()), Some(value), "{name}");
        }
        options.set(name, before).unwrap();
        assert_eq!(options, default, "{name}");
    }
}

#[test]
fn invalid_values_change_nothing() {
    let mut options = Options::default();
    assert_eq!(options.set("threads", OptionValue::Integer(2)), Err(OptionError::Unknown));
    assert_eq!(options.get("threads"), None);
    for (name, value, expected) in [
        ("Threads", OptionValue::Integer(65), "0 to 64"),
        ("Threads", OptionValue::Number(2.5), "0 to 64"),
        ("Threads", OptionValue::Number(-1.0), "0 to 64"),
        ("Seconds", OptionValue::Integer(0), "0.001 to 3600"),
        ("Seconds", OptionValue::Number(f64::NAN), "0.001 to 3600"),
        ("Resign", OptionValue::Integer(2), "true or false"),
        ("NativeNetSearch", OptionValue::Number(0.3), "true or false"),
        ("RootNumSymmetriesToSample", OptionValue::Number(2.7), "1 to 8"),
        ("PlayoutCapture", OptionValue::Integer(2), "0 to 1"),
        ("PlayoutCapture", OptionValue::Boolean(true), "0 to 1"),
        ("ReportWinrateAs", OptionValue::Boolean(true), "side-to-move, black or white"),
    ] {
        let Err(OptionError::Expected(value_type)) = options.set(name, value) else { unreachable!("{name}") };
        assert_eq!(value_type.to_string(), expected);
    }
    assert_eq!(options, Options::default());
    options.set("Seconds", OptionValue::Integer(2)).unwrap();
    assert_eq!(options.seconds, 2.0);
}

#[test]
fn numbers_are_converted_to_the_type_of_the_option() {
    let mut options = Options::default();
    for (name, value, expected) in [
        ("Threads", OptionValue::Number(2.0), "2"),
        ("RootNumSymmetriesToSample", OptionValue::Number(7.0), "7"),
        ("Resign", OptionValue::Integer(0), "false"),
        ("NativeNetSearch", OptionValue::Number(0.0), "false"),
        ("NativeNetSearch", OptionValue::Boolean(true), "true"),
    ] {
        options.set(name, value).unwrap();
        assert_eq!(options.get(name).unwrap().to_string(), expected, "{name}");
        let (_, value_type) = find(name).unwrap();
        assert_eq!(value_type.read(&value.to_string()), options.get(name), "{name}");
    }
    let (_, whole) = find("RootNumSymmetriesToSample").unwrap();
    assert_eq!(["2.7", "9"].map(|text| whole.expected(text)), ["a whole number from 1 to 8", "1 to 8"]);
    let (_, switch) = find("NativeNetSearch").unwrap();
    assert_eq!(
        (switch.read("0.0"), switch.read("2"), switch.read("yes")),
        (Some(OptionValue::Boolean(false)), None, None)
    );
}

#[test]
fn max_time_takes_the_place_of_seconds() {
    let limits = |max_time, max_visits| Options { max_time, max_visits, ..Options::default() }.limits();
    let time = |seconds: f64| Some(TimeBudget::new(seconds, seconds).with_expiring_time());
    for (max_time, max_visits, expected) in
        [(0.0, 0, time(5.0)), (0.0, 9, None), (2.0, 0, time(2.0)), (9.0, 9, time(9.0))]
    {
        let limits = limits(max_time, max_visits);
        assert_eq!(limits.time, expected, "{max_time} {max_visits}");
        assert_eq!(limits.visits, if max_visits == 0 { u64::MAX } else { max_visits });
    }
}

#[test]
fn zero_threads_takes_every_processor() {
    let threads = |threads| Options { threads, ..Options::default() }.thread_count();
    assert_eq!((threads(1), threads(64)), (1, 64));
    assert!((1..=64).contains(&threads(0)));
}

#[test]
fn replaced_names_stay_valid() {
    let default = Options::default();
    for (old, new) in RENAMED {
        assert!(!names().any(|name| name == old), "{old} names an option");
        let (name, value_type) = find(old).unwrap();
        assert_eq!((name, Some((name, value_type))), (new, find(new)));
        assert_eq!(default.get(old), default.get(new));
        let (min, max) = match value_type {
            ValueType::Integer { min, max } => (OptionValue::Integer(min), OptionValue::Integer(max)),
            ValueType::Number { min, max } => (OptionValue::Number(min), OptionValue::Number(max)),
            ValueType::Boolean => (OptionValue::Boolean(false), OptionValue::Boolean(true)),
            ValueType::Perspective => unreachable!("{old}"),
        };
        for value in [min, max] {
            let (mut by_old, mut by_new) = (default, default);
            by_old.set(old, value).unwrap();
            by_new.set(new, value).unwrap();
            assert_eq!((by_old, by_old.get(new)), (by_new, Some(value)), "{old}");
        }
    }
    assert_eq!((current_name("Seed"), current_name("lag"), find("lag")), ("Seed", "lag", None));
}

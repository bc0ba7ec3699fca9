//! Parsers of single command-line values, with the ranges that the configuration has for them.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

use crate::config::error::with_decimal_point;
use crate::kernel::{Color, Coordinate, GameRule, KOMI_LIMIT, MAX_SIDE, MIN_SIDE};
use crate::player::options::{self, MAX_SEED, MAX_THREADS};

/// A whole number in a range.
pub(crate) fn whole<T>(
    range: impl RangeBounds<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display,
{
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(match (range.start_bound(), range.end_bound()) {
            (Bound::Included(from), Bound::Included(to)) => format!("expected {from} to {to}"),
            (Bound::Included(from), _) => format!("expected a whole number from {from}"),
            _ => "expected a whole number".to_owned(),
        }),
    }
}

/// The size of a board: `19`, or width and height as in `9x13`; at least [`MIN_SIDE`] points a side.
pub(crate) fn board_size(text: &str) -> Result<Coordinate, String> {
    let expected = || format!("expected {MIN_SIDE} to {MAX_SIDE}, or width and height such as 9x13");
    text.parse().ok().filter(Coordinate::has_min_sides).ok_or_else(expected)
}

/// A number of threads.
pub(crate) fn thread_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=MAX_THREADS) => Ok(count as usize),
        _ => Err(format!("expected 1 to {MAX_THREADS}")),
    }
}

/// An RNG seed; 0 picks a random one.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(seed @ 0..=MAX_SEED) => Ok(seed),
        _ => Err(format!("expected 0 to {MAX_SEED}")),
    }
}

/// Points of komi, up to [`KOMI_LIMIT`] for either side.
pub(crate) fn komi(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(komi) if komi.abs() <= KOMI_LIMIT => Ok(komi),
        Ok(komi) if komi.is_finite() => Err(format!("expected -{KOMI_LIMIT} to {KOMI_LIMIT}")),
        _ => Err(match with_decimal_point(text) {
            Some(number) => format!("expected a decimal point, as in {number}"),
            None => "expected a number such as 6.5".to_owned(),
        }),
    }
}

/// The name of a rule set.
pub(crate) fn rules_name(text: &str) -> Result<String, String> {
    match GameRule::with_komi(0.0).with_rule_set(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected one of {}", GameRule::names().collect::<Vec<_>>().join(" "))),
    }
}

/// A player's colour.
pub(crate) fn color(text: &str) -> Result<Color, String> {
    Color::parse(text).ok_or_else(|| "expected black or white".to_owned())
}

/// Seconds per move, in the range of `Search.Seconds`.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let value_type = options::find("Seconds").map(|(_, value_type)| value_type).ok_or("no such option")?;
    match value_type.read(text) {
        Some(options::OptionValue::Number(seconds)) => Ok(seconds),
        _ => Err(format!("expected {value_type}")),
    }
}

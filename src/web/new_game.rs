//! The record of a game that begins.

use crate::NAME;
use crate::kernel::handicap::{expected_fixed, fixed};
use crate::kernel::{Color, Coordinate, GameRule, KOMI_LIMIT, MAX_SIDE, MIN_SIDE, Move, is_same_rule_name};
use crate::protocol::sgf_time::sgf_times;
use crate::sgf::{self, GameTree};
use crate::web::action::{HumanSides, NewGame};
use crate::web::clock;
use crate::web::event::{Refusal, RefusalCode};

/// The root of a game with these settings.
///
/// # Errors
/// If a setting is impossible.
pub(super) fn tree(new: &NewGame) -> Result<GameTree, Refusal> {
    let NewGame { width, height, komi, handicap, human_sides, .. } = *new;
    let refuse = |code, text: String| Err(Refusal::new(code, text));
    let Some(coordinate) = Coordinate::new(width, height).filter(Coordinate::has_min_sides) else {
        return refuse(
            RefusalCode::Size,
            format!("a board of {width}x{height}, expected {MIN_SIDE} to {MAX_SIDE} points a side"),
        );
    };
    let Some(rules) = GameRule::names().find(|name| is_same_rule_name(name, &new.rules)) else {
        return refuse(RefusalCode::Value, format!("rules {}, expected the name of a rule set", new.rules));
    };
    if !komi.is_finite() || komi.abs() > KOMI_LIMIT {
        return refuse(RefusalCode::Value, format!("komi {komi}, expected at most {KOMI_LIMIT} points"));
    }
    let stones = match handicap {
        0 => Vec::new(),
        _ => match fixed(coordinate, handicap) {
            Some(stones) => stones,
            None => return refuse(RefusalCode::Value, format!("handicap {handicap}: {}", expected_fixed(coordinate))),
        },
    };
    let mut tree = GameTree::new(coordinate);
    let root = tree.root();
    tree.set(root, "KM", vec![sgf::komi_value(komi)]);
    tree.set_text(root, "RU", rules);
    tree.set_text(root, "DT", &chrono::Local::now().format("%Y-%m-%d").to_string());
    let (time_limit, overtime) = sgf_times(clock::settings(new.time));
    for (property, value) in [("TM", time_limit), ("OT", overtime)] {
        if let Some(value) = value {
            tree.set_text(root, property, &value);
        }
    }
    tree.set_text(root, "AP", &format!("{NAME}:{}", crate::VERSION));
    if !stones.is_empty() {
        tree.set(root, "HA", vec![handicap.to_string()]);
        let points = stones.iter().filter_map(|&point| sgf::move_letters(Move::Play(point), coordinate));
        tree.set(root, "AB", points.collect());
        tree.set(root, "PL", vec!["W".to_owned()]);
    }
    let engine = |color| match (human_sides, color) {
        (HumanSides::Black, Color::White) | (HumanSides::White, Color::Black) | (HumanSides::None, _) => NAME,
        _ => "",
    };
    tree.set_text(root, "PB", engine(Color::Black));
    tree.set_text(root, "PW", engine(Color::White));
    Ok(tree)
}

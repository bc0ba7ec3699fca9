//! Every parameter of `[Search]` that changes searches reaches one: with another value, a search of some position has
//! another result.

use std::cell::OnceCell;
use std::sync::Arc;

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::kernel::GameRule;
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::search::params::{PARAMS, Param, Params};

use crate::engine::{ask, engine_with, repository};

/// The parameters that no search for a move reads: resigning, the choice of the search, and analyses.
const OTHERS: [&str; 4] = ["ResignBelow", "ResignConsecTurns", "NativeNetSearch", "AnalysisWideRootNoise"];

/// A position to search, the net, and the result with the default parameters.
struct Scenario {
    net: Option<Arc<Net>>,
    side: u8,
    commands: &'static [&'static str],
    usual: OnceCell<String>,
}

impl Scenario {
    fn new(net: Option<Arc<Net>>, side: u8, commands: &'static [&'static str]) -> Scenario {
        Scenario { net, side, commands, usual: OnceCell::new() }
    }

    /// The moves of a search with their visits, values and lower bounds, the best first.
    fn search(&self, param: Option<(&str, f64)>) -> String {
        let mut engine: Engine = engine_with(self.side, GameRule::with_komi(6.5), 150);
        engine.player.options.seed = 5;
        engine.player.net = self.net.clone();
        if let Some((name, value)) = param {
            engine.player.options.params.set(name, value).unwrap();
        }
        for command in self.commands {
            ask(&mut engine, command);
        }
        ask(&mut engine, "kata-search_analyze rootInfo true")
    }

    fn is_changed_by(&self, name: &str, value: f64) -> bool {
        self.search(Some((name, value))) != *self.usual.get_or_init(|| self.search(None))
    }
}

/// Whether a value of the parameter changes the result of one of the searches.
fn has_effect(param: &Param, scenarios: &[Scenario]) -> bool {
    let default = (param.get)(&Params::default());
    let values = [param.min, param.max, 2.0 * default, default / 2.0];
    let is_valid = |value: &f64| *value != default && Params::default().set(param.name, *value).is_ok();
    let values: Vec<f64> = values.into_iter().filter(is_valid).collect();
    scenarios.iter().any(|scenario| values.iter().any(|&value| scenario.is_changed_by(param.name, value)))
}

#[track_caller]
fn assert_all_have_effects(scenarios: &[Scenario], is_read: impl Fn(&Param) -> bool) {
    let read: Vec<&Param> = PARAMS.iter().filter(|param| is_read(param) && !OTHERS.contains(&param.name)).collect();
    assert!(read.len() > 20, "{} parameters", read.len());
    let without: Vec<&str> =
        read.into_iter().filter(|param| !has_effect(param, scenarios)).map(|param| param.name).collect();
    assert!(without.is_empty(), "without an effect: {without:?}");
}

#[test]
fn parameters_reach_the_search_by_playouts() {
    let net = || Some(Net::human().unwrap());
    // an opening with a stone in atari and a ladder; a handicap game
    let fight =
        &["play b E5", "play w E6", "play b D6", "play w D5", "play b F6", "play w C3", "play b G3", "play w F5"];
    let handicap = &["fixed_handicap 2", "play w E5", "play b D5", "play w G3", "play b E6"];
    let scenarios = [
        Scenario::new(None, 9, fight),
        Scenario::new(net(), 9, fight),
        Scenario::new(None, 9, handicap),
        Scenario::new(None, 7, &["play b D4", "play w D5", "play b E5", "play w C4", "play b C5"]),
        // B1 is a self-atari of two stones
        Scenario::new(None, 5, &["set_position b A1 w D1 w A2 w B2 w C2 w D2 b A3 b B3 b C3 b D3"]),
    ];
    let prefixes = ["Search by playouts: ", "Playout: "];
    assert_all_have_effects(&scenarios, |param| prefixes.iter().any(|prefix| param.help.starts_with(prefix)));
}

#[test]
fn parameters_reach_the_search_by_net() {
    let tiny = || {
        let file = repository().join("tests/data/katago_tiny_16.txt.gz");
        Some(Arc::new(Net::read(&std::fs::read(file).unwrap(), InstructionSet::best()).unwrap()))
    };
    let opening =
        &["play b E5", "play w E6", "play b D6", "play w D5", "play b F6", "play w C3", "play b G3", "play w F5"];
    let scenarios = [
        Scenario::new(tiny(), 9, opening),
        Scenario::new(tiny(), 5, &["play b B2", "play w D4"]),
        // with noise, the most visited move is not the best by its bound
        Scenario::new(tiny(), 9, &["kata-set-param WideRootNoise 3", "play b E5", "play w C3"]),
        Scenario::new(tiny(), 5, &[]),
        Scenario::new(tiny(), 7, &["play b D4", "play w D5"]),
        // a board with owners: stones of a row each
        Scenario::new(
            Some(Net::built_in().unwrap()),
            9,
            &["set_position b A5 b B5 b C5 b D5 b E5 b F5 b G5 b H5 b J5 w A6 w B6 w C6 w D6 w E6 w F6 w G6 w H6 w J6"],
        ),
    ];
    assert_all_have_effects(&scenarios, |param| {
        param.help.starts_with("Search by ") && !param.help.starts_with("Search by playouts")
    });
}

/// A small net with a score head searches by net, or gives policy and values to the search by playouts.
#[test]
fn small_net_search_selects_the_search() {
    let scenario = Scenario::new(Some(Net::built_in().unwrap()), 9, &["play b E5"]);
    assert!(scenario.is_changed_by("NativeNetSearch", 0.0));
}

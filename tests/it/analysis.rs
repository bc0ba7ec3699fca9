//! KataGo's analysis protocol: the effect of each field, refusals, and exactly one final response to each requested
//! position, independent of other input.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;
use fastrand::Rng;
use kifuwarabe_uec14::analysis::{AnalysisEngine, READY, serve};
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::Options;
use kifuwarabe_uec14::search::{Limits, SearchRequest, SearchResult, Searcher, StopSignal};
use serde_json::{Value, json};

use crate::engine::{Folder, Running};

fn engine() -> AnalysisEngine {
    AnalysisEngine::new(Options { seed: 7, max_visits: 40, ..Options::default() })
}

/// The responses to these lines, in order.
fn ask(engine: &AnalysisEngine, lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    serve_input(engine, Cursor::new(input))
}

fn serve_input(engine: &AnalysisEngine, input: impl io::Read + Send + 'static) -> Vec<Value> {
    let mut output = Vec::new();
    serve(engine, BufReader::new(input), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The only response to a query.
fn ask_one(engine: &AnalysisEngine, query: Value) -> Value {
    let responses = ask(engine, &[query]);
    assert_eq!(responses.len(), 1, "{responses:?}");
    responses.into_iter().next().unwrap()
}

/// A query about an empty 5x5 board, with additional or replaced fields.
fn query(id: &str, more: Value) -> Value {
    let mut query = json!({ "id": id, "moves": [], "rules": "chinese", "komi": 6.5, "boardXSize": 5, "boardYSize": 5 });
    merge(&mut query, more);
    query
}

/// Adds or replaces fields of an object.
fn merge(object: &mut Value, more: Value) {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
}

/// A number of visits that no search reaches.
const ENDLESS: u64 = 1_000_000_000;

/// The action that terminates a query.
fn terminate(id: &str) -> Value {
    json!({ "id": "t", "action": "terminate", "terminateId": id })
}

/// A client that can wait for a response before it sends the next line.
struct Client {
    input: io::PipeWriter,
    output: BufReader<io::PipeReader>,
    engine: thread::JoinHandle<io::Result<()>>,
}

impl Client {
    fn start(engine: AnalysisEngine) -> Client {
        let (queries, input) = io::pipe().unwrap();
        let (output, responses) = io::pipe().unwrap();
        let engine = thread::spawn(move || serve(&engine, BufReader::new(queries), responses));
        Client { input, output: BufReader::new(output), engine }
    }

    fn send(&mut self, line: &Value) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Closes the input; gives the remaining responses.
    fn finish(self) -> Vec<Value> {
        drop(self.input);
        let responses = self.output.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        self.engine.join().unwrap().unwrap();
        responses
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The result of a direct search of the same position.
fn search_directly(position: &Position, visits: u64) -> SearchResult {
    let options = Options { seed: 7, ..Options::default() };
    Searcher::new(512 << 20, options.resolved_seed()).search(&SearchRequest {
        position,
        color: position.to_move(),
        limits: Limits { visits, ..Limits::NONE },
        threads: 1,
        params: &options.params,
        extra_komi: 0.0,
        restrictions: None,
        net: None,
        stop_signal: &StopSignal::default(),
    })
}

#[test]
fn a_response_reports_the_search_result() {
    let moves = json!([["B", "B2"], ["w", "d4"], ["B", "(3,0)"]]);
    let more = json!({ "moves": moves, "maxVisits": 60, "includeOwnership": true, "includePVVisits": true });
    let response = ask_one(&engine(), query("a", more));

    let coordinate = Coordinate::square(5).unwrap();
    let mut position = Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black);
    for (color, vertex) in [(Color::Black, "B2"), (Color::White, "D4"), (Color::Black, "D5")] {
        position.play(color, coordinate.parse_vertex(vertex).unwrap()).unwrap();
    }
    let result = search_directly(&position, 60);

    assert_eq!(keys(&response), ["id", "isDuringSearch", "moveInfos", "ownership", "rootInfo", "turnNumber"]);
    assert_eq!(
        (&response["id"], &response["turnNumber"], &response["isDuringSearch"]),
        (&json!("a"), &json!(3), &json!(false))
    );
    let infos = response["moveInfos"].as_array().unwrap();
    let visited: Vec<_> = result.candidates.iter().filter(|candidate| candidate.visits > 0).collect();
    assert_eq!(infos.len(), visited.len());
    let near = |value: &Value, expected: f32| {
        assert!((value.as_f64().unwrap() - f64::from(expected)).abs() < 1e-3, "{value} {expected}");
    };
    for (order, (info, candidate)) in infos.iter().zip(visited).enumerate() {
        let expected =
            ["lcb", "move", "order", "pv", "pvVisits", "scoreLead", "scoreMean", "scoreStdev", "visits", "winrate"];
        assert_eq!(keys(info), expected);
        let variation: Vec<String> = candidate.variation.iter().map(|play| play.vertex(coordinate)).collect();
        assert_eq!(info["order"], json!(order));
        assert_eq!(info["move"], json!(candidate.play.vertex(coordinate)));
        assert_eq!(info["visits"], json!(candidate.visits));
        assert_eq!((&info["pv"], &info["pvVisits"]), (&json!(variation), &json!(candidate.variation_visits)));
        near(&info["winrate"], candidate.value);
        near(&info["lcb"], candidate.lower_bound());
        // White is to move; a search result has score leads from Black's perspective
        near(&info["scoreLead"], -candidate.lead.unwrap().mean);
        near(&info["scoreStdev"], candidate.lead.unwrap().deviation);
        assert_eq!(info["scoreLead"], info["scoreMean"]);
    }
    let root = &response["rootInfo"];
    assert_eq!(keys(root), ["currentPlayer", "scoreLead", "scoreMean", "scoreStdev", "visits", "winrate"]);
    assert_eq!((&root["currentPlayer"], &root["visits"]), (&json!("W"), &json!(60)));
    near(&root["winrate"], result.value());
    // the root has the values of the best move, which therefore loses no points
    near(&root["scoreLead"], -result.best().unwrap().lead.unwrap().mean);
    for key in ["winrate", "scoreLead", "scoreMean", "scoreStdev"] {
        assert_eq!(root[key], infos[0][key], "{key}");
    }
    let owners = numbers(&response["ownership"]);
    assert_eq!(owners.len(), 25);
    for (point, owner) in coordinate.points_from_last_rank().zip(owners) {
        assert!((owner + f64::from(result.ownership[point.index()])).abs() < 1e-3);
    }
}

#[test]
fn ownership_is_listed_row_by_row_from_the_top_left() {
    // a board of 6 files and 4 ranks; Black owns the three left files, White the others
    let stones: Vec<_> = (1..=4).flat_map(|y| [json!(["B", format!("C{y}")]), json!(["W", format!("D{y}")])]).collect();
    let more = json!({
        "initialStones": stones, "initialPlayer": "W", "boardXSize": 6, "boardYSize": 4, "maxVisits": 300,
        "includeOwnership": true, "overrideSettings": { "reportAnalysisWinratesAs": "BLACK" },
    });
    let response = ask_one(&engine(), query("a", more));
    for (number, owner) in numbers(&response["ownership"]).into_iter().enumerate() {
        assert!(if number % 6 < 3 { owner > 0.3 } else { owner < -0.3 }, "{number}: {owner}");
    }
    assert_eq!(response["rootInfo"]["currentPlayer"], "W");
}

#[test]
fn values_use_the_requested_perspective() {
    let response_for = |side: &str| {
        let settings = json!({ "reportAnalysisWinratesAs": side });
        let more = json!({ "moves": [["B", "C3"]], "includeOwnership": true, "overrideSettings": settings });
        ask_one(&engine(), query("a", more))
    };
    let (black, white) = (response_for("BLACK"), response_for("white"));
    assert_eq!(response_for("SIDETOMOVE"), white);
    assert_eq!(ask_one(&engine(), query("a", json!({ "moves": [["B", "C3"]], "includeOwnership": true }))), white);
    let pairs = |key: &str| {
        let both = [&black, &white].map(|response| {
            let infos = response["moveInfos"].as_array().unwrap().iter().chain([&response["rootInfo"]]);
            infos.filter_map(|info| info[key].as_f64()).collect::<Vec<_>>()
        });
        both[0].iter().copied().zip(both[1].clone()).collect::<Vec<_>>()
    };
    for key in ["winrate", "lcb"] {
        assert!(pairs(key).iter().all(|(black, white)| (black + white - 1.0).abs() < 1e-5), "{key}");
    }
    for (key, sign) in [("scoreLead", -1.0), ("scoreStdev", 1.0), ("visits", 1.0)] {
        assert!(pairs(key).iter().all(|(black, white)| *black == sign * white), "{key}");
    }
    let owners = [&black, &white].map(|response| numbers(&response["ownership"]));
    assert!(owners[0].iter().zip(&owners[1]).all(|(black, white)| *black == -white));
}

#[test]
fn rules_and_komi_affect_the_score() {
    let lead = |more: Value| {
        let mut more = more;
        more["maxVisits"] = json!(100);
        more["overrideSettings"] = json!({ "reportAnalysisWinratesAs": "WHITE" });
        ask_one(&engine(), query("a", more))["rootInfo"]["scoreLead"].as_f64().unwrap()
    };
    let even = lead(json!({ "komi": 0 }));
    assert!(lead(json!({ "komi": 50.5 })) > even + 40.0);
    // without the field, komi is 7.5 under area scoring and 6.5 under territory scoring
    for (rules, usual) in [("tromp-taylor", 7.5), ("new zealand", 7.5), ("Japanese", 6.5), ("stone_scoring", 7.5)] {
        let mut unsaid = query("a", json!({ "rules": rules }));
        unsaid.as_object_mut().unwrap().remove("komi");
        let response = ask_one(&engine(), query("a", json!({ "rules": rules, "komi": usual })));
        assert_eq!(ask_one(&engine(), unsaid), response, "{rules}");
    }
    let chinese = json!({ "ko": "SIMPLE", "scoring": "AREA", "suicide": false, "whiteHandicapBonus": "N" });
    // two initial stones are a handicap; under Chinese rules White gets a point for each
    let stones = json!([["B", "B2"], ["B", "D4"]]);
    let with = |more: Value| {
        let mut fields = json!({ "initialStones": stones });
        merge(&mut fields, more);
        ask_one(&engine(), query("a", fields))
    };
    assert_eq!(with(json!({ "rules": chinese })), with(json!({ "rules": "chinese" })));
    assert_eq!(with(json!({ "whiteHandicapBonus": "0", "komi": 8.5 })), with(json!({})));
    assert_eq!(with(json!({ "whiteHandicapBonus": "N-1", "komi": 7.5 })), with(json!({})));
    assert_ne!(with(json!({ "whiteHandicapBonus": "0" })), with(json!({})));
    assert_eq!(with(json!({}))["rootInfo"]["currentPlayer"], "W");
    assert_eq!(with(json!({ "initialPlayer": "b" }))["rootInfo"]["currentPlayer"], "B");
}

#[test]
fn policy_and_priors_come_from_the_net() {
    let net = Net::built_in().unwrap();
    let mut engine = engine();
    engine.net = Some(("a net".to_owned(), net));
    // on boards of up to 5x5 the net is not used
    let moves = json!([["B", "A7"], ["W", "C5"]]);
    let more = json!({ "boardXSize": 7, "boardYSize": 7, "moves": moves, "includePolicy": true });
    let response = ask_one(&engine, query("a", more));
    let policy = numbers(&response["policy"]);
    assert_eq!(policy.len(), 50);
    // the indices of A7 and C5 from the top left
    assert_eq!([policy[0], policy[16]], [-1.0, -1.0]);
    assert!(policy[49] >= 0.0, "a pass is legal");
    let sum: f64 = policy.iter().filter(|probability| **probability >= 0.0).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    let priors = response["moveInfos"].as_array().unwrap().iter().map(|info| info["prior"].as_f64().unwrap());
    assert!(priors.clone().all(|prior| (0.0..=1.0).contains(&prior)) && priors.sum::<f64>() > 0.2);
    let models = ask_one(&engine, json!({ "id": "m", "action": "query_models" }));
    assert_eq!(models, json!({ "id": "m", "action": "query_models", "models": [{ "name": "a net" }] }));
    // without a net the fields are absent
    let response = ask_one(&self::engine(), query("a", json!({ "includePolicy": true })));
    assert!(response.get("policy").is_none() && response["moveInfos"][0].get("prior").is_none());
}

#[test]
fn avoid_and_allow_moves_restrict_the_reported_moves() {
    let plays = |more: Value| -> BTreeSet<String> {
        let response = ask_one(&engine(), query("a", more));
        let infos = response["moveInfos"].as_array().unwrap();
        infos.iter().map(|info| info["move"].as_str().unwrap().to_owned()).collect()
    };
    let free = plays(json!({ "maxVisits": 100 }));
    assert!(free.contains("C3"));
    let avoid = json!([{ "player": "B", "moves": ["C3", "(2,1)"], "untilDepth": 1 }]);
    let restricted = plays(json!({ "maxVisits": 100, "avoidMoves": avoid }));
    assert!(!restricted.contains("C3") && !restricted.contains("C4") && restricted.len() > 3);
    let of_white = json!([{ "player": "W", "moves": ["C3"], "untilDepth": 1 }]);
    assert!(plays(json!({ "maxVisits": 100, "avoidMoves": of_white })).contains("C3"));
    let allow = json!([{ "player": "B", "moves": ["D2", "B2"], "untilDepth": 1 }]);
    assert_eq!(plays(json!({ "allowMoves": allow })), ["B2", "D2"].map(str::to_owned).into());
    let both = json!([
        { "player": "B", "moves": ["D2", "B2"], "untilDepth": 3 },
        { "player": "W", "moves": ["C4"], "untilDepth": 3 }
    ]);
    let response = ask_one(&engine(), query("a", json!({ "maxVisits": 100, "allowMoves": both })));
    for info in response["moveInfos"].as_array().unwrap() {
        let pv: Vec<&str> = info["pv"].as_array().unwrap().iter().map(|play| play.as_str().unwrap()).collect();
        assert!(["D2", "B2"].contains(&pv[0]) && pv.get(1).is_none_or(|&reply| reply == "C4"), "{info}");
    }
    let twice =
        json!([{ "player": "B", "moves": [], "untilDepth": 1 }, { "player": "B", "moves": [], "untilDepth": 1 }]);
    let refused = ask_one(&engine(), query("a", json!({ "allowMoves": twice })));
    assert_eq!(refused["error"], "expected one object for each player, found two for black");
    // if no legal move is allowed, the pass remains
    for moves in [json!([]), json!(["B2"])] {
        let none = json!([{ "player": "B", "moves": moves, "untilDepth": 1 }]);
        let more = json!({ "allowMoves": none, "moves": [["W", "B2"]], "initialPlayer": "W" });
        assert_eq!(plays(more), ["pass".to_owned()].into(), "{moves}");
    }
}

#[test]
fn positions_are_searched_by_priority() {
    let moves = json!([["B", "B2"], ["W", "D4"], ["B", "C3"], ["W", "pass"], ["B", "pass"]]);
    let turns = |more: Value| -> Vec<u64> {
        let mut fields = json!({ "moves": moves, "maxVisits": 3 });
        merge(&mut fields, more);
        ask(&engine(), &[query("a", fields)]).iter().map(|response| response["turnNumber"].as_u64().unwrap()).collect()
    };
    assert_eq!(turns(json!({})), [5]);
    assert_eq!(turns(json!({ "analyzeTurns": [3, 0, 5, 3] })), [0, 3, 5]);
    assert_eq!(turns(json!({ "analyzeTurns": [] })), [0; 0]);
    assert_eq!(turns(json!({ "analyzeTurns": [0, 1, 2], "priorities": [-1, 9, 4] })), [1, 2, 0]);
    let order = |first: i64, second: i64| -> Vec<String> {
        // the first query occupies the only worker until the others have arrived
        let busy = query("busy", json!({ "maxVisits": ENDLESS, "priority": 9 }));
        let [a, b] = [("a", first), ("b", second)]
            .map(|(id, priority)| query(id, json!({ "priority": priority, "maxVisits": 1 })));
        let responses = ask(&engine(), &[busy, a, b, terminate("busy")]);
        responses.iter().map(|response| response["id"].as_str().unwrap().to_owned()).filter(|id| id != "t").collect()
    };
    assert_eq!(order(0, 0), ["busy", "a", "b"]);
    assert_eq!(order(-3, 2), ["busy", "b", "a"]);
}

#[test]
fn partial_results_are_reported_during_a_search() {
    let more = json!({
        "maxVisits": ENDLESS, "reportDuringSearchEvery": 0.02, "firstReportDuringSearchAfter": 0.1, "includeOwnership": true,
    });
    let begin = Instant::now();
    let mut client = Client::start(engine());
    client.send(&query("a", more));
    let mut responses: Vec<Value> = (0..3).map(|_| client.receive()).collect();
    assert!(begin.elapsed() >= Duration::from_millis(100));
    client.send(&terminate("a"));
    responses.extend(client.finish().into_iter().filter(|response| response["id"] == "a"));
    let visits: Vec<u64> = responses.iter().map(|response| response["rootInfo"]["visits"].as_u64().unwrap()).collect();
    assert!(visits.is_sorted(), "{visits:?}");
    let during: Vec<bool> = responses.iter().map(|response| response["isDuringSearch"].as_bool().unwrap()).collect();
    assert!(during.iter().rev().skip(1).all(|during| *during) && !during[during.len() - 1]);
    assert!(responses.iter().all(|response| response["ownership"].is_array()));
    // without `reportDuringSearchEvery` only once
    let mut client = Client::start(engine());
    client.send(&query("a", json!({ "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.01 })));
    assert_eq!(client.receive()["isDuringSearch"], true);
    thread::sleep(Duration::from_millis(100));
    client.send(&terminate("a"));
    assert_eq!(client.finish().iter().filter(|response| response["id"] == "a").count(), 1);
}

#[test]
fn max_time_ends_a_search() {
    let begin = Instant::now();
    let response =
        ask_one(&engine(), query("a", json!({ "maxVisits": ENDLESS, "overrideSettings": { "maxTime": 0.3 } })));
    assert!((Duration::from_millis(300)..Duration::from_secs(20)).contains(&begin.elapsed()));
    assert_eq!(response["isDuringSearch"], false);
}

#[test]
fn responses_do_not_depend_on_concurrent_queries() {
    let moves = json!([["B", "B2"], ["W", "D4"], ["B", "C3"]]);
    let observed = query("a", json!({ "moves": moves, "analyzeTurns": [0, 1, 2, 3], "includeOwnership": true }));
    let other = query("b", json!({ "maxVisits": 90, "rules": "japanese", "priority": 3 }));
    let of = |answers: Vec<Value>| -> BTreeMap<u64, Value> {
        let mine = answers.into_iter().filter(|response| response["id"] == "a");
        mine.map(|response| (response["turnNumber"].as_u64().unwrap(), response)).collect()
    };
    let alone = of(ask(&engine(), std::slice::from_ref(&observed)));
    assert_eq!(alone.len(), 4);
    for side_by_side in 1..=3 {
        let mut engine = engine();
        engine.parallel_positions = side_by_side;
        assert_eq!(of(ask(&engine, &[other.clone(), observed.clone(), other.clone()])), alone);
    }
}

#[test]
fn settings_apply_to_one_query_or_to_all() {
    let response =
        ask(&engine(), &[query("a", json!({ "overrideSettings": { "maxVisits": 9, "wideRootNoise": 0.04 } }))]);
    let expected =
        json!({ "id": "a", "field": "overrideSettings", "warning": "unknown settings, not used: wideRootNoise" });
    assert_eq!(response[0], expected);
    assert_eq!(response[1]["rootInfo"]["visits"], 9);
    // precedence: field, override setting, configuration
    let both = query("a", json!({ "maxVisits": 12, "overrideSettings": { "maxVisits": 9 } }));
    assert_eq!(ask_one(&engine(), both)["rootInfo"]["visits"], 12);
    let mut engine = engine();
    let unknown = engine.set("maxVisits=17, homeDataDir=/a b/c,,reportAnalysisWinratesAs=BLACK").unwrap();
    assert_eq!(unknown, ["homeDataDir"]);
    assert_eq!(ask_one(&engine, query("a", json!({})))["rootInfo"]["visits"], 17);
    assert_eq!(engine.set("maxVisits"), Err("maxVisits: expected NAME=VALUE".to_owned()));
    assert_eq!(engine.set("maxTime=now"), Err("maxTime=now: expected a number of seconds".to_owned()));
}

#[test]
fn rules_without_an_exact_set_cause_a_warning() {
    let responses = ask(&engine(), &[query("a", json!({ "rules": "ing", "maxVisits": 2 }))]);
    assert_eq!((responses.len(), &responses[0]["field"]), (2, &json!("rules")));
    assert!(responses[0]["warning"].as_str().unwrap().starts_with("nearest rules to Ing's: "), "{}", responses[0]);
    assert_eq!(responses[1]["rootInfo"]["visits"], 2);
}

#[test]
fn unsupported_fields_cause_warnings_only() {
    let more = json!({
        "includeMovesOwnership": true, "includeOwnershipStdev": true, "includeNoResultValue": false,
        "rootPolicyTemperature": 1.1, "analyseTurns": [0], "analysisPVLen": 1,
    });
    let response = ask(&engine(), &[query("a", more)]);
    let warnings: Vec<(&Value, &Value)> =
        response[..2].iter().map(|response| (&response["field"], &response["warning"])).collect();
    assert_eq!(warnings[0], (&json!("analyseTurns"), &json!("unknown field")));
    let text = json!("has no effect: this search has nothing like it");
    assert_eq!(warnings[1], (&json!("rootPolicyTemperature"), &text));
    assert_eq!(response.len(), 3);
    assert!(response[2]["moveInfos"].as_array().unwrap().iter().all(|info| info["pv"].as_array().unwrap().len() == 1));
    assert_eq!(keys(&response[2]), ["id", "isDuringSearch", "moveInfos", "rootInfo", "turnNumber"]);
}

#[test]
fn errors_name_the_field_and_the_expected_value() {
    let pairs = "a list of pairs of a player and a vertex";
    let mut dialogue = String::new();
    for more in [
        json!({ "boardXSize": 26 }),
        json!({ "boardYSize": 1 }),
        json!({ "boardYSize": "19" }),
        json!({ "boardXSize": null }),
        json!({ "moves": "B2" }),
        json!({ "moves": [["B", "B2"], ["B"]] }),
        json!({ "moves": [["X", "B2"]] }),
        json!({ "moves": [["B", "F1"]] }),
        json!({ "moves": [["B", "(5,0)"]] }),
        json!({ "moves": [["B", 3]] }),
        json!({ "moves": [["B", "B2"], ["W", "C3"], ["B", "C3"]] }),
        json!({ "initialStones": [["B", "pass"]] }),
        json!({ "initialStones": [["B", "C3"], ["W", "C3"]] }),
        json!({ "initialStones": [["B", "A2"], ["B", "B1"], ["W", "A1"]] }),
        json!({ "initialPlayer": "green" }),
        json!({ "rules": "go" }),
        json!({ "rules": 3 }),
        json!({ "rules": { "ko": "NEVER" } }),
        json!({ "komi": "6.5" }),
        json!({ "komi": 1000 }),
        json!({ "whiteHandicapBonus": "2" }),
        json!({ "whiteHandicapBonus": 0 }),
        json!({ "analyzeTurns": [1] }),
        json!({ "analyzeTurns": [-1] }),
        json!({ "analyzeTurns": 0 }),
        json!({ "priorities": [1] }),
        json!({ "priorities": [1], "priority": 1, "analyzeTurns": [0] }),
        json!({ "priorities": [1, 2], "analyzeTurns": [0] }),
        json!({ "priorities": [1u64 << 62], "analyzeTurns": [0] }),
        json!({ "priority": 1.5 }),
        json!({ "maxVisits": 0 }),
        json!({ "maxVisits": 10.5 }),
        json!({ "analysisPVLen": 0 }),
        json!({ "includeOwnership": 1 }),
        json!({ "includePolicy": "true" }),
        json!({ "includePVVisits": null }),
        json!({ "includeMovesOwnership": [] }),
        json!({ "reportDuringSearchEvery": 0 }),
        json!({ "firstReportDuringSearchAfter": "soon" }),
        json!({ "overrideSettings": [] }),
        json!({ "overrideSettings": { "maxTime": "long" } }),
        json!({ "overrideSettings": { "reportAnalysisWinratesAs": "ME" } }),
        json!({ "avoidMoves": {} }),
        json!({ "avoidMoves": [3] }),
        json!({ "avoidMoves": [{ "player": "B", "moves": ["B2"] }] }),
        json!({ "avoidMoves": [{ "player": "B", "moves": ["Z2"], "untilDepth": 1 }] }),
        json!({ "avoidMoves": [{ "player": "B", "moves": ["B2"], "untilDepth": 0 }] }),
        json!({ "allowMoves": [{}, {}] }),
        json!({ "allowMoves": [], "avoidMoves": [] }),
        json!({ "action": "play" }),
        json!({ "action": "terminate" }),
        json!({ "action": "terminate", "terminateId": 3 }),
        json!({ "action": "terminate_all", "turnNumbers": "all" }),
    ] {
        let response = ask_one(&engine(), query("a", more.clone()));
        assert_eq!(keys(&response), ["error", "field", "id"], "{more}: {response}");
        let [field, text] = ["field", "error"].map(|key| response[key].as_str().unwrap());
        assert!(more.get(field).is_some() || text.starts_with("missing"), "{more}: {response}");
        dialogue += &format!("{more}\n  {field}: {}\n", text.replace(pairs, "PAIRS"));
    }
    for name in ["moves", "rules", "boardXSize", "boardYSize"] {
        let mut lacking = query("a", json!({}));
        lacking.as_object_mut().unwrap().remove(name);
        let response = ask_one(&engine(), lacking);
        dialogue += &format!(
            "without {name}\n  {}: {}\n",
            response["field"].as_str().unwrap(),
            response["error"].as_str().unwrap()
        );
    }
    expect![[r#"
        {"boardXSize":26}
          boardXSize: unexpected 26, expected a whole number from 2 to 25
        {"boardYSize":1}
          boardYSize: unexpected 1, expected a whole number from 2 to 25
        {"boardYSize":"19"}
          boardYSize: unexpected "19", expected a whole number from 2 to 25
        {"boardXSize":null}
          boardXSize: unexpected null, expected a whole number from 2 to 25
        {"moves":"B2"}
          moves: unexpected "B2", expected PAIRS, such as ["B","Q16"]
        {"moves":[["B","B2"],["B"]]}
          moves: unexpected ["B"], expected a pair of a player and a vertex, such as ["B","Q16"]
        {"moves":[["X","B2"]]}
          moves: unexpected "X", expected "B" or "W"
        {"moves":[["B","F1"]]}
          moves: unexpected "F1", expected pass or a vertex of the 5x5 board, such as A1
        {"moves":[["B","(5,0)"]]}
          moves: unexpected "(5,0)", expected pass or a vertex of the 5x5 board, such as A1
        {"moves":[["B",3]]}
          moves: unexpected 3, expected pass or a vertex of the 5x5 board, such as A1
        {"moves":[["B","B2"],["W","C3"],["B","C3"]]}
          moves: Illegal move 2: black C3: masonry
        {"initialStones":[["B","pass"]]}
          initialStones: unexpected "pass", expected a vertex of the board
        {"initialStones":[["B","C3"],["W","C3"]]}
          initialStones: unexpected "C3", expected each vertex once
        {"initialStones":[["B","A2"],["B","B1"],["W","A1"]]}
          initialStones: set-up: the ren at A1 has no liberty
        {"initialPlayer":"green"}
          initialPlayer: unexpected "green", expected "B" or "W"
        {"rules":"go"}
          rules: unexpected rules:go, expected a JSON object or one of chinese chinese-ogs chinese-kgs tromp-taylor japanese korean stone-scoring ancient-area aga bga french aga-button ing goe new-zealand nz
        {"rules":3}
          rules: unexpected 3, expected the name of rules, such as "chinese", or an object
        {"rules":{"ko":"NEVER"}}
          rules: unexpected ko:NEVER, expected one of SIMPLE POSITIONAL SITUATIONAL
        {"komi":"6.5"}
          komi: unexpected "6.5", expected a number from -400 to 400
        {"komi":1000}
          komi: unexpected 1000, expected a number from -400 to 400
        {"whiteHandicapBonus":"2"}
          whiteHandicapBonus: unexpected "2", expected "0", "N-1" or "N"
        {"whiteHandicapBonus":0}
          whiteHandicapBonus: unexpected 0, expected a string
        {"analyzeTurns":[1]}
          analyzeTurns: unexpected 1, expected 0 to 0
        {"analyzeTurns":[-1]}
          analyzeTurns: unexpected -1, expected 0 to 0
        {"analyzeTurns":0}
          analyzeTurns: unexpected 0, expected a list of whole numbers
        {"priorities":[1]}
          priorities: expected analyzeTurns beside priorities
        {"analyzeTurns":[0],"priorities":[1],"priority":1}
          priority: expected priority or priorities, found both
        {"analyzeTurns":[0],"priorities":[1,2]}
          priorities: expected as many as there are in analyzeTurns, which is 1, found 2
        {"analyzeTurns":[0],"priorities":[4611686018427387904]}
          priorities: unexpected 4611686018427387904, expected numbers between -2^62 and 2^62
        {"priority":1.5}
          priority: unexpected 1.5, expected a whole number from -4611686018427387903 to 4611686018427387903
        {"maxVisits":0}
          maxVisits: unexpected 0, expected a whole number from 1 to 1125899906842624
        {"maxVisits":10.5}
          maxVisits: unexpected 10.5, expected a whole number from 1 to 1125899906842624
        {"analysisPVLen":0}
          analysisPVLen: unexpected 0, expected a whole number from 1 to 1000
        {"includeOwnership":1}
          includeOwnership: unexpected 1, expected true or false
        {"includePolicy":"true"}
          includePolicy: unexpected "true", expected true or false
        {"includePVVisits":null}
          includePVVisits: unexpected null, expected true or false
        {"includeMovesOwnership":[]}
          includeMovesOwnership: unexpected [], expected true or false
        {"reportDuringSearchEvery":0}
          reportDuringSearchEvery: unexpected 0, expected a number from 0.001 to 1000000
        {"firstReportDuringSearchAfter":"soon"}
          firstReportDuringSearchAfter: unexpected "soon", expected a number from 0.001 to 1000000
        {"overrideSettings":[]}
          overrideSettings: unexpected [], expected an object
        {"overrideSettings":{"maxTime":"long"}}
          overrideSettings: unexpected "long", expected maxTime to be a number of seconds
        {"overrideSettings":{"reportAnalysisWinratesAs":"ME"}}
          overrideSettings: unexpected "ME", expected reportAnalysisWinratesAs to be BLACK, WHITE or SIDETOMOVE
        {"avoidMoves":{}}
          avoidMoves: unexpected {}, expected a list of objects
        {"avoidMoves":[3]}
          avoidMoves: unexpected 3, expected an object with player, moves and untilDepth
        {"avoidMoves":[{"moves":["B2"],"player":"B"}]}
          avoidMoves: missing untilDepth, expected a whole number, 1 or more
        {"avoidMoves":[{"moves":["Z2"],"player":"B","untilDepth":1}]}
          avoidMoves: unexpected "Z2", expected pass or a vertex of the 5x5 board, such as A1
        {"avoidMoves":[{"moves":["B2"],"player":"B","untilDepth":0}]}
          avoidMoves: unexpected 0, expected untilDepth to be a whole number from 1 to 1000000000
        {"allowMoves":[{},{}]}
          allowMoves: missing player, expected "B" or "W"
        {"allowMoves":[],"avoidMoves":[]}
          allowMoves: expected avoidMoves or allowMoves, found both
        {"action":"play"}
          action: unexpected "play", expected query_version, query_models, clear_cache, terminate or terminate_all
        {"action":"terminate"}
          terminateId: missing, expected the id of a query
        {"action":"terminate","terminateId":3}
          terminateId: unexpected 3, expected a string
        {"action":"terminate_all","turnNumbers":"all"}
          turnNumbers: unexpected "all", expected a list of whole numbers
        without moves
          moves: missing, expected a list of pairs of a player and a vertex
        without rules
          rules: missing, expected the name of rules, such as "chinese", or an object
        without boardXSize
          boardXSize: missing, expected a whole number from 2 to 25
        without boardYSize
          boardYSize: missing, expected a whole number from 2 to 25
    "#]].assert_eq(&dialogue);
}

#[test]
fn errors_of_malformed_lines_have_no_id() {
    let long = format!("{{\"id\":\"{}\"}}", "x".repeat(1 << 20));
    let lines = ["", "  \t", "nonsense", "[1]", "{}", "{\"id\":3}", "{\"id\":", "\u{fffd}", &long];
    let mut dialogue = String::new();
    for response in serve_input(&engine(), Cursor::new(lines.join("\r\n"))) {
        assert_eq!(keys(&response), ["error"]);
        dialogue += &format!("{}\n", response["error"].as_str().unwrap());
    }
    expect![[r#"
        nonsense: expected JSON: expected ident at line 1 column 2
        [1]: expected an object of JSON
        {}: expected an id that is a string
        {"id":3}: expected an id that is a string
        {"id":: expected JSON: EOF while parsing a value at line 1 column 7
        �: expected JSON: expected value at line 1 column 1
        {"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: line of 1048585 bytes, expected at most 1048576
    "#]].assert_eq(&dialogue);
}

#[test]
fn actions_are_echoed() {
    let version = json!({ "id": "v", "action": "query_version", "more": [1] });
    let mut expected = version.clone();
    expected["version"] = json!(env!("CARGO_PKG_VERSION"));
    expected["git_hash"] = json!("<omitted>");
    assert_eq!(ask_one(&engine(), version), expected);
    for action in [
        json!({ "id": "c", "action": "clear_cache" }),
        json!({ "id": "t", "action": "terminate", "terminateId": "unknown", "turnNumbers": [1, 2] }),
        json!({ "id": "t", "action": "terminate_all" }),
    ] {
        assert_eq!(ask_one(&engine(), action.clone()), action);
    }
}

/// Sends lines, each after its pause, then closes the input.
fn feed(lines: Vec<(Value, Duration)>) -> (io::PipeReader, thread::JoinHandle<()>) {
    let (reader, mut writer) = io::pipe().unwrap();
    let feeder = thread::spawn(move || {
        for (line, pause) in lines {
            thread::sleep(pause);
            writer.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    });
    (reader, feeder)
}

#[test]
fn terminated_queries_get_their_partial_results() {
    let terminate =
        |turns: Value| json!({ "id": "t", "action": "terminate", "terminateId": "a", "turnNumbers": turns });
    let more = json!({
        "maxVisits": ENDLESS, "moves": [["B", "C3"]], "analyzeTurns": [0, 1], "firstReportDuringSearchAfter": 0.01,
    });
    let mut client = Client::start(engine());
    client.send(&query("a", more));
    assert_eq!(client.receive()["isDuringSearch"], true);
    let begin = Instant::now();
    client.send(&terminate(json!([1])));
    client.send(&json!({ "id": "n", "action": "terminate", "terminateId": "b" }));
    client.send(&terminate(json!([0])));
    client.send(&query("last", json!({})));
    let responses = client.finish();
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert_eq!(responses[0], json!({ "id": "a", "turnNumber": 1, "isDuringSearch": false, "noResults": true }));
    assert_eq!(responses[1], terminate(json!([1])));
    assert_eq!(responses[2]["id"], "n");
    // the final response and the echo of the terminate action come in either order
    let rest: BTreeMap<&str, &Value> =
        responses[3..].iter().map(|response| (response["id"].as_str().unwrap(), response)).collect();
    assert_eq!(rest["t"], &terminate(json!([0])));
    assert!(rest["a"]["rootInfo"]["visits"].as_u64().unwrap() > 0, "{}", rest["a"]["rootInfo"]);
    assert_eq!((rest["a"]["turnNumber"].as_u64(), rest["a"]["isDuringSearch"].as_bool()), (Some(0), Some(false)));
    assert!(rest.contains_key("last") && responses.len() == 6);
}

/// Random queries, terminate actions and invalid queries, with random pauses.
#[test]
fn every_requested_position_gets_one_final_response() {
    let mut rng = Rng::with_seed(14);
    for round in 0..60 {
        let mut lines = Vec::new();
        let mut expected = BTreeMap::new();
        let mut expect_one = |key: (String, Option<u64>)| *expected.entry(key).or_insert(0) += 1;
        let mut ids = Vec::new();
        for number in 0..rng.usize(1..12) {
            let pause = Duration::from_micros(rng.choice([0, 0, 300, 3000]).unwrap());
            let id = format!("{number}");
            let line = match rng.u32(0..8) {
                0 => json!({ "id": id, "action": "terminate_all" }),
                1 if !ids.is_empty() => {
                    let turns: Vec<u64> = (0..rng.u64(0..3)).collect();
                    let of = rng.choice(&ids).unwrap();
                    let mut line = json!({ "id": id, "action": "terminate", "terminateId": of });
                    if rng.bool() {
                        line["turnNumbers"] = json!(turns);
                    }
                    line
                }
                2 => query(&id, json!({ "maxVisits": -1 })),
                _ => {
                    let moves = [["B", "C3"], ["W", "B4"], ["B", "pass"]];
                    let turns: BTreeSet<u64> = (0..rng.usize(1..4)).map(|_| rng.u64(0..4)).collect();
                    let visits = rng.choice([1, 5, 40, ENDLESS]).unwrap();
                    let mut more = json!({ "moves": moves, "analyzeTurns": turns, "maxVisits": visits });
                    more["priority"] = json!(rng.i64(-2..3));
                    if rng.bool() {
                        more["reportDuringSearchEvery"] = json!(0.001);
                    }
                    turns.iter().for_each(|turn| expect_one((id.clone(), Some(*turn))));
                    ids.push(id.clone());
                    lines.push((query(&id, more), pause));
                    continue;
                }
            };
            expect_one((id, None));
            lines.push((line, pause));
        }
        lines.push((json!({ "id": "end", "action": "terminate_all" }), Duration::from_millis(rng.u64(0..20))));
        expect_one(("end".to_owned(), None));
        let written = lines.clone();
        let (reader, feeder) = feed(lines);
        let mut engine = engine();
        engine.parallel_positions = 1 + round % 3;
        let responses = serve_input(&engine, reader);
        feeder.join().unwrap();
        let mut counts = BTreeMap::new();
        for response in &responses {
            let key = (response["id"].as_str().unwrap().to_owned(), response["turnNumber"].as_u64());
            let is_over = counts.contains_key(&key);
            assert!(!is_over, "{response} after the final response, round {round}: {written:?}");
            if response["isDuringSearch"] != true {
                *counts.entry(key).or_insert(0) += 1;
            }
        }
        assert_eq!(counts, expected, "round {round}: {written:?}");
    }
}

#[test]
fn finished_and_irregular_games_are_analysed() {
    let passes = json!([["B", "C3"], ["W", "pass"], ["B", "pass"], ["B", "D3"], ["B", "D4"]]);
    let response =
        ask(&engine(), &[query("a", json!({ "moves": passes, "analyzeTurns": [2, 3, 4, 5], "maxVisits": 10 }))]);
    assert_eq!(response.len(), 4);
    assert!(
        response
            .iter()
            .all(|response| response["rootInfo"]["visits"] == 10
                && !response["moveInfos"].as_array().unwrap().is_empty())
    );
    // suicide of several stones, which only some rules allow
    let moves = |last: &[&str]| {
        let last = last.iter().map(|vertex| json!(["W", vertex]));
        let moves = ["A2", "B2", "C1"].iter().map(|vertex| json!(["B", vertex]));
        query("a", json!({ "moves": moves.chain(last).collect::<Vec<_>>() }))
    };
    assert_eq!(ask_one(&engine(), moves(&["A1", "B1"]))["rootInfo"]["currentPlayer"], "B");
    let response = ask_one(&engine(), moves(&["B1", "A1", "B2"]));
    assert_eq!(response["error"], "Illegal move 5: white B2: masonry", "{response}");
    for side in [2, 25] {
        let more = json!({ "boardXSize": side, "boardYSize": 27 - side, "maxVisits": 5, "includeOwnership": true });
        let response = ask_one(&engine(), query("a", more));
        assert_eq!(response["ownership"].as_array().unwrap().len(), side * (27 - side));
    }
}

/// The command lines and first queries of KaTrain and Ogatak.
#[test]
fn programs_that_start_katago_can_start_the_engine() {
    let folder = Folder::new();
    let katrain = [
        "--set",
        "Net.Use=false",
        "analysis",
        "-model",
        "some model.bin.gz",
        "-config",
        "some.cfg",
        "-override-config",
        "homeDataDir=/nowhere,maxVisits=5",
    ];
    let line = format!("{}\n", query("a", json!({})));
    let output = folder.run(&katrain, line.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let response: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&response["id"], &response["rootInfo"]["visits"]), (&json!("a"), &json!(5)));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let ready = format!("[kifuwarabe-uec14] {READY}");
    let ignored = "[kifuwarabe-uec14] ignored: some model.bin.gz some.cfg homeDataDir";
    assert_eq!(stderr.lines().collect::<Vec<_>>(), [ignored, &ready]);

    let ogatak = ["analysis", "-config", "c.cfg", "-model", "m", "-quit-without-waiting"];
    let mut running = Running::start(folder.command(&ogatak));
    let mut ask = |line: Value| serde_json::from_str::<Value>(&running_line(&mut running, &line)).unwrap();
    assert_eq!(ask(json!({ "id": "query_version", "action": "query_version" }))["git_hash"], "<omitted>");
    let large = query("test_bs29", json!({ "boardXSize": 29, "boardYSize": 29, "maxVisits": 1 }));
    assert_eq!(ask(large)["field"], "boardXSize");
    let endless = query("node_1:1", json!({ "maxVisits": ENDLESS, "reportDuringSearchEvery": 0.1 }));
    let response = ask(endless);
    assert_eq!((&response["id"], &response["isDuringSearch"]), (&json!("node_1:1"), &json!(true)));
    let begin = Instant::now();
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0));
    assert!(begin.elapsed() < Duration::from_secs(10), "the engine waited for the search");
    assert!(stderr.ends_with(&format!("{ready}\n")), "{stderr}");

    let wrong = folder.run(&["analysis", "-override-config", "maxTime=x"], b"");
    assert_eq!(wrong.status.code(), Some(2));
    let text = "kifuwarabe-uec14: --override-config: maxTime=x: expected a number of seconds\n";
    assert_eq!(String::from_utf8(wrong.stderr).unwrap(), text);
}

fn running_line(running: &mut Running, line: &Value) -> String {
    running.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    running.read_line()
}

/// An output on which every write fails with this error.
struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_output_ends_the_engine_without_an_error() {
    // the input stays open
    let (reader, mut writer) = io::pipe().unwrap();
    let lines = [query("a", json!({})), query("b", json!({ "maxVisits": ENDLESS }))];
    for line in lines {
        writer.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
    serve(&engine(), BufReader::new(reader), Failing(io::ErrorKind::BrokenPipe)).unwrap();

    let input = Cursor::new(format!("{}\n", query("a", json!({}))));
    assert_eq!(
        serve(&engine(), input, Failing(io::ErrorKind::StorageFull)).unwrap_err().kind(),
        io::ErrorKind::StorageFull
    );
}

#[test]
fn the_opponent_of_the_last_player_is_to_move() {
    let players = |more: Value| {
        let mut fields = json!({ "moves": [["B", "B2"], ["B", "D4"]], "analyzeTurns": [0, 1, 2], "maxVisits": 2 });
        merge(&mut fields, more);
        let response = ask(&engine(), &[query("a", fields)]);
        let player =
            |response: &Value| (response["turnNumber"].as_u64(), response["rootInfo"]["currentPlayer"].clone());
        response.iter().map(player).collect::<BTreeMap<_, _>>().into_values().collect::<Vec<_>>()
    };
    assert_eq!(players(json!({})), ["B", "W", "W"]);
    assert_eq!(players(json!({ "initialPlayer": "W" })), ["W", "W", "W"]);
}

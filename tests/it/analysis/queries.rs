//! The effect of the fields of queries, and warnings about those without one.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ENDLESS, ask, ask_one, engine, engine_with_katago_net, keys, merge, query, terminate};

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
    // without the field, komi is KataGo's guess
    let button = json!({ "ko": "SIMPLE", "score": "AREA", "hasButton": true });
    for (rules, usual) in [
        (json!("tromp-taylor"), 7.5),
        (json!("new zealand"), 7.0),
        (json!("Japanese"), 6.5),
        (json!("stone_scoring"), 7.5),
        (json!("aga-button"), 7.0),
        (button, 7.0),
        (json!({ "scoring": "TERRITORY" }), 6.5),
        (json!({ "komi": -3.5 }), -3.5),
        (json!("{\"komi\": 0.5}"), 0.5),
    ] {
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
    // Black's moves before White's first one are handicap stones, too
    let third =
        |bonus: &str, komi: f64| with(json!({ "moves": [["B", "C4"]], "whiteHandicapBonus": bonus, "komi": komi }));
    assert_eq!(third("N", 7.5), third("0", 10.5));
    assert_eq!(with(json!({}))["rootInfo"]["currentPlayer"], "W");
    assert_eq!(with(json!({ "initialPlayer": "b" }))["rootInfo"]["currentPlayer"], "B");
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
fn max_time_ends_a_search() {
    let begin = Instant::now();
    let response =
        ask_one(&engine(), query("a", json!({ "maxVisits": ENDLESS, "overrideSettings": { "maxTime": 0.3 } })));
    assert!((Duration::from_millis(300)..Duration::from_secs(20)).contains(&begin.elapsed()));
    assert_eq!(response["isDuringSearch"], false);
}

#[test]
fn settings_apply_to_one_query_or_to_all() {
    let response =
        ask(&engine(), &[query("a", json!({ "overrideSettings": { "maxVisits": 9, "wideRootNoise": 0.04 } }))]);
    let text = "wideRootNoise: has no effect on a search by playouts, only on one by net";
    assert_eq!(response[0], json!({ "id": "a", "field": "overrideSettings", "warning": text }));
    assert_eq!(response[1]["rootInfo"]["visits"], 9);
    // precedence: field, override setting, configuration
    let both = query("a", json!({ "maxVisits": 12, "overrideSettings": { "maxVisits": 9 } }));
    assert_eq!(ask_one(&engine(), both)["rootInfo"]["visits"], 12);
    let mut engine = engine();
    let unknown = engine.set("maxVisits=17, homeDataDir=/a b/c,,reportAnalysisWinratesAs=BLACK").unwrap();
    assert_eq!(unknown, ["homeDataDir"]);
    assert_eq!(ask_one(&engine, query("a", json!({})))["rootInfo"]["visits"], 17);
    assert_eq!(engine.set("maxVisits"), Err("maxVisits: expected NAME=VALUE".to_owned()));
    assert_eq!(engine.set("maxTime=now"), Err("maxTime=now: expected a number of seconds above 0".to_owned()));
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
        "includeNoResultValue": false, "rootPolicyTemperature": 1.1, "analyseTurns": [0], "analysisPVLen": 1,
        "overrideSettings": { "antiMirror": true, "humanSLProfile": "rank_5k", "useGraphSearch": true, "lcbStdevs": 4 },
    });
    let warnings = |responses: &[Value]| -> Vec<String> {
        let warnings = responses.iter().filter(|response| response.get("warning").is_some());
        warnings
            .map(|one| format!("{}: {}", one["field"].as_str().unwrap(), one["warning"].as_str().unwrap()))
            .collect()
    };
    let response = ask(&engine(), &[query("a", more.clone())]);
    let playouts = "has no effect on a search by playouts, only on one by net";
    let of_settings = [
        "overrideSettings: unknown settings, not used: humanSLProfile".to_owned(),
        "overrideSettings: not supported, not used: antiMirror: only false is supported".to_owned(),
    ];
    let of_playouts =
        [format!("rootPolicyTemperature: {playouts}"), format!("overrideSettings: lcbStdevs: {playouts}")];
    let unknown = "analyseTurns: unknown field".to_owned();
    assert_eq!(warnings(&response), [std::slice::from_ref(&unknown), &of_settings[..], &of_playouts].concat());
    let last = response.last().unwrap();
    assert!(last["moveInfos"].as_array().unwrap().iter().all(|info| info["pv"].as_array().unwrap().len() == 1));
    assert_eq!(keys(last), ["id", "isDuringSearch", "moveInfos", "rootInfo", "turnNumber"]);
    let response = ask(&engine_with_katago_net(), &[query("a", more)]);
    assert_eq!(warnings(&response), [&[unknown], &of_settings[..]].concat());
}

/// Each setting of a search by evaluations changes it.
#[test]
fn settings_reach_a_search_by_evaluations() {
    let response = |more: Value| {
        let mut fields = json!({ "moves": [["B", "B2"], ["W", "D4"]], "maxVisits": 60, "includePolicy": true });
        merge(&mut fields, more);
        ask_one(&engine_with_katago_net(), query("a", fields))
    };
    let settings = |more: Value| response(json!({ "overrideSettings": more }));
    let usual = response(json!({}));
    assert_eq!(response(json!({})), usual);
    // KataGo's defaults
    assert_eq!(settings(json!({ "wideRootNoise": 0.04, "ignorePreRootHistory": true })), usual);
    // fields are the settings of the same names
    let wide = json!({ "wideRootNoise": 0.5 });
    let spread = settings(wide.clone());
    for field in [json!({ "rootPolicyTemperature": 2.0 }), json!({ "rootFpuReductionMax": 2.0 })] {
        let mut by_setting = wide.clone();
        merge(&mut by_setting, field.clone());
        let mut by_field = json!({ "overrideSettings": wide });
        merge(&mut by_field, field.clone());
        assert_eq!(response(by_field), settings(by_setting.clone()), "{field}");
        assert_ne!(settings(by_setting), spread, "{field}");
    }
    for changed in [
        json!({ "wideRootNoise": 0.5 }),
        json!({ "playoutDoublingAdvantage": 2.0 }),
        json!({ "ignorePreRootHistory": false }),
        json!({ "rootNumSymmetriesToSample": 8 }),
        json!({ "lcbStdevs": 3.0 }),
    ] {
        assert_ne!(settings(changed.clone()), usual, "{changed}");
    }
    let raw = |response: &Value| response["rootInfo"]["rawWinrate"].as_f64().unwrap();
    // the net is told of the advantage, of the moves before, and not of noise
    assert_ne!(raw(&settings(json!({ "playoutDoublingAdvantage": 2.0 }))), raw(&usual));
    assert_ne!(raw(&settings(json!({ "ignorePreRootHistory": false }))), raw(&usual));
    assert_eq!(raw(&settings(json!({ "wideRootNoise": 0.5 }))), raw(&usual));
    // noise spreads the visits
    let most = |response: &Value| response["moveInfos"].as_array().unwrap().len();
    let (wide, narrow) = (settings(json!({ "wideRootNoise": 2.0 })), settings(json!({ "wideRootNoise": 0.0 })));
    assert!(most(&wide) > most(&narrow), "{} {}", most(&wide), most(&narrow));
}

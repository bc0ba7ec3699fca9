//! The fields of responses: their values by the search result, perspectives, order, and which are there.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::Options;
use kifuwarabe_uec14::search::{Limits, SearchRequest, SearchResult, Searcher, StopSignal};
use serde_json::{Value, json};

use super::{Client, ENDLESS, ask, ask_one, engine, engine_with_katago_net, keys, merge, numbers, query, terminate};

/// The result of a direct search of the same position.
fn search_directly(position: &Position, visits: u64) -> SearchResult {
    let options = Options { seed: 7, ..Options::default() };
    Searcher::new(512 << 20, options.resolved_seed()).search(&SearchRequest::new(
        position,
        position.to_move(),
        Limits::visits(visits),
        &options.params,
        &StopSignal::default(),
    ))
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
        let expected = "edgeVisits edgeWeight lcb move order playSelectionValue pv pvEdgeVisits pvVisits scoreLead \
                        scoreMean scoreSelfplay scoreStdev utility utilityLcb visits weight winrate";
        assert_eq!(keys(info).join(" "), expected);
        let variation: Vec<String> = candidate.variation.iter().map(|play| play.vertex(coordinate)).collect();
        assert_eq!(info["order"], json!(order));
        assert_eq!(info["move"], json!(candidate.play.vertex(coordinate)));
        assert_eq!(info["visits"], json!(candidate.visits));
        assert_eq!((&info["pv"], &info["pvVisits"]), (&json!(variation), &json!(candidate.variation_visits)));
        near(&info["winrate"], candidate.win_probability);
        near(&info["lcb"], candidate.win_probability_lower_bound());
        // White is to move; a search result has score leads from Black's perspective
        near(&info["scoreLead"], -candidate.lead.unwrap().mean);
        near(&info["scoreStdev"], candidate.lead.unwrap().stdev);
        assert_eq!((&info["scoreMean"], &info["scoreSelfplay"]), (&info["scoreLead"], &info["scoreLead"]));
        // a playout weighs 1, the tree has no transpositions, the most visited move is played
        for key in ["edgeVisits", "weight", "edgeWeight", "playSelectionValue"] {
            assert_eq!(info[key].as_f64(), info["visits"].as_f64(), "{key}");
        }
        assert_eq!(info["pvEdgeVisits"], info["pvVisits"]);
        near(&info["utility"], 2.0 * candidate.win_probability - 1.0);
        near(&info["utilityLcb"], 2.0 * candidate.win_probability_lower_bound() - 1.0);
    }
    let root = &response["rootInfo"];
    let expected = "currentPlayer scoreLead scoreMean scoreSelfplay scoreStdev symHash thisHash utility visits weight \
                    winrate";
    assert_eq!(keys(root).join(" "), expected);
    assert_eq!((&root["currentPlayer"], &root["visits"]), (&json!("W"), &json!(60)));
    near(&root["winrate"], result.win_probability());
    // the root has the values of the best move, which therefore loses no points
    near(&root["scoreLead"], -result.best().unwrap().lead.unwrap().mean);
    for key in ["winrate", "utility", "scoreLead", "scoreMean", "scoreSelfplay", "scoreStdev"] {
        assert_eq!(root[key], infos[0][key], "{key}");
    }
    let owners = numbers(&response["ownership"]);
    assert_eq!(owners.len(), 25);
    for (point, owner) in coordinate.points_from_highest_rank().zip(owners) {
        assert!((owner + f64::from(result.ownership[point.index()])).abs() < 1e-3);
    }
}

#[test]
fn ownership_is_listed_from_the_highest_rank_down() {
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
    for (key, sign) in
        [("scoreLead", -1.0), ("scoreSelfplay", -1.0), ("utility", -1.0), ("utilityLcb", -1.0), ("scoreStdev", 1.0)]
    {
        assert!(pairs(key).iter().all(|(black, white)| *black == sign * white), "{key}");
    }
    let owners = [&black, &white].map(|response| numbers(&response["ownership"]));
    assert!(owners[0].iter().zip(&owners[1]).all(|(black, white)| *black == -white));
}

#[test]
fn policy_and_priors_come_from_the_net() {
    let net = Net::built_in().unwrap();
    let mut engine = engine();
    engine.net = Some(("a net".to_owned(), net.clone()));
    // on boards of up to 5x5 the net is not used
    let moves = json!([["B", "A7"], ["W", "C5"]]);
    let more = json!({ "boardXSize": 7, "boardYSize": 7, "moves": moves, "includePolicy": true });
    let response = ask_one(&engine, query("a", more));
    let policy = numbers(&response["policy"]);
    assert_eq!(policy.len(), 50);
    // the indices of A7 and C5 from the highest rank down
    assert_eq!([policy[0], policy[16]], [-1.0, -1.0]);
    assert!(policy[49] >= 0.0, "a pass is legal");
    let sum: f64 = policy.iter().filter(|probability| **probability >= 0.0).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    let priors = response["moveInfos"].as_array().unwrap().iter().map(|info| info["prior"].as_f64().unwrap());
    assert!(priors.clone().all(|prior| (0.0..=1.0).contains(&prior)) && priors.sum::<f64>() > 0.2);
    let models = ask_one(&engine, json!({ "id": "m", "action": "query_models" }));
    let model = json!({
        "name": "a net", "internalName": net.digest(), "maxBatchSize": 8, "usesHumanSLProfile": false,
        "version": null, "usingFP16": "false",
    });
    assert_eq!(models, json!({ "id": "m", "action": "query_models", "models": [model] }));
    // without a net the fields are absent
    let responses = ask(&self::engine(), &[query("a", json!({ "includePolicy": true }))]);
    let warning = json!({ "id": "a", "field": "includePolicy", "warning": "has no effect without a net" });
    assert_eq!(responses[0], warning);
    assert!(responses[1].get("policy").is_none() && responses[1]["moveInfos"][0].get("prior").is_none());
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
    // a ko retaken at once
    let ko = [("B", "C3"), ("B", "D2"), ("B", "D4"), ("W", "E2"), ("W", "E4"), ("W", "F3"), ("B", "E3"), ("W", "D3")];
    let ko = ko.iter().chain(&[("B", "E3")]).map(|(color, vertex)| json!([color, vertex])).collect::<Vec<_>>();
    let ko = query("a", json!({ "moves": ko, "boardXSize": 9, "boardYSize": 9, "maxVisits": 5 }));
    assert_eq!(ask_one(&engine(), ko)["rootInfo"]["currentPlayer"], "W");
    // suicide of several stones, which only some rules allow
    let moves = |last: &[&str]| {
        let last = last.iter().map(|vertex| json!(["W", vertex]));
        let moves = ["A2", "B2", "C1"].iter().map(|vertex| json!(["B", vertex]));
        query("a", json!({ "moves": moves.chain(last).collect::<Vec<_>>() }))
    };
    assert_eq!(ask_one(&engine(), moves(&["A1", "B1"]))["rootInfo"]["currentPlayer"], "B");
    let response = ask_one(&engine(), moves(&["B1", "A1", "B2"]));
    assert_eq!(response["error"], "Illegal move 5: white B2: there is a stone on the point", "{response}");
    for side in [2, 25] {
        let more = json!({ "boardXSize": side, "boardYSize": 27 - side, "maxVisits": 5, "includeOwnership": true });
        let response = ask_one(&engine(), query("a", more));
        assert_eq!(response["ownership"].as_array().unwrap().len(), side * (27 - side));
    }
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

/// Every number of KataGo's is there for a net of KataGo, and what adds up adds up.
#[test]
fn numbers_of_a_search_by_evaluations_fit_each_other() {
    let moves = json!([["B", "B2"], ["W", "D4"]]);
    let more = json!({
        "moves": moves, "maxVisits": 80, "includeOwnership": true, "includeOwnershipStdev": true, "includePolicy": true,
        "includeMovesOwnership": true, "includeMovesOwnershipStdev": true, "includePVVisits": true,
        "includeNoResultValue": true,
    });
    let response = ask_one(&engine_with_katago_net(), query("a", more));
    let (root, infos) = (&response["rootInfo"], response["moveInfos"].as_array().unwrap());
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(infos.iter().map(|info| number(&info["edgeVisits"])).sum::<f64>(), number(&root["visits"]) - 1.0);
    // the weights of moves that look bad are redistributed, and the root has one of its own
    let weights: f64 = infos.iter().map(|info| number(&info["edgeWeight"])).sum();
    assert!((0.3..3.0).contains(&(number(&root["weight"]) / weights)), "{} {weights}", root["weight"]);
    let values: Vec<f64> = infos.iter().map(|info| number(&info["playSelectionValue"])).collect();
    assert!(values.is_sorted_by(|a, b| a >= b) && values[0] > 0.0, "{values:?}");
    for (order, info) in infos.iter().enumerate() {
        assert_eq!(info["order"], order);
        assert!(number(&info["visits"]) >= number(&info["edgeVisits"]), "{info}");
        assert!(number(&info["weight"]) >= number(&info["edgeWeight"]) - 1e-3, "{info}");
        for key in ["utility", "winrate"] {
            let lcb = if key == "utility" { "utilityLcb" } else { "lcb" };
            assert!(number(&info[lcb]) <= number(&info[key]) + 1e-6, "{info}");
        }
        assert!(number(&info["utility"]).abs() <= 1.4 && (0.0..=1.0).contains(&number(&info["noResultValue"])));
        let lengths = ["pv", "pvVisits", "pvEdgeVisits"].map(|key| info[key].as_array().unwrap().len());
        assert_eq!(lengths, [lengths[0]; 3]);
        let (visits, edges) = (numbers(&info["pvVisits"]), numbers(&info["pvEdgeVisits"]));
        assert!(visits.iter().zip(&edges).all(|(visits, edge)| visits >= edge), "{info}");
        assert_eq!((visits[0], edges[0]), (number(&info["visits"]), number(&info["edgeVisits"])));
        let (owners, deviations) = (numbers(&info["ownership"]), numbers(&info["ownershipStdev"]));
        assert!(owners.iter().zip(&deviations).all(|(o, d)| o * o + d * d <= 1.01 && *d >= 0.0), "{info}");
    }
    // the root lies among its moves and its own evaluation
    for (key, raw) in [("winrate", "rawWinrate"), ("scoreLead", "rawLead"), ("scoreSelfplay", "rawScoreSelfplay")] {
        let all: Vec<f64> = infos.iter().map(|info| number(&info[key])).chain([number(&root[raw])]).collect();
        let (least, most) = all.iter().fold((f64::MAX, f64::MIN), |(a, b), one| (a.min(*one), b.max(*one)));
        assert!((least..=most).contains(&number(&root[key])), "{key} {} {all:?}", root[key]);
    }
    for key in ["rawStWrError", "rawStScoreError", "rawVarTimeLeft", "rawNoResultProb", "rawScoreSelfplayStdev"] {
        assert!(number(&root[key]) >= 0.0, "{key}");
    }
}

/// Playouts give owners after each move, with the spread of their results.
#[test]
fn playouts_have_owners_after_each_move() {
    // Black takes two stones by D2, or White saves them there
    let stones = json!([["W", "B2"], ["W", "C2"], ["B", "A2"], ["B", "B1"], ["B", "C1"], ["B", "B3"], ["B", "C3"]]);
    let more = json!({
        "initialStones": stones, "initialPlayer": "W", "maxVisits": 600, "includeMovesOwnership": true,
        "includeMovesOwnershipStdev": true, "includeOwnershipStdev": true,
        "overrideSettings": { "reportAnalysisWinratesAs": "BLACK" },
    });
    let response = ask_one(&engine(), query("a", more));
    assert!(response.get("ownership").is_none());
    let deviations = numbers(&response["ownershipStdev"]);
    assert!(deviations.len() == 25 && deviations.iter().all(|stdev| (0.0..=1.0).contains(stdev)));
    assert!(deviations.iter().any(|stdev| *stdev > 0.3));
    let infos = response["moveInfos"].as_array().unwrap();
    for info in infos {
        let (owners, deviations) = (numbers(&info["ownership"]), numbers(&info["ownershipStdev"]));
        assert_eq!((owners.len(), deviations.len()), (25, 25));
        assert!(owners.iter().zip(&deviations).all(|(o, d)| o * o + d * d <= 1.01), "{info}");
    }
    let owner_of_b2 = |vertex: &str| {
        let info = infos.iter().find(|info| info["move"] == vertex)?;
        numbers(&info["ownership"]).get(3 * 5 + 1).copied()
    };
    let (saved, lost) = (owner_of_b2("D2").unwrap(), owner_of_b2("pass").unwrap_or(1.0));
    assert!(saved < lost - 0.05, "{saved} {lost}");
}

#[test]
fn hashes_tell_positions_apart_and_symmetric_ones_together() {
    let hashes = |moves: Value| {
        let response = ask_one(&engine(), query("a", json!({ "moves": moves, "maxVisits": 1 })));
        ["thisHash", "symHash"].map(|key| response["rootInfo"][key].as_str().unwrap().to_owned())
    };
    let [this, symmetric] = hashes(json!([["B", "A1"], ["W", "C2"]]));
    assert_eq!((this.len(), symmetric.len()), (32, 32));
    let [other, same] = hashes(json!([["B", "E5"], ["W", "D3"]]));
    assert!(other != this && same == symmetric);
    assert_ne!(hashes(json!([["B", "A1"]]))[1], symmetric);
}

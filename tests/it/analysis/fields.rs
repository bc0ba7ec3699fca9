//! The tables of KataGo's fields in `docs/analysis.md`, against the lists of names that the engine reads and the keys
//! that it writes.

use std::collections::BTreeSet;

use kifuwarabe_uec14::analysis::{ACTION_FIELDS, ACTIONS, AnalysisConfig, QUERY_FIELDS, setting_names};
use kifuwarabe_uec14::net::Net;
use serde_json::{Map, Value, json};

use super::{ask, engine, engine_with_katago_net, query};

const PAGE: &str = include_str!("../../../docs/analysis.md");

/// The keys that KataGo 1.17.2 expects in queries and actions: `expectedKeys` of its `command/analysis.cpp`.
const KATAGO_FIELDS: &str = "id action terminateId turnNumbers boardXSize boardYSize initialStones moves initialPlayer \
    analyzeTurns priorities rules komi whiteHandicapBonus overrideSettings maxVisits analysisPVLen rootFpuReductionMax \
    rootPolicyTemperature includeMovesOwnership includeMovesOwnershipStdev includeOwnership includeOwnershipStdev \
    includePolicy includePVVisits includeNoResultValue reportDuringSearchEvery firstReportDuringSearchAfter priority \
    allowMoves avoidMoves";

/// The keys that KataGo 1.17.2 writes, from `command/analysis.cpp` and `Search::getAnalysisJson`.
const KATAGO_RESPONSE: &str = "id turnNumber isDuringSearch moveInfos rootInfo policy humanPolicy ownership \
    ownershipStdev noResults error warning field";
const KATAGO_MOVE: &str = "move visits weight utility winrate scoreMean scoreSelfplay scoreLead scoreStdev noResultValue \
    prior humanPrior lcb utilityLcb order isSymmetryOf edgeVisits edgeWeight playSelectionValue pv pvVisits pvEdgeVisits \
    ownership ownershipStdev";
const KATAGO_ROOT: &str = "visits weight winrate scoreSelfplay scoreLead scoreStdev utility rawWinrate rawLead \
    rawScoreSelfplay rawScoreSelfplayStdev rawNoResultProb rawStWrError rawStScoreError rawVarTimeLeft humanWinrate \
    humanScoreMean humanScoreStdev humanStWrError humanStScoreError thisHash symHash currentPlayer";
const KATAGO_MODEL: &str = "name internalName maxBatchSize usesHumanSLProfile version usingFP16";

/// The names of the rows of the table with this header, by whether the second column begins with `yes`.
fn rows(header: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut lines = PAGE.lines().skip_while(|line| !line.starts_with(&format!("| {header} |")));
    assert!(lines.next().is_some(), "no table {header}");
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let (mut yes, mut no) = (BTreeSet::new(), BTreeSet::new());
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [names, here, ..] = cells[..] else { panic!("{row}") };
        let here = here.trim_end_matches(['|', ' ']);
        assert!(here == "yes" || (here.starts_with("no: ") && here.len() > 8) || here.starts_with("yes, "), "{row}");
        for name in names.split('`').skip(1).step_by(2) {
            let is_new = if here.starts_with("yes") { &mut yes } else { &mut no }.insert(name.to_owned());
            assert!(is_new, "{name} twice");
        }
    }
    (yes, no)
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn tables_list_what_the_engine_reads() {
    for (header, ours) in [
        ("Query field", set(QUERY_FIELDS)),
        ("Action field", set(ACTION_FIELDS)),
        ("Action", set(ACTIONS)),
        ("Setting", set(setting_names())),
    ] {
        let (yes, no) = rows(header);
        assert_eq!(yes, ours, "{header}");
        assert!(yes.is_disjoint(&no), "{header}");
    }
    let listed = |header: &str| {
        let (yes, no) = rows(header);
        yes.into_iter().chain(no).collect::<BTreeSet<String>>()
    };
    let fields: BTreeSet<String> = listed("Query field").union(&listed("Action field")).cloned().collect();
    assert_eq!(fields, set(KATAGO_FIELDS.split_whitespace()));
}

/// Adds the keys of an object.
fn add_keys(keys: &mut BTreeSet<String>, value: &Value) {
    keys.extend(value.as_object().into_iter().flat_map(Map::keys).cloned());
}

#[test]
fn tables_list_what_the_engine_writes() {
    let mut engines = [engine(), engine(), engine_with_katago_net()];
    engines[1].net = Some(("a net".to_owned(), Net::built_in().unwrap()));
    let flags = "includeOwnership includeOwnershipStdev includeMovesOwnership includeMovesOwnershipStdev includePolicy \
                 includePVVisits includeNoResultValue";
    let mut all = Map::from_iter(flags.split_whitespace().map(|flag| (flag.to_owned(), json!(true))));
    all.extend([("boardXSize".to_owned(), json!(7)), ("boardYSize".to_owned(), json!(7))]);
    let lines = [
        // occupies the only worker while another query waits
        query("busy", json!({ "priority": 9, "maxVisits": u32::MAX })),
        query("plain", json!({})),
        query("all", Value::Object(all)),
        query("stone", json!({ "avoidMoves": [{ "player": "B", "moves": ["pass", "C3"], "untilDepth": 1 }] })),
        query("warning", json!({ "humanSLProfile": "rank_1d" })),
        query("error", json!({ "komi": "much" })),
        query("waiting", json!({ "priority": -9, "maxVisits": u32::MAX })),
        json!({ "id": "stop", "action": "terminate", "terminateId": "waiting" }),
        json!({ "id": "stop", "action": "terminate", "terminateId": "busy" }),
    ];
    let [mut responses, mut moves, mut roots, mut models] = [(); 4].map(|()| BTreeSet::new());
    let mut ask_engine = |engine: &AnalysisConfig| {
        for response in ask(engine, &lines).iter().filter(|response| response["id"] != "stop") {
            add_keys(&mut responses, response);
            add_keys(&mut roots, &response["rootInfo"]);
            let infos = response["moveInfos"].as_array().into_iter().flatten();
            infos.for_each(|info| add_keys(&mut moves, info));
        }
        let answer = ask(engine, &[json!({ "id": "m", "action": "query_models" })]).remove(0);
        answer["models"].as_array().unwrap().iter().for_each(|model| add_keys(&mut models, model));
    };
    engines.iter().for_each(&mut ask_engine);
    for (header, found, katago) in [
        ("Response field", responses, KATAGO_RESPONSE),
        ("Field of `moveInfos`", moves, KATAGO_MOVE),
        ("Field of `rootInfo`", roots, KATAGO_ROOT),
        ("Field of `models`", models, KATAGO_MODEL),
    ] {
        let (yes, no) = rows(header);
        assert_eq!(yes, found, "{header}");
        let katago = set(katago.split_whitespace());
        let listed: BTreeSet<String> = yes.union(&no).cloned().collect();
        assert!(katago.is_subset(&listed), "{header} lacks {:?}", katago.difference(&listed));
        assert!(no.is_subset(&katago), "{header}");
    }
}

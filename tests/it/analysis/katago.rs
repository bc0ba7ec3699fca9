//! KataGo and this engine asked the same: the same net, the same queries, and the same shape of every response.
//!
//! `KIFUWARABE_KATAGO` names KataGo's program; without it, `katago` is looked for in the search path. Without either, or
//! without the nets ([`external`]), the test prints SKIPPED and passes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;
use kifuwarabe_uec14::analysis::AnalysisConfig;
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::net::{Net, Precision};
use kifuwarabe_uec14::player::Options;
use serde_json::{Value, json};

use super::{ask, keys, merge, numbers};
use crate::engine::Folder;
use crate::support::{external, katago};

/// The settings of both engines: what is random in the search at the root is left out.
const SETTINGS: &str = "rootNumSymmetriesToSample=8,wideRootNoise=0";

/// A net of KataGo's; `None` prints SKIPPED.
fn net(name: &str) -> Option<PathBuf> {
    external(&format!("nets/katago/{name}"))
}

/// KataGo's responses to these lines.
fn ask_katago(program: &Path, net: &Path, lines: &[Value]) -> Vec<Value> {
    let folder = Folder::new();
    let config = format!(
        "numAnalysisThreads = 1\nnumSearchThreads = 1\nmaxVisits = 40\nnnRandomize = false\n\
         nnCacheSizePowerOfTwo = 14\nnnMutexPoolSizePowerOfTwo = 8\nnnMaxBatchSize = 8\nlogToStderr = true\n\
         reportAnalysisWinratesAs = SIDETOMOVE\nhomeDataDir = {}\n{}\n",
        folder.path().display(),
        SETTINGS.replace(',', "\n")
    );
    std::fs::write(folder.path().join("analysis.cfg"), config).unwrap();
    let mut running = Command::new(program)
        .args(["analysis", "-config", "analysis.cfg", "-model"])
        .arg(net)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut stdin = running.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = running.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "KataGo ended with {}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A query about a game of random moves, none of which fills an eye.
fn game(id: &str, (width, height): (u8, u8), count: usize, rules: &str, rng: &mut Rng) -> Value {
    let coordinate = Coordinate::new(width, height).unwrap();
    let rule = GameRule::with_komi(6.5).with_rule_set(rules).unwrap();
    let mut position = Position::new(coordinate, rule, 0, Color::Black);
    let mut moves = Vec::new();
    for _ in 0..count {
        let color = position.to_move();
        let is_open = |&point: &_| position.check(color, point).is_ok() && !position.board().is_enclosed(color, point);
        let open: Vec<_> = coordinate.points().filter(is_open).collect();
        let Some(point) = rng.choice(open) else { break };
        position.play(color, point).unwrap();
        moves.push(json!([if color == Color::Black { "B" } else { "W" }, coordinate.vertex(point)]));
    }
    json!({
        "id": id, "boardXSize": width, "boardYSize": height, "rules": rules, "komi": 6.5, "moves": moves, "maxVisits": 12,
    })
}

/// Queries that are answered: sizes, rules, komi, set-up, perspective and every optional part.
fn good_queries() -> Vec<Value> {
    let mut rng = Rng::with_seed(5);
    let all = json!({
        "includeOwnership": true, "includeOwnershipStdev": true, "includeMovesOwnership": true,
        "includeMovesOwnershipStdev": true, "includePolicy": true, "includePVVisits": true, "includeNoResultValue": true,
    });
    let policy = json!({ "includePolicy": true });
    let view =
        |side: &str| json!({ "includeOwnership": true, "overrideSettings": { "reportAnalysisWinratesAs": side } });
    let handicap = json!([["B", "C3"], ["B", "G7"]]);
    let avoid = json!([{ "player": "B", "moves": ["E5", "pass"], "untilDepth": 2 }]);
    let allow = json!([{ "player": "B", "moves": ["C3", "D4", "F6"], "untilDepth": 1 },
                       { "player": "W", "moves": ["E5", "E6"], "untilDepth": 1 }]);
    let rule = json!({ "ko": "SITUATIONAL", "scoring": "AREA", "tax": "ALL", "suicide": true, "komi": 5.0 });
    let button = json!({ "ko": "POSITIONAL", "score": "AREA", "hasButton": true, "whiteHandicapBonus": "N-1" });
    let mut queries = Vec::new();
    let mut add = |size: (u8, u8), count: usize, rules: &str, more: &Value| {
        let mut query = game(&format!("q{}", queries.len()), size, count, rules, &mut rng);
        merge(&mut query, more.clone());
        queries.push(query);
    };
    let mut vary = |size: (u8, u8), count: usize| {
        add(size, count, "chinese", &all);
        add(size, count + 1, "japanese", &all);
        add(size, count + 2, "tromp-taylor", &policy);
    };
    vary((9, 9), 0);
    vary((9, 9), 21);
    vary((19, 19), 40);
    vary((7, 11), 12);
    vary((13, 6), 15);
    for rules in ["aga", "new-zealand", "stone-scoring", "chinese-ogs", "aga-button", "korean"] {
        add((9, 9), 10, rules, &policy);
    }
    for side in ["BLACK", "WHITE", "SIDETOMOVE"] {
        add((9, 9), 9, "chinese", &view(side));
        add((9, 9), 10, "japanese", &view(side));
    }
    for more in [
        json!({ "komi": -20, "includePolicy": true }),
        json!({ "komi": 150.5 }),
        json!({ "moves": [], "initialStones": handicap }),
        json!({ "moves": [], "initialStones": handicap, "whiteHandicapBonus": "0", "komi": 0.5 }),
        json!({ "moves": [], "initialStones": handicap, "initialPlayer": "B", "includePolicy": true }),
        json!({ "initialPlayer": "W", "moves": [["W", "E5"], ["W", "(2,3)"], ["b", "pass"]] }),
        json!({ "moves": [], "avoidMoves": avoid }),
        json!({ "moves": [], "allowMoves": allow }),
        json!({ "rules": rule, "includePolicy": true }),
        json!({ "rules": button, "includePolicy": true }),
        json!({ "analyzeTurns": [0, 3, 7], "priorities": [1, 5, 3], "maxVisits": 4 }),
        json!({ "analysisPVLen": 1, "includePVVisits": true }),
        json!({ "maxVisits": 1, "includePolicy": true }),
        json!({ "moves": [["B", "E5"]], "maxVisits": 60, "includeMovesOwnership": true }),
        json!({ "moves": [["B", "G3"]], "maxVisits": 60, "overrideSettings": { "rootSymmetryPruning": false } }),
        json!({ "moves": [["B", "G3"]], "maxVisits": 60, "overrideSettings": { "rootSymmetryPruning": true } }),
        json!({ "rootPolicyTemperature": 1.5, "rootFpuReductionMax": 0.5 }),
        json!({ "overrideSettings": { "playoutDoublingAdvantage": 2.0 }, "includePolicy": true }),
        json!({ "overrideSettings": { "ignorePreRootHistory": false }, "includePolicy": true }),
    ] {
        add((9, 9), 14, "chinese", &more);
    }
    queries
}

/// Queries that are refused by this field, and a few that are answered with a warning by it.
fn bad_queries() -> Vec<Value> {
    let wrong = [
        json!({ "boardXSize": 1 }),
        json!({ "boardYSize": "9" }),
        json!({ "moves": "C3" }),
        json!({ "moves": [["B", "Z9"]] }),
        json!({ "moves": [["B", "C3"], ["W", "C3"]] }),
        json!({ "initialStones": [["B", "pass"]] }),
        json!({ "initialPlayer": "X" }),
        json!({ "rules": "chess" }),
        json!({ "rules": { "ko": "NEVER" } }),
        json!({ "komi": 401 }),
        json!({ "komi": "6.5" }),
        json!({ "whiteHandicapBonus": "2" }),
        json!({ "analyzeTurns": [99] }),
        json!({ "priorities": [1] }),
        json!({ "analyzeTurns": [0], "priorities": [1], "priority": 1 }),
        json!({ "maxVisits": 0 }),
        json!({ "includePolicy": 1 }),
        json!({ "reportDuringSearchEvery": 0 }),
        json!({ "overrideSettings": [] }),
        json!({ "overrideSettings": { "wideRootNoise": -1 } }),
        json!({ "avoidMoves": [], "allowMoves": [] }),
        json!({ "allowMoves": [{ "player": "B", "moves": [], "untilDepth": 1 },
                               { "player": "B", "moves": [], "untilDepth": 1 }] }),
        json!({ "rootPolicyTemperature": 0 }),
        json!({ "maxVisits": 1, "maxvisits": 3 }),
        json!({ "maxVisits": 1, "overrideSettings": { "speed": 3 } }),
    ];
    let query = |(number, more): (usize, &Value)| {
        let id = format!("bad{number}");
        let mut query = json!({
            "id": id, "boardXSize": 9, "boardYSize": 9, "rules": "chinese", "komi": 6.5, "moves": [["B", "C3"]],
        });
        merge(&mut query, more.clone());
        query
    };
    wrong.iter().enumerate().map(query).collect()
}

/// Responses by id, turn, and whether they warn.
fn by_subject(responses: Vec<Value>) -> BTreeMap<(String, Option<u64>, bool), Value> {
    let key = |response: &Value| {
        let id = response["id"].as_str().unwrap().to_owned();
        (id, response["turnNumber"].as_u64(), response.get("warning").is_some())
    };
    responses.into_iter().map(|response| (key(&response), response)).collect()
}

/// The type of a value, with the length of a list of numbers.
fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Array(list) if list.first().is_some_and(Value::is_number) => format!("{} numbers", list.len()),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) => "object".to_owned(),
    }
}

/// The keys of an object with the shapes of their values; `scoreMean` of the root is this engine's own. Variations
/// differ in length.
fn shapes(object: &Value) -> BTreeMap<&str, String> {
    let shape_of = |key: &str| if key.starts_with("pv") { "list".to_owned() } else { shape(&object[key]) };
    let mut shapes: BTreeMap<&str, String> = keys(object).into_iter().map(|key| (key, shape_of(key))).collect();
    if object.get("thisHash").is_some() {
        shapes.remove("scoreMean");
    }
    shapes
}

/// Signs, sides, ranges and orders of a response, whichever engine gave it.
fn check_alone(response: &Value) {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let root = &response["rootInfo"];
    assert!(["B", "W"].contains(&root["currentPlayer"].as_str().unwrap()), "{root}");
    for key in ["thisHash", "symHash"] {
        let hash = root[key].as_str().unwrap();
        assert!(hash.len() == 32 && hash.chars().all(|c| c.is_ascii_digit() || ('A'..='F').contains(&c)), "{hash}");
    }
    let infos = response["moveInfos"].as_array().unwrap();
    let mut last = f64::INFINITY;
    for (order, info) in infos.iter().enumerate() {
        assert_eq!(info["order"], order, "{response}");
        let value = number(&info["playSelectionValue"]);
        assert!(value <= last && value >= 0.0, "{response}");
        last = value;
        assert_eq!(info["pv"][0], info["move"]);
        assert!(number(&info["visits"]) >= number(&info["edgeVisits"]), "{info}");
        assert!((0.0..=1.0).contains(&number(&info["prior"])), "{info}");
    }
    for values in infos.iter().chain([root]) {
        assert!((0.0..=1.0).contains(&number(&values["winrate"])), "{values}");
        assert!(number(&values["utility"]).abs() <= 1.4 && number(&values["scoreStdev"]) >= 0.0, "{values}");
    }
    let searched = infos.iter().filter(|info| info.get("isSymmetryOf").is_none());
    let visits: f64 = searched.map(|info| number(&info["edgeVisits"])).sum();
    assert!(visits < number(&root["visits"]) + 0.5, "{response}");
}

/// The greatest differences of numbers that depend on the net, the position and the rules alone: of probabilities, and
/// of points.
const SQUARE: [f64; 2] = [0.003, 0.12];

/// The same on boards that are not square. Of the eight symmetries KataGo evaluates four on the transposed board; this
/// engine evaluates the other four twice.
const OBLONG: [f64; 2] = [0.12, 1.5];

fn check_pair(ours: &Value, theirs: &Value, [probability, points]: [f64; 2]) {
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(shapes(ours), shapes(theirs), "{ours}\n{theirs}");
    let [our_root, their_root] = [ours, theirs].map(|response| &response["rootInfo"]);
    assert_eq!(shapes(our_root), shapes(their_root), "{ours}\n{theirs}");
    assert_eq!(our_root["currentPlayer"], their_root["currentPlayer"]);
    let [our_infos, their_infos] = [ours, theirs].map(|response| response["moveInfos"].as_array().unwrap());
    assert_eq!(our_infos.is_empty(), their_infos.is_empty(), "{ours}\n{theirs}");
    if let (Some(ours), Some(theirs)) = (our_infos.first(), their_infos.first()) {
        assert_eq!(shapes(ours), shapes(theirs));
    }
    let near = |ours: &Value, theirs: &Value, key: &str, limit: f64| {
        let (one, other) = (number(&ours[key]), number(&theirs[key]));
        assert!((one - other).abs() <= limit, "{key} {one} {other}\n{ours}\n{theirs}");
    };
    for info in our_infos {
        let same = their_infos.iter().find(|theirs| theirs["move"] == info["move"]);
        assert!(same.is_none_or(|same| same.get("isSymmetryOf") == info.get("isSymmetryOf")), "{ours}\n{theirs}");
    }
    for key in ["rawWinrate", "rawNoResultProb", "rawStWrError"] {
        near(our_root, their_root, key, probability);
    }
    for key in ["rawLead", "rawScoreSelfplay", "rawScoreSelfplayStdev", "rawStScoreError"] {
        near(our_root, their_root, key, points);
    }
    if let Some(policy) = ours.get("policy") {
        for (ours, theirs) in numbers(policy).into_iter().zip(numbers(&theirs["policy"])) {
            let is_near = (ours - theirs).abs() <= probability && (ours < 0.0) == (theirs < 0.0);
            assert!(is_near, "policy {ours} {theirs} of {}", our_root["thisHash"]);
        }
    }
    // two searches of a few visits by the same net
    assert_eq!(our_root["visits"], their_root["visits"]);
    for (key, limit) in [("winrate", 0.12), ("utility", 0.3), ("scoreLead", 5.0), ("scoreSelfplay", 6.0)] {
        near(our_root, their_root, key, limit);
    }
    for key in ["ownership", "ownershipStdev"] {
        let Some(list) = ours.get(key) else { continue };
        let (ours, theirs) = (numbers(list), numbers(&theirs[key]));
        let mean = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).sum::<f64>() / ours.len() as f64;
        assert!(mean < 0.12, "{key} {mean}");
    }
    // a move that both have tried looks alike
    for info in our_infos.iter().filter(|info| number(&info["edgeVisits"]) >= 2.0) {
        let same = their_infos.iter().find(|other| other["move"] == info["move"]);
        if let Some(other) = same.filter(|other| number(&other["edgeVisits"]) >= 2.0) {
            near(info, other, "winrate", 0.2);
            near(info, other, "scoreLead", 8.0);
            near(info, other, "prior", probability);
        }
    }
}

#[test]
fn responses_have_the_shape_of_katagos() {
    let (Some(program), Some(file)) = (katago(), net("g170-b6c96-s175395328-d26788732.bin.gz")) else { return };
    let mut engine = AnalysisConfig::new(Options { seed: 3, max_visits: 40, ..Options::default() });
    let bytes = std::fs::read(&file).unwrap();
    let net = Net::read_with(&bytes, InstructionSet::best(), Precision::F32).unwrap();
    engine.net = Some(("net".to_owned(), std::sync::Arc::new(net)));
    assert_eq!(engine.set(SETTINGS), Ok(Vec::new()));
    let (good, bad) = (good_queries(), bad_queries());
    assert!(good.len() + bad.len() >= 60, "{} {}", good.len(), bad.len());
    let lines: Vec<Value> = good.iter().chain(&bad).cloned().collect();
    let theirs = by_subject(ask_katago(&program, &file, &lines));
    let ours = by_subject(ask(&engine, &lines));
    let subjects = |responses: &BTreeMap<_, _>| responses.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(subjects(&ours), subjects(&theirs));
    let mut compared = 0;
    for (subject, ours) in &ours {
        let theirs = &theirs[subject];
        if ours.get("rootInfo").is_none() {
            assert_eq!((keys(ours), &ours["field"]), (keys(theirs), &theirs["field"]), "{ours}\n{theirs}");
            continue;
        }
        [ours, theirs].into_iter().for_each(check_alone);
        let query = lines.iter().find(|line| line["id"] == subject.0).unwrap();
        check_pair(ours, theirs, if query["boardXSize"] == query["boardYSize"] { SQUARE } else { OBLONG });
        compared += 1;
    }
    assert!(compared >= good.len() + 2, "{compared}");
}

//! Refused queries: the field, what was found in it and what was expected.

use std::io::Cursor;

use expect_test::expect;
use serde_json::json;

use super::{ask_one, engine, keys, query, serve_input};

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
        json!({ "analyzeTurns": [] }),
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
          moves: unexpected "F1", expected pass or a vertex of the 5x5 board, A1 to E5
        {"moves":[["B","(5,0)"]]}
          moves: unexpected "(5,0)", expected pass or a vertex of the 5x5 board, A1 to E5
        {"moves":[["B",3]]}
          moves: unexpected 3, expected pass or a vertex of the 5x5 board, A1 to E5
        {"moves":[["B","B2"],["W","C3"],["B","C3"]]}
          moves: Illegal move 2: black C3: there is a stone on the point
        {"initialStones":[["B","pass"]]}
          initialStones: unexpected "pass", expected a vertex of the board
        {"initialStones":[["B","C3"],["W","C3"]]}
          initialStones: unexpected "C3", expected each vertex once
        {"initialStones":[["B","A2"],["B","B1"],["W","A1"]]}
          initialStones: set-up: the ren at A1 has no liberty
        {"initialPlayer":"green"}
          initialPlayer: unexpected "green", expected "B" or "W"
        {"rules":"go"}
          rules: unexpected rules:go, expected a JSON object, KataGo's short form or one of chinese chinese-ogs chinese-kgs tromp-taylor cgos japanese korean stone-scoring ancient-area aga bga french aga-button ing goe new-zealand nz
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
        {"analyzeTurns":[]}
          analyzeTurns: unexpected [], expected at least one number
        {"priorities":[1]}
          priorities: expected analyzeTurns beside priorities
        {"analyzeTurns":[0],"priorities":[1],"priority":1}
          priority: expected priority or priorities, found both
        {"analyzeTurns":[0],"priorities":[1,2]}
          priorities: expected one number for each of analyzeTurns (1), found 2
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
          overrideSettings: unexpected "long", expected maxTime to be a number of seconds above 0
        {"overrideSettings":{"reportAnalysisWinratesAs":"ME"}}
          overrideSettings: unexpected "ME", expected reportAnalysisWinratesAs to be BLACK, WHITE or SIDETOMOVE
        {"avoidMoves":{}}
          avoidMoves: unexpected {}, expected a list of objects
        {"avoidMoves":[3]}
          avoidMoves: unexpected 3, expected an object with player, moves and untilDepth
        {"avoidMoves":[{"moves":["B2"],"player":"B"}]}
          avoidMoves: missing untilDepth, expected a whole number, 1 or more
        {"avoidMoves":[{"moves":["Z2"],"player":"B","untilDepth":1}]}
          avoidMoves: unexpected "Z2", expected pass or a vertex of the 5x5 board, A1 to E5
        {"avoidMoves":[{"moves":["B2"],"player":"B","untilDepth":0}]}
          avoidMoves: unexpected 0, expected untilDepth to be a whole number from 1 to 1000000000
        {"allowMoves":[{},{}]}
          allowMoves: missing player, expected "B" or "W"
        {"allowMoves":[],"avoidMoves":[]}
          allowMoves: expected avoidMoves or allowMoves, found both
        {"action":"play"}
          action: unexpected "play", expected one of query_version query_models clear_cache terminate terminate_all
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
        [1]: expected a JSON object
        {}: expected an id that is a string
        {"id":3}: expected an id that is a string
        {"id":: expected JSON: EOF while parsing a value at line 1 column 7
        �: expected JSON: expected value at line 1 column 1
        {"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: line of 1048585 bytes, expected at most 1048576
    "#]].assert_eq(&dialogue);
}

#[test]
fn the_last_of_equal_fields_counts() {
    let query = r#"{"id":"a","id":"b","action":"query_versions","action":"query_version"}"#;
    let responses = serve_input(&engine(), Cursor::new(query));
    assert_eq!((&responses[0]["id"], &responses[0]["action"]), (&json!("b"), &json!("query_version")), "{responses:?}");
    assert!(responses[0]["version"].is_string(), "{responses:?}");
}

//! Queries of the analysis protocol; at the end all searches are terminated.

use std::io::Cursor;

use kifuwarabe_uec14::analysis::{AnalysisConfig, serve};
use kifuwarabe_uec14::player::Options;
use serde_json::Value;

/// Pieces of queries for the bytes from 0x80 on.
const PIECES: &[&str] = &[
    "{\"id\":\"a\",\"moves\":[[\"B\",\"C3\"],[\"W\",\"B2\"]],\"rules\":\"chinese\",\"boardXSize\":5,\"boardYSize\":4",
    "{\"id\":\"b\",\"action\":\"terminate\",\"terminateId\":\"a\"",
    "{\"id\":\"c\",\"action\":\"query_models\"",
    "}\n",
    ",",
    ",\"initialStones\":[[\"B\",\"A1\"],[\"W\",\"(0,1)\"]]",
    ",\"initialPlayer\":\"W\"",
    ",\"rules\":{\"ko\":\"SITUATIONAL\",\"suicide\":true,\"tax\":\"ALL\",\"scoring\":\"TERRITORY\"}",
    ",\"komi\":-399.5",
    ",\"whiteHandicapBonus\":\"N-1\"",
    ",\"analyzeTurns\":[0,1,2]",
    ",\"maxVisits\":3",
    ",\"analysisPVLen\":1",
    ",\"includeOwnership\":true",
    ",\"includePolicy\":true",
    ",\"includePVVisits\":true",
    ",\"avoidMoves\":[{\"player\":\"B\",\"moves\":[\"A1\",\"pass\"],\"untilDepth\":3}]",
    ",\"allowMoves\":[{\"player\":\"W\",\"moves\":[\"E4\"],\"untilDepth\":1}]",
    ",\"overrideSettings\":{\"maxTime\":0.001,\"numSearchThreads\":2,\"UctExploration\":0.5}",
    ",\"reportDuringSearchEvery\":0.001",
    ",\"firstReportDuringSearchAfter\":0",
    ",\"priority\":-5",
    ",\"priorities\":[1,2,3]",
    ",\"turnNumbers\":[1]",
    ",\"unknown\":null",
    ",\"moves\":[",
    "[\"B\",\"pass\"]",
    "\"\\ud800\"",
    "1e999",
    "9223372036854775808",
    "[[[[",
    "\u{3042}",
];

/// Each line is a query; bytes from 0x80 on are replaced by [`PIECES`].
pub fn run(data: &[u8]) {
    let mut input = Vec::new();
    for &byte in data {
        match byte.checked_sub(0x80) {
            None => input.push(byte),
            Some(number) => input.extend(PIECES[usize::from(number) % PIECES.len()].as_bytes()),
        }
    }
    input.extend(b"\n{\"id\":\"end\",\"action\":\"terminate_all\"}\n");
    let mut output = Vec::new();
    let config = AnalysisConfig::new(Options { max_playouts: 50, seed: 1, ..Options::default() });
    serve(&config, Cursor::new(input), &mut output).unwrap();
    let mut has_ended = false;
    for line in String::from_utf8(output).unwrap().lines() {
        let Ok(Value::Object(answer)) = serde_json::from_str(line) else { panic!("{line}") };
        has_ended |= answer.get("id").is_some_and(|id| id == "end");
        assert!(answer.contains_key("id") || answer.contains_key("error"), "{line}");
        assert!(answer.get("error").is_none_or(|error| error != "internal error"), "{line}");
    }
    assert!(has_ended);
}

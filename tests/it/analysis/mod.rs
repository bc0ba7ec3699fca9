//! KataGo's analysis protocol, by subject: queries, responses, errors, the server, its fields, and KataGo beside it.

mod errors;
mod fields;
mod katago;
mod queries;
mod responses;
mod serving;

use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use kifuwarabe_uec14::analysis::{AnalysisConfig, serve};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::player::Options;
use serde_json::{Value, json};

fn engine() -> AnalysisConfig {
    AnalysisConfig::new(Options { seed: 7, max_visits: 40, ..Options::default() })
}

/// The engine with a net of KataGo in its format 16, of a few channels and random weights.
fn engine_with_katago_net() -> AnalysisConfig {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/katago_tiny_16.txt.gz");
    let net = Net::read(&std::fs::read(file).unwrap(), InstructionSet::best()).unwrap();
    let mut engine = engine();
    engine.net = Some(("tiny".to_owned(), Arc::new(net)));
    engine
}

/// The responses to these lines, in order.
fn ask(engine: &AnalysisConfig, lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    serve_input(engine, Cursor::new(input))
}

fn serve_input(engine: &AnalysisConfig, input: impl io::Read + Send + 'static) -> Vec<Value> {
    let mut output = Vec::new();
    serve(engine, BufReader::new(input), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The only response to a query.
fn ask_one(engine: &AnalysisConfig, query: Value) -> Value {
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
    fn start(engine: AnalysisConfig) -> Client {
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

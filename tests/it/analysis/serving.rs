//! The server: actions, exactly one final response to each requested position, the bound of what waits, and the end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Cursor, Read, Write};
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kifuwarabe_uec14::analysis::{READY, serve};
use serde_json::{Value, json};

use super::{Client, ENDLESS, ask, ask_one, engine, query, serve_input, terminate};
use crate::engine::{Folder, Running};

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

/// An output whose first write panics.
struct PanickingOutput;

impl Write for PanickingOutput {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("an output that panics")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_panic_of_the_listening_thread_ends_the_server() {
    let (sender, ended) = mpsc::channel();
    let (queries, mut input) = io::pipe().unwrap();
    thread::spawn(move || {
        let outcome = catch_unwind(|| serve(&engine(), BufReader::new(queries), PanickingOutput));
        sender.send(outcome.is_err()).unwrap();
    });
    // the thread that reads this line writes its answer
    input.write_all(b"no JSON\n").unwrap();
    assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(true));
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
    let model = "[kifuwarabe-uec14] -model some model.bin.gz is not loaded; --set Net.File=some model.bin.gz loads it";
    let ignored = "[kifuwarabe-uec14] ignored: some.cfg; homeDataDir";
    assert_eq!(stderr.lines().collect::<Vec<_>>(), [model, ignored, &ready]);

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

    // as Lizzie starts it
    let settings = "logDir=x, maxVisits=5,numSearchThreads=2";
    let lizzie = ["gtp", "-model", "m", "-override-config", settings];
    let output = folder.run(&lizzie, b"kata-get-param maxVisits\nkata-get-param Threads\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "= 5\n\n= 2\n\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected =
        ["[kifuwarabe-uec14] -model m is not loaded; --set Net.File=m loads it", "[kifuwarabe-uec14] ignored: logDir"];
    assert_eq!(stderr.lines().collect::<Vec<_>>(), expected);
    for (setting, expected) in [
        ("maxTime=x", "maxTime=x (expected more than 0; 100000000000000000000 or more means no limit)"),
        ("x", "x (expected NAME=VALUE)\n"),
    ] {
        let output = folder.run(&["gtp", "-override-config", setting], b"name\n");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(stderr.starts_with(&format!("[kifuwarabe-uec14] ignored: {expected}")), "{stderr}");
        assert_eq!(output.stdout, b"= Kifuwarabe UEC14\n\n");
    }

    let wrong = folder.run(&["analysis", "-override-config", "maxTime=x"], b"");
    assert_eq!(wrong.status.code(), Some(2));
    let text = "kifuwarabe-uec14: --override-config: maxTime=x: expected a number of seconds above 0\n";
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
fn positions_beyond_the_bound_of_the_queue_are_refused() {
    let moves = json!([["B", "B2"], ["W", "D4"], ["B", "C3"]]);
    let turns = |id: &str, turns: Value| query(id, json!({ "moves": moves, "analyzeTurns": turns, "maxVisits": 2 }));
    let mut engine = engine();
    engine.queue_limits.positions = 4;
    let mut client = Client::start(engine);
    client.send(&query("busy", json!({ "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.001 })));
    assert_eq!(client.receive()["isDuringSearch"], true);
    client.send(&turns("a", json!([0, 1, 2])));
    client.send(&turns("b", json!([2, 3])));
    let text = "queue full: 3 positions waiting, 2 more requested, at most 4 allowed";
    assert_eq!(client.receive(), json!({ "id": "b", "field": "analyzeTurns", "error": text }));
    client.send(&turns("c", json!([3])));
    client.send(&terminate("a"));
    (0..3).for_each(|_| assert_eq!(client.receive()["noResults"], true));
    assert_eq!(client.receive(), terminate("a"));
    client.send(&turns("d", json!([0, 1, 2])));
    client.send(&terminate("busy"));
    let rest = client.finish();
    let done =
        |id: &str| rest.iter().filter(|response| response["id"] == id && response.get("rootInfo").is_some()).count();
    assert_eq!([done("a"), done("b"), done("c"), done("d")], [0, 0, 1, 3]);
}

#[test]
fn lines_beyond_the_bound_of_the_queue_are_refused() {
    let mut engine = engine();
    engine.queue_limits.bytes = 1000;
    let long = |id: &str| query(id, json!({ "moves": vec![json!(["B", "pass"]); 60], "maxVisits": 1 }));
    let mut client = Client::start(engine);
    client.send(&query("busy", json!({ "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.001 })));
    client.receive();
    client.send(&long("a"));
    client.send(&long("b"));
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["field"]), (&json!("b"), &json!("analyzeTurns")));
    let text = refused["error"].as_str().unwrap();
    assert!(text.ends_with(", at most 1000 allowed") && text.contains("bytes of queries"), "{text}");
    client.send(&terminate("busy"));
    assert!(client.finish().iter().any(|response| response["id"] == "a" && response.get("rootInfo").is_some()));
}

/// A client that sends more than the engine parses, here because nothing takes its answers, has to wait.
#[test]
fn lines_are_not_read_far_ahead() {
    const LINES: usize = 100_000;
    /// A source of wrong queries that counts them.
    struct Source(Arc<AtomicUsize>);
    impl Read for Source {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            if self.0.fetch_add(1, Ordering::Relaxed) >= LINES {
                return Ok(0);
            }
            to[..2].copy_from_slice(b"x\n");
            Ok(2)
        }
    }
    /// A sink that takes nothing until the test permits it.
    struct Blocked(Arc<AtomicUsize>, Duration);
    impl Write for Blocked {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.1.is_zero() {
                thread::sleep(self.1);
                assert!(self.0.load(Ordering::Relaxed) < 200, "{} lines were read", self.0.load(Ordering::Relaxed));
                self.1 = Duration::ZERO;
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let read = Arc::new(AtomicUsize::new(0));
    let source = BufReader::new(Source(read.clone()));
    serve(&engine(), source, Blocked(read.clone(), Duration::from_millis(300))).unwrap();
    assert!(read.load(Ordering::Relaxed) > LINES, "all lines are read in the end");
}

//! The engine's behaviour when something fails: a disk, a folder, a stream, a clock, the creation of threads, an
//! allocation, or a command. The limits are set by tools of Linux; a test that cannot set one prints SKIPPED.
#![cfg(target_os = "linux")]

mod clocks;
mod streams;

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kifuwarabe_uec14::config::EngineConfig;
use kifuwarabe_uec14::logging::{self, ConsoleContext, InputSource};
use kifuwarabe_uec14::player::{Player, SearchTrace};
use kifuwarabe_uec14::replay::SessionStart;
use serde_json::{Map, Value};

use crate::engine::{
    Folder, JSON_LOG, MAX_WAIT, PLAIN_LOG, Running, answers, engine, file_names, memory, place_program, set_arguments,
};
use crate::support::{is_installed, skipped};

/// The program under a limit of `prlimit`; `None` without that tool. All threads share one malloc arena: for a further
/// one glibc may reserve, depending on alignment, 64 MiB of address space more than it uses, which count against the
/// limit.
fn limited(program: &Path, limit: &str) -> Option<Command> {
    is_installed("prlimit").then(|| {
        let mut command = Command::new("prlimit");
        command.env("MALLOC_ARENA_MAX", "1").arg(limit).arg("--").arg(program);
        command
    })
}

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_kifuwarabe-uec14").into()
}

fn in_folder(mut command: Command, folder: &Folder, settings: &[&str]) -> Command {
    command.current_dir(folder.path()).args(set_arguments(settings));
    command
}

/// The valid lines of the JSON log, and the number of invalid ones.
fn events(folder: &Folder) -> (Vec<Map<String, Value>>, usize) {
    let text = String::from_utf8_lossy(&fs::read(folder.path().join(JSON_LOG)).unwrap()).into_owned();
    let lines: Vec<_> = text.lines().map(serde_json::from_str).collect();
    let torn = lines.iter().filter(|line| line.is_err()).count();
    (lines.into_iter().filter_map(Result::ok).collect(), torn)
}

#[test]
fn a_panicking_command_loses_only_its_answer() {
    let folder = Folder::new();
    let path = folder.path().display();
    let paths = [format!("Paths.PlainTextLog={path}/{PLAIN_LOG}"), format!("Paths.JsonLog={path}/{JSON_LOG}")];
    let others = ["Log.Console=off", "Net.Use=false", "Search.MaxPlayouts=20"].map(str::to_owned);
    let config = EngineConfig::built_in(&[&paths[..], &others].concat()).unwrap();
    let watch = ConsoleContext { stdin_is_terminal: false, stderr_is_terminal: false, input: InputSource::Stdin };
    let mut engine = engine();
    engine.player = Player::new(config.search);
    engine.player.trace = SearchTrace::recording();
    // the drawing of live graphics panics; no input makes a command panic
    engine.write_stderr = |_| panic!("planned");
    let test = thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match thread::current().id() == test {
        true => logging::log_panic(panic),
        false => before(panic),
    }));
    let script = "boardsize 9\nplay b D4\nplay w E5\nkata-set-param LiveGraphics true\n5 genmove b\n\
                  kata-set-param LiveGraphics false\n7 record\nplay b E6\nundo\n10 genmove b\n";
    let output = tracing::subscriber::with_default(logging::subscriber(&config, watch), || {
        SessionStart::of(&config, &engine).log();
        answers(&mut engine, script.as_bytes())
    });
    let answered: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(answered[4..7], ["?5 internal error", "= ", "=7 record:'[1]D4 [2]E5'"]);
    assert!(answered.len() == 10 && answered[9].starts_with("=10 ") && answered[9].len() > 4, "{answered:?}");
    engine.position.assert_consistent();
    assert_eq!(engine.position.record().len(), 3);

    let plain = folder.read(PLAIN_LOG);
    assert!(plain.contains("\terror: internal error place=tests/it/faults.rs:"), "{plain}");
    assert!(plain.contains("message_text=planned\nbacktrace:\n"), "{plain}");
    let commands = "commands:\nboardsize 9\nplay b D4\nplay w E5\nkata-set-param LiveGraphics true\n5 genmove b\n";
    assert!(plain.contains(commands), "{plain}");
    let (events, torn) = events(&folder);
    let errors: Vec<_> = events.iter().filter(|event| event["level"] == "error").collect();
    assert_eq!((errors.len(), torn), (2, 0));
    assert!(errors[0]["backtrace"].as_str().unwrap().contains("genmove"), "{:?}", errors[0]);
    assert!(errors[1]["commands"].as_str().unwrap().ends_with("\n5 genmove b"), "{:?}", errors[1]);

    // a replay does not repeat the partial effect of the failed command
    for (arguments, expected) in
        [(&[][..], "9 answers equal, 1 not compared, 0 with"), (&["--no-search"], "8 answers equal")]
    {
        let output = folder.run(&[&["replay", JSON_LOG], arguments].concat(), b"");
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && stdout.contains(expected), "{stdout}");
    }
}

#[test]
fn a_full_disk_stops_only_the_logs() {
    let Some(command) = limited(&program(), "--fsize=40000:unlimited") else {
        return skipped("no prlimit");
    };
    let folder = Folder::new();
    let mut engine = Running::start(in_folder(command, &folder, &["Net.Use=false", "Search.MaxPlayouts=10"]));
    assert_eq!(engine.ask("rendb_save small.json"), "=");
    let small = folder.read("small.json");
    for number in 1..=60 {
        let answer = engine.ask(&format!("{number} genmove {}", if number % 2 == 1 { "b" } else { "w" }));
        assert!(answer.starts_with(&format!("={number} ")), "{answer}");
        assert!(engine.ask("showboard").contains("to move"));
    }
    // a failed save leaves the old file
    let answer = engine.ask("rendb_save small.json");
    assert!(answer.starts_with("? error:cannot write ") && !answer.contains('\n'), "{answer}");
    assert_eq!(folder.read("small.json"), small);
    let lengths = [PLAIN_LOG, JSON_LOG].map(|log| fs::metadata(folder.path().join(log)).unwrap().len());
    assert_eq!(lengths, [40000; 2], "both logs are at the limit");
    // with space again the logs continue with whole lines
    let process = engine.child.id().to_string();
    let raised = Command::new("prlimit").args(["--pid", &process, "--fsize=unlimited:unlimited"]).status().unwrap();
    assert!(raised.success());
    assert_eq!(engine.ask("62 query_boardsize"), "=62 19");
    assert_eq!(engine.ask("quit"), "=");
    let (code, stderr) = engine.end();
    assert_eq!(code, Some(0));
    let warnings: Vec<&str> = stderr.lines().collect();
    assert!(warnings.len() == 2 && warnings.iter().all(|line| line.contains("warning: cannot write log ")), "{stderr}");
    let (events, torn) = events(&folder);
    assert!(torn <= 1);
    let last: Vec<_> = events.iter().rev().take(4).map(|event| event["msg"].as_str().unwrap()).collect();
    assert_eq!(last, ["ok", "input", "output", "input"]);
    assert!(folder.read(PLAIN_LOG).contains("\t=62 19\n"));
}

#[test]
fn removed_logs_are_created_again() {
    for rotation in ["never", "daily", "size"] {
        let folder = Folder::new();
        let settings = [
            "Paths.PlainTextLog=logs/a/plain.log",
            "Paths.JsonLog=logs/a/json.log",
            &format!("Log.Rotation={rotation}"),
        ];
        let mut engine = Running::start(in_folder(Command::new(program()), &folder, &settings));
        let logs = folder.path().join("logs");
        engine.ask("play b D4");
        fs::remove_dir_all(&logs).unwrap();
        assert_eq!(engine.ask("2 play w E5"), "=2");
        let files: Vec<PathBuf> = fs::read_dir(logs.join("a")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 2, "{rotation}: {files:?}");
        for file in files {
            let text = fs::read_to_string(file).unwrap();
            assert!(text.lines().count() == 2 && text.contains("2 play w E5"), "{rotation}: {text}");
        }
        // a folder that cannot be created again causes one warning per log
        fs::remove_dir_all(&logs).unwrap();
        fs::write(&logs, "in the way").unwrap();
        for number in 3..9 {
            assert_eq!(engine.ask(&format!("{number} name")), format!("={number} Kifuwarabe UEC14"));
        }
        let (code, stderr) = engine.end();
        assert_eq!(code, Some(0));
        let warnings = stderr.lines().filter(|line| line.contains("warning: cannot open log ")).count();
        assert_eq!((warnings, stderr.lines().count()), (2, 2), "{rotation}: {stderr}");
    }
}

/// The program in a folder of an unprivileged user, optionally under a limit; `None` if this process cannot start it as
/// such a user, or cannot set the limit.
fn as_unprivileged_user(folder: &Folder, limit: Option<&str>) -> Option<Command> {
    let copy = folder.path().join("engine");
    place_program(&copy);
    for path in [&copy, folder.path()] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    // a user ID without other processes, because limits on processes are per user
    let user = 1_000_000_000 + std::process::id();
    if is_root {
        chown(folder.path(), Some(user), Some(user)).ok()?;
    }
    let command = || {
        let mut command = limit.map_or_else(|| Some(Command::new(&copy)), |limit| limited(&copy, limit))?;
        if is_root {
            command.uid(user).gid(user);
        }
        Some(command)
    };
    let can_start = command()?.arg("--version").output().is_ok_and(|output| output.status.success());
    if can_start { command() } else { None }
}

#[test]
fn logs_grow_without_rotation_in_a_read_only_folder() {
    let folder = Folder::new();
    let Some(command) = as_unprivileged_user(&folder, None) else {
        return skipped("the program cannot be run as another user");
    };
    let mut engine = Running::start(in_folder(command, &folder, &["Log.Rotation=size", "Log.MaxMegabytes=1"]));
    assert_eq!(engine.ask("1 name"), "=1 Kifuwarabe UEC14");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    let long = "x".repeat(400_000);
    for number in 2..8 {
        assert_eq!(engine.ask(&format!("{number} name # {long}")), format!("={number} Kifuwarabe UEC14"));
    }
    assert!(engine.ask("rendb_save a.json").starts_with("? error:cannot write "));
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let (code, stderr) = engine.end();
    let warnings = stderr.lines().filter(|line| line.contains("warning: cannot rotate log ")).count();
    assert_eq!((code, warnings, stderr.lines().count()), (Some(0), 2, 2), "{stderr}");
    for log in [PLAIN_LOG, JSON_LOG] {
        let numbered = (0..).map_while(|number| {
            let name = if number == 0 { log.to_owned() } else { format!("{log}.{number}") };
            fs::read_to_string(folder.path().join(name)).ok()
        });
        let text: String = numbered.collect();
        for number in 1..8 {
            assert!(text.contains(&format!("{number} name")), "{log} lacks {number}");
        }
    }
}

#[test]
fn stalled_input_is_awaited_without_busy_waiting() {
    let folder = Folder::new();
    let mut engine =
        Running::start(in_folder(Command::new(program()), &folder, &["Search.Seconds=0.2", "Game.BoardSize=7"]));
    let write = |engine: &mut Running, text: &str| engine.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    engine.ask("name");
    let used = |engine: &mut Running| engine.ask("cputime")[2..].parse::<f64>().unwrap();
    let before = used(&mut engine);
    // half a line, a pause, then the rest together with half of the next line
    write(&mut engine, "12 quer");
    thread::sleep(Duration::from_millis(700));
    write(&mut engine, "y_boardsize\ngenmo");
    assert_eq!(engine.read_answer(), "=12 7");
    thread::sleep(Duration::from_millis(300));
    let waiting = processor_time(&engine);
    write(&mut engine, "ve b\n13 na");
    assert!(engine.read_answer().starts_with("= "), "a search ends although the next line is incomplete");
    write(&mut engine, "me\n");
    assert_eq!(engine.read_answer(), "=13 Kifuwarabe UEC14");
    assert!(waiting - before < 0.5, "{before} s, then {waiting} s");
    assert_eq!(engine.end().0, Some(0));
}

/// The processor time that the process has used, in seconds.
fn processor_time(engine: &Running) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", engine.child.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    // a clock tick is a hundredth of a second
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[test]
fn a_stalled_reader_receives_every_answer() {
    const COMMANDS: usize = 20_000;
    let folder = Folder::new();
    let settings = ["Net.Use=false", "Search.Threads=2", "Game.BoardSize=5"];
    let mut engine = Running::start(in_folder(Command::new(program()), &folder, &settings));
    let answer = engine.ask("list_commands");
    // in MiB: what the answers would take if they waited in the engine
    let all_answers = (answer.len() * COMMANDS) as f64 / f64::from(1 << 20);
    let before = memory(engine.child.id(), "VmRSS").unwrap();
    let mut stdin = engine.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        for number in 0..COMMANDS {
            // sometimes an analysis, which the next line ends
            let line = if number % 1000 == 500 { "kata-analyze 1" } else { "list_commands" };
            writeln!(stdin, "{number} {line}").unwrap();
        }
    });
    // the engine stalls: it no longer uses the processor
    let mut used = f64::NAN;
    while processor_time(&engine) != used {
        used = processor_time(&engine);
        thread::sleep(Duration::from_millis(700));
    }
    let stalled = memory(engine.child.id(), "VmRSS").unwrap();
    let mut next = 0;
    while next < COMMANDS {
        if let Some(number) = engine.read_line().strip_prefix('=') {
            assert_eq!(number.split_whitespace().next(), Some(next.to_string().as_str()));
            next += 1;
        }
    }
    writer.join().unwrap();
    assert_eq!(engine.end().0, Some(0));
    assert!(all_answers > 30.0, "{all_answers} MiB of answers are too few for this test");
    assert!(
        stalled < before + all_answers / 4.0,
        "{before} MiB before {all_answers} MiB of answers, then {stalled} MiB"
    );
}

#[test]
fn without_further_threads_the_main_thread_searches() {
    let folder = Folder::new();
    let Some(command) = as_unprivileged_user(&folder, Some("--nproc=1")) else {
        return skipped("no prlimit, or the program cannot be run as another user");
    };
    let settings = ["Search.Threads=4", "Search.MaxPlayouts=200", "Game.BoardSize=7", "Search.Ponder=true"];
    let mut engine = Running::start(in_folder(command, &folder, &settings));
    let answer = engine.ask("1 genmove b");
    assert!(answer.starts_with("=1 ") && answer.len() > 4, "{answer}");
    assert!(engine.ask("lz-analyze 10").starts_with("="));
    assert!(engine.ask("kata-genmove_analyze w 10").contains("play "));
    assert_eq!(engine.ask("4 name"), "=4 Kifuwarabe UEC14");
    let (code, stderr) = engine.end();
    assert_eq!((code, stderr.lines().count()), (Some(0), 2), "{stderr}");
    assert!(stderr.contains("warning: no thread to read ahead: "), "{stderr}");
    assert!(stderr.contains("warning: 1 of 4 threads searched: "), "{stderr}");
}

#[test]
fn with_little_memory_the_tree_shrinks_or_the_start_fails() {
    let Some(command) = limited(&program(), "--as=314572800") else { return skipped("no prlimit") };
    let folder = Folder::new();
    let settings = ["Search.MemoryMB=512", "Net.Use=false", "Search.MaxPlayouts=100", "Search.Threads=2"];
    let mut engine = Running::start(in_folder(command, &folder, &settings));
    let given: u64 = engine.ask("kata-get-param MemoryMB")[2..].parse().unwrap();
    assert!((16..300).contains(&given), "{given} MiB");
    for command in ["kata-set-param", "kifuwarabe-search_params"] {
        let most = granted(&engine.ask(&format!("{command} MemoryMB 4096")));
        assert!((given..300).contains(&most), "{command}: {most}");
    }
    assert!(engine.ask("genmove b").starts_with("= "));
    let (code, stderr) = engine.end();
    assert_eq!((code, stderr.lines().count()), (Some(0), 1), "{stderr}");
    let warning = format!("warning: Search.MemoryMB = 512: the system grants less, the search uses {given} MiB");
    assert!(stderr.contains(&warning), "{stderr}");

    let output = in_folder(limited(&program(), "--as=83886080").unwrap(), &folder, &settings).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    assert!(stderr.contains("not enough memory: at least 80 MiB are needed"), "{stderr}");
}

/// The MiB that the refusal of 4096 names.
fn granted(refusal: &str) -> u64 {
    let range = refusal.strip_prefix("? unexpected MemoryMB:4096, expected 16 to ").unwrap();
    range.strip_suffix(", as much as the system grants").unwrap().parse().unwrap()
}

#[test]
fn the_tree_can_shrink_and_grow_under_a_memory_limit() {
    let Some(command) = limited(&program(), "--as=125829120") else { return skipped("no prlimit") };
    let folder = Folder::new();
    let settings =
        ["Search.MemoryMB=512", "Net.Use=false", "Search.MaxPlayouts=4000", "Search.Threads=1", "Search.ExpandAfter=1"];
    let mut engine = Running::start(in_folder(command, &folder, &settings));
    let given: u64 = engine.ask("kata-get-param MemoryMB")[2..].parse().unwrap();
    assert!((30..60).contains(&given), "{given} MiB");
    // the tree uses nearly all of it
    assert!(engine.ask("genmove b").starts_with("= "));
    let most = granted(&engine.ask("kata-set-param MemoryMB 4096"));
    assert!((given..100).contains(&most), "{most}");
    for mib in [given, given - 1, 16] {
        assert_eq!(engine.ask(&format!("kata-set-param MemoryMB {mib}")), "=");
    }
    assert!(engine.ask("genmove w").starts_with("= "));
    // the memory of the present tree counts as available
    assert_eq!(engine.ask(&format!("kifuwarabe-search_params MemoryMB {}", given - 8)), "=");
    assert!(engine.ask("genmove b").starts_with("= "));
    let (code, stderr) = engine.end();
    assert_eq!((code, stderr.lines().count()), (Some(0), 1), "{stderr}");
}

#[test]
fn failed_allocations_do_not_end_a_search() {
    let Some(command) = limited(&program(), "--as=unlimited") else {
        return skipped("no prlimit");
    };
    let folder = Folder::new();
    let settings = ["Net.Use=false", "Search.MaxPlayouts=100", "Search.Threads=2", "Search.ExpandAfter=1"];
    let mut engine = Running::start(in_folder(command, &folder, &settings));
    assert!(engine.ask("genmove b").starts_with("= "));
    // limit the address space to its present size and 24 MiB more
    let process = engine.child.id();
    let limit = (memory(process, "VmSize").unwrap() as u64 + 24) << 20;
    let set = Command::new("prlimit").args(["--pid", &process.to_string(), &format!("--as={limit}")]).status();
    assert!(set.unwrap().success());
    assert_eq!(engine.ask("kata-set-param MaxPlayouts 6000"), "=");
    for color in ["w", "b"] {
        assert!(engine.ask(&format!("genmove {color}")).starts_with("= "));
        let peak = (memory(process, "VmPeak").unwrap() as u64) << 20;
        assert!(peak + (6 << 20) > limit, "{peak} of {limit} bytes: the limit was not reached");
    }
    assert_eq!(engine.end(), (Some(0), String::new()));
}

/// The output of a program that ends within [`MAX_WAIT`].
fn ends(mut command: Command, input: &str) -> (Option<i32>, String, String) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // fails if the program has ended already
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > MAX_WAIT {
            child.kill().unwrap();
            panic!("{command:?} waits: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn settings_of_queries_ask_for_no_more_memory_than_the_system_grants() {
    let Some(command) = limited(&program(), "--as=314572800") else { return skipped("no prlimit") };
    let folder = Folder::new();
    let mut command = in_folder(command, &folder, &["Net.Use=false"]);
    command.args(["analysis", "-analysis-threads", "1"]);
    let query = |id: &str, memory: u64| {
        let settings = format!("\"overrideSettings\":{{\"MemoryMB\":{memory}}}");
        format!(
            "{{\"id\":\"{id}\",\"moves\":[],\"boardXSize\":5,\"boardYSize\":5,\"rules\":\"aga\",\"maxVisits\":2,{settings}}}\n"
        )
    };
    let (code, stdout, stderr) =
        ends(command, &[query("fits", 32), query("large", 65536), query("small", 15)].concat());
    assert_eq!((code, stdout.lines().count()), (Some(0), 3), "{stdout}{stderr}");
    for line in stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let error = line["error"].as_str().unwrap_or_default();
        match line["id"].as_str().unwrap() {
            "fits" => assert_eq!(error, "", "{line}"),
            "large" => {
                let range = error.strip_prefix("unexpected 65536, expected MemoryMB to be 16 to ").unwrap();
                let granted: u64 = range.strip_suffix(", as much as the system grants").unwrap().parse().unwrap();
                assert!((16..300).contains(&granted), "{line}");
            }
            _ => assert_eq!(error, "unexpected 15, expected MemoryMB to be 16 to 65536"),
        }
    }
    // the configured memory is lowered, as it is for GTP
    let mut command = in_folder(limited(&program(), "--as=314572800").unwrap(), &folder, &["Search.MemoryMB=512"]);
    command.args(["--set", "Net.Use=false", "analysis"]);
    let (code, _, stderr) = ends(command, "");
    assert!(code == Some(0) && stderr.contains("Search.MemoryMB = 512: the system grants less, "), "{stderr}");
}

//! The process as a controller sees it: start, output streams, logs, exit codes.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, Running, place_program, terminate};

#[test]
fn end_of_input_exits_and_the_last_line_needs_no_line_feed() {
    let folder = Folder::new();
    for (input, answers) in [("", ""), ("name", "= Kifuwarabe UEC14\n\n"), ("quit\nname\n", "= \n\n")] {
        let output = folder.run(&[], input.as_bytes());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), answers);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_closed_stdout_ends_the_process() {
    let folder = Folder::new();
    let mut command = Command::new("sh");
    let script =
        r#"i=0; while [ $i -lt 2000 ]; do echo showboard; i=$((i+1)); done | { "$0"; echo "code $?" >&2; } | true"#;
    command.args(["-c", script, env!("CARGO_BIN_EXE_kifuwarabe-uec14")]).current_dir(folder.path());
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "code 0\n");
}

#[test]
fn sigterm_exits_with_code_0() {
    let folder = Folder::new();
    let mut engine = Running::start(folder.command(&[]));
    engine.ask("play black D4");
    terminate(&engine.child);
    let code = engine.child.wait().unwrap().code();
    assert_eq!((code, engine.end().1), (Some(0), String::new()));
}

#[test]
fn a_killed_engine_has_logged_every_answer() {
    for commands in 1..=12 {
        let folder = Folder::new();
        let mut engine = Running::start(folder.command(&[]));
        let mut answered = Vec::new();
        for number in 1..=commands {
            let command = format!("{number} play {} A{number}", if number % 2 == 0 { "white" } else { "black" });
            answered.push((command.clone(), engine.ask(&command)));
        }
        engine.child.kill().unwrap();
        engine.child.wait().unwrap();
        let (plain, json) = (folder.read(PLAIN_LOG), folder.read(JSON_LOG));
        // the JSON log begins with a record of the session
        assert_eq!((plain.lines().count(), json.lines().count()), (2 * commands, 2 * commands + 1));
        for (command, answer) in answered {
            assert!(plain.contains(&format!("\t# {command}\n")) && plain.contains(&format!("\t{answer}\n")), "{plain}");
            assert!(json.contains(&format!("\"msg\":\"input\",\"command\":\"{command}\"")), "{json}");
        }
        assert_eq!(json.matches("\"msg\":\"ok\"").count(), commands);
    }
}

#[test]
fn the_binary_runs_in_an_empty_folder() {
    // programs can be executed in the build folder; a temporary folder may be mounted noexec
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let binary = folder.path().join("engine");
    place_program(&binary);
    let mut engine = Running::start({
        let mut command = Command::new(&binary);
        command.current_dir(folder.path()).args(["--set", "Search.MemoryMB=64"]);
        command
    });
    assert_eq!(engine.ask("play black T19"), "=");
    assert_eq!(engine.end(), (Some(0), String::new()));
    assert!(folder.path().join(PLAIN_LOG).exists() && folder.path().join(JSON_LOG).exists());
}

#[test]
fn invalid_configuration_prints_one_line_and_exits_with_2() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("engine.toml"), "[Game]\nKomi = 6.5\nBoardSize = 99\n").unwrap();
    let output = folder.run(&[], b"name\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.stdout.len(), output.status.code(), stderr.lines().count()), (0, Some(2), 1), "{stderr}");
    for part in ["engine.toml:3:", "Game.BoardSize", "99"] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn options_and_debug_input_replace_configuration_and_stdin() {
    let folder = Folder::new();
    let input = "boardsize 9 # not changed\nplay black J9\nboard\n";
    std::fs::write(folder.path().join("debug.input.txt"), input).unwrap();
    let output = folder.run(&["--set", "Log.Console=off", "-d"], b"name\n");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains(".  9 +........x+") && !stdout.contains("Kifuwarabe"), "{stdout}");
    assert_eq!(folder.read("debug.input.txt"), input);

    let echoed = folder.run(&["-d"], b"");
    let stderr = String::from_utf8(echoed.stderr).unwrap();
    let rows: Vec<&str> = stderr.lines().map(|line| line.split_once("]\t").unwrap().1).collect();
    assert_eq!(rows, input.lines().map(|line| format!("# {line}")).collect::<Vec<_>>(), "{stderr}");
    assert!(stderr.lines().all(|line| line.starts_with("[20")), "{stderr}");

    std::fs::write(folder.path().join("errors.txt"), "echo_err hi\necho a -> b\n").unwrap();
    let errors = folder.run(&["--set", "Log.Console=full", "-d", "errors.txt"], b"");
    let stderr = String::from_utf8(errors.stderr).unwrap();
    assert!(stderr.lines().any(|line| line == "hi"), "{stderr}");
    // some programs read lines with an arrow as a game
    assert!(stderr.contains("a => b") && !stderr.contains("->"), "{stderr}");

    let missing = folder.run(&["-d", "nowhere.txt"], b"");
    assert_eq!((missing.stdout.len(), missing.status.code()), (0, Some(2)));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("nowhere.txt"));

    // a log grows with every line that is read from it
    for (log, key) in [(PLAIN_LOG, "PlainTextLog"), (JSON_LOG, "JsonLog")] {
        let refused = folder.run(&["-d", log], b"");
        let line = format!("kifuwarabe-uec14: --debug-input {log}: a log of this session, Paths.{key}\n");
        assert_eq!((refused.status.code(), String::from_utf8(refused.stderr).unwrap()), (Some(2), line));
    }

    let board = "++++\n+x.+\n+.o+\n++++\n";
    let output =
        folder.run(&["--set", "Game.BoardSize=2", "--set", &format!("Game.BoardData='''{board}'''")], b"board\n");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains(".  1 +x.+\n.  2 +.o+"), "{stdout}");
}

#[cfg(target_os = "linux")]
#[test]
fn errors_of_the_standard_streams_name_them() {
    let folder = Folder::new();
    for arguments in [&[][..], &["gtp"], &["analysis"], &["--help"], &["--print-config"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = folder.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        // fails if the program has ended
        let _ = child.stdin.take().unwrap().write_all(b"name\n");
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let line = "kifuwarabe-uec14: cannot write to standard output: No space left on device (os error 28)\n";
        assert!(output.status.code() == Some(2) && stderr.ends_with(line), "{arguments:?}: {stderr}");
    }
    let here = std::fs::File::open(folder.path()).unwrap();
    let output = folder.command(&[]).stdin(here).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let line = "kifuwarabe-uec14: cannot read standard input: Is a directory (os error 21)\n";
    assert!(output.status.code() == Some(2) && stderr.ends_with(line), "{stderr}");
}

#[test]
fn overrides_of_gtp_are_printed() {
    let folder = Folder::new();
    for arguments in
        ["--print-config gtp -override-config maxVisits=5", "gtp --print-config -override-config maxVisits=5"]
    {
        let output = folder.run(&arguments.split(' ').collect::<Vec<_>>(), b"");
        assert!(String::from_utf8(output.stdout).unwrap().contains("\nMaxVisits = 5\n"), "{arguments}");
    }
}

#[test]
fn an_unwritable_log_causes_one_warning() {
    let folder = Folder::new();
    let output = folder.run(&["--set", "Paths.PlainTextLog=data/board1.txt/x.log"], b"name\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "= Kifuwarabe UEC14\n\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with('[') && stderr.contains("warning") && stderr.lines().count() == 1, "{stderr}");
    assert_eq!(folder.read(JSON_LOG).lines().filter(|line| line.contains("\"msg\":\"input\"")).count(), 1);
}

#[test]
fn many_commands_in_one_write_are_answered_in_order() {
    let folder = Folder::new();
    let mut input = String::new();
    for id in 0..1000 {
        input += &format!("{id} test_y {}\r\n", id % 99);
    }
    let output = folder.run(&[], input.as_bytes());
    let expected: String = (0..1000).map(|id| format!("={id} {}\n\n", id % 99 + 1)).collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

/// Whether a character may change how the text around it is shown.
fn is_unsafe(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}'
}

#[test]
fn characters_that_change_the_text_around_them_reach_no_person() {
    let folder = Folder::new();
    // an 8-bit escape sequence (C1), and marks of bidirectional text
    let command = "play b \u{9b}31mD4 \u{202e}4D\u{2066}";
    let output = folder.run(&["--set", "Log.Console=full"], format!("{command}\n").as_bytes());
    let (stderr, plain, json) =
        (String::from_utf8(output.stderr).unwrap(), folder.read(PLAIN_LOG), folder.read(JSON_LOG));
    for (name, text) in [("stderr", &stderr), ("plain", &plain), ("json", &json)] {
        assert!(!text.contains(is_unsafe), "{name}: {text:?}");
    }
    for text in [&stderr, &plain] {
        assert!(text.contains("# play b \\u{9b}31mD4 \\u{202e}4D\\u{2066}\n"), "{text}");
    }
    // programs read the same command back
    let logged = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let commands: Vec<_> = logged.filter(|line| line["msg"] == "input").map(|line| line["command"].clone()).collect();
    assert_eq!(commands, [command]);
    assert_eq!(folder.run(&["replay", JSON_LOG], b"").status.code(), Some(0));

    // errors quote arguments, and a game at the terminal what was typed
    for arguments in
        [&["\u{9b}31m"][..], &["--set", "\u{9b}=1"], &["-f", "\u{9b}\u{202e}"], &["play", "--rules", "\u{9b}"]]
    {
        let output = folder.run(arguments, b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && stderr.contains("\\u{9b}"), "{arguments:?}: {stderr:?}");
        assert!(!stderr.contains(is_unsafe), "{arguments:?}: {stderr:?}");
    }
    let output = folder.run(&["play", "--size", "5"], "\u{9b}31m\n".as_bytes());
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("unexpected \\u{9b}31m, ") && !stdout.contains(is_unsafe), "{stdout:?}");
}

#[cfg(unix)]
#[test]
fn two_logs_in_one_file_are_refused_whatever_the_path() {
    use std::os::unix::fs::symlink;
    let refused = |prepare: &dyn Fn(&std::path::Path), plain: &str, json: &str| {
        let folder = Folder::new();
        prepare(folder.path());
        let logs = [format!("Paths.PlainTextLog={plain}"), format!("Paths.JsonLog={json}")];
        let output = folder.run(&["--set", &logs[0], "--set", &logs[1]], b"name\n");
        let stderr = String::from_utf8(output.stderr).unwrap();
        let is_refused = output.status.code() == Some(2) && stderr.contains("the same file as Paths.PlainTextLog");
        assert!(is_refused || (output.status.success() && stderr.is_empty()), "{stderr}");
        is_refused
    };
    let write = |folder: &std::path::Path| std::fs::write(folder.join("a.log"), "").unwrap();
    assert!(refused(&|_| {}, "a.log", "./a.log"));
    assert!(refused(
        &|folder| {
            write(folder);
            symlink("a.log", folder.join("b.log")).unwrap()
        },
        "a.log",
        "b.log"
    ));
    assert!(refused(
        &|folder| {
            write(folder);
            std::fs::hard_link(folder.join("a.log"), folder.join("b.log")).unwrap()
        },
        "b.log",
        "a.log"
    ));
    // of a file that does not exist yet
    assert!(refused(&|folder| symlink("a.log", folder.join("b.log")).unwrap(), "a.log", "b.log"));
    assert!(refused(&|folder| symlink("data", folder.join("link")).unwrap(), "data/new/a.log", "link/new/a.log"));
    // through folders that do not exist yet
    assert!(refused(&|_| {}, "a.log", "new/../a.log"));
    assert!(refused(&|_| {}, "old/../new/a.log", "new/a.log"));
    assert!(refused(&|folder| symlink("new", folder.join("link")).unwrap(), "new/a.log", "link/a.log"));
    assert!(!refused(&|_| {}, "a.log", "new/../b.log"));
    assert!(!refused(
        &|folder| {
            write(folder);
            symlink("a.log", folder.join("b.log")).unwrap()
        },
        "b.log",
        "c.log"
    ));
    assert!(!refused(&|_| {}, "/dev/null", "/dev/null"));
}

/// All notes on rules that differ from those that bear their name are the same.
#[test]
fn rules_without_an_exact_set_are_told_wherever_they_are_chosen() {
    let note = "nearest rules to Ing's: positional superko for its ko rule, area for its counting of stones";
    let folder = Folder::new();
    let ing = ["--set", "Game.Rules=ing", "--set", "Game.BoardSize=5"];
    let run = |arguments: &[&str], input: &str| {
        let output = folder.run(&[&ing, arguments].concat(), input.as_bytes());
        assert!(output.status.success(), "{output:?}");
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let warning = format!("warning: Game.Rules = ing: {note}\n");
    assert!(run(&[], "name\n").1.ends_with(&warning) && folder.read(PLAIN_LOG).contains(&warning));
    for arguments in [&["eval"][..], &["analysis"]] {
        assert!(
            run(arguments, "").1.contains(&format!("[kifuwarabe-uec14] Game.Rules = ing: {note}\n")),
            "{arguments:?}"
        );
    }
    let (stdout, stderr) = run(&["play"], "");
    assert_eq!((stdout.matches(note).count(), stderr.as_str()), (1, ""), "{stdout}");
    let (stdout, _) = run(&["play", "--rules", "chinese"], "");
    assert!(!stdout.contains(note), "{stdout}");
    let output = folder.run(&["play", "--size", "5", "--rules", "Goe"], b"");
    assert!(String::from_utf8(output.stdout).unwrap().contains(note));

    let commands = "kata-set-rules ing\nkgs-rules ing\nkifuwarabe-rule_params Rules ing\nkgs-rules aga\n";
    let output = folder.run(&[], commands.as_bytes());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("= {note}\n\n").repeat(3) + "= \n\n");
}

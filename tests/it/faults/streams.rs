//! Streams that cannot be written, and pipes in place of files.

use super::*;

/// Runs a shell script in the folder with the program as `$0`; gives the exit code, stdout and stderr.
fn shell(folder: &Folder, script: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new("sh");
    let output = command.args(["-c", script]).arg(program()).current_dir(folder.path()).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), stdout, stderr)
}

#[test]
fn an_unwritable_stderr_does_not_change_exit_codes() {
    let folder = Folder::new();
    assert_eq!(shell(&folder, "printf 'play b D4\\n' | \"$0\" 2>/dev/full"), (Some(0), "= \n\n".into(), String::new()));
    for (script, code, stdout) in [
        ("\"$0\" -f nofile 2>/dev/full", 2, ""),
        ("\"$0\" analysis -override-config nonsense=1 2>/dev/full </dev/null", 0, ""),
        (&format!("echo record | \"$0\" replay {JSON_LOG} --until end 2>/dev/full"), 0, "= record:'[1]D4'\n\n"),
    ] {
        assert_eq!(shell(&folder, script), (Some(code), stdout.into(), String::new()), "{script}");
    }
}

#[test]
fn failed_writes_are_errors_of_every_subcommand() {
    let folder = Folder::new();
    let (code, ..) = shell(&folder, "printf 'play b D4\\nprintsgf a.sgf\\n' | \"$0\"");
    assert_eq!(code, Some(0));
    let selfplay = "selfplay --visits 2 --size 9 --games 9 --out games.jsonl";
    let log2sgf = format!("log2sgf {JSON_LOG} --output b.sgf");
    let report = "report a.sgf --visits 2 --output a.html";
    for (subcommand, expected) in [
        (selfplay, "kifuwarabe-uec14: --out games.jsonl: game 0 cannot be written: "),
        (&log2sgf, "kifuwarabe-uec14: cannot write "),
        (report, "kifuwarabe-uec14: --output: cannot write "),
    ] {
        let (code, stdout, stderr) =
            shell(&folder, &format!("ulimit -f 0; exec \"$0\" --set Net.Use=false {subcommand}"));
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (Some(2), "", 1), "{subcommand}: {stderr}");
        assert!(stderr.starts_with(expected), "{subcommand}: {stderr}");
    }
}

fn make_pipe(folder: &Folder) -> PathBuf {
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused_without_waiting() {
    let folder = Folder::new();
    let pipe = make_pipe(&folder).display().to_string();
    let expected = format!("{pipe}: not a regular file, expected one");
    for arguments in [
        &["replay", &pipe][..],
        &["log2sgf", &pipe],
        &["--score", &pipe],
        &["report", &pipe, "-o", "page.html"],
        &["--set", &format!("Net.File={pipe}")],
    ] {
        let (code, stdout, stderr) = ends(folder.command(arguments), "");
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (Some(2), "", 1), "{arguments:?} {stderr}");
        assert!(stderr.contains(&expected), "{arguments:?} {stderr}");
    }
    // a configuration may come from a pipe, as of a shell's `<(...)`
    let (code, stdout, stderr) = ends(folder.command(&["-f", "/dev/stdin", "--print-config"]), "[Game]\nKomi = 3.5\n");
    assert!(code == Some(0) && stdout.contains("Komi = 3.5"), "{stdout}{stderr}");
    let selfplay = ["selfplay", "--games", "1", "--size", "5", "--visits", "1", "--out", &pipe, "--resume"];
    let (code, _, stderr) = ends(folder.command(&selfplay), "");
    assert!(code == Some(2) && stderr.contains("not a regular file"), "{stderr}");
    // the last one is a regular file that has no end: reading it waits for messages of the system
    let input =
        format!("loadsgf {pipe}\nboard_set file {pipe}\nrendb_load {pipe}\nprintsgf {pipe}\nloadsgf /proc/kmsg\n");
    let (code, stdout, _) = ends(folder.command(&[]), &input);
    assert_eq!((code, stdout.matches("? ").count()), (Some(0), 5), "{stdout}");
    assert_eq!(stdout.matches("not a regular file, expected one").count(), 3, "{stdout}");
    assert_eq!(stdout.matches("? cannot load file\n").count(), 2, "{stdout}");
}

#[test]
fn a_log_that_is_a_pipe_does_not_await_its_reader() {
    let folder = Folder::new();
    let pipe = make_pipe(&folder);
    for rotation in ["size", "never"] {
        let settings = [format!("Paths.PlainTextLog={}", pipe.display()), format!("Log.Rotation={rotation}")];
        let arguments = ["--set", &settings[0], "--set", &settings[1]];
        let (code, stdout, stderr) = ends(folder.command(&arguments), "name\n");
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (Some(0), "= Kifuwarabe UEC14\n\n", 1), "{stderr}");
        let warning = format!("cannot open log {}: a pipe that no program reads, expected a file", pipe.display());
        assert!(stderr.contains(&warning), "{stderr}");
        // with a reader, every line arrives, even if the pipe is full in between
        let mut reader = Command::new("sh");
        reader.args(["-c", "sleep 1; grep -c version", "sh"]).stdout(Stdio::piped());
        let open = pipe.clone();
        let opened = thread::spawn(move || fs::File::open(open).unwrap());
        let commands = "version\n".repeat(2000);
        // the reader's end opens as soon as the engine opens its own, or before
        let held = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        let input = opened.join().unwrap();
        let reader = reader.stdin(input).spawn().unwrap();
        let (code, _, stderr) = ends(folder.command(&arguments), &commands);
        drop(held);
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert_eq!(String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap(), "2000\n");
    }
}

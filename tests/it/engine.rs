//! The engine under test: the binary in a temporary folder, or the command loop inside the test process.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use kifuwarabe_uec14::gtp::{Audience, Engine, serve};
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use kifuwarabe_uec14::protocol::line::StreamLines;

/// An upper bound for waits, generous because other tests may load the machine.
pub const MAX_WAIT: Duration = Duration::from_secs(20);

pub const PLAIN_LOG: &str = "kifuwarabe-uec14.log";
pub const JSON_LOG: &str = "kifuwarabe-uec14-json.log";

/// A temporary working directory with the files in `data/`: links to the nets, which are large and which no test changes,
/// and copies of the others. Its `engine.toml` limits the tree to 64 MiB: if
/// the system grants less than the default size, the engine warns on stderr, which many tests expect to be empty.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        for file in std::fs::read_dir(repository().join("data")).unwrap() {
            let file = file.unwrap().path();
            let at = data.join(file.file_name().unwrap());
            if file.extension().is_some_and(|extension| extension == "safetensors") {
                link_or_copy(&file, &at);
            } else if file.is_file() {
                std::fs::copy(&file, at).unwrap();
            }
        }
        std::fs::write(folder.path().join("engine.toml"), "[Search]\nMemoryMB = 64\n").unwrap();
        Folder(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Starts the engine, writes all input at once, and waits for the exit.
    pub fn run(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // fails if the engine has quit before reading all input
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }
}

/// An engine process that answers one command at a time.
pub struct Running {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    pub fn start(mut command: Command) -> Running {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Running { child, stdin, stdout }
    }

    /// Sends a command and reads its answer, without the terminating empty line.
    pub fn ask(&mut self, command: &str) -> String {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{command}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
        self.read_answer()
    }

    /// The next answer, without the terminating empty line.
    pub fn read_answer(&mut self) -> String {
        let mut answer = String::new();
        loop {
            let line = self.read_line();
            if line == "\n" {
                return answer.trim_end().to_owned();
            }
            answer.push_str(&line);
        }
    }

    /// The next line, with its line feed.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the engine has exited");
        line
    }

    /// Closes stdin and waits for the exit; gives the exit code and the content of stderr.
    pub fn end(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stderr)
    }
}

/// Places a file at another path as a hard link, or as a copy where links are impossible.
fn link_or_copy(file: &Path, at: &Path) {
    std::fs::hard_link(file, at).or_else(|_| std::fs::copy(file, at).map(drop)).unwrap();
}

/// Places the program at this path, as a link where possible. A fresh copy may fail to start: while another test forks,
/// the child still holds the copy open for writing.
pub fn place_program(at: &Path) {
    link_or_copy(Path::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14")), at);
}

/// A memory figure of `/proc/PID/status` in MiB, such as `VmRSS`; `None` for a process that has ended, and on other systems
/// than Linux.
pub fn memory(process: u32, key: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let figure = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(figure.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

/// Sends SIGTERM by the shell's own `kill`; not every machine has a program of that name.
#[cfg(unix)]
pub fn terminate(process: &Child) {
    let status = Command::new("sh").args(["-c", "kill -TERM \"$0\"", &process.id().to_string()]).status().unwrap();
    assert!(status.success());
}

pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The scripts of GTP commands, `NAME.gtp`, in a folder of the repository.
pub fn gtp_scripts(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(repository().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "gtp")).collect()
}

/// The arguments `--set KEY=VALUE` for these settings.
pub fn set_arguments<'a>(settings: &[&'a str]) -> Vec<&'a str> {
    settings.iter().flat_map(|setting| ["--set", *setting]).collect()
}

/// Starts the engine in a folder with these settings.
pub fn start(folder: &Folder, set: &[&str]) -> Running {
    Running::start(folder.command(&set_arguments(set)))
}

/// The names of a folder's entries, sorted.
pub fn file_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An engine with the built-in configuration, a komi of 6.5 on 19x19, and 20 playouts per move.
pub fn engine() -> Engine {
    engine_with(19, GameRule::with_komi(6.5), 20)
}

/// An engine on an empty square board with these rules and this number of playouts per move.
pub fn engine_with(side: u8, rule: GameRule, playouts: u64) -> Engine {
    let coordinate = Coordinate::square(side).unwrap();
    let mut engine = Engine::new(Position::new(coordinate, rule, 722, Color::Black));
    engine.player.options.max_playouts = playouts;
    engine
}

/// The output of the command loop for this input.
pub fn answers(engine: &mut Engine, input: &[u8]) -> String {
    let mut output = Vec::new();
    serve(engine, &mut StreamLines::new(input), &mut output, Audience::Program).unwrap();
    String::from_utf8(output).unwrap()
}

/// The answer to one command, without the terminating empty line.
#[track_caller]
pub fn answer(engine: &mut Engine, command: &str) -> String {
    let answer = answers(engine, format!("{command}\n").as_bytes());
    answer.strip_suffix("\n\n").unwrap_or_else(|| panic!("{command}: {answer}")).to_owned()
}

/// The text of the answer to a command that must succeed.
#[track_caller]
pub fn ask(engine: &mut Engine, command: &str) -> String {
    let answer = answer(engine, command);
    answer.strip_prefix("= ").unwrap_or_else(|| panic!("{command}: {answer}")).to_owned()
}

/// Sets up a 5x5 board on which Black owns the files A to C, and White D and E.
#[track_caller]
pub fn set_up_divided_board(engine: &mut Engine) {
    let stones = "b A1 b B2 b C1 b C2 b C3 b B4 b C5 b C4 b A4 w D1 w D2 w D3 w D4 w D5 w E2 w E4";
    assert_eq!(ask(engine, &format!("set_position {stones}")), "");
}

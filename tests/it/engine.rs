//! The engine as its users start it: the binary in a folder of its own, or the command loop between two strings.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use kifuwarabe_uec14::gtp::{Audience, Engine, serve};
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use kifuwarabe_uec14::protocol::line::StreamLines;

pub const PLAIN_LOG: &str = "kifuwarabe-uec14.log";
pub const JSON_LOG: &str = "kifuwarabe-uec14-json.log";

/// A working directory that holds the data files of the repository and vanishes with the test. Its engines ask for little
/// memory: a machine that grants less than the default is warned of it on stderr.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        for file in std::fs::read_dir(repository().join("data")).unwrap() {
            let file = file.unwrap().path();
            if file.is_file() {
                std::fs::copy(&file, data.join(file.file_name().unwrap())).unwrap();
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

    /// Starts the engine, writes all input at once, and waits for its end.
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
            // an engine that has quit reads no more
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

/// An engine that runs beside the test and is asked one command at a time.
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

    /// The answer to a command, its empty line left out.
    pub fn ask(&mut self, command: &str) -> String {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{command}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
        self.hear()
    }

    /// The next answer, its empty line left out.
    pub fn hear(&mut self) -> String {
        let mut answer = String::new();
        loop {
            let line = self.hear_line();
            if line == "\n" {
                return answer.trim_end().to_owned();
            }
            answer.push_str(&line);
        }
    }

    /// The next line, with its line feed.
    pub fn hear_line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the engine has ended");
        line
    }

    /// Waits for the end; gives the exit code and what stderr had.
    pub fn end(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stderr)
    }
}

/// Puts the program where a test wants it. A copy is made only where no link can be: one that is still open for writing
/// in a process that another test is starting cannot be run.
pub fn place_program(at: &Path) {
    let program = env!("CARGO_BIN_EXE_kifuwarabe-uec14");
    std::fs::hard_link(program, at).or_else(|_| std::fs::copy(program, at).map(drop)).unwrap();
}

/// Sends SIGTERM. The shell knows how; not every machine has a program for it.
#[cfg(unix)]
pub fn terminate(process: &Child) {
    let status = Command::new("sh").args(["-c", "kill -TERM \"$0\"", &process.id().to_string()]).status().unwrap();
    assert!(status.success());
}

pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// An engine as the embedded configuration starts it, but one that thinks no longer than a test can wait.
pub fn engine() -> Engine {
    let coordinate = Coordinate::square(19).unwrap();
    let mut engine = Engine::new(Position::new(coordinate, GameRule::with_komi(6.5), 722, Color::Black));
    engine.player.options.max_playouts = 20;
    engine
}

/// What the command loop writes for this input.
pub fn answers(engine: &mut Engine, input: &[u8]) -> String {
    let mut output = Vec::new();
    serve(engine, &mut StreamLines::new(input), &mut output, Audience::Program).unwrap();
    String::from_utf8(output).unwrap()
}

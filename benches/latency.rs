//! Times of the program as distributions: from start to the first answer, of an answer, from a stop to the end of an
//! analysis, and from `quit` to the exit: `cargo bench --bench latency`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    // `cargo bench` passes `--bench`; `cargo test` only checks that the program runs
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let (processes, commands) = if is_measured { (100, 20) } else { (2, 2) };
    let folder = tempfile::tempdir()?;
    let (mut starts, mut answers, mut stops, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..processes {
        let begun = Instant::now();
        let mut engine = Engine::start(folder.path())?;
        engine.ask("name")?;
        starts.push(begun.elapsed());
        for _ in 0..commands {
            let begun = Instant::now();
            engine.ask("showboard")?;
            answers.push(begun.elapsed());
            engine.send("kata-analyze 1")?;
            // the first lines of the analysis
            for _ in 0..3 {
                engine.line()?;
            }
            thread::sleep(Duration::from_millis(3));
            let begun = Instant::now();
            // an empty line stops the analysis, whose answer ends with one
            engine.send("")?;
            while engine.line()? != "\n" {}
            stops.push(begun.elapsed());
        }
        let begun = Instant::now();
        engine.ask("quit")?;
        engine.process.wait()?;
        ends.push(begun.elapsed());
    }
    println!("{:26} {:>6} {:>10} {:>10} {:>10} {:>10}", "", "times", "median", "95%", "99%", "longest");
    for (name, times) in
        [("start to first answer", starts), ("showboard", answers), ("stop of an analysis", stops), ("quit", ends)]
    {
        print(name, times);
    }
    Ok(())
}

/// One line of the table, in milliseconds.
fn print(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| {
        let index = ((times.len() - 1) as f64 * share).round() as usize;
        times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    };
    let [median, p95, p99, longest] = [0.5, 0.95, 0.99, 1.0].map(at);
    println!("{name:26} {:6} {median:7.2} ms {p95:7.2} ms {p99:7.2} ms {longest:7.2} ms", times.len());
}

/// A running engine.
struct Engine {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Engine {
    fn start(folder: &std::path::Path) -> std::io::Result<Engine> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
        let mut process = command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let closed = || std::io::Error::other("a stream of the program is closed");
        let stdin = process.stdin.take().ok_or_else(closed)?;
        let stdout = BufReader::new(process.stdout.take().ok_or_else(closed)?);
        Ok(Engine { process, stdin, stdout })
    }

    fn send(&mut self, command: &str) -> std::io::Result<()> {
        self.stdin.write_all(format!("{command}\n").as_bytes())?;
        self.stdin.flush()
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line)? {
            0 => Err(std::io::Error::other("the program has ended")),
            _ => Ok(line),
        }
    }

    /// Sends a command and reads its answer to the empty line.
    fn ask(&mut self, command: &str) -> std::io::Result<()> {
        self.send(command)?;
        while self.line()? != "\n" {}
        Ok(())
    }
}

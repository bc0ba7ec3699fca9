//! What the user typed: the command line as a type.
//!
//! It knows the options and their help. It does not know what is in a configuration file, nor what the engine does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::kernel::{Color, GameRule};
use crate::player::level::STRONGEST;
use crate::player::options::{self, MAX_SEED};

/// A computer-Go engine that speaks GTP on standard input and output
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(version)]
pub struct Cli {
    /// Read the configuration from FILE, not from engine.toml in the working directory or beside the program
    #[arg(short = 'f', long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,

    /// Read commands from FILE, not from standard input
    #[arg(
        short,
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "debug.input.txt",
        long_help = "Read commands from FILE, not from standard input; debug.input.txt where FILE is left out"
    )]
    pub debug_input: Option<PathBuf>,

    /// Override one key of the configuration, such as Game.BoardSize=9; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Refuse illegal moves with GTP's own text, not with the rule they break: Gtp.IllegalMove = "standard"
    #[arg(long)]
    pub strict_gtp: bool,

    /// Print the resulting configuration and where it comes from, then exit
    #[arg(long)]
    pub print_config: bool,

    /// Print the result and the dead stones of the game record in FILE, in SGF, then exit
    #[arg(long, value_name = "FILE", conflicts_with_all = ["debug_input", "print_config"])]
    pub score: Option<PathBuf>,

    /// Something else than to serve commands
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program does instead of serving commands.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub enum Command {
    /// Analyse positions for a program that asks in KataGo's analysis protocol, a query in JSON a line
    Analysis(Analysis),
    /// Measure playouts and searches on this machine, and print a signature of what they found
    Bench(Bench),
    /// Print what the net says of a position by itself, without any search
    Eval(Eval),
    /// Serve commands, as without a task; for programs that start KataGo
    Gtp(Gtp),
    /// Play a game against the engine at the terminal
    Play(Play),
    /// Write the games of a JSON log as game records, with what the engine thought of its moves
    Log2sgf(Log2sgf),
    /// Run a session again from its JSON log, and compare answer by answer
    Replay(Replay),
    /// Analyse a game record and write what was found as a page for a browser
    Report(Report),
    /// Play games of the engine against itself, and write them to a file
    Selfplay(Selfplay),
}

/// Analysis for a program that asks. What programs say that start KataGo is understood.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Analysis {
    /// Positions looked at side by side; one for every processor unless told
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub analysis_threads: Option<usize>,

    /// Settings that hold where a query says nothing, by KataGo's names: maxVisits=500,maxTime=8
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub override_config: Vec<String>,

    /// At the end of input, leave without answering what has been asked
    #[arg(long)]
    pub quit_without_waiting: bool,

    /// Files that KataGo takes.
    #[command(flatten)]
    pub katago: KataGo,
}

/// Commands served for a program that starts KataGo.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Gtp {
    /// Ignored, for programs that start KataGo: --set KEY=VALUE sets what is configured here
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub override_config: Vec<String>,

    /// Files that KataGo takes.
    #[command(flatten)]
    pub katago: KataGo,
}

/// Files that KataGo takes. What programs say that start it is understood.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct KataGo {
    /// Ignored, for programs that start KataGo: the net is named in engine.toml
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// Ignored likewise
    #[arg(long, value_name = "FILE")]
    pub human_model: Option<PathBuf>,

    /// Ignored likewise, unless it is an engine.toml: a file whose name ends in .toml. KataGo spells it -config
    #[arg(long, value_name = "FILE")]
    pub katago_config: Vec<PathBuf>,
}

impl KataGo {
    /// The files that are ignored, by name.
    pub fn ignored(&self) -> impl Iterator<Item = String> {
        let configs = self.katago_config.iter().filter(|file| !is_toml(file));
        self.model.iter().chain(&self.human_model).chain(configs).map(|file| file.display().to_string())
    }
}

impl Cli {
    /// Reads a command line. Long options that follow `analysis` or `gtp` may have one dash, as KataGo has them.
    ///
    /// # Errors
    /// What is wrong with it; or the help or the version, if that is asked for.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let definition = Cli::command();
        // were it global, clap would let what stands after the task take the place of what stands before it
        let set = definition.get_arguments().find(|argument| argument.get_id() == "set").cloned();
        let mut definition = definition.mut_subcommands(|request| request.args(set.clone()));
        let matches = definition.try_get_matches_from_mut(with_two_dashes(arguments))?;
        let mut cli = Cli::from_arg_matches(&matches)?;
        let Some((name, request)) = matches.subcommand() else { return Ok(cli) };
        cli.set.extend(request.get_many("set").into_iter().flatten().cloned());
        let serves = matches!(cli.command, Some(Command::Gtp(_)));
        // the configuration of a log is the log's
        let is_of_log = matches!(cli.command, Some(Command::Replay(_) | Command::Log2sgf(_)));
        for (option, is_unheeded) in [
            ("--score", cli.score.is_some()),
            ("--debug-input", cli.debug_input.is_some() && !serves),
            ("--strict-gtp", cli.strict_gtp && !serves),
            ("--print-config", cli.print_config && is_of_log),
        ] {
            if is_unheeded {
                let text = format!("the argument '{option}' cannot be used with '{name}'");
                return Err(definition.error(ErrorKind::ArgumentConflict, text));
            }
        }
        Ok(cli)
    }

    /// The configuration file that was named, be it to KataGo.
    pub fn config_file(&self) -> Option<&Path> {
        let named_to_katago = match &self.command {
            Some(Command::Analysis(Analysis { katago, .. }) | Command::Gtp(Gtp { katago, .. })) => Some(katago),
            _ => None,
        };
        let named_to_katago = named_to_katago.and_then(|katago| katago.katago_config.iter().find(|file| is_toml(file)));
        self.config.as_ref().or(named_to_katago).map(PathBuf::as_path)
    }
}

/// Whether a file can be the engine's own configuration.
pub fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "toml")
}

/// Long options of `analysis` and `gtp` as KataGo spells them, and as they are spelt here.
const KATAGO: [(&str, &str); 6] = [
    ("-analysis-threads", "--analysis-threads"),
    ("-override-config", "--override-config"),
    ("-quit-without-waiting", "--quit-without-waiting"),
    ("-model", "--model"),
    ("-human-model", "--human-model"),
    ("-config", "--katago-config"),
];

fn with_two_dashes(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut is_katagos = false;
    let spell = |argument: OsString| {
        is_katagos |= argument == "analysis" || argument == "gtp";
        match KATAGO.iter().find(|(theirs, _)| is_katagos && argument == *theirs) {
            Some((_, ours)) => OsString::from(ours),
            None => argument,
        }
    };
    arguments.into_iter().map(spell).collect()
}

/// What [`Replay::until`] is for the end of the session.
pub const END: usize = usize::MAX;

/// A session to run again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Replay {
    /// The JSON log; where it was rotated, its files, the oldest first
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Which session of the log, counted from 1; unless told, the last
    #[arg(long, value_name = "K", value_parser = session_number)]
    pub session: Option<usize>,

    /// Stop after the command of this number, or at the end, and go on with commands from standard input
    #[arg(long, value_name = "N|end", value_parser = until)]
    pub until: Option<usize>,

    /// Play the moves of the log in place of searching again: fast, and right where searches would differ
    #[arg(long)]
    pub no_search: bool,
}

/// A log whose games are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Log2sgf {
    /// The JSON log; where it was rotated, its files, the oldest first
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Which session of the log, counted from 1; unless told, all of them
    #[arg(long, value_name = "K", value_parser = session_number)]
    pub session: Option<usize>,

    /// Where to write the records; unless told, to standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Games of the engine against itself.
#[derive(Debug, Clone, PartialEq, Default, Args)]
pub struct Selfplay {
    /// Games that the file has at the end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,

    /// The file, new unless --resume is there: one object of JSON a line, added when a game has ended
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Points of a side of the board, 2 to 25; unless told, Game.BoardSize
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=25))]
    pub size: Option<u8>,

    /// Points added to White's score; unless told, Game.Komi
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = finite)]
    pub komi: Option<f64>,

    /// Playouts for a move; unless told, Search.MaxPlayouts, or 400 where that is 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,

    /// Games at once, one thread each; unless told, Search.Threads
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,

    /// Where chance starts from, 0 for anew; unless told, Search.Seed
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,

    /// After every move, compare what is kept of the game with the same found another way, and end where it differs
    #[arg(long)]
    pub check: bool,

    /// Continue the file, which must hold games played with the same net and settings; threads and memory may differ
    #[arg(long)]
    pub resume: bool,
}

/// What the net is asked about.
#[derive(Debug, Clone, PartialEq, Default, Args)]
pub struct Eval {
    /// Moves made before, as in "B Q16 W D4"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    pub moves: String,

    /// Who is to move; unless told, who moves after the last move
    #[arg(long, value_name = "COLOR")]
    pub color: Option<String>,

    /// Points of a side of an empty board, 2 to 25; unless told, Game.BoardSize and Game.BoardData
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=25))]
    pub size: Option<u8>,

    /// Points added to White's score; unless told, Game.Komi
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = finite)]
    pub komi: Option<f64>,

    /// Print one object of JSON and nothing else
    #[arg(long)]
    pub json: bool,

    /// Compare the net with the games in these tables of records that were held out of training
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["moves", "color", "komi", "json"])]
    pub records: Vec<PathBuf>,
}

/// A game against the engine. What is left out is configured.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct Play {
    /// Points of a side of the board, 2 to 25
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=25))]
    pub size: Option<u8>,

    /// Points added to White's score; 0.5 in a handicap game unless told
    #[arg(long, value_name = "POINTS", value_parser = finite, allow_negative_numbers = true)]
    pub komi: Option<f64>,

    /// The rules by their name, such as japanese
    #[arg(long, value_name = "NAME", value_parser = rules_name)]
    pub rules: Option<String>,

    /// Black stones to begin with, on their traditional points
    #[arg(long, value_name = "STONES")]
    pub handicap: Option<usize>,

    /// What you play: black or white
    #[arg(long, value_name = "COLOR", default_value = "black", value_parser = color)]
    pub color: Color,

    /// Seconds for each of the engine's moves
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,

    /// How strong the engine plays, from 1, a beginner, to 10, as well as it can
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=STRONGEST))]
    pub level: Option<u64>,
}

/// A report on a game record.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Report {
    /// The game record, in SGF
    pub record: PathBuf,

    /// Where to write the page
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Playouts for each position
    #[arg(long, value_name = "K", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: u64,

    /// Positions looked at side by side; one for every processor unless told
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
}

/// What is measured. All of it, where nothing is named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Bench {
    /// Measure light playouts
    #[arg(long)]
    pub light: bool,

    /// Measure heavy playouts
    #[arg(long)]
    pub heavy: bool,

    /// Measure searches
    #[arg(long)]
    pub search: bool,

    /// Measure the net, on every kind of instructions that the processor has
    #[arg(long)]
    pub net: bool,

    /// Solve tactical problems instead, with 100, 1000 and 10000 playouts for a move
    #[arg(long, conflicts_with_all = ["light", "heavy", "search", "net", "size", "threads", "json"])]
    pub suite: bool,

    /// Points of a side of the board, 1 to 25; 9, 13 and 19 unless told
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=25))]
    pub size: Option<u8>,

    /// Games of each measurement, playouts for a move of the problems
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,

    /// Threads to search with, compared with one
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,

    /// Print one object of JSON and nothing else
    #[arg(long, requires = "size")]
    pub json: bool,
}

fn thread_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=64) => Ok(count),
        _ => Err("expected 1 to 64".to_owned()),
    }
}

fn session_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("expected the number of a session, 1 or more".to_owned()),
    }
}

fn seed(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(seed @ 0..=MAX_SEED) => Ok(seed),
        _ => Err(format!("expected 0 to {MAX_SEED}")),
    }
}

/// A number of commands, or `end` for all.
fn until(text: &str) -> Result<usize, String> {
    match text {
        "end" => Ok(END),
        text => text.parse().map_err(|_| "expected the number of a command, or end".to_owned()),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
        .ok_or_else(|| "expected a number such as 6.5".to_owned())
}

fn rules_name(text: &str) -> Result<String, String> {
    match GameRule::with_komi(0.0).named(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected one of {}", GameRule::names().collect::<Vec<_>>().join(" "))),
    }
}

fn color(text: &str) -> Result<Color, String> {
    Color::parse(text).ok_or_else(|| "expected black or white".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let kind = options::find("Seconds").map(|(_, kind)| kind).ok_or("no such option")?;
    match kind.read(text) {
        Some(options::Value::Number(seconds)) => Ok(seconds),
        _ => Err(format!("expected {kind}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn parse(args: &[&str]) -> Result<Cli, clap::Error> {
        Cli::read([&["kifuwarabe-uec14"], args].concat().into_iter().map(OsString::from))
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn nothing_is_required() {
        let cli = parse(&[]).unwrap();
        assert_eq!((cli.config, cli.debug_input, cli.print_config), (None, None, false));
        assert!(cli.set.is_empty());
    }

    #[test]
    fn debug_input_has_an_optional_value_anywhere() {
        let input = |args: &[&str]| parse(args).unwrap().debug_input.unwrap();
        assert_eq!(input(&["-d"]), Path::new("debug.input.txt"));
        assert_eq!(input(&["--debug-input", "--print-config"]), Path::new("debug.input.txt"));
        assert_eq!(input(&["-d", "-f", "a.toml"]), Path::new("debug.input.txt"));
        assert_eq!(input(&["-f", "a.toml", "-d", "my input.txt"]), Path::new("my input.txt"));
        assert_eq!(input(&["--debug-input=x.txt"]), Path::new("x.txt"));
    }

    #[test]
    fn overrides_keep_their_order() {
        let cli = parse(&["--set", "Game.Komi=-5", "--print-config", "--set=Game.PlayFirst=white"]).unwrap();
        assert_eq!(cli.set, ["Game.Komi=-5", "Game.PlayFirst=white"]);
        assert!(cli.print_config);
    }

    #[test]
    fn the_configuration_may_be_named_before_and_after_the_task() {
        for args in [&["-f", "a.toml", "play"][..], &["play", "-f", "a.toml"]] {
            assert_eq!(parse(args).unwrap().config.unwrap(), Path::new("a.toml"));
        }
        let both = parse(&["--set", "Game.Komi=1", "play", "--set=Game.Komi=2", "--set", "Net.Use=false"]).unwrap();
        assert_eq!(both.set, ["Game.Komi=1", "Game.Komi=2", "Net.Use=false"]);
        assert_eq!(parse(&["play", "--set", "Game.Komi=2"]).unwrap().set, ["Game.Komi=2"]);
        assert_eq!(parse(&["--set", "Game.Komi=1", "play"]).unwrap().set, ["Game.Komi=1"]);
        assert!(parse(&["play", "--set"]).unwrap_err().to_string().contains("--set <KEY=VALUE>"));
    }

    #[test]
    fn what_a_task_does_not_heed_is_refused_beside_it() {
        for (args, request) in [
            (&["--score", "a.sgf", "bench"][..], "bench"),
            (&["--score", "a.sgf", "gtp"], "gtp"),
            (&["-d", "a.gtp", "selfplay", "--games", "1", "--out", "a"], "selfplay"),
            (&["--strict-gtp", "replay", "a.log"], "replay"),
            (&["--print-config", "log2sgf", "a.log"], "log2sgf"),
        ] {
            let complaint = parse(args).unwrap_err().to_string();
            assert!(complaint.contains(&format!("cannot be used with '{request}'")), "{complaint}");
        }
        assert!(parse(&["--print-config", "bench"]).unwrap().print_config);
        let serving = parse(&["-d", "a.gtp", "--strict-gtp", "gtp"]).unwrap();
        assert!(serving.strict_gtp && serving.debug_input.is_some());
    }

    #[test]
    fn a_game_is_checked_before_it_begins() {
        let play = |args: &[&str]| match parse(&[&["play"], args].concat()).map(|cli| cli.command) {
            Ok(Some(Command::Play(play))) => Ok(play),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        };
        let found = play(&["--komi", "-5.5", "--color", "W", "--rules", "New_Zealand", "--seconds", "2"]).unwrap();
        assert_eq!((found.komi, found.color, found.seconds), (Some(-5.5), Color::White, Some(2.0)));
        for (args, expected) in [
            (["--size", "26"], "26 is not in 2..=25"),
            (["--komi", "nan"], "expected a number such as 6.5"),
            (["--rules", "go"], "expected one of chinese"),
            (["--color", "green"], "expected black or white"),
            (["--seconds", "0"], "expected 0.001 to 3600"),
            (["--level", "11"], "11 is not in 1..=10"),
        ] {
            let complaint = play(&args).unwrap_err();
            assert!(complaint.contains(expected) && complaint.contains(args[1]), "{complaint}");
        }
    }

    #[test]
    fn programs_that_start_katago_are_understood() {
        let parse = |line: &str| Cli::read(line.split(' ').map(OsString::from)).map(|cli| (cli.config, cli.command));
        let katrain =
            "kifuwarabe-uec14 analysis -model a.bin.gz -human-model b.bin.gz -config c.cfg -override-config x=1";
        let ogatak = "kifuwarabe-uec14 -f e.toml analysis -config c.cfg -model a -quit-without-waiting";
        let both = "kifuwarabe-uec14 analysis -f e.toml -config c.cfg -analysis-threads 3 --override-config maxTime=2";
        for line in [katrain, ogatak, both] {
            let (config, command) = parse(line).unwrap();
            let Some(Command::Analysis(analysis)) = command else { panic!("{line}") };
            assert_eq!(config.is_some(), line.contains("e.toml"), "{line}");
            assert_eq!(analysis.katago.katago_config, [Path::new("c.cfg")], "{line}");
            assert_eq!(analysis.quit_without_waiting, line.contains("quit"), "{line}");
            assert_eq!(analysis.override_config.len(), usize::from(line.contains("override")), "{line}");
        }
        let own = "kifuwarabe-uec14 analysis -config c.cfg -config my/engine.toml".split(' ').map(OsString::from);
        let own = Cli::read(own).unwrap();
        assert_eq!(own.config_file(), Some(Path::new("my/engine.toml")));
        // as Sabaki and Lizzie start it
        let (_, command) = parse("kifuwarabe-uec14 gtp -model a.bin.gz -config c.cfg -override-config x=1").unwrap();
        let Some(Command::Gtp(gtp)) = command else { panic!("{command:?}") };
        assert_eq!(gtp.katago.ignored().collect::<Vec<_>>(), ["a.bin.gz", "c.cfg"]);
        let strict =
            Cli::read("kifuwarabe-uec14 --strict-gtp gtp -config e.toml".split(' ').map(OsString::from)).unwrap();
        assert_eq!((strict.strict_gtp, strict.config_file()), (true, Some(Path::new("e.toml"))));
        // elsewhere one dash is that of short options
        assert!(parse("kifuwarabe-uec14 -config c.cfg").is_err());
        assert!(parse("kifuwarabe-uec14 analysis -nonsense").is_err());
    }

    #[test]
    fn a_wrong_option_is_refused_on_stderr_with_code_2() {
        for args in [
            &["--nonsense"][..],
            &["-f"],
            &["--set"],
            &["stray"],
            &["-f", "a", "-f", "b"],
            &["--score"],
            &["--score", "a", "-d"],
            &["report", "game.sgf"],
            &["report", "-o", "page.html"],
            &["eval", "--komi", "nan"],
            &["eval", "--komi", "-inf"],
            &["eval", "--size", "1"],
            &["bench", "--size", "26"],
            &["replay", "a.log", "--session", "0"],
            &["selfplay", "--games", "1", "--out", "a", "--seed", "99999999999999999999"],
        ] {
            let error = parse(args).unwrap_err();
            assert_eq!((error.exit_code(), error.use_stderr()), (2, true), "{args:?}");
        }
        for args in ["-h", "--help", "-V", "--version"] {
            let error = parse(&[args]).unwrap_err();
            assert_eq!((error.exit_code(), error.use_stderr()), (0, false), "{args}");
        }
    }
}

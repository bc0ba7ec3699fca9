//! The command line as a type: options, subcommands and their help.

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::cli::analysis::AnalysisArgs;
use crate::cli::completions::CompletionsArgs;
use crate::cli::global::GlobalOptions;
use crate::cli::gtp::GtpArgs;
use crate::cli::log2sgf::Log2sgfArgs;
use crate::cli::replay::ReplayArgs;
use crate::cli::tips::with_tip;
use crate::report::ReportArgs;
use crate::terminal::play::PlayArgs;
use crate::tools::bench::BenchArgs;
use crate::tools::eval::EvalArgs;
use crate::tools::labels::LabelsArgs;
use crate::tools::selfplay::SelfplayArgs;
use crate::web::WebArgs;

/// A computer-Go engine that speaks GTP on standard input and output
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(name = env!("CARGO_PKG_NAME"), version)]
pub(crate) struct Cli {
    /// Options that every subcommand shares.
    #[command(flatten)]
    pub(crate) global: GlobalOptions,

    /// Subcommand [default: run the GTP engine]
    #[command(subcommand)]
    pub(crate) command: Option<Subcommand>,
}

/// The subcommands; without one, the program runs the GTP engine.
#[derive(Debug, Clone, PartialEq, clap::Subcommand)]
pub(crate) enum Subcommand {
    /// Run KataGo's analysis protocol: one JSON query a line, answered as JSON
    Analysis(AnalysisArgs),
    /// Measure playout, search and net speed, and print a signature of the results
    Bench(BenchArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Print the net's policy and win probability for a position, without search
    Eval(EvalArgs),
    /// Run the GTP engine, as without a subcommand; accepts KataGo's options
    Gtp(GtpArgs),
    /// Write positions of games with their evaluations by a net of KataGo, to train a net from
    Labels(LabelsArgs),
    /// Play a game against the engine at the terminal
    Play(PlayArgs),
    /// Convert the games of a JSON log to SGF, with search results as comments
    Log2sgf(Log2sgfArgs),
    /// Print the man page, in roff
    Man,
    /// Run a session again from its JSON log and compare every answer
    Replay(ReplayArgs),
    /// Review a game record and write the review as an HTML page
    Report(ReportArgs),
    /// Play games of the engine against itself and append them to a file
    Selfplay(SelfplayArgs),
    /// Serve a page to play, analyse and study games in a browser on this machine
    Web(WebArgs),
}

impl Cli {
    /// The clap definition. `--config` and `--set`, and for `gtp` all options of the engine without a subcommand, are
    /// added by hand to the subcommands that take them: a global argument is offered by all, and the values of `--set`
    /// after the subcommand would replace those before it. A value of an option may be a negative number, so that the
    /// error about one names the value and the expected ones.
    pub(crate) fn definition() -> clap::Command {
        let definition = Cli::command();
        let shared = |id: &str| definition.get_arguments().find(|argument| argument.get_id() == id).cloned();
        let [config, set, debug_input, strict_gtp, print_config] =
            ["config", "set", "debug_input", "strict_gtp", "print_config"].map(shared);
        definition.mut_subcommands(|subcommand| {
            let source = ConfigSource::of(subcommand.get_name());
            let is_gtp = subcommand.get_name() == GTP;
            let added = [
                (&config, source == ConfigSource::File),
                (&set, source != ConfigSource::None),
                (&debug_input, is_gtp),
                (&strict_gtp, is_gtp),
                (&print_config, is_gtp),
            ];
            let added =
                added.into_iter().filter(|(_, is_taken)| *is_taken).filter_map(|(argument, _)| argument.clone());
            let takes_value = |argument: &clap::Arg| argument.get_action().takes_values();
            subcommand.args(added).mut_args(|argument| match takes_value(&argument) && !argument.is_positional() {
                true => argument.allow_negative_numbers(true),
                false => argument,
            })
        })
    }

    /// Parses a command line. After `analysis` and `gtp`, KataGo's options may be spelt with one dash, as KataGo does.
    ///
    /// # Errors
    /// The usage error; or the text of `--help` or `--version`.
    pub(crate) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let mut definition = Cli::definition();
        let arguments = with_two_dashes(arguments);
        let matches = match definition.try_get_matches_from_mut(&arguments) {
            Ok(matches) => matches,
            Err(error) => return Err(with_tip(error, &definition, &arguments)),
        };
        let mut cli = Cli::from_arg_matches(&matches)?;
        let Some((name, subcommand)) = matches.subcommand() else { return Ok(cli) };
        let source = ConfigSource::of(name);
        if source == ConfigSource::File {
            cli.global.config = subcommand.get_one("config").cloned().or(cli.global.config);
        }
        if source != ConfigSource::None {
            cli.global.set.extend(subcommand.get_many("set").into_iter().flatten().cloned());
        }
        let is_gtp = name == GTP;
        if is_gtp {
            cli.global.debug_input = subcommand.get_one("debug_input").cloned().or(cli.global.debug_input);
            cli.global.strict_gtp |= subcommand.get_flag("strict_gtp");
            cli.global.print_config |= subcommand.get_flag("print_config");
        }
        for (option, is_ignored) in [
            ("--config", cli.global.config.is_some() && source != ConfigSource::File),
            ("--set", !cli.global.set.is_empty() && source == ConfigSource::None),
            ("--score", cli.global.score.is_some()),
            ("--debug-input", cli.global.debug_input.is_some() && !is_gtp),
            ("--strict-gtp", cli.global.strict_gtp && !is_gtp),
            ("--print-config", cli.global.print_config && source != ConfigSource::File),
        ] {
            if is_ignored {
                let text = format!("the argument '{option}' cannot be used with '{name}'");
                return Err(definition.error(ErrorKind::ArgumentConflict, text));
            }
        }
        Ok(cli)
    }

    /// The configuration file: `--config`, or else the first `.toml` file among KataGo's configuration files.
    pub(crate) fn config_file(&self) -> Option<&Path> {
        let katago = match &self.command {
            Some(Subcommand::Analysis(AnalysisArgs { katago, .. }) | Subcommand::Gtp(GtpArgs { katago, .. })) => {
                katago.config_file()
            }
            _ => None,
        };
        self.global.config.as_deref().or(katago)
    }
}

/// The name of the subcommand that runs the GTP engine.
const GTP: &str = "gtp";

/// Source of a subcommand's configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConfigSource {
    /// A file, with `--set` on top.
    File,
    /// The log that it reads, with `--set` on top.
    Log,
    /// It has none.
    None,
}

impl ConfigSource {
    fn of(subcommand: &str) -> ConfigSource {
        match subcommand {
            "replay" | "log2sgf" => ConfigSource::Log,
            "completions" | "man" => ConfigSource::None,
            _ => ConfigSource::File,
        }
    }
}

/// Options of `analysis` and `gtp`: KataGo's spelling, and the spelling of the clap definition.
const KATAGO_SPELLINGS: [(&str, &str); 6] = [
    ("-analysis-threads", "--analysis-threads"),
    ("-override-config", "--override-config"),
    ("-quit-without-waiting", "--quit-without-waiting"),
    ("-model", "--model"),
    ("-human-model", "--human-model"),
    ("-config", "--katago-config"),
];

fn with_two_dashes(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut is_katago = false;
    let respell = |argument: OsString| {
        is_katago |= argument == "analysis" || argument == GTP;
        match KATAGO_SPELLINGS.iter().find(|(theirs, _)| is_katago && argument == *theirs) {
            Some((_, ours)) => OsString::from(ours),
            None => argument,
        }
    };
    arguments.into_iter().map(respell).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use crate::kernel::{Color, Coordinate};

    fn parse(args: &[&str]) -> Result<Cli, clap::Error> {
        Cli::read([&["kifuwarabe-uec14"], args].concat().into_iter().map(OsString::from))
    }

    #[test]
    fn clap_definition_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_option_is_required() {
        let cli = parse(&[]).unwrap();
        assert_eq!((cli.global.config, cli.global.debug_input, cli.global.print_config), (None, None, false));
        assert!(cli.global.set.is_empty());
    }

    #[test]
    fn debug_input_takes_an_optional_value_in_any_place() {
        let input = |args: &[&str]| parse(args).unwrap().global.debug_input.unwrap();
        assert_eq!(input(&["-d"]), Path::new("debug.input.txt"));
        assert_eq!(input(&["--debug-input", "--print-config"]), Path::new("debug.input.txt"));
        assert_eq!(input(&["-d", "-f", "a.toml"]), Path::new("debug.input.txt"));
        assert_eq!(input(&["-f", "a.toml", "-d", "my input.txt"]), Path::new("my input.txt"));
        assert_eq!(input(&["--debug-input=x.txt"]), Path::new("x.txt"));
    }

    #[test]
    fn set_options_keep_their_order() {
        let cli = parse(&["--set", "Game.Komi=-5", "--print-config", "--set=Game.PlayFirst=white"]).unwrap();
        assert_eq!(cli.global.set, ["Game.Komi=-5", "Game.PlayFirst=white"]);
        assert!(cli.global.print_config);
    }

    #[test]
    fn config_and_set_are_accepted_before_and_after_the_subcommand() {
        for args in [&["-f", "a.toml", "play"][..], &["play", "-f", "a.toml"]] {
            assert_eq!(parse(args).unwrap().global.config.unwrap(), Path::new("a.toml"));
        }
        let both = parse(&["--set", "Game.Komi=1", "play", "--set=Game.Komi=2", "--set", "Net.Use=false"]).unwrap();
        assert_eq!(both.global.set, ["Game.Komi=1", "Game.Komi=2", "Net.Use=false"]);
        assert_eq!(parse(&["play", "--set", "Game.Komi=2"]).unwrap().global.set, ["Game.Komi=2"]);
        assert_eq!(parse(&["--set", "Game.Komi=1", "play"]).unwrap().global.set, ["Game.Komi=1"]);
        assert!(parse(&["play", "--set"]).unwrap_err().to_string().contains("--set <KEY=VALUE>"));
    }

    #[test]
    fn options_that_a_subcommand_ignores_are_refused() {
        for (args, name) in [
            (&["--score", "a.sgf", "bench"][..], "bench"),
            (&["--score", "a.sgf", "gtp"], "gtp"),
            (&["-d", "a.gtp", "selfplay", "--games", "1", "--out", "a"], "selfplay"),
            (&["--strict-gtp", "replay", "a.log"], "replay"),
            (&["--print-config", "log2sgf", "a.log"], "log2sgf"),
            (&["--print-config", "completions", "bash"], "completions"),
            (&["--print-config", "man"], "man"),
            (&["-f", "a.toml", "replay", "a.log"], "replay"),
            (&["-f", "a.toml", "log2sgf", "a.log"], "log2sgf"),
            (&["--set", "Net.Use=false", "man"], "man"),
        ] {
            let complaint = parse(args).unwrap_err().to_string();
            assert!(complaint.contains(&format!("cannot be used with '{name}'")), "{complaint}");
        }
        assert!(parse(&["--print-config", "bench"]).unwrap().global.print_config);
        for serving in [["-d", "a.gtp", "--strict-gtp", "gtp"], ["gtp", "-d", "a.gtp", "--strict-gtp"]] {
            let global = parse(&serving).unwrap().global;
            assert!(global.strict_gtp && !global.print_config && global.debug_input.is_some());
        }
        assert!(parse(&["gtp", "--print-config"]).unwrap().global.print_config);
    }

    /// Help of a subcommand names the options that it takes, and no other.
    #[test]
    fn help_offers_the_options_that_are_taken() {
        for subcommand in Cli::definition().get_subcommands().map(clap::Command::get_name) {
            let help = parse(&[subcommand, "--help"]).unwrap_err().to_string();
            let (file, set) = match subcommand {
                "replay" | "log2sgf" => (false, true),
                "completions" | "man" => (false, false),
                _ => (true, true),
            };
            assert_eq!((help.contains("--config <FILE>"), help.contains("--set <KEY=VALUE>")), (file, set), "{help}");
        }
        for args in [&["replay", "a.log", "-f", "a.toml"][..], &["man", "--set", "Net.Use=false"]] {
            assert_eq!(parse(args).unwrap_err().exit_code(), 2, "{args:?}");
        }
    }

    #[test]
    fn mistyped_subcommands_and_options_get_the_nearest_names() {
        for (args, expected) in [
            (&["selfpaly"][..], "'selfplay'"),
            (&["analyse"], "'analysis'"),
            (&["reply", "a.log"], "'replay'"),
            (&["play", "--secnds", "1"], "'--seconds'"),
        ] {
            let complaint = parse(args).unwrap_err().to_string();
            assert!(complaint.contains("similar") && complaint.contains(expected), "{complaint}");
        }
    }

    #[test]
    fn play_options_are_validated() {
        let play = |args: &[&str]| match parse(&[&["play"], args].concat()).map(|cli| cli.command) {
            Ok(Some(Subcommand::Play(args))) => Ok(args),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        };
        for size in ["9", "9x9", "9X9"] {
            assert_eq!(play(&["--size", size]).unwrap().size, Coordinate::square(9));
        }
        assert_eq!(play(&["--size", "9x13"]).unwrap().size, Coordinate::new(9, 13));
        let found = play(&["--komi", "-5.5", "--color", "W", "--rules", "New_Zealand", "--seconds", "2"]).unwrap();
        assert_eq!((found.komi, found.color, found.seconds), (Some(-5.5), Color::White, Some(2.0)));
        for (args, expected) in [
            (["--size", "26"], "expected 2 to 25"),
            (["--size", "9x26"], "expected 2 to 25, or width and height such as 9x13"),
            (["--size", "1x9"], "expected 2 to 25"),
            (["--size", "9x"], "expected 2 to 25"),
            (["--komi", "nan"], "expected a number such as 6.5"),
            (["--rules", "go"], "expected one of chinese"),
            (["--color", "green"], "expected black or white"),
            (["--seconds", "0"], "expected 0.001 to 3600"),
            (["--seconds", "-1"], "expected 0.001 to 3600"),
            (["--level", "-1"], "expected 1 to 10"),
            (["--size", "-9"], "expected 2 to 25"),
            (["--handicap", "-2"], "expected a whole number from 2"),
            (["--komi", "7,5"], "expected a decimal point, as in 7.5"),
            (["--level", "11"], "expected 1 to 10"),
        ] {
            let complaint = play(&args).unwrap_err();
            assert!(complaint.contains(expected) && complaint.contains(args[1]), "{complaint}");
        }
    }

    #[test]
    fn katago_command_lines_are_accepted() {
        let parse =
            |line: &str| Cli::read(line.split(' ').map(OsString::from)).map(|cli| (cli.global.config, cli.command));
        let katrain =
            "kifuwarabe-uec14 analysis -model a.bin.gz -human-model b.bin.gz -config c.cfg -override-config x=1";
        let ogatak = "kifuwarabe-uec14 -f e.toml analysis -config c.cfg -model a -quit-without-waiting";
        let both = "kifuwarabe-uec14 analysis -f e.toml -config c.cfg -analysis-threads 3 --override-config maxTime=2";
        for line in [katrain, ogatak, both] {
            let (config, command) = parse(line).unwrap();
            let Some(Subcommand::Analysis(analysis)) = command else { panic!("{line}") };
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
        let Some(Subcommand::Gtp(gtp)) = command else { panic!("{command:?}") };
        assert_eq!(gtp.katago.ignored().collect::<Vec<_>>(), ["c.cfg"]);
        assert_eq!(gtp.katago.model.as_deref(), Some(Path::new("a.bin.gz")));
        let strict =
            Cli::read("kifuwarabe-uec14 --strict-gtp gtp -config e.toml".split(' ').map(OsString::from)).unwrap();
        assert_eq!((strict.global.strict_gtp, strict.config_file()), (true, Some(Path::new("e.toml"))));
        // other subcommands have no long options with one dash
        assert!(parse("kifuwarabe-uec14 -config c.cfg").is_err());
        assert!(parse("kifuwarabe-uec14 analysis -nonsense").is_err());
    }

    #[test]
    fn invalid_options_exit_with_code_2_on_stderr() {
        for args in [
            &["--nonsense"][..],
            &["-f"],
            &["--set"],
            &["stray"],
            &["-f", "a", "-f", "b"],
            &["--score"],
            &["--score", "a", "-d"],
            &["report"],
            &["report", "-o", "page.html"],
            &["report", "game.sgf", "--sgf"],
            &["eval", "--komi", "nan"],
            &["eval", "--komi", "-inf"],
            &["eval", "--size", "1"],
            &["bench", "--size", "26"],
            &["bench", "--size", "9x0"],
            &["selfplay", "--games", "1", "--out", "a", "--size", "1x9"],
            &["labels", "--records", "a", "--out", "b", "--size", "9x1"],
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

//! Options that every subcommand shares, and KataGo's file options.

use std::path::{Path, PathBuf};

use clap::Args;

/// The file that `--debug-input` without a value reads.
const DEBUG_INPUT: &str = "debug.input.txt";

/// The file of `--debug-input`. The word `true` is a switch, as in the set-ups of the blog series (`-d=true`).
fn debug_input(text: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(if text == "true" { DEBUG_INPUT } else { text }))
}

/// The options before the subcommand.
#[derive(Debug, Clone, PartialEq, Default, Args)]
pub(crate) struct GlobalOptions {
    /// Configuration file [default: engine.toml in the working directory, or else beside the program, or else the built-in
    /// one]
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Read GTP commands from FILE instead of standard input
    #[arg(
        short,
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = DEBUG_INPUT,
        value_parser = debug_input,
        long_help = "Read GTP commands from FILE instead of standard input; without FILE, or with the word true, from \
                     debug.input.txt"
    )]
    pub(crate) debug_input: Option<PathBuf>,

    /// Override one configuration key, as in Game.BoardSize=9; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Answer illegal moves with GTP's own text instead of the rule they break: Gtp.IllegalMove = "standard"
    #[arg(long)]
    pub(crate) strict_gtp: bool,

    /// Print the effective configuration and where it comes from, then exit
    #[arg(long)]
    pub(crate) print_config: bool,

    /// Print the score and the dead stones of the game record FILE (SGF), then exit
    #[arg(long, value_name = "FILE", conflicts_with_all = ["debug_input", "print_config"])]
    pub(crate) score: Option<PathBuf>,

    /// With --score: print the score in detail, as JSON
    #[arg(long, requires = "score")]
    pub(crate) json: bool,
}

/// KataGo's file options, accepted so that programs which start KataGo can start this engine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(crate) struct KataGoFiles {
    /// Accepted for programs that start KataGo, and not loaded; Net.File selects the net
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,

    /// Accepted for programs that start KataGo, and ignored
    #[arg(long, value_name = "FILE")]
    pub(crate) human_model: Option<PathBuf>,

    /// A configuration file if its name ends in .toml, ignored otherwise; KataGo spells it -config
    #[arg(long, value_name = "FILE")]
    pub(crate) katago_config: Vec<PathBuf>,
}

impl KataGoFiles {
    /// The names of the files that are ignored, except that of [`KataGoFiles::model`].
    pub(crate) fn ignored(&self) -> impl Iterator<Item = String> {
        let configs = self.katago_config.iter().filter(|file| !is_toml(file));
        self.human_model.iter().chain(configs).map(|file| file.display().to_string())
    }

    /// The first file that can be an engine configuration.
    pub(crate) fn config_file(&self) -> Option<&Path> {
        self.katago_config.iter().find(|file| is_toml(file)).map(PathBuf::as_path)
    }
}

/// Whether a file name ends in `.toml`, as an engine configuration does.
fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "toml")
}

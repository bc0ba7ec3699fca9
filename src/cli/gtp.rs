//! The GTP engine on standard input and output: the default, and `gtp`.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::path::Path;

use anyhow::Context;
use clap::Args;

use crate::cli::global::KataGoFiles;
use crate::cli::output::{stdin, stdout};
use crate::cli::session::{begin, engine};
use crate::config::EngineConfig;
use crate::gtp::{Audience, Engine, serve};
use crate::io::files;
use crate::logging::{InputSource, rotated_set};
use crate::player::Options;
use crate::protocol::katago_params::{self, SetError, split_settings};
use crate::protocol::line::StreamLines;
use crate::protocol::reader::ReadAhead;
use crate::terminal::progress::{self, write_stderr};
use crate::terminal::prompt::{self, PromptedLines, TerminalLines};
use crate::text::quote::shortened;

/// Options of `gtp`. Those of KataGo are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(crate) struct GtpArgs {
    /// Search parameters, by the names of kata-set-param: maxVisits=500,ponderingEnabled=true; others are ignored
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub(crate) override_config: Vec<String>,

    /// KataGo's file options.
    #[command(flatten)]
    pub(crate) katago: KataGoFiles,
}

impl GtpArgs {
    /// Sets the parameters of `--override-config`; returns all that is ignored: files, names that are no parameters, and
    /// values that are out of range here, with what is expected.
    pub(crate) fn apply(&self, options: &mut Options) -> Vec<String> {
        let mut ignored: Vec<String> = self.katago.ignored().collect();
        for (setting, pair) in self.override_config.iter().flat_map(|settings| split_settings(settings)) {
            let Some((name, value)) = pair.filter(|(name, _)| !name.is_empty()) else {
                ignored.push(format!("{} (expected NAME=VALUE)", shortened(setting)));
                continue;
            };
            match katago_params::set(options, name, value, 0) {
                Ok(()) => {}
                Err(SetError::Unknown) => ignored.push(name.to_owned()),
                Err(SetError::Expected(expected)) => {
                    ignored.push(format!("{} (expected {expected})", shortened(setting)));
                }
            }
        }
        ignored
    }
}

/// Runs the engine on a file of commands, or else on standard input, until `quit` or the end of input.
pub(crate) fn run(debug_input: Option<&Path>, mut config: EngineConfig) -> anyhow::Result<()> {
    let debug_input = debug_input.map(|path| open_debug_input(path, &config)).transpose()?;
    let mut engine = engine(&config)?;
    let input = if debug_input.is_some() { InputSource::DebugInput } else { InputSource::Stdin };
    begin(&mut config, &mut engine, input)?;
    match debug_input {
        Some(file) => {
            engine.write_stderr = progress::write_raw;
            let mut lines = StreamLines::new(BufReader::new(file));
            serve(&mut engine, &mut lines, &mut stdout(), Audience::Program)?;
        }
        None => serve_streams(&mut engine)?,
    }
    Ok(())
}

/// Opens a file of commands. It may be a pipe, which is awaited and read as standard input is. A log of the session is
/// refused: it grows with every line that is read from it.
fn open_debug_input(path: &Path, config: &EngineConfig) -> anyhow::Result<File> {
    let in_file = || format!("--debug-input {}", path.display());
    let logs = [("PlainTextLog", &config.paths.plain_text_log), ("JsonLog", &config.paths.json_log)];
    for (key, log) in logs.into_iter().filter_map(|(key, log)| Some((key, log.as_deref()?))) {
        // a terminal or /dev/null may be both
        let is_log = path.is_file() && rotated_set(log).iter().any(|file| files::is_same(file, path));
        anyhow::ensure!(!is_log, "{}: a log of this session, Paths.{key}", in_file());
    }
    let file = File::open(path).with_context(in_file)?;
    // opening a folder succeeds, reading it does not
    anyhow::ensure!(!file.metadata().with_context(in_file)?.is_dir(), "{}: a folder, expected a file", in_file());
    Ok(file)
}

/// Serves standard input and output, with a prompt if both are a terminal, and with line editing if it knows escape
/// sequences.
pub(crate) fn serve_streams(engine: &mut Engine) -> anyhow::Result<()> {
    engine.write_stderr = progress::write_raw;
    let mut output = stdout();
    let has_prompt = io::stdin().is_terminal() && io::stdout().is_terminal();
    let greet = || write_stderr(format_args!("[{}] ready, type help", env!("CARGO_PKG_NAME")));
    if has_prompt {
        // Ctrl-C stops a command; while a line is typed, it belongs to the editor, or the terminal discards the line
        signal_hook::flag::register(signal_hook::consts::SIGINT, engine.stop_signal.flag().clone())?;
    }
    if has_prompt && !progress::is_dumb() {
        let mut lines = TerminalLines::for_gtp()?;
        greet();
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let paint = (!is_plain).then_some(prompt::paint as fn(&str) -> String);
        serve(engine, &mut lines, &mut output, Audience::Person { paint, busy: Some(prompt::busy) })?;
    } else {
        // without such a terminal for the output, a person types without line editing
        let is_typed = io::stdin().is_terminal();
        let audience = if is_typed { Audience::Person { paint: None, busy: None } } else { Audience::Program };
        match ReadAhead::new(BufReader::new(stdin()), engine.stop_signal.clone()) {
            Ok(lines) if has_prompt => {
                greet();
                serve(engine, &mut PromptedLines::new(lines, stdout()), &mut output, audience)?;
            }
            Ok(mut lines) => serve(engine, &mut lines, &mut output, audience)?,
            Err(reason) => {
                tracing::warn!("no thread to read ahead: {reason}; no line ends a search, an analysis ends at once");
                let mut lines = StreamLines::new(BufReader::new(stdin()));
                serve(engine, &mut lines, &mut output, audience)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A set-up for KataGo starts the engine whatever it contains.
    #[test]
    fn settings_of_katago_are_set_or_ignored() {
        let args = GtpArgs {
            override_config: vec!["maxVisits=500, ponderingEnabled=true,".into(), "nnMaxBatchSize=8".into()],
            ..GtpArgs::default()
        };
        let mut options = Options::default();
        assert_eq!(args.apply(&mut options), ["nnMaxBatchSize"]);
        assert_eq!((options.max_visits, options.ponder), (500, true));

        let args = GtpArgs { override_config: vec!["=5".into()], ..args };
        assert_eq!(args.apply(&mut options), ["=5 (expected NAME=VALUE)"]);

        let args = GtpArgs { override_config: vec!["numSearchThreads=128,maxTime".into()], ..args };
        let before = options;
        let ignored = args.apply(&mut options);
        assert_eq!(options, before);
        assert_eq!(ignored.len(), 2, "{ignored:?}");
        assert!(ignored.first().unwrap().starts_with("numSearchThreads=128 (expected "), "{ignored:?}");
        assert_eq!(ignored.last().unwrap(), "maxTime (expected NAME=VALUE)");
    }
}

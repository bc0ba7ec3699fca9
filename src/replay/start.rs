//! What the JSON log notes when a session starts: all that its answers depend on beside its commands.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::config::EngineConfig;
use crate::gtp::Engine;
use crate::logging;

/// `msg` of the note.
pub(super) const SESSION: &str = "session";

/// How a session started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionStart {
    /// The program's version.
    pub version: String,
    /// The working directory, from which relative paths in commands start.
    pub folder: PathBuf,
    /// The whole configuration, as TOML.
    pub configuration: String,
    /// Where chance started from.
    pub seed: u64,
    /// Threads of a search.
    pub threads: usize,
    /// Processors that the machine had.
    pub processors: usize,
    /// The digest of the net that searches asked, and the kind of vectors it was reckoned with.
    pub net: Option<(String, String)>,
}

impl SessionStart {
    /// How the session of this engine starts.
    pub fn of(config: &EngineConfig, engine: &Engine) -> SessionStart {
        let player = &engine.player;
        SessionStart {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            folder: std::env::current_dir().unwrap_or_default(),
            configuration: config.to_toml(),
            seed: player.seed(),
            threads: player.options.thread_count(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            net: player.net.as_ref().map(|net| (net.digest().to_owned(), net.instruction_set().to_string())),
        }
    }

    /// Notes it in the JSON log.
    pub fn log(&self) {
        let (net, vectors) = self.net.clone().unzip();
        let fields = [
            ("version", Value::from(self.version.as_str())),
            ("system", Value::from(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))),
            ("process", Value::from(std::process::id())),
            ("folder", Value::from(self.folder.to_string_lossy())),
            ("seed", Value::from(self.seed)),
            ("threads", Value::from(self.threads)),
            ("processors", Value::from(self.processors)),
            ("net", Value::from(net)),
            ("vectors", Value::from(vectors)),
            ("configuration", Value::from(self.configuration.as_str())),
        ];
        logging::note(SESSION, &fields);
    }

    /// From its note.
    ///
    /// # Errors
    /// The name of the field that is missing or is not what it should be.
    pub(super) fn read(note: &Map<String, Value>) -> Result<SessionStart, &'static str> {
        let text = |key: &'static str| note.get(key).and_then(Value::as_str).map(str::to_owned).ok_or(key);
        let whole = |key: &'static str| note.get(key).and_then(Value::as_u64).ok_or(key);
        Ok(SessionStart {
            version: text("version")?,
            folder: text("folder")?.into(),
            configuration: text("configuration")?,
            seed: whole("seed")?,
            threads: whole("threads")? as usize,
            processors: whole("processors")? as usize,
            net: text("net").ok().zip(text("vectors").ok()),
        })
    }

    /// What is another here than it was there, in words, one piece a line: it may make answers differ.
    pub(super) fn differences(&self, here: &SessionStart) -> Vec<String> {
        let mut lines = Vec::new();
        let mut compare = |what: &str, there: &str, here: &str| {
            if there != here {
                lines.push(format!("the log is of {what} {there}, this is {here}"));
            }
        };
        compare("version", &self.version, &here.version);
        if let (Some((digest, vectors)), Some((digest_here, vectors_here))) = (&self.net, &here.net) {
            compare("the net", digest, digest_here);
            compare("a processor whose net uses", vectors, vectors_here);
        }
        lines
    }
}

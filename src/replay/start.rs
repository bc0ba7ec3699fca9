//! The `session` line of the JSON log: all conditions, beside the commands, that the answers of a session depend on.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::VERSION;
use crate::config::EngineConfig;
use crate::gtp::Engine;
use crate::logging;
use crate::player::options::processor_count;

/// `msg` of the line.
pub(super) const SESSION: &str = "session";

/// The start of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionStart {
    /// The program's version.
    pub version: String,
    /// The working directory, to which paths in commands are relative.
    pub folder: PathBuf,
    /// The whole configuration, as TOML.
    pub configuration: String,
    /// The RNG seed.
    pub seed: u64,
    /// Threads per search.
    pub threads: usize,
    /// Processors of the machine.
    pub processors: usize,
    /// The net's digest, and its instruction set and precision; `None` without a net.
    pub net: Option<(String, String)>,
}

impl SessionStart {
    /// The start of a session of this engine.
    pub fn of(config: &EngineConfig, engine: &Engine) -> SessionStart {
        let player = &engine.player;
        SessionStart {
            version: VERSION.to_owned(),
            folder: std::env::current_dir().unwrap_or_default(),
            configuration: config.to_toml(),
            seed: player.seed(),
            threads: player.options.thread_count(),
            processors: processor_count(),
            net: player.net.as_ref().map(|net| {
                let vectors = format!("{}, {}", net.instruction_set(), net.precision());
                (net.digest().to_owned(), vectors)
            }),
        }
    }

    /// Writes it to the JSON log.
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

    /// Parses the line.
    ///
    /// # Errors
    /// The name of the first missing or invalid field.
    pub(super) fn read(note: &Map<String, Value>) -> Result<SessionStart, &'static str> {
        let text = |key: &'static str| note.get(key).and_then(Value::as_str).map(str::to_owned).ok_or(key);
        let integer = |key: &'static str| note.get(key).and_then(Value::as_u64).ok_or(key);
        Ok(SessionStart {
            version: text("version")?,
            folder: text("folder")?.into(),
            configuration: text("configuration")?,
            seed: integer("seed")?,
            threads: integer("threads")? as usize,
            processors: integer("processors")? as usize,
            net: text("net").ok().zip(text("vectors").ok()),
        })
    }

    /// The differences to the present machine and version that may change answers, one per line.
    pub(super) fn differences(&self, here: &SessionStart) -> Vec<String> {
        let mut lines = Vec::new();
        let mut compare = |property: &str, there: &str, here: &str| {
            if there != here {
                lines.push(format!("{property}: {there} in the log, {here} here"));
            }
        };
        compare("version", &self.version, &here.version);
        if let (Some((digest, vectors)), Some((digest_here, vectors_here))) = (&self.net, &here.net) {
            compare("net", digest, digest_here);
            compare("instructions of the net", vectors, vectors_here);
        }
        lines
    }
}

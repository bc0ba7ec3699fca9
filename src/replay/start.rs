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
    /// The net that searches use; `None` without a net.
    pub net: Option<NetIdentity>,
}

/// A net and the code that runs it, on both of which its outputs depend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetIdentity {
    /// The MD5 digest of its file.
    pub digest: String,
    /// The instruction set and the precision of its computation: `AVX2, f32`. Logs of earlier versions call it `vectors`.
    pub backend: String,
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
            net: player.net.as_ref().map(|net| NetIdentity {
                digest: net.digest().to_owned(),
                backend: format!("{}, {}", net.instruction_set(), net.precision()),
            }),
        }
    }

    /// Writes it to the JSON log.
    pub fn log(&self) {
        let net = self.net.as_ref();
        let fields = [
            ("version", Value::from(self.version.as_str())),
            ("system", Value::from(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))),
            ("process", Value::from(std::process::id())),
            ("folder", Value::from(self.folder.to_string_lossy())),
            ("seed", Value::from(self.seed)),
            ("threads", Value::from(self.threads)),
            ("processors", Value::from(self.processors)),
            ("net", Value::from(net.map(|net| net.digest.as_str()))),
            ("backend", Value::from(net.map(|net| net.backend.as_str()))),
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
        let backend = || text("backend").or_else(|_| text("vectors"));
        let integer = |key: &'static str| note.get(key).and_then(Value::as_u64).ok_or(key);
        Ok(SessionStart {
            version: text("version")?,
            folder: text("folder")?.into(),
            configuration: text("configuration")?,
            seed: integer("seed")?,
            threads: integer("threads")? as usize,
            processors: integer("processors")? as usize,
            net: text("net").and_then(|digest| Ok(NetIdentity { digest, backend: backend()? })).ok(),
        })
    }

    /// The differences to the present machine and version that may change answers, one per line.
    pub(super) fn differences(&self, present: &SessionStart) -> Vec<String> {
        let mut lines = Vec::new();
        let mut compare = |property: &str, logged: &str, present: &str| {
            if logged != present {
                lines.push(format!("{property}: {logged} in the log, {present} here"));
            }
        };
        compare("version", &self.version, &present.version);
        if let (Some(logged), Some(present)) = (&self.net, &present.net) {
            compare("net", &logged.digest, &present.digest);
            compare("instructions of the net", &logged.backend, &present.backend);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_backend_had_another_name_in_earlier_logs() {
        for key in ["backend", "vectors"] {
            let note = serde_json::json!({
                "version": "0.15.0", "folder": "/", "configuration": "", "seed": 1, "threads": 1, "processors": 1,
                "net": "f528", (key): "AVX2, f32",
            });
            let start = SessionStart::read(note.as_object().unwrap()).unwrap();
            let net = NetIdentity { digest: "f528".to_owned(), backend: "AVX2, f32".to_owned() };
            assert_eq!(start.net, Some(net), "{key}");
        }
    }
}

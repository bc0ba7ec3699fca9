//! Configuration files and values of `--set`.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use kifuwarabe_uec14::config::EngineConfig;

/// A temporary folder of this process.
fn folder() -> &'static tempfile::TempDir {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().unwrap())
}

/// The input is split at zero bytes: the first piece is the file, each other one a value of `--set`.
pub fn run(data: &[u8]) {
    let mut pieces = data.split(|&byte| byte == 0);
    let path = write(pieces.next().unwrap_or_default());
    let sets: Vec<String> = pieces.map(|piece| String::from_utf8_lossy(piece).into_owned()).collect();
    match EngineConfig::load(Some(&path), &sets) {
        Ok(config) => {
            let printed = config.to_toml();
            let path = write(printed.as_bytes());
            assert_eq!(EngineConfig::load(Some(&path), &[]).unwrap(), config, "{printed}");
        }
        Err(error) => {
            let message = format!("{error:#}");
            assert!(!message.chars().any(char::is_control) && !message.is_empty(), "{message}");
        }
    }
}

fn write(bytes: &[u8]) -> PathBuf {
    let path = folder().path().join("engine.toml");
    fs::write(&path, bytes).unwrap();
    path
}

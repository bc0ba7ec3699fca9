//! Files of configuration, and what stands after `--set`.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use kifuwarabe_uec14::config::EngineConfig;

/// A folder of this process, gone with it.
fn folder() -> &'static tempfile::TempDir {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().unwrap())
}

/// The file ends where a zero byte stands; each piece between further ones stands after a `--set`.
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
            let told = format!("{error:#}");
            assert!(!told.chars().any(char::is_control) && !told.is_empty(), "{told}");
        }
    }
}

fn write(bytes: &[u8]) -> PathBuf {
    let path = folder().path().join("engine.toml");
    fs::write(&path, bytes).unwrap();
    path
}

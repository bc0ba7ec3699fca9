//! The house stays in order: imports point one way, and the list of modules is true.

use std::path::{Path, PathBuf};

use crate::engine::repository;

#[test]
fn imports_point_towards_the_kernel() {
    let forbidden: [(&str, &[&str]); 20] = [
        (
            "src/kernel",
            &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "search", "sgf", "clock", "files"],
        ),
        (
            "src/net",
            &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "search", "sgf", "clock", "files"],
        ),
        ("src/search", &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "sgf"]),
        ("src/sgf", &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "search"]),
        ("src/clock.rs", &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "search", "sgf"]),
        ("src/ren_db_file.rs", &["gtp", "logging", "engine_config", "cli", "terminal"]),
        ("src/engine_config", &["gtp", "logging", "cli", "terminal", "ren_db_file", "sgf", "clock"]),
        (
            "src/suite.rs",
            &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "search", "sgf", "clock", "files"],
        ),
        ("src/bench.rs", &["gtp", "logging", "engine_config", "terminal", "ren_db_file", "sgf", "files"]),
        ("src/selfplay", &["gtp", "logging", "engine_config", "terminal", "ren_db_file", "sgf", "score_file"]),
        ("src/files.rs", &["gtp", "logging", "engine_config", "cli", "terminal", "search", "sgf"]),
        ("src/score_file.rs", &["gtp", "logging", "engine_config", "cli", "terminal"]),
        (
            "src/picture",
            &["gtp", "logging", "engine_config", "cli", "terminal", "ren_db_file", "search", "sgf", "clock", "files"],
        ),
        ("src/gtp", &["engine_config", "cli", "terminal", "score_file", "play::", "report", "analysis"]),
        (
            "src/analysis",
            &["logging", "engine_config", "cli", "terminal", "ren_db_file", "play::", "picture", "report"],
        ),
        ("src/report", &["gtp", "logging", "engine_config", "terminal", "ren_db_file", "play::"]),
        ("src/replay", &["cli", "terminal", "play::", "picture", "report"]),
        ("src/memory.rs", &[""]),
        ("src/play", &["logging", "engine_config", "terminal", "ren_db_file", "picture", "report"]),
        ("src/progress.rs", &[""]),
    ];
    let mut arrows = 0;
    for (place, rooms) in forbidden {
        for file in rust_files(&repository().join(place)) {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines().filter(|line| line.contains("crate::")) {
                arrows += 1;
                for room in rooms {
                    assert!(!line.contains(&format!("crate::{room}")), "{}: {line}", file.display());
                }
            }
        }
    }
    assert!(arrows > 5, "the test has found {arrows} imports only");
}

#[test]
fn the_kernel_is_pure() {
    for file in rust_files(&repository().join("src/kernel")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for word in
            ["std::fs", "std::io", "std::time", "std::env", "println!", "serde", "tracing", "unsafe", "static mut"]
        {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
}

/// Commands reach files through the data folder only, which may confine them.
#[test]
fn commands_open_no_file_themselves() {
    for file in rust_files(&repository().join("src/gtp")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for word in ["std::fs", "fs::", "File::", "files::read", "files::write"] {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
}

#[test]
fn architecture_names_every_module() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let source = repository().join("src");
    for file in rust_files(&source) {
        let name = file.file_name().unwrap().to_str().unwrap();
        // a module of the crate itself has a row of its own
        let row = if file.parent() == Some(&source) { format!("\n| `{name}` |") } else { name.to_owned() };
        assert!(text.contains(&row), "ARCHITECTURE.md does not name {}", file.display());
    }
}

fn rust_files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(place) else {
        return rust_files(&place.with_extension("rs")); // a module may be a file or a folder
    };
    for entry in entries.map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files.extend(rust_files(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
    files
}

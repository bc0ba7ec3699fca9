//! The house stays in order: imports point one way, and the list of modules is true.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::engine::repository;

/// What each module of the crate may use of the others: each has its row, and uses rows above its own only.
const MAY_USE: [(&str, &[&str]); 25] = [
    ("kernel", &[]),
    ("text", &[]),
    ("memory", &[]),
    ("progress", &[]),
    ("files", &[]),
    ("clock", &["kernel"]),
    ("net", &["kernel"]),
    ("sgf", &["kernel"]),
    ("picture", &["kernel"]),
    ("suite", &["kernel"]),
    ("ren_db_file", &["kernel", "text"]),
    ("search", &["kernel", "clock", "net"]),
    ("cli", &["kernel", "search"]),
    ("engine_config", &["kernel", "text", "search"]),
    ("logging", &["engine_config"]),
    ("gtp", &["kernel", "text", "memory", "files", "clock", "sgf", "picture", "ren_db_file", "search", "logging"]),
    ("terminal", &["text", "search", "gtp"]),
    ("bench", &["kernel", "net", "suite", "search", "cli"]),
    ("eval", &["kernel", "files", "net", "cli"]),
    ("score_file", &["kernel", "files", "sgf", "search"]),
    ("report", &["kernel", "files", "net", "sgf", "picture", "search", "cli"]),
    ("selfplay", &["kernel", "text", "net", "search", "cli"]),
    ("replay", &["kernel", "sgf", "search", "engine_config", "logging", "gtp"]),
    ("play", &["kernel", "text", "progress", "files", "net", "sgf", "search", "cli", "gtp"]),
    ("analysis", &["kernel", "text", "net", "sgf", "search", "gtp"]),
];

#[test]
fn imports_point_towards_the_kernel() {
    let source = repository().join("src");
    let mut rows = BTreeSet::new();
    let mut arrows = 0;
    for (module, may_use) in MAY_USE {
        assert!(may_use.iter().all(|used| rows.contains(used)), "{module} uses what stands below it");
        assert!(rows.insert(module), "{module} has two rows");
        for file in rust_files(&source.join(module)) {
            let text = std::fs::read_to_string(&file).unwrap();
            let used = used(&text, depth(&source, &file)).unwrap_or_else(|line| panic!("{}: {line}", file.display()));
            for used in used.iter().filter(|used| **used != module) {
                arrows += 1;
                assert!(may_use.contains(used), "{} uses {used}", file.display());
            }
        }
    }
    assert!(arrows > 100, "the test has found {arrows} imports only");
    for file in rust_files(&source) {
        let inside = file.strip_prefix(&source).unwrap().with_extension("");
        let module = inside.iter().next().unwrap().to_str().unwrap();
        // the list of modules and the shell around them all are above the rows
        assert!(["lib", "main"].contains(&module) || rows.contains(module), "{module} has no row");
    }
}

#[test]
fn an_import_that_hides_its_way_is_seen() {
    assert_eq!(used("use crate::gtp::Engine;\nfn f() { crate::sgf::read() }\n", 0), Ok(["gtp", "sgf"].into()));
    assert_eq!(used("use super::board;\nmod tests {\n    use super::super::line;\n}\n", 1), Ok([].into()));
    for hidden in [
        "use crate::{gtp::Engine, sgf};",
        "use crate::*;",
        "use super::super::gtp;",
        "    self::super::super::gtp::serve()",
        "use super::{super::gtp};",
        "    super::gtp::{\n    super::super::gtp,",
    ] {
        assert!(used(hidden, 1).is_err(), "{hidden}");
    }
    assert!(used("mod tests {\n    use super::*;\n}\nuse super::gtp;\n", 0).is_err(), "the module has ended");
}

/// The modules that a file names by their way from the crate, the file being so deep in a module of the crate.
///
/// # Errors
/// A line with a way that cannot be followed from here, or that climbs out of the module.
fn used(text: &str, depth: usize) -> Result<BTreeSet<&str>, &str> {
    let mut used = BTreeSet::new();
    // how the modules written in this file end
    let mut ends: Vec<String> = Vec::new();
    for line in text.lines() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        if code.ends_with(" {") && code.rsplit(' ').nth(2) == Some("mod") {
            ends.push(format!("{indent}}}"));
        }
        ends.pop_if(|end| *end == line);
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let name = rest.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_').next();
            used.insert(name.filter(|name| !name.is_empty()).ok_or(line)?);
        }
        let climb = (0..=depth + ends.len()).map(|_| "super::").collect::<String>();
        if line.contains(&climb) || line.contains("{super::") || (line.contains("use ") && line.contains(", super::")) {
            return Err(line);
        }
    }
    Ok(used)
}

/// How many modules are between a file and the crate, its own not counted where it is the crate's.
fn depth(source: &Path, file: &Path) -> usize {
    let way = file.strip_prefix(source).unwrap();
    way.iter().count() - 1 - usize::from(way.ends_with("mod.rs"))
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

/// Every file has its place in the table, but for tests, and nothing else has one.
#[test]
fn architecture_names_every_module() {
    let source = repository().join("src");
    let page = std::fs::read_to_string(repository().join("docs/ARCHITECTURE.md")).unwrap();
    let named = named(&page);
    let files = rust_files(&source).into_iter().filter(|file| !file.ends_with("tests.rs"));
    let files: BTreeSet<PathBuf> = files.map(|file| file.strip_prefix(&source).unwrap().to_owned()).collect();
    let wrong: Vec<_> = named.symmetric_difference(&files).collect();
    assert!(wrong.is_empty(), "not in the table of docs/ARCHITECTURE.md, or there only: {wrong:?}");
}

#[test]
fn a_file_is_named_with_its_folder() {
    let page = "`a.rs`
| `b.rs` | like `c.rs` |
| `d/e.rs`, `f.rs` | `g.rs` |
| `h/` | `h`: `i.rs`; `j/` `k.rs` |
";
    assert_eq!(named(page), ["b.rs", "d/e.rs", "d/f.rs", "h/i.rs", "h/j/k.rs"].map(PathBuf::from).into());
}

/// The files that a page's table names, each in the folder that was named last in its row. What a row of a folder says of
/// it names files too.
fn named(page: &str) -> BTreeSet<PathBuf> {
    let mut named = BTreeSet::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (names, said) = row.split_once("` |").unwrap();
        let said = if names.ends_with('/') { said } else { "" };
        let mut folder = PathBuf::new();
        for name in names.split("`, `").chain(said.split('`').skip(1).step_by(2)) {
            if name.ends_with('/') {
                folder.push(name);
            } else if name.ends_with(".rs") {
                let file = folder.join(name);
                folder = file.parent().unwrap().to_owned();
                named.insert(file);
            }
        }
    }
    named
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

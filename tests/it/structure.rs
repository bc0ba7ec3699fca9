//! The layout of `src`: no circle among files, folders that use those below them only, a pure kernel, plain names.
//!
//! `KIFUWARABE_STRUCTURE=1 cargo test --test it structure -- --nocapture` prints every arrow between two files, what each
//! folder uses, and the circles.

mod arrows;
mod modules;
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use arrows::{Arrow, arrows, circles, describe, edges};
use modules::{Sources, Tree};

use crate::engine::repository;

/// The arrows of the crate, and the files that no module names.
fn crate_arrows() -> (Vec<Arrow>, Vec<String>) {
    let source = repository().join("src");
    let mut sources = Sources::new();
    for file in rust_files(&source) {
        let name = file.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        sources.insert(name, std::fs::read_to_string(&file).unwrap());
    }
    let tree = Tree::new(env!("CARGO_PKG_NAME"), &sources).unwrap_or_else(|error| panic!("{error}"));
    (arrows(&tree), tree.unreached(&sources).into_iter().cloned().collect())
}

#[test]
fn no_circle_among_files() {
    let (arrows, unreached) = crate_arrows();
    assert!(unreached.is_empty(), "files of no module: {unreached:?}");
    assert!(arrows.len() > 300, "{} arrows only", arrows.len());
    let circles = circles(&arrows);
    let description = describe(&circles, &arrows);
    if std::env::var_os("KIFUWARABE_STRUCTURE").is_some() {
        println!("arrows:\n{}\nfolders:", edges(arrows.iter()));
        for (folder, used) in folders_used(&arrows) {
            println!("  {folder}: {used:?}");
        }
        println!("\n{description}");
    }
    assert!(circles.is_empty(), "{description}");
}

/// The folders that each folder uses, a file beside the folders counted as one.
fn folders_used(arrows: &[Arrow]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows {
        let (from, to) = (folder(&arrow.from), folder(&arrow.to));
        let used = used.entry(from).or_default();
        if from != to {
            used.insert(to);
        }
    }
    used
}

fn folder(file: &str) -> &str {
    file.split_once('/').map_or_else(|| file.trim_end_matches(".rs"), |(folder, _)| folder)
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
    let page = std::fs::read_to_string(architecture()).unwrap();
    let named = named(&page);
    let files = rust_files(&source).into_iter().filter(|file| !file.ends_with("tests.rs"));
    let files: BTreeSet<PathBuf> = files.map(|file| file.strip_prefix(&source).unwrap().to_owned()).collect();
    let wrong: Vec<_> = named.symmetric_difference(&files).collect();
    assert!(wrong.is_empty(), "not in the table of ARCHITECTURE.md, or there only: {wrong:?}");
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

/// The page with the table of files.
fn architecture() -> PathBuf {
    let pages = ["docs/ARCHITECTURE.md", "ARCHITECTURE.md"].map(|page| repository().join(page));
    pages.into_iter().find(|page| page.is_file()).unwrap()
}

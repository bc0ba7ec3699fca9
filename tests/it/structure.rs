//! The layout of `src`: no circle among files, folders that use only folders below them, a pure kernel, a bound on the
//! length of files, no replaced name of an option, no comment that begins with a question word, and the tables of
//! ARCHITECTURE.md, whose rows have the first sentences of the files' headers.
//!
//! `KIFUWARABE_STRUCTURE=1 cargo test --test it structure -- --nocapture` prints every arrow (dependency) between two
//! files with the items named, and the folders that each folder uses.

mod arrows;
mod modules;
mod names;
mod paths;
mod rows;
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use arrows::{Arrow, arrows, circles, describe, edges};
use modules::{Sources, Tree};
use paths::written_paths;

use crate::engine::repository;

/// Folders that do not use each other, each with the folders that it may use.
type Layer = &'static [(&'static str, &'static [&'static str])];

/// The folders of `src` in layers, the lowest first, each with the folders of lower layers that it may use; only
/// folders in use are listed. A file beside the folders counts as a folder; `lib.rs` has the engine's name and version.
const LAYERS: &[Layer] = &[
    &[("lib", &[])],
    &[("text", &[]), ("kernel", &[])],
    &[("io", &["text", "kernel"]), ("net", &["kernel"]), ("picture", &["text", "kernel"])],
    &[("sgf", &["lib", "text", "kernel"])],
    &[("playout", &["kernel"])],
    &[("search", &["kernel", "net", "playout"])],
    &[("player", &["kernel", "net", "playout", "search"])],
    &[("config", &["text", "kernel", "io", "net", "search", "player"])],
    &[("logging", &["text", "io", "config"])],
    &[("protocol", &["text", "kernel", "io", "net", "search", "player"])],
    &[("gtp", &["lib", "text", "kernel", "io", "net", "sgf", "picture", "search", "player", "logging", "protocol"])],
    &[
        ("analysis", &["lib", "text", "kernel", "net", "sgf", "search", "player", "protocol"]),
        ("replay", &["lib", "text", "kernel", "io", "sgf", "player", "config", "logging", "protocol", "gtp"]),
        ("tools", &["text", "kernel", "io", "net", "sgf", "playout", "search", "player", "config"]),
    ],
    &[
        ("report", &["lib", "text", "kernel", "io", "net", "sgf", "picture", "search", "player", "config", "protocol"]),
        ("terminal", &["lib", "text", "kernel", "io", "net", "sgf", "search", "player", "config", "protocol", "gtp"]),
        ("web", &["lib", "text", "kernel", "io", "sgf", "picture", "search", "player", "protocol", "gtp"]),
    ],
    &[(
        "cli",
        &[
            "lib", "text", "kernel", "io", "net", "sgf", "player", "config", "logging", "protocol", "gtp", "analysis",
            "replay", "tools", "report", "terminal", "web",
        ],
    )],
    &[("main", &["cli"])],
];

/// The maximum number of lines of a file in `src`, tests included.
const MAX_LINES: usize = 500;

/// Files that may be longer, each with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// The text of every file of `src`.
static SOURCES: LazyLock<Sources> = LazyLock::new(|| {
    let source = repository().join("src");
    let files = files(&source).into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.map(|file| (name(&source, &file), std::fs::read_to_string(&file).unwrap())).collect()
});

/// Every arrow between two files of `src`.
static ARROWS: LazyLock<Vec<Arrow>> = LazyLock::new(|| {
    let tree = Tree::new(env!("CARGO_PKG_NAME"), &SOURCES).unwrap_or_else(|error| panic!("{error}"));
    let unreached = tree.unreached(&SOURCES);
    assert!(unreached.is_empty(), "files of no module: {unreached:?}");
    let arrows = arrows(&tree);
    assert!(arrows.len() > 1000, "{} arrows only", arrows.len());
    arrows
});

#[test]
fn no_circle_among_files() {
    if std::env::var_os("KIFUWARABE_STRUCTURE").is_some() {
        println!("arrows:\n{}\nfolders:", edges(ARROWS.iter()));
        for (folder, used) in folders_used(&ARROWS) {
            println!("  {folder}: {:?}", used.keys().collect::<Vec<_>>());
        }
    }
    let circles = circles(&ARROWS);
    assert!(circles.is_empty(), "\n{}", describe(&circles, &ARROWS));
}

#[test]
fn folders_use_those_below_them() {
    let wrong = misuses(LAYERS, SOURCES.keys().map(|file| folder(file)).collect(), &ARROWS);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Folders without a row in the table, and uses that the table does not allow.
fn misuses(layers: &[Layer], folders: BTreeSet<&str>, arrows: &[Arrow]) -> Vec<String> {
    let rows: BTreeMap<&str, &[&str]> = layers.iter().flat_map(|layer| layer.iter().copied()).collect();
    let used = folders_used(arrows);
    let mut wrong = Vec::new();
    for folder in folders {
        let Some(may_use) = rows.get(folder) else {
            wrong.push(format!("{folder} has no row"));
            continue;
        };
        for (used, arrow) in used.get(folder).into_iter().flatten().filter(|(used, _)| !may_use.contains(used)) {
            let Arrow { from, line, path, to, .. } = arrow;
            wrong.push(format!("{folder} may not use {used}: {from}:{line} `{path}` -> {to}"));
        }
    }
    wrong
}

#[test]
fn folders_without_a_row_and_arrows_upwards_are_found() {
    let arrow = |from: &str, to: &str| {
        let (from, to, path, item) = (from.to_owned(), to.to_owned(), "x::X".to_owned(), "X".to_owned());
        Arrow { from, to, line: 3, path, item }
    };
    let layers: &[Layer] = &[&[("a", &[])], &[("b", &["a"]), ("c", &["a"])]];
    let arrows =
        [arrow("b/x.rs", "a/y.rs"), arrow("c.rs", "b/x.rs"), arrow("a/y.rs", "c.rs"), arrow("a/y.rs", "a/z.rs")];
    let expected =
        ["a may not use c: a/y.rs:3 `x::X` -> c.rs", "c may not use b: c.rs:3 `x::X` -> b/x.rs", "d has no row"];
    assert_eq!(misuses(layers, ["a", "b", "c", "d"].into(), &arrows), expected);
}

#[test]
fn the_layers_allow_only_arrows_that_exist() {
    let used = folders_used(&ARROWS);
    let mut below = BTreeSet::new();
    let mut wrong = Vec::new();
    for layer in LAYERS {
        for (folder, may_use) in *layer {
            for allowed in *may_use {
                assert!(below.contains(allowed), "{folder} is allowed {allowed}, which is no folder below it");
                if !used.get(folder).is_some_and(|used| used.contains_key(allowed)) {
                    wrong.push(format!("{folder} does not use {allowed}"));
                }
            }
        }
        for (folder, _) in *layer {
            assert!(below.insert(folder), "{folder} has two rows");
            let place = repository().join("src").join(folder);
            if !place.is_dir() && !place.with_extension("rs").is_file() {
                wrong.push(format!("{folder} does not exist"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The folders that each folder uses, with one arrow for each.
fn folders_used(arrows: &[Arrow]) -> BTreeMap<&str, BTreeMap<&str, &Arrow>> {
    let mut used: BTreeMap<&str, BTreeMap<&str, &Arrow>> = BTreeMap::new();
    for arrow in arrows {
        let (from, to) = (folder(&arrow.from), folder(&arrow.to));
        if from != to {
            used.entry(from).or_default().entry(to).or_insert(arrow);
        }
    }
    used
}

/// The folder of a file of `src`; a file beside the folders is its own.
fn folder(file: &str) -> &str {
    file.split_once('/').map_or_else(|| file.trim_end_matches(".rs"), |(folder, _)| folder)
}

#[test]
fn the_kernel_is_pure() {
    let mut count = 0;
    for (file, text) in SOURCES.iter().filter(|(file, _)| folder(file) == "kernel") {
        for (path, line) in written_paths(text) {
            count += 1;
            assert!(is_pure(&path), "kernel: {file}:{line}: {}", path.join("::"));
        }
        assert!(!text.contains("static mut"), "{file}");
    }
    assert!(count > 1000, "{count} paths only");
}

/// Whether a path leads to nothing that reads or writes outside memory.
fn is_pure(path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["std"] => false, // `use std::*`
        ["std", "fs" | "io" | "time" | "env" | "net" | "process" | "thread", ..] => false,
        ["serde" | "serde_json" | "tracing" | "unsafe", ..] => false,
        ["print" | "println" | "eprint" | "eprintln" | "dbg"] => false,
        _ => true,
    }
}

/// Commands reach files through the data folder only, which may confine them.
#[test]
fn commands_open_no_file_themselves() {
    for (file, text) in SOURCES.iter().filter(|(file, _)| folder(file) == "gtp") {
        for (path, line) in written_paths(text) {
            assert!(!opens_files(&path), "gtp: {file}:{line}: {}", path.join("::"));
        }
    }
}

fn opens_files(path: &[String]) -> bool {
    path.iter().any(|name| ["fs", "File", "OpenOptions"].contains(&name.as_str()))
        || path
            .windows(2)
            .any(|pair| pair[0] == "files" && (pair[1].starts_with("read") || pair[1].starts_with("write")))
}

#[test]
fn grouped_imports_are_seen_by_both_checks() {
    let paths = |text: &str| written_paths(text).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    for text in
        ["use std::{fmt, io::{self, Write}};", "use std::{mem, fs};", "fn f() { std::env::args(); }", "use std::*;"]
    {
        assert!(!paths(text).iter().all(|path| is_pure(path)), "{text}");
    }
    assert!(paths("use std::{fmt, mem};\nfn f(io: u8, x: T) { io + x.time() }").iter().all(|path| is_pure(path)));
    for text in ["use crate::{files::{DataFolder, read}};", "use std::{fs as f, mem};", "fn f() { g!(File::open(x)) }"]
    {
        assert!(paths(text).iter().any(|path| opens_files(path)), "{text}");
    }
    assert!(!paths("use crate::files::DataFolder;\nfn f() { x.files.read() }").iter().any(|path| opens_files(path)));
}

#[test]
fn no_file_is_too_long() {
    let mut wrong = Vec::new();
    for (file, text) in &*SOURCES {
        let lines = text.lines().count();
        let is_listed = LONG_FILES.iter().any(|(long, _)| long == file);
        if (lines > MAX_LINES) != is_listed {
            let what = if is_listed { "is listed as long and is not" } else { "split it" };
            wrong.push(format!("{file}: {lines} lines: {what}"));
        }
    }
    wrong.extend(
        LONG_FILES
            .iter()
            .filter(|(file, _)| !SOURCES.contains_key(*file))
            .map(|(file, _)| format!("{file}: no such file")),
    );
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_replaced_option_name_or_vague_comment_is_left() {
    let root = repository();
    let places = ["src", "tests", "docs", "examples", "benches", "fuzz/src", "README.md"].map(|place| root.join(place));
    let kinds = ["rs", "md", "css", "js", "html"];
    let is_text =
        |file: &PathBuf| file.extension().is_some_and(|extension| kinds.iter().any(|kind| extension == *kind));
    let is_foreign = |file: &PathBuf| file.components().any(|part| part.as_os_str() == "node_modules");
    let texts = places.iter().flat_map(|place| files(place)).filter(|file| is_text(file) && !is_foreign(file));
    let mut count = 0;
    let mut wrong = Vec::new();
    for path in texts {
        count += 1;
        let (file, text) = (name(&root, &path), std::fs::read_to_string(&path).unwrap());
        wrong.extend(names::replaced(&file, &text));
        wrong.extend(names::vague(&file, &text));
    }
    assert!(count > 100, "{count} files only");
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_name_has_several_meanings() {
    let several = names::several_meanings(&SOURCES);
    assert!(several.is_empty(), "\n{}", several.join("\n"));
}

/// The tables of the page list every file except tests, and nothing else.
#[test]
fn architecture_names_every_module() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let named = named(&page);
    let files: BTreeSet<PathBuf> =
        SOURCES.keys().map(PathBuf::from).filter(|file| !file.ends_with("tests.rs")).collect();
    let wrong: Vec<_> = named.symmetric_difference(&files).collect();
    assert!(wrong.is_empty(), "not in the table of ARCHITECTURE.md, or there only: {wrong:?}");
}

/// `UPDATE_EXPECT=1 cargo test structure` rewrites the rows from the headers.
#[test]
fn architecture_has_the_headers_of_the_modules() {
    let path = repository().join("ARCHITECTURE.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let expected = rows::with_headers(&page, &SOURCES);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    let wrong: Vec<&str> =
        expected.lines().zip(page.lines()).filter(|(row, old)| row != old).map(|(row, _)| row).collect();
    assert!(wrong.is_empty(), "rows that differ from the headers, rewritten by UPDATE_EXPECT=1:\n{}", wrong.join("\n"));
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

/// The files named in a page's tables, each in the folder named last in its row. In the row of a folder the description
/// also names files.
fn named(page: &str) -> BTreeSet<PathBuf> {
    let mut named = BTreeSet::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (names, description) = row.split_once("` |").unwrap();
        let description = if names.ends_with('/') { description } else { "" };
        let mut folder = PathBuf::new();
        for name in names.split("`, `").chain(description.split('`').skip(1).step_by(2)) {
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

/// A file's path from a folder, with `/`.
fn name(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")
}

/// The files of a folder and its subfolders, or the file itself; empty if the path does not exist.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten();
    entries.flat_map(|entry| files(&entry.unwrap().path())).collect()
}

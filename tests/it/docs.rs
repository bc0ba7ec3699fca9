//! README.md and `docs/` agree with the program: tables with the commands and keys, examples with their output, links
//! with files.
//!
//! The info string of a code block selects its check:
//!
//! | block | check |
//! | --- | --- |
//! | `gtp` | a new engine gets the first line of each paragraph and must answer the rest; `set=KEY=VALUE` configures it, with `shape` numbers and points may differ |
//! | `sh` | runs if it calls our program; the blocks of a page share one folder and run in order. `fails=N`: exits with N; `needs=PROGRAM`: runs unless that is not installed |
//! | `sh no-run` | follows a comment `<!-- no-run: REASON -->`; only the options of our program must be valid |
//! | `text output`, `text stderr` | standard output or error of the `sh` block before |
//! | `text` | nothing, so it may hold no answer of GTP |
//! | `toml`, `json` | is a configuration, is JSON; `toml dependency`: is TOML |
//! | `rust` | is a doctest of the crate, unless it has `ignore` |
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::engine::{Folder, repository};

/// A Markdown file.
#[derive(Default)]
struct Page {
    /// Its path from the repository's root.
    path: PathBuf,
    blocks: Vec<Block>,
    tables: Vec<Table>,
    /// The anchors of its headings.
    anchors: BTreeSet<String>,
    /// Destinations of links and images.
    links: Vec<String>,
}

/// A fenced code block.
struct Block {
    language: String,
    /// The words of the info string after the language.
    words: Vec<String>,
    text: String,
    /// The HTML comment just before it.
    comment: String,
}

/// A table, each cell as text with its code spans in backquotes.
#[derive(Default)]
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Block {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// The arguments of each line that calls our program, up to the next command of the line.
    fn calls(&self) -> impl Iterator<Item = Vec<&str>> {
        let segments =
            self.text.lines().flat_map(|line| line.split(" #").next().unwrap_or_default().split(['|', '>', '<']));
        segments.filter_map(|command| {
            let command = command.trim().trim_end_matches('\\');
            let ours = ["kifuwarabe-uec14 ", "cargo run --release -- "];
            Some(ours.iter().find_map(|program| command.strip_prefix(program))?.split_whitespace().collect())
        })
    }

    /// The value of a word `NAME=VALUE`.
    fn value(&self, name: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}

impl Page {
    fn read(path: &Path) -> Page {
        let text = std::fs::read_to_string(repository().join(path)).unwrap();
        Page { path: path.to_owned(), ..Page::parse(&text) }
    }

    fn parse(text: &str) -> Page {
        let mut page = Page::default();
        let mut comment = String::new();
        // the text of the current heading, cell or code block
        let mut words = String::new();
        let mut slugs: BTreeMap<String, usize> = BTreeMap::new();
        let mut row = Vec::new();
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match &kind {
                        CodeBlockKind::Fenced(info) => info.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    let mut info = info.split([' ', ',']).map(str::to_owned);
                    let language = info.next().unwrap_or_default();
                    let comment = std::mem::take(&mut comment);
                    page.blocks.push(Block { language, words: info.collect(), text: String::new(), comment });
                    words.clear();
                }
                Event::End(TagEnd::CodeBlock) => {
                    page.blocks.last_mut().unwrap().text = std::mem::take(&mut words);
                }
                Event::Start(Tag::Heading { .. } | Tag::TableCell) => words.clear(),
                Event::End(TagEnd::Heading(_)) => {
                    let slug = slug(&words);
                    let count = slugs.entry(slug.clone()).or_default();
                    page.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                    *count += 1;
                }
                Event::Start(Tag::Table(_)) => page.tables.push(Table::default()),
                Event::End(TagEnd::TableCell) => row.push(words.trim().to_owned()),
                Event::End(TagEnd::TableHead) => page.tables.last_mut().unwrap().header = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => page.tables.last_mut().unwrap().rows.push(std::mem::take(&mut row)),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let sources = html.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
                    page.links.extend(sources.map(str::to_owned));
                    comment = html.to_string();
                }
                Event::Text(text) => words += &text,
                Event::Code(code) => words += &format!("`{code}`"),
                Event::SoftBreak => words.push(' '),
                _ => {}
            }
        }
        page
    }

    /// The rows of all tables whose first column has this title.
    fn rows(&self, title: &str) -> impl Iterator<Item = &Vec<String>> {
        let tables = self.tables.iter().filter(move |table| table.header.first().is_some_and(|first| first == title));
        tables.flat_map(|table| &table.rows)
    }
}

/// The anchor of a heading, as forges and mdBook make it.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The text of a cell that is one code span.
#[track_caller]
fn code(cell: &str) -> &str {
    let code = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`')).filter(|code| !code.contains('`'));
    code.unwrap_or_else(|| panic!("{cell}: expected one code span"))
}

/// The Markdown files of a folder.
fn pages_in(folder: &str) -> Vec<Page> {
    let entries = std::fs::read_dir(repository().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.iter().map(|name| Page::read(&Path::new(folder).join(name))).collect()
}

/// All documentation for users.
fn pages() -> Vec<Page> {
    let mut pages = vec![Page::read(Path::new("README.md"))];
    pages.extend(pages_in("docs"));
    pages
}

/// A folder as the examples expect it: the repository's data, a game record, and a configuration for short searches.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path().join("engine.toml"), "[Search]\nMemoryMB = 64\nSeconds = 0.5\n").unwrap();
    let record = "(;FF[4]GM[1]SZ[9]KM[6.5];B[ee];W[ge])\n";
    std::fs::write(folder.path().join("game.sgf"), record).unwrap();
    std::fs::create_dir(folder.path().join("games")).unwrap();
    folder
}

/// A text with time stamps of both logs replaced by `TIME` and the folder by `FOLDER`, without spaces at the ends of
/// lines.
fn masked(text: &str, folder: &Folder) -> String {
    let here = folder.path().canonicalize().unwrap();
    let text = text.replace(here.to_str().unwrap(), "FOLDER");
    let mut masked = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let stamp =
            ["dddd-dd-ddTdd:dd:dd.ddd+dddd", "dddd-dd-dd dd:dd:dd"].into_iter().find(|shape| has_shape(rest, shape));
        let length = stamp.map_or(first.len_utf8(), str::len);
        masked += if stamp.is_some() { "TIME" } else { &rest[..length] };
        rest = &rest[length..];
    }
    let lines: Vec<&str> = masked.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(found, wanted)| match wanted {
            b'd' => found.is_ascii_digit(),
            b'+' => b"+-".contains(&found),
            wanted => found == wanted,
        })
}

/// The part of an analysis that is the same in every search: the words of its lines without numbers and points, and of
/// each line the fields of the first move only.
fn shape(text: &str) -> String {
    let is_word = |word: &&str| !word.starts_with(|first: char| first.is_ascii_digit() || first == '-' || first == '0');
    let is_point = |word: &str| word == "pass" || word.chars().any(|c| c.is_ascii_digit());
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let first = line.split(" info ").next().unwrap_or_default();
        let words: Vec<&str> = first.split(' ').filter(is_word).filter(|word| !is_point(word)).collect();
        lines.push(words.join(" "));
    }
    lines.dedup();
    lines.join("\n")
}

/// Compares output with the text of a page. `...` at the end of a line matches any rest of the line, and as a line of
/// its own all further lines.
#[track_caller]
fn compare(place: &str, found: &str, expected: &str) {
    let mut lines = found.lines();
    for wanted in expected.lines() {
        if wanted == "..." {
            return;
        }
        let line = lines.next().unwrap_or_default();
        let is_same = wanted.strip_suffix("...").map_or(line == wanted, |begin| line.starts_with(begin));
        assert!(is_same, "{place}:\n expected {wanted}\n found    {line}\nin\n{found}");
    }
    assert_eq!(lines.next(), None, "{place}: more lines in\n{found}");
}

/// The answers to commands, without their empty lines.
fn ask(folder: &Folder, settings: &[&str], commands: &str) -> Vec<String> {
    let arguments: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let output = folder.run(&arguments, commands.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    answers.trim_end_matches('\n').split("\n\n").map(|answer| masked(answer, folder)).collect()
}

#[test]
fn commands_page_lists_every_command_with_its_arguments() {
    let folder = folder();
    let list = ask(&folder, &[], "list_commands\n").concat();
    let engine: BTreeSet<&str> = list.trim_start_matches('=').split_whitespace().collect();
    let page = Page::read(Path::new("docs/commands.md"));
    let rows: Vec<&str> = page.rows("Command").map(|row| code(&row[0])).collect();
    let names: Vec<&str> = rows.iter().map(|usage| usage.split(' ').next().unwrap()).collect();
    let documented: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(documented.len(), names.len(), "a command is listed twice");
    assert_eq!(documented, engine, "commands of docs/commands.md, commands of the engine");
    let questions: String = names.iter().map(|name| format!("help {name}\n")).collect();
    for (usage, help) in rows.iter().zip(ask(&folder, &[], &questions)) {
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(usage), "docs/commands.md: {usage}\nhelp: {help}");
    }
}

#[test]
fn every_subcommand_and_option_is_documented() {
    let folder = folder();
    let help =
        |arguments: &[&str]| String::from_utf8(folder.run(&[arguments, &["--help"]].concat(), b"").stdout).unwrap();
    let main = help(&[]);
    let list = main.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let subcommands: BTreeSet<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let page = Page::read(Path::new("docs/configuration.md"));
    let documented: BTreeSet<&str> = page.rows("Subcommand").map(|row| code(&row[0])).collect();
    assert_eq!(documented, subcommands, "docs/configuration.md, --help");
    let names = pages_in("docs").into_iter().map(|page| page.path);
    let text: String = names.map(|path| std::fs::read_to_string(repository().join(path)).unwrap()).collect();
    let mut count = 0;
    for subcommand in subcommands.iter().map(|name| vec![*name]).chain([Vec::new()]) {
        let help = help(&subcommand);
        let words = help.lines().filter(|line| line.trim_start().starts_with('-')).flat_map(str::split_whitespace);
        for option in words.filter(|word| word.starts_with("--")) {
            let option = option.trim_end_matches(',');
            count += 1;
            // a hidden option, to which KataGo's `-config` is mapped
            assert!(option == "--katago-config" || text.contains(option), "{subcommand:?} {option}");
        }
    }
    assert!(count > 30, "{count} options");
}

/// The keys of the printed configuration with their values as TOML.
fn printed_keys(folder: &Folder, arguments: &[&str]) -> BTreeMap<String, String> {
    std::fs::remove_file(folder.path().join("engine.toml")).unwrap_or_default();
    let output = folder.run(&[arguments, &["--print-config"]].concat(), b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let here = folder.path().canonicalize().unwrap();
    let text = text.replace(&format!("{}/", here.display()), "");
    let sections: toml::Table = text.parse().unwrap();
    let pairs = sections.iter().flat_map(|(section, keys)| {
        let keys = keys.as_table().unwrap().iter();
        keys.map(move |(key, value)| (format!("{section}.{key}"), value.to_string()))
    });
    pairs.collect()
}

#[test]
fn configuration_page_lists_every_key_with_its_default() {
    let page = Page::read(Path::new("docs/configuration.md"));
    let rows = page.rows("Key").map(|row| (code(&row[0]).to_owned(), code(&row[1]).to_owned()));
    let documented: BTreeMap<String, String> = rows.collect();
    assert_eq!(documented.len(), page.rows("Key").count(), "a key is listed twice");
    assert_eq!(documented, printed_keys(&folder(), &[]), "docs/configuration.md, --print-config");
}

#[test]
fn configuration_page_names_ranges_and_words_that_the_engine_accepts() {
    let folder = folder();
    let page = Page::read(Path::new("docs/configuration.md"));
    let refusal = |set: &str| {
        let output = folder.run(&["--set", set, "--print-config"], b"");
        String::from_utf8(output.stderr).unwrap()
    };
    let mut ranges = 0;
    for row in page.rows("Key") {
        let (key, values) = (code(&row[0]), &row[2]);
        if values.contains(" to ") {
            ranges += 1;
            let text = refusal(&format!("{key}=-999999999999"));
            assert!(text.contains(&format!("expected {values}, found")), "{key}: {values}\n{text}");
        }
        for word in values.split('`').skip(1).step_by(2) {
            assert_eq!(refusal(&format!("{key}={word}")), "", "{key}");
        }
    }
    assert!(ranges > 30, "{ranges} keys with a range");
}

#[test]
fn old_names_of_keys_are_accepted() {
    let folder = folder();
    let page = Page::read(Path::new("docs/configuration.md"));
    let defaults = printed_keys(&folder, &[]);
    let rows: Vec<_> = page.rows("Old name").collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (old, new) = (code(&row[0]), code(&row[1]));
        assert!(!defaults.contains_key(old), "{old} is no old name");
        let value = if defaults[new].contains('.') { "1.0" } else { "1" };
        let keys = printed_keys(&folder, &["--set", &format!("{old}={value}")]);
        assert_eq!(keys[new], value, "{old}");
    }
}

#[test]
fn gtp_examples_give_their_answers() {
    let mut count = 0;
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.language == "gtp") {
            let folder = folder();
            let settings: Vec<&str> = ["Log.Console=off"].into_iter().chain(block.value("set")).collect();
            let paragraphs: Vec<&str> = block.text.trim_end().split("\n\n").collect();
            let (commands, expected): (Vec<&str>, Vec<&str>) =
                paragraphs.iter().map(|text| text.split_once('\n').unwrap_or((text, ""))).unzip();
            let answers = ask(&folder, &settings, &(commands.join("\n") + "\n"));
            for ((command, expected), found) in commands.iter().zip(&expected).zip(&answers) {
                count += 1;
                let place = format!("{}: {command}", page.path.display());
                let (found, expected) = (found.clone(), masked(expected, &folder));
                if block.has("shape") {
                    assert_eq!(shape(&found), shape(&expected), "{place}");
                } else {
                    compare(&place, &found, &expected);
                }
            }
            assert_eq!(answers.len(), expected.len(), "{}", page.path.display());
        }
    }
    assert!(count > 80, "{count} commands");
}

/// Runs a block in a shell where our program is found by its name.
fn run(block: &Block, folder: &Folder) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
    let path = std::env::var("PATH").unwrap_or_default();
    let script = block.text.replace("cargo run --release -- ", "kifuwarabe-uec14 ");
    let mut shell = Command::new("sh");
    shell.args(["-euc", &script]).current_dir(folder.path()).stdin(Stdio::null());
    shell.env("PATH", format!("{}:{path}", program.parent().unwrap().display()));
    shell.output().unwrap()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn shell_examples_run_and_print_what_is_shown() {
    let mut count = 0;
    for page in pages() {
        let folder = folder();
        let mut last: Option<Output> = None;
        for block in &page.blocks {
            let place = format!("{}:\n{}", page.path.display(), block.text);
            match block.language.as_str() {
                "sh" if !block.has("no-run") && (block.calls().next().is_some() || block.value("needs").is_some()) => {
                    let foreign = ["cargo ", "curl ", "git ", "npm ", "pip", "python", "rustup ", "sudo "];
                    let calls_foreign = |line: &str| foreign.iter().any(|program| line.trim().starts_with(program));
                    let ours = block.text.replace("cargo run --release -- ", "");
                    assert!(!ours.lines().any(calls_foreign), "{place} is not for a test to run");
                    if let Some(program) = block.value("needs").filter(|program| !is_installed(program)) {
                        eprintln!("SKIPPED: there is no {program}: {place}");
                        last = None;
                        continue;
                    }
                    count += 1;
                    let output = run(block, &folder);
                    let code = block.value("fails").map_or(0, |code| code.parse().unwrap());
                    let stderr = String::from_utf8_lossy(&output.stderr);
                    assert_eq!(output.status.code(), Some(code), "{place}{stderr}");
                    last = Some(output);
                }
                "text" if block.has("output") || block.has("stderr") => {
                    let Some(output) = &last else { continue };
                    let bytes = if block.has("output") { &output.stdout } else { &output.stderr };
                    let found = masked(&String::from_utf8_lossy(bytes), &folder);
                    compare(&place, &found, &masked(&block.text, &folder));
                }
                "sh" => last = None,
                _ => {}
            }
        }
    }
    assert!(count >= 15, "{count} blocks");
}

#[test]
fn options_of_examples_that_are_not_run_are_valid() {
    let folder = folder();
    let mut count = 0;
    // the examples of training take hours, so only their options are checked
    let training = ["data", "train"].into_iter().flat_map(pages_in).map(|page| (page, true));
    for (page, is_training) in pages().into_iter().map(|page| (page, false)).chain(training) {
        for block in page.blocks.iter().filter(|block| block.language == "sh" && (is_training || block.has("no-run"))) {
            let place = format!("{}:\n{}", page.path.display(), block.text);
            let reason = block.comment.trim().strip_prefix("<!-- no-run: ").and_then(|rest| rest.strip_suffix("-->"));
            assert!(
                is_training || reason.is_some_and(|reason| reason.len() > 10),
                "{place} expected the reason before it"
            );
            for call in block.calls() {
                count += 1;
                // help is printed only if the options before it are valid
                let output = folder.run(&[call.as_slice(), &["--help"]].concat(), b"");
                assert!(output.status.success(), "{call:?}\n{}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    assert!(count >= 3, "{count} lines");
}

#[test]
fn every_block_has_a_language_that_is_checked() {
    let folder = folder();
    for page in pages() {
        for block in &page.blocks {
            let place = format!("{}:\n{}", page.path.display(), block.text);
            match block.language.as_str() {
                "gtp" | "sh" => {}
                "rust" if block.has("ignore") => {}
                "rust" => assert!(
                    ["docs/library.md", "docs/ARCHITECTURE.md"].iter().any(|path| page.path == Path::new(path)),
                    "{place} is no doctest"
                ),
                "text" => {
                    let is_answer =
                        |line: &str| ["=", "?"].contains(&line) || line.starts_with("= ") || line.starts_with("? ");
                    assert!(!block.text.lines().any(is_answer), "{place} expected `gtp`");
                }
                "toml" if block.has("dependency") => drop(block.text.parse::<toml::Table>().expect(&place)),
                "toml" => {
                    std::fs::write(folder.path().join("example.toml"), &block.text).unwrap();
                    let output = folder.run(&["-f", "example.toml", "--print-config"], b"");
                    assert!(output.status.success(), "{place}{}", String::from_utf8_lossy(&output.stderr));
                }
                "json" => {
                    let values = serde_json::Deserializer::from_str(&block.text).into_iter::<serde_json::Value>();
                    let values: Vec<_> = values.map(|value| value.expect(&place)).collect();
                    assert!(!values.is_empty(), "{place}");
                    for caller in values.iter().filter_map(|value| value["caller"].as_str()) {
                        let file = caller.split(':').next().unwrap();
                        assert!(repository().join("src").join(file).exists(), "{place} has no {file}");
                    }
                }
                language => panic!("{place} has the language {language:?}"),
            }
        }
    }
}

#[test]
fn links_have_targets() {
    let mut all = pages();
    all.extend(pages_in("data"));
    all.extend(pages_in("train"));
    let mut broken = Vec::new();
    for page in &all {
        let folder = page.path.parent().unwrap();
        for link in page.links.iter().filter(|link| !link.starts_with("https://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.path.clone() } else { folder.join(file) };
            let is_there = repository().join(&target).exists();
            let is_markdown = target.extension().is_some_and(|extension| extension == "md");
            let has_anchor = || anchor.is_empty() || (is_markdown && Page::read(&target).anchors.contains(anchor));
            if !is_there || !has_anchor() {
                broken.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn summary_lists_every_page_once() {
    let summary = Page::read(Path::new("docs/SUMMARY.md"));
    let mut listed = summary.links;
    listed.sort();
    let pages = pages_in("docs").into_iter().map(|page| page.path.file_name().unwrap().to_str().unwrap().to_owned());
    let mut pages: Vec<String> = pages.filter(|name| name != "SUMMARY.md").collect();
    pages.sort();
    assert_eq!(listed, pages, "docs/SUMMARY.md, files of docs");
}

#[test]
fn readme_is_at_most_200_lines_long() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 200, "{} lines", readme.lines().count());
}

#[test]
fn the_book_builds() {
    if !is_installed("mdbook") {
        eprintln!("SKIPPED: there is no mdbook: the book was not built");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let book = Command::new("mdbook").arg("build").arg(repository().join("docs")).arg("-d").arg(folder.path()).output();
    let book = book.unwrap();
    let stderr = String::from_utf8_lossy(&book.stderr);
    assert!(book.status.success() && !stderr.contains("ERROR"), "{stderr}");
    assert!(folder.path().join("commands.html").exists(), "{stderr}");
}

#[test]
fn pages_are_parsed_as_renderers_show_them() {
    let page = Page::parse(
        "# `[Search]`, a *b*\n\n## Twice\n\n## Twice\n\n| Key | b |\n| --- | --- |\n| `x \\| y` | z [l](m.md#n) |\n\n\
         <!-- no-run: why -->\n```sh no-run fails=2\ntext\n```\n\n<img src=\"p.svg\" alt=\"\">\n",
    );
    assert_eq!(page.anchors, ["search-a-b", "twice", "twice-1"].map(str::to_owned).into());
    assert_eq!(page.rows("Key").collect::<Vec<_>>(), [&["`x | y`".to_owned(), "z l".to_owned()]]);
    assert_eq!(code("`x | y`"), "x | y");
    assert_eq!(page.links, ["m.md#n", "p.svg"]);
    let block = &page.blocks[0];
    assert_eq!((block.language.as_str(), block.text.as_str()), ("sh", "text\n"));
    assert_eq!(
        (block.has("no-run"), block.value("fails"), block.comment.trim()),
        (true, Some("2"), "<!-- no-run: why -->")
    );
}

#[test]
fn run_dependent_text_is_masked() {
    let folder = Folder::new();
    let here = folder.path().canonicalize().unwrap();
    let text = format!("[2026-11-21 15:17:47]\t# a \n2026-11-21T15:17:47.941-0300 {}/b\n\n", here.display());
    assert_eq!(masked(&text, &folder), "[TIME]\t# a\nTIME FOLDER/b");
    let line = "info move E5 visits 27 winrate 0.5 lcb -0.1 order 0 pv E5 pass info move F6 visits 1";
    assert_eq!(shape(&format!("=\n{line}\nplay E5")), "=\ninfo move visits winrate lcb order pv\nplay");
}

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

mod compatibility;
mod examples;
mod links;
mod output;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::engine::repository;

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

    /// The commands of all lines, without comments. A line that ends with a backslash is continued by the next one, and
    /// the aliases that the block defines are replaced by their commands.
    fn commands(&self) -> Vec<String> {
        let (mut commands, mut aliases) = (Vec::new(), BTreeMap::new());
        for line in self.text.replace("\\\n", " ").lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            if let Some((name, command)) = line.strip_prefix("alias ").and_then(|alias| alias.split_once('=')) {
                aliases.insert(name.to_owned(), command.trim_matches(['"', '\'']).to_owned());
                continue;
            }
            for command in line.split(['|', '>', '<']).map(str::trim) {
                let (name, arguments) = command.split_once(' ').unwrap_or((command, ""));
                let name = aliases.get(name).map_or(name, String::as_str);
                commands.push(format!("{name} {arguments}"));
            }
        }
        commands
    }

    /// The arguments of each command that is our program.
    fn calls(&self) -> Vec<Vec<String>> {
        let ours = ["kifuwarabe-uec14 ", "cargo run --release -- "];
        let commands = self.commands();
        let arguments = commands.iter().filter_map(|command| ours.iter().find_map(|our| command.strip_prefix(our)));
        arguments.map(|arguments| arguments.split_whitespace().map(str::to_owned).collect()).collect()
    }

    /// The scripts of `train/` that the commands start, each with its options. A text in quotation marks is no option.
    fn scripts(&self) -> Vec<(String, Vec<String>)> {
        let scripts = self.commands().into_iter().filter_map(|command| {
            let (launcher, arguments) = command.split_once(" train/")?;
            let is_started = ["python3", "torchrun"].iter().any(|program| launcher.starts_with(program));
            let (script, arguments) =
                arguments.split_once(' ').filter(|(script, _)| is_started && script.ends_with(".py"))?;
            let unquoted: String = arguments.split('\'').step_by(2).collect();
            let options = unquoted.split_whitespace().filter(|word| word.starts_with("--"));
            Some((format!("train/{script}"), options.map(str::to_owned).collect()))
        });
        scripts.collect()
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
    let mut pages = Vec::from(["README.md", "ARCHITECTURE.md"].map(|name| Page::read(Path::new(name))));
    pages.extend(pages_in("docs"));
    pages
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
    let block = Page::parse(
        "```sh\nalias labels=\"kifuwarabe-uec14 --set a=b labels\"\nlabels --out x \\\n  --size 9 # a comment\n\
         python3 train/ends.py w --rate 1 --positions '--size 9'\n```\n",
    );
    let block = &block.blocks[0];
    assert_eq!(block.calls(), [["--set", "a=b", "labels", "--out", "x", "--size", "9"]]);
    let options = ["--rate", "--positions"].map(str::to_owned);
    assert_eq!(block.scripts(), [("train/ends.py".to_owned(), options.to_vec())]);
    let block = &page.blocks[0];
    assert_eq!((block.language.as_str(), block.text.as_str()), ("sh", "text\n"));
    assert_eq!(
        (block.has("no-run"), block.value("fails"), block.comment.trim()),
        (true, Some("2"), "<!-- no-run: why -->")
    );
}

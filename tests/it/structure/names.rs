//! Rules for names and comments: replaced names of options are not used, some names have one meaning only, and a comment
//! begins with its subject.

use std::collections::BTreeMap;

use kifuwarabe_uec14::player::options::RENAMED;
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemImpl, Signature};

use super::modules::Sources;

/// Names that only one type or function of `src` may have.
const ONE_MEANING: &[&str] = &["Answer", "Candidate", "Command", "Game", "Kind", "Purpose", "Report", "is_sensible"];

/// Files that may contain replaced names of options, which stay valid in configurations, scripts and logs.
const ABOUT_REPLACED_NAMES: &[&str] = &[
    "src/player/options.rs",
    "src/config/tests.rs",
    "src/replay/option_names.rs",
    "docs/CHANGELOG.md",
    "docs/configuration.md",
    "tests/it/option_names.rs",
    "tests/it/replay/logs.rs",
    "tests/it/structure/names.rs",
];

/// The uses of replaced option names in a file, given by its path from the repository: one line for each, with the present
/// name.
pub fn replaced(file: &str, text: &str) -> Vec<String> {
    // scripts of pages have texts for people, and no configuration
    if ABOUT_REPLACED_NAMES.contains(&file) || file.ends_with(".js") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for (old, new) in RENAMED {
            if words(line, old).any(|at| is_key_there(line, at, old.len(), file.ends_with(".rs"))) {
                found.push(format!("{file}:{number}: {old}, now {new}"));
            }
        }
    }
    found
}

/// The positions of a name in a line as a whole word.
fn words<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |at| !line[..*at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part))
}

/// Whether a word is used as a configuration key: in quotes, before `=`, or after a command that takes a key. In code,
/// backticks do not count, since they may enclose a type in a comment.
fn is_key_there(line: &str, at: usize, length: usize, is_code: bool) -> bool {
    let (before, behind) = (&line[..at], &line[at + length..]);
    let quotes = if is_code { &['"'] as &[char] } else { &['"', '`', '\''] };
    let is_quoted = quotes.iter().any(|quote| before.ends_with(*quote) && behind.starts_with(*quote));
    let is_set = behind.trim_start().strip_prefix('=').is_some_and(|behind| !behind.starts_with(['=', '>']));
    let is_argument = ["-param ", "Search."].iter().any(|ending| before.ends_with(ending));
    is_quoted || is_set || is_argument
}

/// Names of [`ONE_MEANING`] that several definitions of `src` have, with their places.
pub fn several_meanings(sources: &Sources) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in sources {
        for (name, line) in defined(text) {
            places.entry(name).or_default().push(format!("{file}:{line}"));
        }
    }
    let several = ONE_MEANING.iter().filter_map(|name| {
        let places = places.get(*name).filter(|places| places.len() > 1)?;
        Some(format!("{name}: {}", places.join(", ")))
    });
    several.collect()
}

/// The types and functions that the code of a file defines, with their lines, except definitions by macros.
fn defined(text: &str) -> Vec<(String, usize)> {
    let mut definitions = Definitions(Vec::new());
    match syn::parse_file(text) {
        Ok(file) => definitions.visit_file(&file),
        Err(error) => panic!("line {}: {error}", error.span().start().line),
    }
    definitions.0
}

struct Definitions(Vec<(String, usize)>);

impl Definitions {
    fn add(&mut self, name: &Ident) {
        self.0.push((name.to_string(), name.span().start().line));
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(item) => self.add(&item.ident),
            Item::Enum(item) => self.add(&item.ident),
            Item::Union(item) => self.add(&item.ident),
            Item::Trait(item) => self.add(&item.ident),
            Item::Type(item) => self.add(&item.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        self.add(&signature.ident);
    }

    /// Skips the names of a trait's methods, which the trait defines.
    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        if block.trait_.is_none() {
            visit::visit_item_impl(self, block);
            return;
        }
        for item in &block.items {
            if let ImplItem::Fn(item) = item {
                self.visit_block(&item.block);
            }
        }
    }
}

/// Words that begin no comment: a noun or a verb names its subject.
const VAGUE: [&str; 6] = ["What", "How", "Why", "Where", "Who", "When"];

/// The comments that begin with one of [`VAGUE`]: one line for each. In `//` comments only "What" counts, since these may
/// continue a sentence about a condition.
pub fn vague(file: &str, text: &str) -> Vec<String> {
    let is_vague = |line: &str| {
        let doc = line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! "));
        let first = |text: &str, words: &[&str]| text.split(' ').next().is_some_and(|word| words.contains(&word));
        let is_question = doc.is_some_and(|doc| first(doc, &VAGUE));
        is_question || line.starts_with("// What ")
    };
    let lines = (1..).zip(text.lines().map(str::trim_start)).filter(|(_, line)| is_vague(line));
    lines.map(|(number, line)| format!("{file}:{number}: {line}")).collect()
}

#[test]
fn keys_are_distinguished_from_words() {
    for text in [
        "Playouts = 5",
        "#Lag=0.1",
        "\"Visits\"",
        "`Exploration`",
        "kata-set-param Lag 1",
        "--set Search.Lag",
        "'NetValue'",
    ] {
        assert_eq!(replaced("README.md", text).len(), 1, "{text}");
        assert!(replaced("docs/configuration.md", text).is_empty(), "{text}");
    }
    for text in
        ["Playouts are random games.", "Visits: 12", "MaxPlayouts = 5", "`MaxVisits`", "Visits => 3", "Lag == 1"]
    {
        assert!(replaced("README.md", text).is_empty(), "{text}");
    }
    assert_eq!(replaced("src/a.rs", "\n\"Lag\""), ["src/a.rs:2: Lag, now LagBuffer"]);
    assert!(replaced("src/a.rs", "/// `Visits`").is_empty());
}

#[test]
fn several_meanings_of_a_name_are_found() {
    let files = [
        ("a.rs", "pub enum Kind {}\nfn is_sensible() {}\nimpl A for B { fn is_sensible() {} }"),
        ("b.rs", "enum E { Kind }\nstruct Game;"),
        ("c.rs", "\ntype Kind = u8;"),
    ];
    let files = files.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
    assert_eq!(several_meanings(&files), ["Kind: a.rs:1, c.rs:2"]);
}

#[test]
fn vague_comments_are_found() {
    let text =
        "//! What is kept.\nfn f() {} // What remains\n    /// How it works.\n/// Whatever.\n/// The rest.\n// When\n";
    assert_eq!(vague("a.rs", text), ["a.rs:1: //! What is kept.", "a.rs:3: /// How it works."]);
}

//! Retired names, each with its replacement, and a search for places that still have them.
//!
//! A name that is no English word is searched as a word, in code and in prose. A name that is also an English word is
//! searched only among the types, modules and values (functions, fields, constants, variables) that code defines, since
//! the compiler rejects uses of a definition that is gone; in comments, types are also searched between backticks.
//! Definitions are parsed with `syn`; those inside macros are not found.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Field, ImplItem, ImplItemConst, Item, ItemImpl, PatIdent, Signature};

use super::modules::Sources;

/// Names that are no English words: not allowed anywhere, comments and pages included.
const WORDS: &[(&str, &str)] = &[
    ("Adviser", "Evaluator"),
    ("adviser", "evaluator"),
    ("Allotment", "TimeBudget"),
    ("CannotUndo", "NothingToUndoError"),
    ("ENOUGH_FOR_ALL_WAYS", "MIN_TIME_FOR_ALL_SYMMETRIES"),
    ("Lateness", "OverrunTracker"),
    ("NetAfter", "NetMinVisits"),
    ("NetExploration", "Cpuct"),
    ("NetFirstPlay", "FpuReduction"),
    ("NetValue", "NetValueWeight"),
    ("NoRen", "NoStoneError"),
    ("ResignMoves", "ResignConsecTurns"),
    ("Scene", "EvalInput"),
    ("Shelf", "CommandFiles"),
    ("Tallies", "SearchStats"),
    ("Thought", "SearchResult"),
    ("advised_value", "puct_value"),
    ("ask_again", "retry_allocation"),
    ("close_up", "compact"),
    ("disclaim", "release_eval"),
    ("give_way", "stop_on_input"),
    ("grow_root", "expand_root"),
    ("is_advised", "is_evaluated"),
    ("is_bound", "is_replaying"),
    ("is_disputed", "best_value_disagrees"),
    ("is_starved", "allocation_failed"),
    ("is_whole", "completed"),
    ("judge_at_a_glance", "classify_without_seki"),
    ("let_go", "finish"),
    ("lineage", "history_hashes"),
    ("opinion", "net_value_on_path"),
    ("parse_board", "parse_diagram"),
    ("parse_stones", "parse_framed"),
    ("says_stop", "should_stop"),
    ("search_log", "log_notes"),
    ("seek_advice", "request_eval"),
    ("settle_root", "reuse_tree"),
    ("shelf", "files"),
    ("sit_down", "Session::run"),
    ("think_aloud", "search_with_progress"),
    ("weak_beside", "weak_neighbors"),
];

/// Types, retired in these folders of `src`, or everywhere if none is given.
const TYPES: &[(&str, &str, &[&str])] = &[
    ("Answers", "EvalCache", &[]),
    ("Counter", "StatsRecorder", &["search", "player"]),
    ("Desk", "Server", &[]),
    ("Forest", "UnionFind", &[]),
    ("Interrupt", "StopSignal", &[]),
    ("Kept", "CacheEntry", &[]),
    ("Leads", "ScoreStats", &[]),
    ("Made", "SearchRecord", &[]),
    ("Manner", "GenmoveMode", &[]),
    ("Prospect", "PlacementInfo", &[]),
    ("Question", "PendingEval", &[]),
    ("Reports", "ProgressSink", &[]),
    ("Rest", "LibertyClass", &[]),
    ("OtherLiberties", "LibertyClass", &[]),
    ("Search", "NetSearchContext", &["search"]),
    ("Settled", "FinalScore", &[]),
    ("Spread", "Shrinkage", &[]),
    ("Standing", "RootRanking", &[]),
    ("Start", "RootState", &["search"]),
    ("Study", "CachedAnalysis", &[]),
    ("Tally", "ThreadStats", &["search", "player"]),
    ("Task", "SearchRequest", &[]),
    ("Told", "PageData", &[]),
    ("Trace", "SearchTrace", &[]),
    ("Used", "FileAccess", &[]),
];

/// Functions, fields, constants and variables, retired in these folders of `src`, or everywhere if none is given.
const VALUES: &[(&str, &str, &[&str])] = &[
    ("CLOSE", "CLOSE_SHARE", &["search", "player"]),
    ("HEARD", "MIN_VISIT_SHARE", &[]),
    ("advice", "evaluator", &[]),
    ("advising", "eval_time", &[]),
    ("beginning", "setup_time", &[]),
    ("brief", "single_root_symmetry", &[]),
    ("chance", "seed, rng, win_probability", &[]),
    ("claim", "try_claim_eval", &["search"]),
    ("departures", "mismatches", &[]),
    ("descend", "select_leaf", &["search"]),
    ("drawn", "with_live_graphics", &["gtp"]),
    ("effort", "status_playouts", &["player"]),
    ("enter", "add_virtual_loss", &["search"]),
    ("give", "load", &["gtp", "player"]),
    ("grow", "expand", &["search"]),
    ("hear", "on_progress", &["search"]),
    ("heard", "value_correction", &["search"]),
    ("joints", "degree_stats", &[]),
    ("judge", "classify_stones", &[]),
    ("leave", "add_result", &["search"]),
    ("next_line", "begin_line", &["search"]),
    ("nowhere", "null_node", &[]),
    ("obey", "execute", &[]),
    ("outlook", "tactical_queries", &[]),
    ("pays", "self_atari_gains", &[]),
    ("say", "write", &["search", "player"]),
    ("settle", "final_score", &["search", "player", "gtp"]),
    ("study", "analyze_position", &[]),
    ("think", "search", &[]),
    ("tries", "simulations", &[]),
    ("withdraw", "cancel_visit", &["search"]),
];

/// Modules of `src`.
const MODULES: &[(&str, &str)] = &[
    ("advice", "evaluator"),
    ("answers", "eval_cache"),
    ("inquire", "query"),
    ("interrupt", "stop_signal"),
    ("live", "live_gfx"),
    ("notes", "log_notes"),
    ("outlook", "tactical_queries"),
    ("settle", "score"),
    ("study", "analysis"),
    ("vendor", "extensions"),
    ("words", "messages"),
];

/// Configuration keys that are English words: searched in quotes, before `=`, and after a command that takes a key.
const KEYS: &[(&str, &str)] =
    &[("Exploration", "UctExploration"), ("Lag", "LagBuffer"), ("Playouts", "MaxPlayouts"), ("Visits", "MaxVisits")];

/// Names that only one type or function of `src` may have.
const ONE_MEANING: &[&str] =
    &["Answer", "Candidate", "Command", "Game", "Kind", "Purpose", "Report", "Tally", "is_sensible"];

/// Files that may contain the old keys, which are aliases of the new ones and occur in files and logs of 0.15.
const KEY_ALIASES: &[&str] = &[
    "src/player/options.rs",
    "src/config/tests.rs",
    "src/replay/option_names.rs",
    "docs/configuration.md",
    "tests/it/option_names.rs",
];

/// Files that may contain every name: these lists and the changelog.
const EXEMPT: &[&str] = &["tests/it/structure", "docs/CHANGELOG.md"];

/// The kind of a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Type,
    Value,
    Module,
}

/// A name that code defines, and its line.
pub type Defined = (Kind, String, usize);

/// The retired names in a file, given by its path from the repository: one line for each place, with the replacement.
pub fn retired(file: &str, text: &str) -> Vec<String> {
    if EXEMPT.iter().any(|exempt| file.starts_with(exempt)) {
        return Vec::new();
    }
    let is_alias_table = KEY_ALIASES.contains(&file);
    let mut found = Vec::new();
    let mut add = |line: usize, old: &str, new: &str| found.push(format!("{file}:{line}: {old}, now {new}"));
    for (number, line) in (1..).zip(text.lines()) {
        let is_key = |new: &str| is_alias_table && new.starts_with(|letter: char| letter.is_ascii_uppercase());
        for (old, new) in WORDS.iter().filter(|(_, new)| !is_key(new)) {
            if words(line, old).next().is_some() {
                add(number, old, new);
            }
        }
        let is_comment = file.ends_with(".rs") && line.trim_start().starts_with("//");
        for (old, new, _) in TYPES.iter().filter(|(_, _, folders)| is_comment && folders.is_empty()) {
            if line.contains(&format!("`{old}`")) {
                add(number, old, new);
            }
        }
        // scripts of pages have texts for people, and no configuration
        for (old, new) in KEYS.iter().filter(|_| !is_alias_table && !file.ends_with(".js")) {
            if words(line, old).any(|at| is_key_there(line, at, old.len(), file.ends_with(".rs"))) {
                add(number, old, new);
            }
        }
    }
    let is_within = |folders: &[&str]| {
        let folder = file.strip_prefix("src/").and_then(|file| file.split(['/', '.']).next());
        folders.is_empty() || folder.is_some_and(|folder| folders.contains(&folder))
    };
    for (kind, name, line) in if file.ends_with(".rs") { defined(text) } else { Vec::new() } {
        let names = match kind {
            Kind::Type => TYPES,
            Kind::Value => VALUES,
            Kind::Module => {
                let module = MODULES.iter().find(|(old, _)| *old == name && file.starts_with("src/"));
                if let Some((old, new)) = module {
                    add(line, &format!("mod {old}"), new);
                }
                continue;
            }
        };
        if let Some((old, new, _)) = names.iter().find(|(old, _, folders)| *old == name && is_within(folders)) {
            add(line, old, new);
        }
    }
    found
}

/// Names of [`ONE_MEANING`] that several definitions of `src` have, with their places.
pub fn several_meanings(sources: &Sources) -> Vec<String> {
    let mut places: BTreeMap<(Kind, String), Vec<String>> = BTreeMap::new();
    for (file, text) in sources {
        for (kind, name, line) in defined(text) {
            places.entry((kind, name)).or_default().push(format!("{file}:{line}"));
        }
    }
    let mut found = Vec::new();
    for name in ONE_MEANING {
        let is_function = name.starts_with(|letter: char| letter.is_ascii_lowercase());
        let kind = if is_function { Kind::Value } else { Kind::Type };
        let places = places.get(&(kind, (*name).to_owned()));
        if let Some(places) = places.filter(|places| places.len() > 1) {
            found.push(format!("{name}: {}", places.join(", ")));
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

/// Whether a word is used as a configuration key. In code, backticks do not count, since they may enclose a type in a
/// comment.
fn is_key_there(line: &str, at: usize, length: usize, is_code: bool) -> bool {
    let (before, behind) = (&line[..at], &line[at + length..]);
    let quotes = if is_code { &['"'] as &[char] } else { &['"', '`', '\''] };
    let is_quoted = quotes.iter().any(|quote| before.ends_with(*quote) && behind.starts_with(*quote));
    let is_set = behind.trim_start().strip_prefix('=').is_some_and(|behind| !behind.starts_with(['=', '>']));
    let is_argument = ["-param ", "Search."].iter().any(|ending| before.ends_with(ending));
    is_quoted || is_set || is_argument
}

/// The definitions in the code of a file, except enum variants and definitions by macros.
pub fn defined(text: &str) -> Vec<Defined> {
    let mut definitions = Definitions(Vec::new());
    match syn::parse_file(text) {
        Ok(file) => definitions.visit_file(&file),
        Err(error) => panic!("line {}: {error}", error.span().start().line),
    }
    definitions.0
}

struct Definitions(Vec<Defined>);

impl Definitions {
    fn add(&mut self, kind: Kind, name: &Ident) {
        self.0.push((kind, name.to_string(), name.span().start().line));
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(item) => self.add(Kind::Type, &item.ident),
            Item::Enum(item) => self.add(Kind::Type, &item.ident),
            Item::Union(item) => self.add(Kind::Type, &item.ident),
            Item::Trait(item) => self.add(Kind::Type, &item.ident),
            Item::Type(item) => self.add(Kind::Type, &item.ident),
            Item::Const(item) => self.add(Kind::Value, &item.ident),
            Item::Static(item) => self.add(Kind::Value, &item.ident),
            Item::Mod(item) => self.add(Kind::Module, &item.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        self.add(Kind::Value, &signature.ident);
        visit::visit_signature(self, signature);
    }

    fn visit_impl_item_const(&mut self, constant: &'ast ImplItemConst) {
        self.add(Kind::Value, &constant.ident);
        visit::visit_impl_item_const(self, constant);
    }

    /// Skips the names of a trait's methods, which the trait defines.
    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        if block.trait_.is_none() {
            visit::visit_item_impl(self, block);
            return;
        }
        for item in &block.items {
            if let ImplItem::Fn(item) = item {
                item.sig.inputs.iter().for_each(|input| self.visit_fn_arg(input));
                self.visit_block(&item.block);
            }
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if let Some(name) = &field.ident {
            self.add(Kind::Value, name);
        }
        visit::visit_field(self, field);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.add(Kind::Value, &pattern.ident);
        visit::visit_pat_ident(self, pattern);
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
fn words_are_found_in_code_and_prose() {
    let text = "//! A Thought, aThought and Thoughts.\nfn f() { x.think_aloud(); }\n// unthink_aloud\n";
    let expected = ["src/a.rs:1: Thought, now SearchResult", "src/a.rs:2: think_aloud, now search_with_progress"];
    assert_eq!(retired("src/a.rs", text), expected);
    assert_eq!(retired("docs/a.md", text), expected.map(|line| line.replace("src/a.rs", "docs/a.md")));
    assert!(retired("docs/CHANGELOG.md", text).is_empty());
}

#[test]
fn english_words_are_found_as_definitions_only() {
    let text = "//! Start a Search, give and leave the `Rest`.
enum E { Start, Forest }
struct Forest { think: u8 }
fn f(chance: u8) { let (a, brief) = x; g.settle(); match y { Some(tries) => {} } }
impl Tree { fn settle(&self) {} }
impl Span for Tree { fn enter(&self) { |effort| 1 } }
mod words;
";
    let expected = [
        "1: Rest, now LibertyClass",
        "3: Forest, now UnionFind",
        "3: think, now search",
        "4: chance, now seed, rng, win_probability",
        "4: brief, now single_root_symmetry",
        "4: tries, now simulations",
        "5: settle, now final_score",
        "6: effort, now status_playouts",
        "7: mod words, now messages",
    ];
    assert_eq!(retired("src/player/a.rs", text), expected.map(|line| format!("src/player/a.rs:{line}")));
    assert!(retired("docs/a.md", text).is_empty());
}

#[test]
fn some_names_are_retired_in_their_folder_only() {
    let text = "struct Tally; struct Start; fn say() {}";
    assert_eq!(retired("src/search/a.rs", text).len(), 3);
    assert_eq!(retired("src/search.rs", text).len(), 3);
    assert_eq!(retired("src/player/a.rs", text).len(), 2);
    assert!(retired("src/kernel/score.rs", text).is_empty());
    assert!(retired("tests/it/search.rs", text).is_empty());
}

#[test]
fn keys_are_distinguished_from_words() {
    for text in ["Playouts = 5", "#Lag=0.1", "\"Visits\"", "`Exploration`", "kata-set-param Lag 1", "--set Search.Lag"]
    {
        assert_eq!(retired("README.md", text).len(), 1, "{text}");
        assert!(retired("docs/configuration.md", text).is_empty(), "{text}");
    }
    for text in
        ["Playouts are random games.", "Visits: 12", "MaxPlayouts = 5", "`MaxVisits`", "Visits => 3", "Lag == 1"]
    {
        assert!(retired("README.md", text).is_empty(), "{text}");
    }
    assert!(retired("src/player/options.rs", "const A: &str = \"NetValue\";").is_empty());
    assert_eq!(retired("src/player/options.rs", "const A: &str = \"shelf\";").len(), 1);
}

#[test]
fn several_meanings_of_a_name_are_found() {
    let files = [
        ("a.rs", "pub enum Kind {}\nfn is_sensible() {}"),
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

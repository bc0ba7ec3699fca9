//! The rows of ARCHITECTURE.md: each has the name of a file and the first sentence of its header.

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser, TagEnd};

use super::modules::Sources;

/// The page with the first sentence of each file's header as the text of its row. Other lines stay as they are.
pub fn with_headers(page: &str, sources: &Sources) -> String {
    let lines = page.split_inclusive('\n').map(|line| {
        let file = file_of_row(line).and_then(|file| sources.get_key_value(file));
        file.map_or_else(|| line.to_owned(), |(file, text)| format!("| `{file}` | {} |\n", cell(text)))
    });
    lines.collect()
}

/// The file that a row names.
fn file_of_row(line: &str) -> Option<&str> {
    let (file, _) = line.strip_prefix("| `")?.split_once("` | ")?;
    file.ends_with(".rs").then_some(file)
}

/// The first sentence of a file's header as a cell of a table, without its full stop.
fn cell(text: &str) -> String {
    let header: String =
        text.lines().map_while(|line| line.strip_prefix("//!")).flat_map(|line| [line, "\n"]).collect();
    let paragraph = paragraph(&header);
    sentence(&paragraph).trim_end_matches(['.', ':']).replace('|', "\\|")
}

/// The first paragraph of a page on one line, without links.
fn paragraph(page: &str) -> String {
    let known = |_: BrokenLink<'_>| Some((CowStr::Borrowed(""), CowStr::Borrowed("")));
    let events = Parser::new_with_broken_link_callback(page, Options::empty(), Some(known));
    let events = events.take_while(|event| *event != Event::End(TagEnd::Paragraph));
    let parts = events.map(|event| match event {
        Event::Text(text) => text.to_string(),
        Event::Code(text) => format!("`{text}`"),
        Event::SoftBreak => " ".to_owned(),
        _ => String::new(),
    });
    parts.collect()
}

/// The first sentence of a paragraph. The full stop of an initial, as in `D. J. Wu` or `(A. Zobrist`, ends none.
fn sentence(paragraph: &str) -> &str {
    let ends = paragraph.match_indices(['.', '?']).map(|(place, _)| place + 1);
    let is_end = |end: &usize| {
        let (before, after) = paragraph.split_at(*end);
        let word = before.rsplit([' ', '(']).next().unwrap_or_default();
        after.starts_with(' ') && !(word.len() == 2 && word.starts_with(char::is_uppercase))
    };
    ends.into_iter().find(is_end).map_or(paragraph, |end| &paragraph[..end])
}

#[test]
fn a_row_has_the_first_sentence_of_the_header() {
    let headers = [
        (
            "a.rs",
            "//! Reads [`Text`](crate::text) of\n//! D. J. Wu (A. B. C), `a|b` and [`X`]. More.\n//!\n//! Even more.\nuse x;\n",
        ),
        ("b/mod.rs", "//! The form `FF[4]`; version 1.5:\n//!\n//! - one\n"),
        ("c.rs", "//! Unused.\n"),
    ];
    let sources = headers.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
    let page =
        "`a.rs`\n| File | Contents |\n| --- | --- |\n| `a.rs` | old |\n| `b/mod.rs` | old |\n| `a`, `c` | old |\n";
    let expected = page.replacen("| old", "| Reads `Text` of D. J. Wu (A. B. C), `a\\|b` and `X`", 1);
    assert_eq!(with_headers(page, &sources), expected.replacen("| old", "| The form `FF[4]`; version 1.5", 1));
}

//! `docs/glossary.md` refers to existing code: every path exists, and every name after it is a word of the sources
//! there.

use std::path::Path;

use crate::engine::repository;

/// A row's term and the contents of the backticks of its last cell.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    let cells =
        page.lines().filter(|line| line.starts_with("| ")).map(|line| line.trim_matches(['|', ' ']).split(" | "));
    let rows = cells.map(|mut cells| (cells.next().unwrap(), cells.last().unwrap()));
    let rows = rows.filter(|(term, code)| *term != "Term" && !code.starts_with("---"));
    rows.map(|(term, code)| (term, code.split('`').skip(1).step_by(2).collect())).collect()
}

/// The text of a file, or of all files in a folder.
fn text(place: &Path) -> String {
    if !place.is_dir() {
        return std::fs::read_to_string(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    }
    std::fs::read_dir(place).unwrap().map(|entry| text(&entry.unwrap().path())).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|found| found == word)
}

#[test]
fn every_place_in_the_code_exists() {
    let source = repository().join("src");
    let page = std::fs::read_to_string(repository().join("docs/glossary.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 100, "{} rows", rows.len());
    let mut wrong = Vec::new();
    for (term, places) in rows {
        let Some((path, names)) = places.split_first() else { panic!("{term}: no place") };
        let place = source.join(path);
        if !place.exists() {
            wrong.push(format!("{term}: no {path}"));
            continue;
        }
        let text = if names.is_empty() { String::new() } else { text(&place) };
        wrong.extend(
            names.iter().filter(|name| !has_word(&text, name)).map(|name| format!("{term}: no {name} in {path}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn terms_are_defined_once() {
    let page = std::fs::read_to_string(repository().join("docs/glossary.md")).unwrap();
    let mut terms: Vec<&str> = rows(&page).into_iter().map(|(term, _)| term).collect();
    terms.sort_unstable();
    let twice: Vec<_> = terms.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

//! Links, the list of pages, and the book that is built of them.

use std::path::Path;
use std::process::Command;

use super::{Page, pages, pages_in};
use crate::engine::repository;
use crate::support::{is_installed, skipped};

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
        skipped("there is no mdbook: the book was not built");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let book = Command::new("mdbook").arg("build").arg(repository().join("docs")).arg("-d").arg(folder.path()).output();
    let book = book.unwrap();
    let stderr = String::from_utf8_lossy(&book.stderr);
    assert!(book.status.success() && !stderr.contains("ERROR"), "{stderr}");
    assert!(folder.path().join("commands.html").exists(), "{stderr}");
}

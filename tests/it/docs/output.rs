//! The output of the program, in the form in which it is compared with a page: texts that depend on the run are masked.

use crate::engine::Folder;
use crate::support::{STAMP, has_shape};

/// A folder as the examples expect it: the repository's data, a game record, and a configuration for short searches.
pub(super) fn folder() -> Folder {
    let folder = Folder::new();
    // a precision in which all processors with fast integers give the same numbers
    let configuration = "[Search]\nMemoryMB = 64\nSeconds = 0.5\n[Net]\nPrecision = \"int16\"\n";
    std::fs::write(folder.path().join("engine.toml"), configuration).unwrap();
    let record = "(;FF[4]GM[1]SZ[9]KM[6.5];B[ee];W[ge])\n";
    std::fs::write(folder.path().join("game.sgf"), record).unwrap();
    std::fs::create_dir(folder.path().join("games")).unwrap();
    folder
}

/// A text with time stamps of both logs replaced by `TIME` and the folder by `FOLDER`, without spaces at the ends of
/// lines.
pub(super) fn masked(text: &str, folder: &Folder) -> String {
    let here = folder.path().canonicalize().unwrap();
    let text = text.replace(here.to_str().unwrap(), "FOLDER");
    let mut masked = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let stamp = [STAMP, "dddd-dd-dd dd:dd:dd"].into_iter().find(|shape| has_shape(rest, shape));
        let length = stamp.map_or(first.len_utf8(), str::len);
        masked += if stamp.is_some() { "TIME" } else { &rest[..length] };
        rest = &rest[length..];
    }
    let lines: Vec<&str> = masked.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// The part of an analysis that is the same in every search: the words of its lines without numbers and points, and of
/// each line the fields of the first move only.
pub(super) fn shape(text: &str) -> String {
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
pub(super) fn compare(place: &str, found: &str, expected: &str) {
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
pub(super) fn ask(folder: &Folder, settings: &[&str], commands: &str) -> Vec<String> {
    let arguments: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let output = folder.run(&arguments, commands.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    answers.trim_end_matches('\n').split("\n\n").map(|answer| masked(answer, folder)).collect()
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

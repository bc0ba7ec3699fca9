//! The examples of the pages: sessions, command lines and their output, configurations.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::output::{ask, compare, folder, masked, shape};
use super::{Block, pages, pages_in};
use crate::engine::{Folder, repository};
use crate::support::{is_installed, skipped};

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

#[test]
fn shell_examples_run_and_print_what_is_shown() {
    let mut count = 0;
    for page in pages() {
        let folder = folder();
        let mut last: Option<Output> = None;
        let mut is_skipped = false;
        for block in &page.blocks {
            let place = format!("{}:\n{}", page.path.display(), block.text);
            match block.language.as_str() {
                "sh" if !block.has("no-run") && (!block.calls().is_empty() || block.value("needs").is_some()) => {
                    let foreign = ["cargo ", "curl ", "git ", "npm ", "pip", "python", "rustup ", "sudo "];
                    let calls_foreign = |line: &str| foreign.iter().any(|program| line.trim().starts_with(program));
                    let ours = block.text.replace("cargo run --release -- ", "");
                    assert!(!ours.lines().any(calls_foreign), "{place} is not for a test to run");
                    if let Some(program) = block.value("needs").filter(|program| !is_installed(program)) {
                        skipped(&format!("there is no {program}: {place}"));
                        (last, is_skipped) = (None, true);
                        continue;
                    }
                    count += 1;
                    let output = run(block, &folder);
                    let code = block.value("fails").map_or(0, |code| code.parse().unwrap());
                    let stderr = String::from_utf8_lossy(&output.stderr);
                    assert_eq!(output.status.code(), Some(code), "{place}{stderr}");
                    (last, is_skipped) = (Some(output), false);
                }
                "text" if block.has("output") || block.has("stderr") => {
                    let Some(output) = &last else {
                        assert!(is_skipped, "no command that runs is before this output: {place}");
                        continue;
                    };
                    let bytes = if block.has("output") { &output.stdout } else { &output.stderr };
                    let found = masked(&String::from_utf8_lossy(bytes), &folder);
                    compare(&place, &found, &masked(&block.text, &folder));
                }
                "sh" => (last, is_skipped) = (None, false),
                _ => {}
            }
        }
    }
    assert!(count >= 15, "{count} blocks");
}

/// The options of a script of `train/`, as its source gives them to `add_argument`; Python's argparse is not needed.
fn script_options(script: &str) -> Vec<String> {
    let read = |script: &str| std::fs::read_to_string(repository().join(script)).unwrap();
    let mut source = read(script);
    if source.contains("distill.add_training_options(") {
        let shared = read("train/distill.py");
        let function = shared.split_once("def add_training_options").unwrap().1;
        source += function.split_once("\ndef ").unwrap().0;
    }
    let names = source.split("add_argument(").skip(1).flat_map(|call| {
        let quoted = |word: &str| Some(word.strip_prefix('"')?.split_once('"')?.0.to_owned());
        call.split(", ").map_while(quoted).take_while(|name| name.starts_with("--")).collect::<Vec<_>>()
    });
    ["--help".to_owned()].into_iter().chain(names).collect()
}

#[test]
fn options_of_examples_that_are_not_run_are_valid() {
    let folder = folder();
    let (mut count, mut script_count) = (0, 0);
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
                let arguments: Vec<&str> = call.iter().map(String::as_str).chain(["--help"]).collect();
                let output = folder.run(&arguments, b"");
                assert!(output.status.success(), "{call:?}\n{}", String::from_utf8_lossy(&output.stderr));
            }
            for (script, options) in block.scripts() {
                script_count += 1;
                let known = script_options(&script);
                for option in options {
                    assert!(known.contains(&option), "{place}{script} has no {option}, only {known:?}");
                }
            }
        }
    }
    assert!(count >= 30 && script_count >= 15, "{count} lines, and {script_count} of scripts");
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
                    ["docs/library.md", "ARCHITECTURE.md"].iter().any(|path| page.path == Path::new(path)),
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

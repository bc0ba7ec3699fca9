//! The output of the command line for shells and for people: completions, the man page and help.

use std::process::Command;

use crate::support::skipped;

fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14")).args(arguments).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands that `--help` lists.
fn subcommands() -> Vec<String> {
    let help = run(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names: Vec<String> = list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    assert!(names.len() > 10, "{names:?}");
    names
}

#[test]
fn completions_know_every_subcommand() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]);
        for name in subcommands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        for option in ["print-config", "strict-gtp", "playouts"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
    }
}

/// Bash, if it is installed, loads the script and completes subcommands, their options and values.
#[test]
fn bash_completes_a_subcommand() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("completions.bash");
    std::fs::write(&script, run(&["completions", "bash"])).unwrap();
    // the word before the last one and the last one, which is at the cursor, are arguments of the function
    let program = "source \"$1\"; shift; COMP_WORDS=(kifuwarabe-uec14 \"$@\"); COMP_CWORD=$#; \
                   _kifuwarabe__uec14 kifuwarabe-uec14 \
                   \"${COMP_WORDS[$COMP_CWORD]}\" \"${COMP_WORDS[$((COMP_CWORD - 1))]}\"; \
                   echo \"${COMPREPLY[*]}\"";
    for (words, expected) in [
        (&["self"][..], "selfplay"),
        (&["play", "--lev"], "--level"),
        (&["report", "game.sgf", "--js"], "--json"),
        (&["completions", "z"], "zsh"),
        (&["help", "pl"], "play"),
    ] {
        let Ok(output) = Command::new("bash").args(["-c", program, "bash"]).arg(&script).args(words).output() else {
            skipped("bash is not installed");
            return;
        };
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words:?}: {output:?}");
    }
}

#[test]
fn man_page_has_every_subcommand_and_option() {
    let page = run(&["man"]);
    assert!(page.contains(".TH kifuwarabe-uec14 1"), "{page}");
    for name in subcommands().iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!(".SH \"SUBCOMMAND {}\"", name.to_uppercase())), "{name}");
    }
    for option in ["print\\-config", "debug\\-input", "override\\-config", "no\\-search", "\\-\\-visits"] {
        assert!(page.contains(option), "{option}");
    }
    for section in [".SH \"EXIT STATUS\"", ".SH FILES", "Each subcommand has a section below."] {
        assert!(page.contains(section), "{section}");
    }
    // there is no page for a subcommand
    assert!(page.matches("(1)").count() == 0 && page.matches(".TH ").count() == 1, "{page}");
}

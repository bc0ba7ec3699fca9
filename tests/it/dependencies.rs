//! Licences and sources of the dependencies, checked against `deny.toml` where cargo-deny is not installed, too.
//! Licences are checked for the crates of this platform only: those of other platforms may not have been downloaded.

use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};
use toml::Table;

use crate::engine::repository;

fn table(file: &str) -> Table {
    std::fs::read_to_string(repository().join(file)).unwrap().parse().unwrap()
}

fn strings<'a>(table: &'a Table, section: &str, key: &str) -> Vec<&'a str> {
    table[section][key].as_array().unwrap().iter().map(|string| string.as_str().unwrap()).collect()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(repository()).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_licence_is_allowed() {
    let deny = table("deny.toml");
    let allowed = strings(&deny, "licenses", "allow");
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&output(env!("CARGO"), &arguments)).unwrap();
    let resolved: Vec<&Value> =
        metadata["resolve"]["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    let packages = metadata["packages"].as_array().unwrap();
    let dependencies =
        packages.iter().filter(|package| !package["source"].is_null() && resolved.contains(&&package["id"]));
    let mut count = 0;
    for package in dependencies {
        count += 1;
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or_default());
        let expression =
            Expression::parse_mode(licence, ParseMode::LAX).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_allowed = expression.evaluate(|licence| allowed.contains(&licence.to_string().as_str()));
        assert!(is_allowed, "{name}: {licence}, allowed are {allowed:?}");
    }
    assert!(count > 50, "{count} crates only");
}

/// The order differs: of a choice of licences, the first in the list of the release is used.
#[test]
fn a_release_collects_the_licences_that_are_allowed() {
    let (deny, about) = (table("deny.toml"), table(".ci/about.toml"));
    let mut allowed = strings(&deny, "licenses", "allow");
    let mut accepted: Vec<&str> =
        about["accepted"].as_array().unwrap().iter().map(|string| string.as_str().unwrap()).collect();
    allowed.sort_unstable();
    accepted.sort_unstable();
    assert_eq!(accepted, allowed);
}

/// The line before a dependency is a comment, or the end of one, with its reason.
#[test]
fn every_dependency_has_a_reason() {
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let (mut is_table, mut last, mut count) = (false, "", 0);
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_table = line.ends_with("dependencies]");
        } else if is_table && line.contains(" = ") && !line.starts_with('#') {
            count += 1;
            assert!(last.starts_with("# ") && last.len() > 12, "{line}: expected a comment before it");
        }
        last = line;
    }
    assert!(count > 40, "{count} dependencies");
}

#[test]
fn every_source_is_allowed() {
    let (deny, lock) = (table("deny.toml"), table("Cargo.lock"));
    let known = strings(&deny, "sources", "allow-registry");
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        match package.get("source").and_then(|source| source.as_str()) {
            Some(source) => {
                assert!(known.iter().any(|known| source == format!("registry+{known}")), "{name}: {source}")
            }
            None => assert_eq!(name, env!("CARGO_PKG_NAME"), "no source"),
        }
    }
}

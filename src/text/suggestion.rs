//! Suggestions for a mistyped name of a command, a section or a key: the nearest known names.

/// Most names in a suggestion.
const MAX_SUGGESTIONS: usize = 3;

/// Least similarity of a suggested name, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.87;

/// Longest mistyped name that is compared, in bytes. The known names are much shorter.
const MAX_COMPARED: usize = 64;

/// The names that are most similar to `typed`, the most similar first; none if no name is similar. Case is ignored.
fn nearest_names<'a>(names: impl IntoIterator<Item = &'a str>, typed: &str) -> Vec<&'a str> {
    if typed.len() > MAX_COMPARED {
        return Vec::new();
    }
    let typed = typed.to_ascii_lowercase();
    let mut similar: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (similarity(&typed, &name.to_ascii_lowercase()), name))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    similar.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    similar.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// The nearest names as the end of an error text, `, did you mean NAME, NAME?`; empty if no name is similar.
pub(crate) fn suggestion<'a>(names: impl IntoIterator<Item = &'a str>, typed: &str) -> String {
    let names = nearest_names(names, typed);
    if names.is_empty() { String::new() } else { format!(", did you mean {}?", names.join(", ")) }
}

/// The Jaro-Winkler similarity of a typed name and a known one, the latter with or without a prefix that ends in `-`,
/// whichever is greater: `analyze` is similar to `kata-analyze`.
fn similarity(typed: &str, name: &str) -> f64 {
    let bare = name.split_once('-').map_or(name, |(_, bare)| bare);
    strsim::jaro_winkler(typed, name).max(strsim::jaro_winkler(typed, bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_names_get_the_nearest_ones() {
        let names = ["Game", "Paths", "kata-analyze", "lz-analyze"];
        for (typed, expected) in [
            ("game", ", did you mean Game?"),
            ("Gmae", ", did you mean Game?"),
            ("analyse", ", did you mean kata-analyze, lz-analyze?"),
            ("xyzzy", ""),
        ] {
            assert_eq!(suggestion(names, typed), expected, "{typed}");
        }
        assert_eq!(nearest_names(names, &"Game".repeat(MAX_COMPARED)), [""; 0]);
    }
}

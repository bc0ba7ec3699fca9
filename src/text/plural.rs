//! Nouns in the singular or plural.

use std::fmt;

/// A number with its noun, in the plural unless the number is 1: `1 game`, `2 games`.
pub(crate) fn counted(count: impl fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let games = [0, 1, 2, 21].map(|count| counted(count, "game"));
        assert_eq!(games, ["0 games", "1 game", "2 games", "21 games"]);
        assert_eq!([counted(1.0, "point"), counted(1.5, "point")], ["1 point", "1.5 points"]);
    }
}

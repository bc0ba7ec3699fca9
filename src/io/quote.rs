//! Text of others as messages quote it.

/// How much of a long text is quoted, in characters.
const QUOTED: usize = 80;

/// `text` with its control characters escaped.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// The beginning of `text`, enough to know it again.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_short_and_in_one_line() {
        assert_eq!(one_line("a\tb\r\nあ"), "a\\tb\\r\\nあ");
        assert_eq!(shortened("あ"), "あ");
        assert_eq!(shortened(&"あ".repeat(1000)), "あ".repeat(80) + "…");
    }
}

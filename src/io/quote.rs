//! Quoting of input in messages: in one line, and shortened.

/// Upper limit of a quotation, in characters.
const MAX_CHARS: usize = 80;

/// `text` with its control characters escaped.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// The first 80 characters of `text`, followed by `…` if there are more.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The message for an invalid value: `unexpected KEY:FOUND, EXPECTED`, with FOUND [`shortened`]; without the comma if
/// `expected` is empty.
pub(crate) fn unexpected(key: &str, found: &str, expected: &str) -> String {
    let comma = if expected.is_empty() { "" } else { ", " };
    format!("unexpected {key}:{}{comma}{expected}", shortened(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_short_and_in_one_line() {
        assert_eq!(one_line("a\tb\r\nあ"), "a\\tb\\r\\nあ");
        assert_eq!(shortened("あ"), "あ");
        assert_eq!(shortened(&"あ".repeat(1000)), "あ".repeat(80) + "…");
    }
}

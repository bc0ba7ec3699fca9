//! Quoting of foreign text in messages: unsafe characters escaped, and shortened.

/// Upper limit of a quotation, in characters.
const MAX_CHARS: usize = 80;

/// Whether a character may change how a terminal or an editor shows the text around it: control characters (C0, DEL and
/// C1, which begin escape sequences), line and paragraph separators, and the characters that change the direction of
/// text (Unicode's property Bidi_Control).
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with its unsafe characters escaped, line ends included: a control character, a line separator or one that
/// changes the direction of text becomes `\r`, `\u{9b}` or the like.
pub(crate) fn one_line(text: &str) -> String {
    escaped(text, is_unsafe)
}

/// [`one_line`] for text of several lines: line feeds and tabs stay.
pub(crate) fn lines(text: &str) -> String {
    escaped(text, |c| is_unsafe(c) && !matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// `text` with double arrows, for stderr: programs that read it together with stdout take ` -> ` for a move of Leela Zero's
/// search.
pub(crate) fn with_double_arrows(text: &str) -> String {
    text.replace("->", "=>")
}

/// The first 80 characters of `text`, followed by `…` if there are more.
pub(crate) fn shortened(text: &str) -> String {
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
        assert_eq!(lines("a\tb\r\nあ"), "a\tb\\r\nあ");
        assert_eq!(shortened("あ"), "あ");
        assert_eq!(shortened(&"あ".repeat(1000)), "あ".repeat(80) + "…");
    }

    #[test]
    fn characters_that_change_the_text_around_them_are_escaped() {
        let found: Vec<u32> =
            (0..=char::MAX as u32).filter(|&code| char::from_u32(code).is_some_and(is_unsafe)).collect();
        let expected = [0..=0x1f, 0x7f..=0x9f, 0x61c..=0x61c, 0x200e..=0x200f, 0x2028..=0x202e, 0x2066..=0x2069];
        assert_eq!(found, expected.into_iter().flatten().collect::<Vec<u32>>());
        assert_eq!(one_line("\u{9b}31m\u{202e}x\u{2069}"), r"\u{9b}31m\u{202e}x\u{2069}");
        assert_eq!(lines("\u{9b}\n\u{202e}\t"), "\\u{9b}\n\\u{202e}\t");
    }
}

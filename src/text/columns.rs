//! Columns that a text takes at a terminal: texts that are cut to a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The mark of a text that was cut, in every character set.
const CUT_MARK: &str = "..";

/// The beginning of a text that takes at most `columns` columns, with a mark if that is not all.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(CUT_MARK.len());
    let mut used = 0;
    let begin: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect();
    format!("{}{}", begin.trim_end(), CUT_MARK.get(..columns.min(CUT_MARK.len())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_columns() {
        for (text, columns, expected) in [
            ("alice", 5, "alice"),
            ("alice", 4, "al.."),
            ("本因坊秀策", 10, "本因坊秀策"),
            ("本因坊秀策", 9, "本因坊.."),
            ("a b c", 4, "a.."),
            ("alice", 1, "."),
            ("", 0, ""),
        ] {
            assert_eq!(cut(text, columns), expected, "{text} {columns}");
        }
    }
}

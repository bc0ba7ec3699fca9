//! Texts for people: quotations of foreign text, suggestions for mistyped names, plurals, and escapes of markup.

pub(crate) mod markup;
pub(crate) mod plural;
pub(crate) mod quote;
pub(crate) mod suggestion;

/// The byte-order mark that some editors and shells put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text without a byte-order mark at its beginning.
pub(crate) fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

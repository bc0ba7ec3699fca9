//! Decoding of input: byte-order marks and JSON objects.

use serde::de::DeserializeOwned;

/// The byte-order mark that some editors and shells put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text without a byte-order mark at its beginning.
pub(crate) fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// A value from a JSON object. Serde's structures and enums accept arrays, too.
///
/// # Errors
/// A text that names the fault.
pub(crate) fn json_object<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err("expected a JSON object".to_owned());
    }
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

//! Conversion of a file to UTF-8.
//!
//! A file is decoded before it is split into values: in Shift_JIS, GBK and Big5 the second byte of a character may be
//! `\` or `]`, which a lexer on the undecoded bytes would take for the end of a value.

use std::borrow::Cow;

use encoding_rs::{EUC_KR, Encoding, GBK, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::sgf::lexer::{Lexer, Token};
use crate::sgf::property::Property;

/// The file in UTF-8. Text in UTF-8 is returned unchanged, invalid bytes included.
///
/// The encoding is that of the byte order mark, else that of `CA` in the first node, else UTF-8 for valid UTF-8,
/// Shift_JIS for bytes that are typical of Japanese text, and Latin-1 (as Windows-1252), the default of the format, for
/// the rest. A `CA` of Latin-1 or ASCII does not apply to valid UTF-8.
pub(super) fn to_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match (Encoding::for_bom(bytes), declared(bytes)) {
        (Some((encoding, _)), _) => encoding,
        // files that declare Latin-1 or ASCII are often UTF-8
        (None, Some(encoding)) if encoding != WINDOWS_1252 => encoding,
        _ if std::str::from_utf8(bytes).is_ok() => UTF_8,
        (None, Some(encoding)) => encoding,
        (None, None) if looks_japanese(bytes) => SHIFT_JIS,
        (None, None) => WINDOWS_1252,
    };
    if encoding == UTF_8 {
        return Cow::Borrowed(bytes);
    }
    match encoding.decode_with_bom_removal(bytes).0 {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The encoding named by `CA` in the first node, if it is known and compatible with ASCII (else `CA` could not be
/// read).
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut lexer = Lexer::new(bytes).ok()?;
    let mut property = Property::Other;
    let mut nodes = 0;
    while let Ok(Some((_, token))) = lexer.next_of_main_line() {
        match token {
            Token::Node => nodes += 1,
            Token::Name(written) => property = Property::parse(written),
            Token::Value(label) if property == Property::Charset => return by_label(label.trim_ascii()),
            Token::Value(_) | Token::Open | Token::Close => {}
        }
        if nodes > 1 {
            break;
        }
    }
    None
}

fn by_label(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label).or_else(|| match label.to_ascii_lowercase().as_slice() {
        b"euc-cn" | b"cp936" => Some(GBK),
        b"cp932" => Some(SHIFT_JIS),
        b"cp949" => Some(EUC_KR),
        _ => None,
    })?;
    (![REPLACEMENT, UTF_16BE, UTF_16LE].contains(&encoding)).then_some(encoding)
}

/// Whether bytes that are not UTF-8 are valid Shift_JIS with some that are rare in text in Latin-1 or EUC.
fn looks_japanese(bytes: &[u8]) -> bool {
    // first bytes of kana and kanji, without those that are quotes, dashes and dots in Windows-1252
    let is_japanese = |byte: &u8| matches!(byte, 0x81..=0x84 | 0x86..=0x90 | 0x98..=0x9f);
    bytes.iter().any(is_japanese) && SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).is_some()
}

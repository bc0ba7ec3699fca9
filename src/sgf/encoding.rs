//! Bytes of a file to bytes in UTF-8.
//!
//! A file is decoded before it is cut into values: in Shift_JIS, GBK and Big5 the second byte of a character may be `\` or
//! `]`, so that cutting first would lose what follows, moves too.

use std::borrow::Cow;

use encoding_rs::{EUC_KR, Encoding, GBK, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::sgf::lexer::{Lexer, Token};
use crate::sgf::value::Name;

/// The file in UTF-8. Text that is in UTF-8 is handed back as it is, with what is broken in it.
///
/// A byte order mark tells the encoding, else `CA` in the first node, else the bytes: what is valid UTF-8 is UTF-8, what
/// can only be Japanese is Shift_JIS, and all else is Latin-1 as the format says.
pub(super) fn to_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match (Encoding::for_bom(bytes), declared(bytes)) {
        (Some((encoding, _)), _) => encoding,
        // files that declare Latin-1 or ASCII are often UTF-8 all the same
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

/// The encoding that `CA` names in the first node, if it is a known one in which the name could be read at all.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut lexer = Lexer::new(bytes).ok()?;
    let mut name = Name::Other;
    let mut nodes = 0;
    while let Ok(Some((_, token))) = lexer.next() {
        match token {
            Token::Node => nodes += 1,
            Token::Name(written) => name = Name::of(written),
            Token::Value(label) if name == Name::Charset => return labelled(label.trim_ascii()),
            Token::Value(_) => {}
        }
        if nodes > 1 {
            break;
        }
    }
    None
}

fn labelled(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label).or_else(|| match label.to_ascii_lowercase().as_slice() {
        b"euc-cn" | b"cp936" => Some(GBK),
        b"cp932" => Some(SHIFT_JIS),
        b"cp949" => Some(EUC_KR),
        _ => None,
    })?;
    (![REPLACEMENT, UTF_16BE, UTF_16LE].contains(&encoding)).then_some(encoding)
}

/// Whether this is Shift_JIS without a fault and has bytes that no text in Latin-1, UTF-8 or EUC has.
fn looks_japanese(bytes: &[u8]) -> bool {
    // first bytes of kana and kanji; in Windows-1252 rare signs, its common ones (quotes, dashes, dots) left out
    let telling = |byte: &u8| matches!(byte, 0x81..=0x84 | 0x86..=0x90 | 0x98..=0x9f);
    bytes.iter().any(telling) && SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).is_some()
}

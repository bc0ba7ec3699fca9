//! Conversion of a file to UTF-8.
//!
//! A file is decoded before it is split into values: in Shift_JIS, GBK and Big5 the second byte of a character may be
//! `\` or `]`, which a lexer on the undecoded bytes would take for the end of a value.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, KOI8_R, KOI8_U, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254,
};

use crate::sgf::lexer::{Lexer, Token};
use crate::sgf::property::Property;
use crate::text::input::without_byte_order_mark;

/// The file in UTF-8, without a byte-order mark. Other text in UTF-8 is returned unchanged, invalid bytes included.
///
/// The encoding is that of the byte order mark, else UTF-16 if the bytes of the parenthesis that opens the game are, see
/// [`utf16_without_mark`], else that of `CA` in the first node, else UTF-8 for valid UTF-8, else that which the bytes
/// are typical of, see [`detected`]. A `CA` of Latin-1 or ASCII does not apply to valid UTF-8, and one of UTF-8 not to
/// text that is mostly invalid.
pub(super) fn to_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = match (marked.or_else(|| utf16_without_mark(bytes)), declared(bytes)) {
        (Some(encoding), _) => encoding,
        (None, Some(encoding)) if encoding == UTF_8 && !is_mostly_utf8(bytes) => valid_guess(bytes).unwrap_or(UTF_8),
        // files that declare Latin-1 or ASCII are often UTF-8
        (None, Some(encoding)) if encoding != WINDOWS_1252 => encoding,
        _ if std::str::from_utf8(bytes).is_ok() => UTF_8,
        (None, Some(encoding)) => encoding,
        (None, None) => detected(bytes),
    };
    if encoding == UTF_8 {
        return Cow::Borrowed(without_byte_order_mark(bytes));
    }
    match encoding.decode_with_bom_removal(bytes).0 {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// A text in UTF-8, without a byte-order mark.
pub(super) fn of_text(text: &str) -> &[u8] {
    without_byte_order_mark(text.as_bytes())
}

/// UTF-16, if a parenthesis and the character after it, both ASCII, have a zero byte each and begin at an even offset.
/// The byte of a parenthesis alone may be half of another character. Text of another encoding has zero bytes in a value
/// at most, after the bytes `(;` that open the game.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let end = bytes.windows(2).position(|pair| pair == b"(;").unwrap_or(bytes.len());
    (0..end).step_by(2).find_map(|at| match bytes.get(at..at + 4)? {
        [b'(', 0, _, 0] => Some(UTF_16LE),
        [0, b'(', 0, _] => Some(UTF_16BE),
        _ => None,
    })
}

/// Whether at least as many characters that are not ASCII are valid UTF-8 as sequences of bytes are not: a file may have
/// been cut within a character.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= invalid
}

/// The detected encoding, if all bytes are valid in it.
fn valid_guess(bytes: &[u8]) -> Option<&'static Encoding> {
    let guess = detected(bytes);
    guess.decode_without_bom_handling_and_without_replacement(bytes).map(|_| guess)
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

/// The encodings in which a character may have several bytes.
const MULTIBYTE: [&Encoding; 5] = [GBK, BIG5, EUC_KR, EUC_JP, SHIFT_JIS];

/// The encodings of one byte a character that are found in records: Western, Central European, Cyrillic, Greek and
/// Turkish. Others are guesses from a few letters.
const SINGLE_BYTE: [&Encoding; 7] =
    [WINDOWS_1252, WINDOWS_1250, WINDOWS_1251, KOI8_R, KOI8_U, WINDOWS_1253, WINDOWS_1254];

/// The fewest bytes that are not ASCII for which the guess of a Cyrillic, Greek or other single-byte encoding is taken:
/// of fewer, the letters of Western names are as likely.
const MIN_BYTES: usize = 6;

/// The encoding that bytes which are not UTF-8 are typical of, by the detector of Firefox over the whole file. Latin-1 (as
/// Windows-1252), the default of the format, if there are too few bytes to tell: accented letters stand alone, while two
/// bytes in a row are not ASCII in all text in Chinese, Korean or Japanese but a few characters.
fn detected(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let decoded = |encoding: &'static Encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes);
    let is_gbk = || decoded(GBK).is_some();
    if MULTIBYTE.contains(&guess)
        && let Some(text) = decoded(guess)
    {
        // names in Chinese characters are valid in both, and records in GBK are far more frequent
        if guess == EUC_JP && !text.chars().any(is_kana) && is_gbk() {
            return GBK;
        }
        if bytes.windows(2).any(|pair| !pair.iter().any(u8::is_ascii)) {
            return guess;
        }
    }
    if looks_japanese(bytes) {
        return SHIFT_JIS;
    }
    // two names in Chinese characters are too few for the detector, but no other text has pairs of such bytes only
    let is_in_pairs = bytes.split(u8::is_ascii).all(|run| run.len() % 2 == 0);
    if !SINGLE_BYTE.contains(&guess) && is_in_pairs && is_gbk() {
        return GBK;
    }
    let is_long = bytes.iter().filter(|byte| !byte.is_ascii()).count() >= MIN_BYTES;
    if is_long && SINGLE_BYTE.contains(&guess) { guess } else { WINDOWS_1252 }
}

/// Whether a character is a Japanese syllable.
fn is_kana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30ff}')
}

/// Whether bytes that are not UTF-8 are valid Shift_JIS with some that are rare in text in Latin-1 or EUC.
fn looks_japanese(bytes: &[u8]) -> bool {
    // first bytes of kana and kanji, without those that are quotes, dashes and dots in Windows-1252
    let is_japanese = |byte: &u8| matches!(byte, 0x81..=0x84 | 0x86..=0x90 | 0x98..=0x9f);
    bytes.iter().any(is_japanese) && SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).is_some()
}

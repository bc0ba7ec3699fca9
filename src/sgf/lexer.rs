//! Bytes to the tokens of one main line, without recursion and without copies. Knows no property.

use crate::sgf::error::{SgfError, SgfProblem, printable};

/// A piece of the main line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A node begins.
    Node,
    /// A property begins: its name as written, which may have small letters in `FF[3]`.
    Name(&'a [u8]),
    /// A value of the property named last, as written, without its brackets. Its offset is that of its `[`.
    Value(&'a [u8]),
}

/// What stands before the next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Open,
    Node,
    Name,
    Value,
}

/// The tokens of the first main line: all up to the first `)`, for the first child follows its parent at once.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    before: Before,
    /// The first node has no `;`: the records of some servers begin `(PB[`.
    bare_root: bool,
}

impl<'a> Lexer<'a> {
    /// Begins at the first game; text before it is skipped.
    ///
    /// # Errors
    /// [`SgfProblem::NoGame`] if there is none.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Lexer<'a>, SgfError> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            if byte == b'(' {
                at += blanks(tail(bytes, at));
                let rest = tail(bytes, at);
                let bare_root = begins_with_property(rest);
                if bare_root || rest.first() == Some(&b';') {
                    return Ok(Lexer { bytes, at, before: Before::Open, bare_root });
                }
            }
        }
        Err(SgfError::new(bytes.len(), SgfProblem::NoGame))
    }

    /// The next token and its offset; `None` where the main line ends.
    ///
    /// # Errors
    /// What stands there instead.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, SgfError> {
        if self.bare_root {
            self.bare_root = false;
            self.before = Before::Node;
            return Ok(Some((self.at, Token::Node)));
        }
        loop {
            self.at += blanks(tail(self.bytes, self.at));
            let at = self.at;
            let error = |problem| Err(SgfError::new(at, problem));
            let rest = tail(self.bytes, at);
            let Some(&byte) = rest.first() else {
                return error(SgfProblem::Cut);
            };
            match (byte, self.before) {
                (b'[', Before::Name | Before::Value) => {
                    let Some(value) = value(tail(rest, 1)) else {
                        return error(SgfProblem::CutValue);
                    };
                    self.at += value.len() + 2;
                    self.before = Before::Value;
                    return Ok(Some((at, Token::Value(value))));
                }
                (b'[', _) => return error(SgfProblem::NoProperty),
                (b';' | b'(' | b')' | b'A'..=b'Z' | b'a'..=b'z', Before::Name) => return error(SgfProblem::NoValue),
                (b';', _) => {
                    self.at += 1;
                    self.before = Before::Node;
                    return Ok(Some((at, Token::Node)));
                }
                (b'(' | b')' | b'A'..=b'Z' | b'a'..=b'z', Before::Open) => return error(SgfProblem::NoNode),
                (b'(', _) => {
                    self.at += 1;
                    self.before = Before::Open;
                }
                (b')', _) => return Ok(None),
                (b'A'..=b'Z' | b'a'..=b'z', _) => {
                    let name = head(rest, name_length(rest));
                    self.at += name.len();
                    self.before = Before::Name;
                    return Ok(Some((at, Token::Name(name))));
                }
                _ => {
                    let found = String::from_utf8_lossy(head(rest, 4)).chars().next().map_or('?', printable);
                    return error(SgfProblem::Unexpected(found));
                }
            }
        }
    }
}

/// The bytes from `at` on; none beyond the end.
fn tail(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// The first bytes, as far as there are so many.
fn head(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// How many bytes are nothing: blanks, ends of lines, and control characters, NUL among them.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte <= b' ' || byte == 0x7f).count()
}

fn name_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

fn begins_with_property(bytes: &[u8]) -> bool {
    let length = name_length(head(bytes, 32)); // bounded, so that text before a game costs linear time
    bytes.first().is_some_and(u8::is_ascii_uppercase) && tail(bytes, length).first() == Some(&b'[')
}

/// The bytes before the `]` that no backslash escapes; `None` if there is none.
fn value(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b']' => return Some(head(bytes, at)),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

//! The lexer: bytes to the tokens of one main line, without recursion and without copies.

use crate::sgf::error::{SgfError, SgfProblem, printable};

/// A token of the main line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// `;`: the start of a node.
    Node,
    /// The identifier of a property as written, with lower-case letters in `FF[3]`.
    Name(&'a [u8]),
    /// A value of the last named property, as written, without brackets. Its offset is that of the `[`.
    Value(&'a [u8]),
}

/// The kind of the previous token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    Open,
    Node,
    Name,
    Value,
}

/// The tokens of the first main line. It ends at the first `)`, because the first child of a node follows it directly.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    previous: Previous,
    /// The root node has no `;`: records of some servers start with `(PB[`.
    has_bare_root: bool,
}

impl<'a> Lexer<'a> {
    /// A lexer at the first game; text before it is skipped.
    ///
    /// # Errors
    /// [`SgfProblem::NoGame`] if there is no game.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Lexer<'a>, SgfError> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            if byte == b'(' {
                at += blank_count(tail(bytes, at));
                let rest = tail(bytes, at);
                let has_bare_root = begins_with_property(rest);
                if has_bare_root || rest.first() == Some(&b';') {
                    return Ok(Lexer { bytes, at, previous: Previous::Open, has_bare_root });
                }
            }
        }
        Err(SgfError::new(bytes.len(), SgfProblem::NoGame))
    }

    /// The next token and its offset; `None` at the end of the main line.
    ///
    /// # Errors
    /// The syntax error at this place.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, SgfError> {
        if self.has_bare_root {
            self.has_bare_root = false;
            self.previous = Previous::Node;
            return Ok(Some((self.at, Token::Node)));
        }
        loop {
            self.at += blank_count(tail(self.bytes, self.at));
            let at = self.at;
            let error = |problem| Err(SgfError::new(at, problem));
            let rest = tail(self.bytes, at);
            let Some(&byte) = rest.first() else {
                return error(SgfProblem::Cut);
            };
            match (byte, self.previous) {
                (b'[', Previous::Name | Previous::Value) => {
                    let Some(value) = value(tail(rest, 1)) else {
                        return error(SgfProblem::CutValue);
                    };
                    self.at += value.len() + 2;
                    self.previous = Previous::Value;
                    return Ok(Some((at, Token::Value(value))));
                }
                (b'[', _) => return error(SgfProblem::NoProperty),
                (b';' | b'(' | b')' | b'A'..=b'Z' | b'a'..=b'z', Previous::Name) => return error(SgfProblem::NoValue),
                (b';', _) => {
                    self.at += 1;
                    self.previous = Previous::Node;
                    return Ok(Some((at, Token::Node)));
                }
                (b'(' | b')' | b'A'..=b'Z' | b'a'..=b'z', Previous::Open) => return error(SgfProblem::NoNode),
                (b'(', _) => {
                    self.at += 1;
                    self.previous = Previous::Open;
                }
                (b')', _) => return Ok(None),
                (b'A'..=b'Z' | b'a'..=b'z', _) => {
                    let name = head(rest, name_length(rest));
                    self.at += name.len();
                    self.previous = Previous::Name;
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

/// The bytes from `at` on; empty beyond the end.
fn tail(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// At most the first `length` bytes.
fn head(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// The number of leading blanks, line ends and control characters (NUL included).
fn blank_count(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte <= b' ' || byte == 0x7f).count()
}

fn name_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

fn begins_with_property(bytes: &[u8]) -> bool {
    let length = name_length(head(bytes, 32)); // bounded, so that skipping text takes linear time
    bytes.first().is_some_and(u8::is_ascii_uppercase) && tail(bytes, length).first() == Some(&b'[')
}

/// The bytes before the first unescaped `]`; `None` if there is none.
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

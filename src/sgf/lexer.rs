//! The lexer: bytes to the tokens of one game tree, or of its main line, without recursion and without copies.

use crate::sgf::error::{SgfError, SgfProblem, printable};

/// A token of a game tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// `(`: the start of a variation. The first one, which opens the game, is no token.
    Open,
    /// `)`: the end of a variation. The last one, which closes the game, is no token.
    Close,
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
    Close,
}

/// The tokens of the first game.
///
/// The main line ends at the first `)`, because the first child of a node follows it directly. A game whose main line
/// is complete may lack the parentheses at its end.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    previous: Previous,
    /// The number of variations that are open, the game included.
    depth: usize,
    is_past_main_line: bool,
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
                    return Ok(Lexer {
                        bytes,
                        at,
                        previous: Previous::Open,
                        depth: 1,
                        is_past_main_line: false,
                        has_bare_root,
                    });
                }
            }
        }
        Err(SgfError::new(bytes.len(), SgfProblem::NoGame))
    }

    /// Whether another game follows what has been read.
    pub(super) fn is_followed_by_a_game(&self) -> bool {
        Lexer::new(tail(self.bytes, self.at)).is_ok()
    }

    /// The next node, name or value of the main line and its offset; `None` at the end of the main line.
    ///
    /// # Errors
    /// The syntax error at this place.
    pub(super) fn next_of_main_line(&mut self) -> Result<Option<(usize, Token<'a>)>, SgfError> {
        while !self.is_past_main_line {
            match self.next()? {
                Some((_, Token::Open)) => {}
                Some((_, Token::Close)) => break,
                other => return Ok(other),
            }
        }
        Ok(None)
    }

    /// The next token and its offset; `None` at the end of the game.
    ///
    /// # Errors
    /// The syntax error at this place.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, SgfError> {
        if self.has_bare_root {
            self.has_bare_root = false;
            self.previous = Previous::Node;
            return Ok(Some((self.at, Token::Node)));
        }
        if self.depth == 0 {
            return Ok(None);
        }
        self.at += blank_count(tail(self.bytes, self.at));
        let at = self.at;
        let error = |problem| Err(SgfError::new(at, problem));
        let rest = tail(self.bytes, at);
        let Some(&byte) = rest.first() else {
            let is_between_nodes = matches!(self.previous, Previous::Node | Previous::Value | Previous::Close);
            return if self.is_past_main_line && is_between_nodes { Ok(None) } else { error(SgfProblem::Cut) };
        };
        let (token, length, previous) = match (byte, self.previous) {
            (b'[', Previous::Name | Previous::Value) => {
                let Some(value) = value(tail(rest, 1)) else {
                    return error(SgfProblem::CutValue);
                };
                (Token::Value(value), value.len() + 2, Previous::Value)
            }
            (b'[', _) => return error(SgfProblem::NoProperty),
            (b';' | b'(' | b')' | b'A'..=b'Z' | b'a'..=b'z', Previous::Name) => return error(SgfProblem::NoValue),
            (b';', _) => (Token::Node, 1, Previous::Node),
            (b'(' | b')', Previous::Open) | (b'A'..=b'Z' | b'a'..=b'z', Previous::Open | Previous::Close) => {
                return error(SgfProblem::NoNode);
            }
            (b'(', _) => {
                self.depth += 1;
                (Token::Open, 1, Previous::Open)
            }
            (b')', _) => {
                self.depth -= 1;
                self.is_past_main_line = true;
                (Token::Close, 1, Previous::Close)
            }
            (b'A'..=b'Z' | b'a'..=b'z', _) => {
                let name = head(rest, name_length(rest));
                (Token::Name(name), name.len(), Previous::Name)
            }
            _ => {
                let found = String::from_utf8_lossy(head(rest, 4)).chars().next().map_or('?', printable);
                return error(SgfProblem::Unexpected(found));
            }
        };
        self.at += length;
        self.previous = previous;
        Ok((self.depth > 0).then_some((at, token)))
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

//! Lines of input: reading them from a byte stream, cleaning, and splitting into id, command and arguments.
//!
//! The syntax is GTP's (version 2, section 2). This file does not depend on commands, threads or the
//! search.

use std::io::{self, BufRead};

use crate::text::input::BYTE_ORDER_MARK;

/// Upper limit of a line's length in bytes. Of a longer line only the beginning is kept.
pub const MAX_LINE: usize = 1 << 20;

/// A line of input without its line feed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RawLine {
    /// The first bytes, at most [`MAX_LINE`].
    pub bytes: Vec<u8>,
    /// The length of the whole line in bytes.
    pub length: usize,
}

/// The line with which GoGui stops a search. By GTP it is a comment.
const INTERRUPT: &str = "# interrupt";

impl RawLine {
    /// Whether the line stops a search.
    pub(crate) fn is_interrupt(&self) -> bool {
        clean(&self.bytes).trim() == INTERRUPT
    }

    /// Whether the line is the command `quit`.
    pub(crate) fn is_quit(&self) -> bool {
        let line = clean(&self.bytes);
        Request::parse(&line).is_some_and(|request| request.name == "quit" && request.arguments.is_empty())
    }

    /// The error text of a line that was too long and is kept only in part.
    pub(crate) fn too_long_message(&self) -> Option<String> {
        (self.length > MAX_LINE).then(|| format!("line of {} bytes, expected at most {MAX_LINE}", self.length))
    }
}

/// The lines of a byte stream. A byte-order mark before the first line is skipped.
#[derive(Debug)]
pub struct StreamLines<R> {
    source: R,
    /// Whether the first line was read.
    has_begun: bool,
}

impl<R: BufRead> StreamLines<R> {
    /// Reads from the beginning of a stream.
    pub fn new(source: R) -> StreamLines<R> {
        StreamLines { source, has_begun: false }
    }

    /// Reads a line, including a byte-order mark.
    fn read(&mut self) -> io::Result<Option<RawLine>> {
        let mut line = RawLine::default();
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok((line.length > 0).then_some(line));
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            // a byte-order mark does not count
            let most = MAX_LINE + if self.has_begun { 0 } else { BYTE_ORDER_MARK.len() };
            let room = most - line.bytes.len();
            line.bytes.extend(part.iter().take(room));
            line.length += part.len();
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }

    /// The next line, or `None` at the end of the stream. The last line may lack a line feed.
    ///
    /// # Errors
    /// The error of the stream.
    pub fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        let mut line = self.read()?;
        if !std::mem::replace(&mut self.has_begun, true)
            && let Some(first) = &mut line
        {
            if first.bytes.starts_with(BYTE_ORDER_MARK) {
                first.bytes.drain(..BYTE_ORDER_MARK.len());
                first.length -= BYTE_ORDER_MARK.len();
            }
            first.bytes.truncate(MAX_LINE);
        }
        Ok(line)
    }
}

/// The text of a line as it is logged and executed: without control characters except tabs, with invalid UTF-8
/// replaced.
pub fn clean(bytes: &[u8]) -> String {
    let kept: Vec<u8> = bytes.iter().copied().filter(|&byte| byte == b'\t' || !byte.is_ascii_control()).collect();
    String::from_utf8_lossy(&kept).into_owned()
}

/// The parts of a line: `[id] name arguments`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The digits of the id, which the answer repeats as they are.
    pub id: Option<&'a str>,
    /// The name of the command; empty if the line has only an id.
    pub name: &'a str,
    /// The text after the name, without white space at its ends.
    pub arguments: &'a str,
}

impl<'a> Request<'a> {
    /// Splits a cleaned line; `None` if it has nothing but white space and a comment.
    pub fn parse(line: &'a str) -> Option<Request<'a>> {
        let command = line.split('#').next().unwrap_or_default().trim_matches(is_space);
        if command.is_empty() {
            return None;
        }
        let digits = command.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = command.split_at(digits);
        let id = (digits > 0).then_some(number);
        let (name, arguments) = split_word(rest.trim_start_matches(is_space));
        Some(Request { id, name, arguments })
    }
}

/// The first word of a text, and the rest without leading white space.
pub(crate) fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(is_space) {
        Some((word, rest)) => (word, rest.trim_start_matches(is_space)),
        None => (text, ""),
    }
}

/// Whether GTP counts a character as white space: space and tab.
pub(crate) fn is_space(character: char) -> bool {
    character == ' ' || character == '\t'
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<(Option<&str>, &str, &str)>) {
        let line = clean(bytes);
        let request = Request::parse(&line).map(|request| (request.id, request.name, request.arguments));
        assert_eq!(request, expected);
    }

    #[test]
    fn lines_are_cleaned_and_split() {
        check(b"  \t\r", None);
        check(b"# 12 name", None);
        check(b"name # x", Some((None, "name", "")));
        check(b"na\x07me\r", Some((None, "name", "")));
        check(b"\tname", Some((None, "name", "")));
        check(b"12  lz-analyze  black\t100 ", Some((Some("12"), "lz-analyze", "black\t100")));
        check(b"1name", Some((Some("1"), "name", "")));
        check(b"7", Some((Some("7"), "", "")));
        check(b"99999999999 name", Some((Some("99999999999"), "name", "")));
        check(b"007 name", Some((Some("007"), "name", "")));
        check(b"-3 name", Some((None, "-3", "name")));
        check(b"rendb_save a b.json", Some((None, "rendb_save", "a b.json")));
        check(b"\xff\xfe play", Some((None, "\u{fffd}\u{fffd}", "play")));
    }

    #[test]
    fn lines_of_a_stream() {
        let mut lines = StreamLines::new(&b"name\r\n\nlast"[..]);
        let mut next = || lines.next_line().unwrap().map(|line| line.bytes);
        assert_eq!(next().unwrap(), b"name\r");
        assert_eq!(next().unwrap(), b"");
        assert_eq!(next().unwrap(), b"last");
        assert_eq!(next(), None);
    }

    #[test]
    fn byte_order_mark_is_skipped() {
        let text = b"\xef\xbb\xbfname\n\xef\xbb\xbfname\n";
        // also if the stream is read byte by byte
        for capacity in [1, 100] {
            let mut lines = StreamLines::new(io::BufReader::with_capacity(capacity, &text[..]));
            let mut next = || lines.next_line().unwrap().map(|line| (line.length, line.bytes));
            assert_eq!(next(), Some((4, b"name".to_vec())));
            assert_eq!(next(), Some((7, b"\xef\xbb\xbfname".to_vec())));
            assert_eq!(next(), None);
        }
        // the mark takes no room from the line
        for length in [MAX_LINE, MAX_LINE + 1] {
            let text = [BYTE_ORDER_MARK, &vec![b'a'; length]].concat();
            let line = StreamLines::new(&text[..]).next_line().unwrap().unwrap();
            assert_eq!((line.length, line.bytes.len()), (length, MAX_LINE));
        }
        let mut lines = StreamLines::new(BYTE_ORDER_MARK);
        assert_eq!(lines.next_line().unwrap(), Some(RawLine::default()));
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn long_lines_are_cut_and_the_next_line_is_read() {
        let mut input = vec![b'a'; 5 * MAX_LINE];
        input.extend(b"\nname\n");
        let mut lines = StreamLines::new(io::BufReader::new(&input[..]));
        let line = lines.next_line().unwrap().unwrap();
        assert_eq!((line.bytes.len(), line.length), (MAX_LINE, 5 * MAX_LINE));
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"name");
    }
}

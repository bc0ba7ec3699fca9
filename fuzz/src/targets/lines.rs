//! Splitting of input into lines and parsing of requests, for any size of the reads.

use std::io::BufReader;

use kifuwarabe_uec14::protocol::line::{Request, StreamLines, clean};

use super::Bytes;

/// The first byte plus 1 is the size of the read buffer.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let capacity = usize::from(bytes.take()) + 1;
    let mut lines = StreamLines::new(BufReader::with_capacity(capacity, bytes.0));
    let mut expected: Vec<&[u8]> = bytes.0.split(|&byte| byte == b'\n').collect();
    // nothing after the last line feed is no line
    expected.pop_if(|last| last.is_empty());
    // a byte order mark is not part of the first line
    if let Some(first) = expected.first_mut() {
        *first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    }
    for expected in expected {
        let line = lines.next_line().unwrap().unwrap();
        assert_eq!((line.bytes.as_slice(), line.length), (expected, expected.len()));
        check(&clean(&line.bytes));
    }
    assert_eq!(lines.next_line().unwrap(), None);
}

fn check(line: &str) {
    assert!(!line.chars().any(|character| character.is_ascii_control() && character != '\t'));
    let Some(request) = Request::parse(line) else {
        let text = line.split('#').next().unwrap();
        assert_eq!(text.trim_matches([' ', '\t']), "");
        return;
    };
    let Request { id, name, arguments } = request;
    assert!(id.is_none_or(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())));
    assert!(!name.contains([' ', '\t', '#']) && !arguments.contains('#'));
    assert_eq!(arguments, arguments.trim_matches([' ', '\t']));
    assert!(id.is_some() || !name.is_empty());
    // the parsed request, written again, parses to itself
    let again = format!("{} {name} {arguments}", id.unwrap_or_default());
    assert_eq!(Request::parse(&again), Some(request));
}

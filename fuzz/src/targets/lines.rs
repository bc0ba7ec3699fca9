//! Bytes to lines to requests, however the bytes come in.

use std::io::BufReader;

use kifuwarabe_uec14::protocol::line::{Request, StreamLines, clean};

use super::Bytes;

/// The first byte says how many bytes are read at once.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let capacity = usize::from(bytes.take()) + 1;
    let mut lines = StreamLines::new(BufReader::with_capacity(capacity, bytes.0));
    let mut expected: Vec<&[u8]> = bytes.0.split(|&byte| byte == b'\n').collect();
    // what follows the last line feed is a line only if there is something
    expected.pop_if(|last| last.is_empty());
    // nor does the mark before the first one belong to it
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
        let said = line.split('#').next().unwrap();
        assert_eq!(said.trim_matches([' ', '\t']), "");
        return;
    };
    let Request { id, name, arguments } = request;
    assert!(id.is_none_or(|id| id <= i32::MAX as u32));
    assert!(!name.contains([' ', '\t', '#']) && !arguments.contains('#'));
    assert_eq!(arguments, arguments.trim_matches([' ', '\t']));
    assert!(id.is_some() || !name.is_empty());
    // what was understood says the same when it is said again
    let number = id.map_or(String::new(), |id| id.to_string());
    let again = format!("{number} {name} {arguments}");
    assert_eq!(Request::parse(&again), Some(request));
}

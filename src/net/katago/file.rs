//! The tokens of a KataGo file: words, numbers and blocks of floats, after decompression.
//!
//! The file is text, tokens separated by white space. A block of floats is either the mark `@BIN@` and then
//! little-endian 32-bit floats (`.bin.gz`) or decimal numbers (`.txt.gz`). Source: KataGo's `neuralnet/desc.cpp`, which
//! reads them.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::net::error::NetError;

/// The mark before binary floats.
const BINARY_MARK: &[u8] = b"@BIN@";

/// Limit of the decompressed size: this many bytes, and [`MAX_EXPANSION`] for each byte of the file. Weights in binary
/// compress to about nine tenths and decimal numbers to a third, so no real net comes near; a gzip bomb does.
const BASE_SIZE_LIMIT: u64 = 64 << 20;
const MAX_EXPANSION: u64 = 6;

/// The longest part of a foreign word that an error quotes.
const MAX_QUOTED_BYTES: usize = 40;

/// Decompresses a file.
///
/// # Errors
/// If the gzip data is damaged or truncated, or expands absurdly.
pub(super) fn decompress(bytes: &[u8]) -> Result<Vec<u8>, NetError> {
    let limit = BASE_SIZE_LIMIT + MAX_EXPANSION * bytes.len() as u64;
    let mut content = Vec::with_capacity(bytes.len() + bytes.len() / 4);
    let read = MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut content);
    read.map_err(|error| NetError(format!("damaged gzip data: {error}")))?;
    match content.len() as u64 > limit {
        true => Err(NetError(format!("the gzip data expands beyond {limit} bytes, {MAX_EXPANSION} times its size"))),
        false => Ok(content),
    }
}

/// A reader of tokens.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// A reader of a decompressed file.
    pub(super) fn new(content: &'a [u8]) -> Tokens<'a> {
        Tokens { rest: content }
    }

    /// The next word; `what` names it in errors.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, NetError> {
        self.rest = self.rest.trim_ascii_start();
        let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match str::from_utf8(word) {
            Ok("") => Err(NetError(format!("the file ends where {what} is expected"))),
            Ok(word) if word.len() <= 1000 && !word.contains(char::is_control) => Ok(word),
            _ => Err(NetError(format!("{what} is {}, expected a word", quoted(word)))),
        }
    }

    /// The next word as an integer in a range.
    pub(super) fn integer(&mut self, what: &str, min: usize, max: usize) -> Result<usize, NetError> {
        let word = self.word(what)?;
        match word.parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ if min == max => Err(NetError(format!("{what} is {}, expected {min}", quoted(word.as_bytes())))),
            _ => Err(NetError(format!("{what} is {}, expected {min} to {max}", quoted(word.as_bytes())))),
        }
    }

    /// The next word as 0 or 1.
    pub(super) fn flag(&mut self, what: &str) -> Result<bool, NetError> {
        Ok(self.integer(what, 0, 1)? == 1)
    }

    /// The next word as a positive number.
    pub(super) fn positive(&mut self, what: &str) -> Result<f32, NetError> {
        let word = self.word(what)?;
        match word.parse::<f32>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
            _ => Err(NetError(format!("{what} is {}, expected a positive number", quoted(word.as_bytes())))),
        }
    }

    /// The next block of floats, all finite; `layer` names it in errors.
    pub(super) fn floats(&mut self, layer: &str, count: usize) -> Result<Vec<f32>, NetError> {
        self.rest = self.rest.trim_ascii_start();
        let numbers = match self.rest.strip_prefix(BINARY_MARK) {
            Some(rest) => self.binary(layer, rest, count)?,
            None => self.decimal(layer, count)?,
        };
        match numbers.iter().find(|number| !number.is_finite()) {
            Some(number) => Err(NetError(format!("layer {layer} holds {number}, expected finite numbers"))),
            None => Ok(numbers),
        }
    }

    fn binary(&mut self, layer: &str, rest: &'a [u8], count: usize) -> Result<Vec<f32>, NetError> {
        let Some((bytes, rest)) = rest.split_at_checked(4 * count) else {
            return Err(NetError(format!("the file ends in layer {layer}, which has {count} floats")));
        };
        self.rest = rest;
        let (floats, _) = bytes.as_chunks::<4>();
        Ok(floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn decimal(&mut self, layer: &str, count: usize) -> Result<Vec<f32>, NetError> {
        let mut numbers = Vec::with_capacity(count.min(self.rest.len()));
        for _ in 0..count {
            let word = self.word("a float").map_err(|NetError(error)| NetError(format!("layer {layer}: {error}")))?;
            numbers.push(word.parse::<f32>().map_err(|_| {
                NetError(format!("layer {layer} holds {}, expected {count} floats", quoted(word.as_bytes())))
            })?);
        }
        Ok(numbers)
    }

    /// Checks that only white space is left.
    pub(super) fn end(&mut self) -> Result<(), NetError> {
        match self.rest.trim_ascii_start() {
            [] => Ok(()),
            more => Err(NetError(format!("{} bytes after the net's end, expected none", more.len()))),
        }
    }
}

/// A foreign word in quotation marks, in printable characters.
pub(super) fn quoted(word: &[u8]) -> String {
    let start = word.get(..MAX_QUOTED_BYTES.min(word.len())).unwrap_or_default();
    format!("{:?}{}", String::from_utf8_lossy(start), if word.len() > MAX_QUOTED_BYTES { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn both_forms_of_floats() {
        let mut content = b"name 3\n@BIN@".to_vec();
        [1.5f32, -2.0].into_iter().for_each(|number| content.extend(number.to_le_bytes()));
        content.extend(b"\n0.25 -1e2\n\n");
        let content = decompress(&gzip(&content)).unwrap();
        let mut tokens = Tokens::new(&content);
        assert_eq!(tokens.word("the name"), Ok("name"));
        assert_eq!(tokens.integer("a count", 1, 9), Ok(3));
        assert_eq!(tokens.floats("a", 2), Ok(vec![1.5, -2.0]));
        assert_eq!(tokens.floats("b", 2), Ok(vec![0.25, -100.0]));
        assert_eq!(tokens.end(), Ok(()));
    }

    #[test]
    fn defects_are_told_in_one_line() {
        let error = |content: &[u8], read: fn(&mut Tokens) -> Result<(), NetError>| {
            let error = read(&mut Tokens::new(content)).unwrap_err().to_string();
            assert!(!error.contains('\n') && error.chars().count() < 120, "{error}");
            error
        };
        let floats = |tokens: &mut Tokens| tokens.floats("conv1", 1 << 40).map(|_| ());
        assert_eq!(error(b"@BIN@abc", floats), "the file ends in layer conv1, which has 1099511627776 floats");
        assert_eq!(error(b"1 2", floats), "layer conv1: the file ends where a float is expected");
        let two = |tokens: &mut Tokens| tokens.floats("conv1", 2).map(|_| ());
        assert_eq!(error(b"1 x", two), "layer conv1 holds \"x\", expected 2 floats");
        assert_eq!(error(b"1 nan", two), "layer conv1 holds NaN, expected finite numbers");
        let count = |tokens: &mut Tokens| tokens.integer("the number of blocks", 1, 9).map(|_| ());
        assert_eq!(error(b"10", count), "the number of blocks is \"10\", expected 1 to 9");
        assert_eq!(error(b"-1", count), "the number of blocks is \"-1\", expected 1 to 9");
        assert_eq!(error(b" ", count), "the file ends where the number of blocks is expected");
        assert_eq!(error(&[0xff; 2000], count).chars().filter(|c| *c == '\u{fffd}').count(), MAX_QUOTED_BYTES);
        assert_eq!(error(b"0", |tokens| tokens.positive("a").map(|_| ())), "a is \"0\", expected a positive number");
        assert_eq!(error(b" 1", |tokens| tokens.end()), "1 bytes after the net's end, expected none");
    }

    #[test]
    fn damaged_and_exploding_files() {
        let bytes = gzip(&fastrand::Rng::with_seed(5).u128(..).to_le_bytes());
        assert!(decompress(&bytes[..bytes.len() - 1]).unwrap_err().to_string().starts_with("damaged gzip data: "));
        assert!(decompress(&bytes[..3]).is_err() && decompress(b"").is_err());
        let mut changed = bytes.clone();
        changed[bytes.len() - 6] ^= 1;
        assert!(decompress(&changed).is_err());
        let bomb = decompress(&gzip(&vec![0; (BASE_SIZE_LIMIT as usize) * 5 / 4])).unwrap_err().to_string();
        assert!(bomb.starts_with("the gzip data expands beyond"), "{bomb}");
    }
}

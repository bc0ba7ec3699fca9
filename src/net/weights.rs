//! The file of a net: its tensors by name, checked for what they must be.

use std::fmt;

use safetensors::{Dtype, SafeTensors};

/// The format of the file, as it says itself.
const FORMAT: &str = "kifuwarabe-net-1";

/// The most channels and blocks that are taken for a net.
const MOST_CHANNELS: usize = 1024;
const MOST_BLOCKS: usize = 256;

/// Why a file is no net. One line, without the name of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadNet(pub(super) String);

impl fmt::Display for BadNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadNet {}

/// The tensors of a net, and what its metadata say.
pub(super) struct Weights<'a> {
    tensors: SafeTensors<'a>,
    pub(super) channels: usize,
    pub(super) blocks: usize,
}

impl Weights<'_> {
    /// Reads a file of the safetensors format.
    pub(super) fn read(bytes: &[u8]) -> Result<Weights<'_>, BadNet> {
        let broken = |error| BadNet(format!("not a safetensors file: {error}"));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
        let facts = metadata.metadata().as_ref();
        let word = |key: &str| facts.and_then(|facts| facts.get(key)).map_or("", String::as_str);
        if word("format") != FORMAT {
            return Err(BadNet(format!("format {:?}, expected {FORMAT:?}", word("format"))));
        }
        let count = |key: &str, most: usize| match word(key).parse() {
            Ok(count) if (1..=most).contains(&count) => Ok(count),
            _ => Err(BadNet(format!("{key} {:?}, expected 1 to {most}", word(key)))),
        };
        Ok(Weights { channels: count("channels", MOST_CHANNELS)?, blocks: count("blocks", MOST_BLOCKS)?, tensors })
    }

    /// The numbers of a tensor, which must have this shape; row by row.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, BadNet> {
        let tensor = self.tensors.tensor(name).map_err(|_| BadNet(format!("no tensor {name}")))?;
        if tensor.shape() != shape {
            return Err(BadNet(format!("tensor {name} has shape {:?}, expected {shape:?}", tensor.shape())));
        }
        let bytes = tensor.data();
        let numbers: Vec<f32> = match tensor.dtype() {
            Dtype::F16 => bytes.chunks_exact(2).map(|x| half::f16::from_le_bytes([x[0], x[1]]).to_f32()).collect(),
            Dtype::F32 => bytes.chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect(),
            other => return Err(BadNet(format!("tensor {name} has type {other:?}, expected F16 or F32"))),
        };
        match numbers.iter().find(|number| !number.is_finite()) {
            Some(number) => Err(BadNet(format!("tensor {name} holds {number}, expected finite numbers"))),
            None => Ok(numbers),
        }
    }
}

//! The net file: tensors by name, with shape, type and values checked.

use safetensors::{Dtype, SafeTensors};

use crate::net::error::NetError;
use crate::net::native::features::{PLANES, PLANES_WITH_LADDERS};

/// The formats, as the metadata key `format` names them.
const FORMATS: [(&str, Format); 2] =
    [("kifuwarabe-net-1", Format::PolicyAndValue), ("kifuwarabe-net-2", Format::WithScore)];

/// The outputs of a file's net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    PolicyAndValue,
    /// Also the lead, its deviation and the owner of each point.
    WithScore,
}

/// Upper limits of the sizes that a file may claim, so that a malicious one cannot exhaust memory.
const MAX_CHANNELS: usize = 1024;
const MAX_BLOCKS: usize = 256;

/// The tensors and the metadata of a net file.
pub(super) struct Weights<'a> {
    tensors: SafeTensors<'a>,
    pub(super) format: Format,
    pub(super) channels: usize,
    pub(super) blocks: usize,
    /// Input planes.
    pub(super) planes: usize,
}

impl Weights<'_> {
    /// Parses the header of a safetensors file.
    pub(super) fn read(bytes: &[u8]) -> Result<Weights<'_>, NetError> {
        let broken = |error| NetError(format!("not a safetensors file: {error}"));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
        let facts = metadata.metadata().as_ref();
        let word = |key: &str| facts.and_then(|facts| facts.get(key)).map_or("", String::as_str);
        let format = FORMATS.iter().find(|(name, _)| *name == word("format")).map(|(_, format)| *format);
        let Some(format) = format else {
            let [first, second] = FORMATS.map(|(name, _)| name);
            return Err(NetError(format!("format {:?}, expected {first:?} or {second:?}", word("format"))));
        };
        let count = |key: &str, max: usize| match word(key).parse() {
            Ok(count) if (1..=max).contains(&count) => Ok(count),
            _ => Err(NetError(format!("{key} {:?}, expected 1 to {max}", word(key)))),
        };
        let (channels, blocks) = (count("channels", MAX_CHANNELS)?, count("blocks", MAX_BLOCKS)?);
        let (planes, expected): (&[usize], _) = match format {
            Format::PolicyAndValue => (&[PLANES], PLANES.to_string()),
            Format::WithScore => (&[PLANES, PLANES_WITH_LADDERS], format!("{PLANES} or {PLANES_WITH_LADDERS}")),
        };
        let planes = match word("planes") {
            "" => Some(PLANES),
            written => planes.iter().copied().find(|planes| planes.to_string() == written),
        };
        let planes = planes.ok_or_else(|| NetError(format!("planes {:?}, expected {expected}", word("planes"))))?;
        Ok(Weights { format, channels, blocks, planes, tensors })
    }

    /// The values of a tensor in row-major order, if it has the given shape.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, NetError> {
        let tensor = self.tensors.tensor(name).map_err(|_| NetError(format!("no tensor {name}")))?;
        if tensor.shape() != shape {
            return Err(NetError(format!("tensor {name} has shape {:?}, expected {shape:?}", tensor.shape())));
        }
        let bytes = tensor.data();
        let numbers: Vec<f32> = match tensor.dtype() {
            Dtype::F16 => bytes.chunks_exact(2).map(|x| half::f16::from_le_bytes([x[0], x[1]]).to_f32()).collect(),
            Dtype::F32 => bytes.chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect(),
            other => return Err(NetError(format!("tensor {name} has type {other:?}, expected F16 or F32"))),
        };
        match numbers.iter().find(|number| !number.is_finite()) {
            Some(number) => Err(NetError(format!("tensor {name} holds {number}, expected finite numbers"))),
            None => Ok(numbers),
        }
    }
}

//! The file of a shard: safetensors with one row a position.
//!
//! | Tensor | Type | Columns | Meaning |
//! | --- | --- | --- | --- |
//! | `planes` | U8 | ⌈22 · area / 8⌉ | the spatial inputs, one plane after another, a bit a point, the first in the highest bit |
//! | `globals` | F32 | 19 | the global inputs |
//! | `legal` | U8 | ⌈(area + 1) / 8⌉ | a bit a move, the pass last |
//! | `game` | U32 | 4 | number of the file, line in it, moves of the game, moves deviating from the game |
//! | `black` | U8 | 1 | 1 if Black is to move |
//! | `played` | I16 | 1 | policy index of the move played; -1 in a final position and after a move deviating from the game |
//! | `result` | F32 | 1 | 1 if the side to move won the game, 0 if it lost, -1 if unknown |
//! | `margin` | F32 | 1 | at the end of a game, the points by which the side to move won |
//! | `policy` | U16 | area + 1 | the teacher's policy, of 65535 |
//! | `value` | F32 | 3 | probabilities of win, loss and no result |
//! | `score` | F32 | 3 | mean and standard deviation of the score, lead; in points |
//! | `ownership` | I8 | area | of 127; positive is the side to move's |
//! | `native_planes` | U8 | ⌈22 · area / 8⌉ | the spatial inputs of a native net, as `planes` |
//! | `native_globals` | F32 | 3 | its global inputs |
//!
//! The file's metadata has one entry, `about`: a JSON object with the board's `width` and `height`, the `teacher`'s
//! name, the `seed`, the program's `version`, and the `options` on which the rows depend. Points go from the highest
//! rank down. Outputs are for the side to move. Without a teacher the four from `policy` on are absent; only `--ends`
//! writes `margin`, and only `--walks` the last two.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};

use crate::io::files;
use crate::kernel::{Color, Coordinate};
use crate::net::PointPlanes;
use crate::net::katago::features::{GLOBALS, PLANES};
use crate::net::native::features::{PLANES_WITH_LADDERS, SCORE_GLOBALS};
use crate::tools::labels::positions::Label;

/// The longest header of a shard, in bytes; those that are written have about a thousand.
const MAX_HEADER: u64 = 1 << 20;

/// The metadata of a file.
pub(super) struct ShardMetadata {
    /// The teacher's name.
    pub(super) net: Option<String>,
    pub(super) coordinate: Coordinate,
    pub(super) seed: u64,
    /// The options on which the rows depend, beside those above.
    pub(super) options: Value,
}

impl ShardMetadata {
    fn to_json(&self) -> Value {
        json!({
            "width": self.coordinate.width(),
            "height": self.coordinate.height(),
            "teacher": self.net,
            "seed": self.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "options": self.options,
        })
    }

    /// Checks that a shard was written with the same metadata, the program's version apart. Shards of earlier versions
    /// have no `options`, and only their other metadata are compared.
    ///
    /// # Errors
    /// If the file is no shard, or its metadata differ.
    pub(super) fn check(&self, path: &Path) -> anyhow::Result<()> {
        let there = metadata(path).with_context(|| format!("{}: not a shard", path.display()))?;
        // read back as well: a number that is read may differ in its last bit from the one that was written
        let here: Value = serde_json::from_str(&self.to_json().to_string())?;
        let mut pairs: Vec<(&str, &Value, &Value)> = Vec::new();
        for (name, value) in there.as_object().into_iter().flatten() {
            match (value, here.get(name)) {
                (Value::Object(options), Some(here)) => {
                    pairs.extend(options.iter().filter_map(|(name, value)| {
                        let name = current_name(name);
                        Some((name, value, here.get(name)?))
                    }));
                }
                (value, Some(here)) if name != "version" => pairs.push((name, value, here)),
                _ => {}
            }
        }
        match pairs.into_iter().find(|(_, there, here)| there != here) {
            Some((name, there, here)) => {
                bail!("{}: {name} {there}, expected {here} as in this run, or another --out", path.display())
            }
            None => Ok(()),
        }
    }
}

/// The name of an option in the metadata. Shards of earlier versions have others for two of them.
fn current_name(name: &str) -> &str {
    match name {
        "off" => "deviation_share",
        "depth" => "max_deviations",
        name => name,
    }
}

/// The value of the metadata entry `about` of a shard.
fn metadata(path: &Path) -> anyhow::Result<Value> {
    let mut file = GzDecoder::new(files::open(path)?);
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let mut header = Vec::new();
    file.take(u64::from_le_bytes(length).min(MAX_HEADER)).read_to_end(&mut header)?;
    let header: Value = serde_json::from_slice(&header)?;
    let about = header.pointer("/__metadata__/about").and_then(Value::as_str).context("no metadata")?;
    Ok(serde_json::from_str(about)?)
}

/// Rows of positions.
pub(super) struct Shard {
    area: usize,
    rows: usize,
    planes: Vec<u8>,
    globals: Vec<u8>,
    legal: Vec<u8>,
    game: Vec<u8>,
    black: Vec<u8>,
    played: Vec<u8>,
    result: Vec<u8>,
    margin: Vec<u8>,
    policy: Vec<u8>,
    value: Vec<u8>,
    score: Vec<u8>,
    ownership: Vec<u8>,
    native_planes: Vec<u8>,
    native_globals: Vec<u8>,
}

impl Shard {
    /// A shard without rows.
    pub(super) fn new(coordinate: Coordinate) -> Shard {
        let empty = Vec::new;
        Shard {
            area: coordinate.board_area(),
            rows: 0,
            planes: empty(),
            globals: empty(),
            legal: empty(),
            game: empty(),
            black: empty(),
            played: empty(),
            result: empty(),
            margin: empty(),
            policy: empty(),
            value: empty(),
            score: empty(),
            ownership: empty(),
            native_planes: empty(),
            native_globals: empty(),
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Adds a row.
    pub(super) fn push(&mut self, label: &Label) {
        let (sample, features) = (&label.sample, &label.features);
        pack_planes(&mut self.planes, PLANES, features.planes());
        put(&mut self.globals, features.globals().iter().map(|number| number.to_le_bytes()));
        pack(&mut self.legal, features.legal().iter().copied());
        let game = [sample.file, sample.line, u32::from(sample.ply), u32::from(sample.deviations)];
        put(&mut self.game, game.map(u32::to_le_bytes));
        self.black.push(u8::from(label.color() == Color::Black));
        put(&mut self.played, [sample.played.map_or(-1, |index| index as i16).to_le_bytes()]);
        put(&mut self.result, [sample.result.map_or(-1.0, |won| f32::from(u8::from(won))).to_le_bytes()]);
        put(&mut self.margin, sample.margin.map(f32::to_le_bytes));
        if let Some(output) = &label.output {
            put(&mut self.policy, output.policy.iter().map(|part| ((part * 65535.0).round() as u16).to_le_bytes()));
            put(&mut self.value, [output.win, output.loss, output.no_result].map(f32::to_le_bytes));
            put(&mut self.score, [output.score_mean, output.score_stdev, output.lead].map(f32::to_le_bytes));
            put(
                &mut self.ownership,
                output.ownership.iter().map(|owner| ((owner * 127.0).round() as i8).to_le_bytes()),
            );
        }
        if let Some(input) = &label.native_input {
            pack_planes(&mut self.native_planes, PLANES_WITH_LADDERS, input.planes());
            put(&mut self.native_globals, input.score_globals().map(f32::to_le_bytes));
        }
        self.rows += 1;
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the rows are not of one length, which would be a fault of this program.
    pub(super) fn to_bytes(&self, about: &ShardMetadata) -> anyhow::Result<Vec<u8>> {
        let area = self.area;
        let mut tensors = vec![
            ("planes", Dtype::U8, (PLANES * area).div_ceil(8), &self.planes),
            ("globals", Dtype::F32, GLOBALS, &self.globals),
            ("legal", Dtype::U8, (area + 1).div_ceil(8), &self.legal),
            ("game", Dtype::U32, 4, &self.game),
            ("black", Dtype::U8, 1, &self.black),
            ("played", Dtype::I16, 1, &self.played),
            ("result", Dtype::F32, 1, &self.result),
        ];
        if !self.margin.is_empty() {
            tensors.push(("margin", Dtype::F32, 1, &self.margin));
        }
        if about.net.is_some() {
            tensors.extend([
                ("policy", Dtype::U16, area + 1, &self.policy),
                ("value", Dtype::F32, 3, &self.value),
                ("score", Dtype::F32, 3, &self.score),
                ("ownership", Dtype::I8, area, &self.ownership),
            ]);
        }
        if !self.native_planes.is_empty() {
            tensors.extend([
                ("native_planes", Dtype::U8, (PLANES_WITH_LADDERS * area).div_ceil(8), &self.native_planes),
                ("native_globals", Dtype::F32, SCORE_GLOBALS, &self.native_globals),
            ]);
        }
        let views: Vec<_> = tensors
            .iter()
            .map(|&(name, dtype, columns, bytes)| Ok((name, TensorView::new(dtype, vec![self.rows, columns], bytes)?)))
            .collect::<Result<_, safetensors::SafeTensorError>>()?;
        // one entry, for several would be written in a random order
        let metadata = HashMap::from([("about".to_owned(), about.to_json().to_string())]);
        Ok(safetensors::serialize(views, Some(metadata))?)
    }
}

/// Appends numbers as bytes.
fn put<const N: usize>(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = [u8; N]>) {
    numbers.into_iter().for_each(|number| bytes.extend_from_slice(&number));
}

/// Appends planes, one after another, a bit a point.
fn pack_planes(bytes: &mut Vec<u8>, count: usize, planes: &PointPlanes) {
    let points = planes.bits();
    pack(bytes, (0..count).flat_map(|plane| points.iter().map(move |bits| bits >> plane & 1 == 1)));
}

/// Appends bits, the first in the highest bit of its byte; the last byte is filled up with zeros.
fn pack(bytes: &mut Vec<u8>, bits: impl Iterator<Item = bool>) {
    let mut free = 0;
    for bit in bits {
        if free == 0 {
            bytes.push(0);
            free = 8;
        }
        free -= 1;
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(bit) << free;
        }
    }
}

/// The bytes as a gzip file.
pub(super) fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Writes bytes to standard output.
pub(super) fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bits_are_packed_from_the_highest_one_and_rows_begin_a_byte() {
        let mut bytes = Vec::new();
        pack(&mut bytes, [true, false, false, false, false, false, false, true, true].into_iter());
        pack(&mut bytes, [false, true].into_iter());
        assert_eq!(bytes, [0b1000_0001, 0b1000_0000, 0b0100_0000]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_shard_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("shard");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(metadata(&pipe).unwrap_err().to_string().contains("regular"));
    }
}

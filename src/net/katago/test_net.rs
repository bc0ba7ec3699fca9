//! A small net of random weights in KataGo's text form, for unit tests.

use std::fmt::Write as _;
use std::io::Write as _;

use fastrand::Rng;
use flate2::{Compression, write::GzEncoder};

use crate::net::Net;
use crate::net::katago::features::{GLOBALS, PLANES};
use crate::net::simd::InstructionSet;

/// Channels of the trunk and of everything else.
const CHANNELS: usize = 4;

/// Writes the parts of a file.
struct Writer {
    text: String,
    rng: Rng,
}

impl Writer {
    fn words(&mut self, words: &str) {
        self.text += words;
        self.text.push('\n');
    }

    fn numbers(&mut self, count: usize, size: f32) {
        for _ in 0..count {
            let number = (self.rng.f32() - 0.5) * size;
            // writing to a String cannot fail
            let _ = write!(self.text, "{number} ");
        }
        self.text.push('\n');
    }

    fn convolution(&mut self, side: usize, inputs: usize, outputs: usize) {
        self.words(&format!("conv\n{side} {side} {inputs} {outputs} 1 1"));
        self.numbers(side * side * inputs * outputs, 0.8);
    }

    fn norm(&mut self) {
        self.words(&format!("norm\n{CHANNELS} 0.001 0 1"));
        self.words(&"0 ".repeat(CHANNELS));
        self.words(&"1 ".repeat(CHANNELS));
        self.numbers(CHANNELS, 0.5);
        self.words("relu");
    }

    fn linear(&mut self, inputs: usize, outputs: usize) {
        self.words(&format!("linear\n{inputs} {outputs}"));
        self.numbers(inputs * outputs, 0.8);
    }

    fn bias(&mut self, outputs: usize) {
        self.words(&format!("bias\n{outputs}"));
        self.numbers(outputs, 0.2);
    }
}

/// The file of a net of version 8 with one block, from a seed.
pub(crate) fn file(seed: u64) -> Vec<u8> {
    let mut writer = Writer { text: String::new(), rng: Rng::with_seed(seed) };
    writer.words(&format!(
        "test-net\n8\n{PLANES}\n{GLOBALS}\ntrunk\n1\n{CHANNELS} {CHANNELS} {CHANNELS} {CHANNELS} {CHANNELS}"
    ));
    writer.convolution(3, PLANES, CHANNELS);
    writer.linear(GLOBALS, CHANNELS);
    writer.words("ordinary_block\nblock");
    for _ in 0..2 {
        writer.norm();
        writer.convolution(3, CHANNELS, CHANNELS);
    }
    writer.norm();
    writer.words("policy");
    writer.convolution(1, CHANNELS, CHANNELS);
    writer.convolution(1, CHANNELS, CHANNELS);
    writer.norm();
    writer.linear(3 * CHANNELS, CHANNELS);
    writer.norm();
    writer.convolution(1, CHANNELS, 1);
    writer.linear(3 * CHANNELS, 1);
    writer.words("value");
    writer.convolution(1, CHANNELS, CHANNELS);
    writer.norm();
    writer.linear(3 * CHANNELS, CHANNELS);
    writer.bias(CHANNELS);
    writer.words("relu");
    for outputs in [3, 4] {
        writer.linear(CHANNELS, outputs);
        writer.bias(outputs);
    }
    writer.convolution(1, CHANNELS, 1);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(writer.text.as_bytes()).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// The net of [`file`].
pub(crate) fn net(seed: u64) -> Net {
    Net::read(&file(seed), InstructionSet::best()).unwrap_or_else(|error| unreachable!("{error}"))
}

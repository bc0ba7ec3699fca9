//! Files of nets, in KataGo's format and in this project's: a small valid file with changes, or any bytes.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use kifuwarabe_uec14::kernel::{Color, Coordinate, Symmetry};
use kifuwarabe_uec14::net::history::BoardHistory;
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::net::{Net, NetError, Precision, katago, native};

use super::Bytes;
use crate::support::empty_position;

/// Valid files of KataGo's format: residual blocks with global pooling, nested blocks, attention.
const KATAGO: [&[u8]; 3] = [
    include_bytes!("../../../tests/data/katago_tiny_8.txt.gz"),
    include_bytes!("../../../tests/data/katago_tiny_14.txt.gz"),
    include_bytes!("../../../tests/data/katago_tiny_16.txt.gz"),
];

/// A valid file of this project's format.
const OWN: &[u8] = include_bytes!("../../../tests/data/score_net_tiny.safetensors");

/// Words that a change puts into a file.
const WORDS: &[&str] = &[
    "",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "9",
    "12",
    "16",
    "19",
    "22",
    "64",
    "512",
    "1e30",
    "-1e30",
    "nan",
    "inf",
    "-1",
    "65535",
    "4294967295",
    "18446744073709551615",
    "@BIN@",
    "layer",
    "ordinary_block",
    "gpool_block",
    "nested_bottleneck_block",
    "transformer_attention_block",
    "transformer_ffn_block",
    "ACTIVATION_RELU",
    "ACTIVATION_MISH",
    "ACTIVATION_SILU",
];

/// The first byte selects a file: `0` to `2` of KataGo's format, `3` of this project's; after any other byte the rest is
/// the file. The others are changes of three bytes: a place (low byte first), and what is written there.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let file = match bytes.take() {
        first @ b'0'..=b'2' => with_words_changed(KATAGO[usize::from(first - b'0')], &mut bytes),
        b'3' => with_header_changed(&mut bytes),
        _ => bytes.0.to_vec(),
    };
    if let Err(error) = evaluate(&file) {
        let message = error.to_string();
        assert!(!message.contains(char::is_control) && message.chars().count() < 300, "{message}");
    }
}

/// A compressed file with words other than decimal fractions changed: they describe the layers.
fn with_words_changed(file: &[u8], changes: &mut Bytes<'_>) -> Vec<u8> {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    let places: Vec<usize> = (0..words.len()).filter(|&place| !words[place].contains('.')).collect();
    while !changes.is_empty() {
        let place = usize::from(u16::from_le_bytes([changes.take(), changes.take()])) % places.len();
        words[places[place]] = WORDS[usize::from(changes.take()) % WORDS.len()];
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(words.join(" ").as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The file of this project's format with bytes of its header and its first weights changed.
fn with_header_changed(changes: &mut Bytes<'_>) -> Vec<u8> {
    let mut file = OWN.to_vec();
    while !changes.is_empty() {
        let place = usize::from(u16::from_le_bytes([changes.take(), changes.take()])) % 4096;
        file[place] = changes.take();
    }
    file
}

/// Reads a net and evaluates an empty board with it.
fn evaluate(file: &[u8]) -> Result<(), NetError> {
    let net = Net::read_with(file, InstructionSet::best(), Precision::F32)?;
    let coordinate = Coordinate::new(6, 5).unwrap();
    let position = empty_position(coordinate);
    if let Some(net) = net.katago() {
        let features = BoardHistory::new(&position, Color::Black).features();
        let outputs = net.evaluate(&[(&features, Symmetry::default())], &mut katago::Scratch::default());
        assert_eq!((outputs[0].policy.len(), outputs[0].ownership.len()), (31, 30));
    }
    if let Some(net) = net.native() {
        let features = net.features(position.board(), Color::Black, std::iter::empty(), 7.0);
        let outputs = net.evaluate(&[(&features, Symmetry::default())], &mut native::Scratch::default());
        assert_eq!(outputs[0].policy.len(), 31);
    }
    Ok(())
}

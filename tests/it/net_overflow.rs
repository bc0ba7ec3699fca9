//! Nets whose numbers overflow: refused when they are loaded, or even in the positions where they do.

use std::fs;

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position, Symmetry};
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::net::{Net, Precision};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::Value;

#[test]
fn a_net_whose_finite_weights_overflow_is_refused() {
    let bytes = fs::read("data/net.safetensors").unwrap();
    let start = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = String::from_utf8_lossy(&bytes[8..start]);
    assert!(header.contains("\"F16\"") && !header.contains("\"F32\""), "{header}");
    // all weights, or those of the first layer's planes for stones only, are the largest 16-bit float
    let stem: Value = serde_json::from_str(header.trim()).unwrap();
    let [from, to] = [0, 1].map(|end| stem["stem.weight"]["data_offsets"][end].as_u64().unwrap() as usize);
    for (range, is_refused) in [(0..bytes.len() - start, true), (from..to, false)] {
        let mut huge = bytes.clone();
        huge[start..][range].chunks_exact_mut(2).for_each(|float| float.copy_from_slice(&[0xff, 0x7b]));
        for set in InstructionSet::available() {
            let net = Net::read(&huge, set);
            let error = net.as_ref().err().map(ToString::to_string);
            let expected = "the net gives infinite numbers, expected finite ones";
            assert_eq!(error.as_deref(), is_refused.then_some(expected), "{set}");
        }
    }
}

/// The net with weights that overflow only where the player to move has stones: the check at loading finds none.
#[test]
fn an_evaluation_that_overflows_is_even() {
    let bytes = fs::read("tests/data/score_net_tiny.safetensors").unwrap();
    let read = SafeTensors::deserialize(&bytes).unwrap();
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let mut tensors: Vec<(String, Vec<usize>, Vec<f32>)> = Vec::new();
    for (name, tensor) in read.iter() {
        let halves = tensor.data().chunks_exact(2);
        let mut numbers: Vec<f32> =
            halves.map(|half| half::f16::from_le_bytes(half.try_into().unwrap()).to_f32()).collect();
        match name {
            // own stones and the opponent's, in the middle of the kernel; they cancel out where both are set, but for rounding
            "stem.weight" => (numbers[4], numbers[9 + 4]) = (1e21, -1e21),
            // the correction of the lead
            "value2.weight" => {
                let inputs = tensor.shape()[1];
                numbers[inputs..2 * inputs].fill(1e20);
            }
            _ => {}
        }
        tensors.push((name.to_owned(), tensor.shape().to_vec(), numbers));
    }
    let data: Vec<Vec<u8>> =
        tensors.iter().map(|(.., numbers)| numbers.iter().flat_map(|number| number.to_le_bytes()).collect()).collect();
    let views = tensors
        .iter()
        .zip(&data)
        .map(|((name, shape, _), bytes)| (name.clone(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    let changed = safetensors::serialize(views.collect::<Vec<_>>(), header.metadata().clone()).unwrap();
    let net = Net::read_with(&changed, InstructionSet::best(), Precision::F32).unwrap();
    let coordinate = Coordinate::square(9).unwrap();
    let mut position = Position::new(coordinate, GameRule::with_komi(7.0), 722, Color::Black);
    let empty = net.evaluate_position(&position, Color::Black, &[Symmetry::default()]);
    assert!(empty.policy.iter().any(|part| *part != empty.policy[0]), "{:?}", empty.policy);
    position.play(Color::Black, coordinate.parse_vertex("E5").unwrap()).unwrap();
    position.play(Color::White, coordinate.parse_vertex("C3").unwrap()).unwrap();
    for symmetries in [1, 8] {
        let symmetries: Vec<Symmetry> = Symmetry::all().take(symmetries).collect();
        let output = net.evaluate_position(&position, Color::Black, &symmetries);
        assert_eq!((output.win, output.loss, output.lead), (0.5, 0.5, 0.0));
        assert_eq!(output.ownership, [0.0; 81]);
        let legal = 81 - 2 + 1;
        let parts = output.policy.iter().filter(|part| (**part - 1.0 / legal as f32).abs() < 1e-6);
        assert_eq!((parts.count(), output.policy.len()), (legal, 82));
    }
}

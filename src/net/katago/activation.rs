//! Passes over boards that apply activation functions.

pub(super) use crate::net::activation::Activation;
use crate::net::board_layout::BoardLayout;
use crate::net::simd::{SimdKernel, Vector};

/// The activation of a word in the file.
pub(super) fn from_word(word: &str) -> Option<Activation> {
    match word {
        "ACTIVATION_IDENTITY" => Some(Activation::Identity),
        "ACTIVATION_RELU" => Some(Activation::Relu),
        "ACTIVATION_MISH" => Some(Activation::Mish),
        "ACTIVATION_SILU" => Some(Activation::Silu),
        _ => None,
    }
}

/// Scale, shift and activation of each channel of a batch of boards; the frames stay as they are. Before 3x3 convolutions,
/// [`ScaleShiftActivate`](crate::net::activation::ScaleShiftActivate) does this, with other rounding.
pub(super) struct Affine<'a> {
    pub(super) layout: BoardLayout,
    pub(super) inputs: &'a [f32],
    /// The length of a row of `inputs`, and the first channel that is read.
    pub(super) inputs_row: usize,
    pub(super) first: usize,
    pub(super) outputs: &'a mut [f32],
    /// For each channel of `outputs`, padding included.
    pub(super) scale: &'a [f32],
    /// Likewise, a row for each board.
    pub(super) shifts: &'a [f32],
    pub(super) activation: Activation,
}

impl SimdKernel for Affine<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Affine { layout, inputs, inputs_row, first, outputs, scale, shifts, activation } = self;
        let row = scale.len();
        let boards =
            inputs.chunks_exact(layout.cells() * inputs_row).zip(outputs.chunks_exact_mut(layout.cells() * row));
        for ((from, to), shift) in boards.zip(shifts.chunks_exact(row)) {
            for cells in layout.rows() {
                let from = from.get(cells.start * inputs_row..cells.end * inputs_row).unwrap_or_default();
                let to = to.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
                for (from, to) in from.chunks_exact(inputs_row).zip(to.chunks_exact_mut(row)) {
                    let from = from.get(first..).unwrap_or_default().chunks_exact(V::LANES);
                    let factors = scale.chunks_exact(V::LANES).zip(shift.chunks_exact(V::LANES));
                    for ((to, from), (scale, shift)) in to.chunks_exact_mut(V::LANES).zip(from).zip(factors) {
                        activation.of(V::load(from).mul_add(V::load(scale), V::load(shift))).store(to);
                    }
                }
            }
        }
    }
}

/// Adds a bias to each channel of a batch of boards and applies an activation, in place.
pub(super) struct AddBiasActivate<'a> {
    pub(super) layout: BoardLayout,
    pub(super) values: &'a mut [f32],
    /// The padded number of channels.
    pub(super) row: usize,
    /// For each channel, padding included, a row for each board.
    pub(super) bias: &'a [f32],
    pub(super) activation: Activation,
}

impl SimdKernel for AddBiasActivate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let AddBiasActivate { layout, values, row, bias, activation } = self;
        for (board, bias) in values.chunks_exact_mut(layout.cells() * row).zip(bias.chunks_exact(row)) {
            for cells in layout.rows() {
                let points = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
                for point in points.chunks_exact_mut(row) {
                    for (to, bias) in point.chunks_exact_mut(V::LANES).zip(bias.chunks_exact(V::LANES)) {
                        activation.of(V::load(to).add(V::load(bias))).store(to);
                    }
                }
            }
        }
    }
}

/// Applies an activation to padded rows of numbers.
pub(super) struct ActivateRows<'a> {
    pub(super) values: &'a mut [f32],
    pub(super) activation: Activation,
}

impl SimdKernel for ActivateRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let ActivateRows { values, activation } = self;
        values.chunks_exact_mut(V::LANES).for_each(|part| activation.of(V::load(part)).store(part));
    }
}

//! Colours of rens: near rens get different ones.

use crate::kernel::{Coordinate, Ren};

/// Colours that differ from each other and are visible on black, white and wood.
const COLORS: [&str; 9] =
    ["#e5243b", "#2f6fed", "#1f9d55", "#f26b0f", "#9b3fd4", "#00a3a3", "#e83e9c", "#7a8b00", "#0091d5"];

/// Two rens are near each other if two of their points differ by at most this in file and in rank.
const NEAR: u8 = 2;

/// A colour for each ren, assigned greedily in order: ren n takes the first colour, from the n-th on cyclically, that
/// no near ren before it has. If near rens have all colours, it takes the n-th.
pub(super) fn colors(coordinate: Coordinate, rens: &[Ren]) -> Vec<&'static str> {
    let mut color_at: Vec<Option<usize>> = vec![None; coordinate.memory_area()];
    let mut colors = Vec::with_capacity(rens.len());
    for (number, ren) in rens.iter().enumerate() {
        let mut is_used = [false; COLORS.len()];
        for near in ren.locations.iter().flat_map(|&point| around(coordinate.xy(point))) {
            let point = coordinate.point(near.0, near.1);
            let color = point.and_then(|point| color_at.get(point.index()).copied().flatten());
            if let Some(used) = color.and_then(|color| is_used.get_mut(color)) {
                *used = true;
            }
        }
        let mut candidates = (number..number + COLORS.len()).map(|candidate| candidate % COLORS.len());
        let unused = candidates.find(|&color| is_used.get(color) == Some(&false));
        let color = unused.unwrap_or(number % COLORS.len());
        for point in &ren.locations {
            if let Some(cell) = color_at.get_mut(point.index()) {
                *cell = Some(color);
            }
        }
        colors.push(COLORS.get(color).copied().unwrap_or_default());
    }
    colors
}

/// Files and ranks at most [`NEAR`] away; some may be off the board.
fn around((x, y): (u8, u8)) -> impl Iterator<Item = (u8, u8)> {
    let reach = |center: u8| center.saturating_sub(NEAR)..=center + NEAR;
    reach(y).flat_map(move |y| reach(x).map(move |x| (x, y)))
}

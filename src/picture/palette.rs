//! Colours for rens: one each, and another one than those near it.

use crate::kernel::{Coordinate, Ren};

/// To be told from each other, and to be seen on black, on white and on wood.
const COLORS: [&str; 9] =
    ["#e5243b", "#2f6fed", "#1f9d55", "#f26b0f", "#9b3fd4", "#00a3a3", "#e83e9c", "#7a8b00", "#0091d5"];

/// Rens are near each other if no more than so many lines lie between their points, in files and in ranks.
const NEAR: u8 = 2;

/// A colour for each ren. Rens near each other have different ones, unless one has more such neighbours than there are
/// colours.
pub(super) fn colors(coordinate: Coordinate, rens: &[Ren]) -> Vec<&'static str> {
    let mut places: Vec<Option<usize>> = vec![None; coordinate.memory_area()];
    let mut colors = Vec::with_capacity(rens.len());
    for (number, ren) in rens.iter().enumerate() {
        let mut is_used = [false; COLORS.len()];
        for near in ren.locations.iter().flat_map(|&point| around(coordinate.xy(point))) {
            let color = coordinate.point(near.0, near.1).and_then(|point| places.get(point.index()).copied().flatten());
            if let Some(used) = color.and_then(|color| is_used.get_mut(color)) {
                *used = true;
            }
        }
        let turns = (number..number + COLORS.len()).map(|turn| turn % COLORS.len());
        let color = turns.clone().find(|&color| is_used.get(color) == Some(&false)).unwrap_or(number % COLORS.len());
        for point in &ren.locations {
            if let Some(place) = places.get_mut(point.index()) {
                *place = Some(color);
            }
        }
        colors.push(COLORS.get(color).copied().unwrap_or_default());
    }
    colors
}

fn around((x, y): (u8, u8)) -> impl Iterator<Item = (u8, u8)> {
    let reach = |center: u8| center.saturating_sub(NEAR)..=center + NEAR;
    reach(y).flat_map(move |y| reach(x).map(move |x| (x, y)))
}

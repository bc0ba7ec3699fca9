//! Colours of rens, in pictures and in GoGui: near rens get different ones.

use crate::kernel::{Coordinate, Ren};

/// Colours of rens in pictures: different from each other, and visible on black, white and wood.
const PICTURE_COLORS: [&str; 9] =
    ["#e5243b", "#2f6fed", "#1f9d55", "#f26b0f", "#9b3fd4", "#00a3a3", "#e83e9c", "#7a8b00", "#0091d5"];

/// Colours of rens in GoGui, which draws them behind the stones.
pub(crate) const GOGUI_COLORS: [&str; 8] =
    ["#d95f5f", "#5f9fd9", "#6fc26f", "#e0b050", "#a678d6", "#4fc2b5", "#e087b8", "#a3a34a"];

/// A colour for each ren of a picture, different from those of rens at most two points away: ren n takes the first
/// colour, from the n-th on cyclically, that no near ren before it has; the n-th if near rens have all.
pub(super) fn picture_colors(coordinate: Coordinate, rens: &[Ren]) -> Vec<&'static str> {
    let indices = assign(coordinate, rens, 2, |before, near| {
        let count = PICTURE_COLORS.len();
        let first = before.len() % count;
        (first..first + count).map(|color| color % count).find(|color| !near.contains(color)).unwrap_or(first)
    });
    indices.into_iter().filter_map(|index| PICTURE_COLORS.get(index).copied()).collect()
}

/// An index into [`GOGUI_COLORS`] for each ren: one that no ren beside or diagonal to it has, if possible; among these
/// the least used.
pub(crate) fn gogui_colors(coordinate: Coordinate, rens: &[Ren]) -> Vec<usize> {
    assign(coordinate, rens, 1, |before, near| {
        let uses = |color: &usize| (near.contains(color), before.iter().filter(|&used| used == color).count());
        (0..GOGUI_COLORS.len()).min_by_key(uses).unwrap_or_default()
    })
}

/// Assigns a colour index to each ren, in order. `choose` receives the colours of all rens before, and the colours of
/// those among them that are near, where two rens are near if two of their points differ by at most `distance` in file
/// and in rank.
fn assign(
    coordinate: Coordinate,
    rens: &[Ren],
    distance: u8,
    choose: impl Fn(&[usize], &[usize]) -> usize,
) -> Vec<usize> {
    let mut color_at: Vec<Option<usize>> = vec![None; coordinate.memory_area()];
    let mut colors = Vec::with_capacity(rens.len());
    for ren in rens {
        let around = ren.locations.iter().flat_map(|&point| square(coordinate.xy(point), distance));
        let points = around.filter_map(|(x, y)| coordinate.point(x, y));
        let near: Vec<usize> = points.filter_map(|point| *color_at.get(point.index())?).collect();
        let color = choose(&colors, &near);
        for point in &ren.locations {
            if let Some(cell) = color_at.get_mut(point.index()) {
                *cell = Some(color);
            }
        }
        colors.push(color);
    }
    colors
}

/// Files and ranks at most `distance` away; some may be off the board.
fn square((x, y): (u8, u8), distance: u8) -> impl Iterator<Item = (u8, u8)> {
    let range = move |center: u8| center.saturating_sub(distance)..=center + distance;
    range(y).flat_map(move |y| range(x).map(move |x| (x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test_boards::board;
    use crate::kernel::{LibertySearch, Stone};

    fn rens(rows: &[&str]) -> (Coordinate, Vec<Ren>) {
        let board = board(rows);
        let rens = LibertySearch::new(&board).find_all().into_iter().filter(|ren| ren.stone != Stone::Space);
        (board.coordinate(), rens.collect())
    }

    #[test]
    fn near_rens_have_different_colours() {
        let (coordinate, rens) = rens(&[".o.x.", "ox...", ".....", "o...x", "....o"]);
        let distance = |a: &Ren, b: &Ren| {
            let pairs = a.locations.iter().flat_map(|&a| b.locations.iter().map(move |&b| (a, b)));
            let apart = pairs.map(|(a, b)| {
                let ((ax, ay), (bx, by)) = (coordinate.xy(a), coordinate.xy(b));
                ax.abs_diff(bx).max(ay.abs_diff(by))
            });
            apart.min().unwrap_or(u8::MAX)
        };
        let (in_pictures, in_gogui) = (picture_colors(coordinate, &rens), gogui_colors(coordinate, &rens));
        assert_eq!((rens.len(), in_pictures.len(), in_gogui.len()), (7, 7, 7));
        for (a, first) in rens.iter().enumerate() {
            for (b, second) in rens.iter().enumerate().skip(a + 1) {
                assert!(distance(first, second) > 2 || in_pictures[a] != in_pictures[b], "{a} {b}: {in_pictures:?}");
                assert!(distance(first, second) > 1 || in_gogui[a] != in_gogui[b], "{a} {b}: {in_gogui:?}");
            }
        }
    }

    #[test]
    fn a_ren_near_every_colour_takes_the_nth_or_the_least_used() {
        let (coordinate, mut rens) = rens(&["x.x.x.x.x.x", "ooooooooooo", "x.x.x.x.x.x"]);
        // White's ren after the twelve single stones
        rens.sort_by_key(|ren| ren.locations.len());
        assert_eq!(picture_colors(coordinate, &rens).last(), Some(&PICTURE_COLORS[12 % 9]));
        assert_eq!(gogui_colors(coordinate, &rens), [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4]);
    }
}

//! Letters of a picture: as text in a font of the viewer, or as shapes for pictures that are drawn without any font.
//!
//! The shapes are lines with round ends on a grid of 4 x 6 units, for the characters that pictures contain.

use std::fmt::Write;

/// Style of drawn letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lettering {
    /// As `<text>` elements.
    Text,
    /// As `<path>` elements.
    Shapes,
}

/// Height of a capital in parts of the font size.
const CAPITAL_HEIGHT: f32 = 0.72;

/// Height of a capital on the grid of the shapes.
const ROWS: f32 = 6.0;

/// Distance from the left of a character to the left of the next one, on the grid.
const ADVANCE: f32 = 5.8;

/// Half the thickness of a line, on the grid.
const HALF_LINE: f32 = 0.48;

impl Lettering {
    /// Appends a text in a font of this size, centred at `x`, with its baseline at `y`. Class and text must be escaped.
    pub(super) fn write(self, svg: &mut String, class: &str, size: f32, (x, y): (i32, i32), text: &str) {
        // writing to a String cannot fail, here and below
        if self == Lettering::Text {
            let _ = write!(svg, r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#);
            return;
        }
        let scale = size * CAPITAL_HEIGHT / ROWS;
        let width = (text.chars().count() as f32 * ADVANCE - (ADVANCE - 4.0)).max(0.0) * scale;
        let _ = write!(svg, r#"<path class="{class}" d=""#);
        for (character, number) in text.chars().zip(0u16..) {
            let left = x as f32 - width / 2.0 + f32::from(number) * ADVANCE * scale;
            let top = y as f32 - ROWS * scale;
            for line in shape(character).split('|') {
                let mut before = None;
                for (across, down) in line.split(' ').filter_map(grid_point) {
                    let to = (left + across * scale, top + down * scale);
                    add_dot(svg, to, HALF_LINE * scale);
                    if let Some(from) = before.replace(to) {
                        add_line(svg, from, to, HALF_LINE * scale);
                    }
                }
            }
        }
        svg.push_str("\"/>");
    }
}

/// Appends a circle. All shapes turn the same way, so that overlapping ones do not cancel out.
fn add_dot(path: &mut String, (x, y): (f32, f32), radius: f32) {
    let width = 2.0 * radius;
    let _ = write!(path, "M{:.2} {y:.2}a{radius:.2} {radius:.2} 0 1 1 {width:.2} 0", x - radius);
    let _ = write!(path, "a{radius:.2} {radius:.2} 0 1 1 {:.2} 0z", -width);
}

/// Appends the rectangle around a line.
fn add_line(path: &mut String, (x, y): (f32, f32), (to_x, to_y): (f32, f32), half: f32) {
    let (dx, dy) = (to_x - x, to_y - y);
    let length = dx.hypot(dy);
    if length <= 0.0 {
        return;
    }
    // to the right of the direction, on a screen whose y grows downwards
    let (nx, ny) = (dy / length * half, -dx / length * half);
    let _ = write!(path, "M{:.2} {:.2}l{dx:.2} {dy:.2}", x + nx, y + ny);
    let _ = write!(path, "l{:.2} {:.2}l{:.2} {:.2}z", -2.0 * nx, -2.0 * ny, -dx, -dy);
}

/// A point `across,down` of the grid.
fn grid_point(text: &str) -> Option<(f32, f32)> {
    let (across, down) = text.split_once(',')?;
    Some((across.parse().ok()?, down.parse().ok()?))
}

/// The lines of a character, from the upper left corner of the grid, separated by `|`; a frame if it has no shape.
const fn shape(character: char) -> &'static str {
    match character {
        ' ' => "",
        'A' => "0,6 2,0 4,6|0.8,4 3.2,4",
        'B' => "0,0 0,6 3,6 4,5.2 4,3.8 3,3 0,3|0,0 2.8,0 3.7,0.8 3.7,2.2 2.8,3",
        'C' => "4,1 3,0 1,0 0,1.2 0,4.8 1,6 3,6 4,5",
        'D' => "0,0 0,6 2.6,6 4,4.6 4,1.4 2.6,0 0,0",
        'E' => "4,0 0,0 0,6 4,6|0,3 3.2,3",
        'F' => "4,0 0,0 0,6|0,3 3.2,3",
        'G' => "4,1 3,0 1,0 0,1.2 0,4.8 1,6 3,6 4,5 4,3.2 2.4,3.2",
        'H' => "0,0 0,6|4,0 4,6|0,3 4,3",
        'I' => "2,0 2,6|1,0 3,0|1,6 3,6",
        'J' => "3.4,0 3.4,4.8 2.4,6 1.2,6 0.2,5",
        'K' => "0,0 0,6|4,0 0,3.4|1.3,2.4 4,6",
        'L' => "0,0 0,6 4,6",
        'M' => "0,6 0,0 2,3.4 4,0 4,6",
        'N' => "0,6 0,0 4,6 4,0",
        'O' => "1.2,0 2.8,0 4,1.4 4,4.6 2.8,6 1.2,6 0,4.6 0,1.4 1.2,0",
        'P' => "0,6 0,0 3,0 4,0.9 4,2.5 3,3.4 0,3.4",
        'Q' => "1.2,0 2.8,0 4,1.4 4,4.6 2.8,6 1.2,6 0,4.6 0,1.4 1.2,0|2.6,4.4 4.2,6.4",
        'R' => "0,6 0,0 3,0 4,0.9 4,2.5 3,3.4 0,3.4|2.2,3.4 4,6",
        'S' => "3.8,0.9 2.9,0 1.1,0 0.2,0.9 0.2,2.2 1.1,2.9 2.9,3.2 3.9,4 3.9,5.2 2.9,6 1,6 0,5.1",
        'T' => "0,0 4,0|2,0 2,6",
        'U' => "0,0 0,4.8 1.2,6 2.8,6 4,4.8 4,0",
        'V' => "0,0 2,6 4,0",
        'W' => "0,0 1,6 2,2.4 3,6 4,0",
        'X' => "0,0 4,6|4,0 0,6",
        'Y' => "0,0 2,3 4,0|2,3 2,6",
        'Z' => "0,0 4,0 0,6 4,6",
        '0' => "1.2,0 2.8,0 3.8,1.4 3.8,4.6 2.8,6 1.2,6 0.2,4.6 0.2,1.4 1.2,0",
        '1' => "0.8,1.4 2.2,0 2.2,6|0.9,6 3.5,6",
        '2' => "0.3,1.2 1.2,0 2.8,0 3.7,1 3.7,2.2 0.2,6 3.9,6",
        '3' => "0.3,0.9 1.2,0 2.8,0 3.6,0.9 3.6,2.1 2.7,2.9 1.6,2.9|2.7,2.9 3.8,3.8 3.8,5 2.8,6 1.1,6 0.2,5.1",
        '4' => "3,6 3,0 0,4.2 4,4.2",
        '5' => "3.6,0 0.6,0 0.4,2.7 2.6,2.5 3.8,3.5 3.8,4.9 2.7,6 1.1,6 0.2,5.1",
        '6' => "3.5,0.7 2.7,0 1.4,0 0.2,1.6 0.2,4.7 1.2,6 2.8,6 3.8,4.9 3.8,3.7 2.8,2.6 1.3,2.6 0.2,3.7",
        '7' => "0.2,0 3.8,0 1.5,6",
        '8' => {
            "1.3,0 2.7,0 3.5,0.9 3.5,2 2.7,2.8 1.3,2.8 0.5,2 0.5,0.9 1.3,0|1.3,2.8 0.2,3.8 0.2,5 1.2,6 2.8,6 3.8,5 3.8,3.8 2.7,2.8"
        }
        '9' => "0.5,5.3 1.3,6 2.6,6 3.8,4.4 3.8,1.3 2.8,0 1.2,0 0.2,1.1 0.2,2.3 1.2,3.4 2.7,3.4 3.8,2.3",
        'a' => "0.5,2.6 1.3,2 2.6,2 3.4,2.8 3.4,6|3.4,3.8 1.4,3.9 0.5,4.5 0.5,5.3 1.2,6 2.3,6 3.4,5.1",
        'p' => "0.4,2 0.4,7.8|0.4,3 1.4,2 2.6,2 3.6,3 3.6,5 2.6,6 1.4,6 0.4,5",
        's' => "3.3,2.7 2.5,2 1.3,2 0.6,2.6 0.6,3.3 1.3,3.8 2.7,4.1 3.4,4.7 3.4,5.4 2.6,6 1.2,6 0.4,5.3",
        't' => "1.6,0.6 1.6,5.2 2.3,6 3.2,6|0.6,2 3,2",
        ',' => "1.2,5.8 0.8,7",
        _ => "0.4,0 3.6,0 3.6,6 0.4,6 0.4,0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coordinate::file_letter;

    #[test]
    fn every_character_of_a_picture_has_a_shape_of_its_own() {
        let files: String = (0..25).filter_map(file_letter).collect();
        let all: Vec<char> = files.chars().chain("0123456789,past".chars()).collect();
        for (number, &character) in all.iter().enumerate() {
            assert_ne!(shape(character), shape('\u{fffd}'), "{character}");
            assert!(all[..number].iter().all(|&other| shape(other) != shape(character)), "{character}");
            let lines = shape(character).split('|');
            let points: Vec<_> = lines.flat_map(|line| line.split(' ').map(grid_point)).collect();
            assert!(points.iter().all(Option::is_some), "{character}");
        }
    }

    #[test]
    fn shapes_are_centred_on_their_point() {
        let mut svg = String::new();
        Lettering::Shapes.write(&mut svg, "go-name", 60.0 / CAPITAL_HEIGHT, (100, 60), "H");
        // the capital is 40 wide and 60 high: its upper left dot is at 80, 0
        assert!(svg.starts_with(r#"<path class="go-name" d="M75.20 0.00a4.80"#), "{svg}");
        svg.clear();
        Lettering::Text.write(&mut svg, "go-name", 15.0, (100, 60), "H");
        assert_eq!(svg, r#"<text class="go-name" x="100" y="60">H</text>"#);
    }
}

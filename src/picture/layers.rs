//! The layers of a picture, from the wood up.

use std::fmt::Write;

use crate::kernel::coordinate::file_letter;
use crate::kernel::handicap::star_points;
use crate::kernel::{Board, Color, Coordinate, LibertySearch, Move, Point, PointSet, Ren, Stone};
use crate::picture::palette;

/// The distance between two lines of the board. All lengths here are in the units of the drawing.
pub(super) const CELL: i32 = 40;

/// From the outermost lines to the edge of the wood.
const MARGIN: i32 = 54;

/// From the outermost lines to the middle of the names beside them.
const NAMES: i32 = 36;

/// The height of a line of notes.
const NOTE: i32 = 24;

/// How wide a character of a note is, at most as a rule.
const NOTE_LETTER: i32 = 9;

/// Points owned less than this, as a mean from -1 to 1, are shown as nobody's.
const OWNED: f32 = 0.05;

/// Stones are shown as their opponent's from this on.
const TAKEN: f32 = 0.3;

/// The stones, drawn around 0, 0 and used wherever one stands.
pub(super) const DEFINITIONS: &str = r##"<defs>
<radialGradient id="go-black-shade" cx="0.35" cy="0.3" r="0.75">
<stop offset="0" stop-color="#6a6a6e"/><stop offset="0.45" stop-color="#2a2a2c"/><stop offset="1" stop-color="#0b0b0c"/>
</radialGradient>
<radialGradient id="go-white-shade" cx="0.38" cy="0.32" r="0.8">
<stop offset="0" stop-color="#ffffff"/><stop offset="0.6" stop-color="#f3f1ec"/><stop offset="1" stop-color="#cfcabd"/>
</radialGradient>
<g id="go-black"><circle class="go-shadow" cx="1.5" cy="2.5" r="18.8"/><circle fill="url(#go-black-shade)" r="18.8"/></g>
<g id="go-white"><circle class="go-shadow" cx="1.5" cy="2.5" r="18.8"/><circle fill="url(#go-white-shade)" r="18.8"/><circle class="go-rim" r="18.4"/></g>
</defs>
"##;

/// Writes a group of a class.
pub(super) fn group(svg: &mut String, class: &str, draw: impl FnOnce(&mut String)) {
    // writing to a String cannot fail, here and everywhere below
    let _ = write!(svg, "<g class=\"{class}\">");
    draw(svg);
    svg.push_str("</g>\n");
}

/// Where a point is drawn: the upper left one at 0, 0, rank 1 in the lowest row.
fn place(coordinate: Coordinate, point: Point) -> (i32, i32) {
    let (x, y) = coordinate.xy(point);
    let cells = (i32::from(x) - 1, i32::from(coordinate.height()) - i32::from(y));
    (cells.0 * CELL, cells.1 * CELL)
}

/// The size of a picture and what lies under its stones.
pub(super) struct Frame {
    coordinate: Coordinate,
    /// The point farthest from the upper left one.
    right: i32,
    bottom: i32,
    notes: Vec<String>,
}

impl Frame {
    /// The frame of a board, with notes below it.
    pub(super) fn new(coordinate: Coordinate, notes: &[String]) -> Frame {
        let right = (i32::from(coordinate.width()) - 1) * CELL;
        let bottom = (i32::from(coordinate.height()) - 1) * CELL;
        let letters = ((right + 2 * MARGIN) / NOTE_LETTER).max(1) as usize;
        Frame { coordinate, right, bottom, notes: folded(notes, letters) }
    }

    /// The opening tag, and what the picture is called.
    pub(super) fn open(&self, title: &str) -> String {
        let width = self.right + 2 * MARGIN;
        let height = self.height();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" class=\"go\">\n<title>{title}</title>\n"
        )
    }

    fn height(&self) -> i32 {
        let notes = self.notes.len() as i32 * NOTE;
        self.bottom + 2 * MARGIN + notes
    }

    /// The wood, the lines, the star points and the names around them.
    pub(super) fn draw(&self, svg: &mut String) {
        let Frame { coordinate, right, bottom, ref notes } = *self;
        let (width, height) = (right + 2 * MARGIN - 2, self.height() - 2);
        let corner = 1 - MARGIN;
        let _ = writeln!(
            svg,
            r#"<rect class="go-wood" x="{corner}" y="{corner}" width="{width}" height="{height}" rx="8"/>"#
        );
        svg.push_str("<path class=\"go-grid\" d=\"");
        for x in 0..i32::from(coordinate.width()) {
            let _ = write!(svg, "M{} 0V{bottom}", x * CELL);
        }
        for y in 0..i32::from(coordinate.height()) {
            let _ = write!(svg, "M0 {}H{right}", y * CELL);
        }
        svg.push_str("\"/>\n");
        let _ = writeln!(svg, r#"<rect class="go-edge" x="0" y="0" width="{right}" height="{bottom}"/>"#);
        for point in star_points(coordinate) {
            let (x, y) = place(coordinate, point);
            let _ = writeln!(svg, r#"<circle class="go-star" cx="{x}" cy="{y}" r="4.2"/>"#);
        }
        self.names(svg);
        for (note, line) in notes.iter().zip(1..) {
            let (x, y) = (right / 2, bottom + MARGIN - 8 + line * NOTE - NOTE / 4);
            let _ = writeln!(svg, r#"<text class="go-notes" x="{x}" y="{y}">{note}</text>"#);
        }
    }

    fn names(&self, svg: &mut String) {
        let mut name = |x: i32, y: i32, text: &str| {
            let _ = write!(svg, r#"<text class="go-name" x="{x}" y="{}">{text}</text>"#, y + 5);
        };
        for x in 0..self.coordinate.width() {
            let file = file_letter(usize::from(x)).unwrap_or('?').to_string();
            name(i32::from(x) * CELL, -NAMES, &file);
            name(i32::from(x) * CELL, self.bottom + NAMES, &file);
        }
        for rank in 1..=self.coordinate.height() {
            let y = self.bottom - (i32::from(rank) - 1) * CELL;
            name(-NAMES, y, &rank.to_string());
            name(self.right + NAMES, y, &rank.to_string());
        }
        svg.push('\n');
    }
}

/// Notes separated by commas, in lines of so many letters; a longer note has a line of its own.
fn folded(notes: &[String], letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for note in notes {
        match lines.last_mut().filter(|line| line.len() + note.len() + 3 <= letters) {
            Some(line) => {
                line.push_str(", ");
                line.push_str(note);
            }
            None => lines.push(note.clone()),
        }
    }
    lines
}

/// The stones as they stand.
pub(super) fn stones(svg: &mut String, board: &Board) {
    let coordinate = board.coordinate();
    for point in coordinate.points() {
        if let Some(color) = board.stone(point).color() {
            stone(svg, coordinate, point, color);
        }
    }
}

fn stone(svg: &mut String, coordinate: Coordinate, point: Point, color: Color) {
    let (x, y) = place(coordinate, point);
    let _ = write!(svg, r##"<use href="#go-{color}" x="{x}" y="{y}"/>"##);
}

/// A ring on the stone put down last.
pub(super) fn last_move(svg: &mut String, board: &Board, last: Point) {
    let (x, y) = place(board.coordinate(), last);
    if let Some(color) = board.stone(last).color() {
        let _ = write!(svg, r#"<circle class="go-last-on-{color}" cx="{x}" cy="{y}" r="9.5"/>"#);
    }
}

/// Whose each point is, the more the darker or the lighter.
pub(super) fn ownership(svg: &mut String, board: &Board, ownership: &[f32]) {
    let coordinate = board.coordinate();
    for point in coordinate.points() {
        let owner = ownership.get(point.index()).copied().unwrap_or_default().clamp(-1.0, 1.0);
        if owner.abs() < OWNED || owner.is_nan() {
            continue;
        }
        // white is harder to see on wood
        let (class, most) = if owner > 0.0 { ("go-own-black", 0.6) } else { ("go-own-white", 0.75) };
        let (x, y) = place(coordinate, point);
        let (left, top, opacity) = (x - CELL / 2, y - CELL / 2, owner.abs() * most);
        let _ = write!(
            svg,
            r#"<rect class="{class}" x="{left}" y="{top}" width="{CELL}" height="{CELL}" opacity="{opacity:.2}"/>"#
        );
    }
}

/// A square on each stone whose point is more the opponent's, in the opponent's colour.
pub(super) fn disputed(svg: &mut String, board: &Board, ownership: &[f32]) {
    let coordinate = board.coordinate();
    for point in coordinate.points() {
        let owner = ownership.get(point.index()).copied().unwrap_or_default().clamp(-1.0, 1.0);
        let taker = match board.stone(point) {
            Stone::Black if owner < -TAKEN => Color::White,
            Stone::White if owner > TAKEN => Color::Black,
            _ => continue,
        };
        let (x, y) = place(coordinate, point);
        let side = 8.0 + 10.0 * owner.abs();
        let (left, top) = (x as f32 - side / 2.0, y as f32 - side / 2.0);
        let _ = write!(
            svg,
            r#"<rect class="go-taken-{taker}" x="{left:.1}" y="{top:.1}" width="{side:.1}" height="{side:.1}"/>"#
        );
    }
}

/// Each ren of stones: lines along its stones and out to its liberties, and how many there are of those.
pub(super) fn rens(svg: &mut String, board: &Board) {
    let coordinate = board.coordinate();
    let rens: Vec<Ren> =
        LibertySearch::new(board).find_all().into_iter().filter(|ren| ren.stone != Stone::Space).collect();
    let colors = palette::colors(coordinate, &rens);
    for (ren, color) in rens.iter().zip(colors) {
        let _ = write!(svg, r#"<path class="go-link" stroke="{color}" d="{}"/>"#, links(board, ren));
        let Some(middle) = middle(coordinate, ren) else { continue };
        let (x, y) = place(coordinate, middle);
        let liberties = ren.liberty_area();
        let small = if liberties > 99 { " go-small" } else { "" };
        let _ = write!(svg, r#"<circle fill="{color}" cx="{x}" cy="{y}" r="13"/>"#);
        let _ = writeln!(svg, r#"<text class="go-count{small}" x="{x}" y="{}">{liberties}</text>"#, y + 6);
    }
}

/// Lines from each stone of a ren to those east and south of it, and a little way to each liberty.
fn links(board: &Board, ren: &Ren) -> String {
    let coordinate = board.coordinate();
    let mut path = String::new();
    for &location in &ren.locations {
        let (x, y) = place(coordinate, location);
        // a lone stone without a liberty beside this one is a dot
        let _ = write!(path, "M{x} {y}h0");
        for (number, neighbor) in coordinate.neighbors(location).into_iter().enumerate() {
            let (to_x, to_y) = place(coordinate, neighbor);
            let (dx, dy) = (to_x - x, to_y - y);
            match board.stone(neighbor) {
                Stone::Space => {
                    let _ = write!(path, "M{x} {y}l{} {}", dx * 2 / 3, dy * 2 / 3);
                }
                // each pair of stones once: east, north, west, south
                stone if stone == ren.stone && number < 2 => {
                    let _ = write!(path, "M{x} {y}l{dx} {dy}");
                }
                _ => {}
            }
        }
    }
    path
}

/// The point of a ren nearest to the mean of all.
fn middle(coordinate: Coordinate, ren: &Ren) -> Option<Point> {
    let places = || ren.locations.iter().map(|&point| coordinate.xy(point));
    let count = ren.locations.len().max(1) as i32;
    let sum_x: i32 = places().map(|(x, _)| i32::from(x)).sum();
    let sum_y: i32 = places().map(|(_, y)| i32::from(y)).sum();
    ren.locations.iter().copied().min_by_key(|&point| {
        let (x, y) = coordinate.xy(point);
        (i32::from(x) * count - sum_x).pow(2) + (i32::from(y) * count - sum_y).pow(2)
    })
}

/// A variation taken apart: what has a number on the board, and what must be said.
pub(super) struct Numbered {
    stones: Vec<(usize, Color, Point)>,
    pub(super) notes: Vec<String>,
}

/// Numbers the moves of a variation from 1. Passes, and moves on points that have a stone or a number, become notes.
pub(super) fn number(board: &Board, first: Color, moves: &[Move]) -> Numbered {
    let mut numbered = Numbered { stones: Vec::new(), notes: Vec::new() };
    let mut seen = PointSet::new();
    let mut color = first;
    for (play, number) in moves.iter().zip(1..) {
        match *play {
            Move::Play(point) if board.stone(point) == Stone::Space && seen.insert(point) => {
                numbered.stones.push((number, color, point));
            }
            Move::Play(point) => numbered.notes.push(format!("{number} at {}", board.coordinate().vertex(point))),
            Move::Pass => numbered.notes.push(format!("{number} pass")),
        }
        color = color.opponent();
    }
    numbered
}

/// The stones to come, with their numbers.
pub(super) fn variation(svg: &mut String, coordinate: Coordinate, numbered: &Numbered) {
    for &(number, color, point) in &numbered.stones {
        let (x, y) = place(coordinate, point);
        let _ = write!(svg, r##"<use class="go-ghost" href="#go-{color}" x="{x}" y="{y}"/>"##);
        let small = if number > 99 { " go-small" } else { "" };
        let _ = writeln!(svg, r#"<text class="go-number-on-{color}{small}" x="{x}" y="{}">{number}</text>"#, y + 7);
    }
}

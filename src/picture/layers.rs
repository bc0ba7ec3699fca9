//! The layers of a picture, drawn bottom to top, each as SVG text appended to a string.
//!
//! Drawing coordinates: the upper left point is at 0, 0, y grows downwards, adjacent lines are [`CELL`] units apart.

use std::fmt::Write;

use crate::kernel::coordinate::file_letter;
use crate::kernel::handicap::star_points;
use crate::kernel::{Board, Color, Coordinate, LibertySearch, Move, Point, PointSet, Ren, Stone};
use crate::picture::lettering::Lettering;
use crate::picture::palette;

/// Distance between adjacent lines of the board. All lengths are in units of the drawing.
pub(super) const CELL: i32 = 40;

/// Distance from the outermost lines to the edge of the picture.
const MARGIN: i32 = 54;

/// Distance from the outermost lines to the middle of the coordinate labels.
const LABEL_DISTANCE: i32 = 36;

/// Font sizes, which `style.css` gives to texts: labels and notes, numbers of moves, liberties, three digits.
const LABEL_SIZE: f32 = 15.0;
const NUMBER_SIZE: f32 = 20.0;
const COUNT_SIZE: f32 = 16.0;
const SMALL_SIZE: f32 = 15.0;

/// Height of a line of notes.
const NOTE_HEIGHT: i32 = 24;

/// Width of a character of a note, rounded up.
const NOTE_CHAR_WIDTH: i32 = 9;

/// Smallest absolute ownership that is drawn.
const MIN_OWNERSHIP: f32 = 0.05;

/// Smallest ownership of the opponent at which a stone is marked as disputed.
const MIN_DISPUTE: f32 = 0.3;

/// The stones, drawn once around 0, 0 and placed by `<use>`.
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

/// Appends a `<g>` element of a class, with the content that `draw` appends.
pub(super) fn group(svg: &mut String, class: &str, draw: impl FnOnce(&mut String)) {
    // writing to a String cannot fail, here and everywhere below
    let _ = write!(svg, "<g class=\"{class}\">");
    draw(svg);
    svg.push_str("</g>\n");
}

/// The drawing coordinates of a point.
fn xy_of(coordinate: Coordinate, point: Point) -> (i32, i32) {
    let (x, y) = coordinate.xy(point);
    let cells = (i32::from(x) - 1, i32::from(coordinate.height()) - i32::from(y));
    (cells.0 * CELL, cells.1 * CELL)
}

/// The size of a picture, and everything below the stones.
pub(super) struct Frame {
    coordinate: Coordinate,
    /// The drawing coordinates of the lower right point.
    right: i32,
    bottom: i32,
    notes: Vec<String>,
}

impl Frame {
    /// The frame of a board, with notes below it.
    pub(super) fn new(coordinate: Coordinate, notes: &[String]) -> Frame {
        let right = (i32::from(coordinate.width()) - 1) * CELL;
        let bottom = (i32::from(coordinate.height()) - 1) * CELL;
        let columns = ((right + 2 * MARGIN) / NOTE_CHAR_WIDTH).max(1) as usize;
        Frame { coordinate, right, bottom, notes: wrap(notes, columns) }
    }

    /// The opening tag and the title, which must be escaped.
    pub(super) fn open(&self, title: &str) -> String {
        let width = self.right + 2 * MARGIN;
        let height = self.height();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" class=\"go\">\n<title>{title}</title>\n"
        )
    }

    fn height(&self) -> i32 {
        let notes = self.notes.len() as i32 * NOTE_HEIGHT;
        self.bottom + 2 * MARGIN + notes
    }

    /// Draws the wood, the lines, the star points, the coordinate labels and the notes.
    pub(super) fn draw(&self, svg: &mut String, lettering: Lettering) {
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
            let (x, y) = xy_of(coordinate, point);
            let _ = writeln!(svg, r#"<circle class="go-star" cx="{x}" cy="{y}" r="4.2"/>"#);
        }
        self.labels(svg, lettering);
        for (note, line) in notes.iter().zip(1..) {
            let (x, y) = (right / 2, bottom + MARGIN - 8 + line * NOTE_HEIGHT - NOTE_HEIGHT / 4);
            lettering.write(svg, "go-notes", LABEL_SIZE, (x, y), note);
            svg.push('\n');
        }
    }

    fn labels(&self, svg: &mut String, lettering: Lettering) {
        let mut label = |x: i32, y: i32, text: &str| lettering.write(svg, "go-name", LABEL_SIZE, (x, y + 5), text);
        for x in 0..self.coordinate.width() {
            let file = file_letter(usize::from(x)).unwrap_or('?').to_string();
            label(i32::from(x) * CELL, -LABEL_DISTANCE, &file);
            label(i32::from(x) * CELL, self.bottom + LABEL_DISTANCE, &file);
        }
        for rank in 1..=self.coordinate.height() {
            let y = self.bottom - (i32::from(rank) - 1) * CELL;
            label(-LABEL_DISTANCE, y, &rank.to_string());
            label(self.right + LABEL_DISTANCE, y, &rank.to_string());
        }
        svg.push('\n');
    }
}

/// Notes joined by commas, in lines of at most `columns` characters; a longer note gets a line of its own.
fn wrap(notes: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for note in notes {
        match lines.last_mut().filter(|line| line.len() + note.len() + 3 <= columns) {
            Some(line) => {
                line.push_str(", ");
                line.push_str(note);
            }
            None => lines.push(note.clone()),
        }
    }
    lines
}

/// Draws the stones.
pub(super) fn stones(svg: &mut String, board: &Board) {
    let coordinate = board.coordinate();
    for point in coordinate.points() {
        if let Some(color) = board.stone(point).color() {
            stone(svg, coordinate, point, color);
        }
    }
}

/// Draws a stone.
pub(super) fn stone(svg: &mut String, coordinate: Coordinate, point: Point, color: Color) {
    let (x, y) = xy_of(coordinate, point);
    let _ = write!(svg, r##"<use href="#go-{color}" x="{x}" y="{y}"/>"##);
}

/// Draws a ring on the stone of the last move.
pub(super) fn last_move(svg: &mut String, board: &Board, last: Point) {
    if let Some(color) = board.stone(last).color() {
        ring(svg, board.coordinate(), last, color);
    }
}

/// Draws a ring on a stone of this colour.
pub(super) fn ring(svg: &mut String, coordinate: Coordinate, point: Point, color: Color) {
    let (x, y) = xy_of(coordinate, point);
    let _ = write!(svg, r#"<circle class="go-last-on-{color}" cx="{x}" cy="{y}" r="9.5"/>"#);
}

/// Shades each point by its ownership, black or white, with opacity in proportion.
pub(super) fn ownership(svg: &mut String, board: &Board, ownership: &[f32]) {
    let coordinate = board.coordinate();
    for point in coordinate.points() {
        let owner = ownership.get(point.index()).copied().unwrap_or_default().clamp(-1.0, 1.0);
        if owner.abs() < MIN_OWNERSHIP || owner.is_nan() {
            continue;
        }
        // white needs more opacity to be visible on wood
        let (class, max_opacity) = if owner > 0.0 { ("go-own-black", 0.6) } else { ("go-own-white", 0.75) };
        let (x, y) = xy_of(coordinate, point);
        let (left, top, opacity) = (x - CELL / 2, y - CELL / 2, owner.abs() * max_opacity);
        let _ = write!(
            svg,
            r#"<rect class="{class}" x="{left}" y="{top}" width="{CELL}" height="{CELL}" opacity="{opacity:.2}"/>"#
        );
    }
}

/// Draws a square in the opponent's colour on each stone whose point the opponent owns to more than [`MIN_DISPUTE`].
pub(super) fn disputed(svg: &mut String, board: &Board, ownership: &[f32]) {
    let coordinate = board.coordinate();
    for point in coordinate.points() {
        let owner = ownership.get(point.index()).copied().unwrap_or_default().clamp(-1.0, 1.0);
        let taker = match board.stone(point) {
            Stone::Black if owner < -MIN_DISPUTE => Color::White,
            Stone::White if owner > MIN_DISPUTE => Color::Black,
            _ => continue,
        };
        let (x, y) = xy_of(coordinate, point);
        let side = 8.0 + 10.0 * owner.abs();
        let (left, top) = (x as f32 - side / 2.0, y as f32 - side / 2.0);
        let _ = write!(
            svg,
            r#"<rect class="go-taken-{taker}" x="{left:.1}" y="{top:.1}" width="{side:.1}" height="{side:.1}"/>"#
        );
    }
}

/// Draws each ren in its colour: lines between its stones and towards its liberties, and the number of liberties.
pub(super) fn rens(svg: &mut String, board: &Board, lettering: Lettering) {
    let coordinate = board.coordinate();
    let rens: Vec<Ren> =
        LibertySearch::new(board).find_all().into_iter().filter(|ren| ren.stone != Stone::Space).collect();
    let colors = palette::picture_colors(coordinate, &rens);
    for (ren, color) in rens.iter().zip(colors) {
        let _ = write!(svg, r#"<path class="go-link" stroke="{color}" d="{}"/>"#, links(board, ren));
        let Some(middle) = middle(coordinate, ren) else { continue };
        let (x, y) = xy_of(coordinate, middle);
        let liberties = ren.liberty_area();
        let (class, size) = sized("go-count", COUNT_SIZE, liberties);
        let _ = write!(svg, r#"<circle fill="{color}" cx="{x}" cy="{y}" r="13"/>"#);
        lettering.write(svg, &class, size, (x, y + 6), &liberties.to_string());
        svg.push('\n');
    }
}

/// The class and the font size of a number: one of three digits is small.
fn sized(class: &str, size: f32, number: usize) -> (String, f32) {
    if number > 99 { (format!("{class} go-small"), SMALL_SIZE) } else { (class.to_owned(), size) }
}

/// Path data: lines between adjacent stones of a ren, and part of the way to each liberty.
fn links(board: &Board, ren: &Ren) -> String {
    let coordinate = board.coordinate();
    let mut path = String::new();
    for &location in &ren.locations {
        let (x, y) = xy_of(coordinate, location);
        // a dot, so that a single stone without liberties is visible
        let _ = write!(path, "M{x} {y}h0");
        for (number, neighbor) in coordinate.neighbors(location).into_iter().enumerate() {
            let (to_x, to_y) = xy_of(coordinate, neighbor);
            let (dx, dy) = (to_x - x, to_y - y);
            match board.stone(neighbor) {
                Stone::Space => {
                    let _ = write!(path, "M{x} {y}l{} {}", dx * 2 / 3, dy * 2 / 3);
                }
                // neighbours are ordered east, north, west, south; the first two draw each pair once
                stone if stone == ren.stone && number < 2 => {
                    let _ = write!(path, "M{x} {y}l{dx} {dy}");
                }
                _ => {}
            }
        }
    }
    path
}

/// The point of a ren nearest to the mean of its points.
fn middle(coordinate: Coordinate, ren: &Ren) -> Option<Point> {
    let points = || ren.locations.iter().map(|&point| coordinate.xy(point));
    let count = ren.locations.len().max(1) as i32;
    let sum_x: i32 = points().map(|(x, _)| i32::from(x)).sum();
    let sum_y: i32 = points().map(|(_, y)| i32::from(y)).sum();
    ren.locations.iter().copied().min_by_key(|&point| {
        let (x, y) = coordinate.xy(point);
        (i32::from(x) * count - sum_x).pow(2) + (i32::from(y) * count - sum_y).pow(2)
    })
}

/// A variation as numbered stones, and notes for the moves that cannot be drawn.
pub(super) struct Numbered {
    stones: Vec<(usize, Color, Point)>,
    pub(super) notes: Vec<String>,
}

/// Numbers the moves of a variation from 1. A pass, or a move on a point that already has a stone or a number, becomes
/// a note.
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

/// Draws the numbered stones of a variation, translucent.
pub(super) fn variation(svg: &mut String, coordinate: Coordinate, numbered: &Numbered, lettering: Lettering) {
    for &(number, color, point) in &numbered.stones {
        let (x, y) = xy_of(coordinate, point);
        let _ = write!(svg, r##"<use class="go-ghost" href="#go-{color}" x="{x}" y="{y}"/>"##);
        let (class, size) = sized(&format!("go-number-on-{color}"), NUMBER_SIZE, number);
        lettering.write(svg, &class, size, (x, y + 7), &number.to_string());
        svg.push('\n');
    }
}

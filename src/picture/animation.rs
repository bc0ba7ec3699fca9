//! A sequence of moves as a picture that moves: an animated GIF, or an SVG with SMIL animations.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

use gif::{Encoder, Frame, Repeat};

use crate::kernel::{Board, Color, Point, Position, Stone};
use crate::picture::layers::{self, DEFINITIONS};
use crate::picture::lettering::Lettering;
use crate::picture::raster::pixels;
use crate::picture::{Picture, STYLE};
use crate::text::markup::escape;

/// Most moves of an animation.
pub const MAX_MOVES: usize = 1000;

/// Longest side of an animated GIF, in pixels.
const GIF_SIDE: f32 = 480.0;

/// Time for which a position is shown, in hundredths of a second; the last one is shown longer.
const STEP: u16 = 100;
const LAST_STEP: u16 = 400;

/// Moves of a game: the position before the first one, then the position after each.
#[derive(Clone, Copy)]
pub struct Animation<'a> {
    position: &'a Position,
    /// Numbers of moves made: at the beginning and at the end.
    first: usize,
    last: usize,
}

impl<'a> Animation<'a> {
    /// The moves of these numbers, from 1, of a game. A game without moves has one position to show.
    ///
    /// # Errors
    /// If there are no such moves, or more than [`MAX_MOVES`].
    pub fn new(position: &'a Position, moves: RangeInclusive<usize>) -> Result<Animation<'a>, String> {
        let (from, to, count) = (*moves.start(), *moves.end(), position.record().len());
        // a game without moves has none to name: `1..=0`
        if from == 0 || to > count || from > to.max(1) {
            return Err(format!("no moves {from} to {to}: the game has {count}"));
        }
        if to + 1 - from > MAX_MOVES {
            return Err(format!("{} moves, expected at most {MAX_MOVES}", to + 1 - from));
        }
        Ok(Animation { position, first: from - 1, last: to })
    }

    /// Numbers of moves made in the positions that are shown.
    fn numbers(&self) -> RangeInclusive<usize> {
        self.first..=self.last
    }

    /// The time of a position, in hundredths of a second.
    fn duration(&self, number: usize) -> u16 {
        if number == self.last { LAST_STEP } else { STEP }
    }

    /// The stone of the move before a position, if it is on the board there.
    fn last_move(&self, number: usize) -> Option<Point> {
        let item = self.position.record().items().get(number.checked_sub(1)?)?;
        let stones = self.position.stones_at(number);
        item.play.point().filter(|point| stones.get(point.index()) == Some(&item.color.stone()))
    }

    fn title(&self) -> String {
        match self.first == self.last {
            true => "Go board".to_owned(),
            false => format!("Go board, moves {} to {}", self.first + 1, self.last),
        }
    }

    /// An animated GIF, which repeats for ever. Its longer side has at most 480 pixels.
    ///
    /// # Errors
    /// If it cannot be drawn; the reason in one line.
    pub fn gif(&self) -> Result<Vec<u8>, String> {
        let mut palette = Palette::new();
        let mut encoder = None;
        let mut shown: Option<Image> = None;
        for number in self.numbers() {
            let image = self.image(number, &mut palette)?;
            let encoder = match &mut encoder {
                Some(encoder) => encoder,
                none => {
                    let colors = palette.bytes();
                    let new = Encoder::new(Vec::new(), image.width, image.height, &colors);
                    let mut new = new.map_err(|error| error.to_string())?;
                    new.set_repeat(Repeat::Infinite).map_err(|error| error.to_string())?;
                    none.insert(new)
                }
            };
            let mut frame = image.changes(shown.as_ref());
            frame.delay = self.duration(number);
            encoder.write_frame(&frame).map_err(|error| error.to_string())?;
            shown = Some(image);
        }
        encoder.ok_or("no position")?.into_inner().map_err(|error| error.to_string())
    }

    /// A position in the colours of a palette.
    fn image(&self, number: usize, palette: &mut Palette) -> Result<Image, String> {
        let coordinate = self.position.board().coordinate();
        let board =
            Board::from_stones(coordinate, self.position.stones_at(number)).map_err(|error| error.to_string())?;
        let plain = Picture { board: &board, last: self.last_move(number), ..Picture::new(self.position) };
        let pixels = pixels(&plain.drawing(Lettering::Shapes), GIF_SIDE)?;
        let side = |length: u32| u16::try_from(length).map_err(|error| error.to_string());
        let (width, height) = (side(pixels.width())?, side(pixels.height())?);
        // the corners outside of the wood are transparent in the drawing: there it is paper
        let color = |pixel: &resvg::tiny_skia::PremultipliedColorU8| {
            let paper = 255 - pixel.alpha();
            palette.nearest([pixel.red(), pixel.green(), pixel.blue()].map(|part| part.saturating_add(paper)))
        };
        Ok(Image { width, height, colors: pixels.pixels().iter().map(color).collect() })
    }

    /// An SVG picture with an animation for each stone, which repeats for ever. It needs no script; a viewer without
    /// animations shows the last position.
    pub fn svg(&self) -> String {
        let coordinate = self.position.board().coordinate();
        let frame = layers::Frame::new(coordinate, &[]);
        let mut svg = frame.open(&escape(&self.title()));
        svg += &format!("<style>\n{STYLE}</style>\n{DEFINITIONS}");
        frame.draw(&mut svg, Lettering::Text);
        layers::group(&mut svg, "go-stones", |svg| {
            for point in coordinate.points() {
                for color in Color::BOTH {
                    let stone = |number| self.position.stones_at(number).get(point.index()).copied();
                    let is_shown = |number| stone(number) == Some(color.stone());
                    self.animated(svg, is_shown, |svg| layers::stone(svg, coordinate, point, color));
                }
            }
        });
        layers::group(&mut svg, "go-last", |svg| {
            for number in self.numbers() {
                let Some(point) = self.last_move(number) else { continue };
                let stone = self.position.stones_at(number).get(point.index());
                let Some(color) = stone.copied().and_then(Stone::color) else { continue };
                self.animated(svg, |shown| shown == number, |svg| layers::ring(svg, coordinate, point, color));
            }
        });
        svg + "</svg>\n"
    }

    /// Appends what `draw` appends, shown in the positions that `is_shown` tells.
    fn animated(&self, svg: &mut String, is_shown: impl Fn(usize) -> bool, draw: impl FnOnce(&mut String)) {
        let name = |number: usize| if is_shown(number) { "visible" } else { "hidden" };
        // the beginning of each series of positions, in hundredths of a second, and its visibility
        let mut changes: Vec<(usize, &str)> = Vec::new();
        let mut time = 0;
        for number in self.numbers() {
            if changes.last().is_none_or(|(_, last)| *last != name(number)) {
                changes.push((time, name(number)));
            }
            time += usize::from(self.duration(number));
        }
        match changes.as_slice() {
            [(_, "hidden")] => {}
            [(_, _)] => draw(svg),
            _ => {
                // writing to a String cannot fail, here and below
                let _ = write!(svg, r#"<g visibility="{}">"#, name(self.last));
                draw(svg);
                let times = changes.iter().map(|(begin, _)| format!("{:.6}", *begin as f64 / time as f64));
                let values = changes.iter().map(|(_, value)| *value);
                let _ = writeln!(
                    svg,
                    "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{}.{:02}s\" \
                     repeatCount=\"indefinite\" keyTimes=\"{}\" values=\"{}\"/></g>",
                    time / 100,
                    time % 100,
                    times.collect::<Vec<_>>().join(";"),
                    values.collect::<Vec<_>>().join(";")
                );
            }
        }
    }
}

/// Pixels by their number in a palette, row by row.
struct Image {
    width: u16,
    height: u16,
    colors: Vec<u8>,
}

impl Image {
    /// The smallest rectangle that turns another image into this one; a single pixel if they are equal.
    fn changes(&self, before: Option<&Image>) -> Frame<'static> {
        let (width, rows) = (usize::from(self.width), self.colors.chunks(usize::from(self.width).max(1)));
        let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::from(self.height), 0);
        for (y, row) in rows.clone().enumerate() {
            let former = before.and_then(|before| before.colors.get(y * width..(y + 1) * width));
            let differs = |x: &usize| former.is_none_or(|former| former.get(*x) != row.get(*x));
            let (Some(first), Some(last)) = ((0..width).find(differs), (0..width).rfind(differs)) else { continue };
            (left, right) = (left.min(first), right.max(last));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        if left > right {
            (left, right, top, bottom) = (0, 0, 0, 0);
        }
        let changed = rows.skip(top).take(bottom + 1 - top).flat_map(|row| row.get(left..=right).unwrap_or_default());
        Frame {
            left: left as u16,
            top: top as u16,
            width: (right + 1 - left) as u16,
            height: (bottom + 1 - top) as u16,
            buffer: changed.copied().collect::<Vec<u8>>().into(),
            ..Frame::default()
        }
    }
}

/// 256 fixed colours: the steps between those that touch each other on a board.
struct Palette {
    colors: Vec<[u8; 3]>,
    /// The nearest colours found so far.
    found: HashMap<[u8; 3], u8>,
}

/// Colours of a picture: paper, wood, lines, black and white stones. Those of `style.css` and of the stones' gradients.
const PAPER: [u8; 3] = [0xff, 0xff, 0xff];
const WOOD: [u8; 3] = [0xde, 0xb6, 0x73];
const LINES: [u8; 3] = [0x5b, 0x3f, 0x1d];
const BLACK: [u8; 3] = [0x0b, 0x0b, 0x0c];
const SHINE: [u8; 3] = [0x6a, 0x6a, 0x6e];
const WHITE: [u8; 3] = [0xff, 0xff, 0xff];
const SHADE: [u8; 3] = [0xcf, 0xca, 0xbd];
const RIM: [u8; 3] = [0x8d, 0x85, 0x74];

/// Pairs of colours that touch or fade into each other, and the number of steps between them. The steps add up to 256.
const RAMPS: [([u8; 3], [u8; 3], u16); 9] = [
    (WOOD, BLACK, 48),
    (WOOD, LINES, 32),
    (WOOD, RIM, 24),
    (WOOD, PAPER, 16),
    (BLACK, SHINE, 32),
    (WHITE, SHADE, 32),
    (WHITE, RIM, 24),
    (BLACK, WHITE, 32),
    (RIM, BLACK, 16),
];

impl Palette {
    fn new() -> Palette {
        let steps = |&(from, to, steps): &([u8; 3], [u8; 3], u16)| {
            (0..steps).map(move |step| {
                let mut color = from;
                for (part, (&from, &to)) in color.iter_mut().zip(from.iter().zip(&to)) {
                    let (from, to) = (i32::from(from), i32::from(to));
                    *part = (from + (to - from) * i32::from(step) / (i32::from(steps) - 1)).clamp(0, 255) as u8;
                }
                color
            })
        };
        Palette { colors: RAMPS.iter().flat_map(steps).collect(), found: HashMap::new() }
    }

    /// The colours as GIF stores them.
    fn bytes(&self) -> Vec<u8> {
        self.colors.concat()
    }

    /// The number of the nearest colour, by the sum of squares.
    fn nearest(&mut self, color: [u8; 3]) -> u8 {
        let distance =
            |other: &[u8; 3]| -> u32 { color.iter().zip(other).map(|(&a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum() };
        *self.found.entry(color).or_insert_with(|| {
            let numbered = self.colors.iter().zip(0..=u8::MAX);
            numbered.min_by_key(|(other, _)| distance(other)).map_or(0, |(_, number)| number)
        })
    }
}

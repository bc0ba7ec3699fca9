//! A board as a picture: as self-contained SVG, which refers to no other file, as PNG, and moves as an animation.
//!
//! [`Picture`] has the content; [`Picture::svg`] draws it in layers, and [`Picture::png`] renders that drawing without
//! fonts. [`Animation`] shows moves one after the other. The module knows boards only, neither the source of the
//! ownership values nor the destination of the text. The wood is drawn as a background, so that the lines are visible on
//! light and on dark pages; dark mode dims it.

mod animation;
mod layers;
mod lettering;
pub(crate) mod palette;
pub(crate) mod points;
mod raster;

use crate::kernel::{Board, Color, Move, Point, Position};
pub use crate::picture::animation::{Animation, MAX_MOVES};
use crate::picture::layers::{CELL, Frame};
use crate::picture::lettering::Lettering;
use crate::text::markup::escape;

/// The style sheet of a picture.
const STYLE: &str = include_str!("style.css");

/// A board and what to show on it.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The stones.
    pub board: &'a Board,
    /// The title, which screen readers speak. [`Picture::svg`] escapes it.
    pub title: String,
    /// The stone to mark as the last move. Not shown with `shows_rens`.
    pub last: Option<Point>,
    /// Whether to draw each ren of stones in a colour, with lines to its liberties and their number.
    pub shows_rens: bool,
    /// The ownership of every cell of the walled board, by its index: from 1, Black's, to -1, White's.
    pub ownership: Option<&'a [f32]>,
    /// A variation to number from 1: its first player, and its moves, which alternate.
    pub variation: Option<(Color, &'a [Move])>,
}

impl<'a> Picture<'a> {
    /// The stones of a position and its last move.
    pub fn new(position: &'a Position) -> Picture<'a> {
        let board = position.board();
        let coordinate = board.coordinate();
        let title = match position.record().items().last() {
            Some(item) => {
                let number = position.record().len();
                format!("Go board after move {number}, {} {}", item.color, item.play.vertex(coordinate))
            }
            None => "Go board".to_owned(),
        };
        Picture { board, title, last: position.last_stone(), shows_rens: false, ownership: None, variation: None }
    }

    /// The picture as an `<svg>` element. Adjacent points are 40 units apart, the upper left point is at 0, 0. No line
    /// is empty, so that it can be a GTP answer.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
    /// use kifuwarabe_uec14::picture::Picture;
    ///
    /// let coordinate = Coordinate::square(9).ok_or("a size")?;
    /// let mut position = Position::new(coordinate, GameRule::with_komi(6.5), 722, Color::Black);
    /// position.play(Color::Black, coordinate.parse_vertex("E5")?)?;
    /// let svg = Picture::new(&position).svg();
    /// assert!(svg.starts_with("<svg ") && svg.contains("<title>Go board after move 1, black E5</title>"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn svg(&self) -> String {
        self.drawing(Lettering::Text)
    }

    /// The picture as a PNG file, a pixel for each unit of the drawing. No font of the system is used.
    ///
    /// # Errors
    /// If it cannot be drawn; the reason in one line.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        raster::png(&self.drawing(Lettering::Shapes))
    }

    /// The picture as an `<svg>` element, with letters of this kind.
    fn drawing(&self, lettering: Lettering) -> String {
        let numbered = self.variation.map(|(color, moves)| layers::number(self.board, color, moves));
        let notes = numbered.as_ref().map_or(&[][..], |numbered| &numbered.notes);
        let frame = Frame::new(self.board.coordinate(), notes);
        let mut svg = frame.open(&escape(&self.title));
        svg += &format!("<style>\n{STYLE}</style>\n{}", layers::DEFINITIONS);
        frame.draw(&mut svg, lettering);
        layers::group(&mut svg, "go-ownership", |svg| {
            if let Some(ownership) = self.ownership {
                layers::ownership(svg, self.board, ownership);
            }
        });
        layers::group(&mut svg, "go-stones", |svg| layers::stones(svg, self.board));
        layers::group(&mut svg, "go-disputed", |svg| {
            if let Some(ownership) = self.ownership {
                layers::disputed(svg, self.board, ownership);
            }
        });
        if self.shows_rens {
            layers::group(&mut svg, "go-rens", |svg| layers::rens(svg, self.board, lettering));
        }
        layers::group(&mut svg, "go-last", |svg| {
            if let Some(last) = self.last.filter(|_| !self.shows_rens) {
                layers::last_move(svg, self.board, last);
            }
        });
        layers::group(&mut svg, "go-variation", |svg| {
            if let Some(numbered) = &numbered {
                layers::variation(svg, self.board.coordinate(), numbered, lettering);
            }
        });
        svg + "</svg>\n"
    }

    /// The distance between adjacent points in units of the drawing.
    pub const fn cell() -> i32 {
        CELL
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, MAX_SIDE, played};

    fn position(width: u8, height: u8, moves: &str) -> Position {
        let coordinate = Coordinate::new(width, height).unwrap();
        played(Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black), moves)
    }

    /// The names of the elements of well-formed XML.
    fn elements(svg: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
        document.descendants().filter(|node| node.is_element()).map(|node| node.tag_name().name().to_owned()).collect()
    }

    #[test]
    fn draws_every_size_with_every_option() {
        for width in 2..=MAX_SIDE {
            for height in [2, 3, 9, 19, 20, MAX_SIDE, width] {
                let position = position(width, height, "A1 B2");
                let ownership = vec![-0.7; position.board().coordinate().memory_area()];
                let moves = [Move::Pass, Move::Play(position.board().coordinate().parse_vertex("A2").unwrap())];
                let mut picture = Picture::new(&position);
                let plain = picture.svg();
                picture.shows_rens = true;
                picture.ownership = Some(&ownership);
                picture.variation = Some((Color::Black, &moves));
                let full = picture.svg();
                for svg in [&plain, &full] {
                    assert!(elements(svg).len() > 10);
                    assert!(svg.lines().all(|line| !line.trim().is_empty()), "an empty line would end a GTP answer");
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                    for fetched in ["http:", "https:", "@import", "url(h", "<image"] {
                        let named = svg.replace("http://www.w3.org/2000/svg", "");
                        assert!(!named.contains(fetched), "{fetched}");
                    }
                }
                // labels on all four sides
                assert_eq!(plain.matches("<text").count(), 2 * (usize::from(width) + usize::from(height)));
                assert!(full.contains("1 pass"));
            }
        }
    }

    #[test]
    fn stones_are_at_their_points() {
        let position = position(9, 7, "A1 J7 C4");
        let svg = Picture::new(&position).svg();
        // rank 1 is the lowest row
        for (stone, x, y) in [("black", 0, 240), ("white", 320, 0), ("black", 80, 120)] {
            assert!(svg.contains(&format!(r##"<use href="#go-{stone}" x="{x}" y="{y}"/>"##)), "{svg}");
        }
        assert_eq!(svg.matches("<use ").count(), 3);
        assert!(svg.contains(r#"class="go-last-on-black" cx="80" cy="120""#), "{svg}");
    }

    #[test]
    fn pass_as_last_move_is_not_marked() {
        let position = position(5, 5, "A1 pass");
        assert!(!Picture::new(&position).svg().contains("class=\"go-last-on"));
    }

    #[test]
    fn rens_show_their_liberty_counts() {
        let position = position(9, 9, "E5 E6 F5 J9 A1");
        let mut picture = Picture::new(&position);
        picture.shows_rens = true;
        let svg = picture.svg();
        let counts: Vec<&str> = svg
            .split("go-count\"")
            .skip(1)
            .filter_map(|text| text.split_once('>')?.1.split_once('<').map(|(count, _)| count))
            .collect();
        assert_eq!(counts.len(), 4, "{svg}");
        for (liberties, rens) in [("5", 1), ("3", 1), ("2", 2)] {
            assert_eq!(counts.iter().filter(|&&count| count == liberties).count(), rens, "{counts:?}");
        }
        assert!(!svg.contains("class=\"go-last-on"));
    }

    #[test]
    fn variation_is_numbered_and_undrawable_moves_are_notes() {
        let position = position(9, 9, "E5 E6");
        let at = |vertex: &str| Move::Play(position.board().coordinate().parse_vertex(vertex).unwrap());
        let moves = [at("A1"), at("B2"), Move::Pass, at("A1"), at("E5"), at("C3")];
        let mut picture = Picture::new(&position);
        picture.variation = Some((Color::White, &moves));
        let svg = picture.svg();
        for (number, x, y) in [(1, 0, 320), (2, 40, 280), (6, 80, 240)] {
            assert!(svg.contains(&format!(r#"x="{x}" y="{}">{number}</text>"#, y + 7)), "{number} {svg}");
        }
        assert_eq!(svg.matches("class=\"go-number-on").count(), 3);
        assert!(svg.contains("3 pass, 4 at A1, 5 at E5"), "{svg}");
    }

    #[test]
    fn ownership_shades_points_and_marks_disputed_stones() {
        let position = position(5, 5, "C3 A1");
        let mut ownership = vec![0.0; 49];
        let coordinate = position.board().coordinate();
        for (vertex, owner) in [("C3", 0.9), ("A1", 1.0), ("E5", -0.5), ("D5", f32::NAN), ("B1", 0.04)] {
            ownership[coordinate.parse_vertex(vertex).unwrap().index()] = owner;
        }
        let mut picture = Picture::new(&position);
        picture.ownership = Some(&ownership);
        let svg = picture.svg();
        let owned = |class: &str| svg.matches(&format!(r#"<rect class="{class}""#)).count();
        assert_eq!((owned("go-own-black"), owned("go-own-white")), (2, 1), "{svg}");
        assert_eq!(owned("go-taken-black") + owned("go-taken-white"), 1);
    }

    #[test]
    fn title_is_escaped() {
        let position = position(3, 3, "");
        let picture = Picture { title: "</title><script>\"&'\u{8}\n".to_owned(), ..Picture::new(&position) };
        let svg = picture.svg();
        elements(&svg);
        assert!(svg.contains("<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;&#39;  </title>"), "{svg}");
    }
}

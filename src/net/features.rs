//! A position as a net sees it: planes of points that have a property or not, and two numbers.

use crate::kernel::{Board, Color, Coordinate, OtherLiberties, Point};

/// Planes of a position.
pub const PLANES: usize = 20;

/// Numbers beside the planes.
pub const SCALARS: usize = 2;

/// Moves before that a net is shown.
pub const MOVES: usize = 5;

/// Komi is divided by this. The net has learned from games with no more, and is shown none.
const KOMI_UNIT: f64 = 15.0;

/// One way to turn or mirror a board. On a board that is not square, only those that keep its shape are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Symmetry(u8);

impl Symmetry {
    /// All eight, the first of which changes nothing.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        (0..8).map(Symmetry)
    }

    /// One of the eight by any number.
    pub const fn numbered(number: u64) -> Symmetry {
        Symmetry((number % 8) as u8)
    }

    /// Where the point in this column and row, counted from 0, comes from.
    fn source(self, x: usize, y: usize, width: usize, height: usize) -> (usize, usize) {
        let (x, y) = if self.0 & 4 != 0 && width == height { (y, x) } else { (x, y) };
        (if self.0 & 1 != 0 { width - 1 - x } else { x }, if self.0 & 2 != 0 { height - 1 - y } else { y })
    }
}

/// A position as a net sees it, with the eyes of the player to move.
///
/// Points are counted row by row from the top of the board as it is drawn, the rank with the greatest number, and from the
/// left. The planes are:
///
/// | plane | set where |
/// | --- | --- |
/// | 0, 1 | there is a stone of one's own, of the opponent's |
/// | 2 | always |
/// | 3 to 6 | there is a stone of one's own whose ren has 1, 2, 3, or more liberties |
/// | 7 to 10 | likewise of the opponent's |
/// | 11 | the ko must not be retaken |
/// | 12 to 16 | the last move was made, the one before, and so on, whether its stone is still there or not |
/// | 17 | a stone would take stones |
/// | 18 | a stone would leave its ren with exactly one liberty |
/// | 19 | no stone can be put: there is one, it is a ko, or it would be suicide |
///
/// The numbers are komi as an advantage of one's own, in 15 points, and 1 for White, 0 for Black.
#[derive(Clone, PartialEq, Debug)]
pub struct Features {
    coordinate: Coordinate,
    /// For each point, its planes as bits.
    points: Vec<u32>,
    scalars: [f32; SCALARS],
}

impl Features {
    /// What a net sees of a board before a move of `color`; `moves` are the moves before, the latest first, `None` for a
    /// pass. Komi is in points for White.
    pub fn new(board: &Board, color: Color, moves: impl Iterator<Item = Option<Point>>, komi: f64) -> Features {
        let coordinate = board.coordinate();
        let points = vec![0; coordinate.board_area()];
        let mut features = Features { coordinate, points, scalars: scalars(color, komi) };
        for point in coordinate.points() {
            let planes = planes(board, color, point);
            features.add(point, planes);
        }
        for (number, point) in moves.take(MOVES).enumerate() {
            if let Some(point) = point {
                features.add(point, 1 << (12 + number));
            }
        }
        features
    }

    fn add(&mut self, point: Point, planes: u32) {
        if let Some(bits) = self.place(point).and_then(|place| self.points.get_mut(place)) {
            *bits |= planes;
        }
    }

    /// Points along the upper side.
    pub fn width(&self) -> usize {
        usize::from(self.coordinate.width())
    }

    /// Points along the left side.
    pub fn height(&self) -> usize {
        usize::from(self.coordinate.height())
    }

    /// Where a point of the board is among [`Features::points`]; `None` for a cell of the frame.
    pub fn place(&self, point: Point) -> Option<usize> {
        place(self.coordinate, point)
    }

    /// The point of the board at a place; `None` where there is none, as at that of a pass.
    pub fn point(&self, place: usize) -> Option<Point> {
        let (x, row) = (place % self.width() + 1, place / self.width());
        let point = self.coordinate.point(x as u8, self.height().checked_sub(row)? as u8)?;
        self.coordinate.contains(point).then_some(point)
    }

    /// For each point the planes that are set, as bits.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// The numbers beside the planes.
    pub fn scalars(&self) -> [f32; SCALARS] {
        self.scalars
    }

    /// For each point of the turned or mirrored board, the place of the point that comes to lie there.
    pub fn sources(&self, symmetry: Symmetry) -> impl Iterator<Item = usize> {
        let (width, height) = (self.width(), self.height());
        (0..width * height).map(move |place| {
            let (x, y) = symmetry.source(place % width, place / width, width, height);
            y * width + x
        })
    }
}

/// Where a point is on a board counted row by row from the top left; `None` for a cell of the frame.
pub fn place(coordinate: Coordinate, point: Point) -> Option<usize> {
    let (x, rank) = coordinate.xy(point);
    let row = usize::from(coordinate.height()).checked_sub(usize::from(rank))?;
    coordinate.contains(point).then(|| row * usize::from(coordinate.width()) + usize::from(x) - 1)
}

fn scalars(color: Color, komi: f64) -> [f32; SCALARS] {
    let is_white = color == Color::White;
    let komi = (if is_white { komi } else { -komi }).clamp(-KOMI_UNIT, KOMI_UNIT);
    [(komi as f32) / KOMI_UNIT as f32, f32::from(u8::from(is_white))]
}

/// The planes of a point, but for the moves before.
fn planes(board: &Board, color: Color, point: Point) -> u32 {
    const ALWAYS: u32 = 1 << 2;
    const CLOSED: u32 = 1 << 19;
    if let Some(owner) = board.stone(point).color() {
        let liberties = board.liberties_up_to(point, &mut [Point::default(); 4]).max(1);
        let (stone, first) = if owner == color { (1, 3) } else { (2, 7) };
        return ALWAYS | CLOSED | stone | 1 << (first + liberties - 1);
    }
    if board.ko().is_some_and(|ko| ko.point == point) {
        return ALWAYS | CLOSED | 1 << 11;
    }
    let prospect = board.prospect(color, point);
    let liberties = if prospect.takes() {
        // what is taken makes room
        let mut next = board.clone();
        next.play_legal(color, point, &mut ());
        next.liberty_count(point)
    } else {
        match prospect.rest() {
            OtherLiberties::None => 0,
            OtherLiberties::One(_) => 1,
            OtherLiberties::More => 2,
        }
    };
    let rest = match liberties {
        0 => CLOSED,
        1 => 1 << 18,
        _ => 0,
    };
    ALWAYS | u32::from(prospect.takes()) << 17 | rest
}

//! The input of a native net: binary planes over the points of the board, and two or three global inputs.

use crate::kernel::{Board, Color, Coordinate, LibertyClass, Point, Scoring};
use crate::net::history::{BoardHistory, HISTORY_MOVES};
use crate::net::komi::Komi;
use crate::net::ladder::{LadderPoints, ladders};
use crate::net::point_planes::PointPlanes;
use crate::net::undo_board::UndoBoard;

/// Number of input planes of a net without ladder planes.
pub const PLANES: usize = 20;

/// Number of input planes of a net with ladder planes.
pub const PLANES_WITH_LADDERS: usize = PLANES + 2;

/// Number of global inputs of a net of the first format.
pub const GLOBALS: usize = 2;

/// Number of global inputs of a net with a score.
pub const SCORE_GLOBALS: usize = GLOBALS + 1;

/// Komi is divided by this number of points and clamped to ±1: in the training games it was at most 15 points.
const KOMI_UNIT: f64 = 15.0;

/// The input of a position, from the perspective of the player to move.
///
/// Points are indexed from the highest rank down, each rank west to east. The planes:
///
/// | plane | set at |
/// | --- | --- |
/// | 0, 1 | stones of the player to move, of the opponent |
/// | 2 | every point |
/// | 3 to 6 | own stones whose ren has 1, 2, 3, 4 or more liberties |
/// | 7 to 10 | opponent's stones, likewise |
/// | 11 | the point that the ko rule forbids |
/// | 12 to 16 | the point of the last move, of the move before it, and so on, even if the stone is gone |
/// | 17 | moves that capture |
/// | 18 | moves that leave their ren with one liberty (self-atari) |
/// | 19 | illegal points: stones, ko, suicide |
/// | 20 | stones that a ladder takes, by the opponent's move if they have two liberties |
/// | 21 | moves that begin to take an opponent's ren of two liberties by a ladder |
///
/// Only nets with ladder planes have the last two, see [`NativeNet::features`](super::NativeNet::features).
///
/// The global inputs: komi from the perspective of the player to move in units of 15 points, clamped to ±1; 1 if White
/// is to move, else 0. For a net with a score komi includes [`Komi::black_minus_white_stones`], and a third input is 1
/// under territory scoring, else 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Features {
    planes: PointPlanes,
    globals: [f32; GLOBALS],
    /// The global inputs of a net with a score.
    score_globals: [f32; SCORE_GLOBALS],
    /// Komi from the perspective of the player to move, in points, such that the margin by area and this komi are the
    /// result under territory scoring, too.
    own_komi: f32,
}

impl Features {
    /// Encodes a board with `color` to move, without ladders. `moves` are the previous moves, newest first, `None` for a
    /// pass.
    pub fn new(
        board: &Board,
        color: Color,
        moves: impl Iterator<Item = Option<Point>>,
        komi: impl Into<Komi>,
    ) -> Features {
        let coordinate = board.coordinate();
        let Komi { compensation, scoring, black_minus_white_stones } = komi.into();
        let own = |komi: f64| if color == Color::White { komi } else { -komi };
        let own_komi = own(compensation + black_minus_white_stones);
        let [komi, is_white] = globals(color, own_komi);
        let mut features = Features {
            planes: PointPlanes::new(coordinate, 0),
            globals: globals(color, own(compensation)),
            score_globals: [komi, is_white, f32::from(u8::from(scoring == Scoring::Territory))],
            own_komi: own_komi as f32,
        };
        for point in coordinate.points() {
            features.planes.add(point, planes(board, color, point));
        }
        for (number, point) in moves.take(HISTORY_MOVES).enumerate() {
            if let Some(point) = point {
                features.planes.add(point, 1 << (12 + number));
            }
        }
        features
    }

    /// The input of the position after a history, for a net with this number of planes.
    pub fn of_history(history: &BoardHistory, planes: usize) -> Features {
        let (board, color) = (history.board(), history.to_move());
        let moves = history.recent_moves().iter().map(|play| play.point());
        Features::new(board, color, moves, history.komi()).with_planes(board, color, planes)
    }

    /// The same with the ladders on the board, if a net with this number of planes reads them.
    pub(super) fn with_planes(self, board: &Board, color: Color, planes: usize) -> Features {
        if planes == PLANES_WITH_LADDERS { self.with_ladders(board, color) } else { self }
    }

    /// The same with the ladders on the board.
    fn with_ladders(mut self, board: &Board, color: Color) -> Features {
        let LadderPoints { captured, working_moves } = ladders(&mut UndoBoard::of(board, color), color.opponent());
        self.planes.add_all(&captured, 1 << PLANES);
        self.planes.add_all(&working_moves, 1 << (PLANES + 1));
        self
    }

    /// The input of an empty board with Black to move, without komi.
    pub(super) fn empty(coordinate: Coordinate) -> Features {
        let board = Board::new(coordinate);
        Features::new(&board, Color::Black, std::iter::empty(), 0.0)
    }

    /// An input with every plane set at every point, and global inputs of 1. No position has it.
    pub(super) fn full(coordinate: Coordinate) -> Features {
        Features {
            planes: PointPlanes::new(coordinate, (1 << PLANES_WITH_LADDERS) - 1),
            globals: [1.0; GLOBALS],
            score_globals: [1.0; SCORE_GLOBALS],
            own_komi: KOMI_UNIT as f32,
        }
    }

    /// The planes.
    pub fn planes(&self) -> &PointPlanes {
        &self.planes
    }

    /// Komi from the perspective of the player to move, in points, not clamped, such that the margin by area and this
    /// komi are the result under territory scoring, too.
    pub fn own_komi(&self) -> f32 {
        self.own_komi
    }

    /// The global inputs of a net of the first format.
    pub fn globals(&self) -> [f32; GLOBALS] {
        self.globals
    }

    /// The global inputs of a net with a score.
    pub fn score_globals(&self) -> [f32; SCORE_GLOBALS] {
        self.score_globals
    }
}

fn globals(color: Color, own_komi: f64) -> [f32; GLOBALS] {
    let komi = own_komi.clamp(-KOMI_UNIT, KOMI_UNIT);
    [(komi as f32) / KOMI_UNIT as f32, f32::from(u8::from(color == Color::White))]
}

/// The planes of a point, without those of previous moves.
fn planes(board: &Board, color: Color, point: Point) -> u32 {
    const ON_BOARD: u32 = 1 << 2;
    const ILLEGAL: u32 = 1 << 19;
    if let Some(owner) = board.stone(point).color() {
        let liberties = board.liberties_up_to(point, &mut [Point::default(); 4]).max(1);
        let (stone, first) = if owner == color { (1, 3) } else { (2, 7) };
        return ON_BOARD | ILLEGAL | stone | 1 << (first + liberties - 1);
    }
    if board.ko().is_some_and(|ko| ko.point == point && ko.color == color) {
        return ON_BOARD | ILLEGAL | 1 << 11;
    }
    let placement = board.placement_info(color, point);
    let liberties = if placement.captures() {
        // captured stones leave liberties
        let mut next = board.clone();
        next.play_legal(color, point, &mut ());
        next.liberty_count(point)
    } else {
        match placement.liberties() {
            LibertyClass::None => 0,
            LibertyClass::One(_) => 1,
            LibertyClass::More => 2,
        }
    };
    let self_atari_or_illegal = match liberties {
        0 => ILLEGAL,
        1 => 1 << 18,
        _ => 0,
    };
    ON_BOARD | u32::from(placement.captures()) << 17 | self_atari_or_illegal
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{parse_diagram, test_boards};

    /// White may play where Black may not retake the ko.
    #[test]
    fn a_ko_is_illegal_for_its_colour_only() {
        let mut board = test_boards::board(&[".xo..", "x.xo.", ".xo..", "....."]);
        let point = |vertex: &str| board.coordinate().parse_vertex(vertex).unwrap();
        let (capture, retake) = (point("B2"), point("C2"));
        board.play(Color::White, capture, &mut ()).unwrap();
        assert_eq!(board.ko().map(|ko| (ko.point, ko.color)), Some((retake, Color::Black)));
        let has_ko = |color: Color| planes(&board, color, retake) & 1 << 11 != 0;
        assert_eq!(Color::BOTH.map(has_ko), [true, false]);
    }

    /// The points at which the two ladder planes are set.
    fn ladder_planes(board: &Board, color: Color) -> [Vec<String>; 2] {
        let features = Features::new(board, color, std::iter::empty(), 0.0).with_ladders(board, color);
        let coordinate = board.coordinate();
        [PLANES, PLANES + 1].map(|plane| {
            let set = features.planes().bits().iter().enumerate().filter(|(_, bits)| *bits >> plane & 1 == 1);
            set.map(|(index, _)| coordinate.vertex(features.planes().point(index).unwrap()).to_string()).collect()
        })
    }

    #[test]
    fn ladder_planes_show_the_stones_and_the_moves() {
        // rank 1 first; after Black E6 the ladder runs to the upper right corner, if @ is empty
        let drawn = "
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . x x . . .
            . . . x o . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . @ .
            . . . . . . . . .
        ";
        let board = parse_diagram(&drawn.replace('@', ".")).unwrap();
        assert_eq!(ladder_planes(&board, Color::Black), [vec!["E5"], vec!["E6"]]);
        // moves are shown against the opponent's stones only
        assert_eq!(ladder_planes(&board, Color::White), [vec!["E5"], vec![]]);
        // a white stone on the way of the ladder breaks it
        let board = parse_diagram(&drawn.replace('@', "o")).unwrap();
        assert_eq!(ladder_planes(&board, Color::Black), [Vec::<String>::new(), vec![]]);
    }
}

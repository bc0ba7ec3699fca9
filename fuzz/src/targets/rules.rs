//! Moves, played and undone by the kernel and the oracle in parallel.

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, KoRule, MAX_SIDE, Position};

use super::Bytes;
use crate::oracle::{self, Oracle, Place};
use crate::oracle_game::OracleGame;
use crate::support::{MAX_MOVES, color_of, draw, point_of, rule, sign, stones_of};

/// Up to this side all verdicts are compared after every move.
const SMALL: usize = 5;

struct Game {
    position: Position,
    oracle: OracleGame,
}

/// A byte for the columns, one for the rows, one for the rules, a set-up if a flag of the rules says so, and two for
/// each move.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let [columns, rows] = [(); 2].map(|()| bytes.take() % MAX_SIDE + 1);
    let flags = bytes.take();
    let mut game = Game::new(Coordinate::new(columns, rows).unwrap(), flags);
    if flags & 32 != 0 {
        game.set_up(&mut bytes);
    }
    while !bytes.is_empty() {
        game.step(bytes.take(), bytes.take());
    }
    game.same_verdicts();
    game.position.assert_consistent();
    while game.undo() {}
    game.position.assert_consistent();
}

impl Game {
    fn new(coordinate: Coordinate, flags: u8) -> Game {
        let (my_eye, suicide) = (flags & 1 != 0, flags & 2 != 0);
        let first = if flags & 4 != 0 { Color::White } else { Color::Black };
        let ko = [KoRule::Simple, KoRule::Simple, KoRule::Positional, KoRule::Situational][usize::from(flags >> 3 & 3)];
        let position = Position::new(coordinate, GameRule { ko, suicide, ..rule(my_eye) }, MAX_MOVES, first);
        let now = Oracle::new(coordinate.width().into(), coordinate.height().into());
        let oracle = OracleGame { now, to_move: sign(first), before: Vec::new(), ko, suicide, my_eye };
        Game { position, oracle }
    }

    fn coordinate(&self) -> Coordinate {
        self.position.board().coordinate()
    }

    /// Four points per byte. The kernel must refuse exactly the set-ups that the oracle does not accept as positions.
    fn set_up(&mut self, bytes: &mut Bytes<'_>) {
        let mut oracle = self.oracle.now.clone();
        for places in oracle.places().chunks(4) {
            let mut byte = bytes.take();
            for &(row, column) in places {
                let cells = [oracle::EMPTY, oracle::BLACK, oracle::WHITE, oracle::EMPTY];
                oracle.cells[row][column] = cells[usize::from(byte & 3)];
                byte >>= 2;
            }
        }
        let answer = self.position.set_up(&stones_of(self.coordinate(), &oracle));
        assert_eq!(answer.is_ok(), oracle.is_position());
        if answer.is_ok() {
            self.oracle.now = oracle;
        }
        self.same();
    }

    /// The first byte selects the action and has the high bits of the point.
    fn step(&mut self, action: u8, place: u8) {
        let turn = color_of(self.oracle.to_move);
        match action & 15 {
            0 => self.play(turn.opponent(), action, place),
            1 => {
                let mut next = self.oracle.now.clone();
                next.pass(sign(turn));
                self.oracle.step(sign(turn), next);
                self.position.pass(turn);
            }
            2 => drop(self.undo()),
            _ => self.play(turn, action, place),
        }
        self.same();
        if self.oracle.now.columns.max(self.oracle.now.rows) <= SMALL {
            self.same_verdicts();
        }
    }

    fn play(&mut self, color: Color, high: u8, low: u8) {
        let places = self.oracle.now.places();
        let place = places[(usize::from(high >> 4) << 8 | usize::from(low)) % places.len()];
        self.same_verdict(color, place);
        if self.position.play(color, point_of(self.coordinate(), place)).is_ok() {
            let next = self.oracle.after(sign(color), place);
            self.oracle.step(sign(color), next);
        }
    }

    /// Undoes a move; false at the start.
    fn undo(&mut self) -> bool {
        let before = self.oracle.before.pop();
        assert_eq!(self.position.undo().is_ok(), before.is_some());
        let Some((now, to_move)) = before else { return false };
        self.oracle.now = now;
        self.oracle.to_move = to_move;
        self.same();
        true
    }

    fn same(&self) {
        let oracle = &self.oracle.now;
        assert_eq!(self.position.board().stones(), stones_of(self.coordinate(), oracle), "\n{}", self.drawn());
        assert_eq!(self.position.to_move(), color_of(self.oracle.to_move));
        assert_eq!(self.position.record().len(), self.oracle.before.len());
        let ko = oracle.ko.map(|(place, color)| (point_of(self.coordinate(), place), color_of(color)));
        assert_eq!(self.position.board().ko().map(|ko| (ko.point, ko.color)), ko, "\n{}", self.drawn());
        assert_eq!(Color::BOTH.map(|color| self.position.prisoners(color)), oracle.taken);
    }

    fn same_verdicts(&self) {
        for place in self.oracle.now.places() {
            for color in Color::BOTH {
                self.same_verdict(color, place);
            }
        }
    }

    fn same_verdict(&self, color: Color, place: Place) {
        let point = point_of(self.coordinate(), place);
        let context = || format!("{color} {} on\n{}", self.coordinate().vertex(point), self.drawn());
        assert_eq!(self.position.check(color, point), self.oracle.verdict(sign(color), place), "{}", context());
    }

    fn drawn(&self) -> String {
        draw(self.position.board())
    }
}

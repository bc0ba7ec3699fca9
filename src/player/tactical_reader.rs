//! Tactical reading of one ren by ladders: whether it can be captured by atari after atari, and the moves that decide it.
//!
//! A ren is caught with the opponent to move if it has one liberty that the opponent may take, or two and an atari that
//! captures in a ladder ([`LadderReader`]). A ren with three liberties or more is not: geta, semeais and life are not read
//! here, so "not caught" means "not by ladders". The moves of the defender are proved by the same reader.

use crate::kernel::{Board, Color, Point};
use crate::playout::tactics::captures::counter_captures;
use crate::playout::tactics::ladder::LadderReader;
use crate::playout::tactics::point_list::PointList;

/// Most captures of neighbours that are tried as a defence.
const MAX_CAPTURES: usize = 32;

/// Reads the tactics of rens on one board.
pub struct TacticalReader<'a> {
    board: &'a Board,
    ladder: LadderReader,
}

/// The defences of a ren's owner against its capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defense {
    /// The ren is not caught, even if its owner plays elsewhere.
    NotNeeded,
    /// This move saves it.
    Move(Point),
    /// None of the moves tried saves it: its liberties and the captures of neighbours.
    None,
}

impl<'a> TacticalReader<'a> {
    /// A reader of this board.
    pub fn new(board: &'a Board) -> TacticalReader<'a> {
        TacticalReader { board, ladder: LadderReader::new() }
    }

    /// The opponent's move that captures the ren at a point, or begins a ladder that does; `None` if there is none, and
    /// for an empty point.
    pub fn attack(&mut self, ren: Point) -> Option<Point> {
        attack(self.board, ren, &mut self.ladder)
    }

    /// The opponent's atari that captures the ren at a point in a ladder; `None` if there is none, or if the ren has not
    /// exactly two liberties.
    pub fn ladder_attack(&mut self, ren: Point) -> Option<Point> {
        if self.board.liberty_count(ren) == 2 { self.attack(ren) } else { None }
    }

    /// The defence of the ren at a point, with the move.
    pub fn defend(&mut self, ren: Point) -> Defense {
        let Some(color) = self.board.stone(ren).color().filter(|_| self.attack(ren).is_some()) else {
            return Defense::NotNeeded;
        };
        let mut captures = PointList::<MAX_CAPTURES>::new();
        counter_captures(self.board, ren, &mut captures);
        let mut liberties = [Point::default(); 2];
        let count = self.board.liberties_up_to(ren, &mut liberties).min(2);
        let moves = captures.as_slice().iter().chain(liberties.iter().take(count));
        match moves.copied().find(|&point| self.does_defend(color, point, ren)) {
            Some(point) => Defense::Move(point),
            None => Defense::None,
        }
    }

    /// Whether the ren at a point is captured or caught after the opponent of its owner, `attacker`, plays a legal
    /// `point`, with its owner to move.
    pub fn does_attack(&mut self, attacker: Color, point: Point, ren: Point) -> bool {
        let mut after = self.board.clone();
        after.play_legal(attacker, point, &mut ());
        match after.stone(ren).color() {
            None => true,
            Some(_) => after.is_atari(ren) && self.ladder.is_captured(&after, ren),
        }
    }

    /// Whether the ren at a point is not caught after its owner, `defender`, plays a legal `point`.
    pub fn does_defend(&mut self, defender: Color, point: Point, ren: Point) -> bool {
        if self.board.check(defender, point).is_err() {
            return false;
        }
        let mut after = self.board.clone();
        after.play_legal(defender, point, &mut ());
        after.stone(ren).color().is_some() && attack(&after, ren, &mut self.ladder).is_none()
    }
}

/// The opponent's move that captures the ren at a point, as [`TacticalReader::attack`].
pub(super) fn attack(board: &Board, ren: Point, ladder: &mut LadderReader) -> Option<Point> {
    let attacker = board.stone(ren).color()?.opponent();
    let mut liberties = [Point::default(); 3];
    let count = board.liberties_up_to(ren, &mut liberties);
    let legal = |point: &&Point| board.check(attacker, **point).is_ok();
    let liberties = liberties.get(..count)?;
    match liberties {
        [last] => Some(last).filter(legal).copied(),
        [_, _] => liberties.iter().filter(legal).find(|&&point| ladder.captures_after(board, ren, point)).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards::board;

    fn name(board: &Board, point: Option<Point>) -> String {
        point.map_or_else(String::new, |point| board.coordinate().vertex(point))
    }

    /// Attack, ladder attack and defence of the ren at a vertex, `-` where none is needed.
    fn read(rows: &[&str], ren: &str) -> [String; 3] {
        let board = board(rows);
        let ren = board.coordinate().parse_vertex(ren).unwrap();
        let mut reading = TacticalReader::new(&board);
        let defense = match reading.defend(ren) {
            Defense::NotNeeded => "-".to_owned(),
            Defense::Move(point) => name(&board, Some(point)),
            Defense::None => String::new(),
        };
        [name(&board, reading.attack(ren)), name(&board, reading.ladder_attack(ren)), defense]
    }

    /// Rank 1 is the first row.
    #[test]
    fn rens_are_caught_by_atari_after_atari() {
        const OPEN: &str = ".........";
        for (rows, ren, expected) in [
            // along the edge there is no way out; with two liberties the extension B1 makes three
            (&["o....", "x....", ".....", ".....", "....."][..], "A1", ["B1", "", ""]),
            (&["o....", ".....", ".....", ".....", "....."], "A1", ["B1", "B1", "B1"]),
            (&[".....", ".....", "..o..", ".....", "....."], "C3", ["", "", "-"]),
            // a ladder from one side only, and the same with a stone that breaks it
            (&["..x......", ".xo......", ".x.......", OPEN, OPEN, OPEN, OPEN], "C2", ["D2", "D2", "D2"]),
            (&["..x......", ".xox.....", ".x.......", OPEN, OPEN, OPEN, OPEN, OPEN, OPEN], "C2", ["C3", "", ""]),
            (
                &["..x......", ".xox.....", ".x.......", OPEN, OPEN, OPEN, "......o..", OPEN, OPEN],
                "C2",
                ["C3", "", "C3"],
            ),
            // Black's stones in the corner are in atari, so that White saves the ren by taking them
            (&["xo.x.", "xox..", ".xo..", ".....", "....."], "B1", ["C1", "", "A3"]),
        ] {
            assert_eq!(read(rows, ren), expected.map(str::to_owned), "{rows:?} {ren}");
        }
    }

    #[test]
    fn moves_that_attack_and_defend() {
        let board = board(&["o....", ".....", ".....", ".....", "....."]);
        let at = |vertex: &str| board.coordinate().parse_vertex(vertex).unwrap();
        let mut reading = TacticalReader::new(&board);
        for (vertex, attacks, defends) in [("B1", true, true), ("A2", true, true), ("C3", false, false)] {
            assert_eq!(reading.does_attack(Color::Black, at(vertex), at("A1")), attacks, "{vertex}");
            assert_eq!(reading.does_defend(Color::White, at(vertex), at("A1")), defends, "{vertex}");
        }
    }

    /// In random positions: a defence leaves no attack, and where none is found no liberty saves the ren.
    #[test]
    fn defences_agree_with_attacks() {
        let mut rng = fastrand::Rng::with_seed(5);
        let (mut moves, mut none) = (0, 0);
        for _ in 0..60 {
            let mut game = Board::new(crate::kernel::Coordinate::square(7).unwrap());
            let mut color = Color::Black;
            for _ in 0..40 {
                let Some(point) = crate::playout::light::choose(&mut game, color, &mut rng) else { break };
                game.play_legal(color, point, &mut ());
                color = color.opponent();
            }
            for ren in game.coordinate().points() {
                let Some(owner) = game.stone(ren).color() else { continue };
                let mut reading = TacticalReader::new(&game);
                let attacked = reading.attack(ren).inspect(|&attack| {
                    assert!(TacticalReader::new(&game).does_attack(owner.opponent(), attack, ren));
                });
                match reading.defend(ren) {
                    Defense::NotNeeded => assert_eq!(attacked, None),
                    Defense::Move(point) => {
                        moves += 1;
                        let mut after = game.clone();
                        after.play_legal(owner, point, &mut ());
                        assert_eq!(TacticalReader::new(&after).attack(ren), None);
                    }
                    Defense::None => {
                        none += 1;
                        for &point in game.empty_points() {
                            let is_beside = game.coordinate().neighbors(point).into_iter().any(|p| {
                                game.stone(p).color() == Some(owner) && game.ren_head(p) == game.ren_head(ren)
                            });
                            assert!(!is_beside || !reading.does_defend(owner, point, ren));
                        }
                    }
                }
            }
        }
        assert!(moves > 50 && none > 50, "{moves} {none}");
    }
}

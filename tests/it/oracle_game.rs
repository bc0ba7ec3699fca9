//! The oracle's rules that need the history of the game: superko and suicide, and undo.

use kifuwarabe_uec14::kernel::{IllegalMove, KoRule};

use crate::oracle::{BLACK, EMPTY, Oracle, Place, Verdict, WHITE};

/// A game: the present board, and all earlier ones with the colour to move.
#[derive(Clone)]
pub struct OracleGame {
    pub now: Oracle,
    pub to_move: i8,
    pub before: Vec<(Oracle, i8)>,
    pub ko: KoRule,
    pub suicide: bool,
    pub my_eye: bool,
}

impl OracleGame {
    /// The board after a play with its captures, including suicide.
    pub fn after(&self, color: i8, place: Place) -> Oracle {
        let mut next = self.now.clone();
        next.play(color, place);
        let own = next.group(place);
        if own.liberties.is_empty() {
            own.places.iter().for_each(|&(row, column)| next.cells[row][column] = EMPTY);
            next.taken[usize::from(color == BLACK)] += own.places.len() as u32;
            next.ko = None;
        }
        next
    }

    pub fn verdict(&self, color: i8, place: Place) -> Result<(), IllegalMove> {
        let has_moved = self.now.moved[usize::from(color == WHITE)];
        let is_simple = self.ko == KoRule::Simple;
        match self.now.verdict(color, place, is_simple && has_moved, self.my_eye) {
            Verdict::Legal => {}
            Verdict::Suicide if self.suicide => {}
            Verdict::Masonry => return Err(IllegalMove::Masonry),
            Verdict::Ko => return Err(IllegalMove::Ko),
            Verdict::OpponentEye => return Err(IllegalMove::OpponentEye),
            Verdict::Suicide => return Err(IllegalMove::Suicide),
            Verdict::MyEye => return Err(IllegalMove::MyEye),
        }
        let next = self.after(color, place);
        let repeats = self
            .before
            .iter()
            .any(|(board, to_move)| board.cells == next.cells && (self.ko == KoRule::Positional || *to_move == -color));
        if !is_simple && repeats { Err(IllegalMove::Superko) } else { Ok(()) }
    }

    pub fn step(&mut self, color: i8, next: Oracle) {
        self.before.push((std::mem::replace(&mut self.now, next), self.to_move));
        self.to_move = -color;
    }
}

//! The main line of a game as a value, without its text.

use std::collections::BTreeMap;

use crate::kernel::{Color, Coordinate, Move, Point, Stone};
use crate::sgf::value;

/// The main line of a game record.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// `SZ`: the size of the board; 19x19 if absent.
    pub coordinate: Coordinate,
    /// `KM`: komi, in points for White.
    pub komi: Option<f64>,
    /// `KM` as written, if none of its values could be parsed as komi.
    pub unclear_komi: Option<String>,
    /// `HA`: the number of handicap stones; the stones themselves are in `setup`.
    pub handicap: Option<usize>,
    /// `RU`: the name of the rules, as written.
    pub rules: Option<String>,
    /// `RE`: the result, as written.
    pub result: Option<String>,
    /// `PB`: the name of the player of Black.
    pub black: Option<String>,
    /// `PW`: the name of the player of White.
    pub white: Option<String>,
    /// `DT`: the date of the game, as written.
    pub date: Option<String>,
    /// `TM`: the main time of each player in seconds, as written.
    pub time_limit: Option<String>,
    /// `OT`: the overtime, as written.
    pub overtime: Option<String>,
    /// `GN`: the name of the game.
    pub name: Option<String>,
    /// The other properties of the game as a whole, by identifier: `AN`, `BR`, `BT`, `CP`, `EV`, `ON`, `PC`, `RO`, `SO`,
    /// `US`, `WR` and `WT`.
    pub game_info: BTreeMap<&'static str, String>,
    /// `PL` before the first turn: the player who moves first.
    pub to_play: Option<Color>,
    /// The stones on the board before the first turn, row by row from A1, each point once.
    pub setup: Vec<(Point, Stone)>,
    /// The turns in order. The first one is a move when read.
    pub turns: Vec<Turn>,
    /// `C`: comments by the index of their turn. Written, but not read.
    pub comments: BTreeMap<usize, String>,
}

/// One step of a game after its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    /// `B` or `W`: a move. The players need not alternate.
    Move(Color, Move),
    /// `AB`, `AW` and `AE` of one node: the new content of these points, row by row from A1, each point once. An empty
    /// point is [`Stone::Space`]. Never an empty list when read.
    Setup(Vec<(Point, Stone)>),
    /// `PL`: the player who moves next.
    ToPlay(Color),
}

impl GameRecord {
    /// A record of an empty board with all other fields absent.
    pub fn new(coordinate: Coordinate) -> GameRecord {
        GameRecord {
            coordinate,
            komi: None,
            unclear_komi: None,
            handicap: None,
            rules: None,
            result: None,
            black: None,
            white: None,
            date: None,
            time_limit: None,
            overtime: None,
            name: None,
            game_info: BTreeMap::new(),
            to_play: None,
            setup: Vec::new(),
            turns: Vec::new(),
            comments: BTreeMap::new(),
        }
    }

    /// Whether the record sets up the handicap stones that `HA` declares, and nothing else. `HA[0]` declares none.
    pub(super) fn has_declared_handicap(&self) -> bool {
        let is_black = |&(_, stone): &(Point, Stone)| stone == Stone::Black;
        self.handicap
            .is_some_and(|number| number == 0 || (number == self.setup.len() && self.setup.iter().all(is_black)))
    }

    /// The result, unless it is empty or one of SGF's words for none, `?` and `Void`.
    pub fn known_result(&self) -> Option<&str> {
        let result = self.result.as_deref()?;
        let is_none = ["", "?", "void"].iter().any(|none| result.trim().eq_ignore_ascii_case(none));
        (!is_none).then_some(result)
    }

    /// The [`counted_margin`] of the result; `None` without a result, too.
    pub fn counted_margin(&self) -> Option<f64> {
        counted_margin(self.result.as_deref()?)
    }

    /// The winner of a result without a number of points: `B+`, or by resignation, on time or by forfeit, as `w+R`,
    /// `W+Time` and `B+Forfeit`.
    pub fn winner_without_margin(&self) -> Option<Color> {
        let (winner, reason) = winner(self.result.as_deref()?)?;
        let is_known = matches!(reason.as_str(), "" | "r" | "resign" | "resignation" | "t" | "time" | "f" | "forfeit");
        is_known.then_some(winner)
    }
}

/// Black's points less White's as a result says, such as `B+3.5`, `w+12`, `White+0.5 points`, `B+2½`, `0` or `Draw`; `None`
/// for one without a number of points, such as `B+R` or `B+`, and with another fraction than a half.
pub fn counted_margin(result: &str) -> Option<f64> {
    if ["0", "draw", "jigo"].iter().any(|draw| result.trim().eq_ignore_ascii_case(draw)) {
        return Some(0.0);
    }
    let (winner, points) = winner(result)?;
    let points = points.replace(',', ".");
    let end = points.find(|character: char| !character.is_ascii_digit() && character != '.');
    let (number, rest) = points.split_at_checked(end.unwrap_or(points.len()))?;
    let is_half = ["1/2", "½", "半目"].iter().any(|half| points.starts_with(half));
    let points = if is_half { 0.5 } else { number.parse::<f64>().ok()? + value::half_in(rest)? };
    let margin = if winner == Color::Black { points } else { -points };
    margin.is_finite().then_some(margin)
}

/// The result of a game that a player has lost by resignation, `R`, or on time, `T`: such as `W+R`.
pub(crate) fn result_of_loss(loser: Color, how: char) -> String {
    format!("{}+{how}", loser.opponent().letter())
}

/// The winner of a result, and what follows the `+`, trimmed and in lower case.
fn winner(result: &str) -> Option<(Color, String)> {
    let result = result.trim().to_ascii_lowercase();
    let (winner, rest) = result.split_once('+')?;
    let color = match winner.trim_end() {
        "b" | "black" => Color::Black,
        "w" | "white" => Color::White,
        _ => return None,
    };
    Some((color, rest.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_counted_results_have_a_margin() {
        let margin = |result: &str| {
            let record = crate::sgf::read(format!("(;SZ[9]RE[{result}])").as_bytes()).unwrap();
            record.counted_margin()
        };
        let decimals = [("B+3.5", 3.5), ("W+6,5", -6.5), (" w+12 ", -12.0), ("B+0.0", 0.0)];
        let draws = [("0", 0.0), ("Draw", 0.0), ("jigo", 0.0)];
        let words = [("W+ 0.5", -0.5), ("White+0.5", -0.5), ("W+0.5 points", -0.5), ("black + 3.5moku", 3.5)];
        let halves =
            [("B+2½", 2.5), ("W+5 1/2", -5.5), ("W+1/2", -0.5), ("B+½", 0.5), ("B+2目半", 2.5), ("W+半目", -0.5)];
        for (result, expected) in decimals.into_iter().chain(draws).chain(words).chain(halves) {
            assert_eq!(margin(result), Some(expected), "{result}");
        }
        for result in
            ["", "B+R", "W+Resign", "B+Time", "Void", "?", "B+", "B+inf", "W+nan", "X+3", "B+-3", "B+1.2.3", "B+1 1/4"]
        {
            assert_eq!(margin(result), None, "{result}");
        }
    }

    #[test]
    fn results_without_points_have_a_winner() {
        let winner = |result: &str| {
            let record = crate::sgf::read(format!("(;SZ[9]RE[{result}])").as_bytes()).unwrap();
            record.winner_without_margin()
        };
        for result in ["B+", " b+r ", "B+ Resign", "B+T", "B+Time", "B+F", "B+Forfeit"] {
            assert_eq!(winner(result), Some(Color::Black), "{result}");
            assert_eq!(winner(&result.replace(['B', 'b'], "W")), Some(Color::White), "{result}");
        }
        for result in ["", "0", "Draw", "Void", "?", "B+3.5", "B+inf", "X+", "B", "+"] {
            assert_eq!(winner(result), None, "{result}");
        }
    }
}

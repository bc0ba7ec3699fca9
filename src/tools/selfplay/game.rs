//! One game of the engine against itself, from its first move to the line that is written of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use fastrand::Rng;

use crate::io::hash::GOLDEN_GAMMA;
use crate::kernel::{Color, Coordinate, Move, Point, PointSet, Position, areas};
use crate::net::Net;
use crate::player::level::STRONGEST;
use crate::player::{Choice, GenmoveMode, Options, Player, Query, final_score};
use crate::search::{Limits, ProgressSink, SearchResult, StopSignal};
use crate::tools::selfplay::check;
use crate::tools::selfplay::file::{Agreed, Line};

/// One move for so many points of the board is drawn from those that the search tried: the opening.
const OPENING: usize = 12;

/// A game that goes on for so many moves a point, as simple ko allows, is scored as it stands.
const LONGEST: usize = 3;

/// What the games of a run have in common.
pub(super) struct Table<'a> {
    /// Where every game starts, without a move.
    pub(super) start: &'a Position,
    pub(super) options: &'a Options,
    pub(super) net: Option<Arc<Net>>,
    pub(super) agreed: Agreed,
    /// Whether everything is checked after every move.
    pub(super) is_checked: bool,
}

impl Table<'_> {
    /// Plays the game of this number to its end.
    ///
    /// # Errors
    /// What disagrees, with the moves that led to it.
    pub(super) fn play(&self, number: u64) -> anyhow::Result<Line> {
        let mut game = Game { position: self.start.clone(), visits: Vec::new() };
        let mut rng = Rng::with_seed(self.agreed.seed.wrapping_add((number + 1).wrapping_mul(GOLDEN_GAMMA)));
        // a fault of the engine ends this game and says with which moves
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            game.play(self, &mut rng)?;
            game.line(self, number)
        }));
        let fault = match outcome {
            Ok(Ok(line)) => return Ok(line),
            Ok(Err(fault)) => fault,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
            }
        };
        Err(anyhow::anyhow!("game {number}: {fault}, after the moves: {}", game.moves()))
    }

    /// A player of one game. Both sides are the same player: what it found about a move it knows when it answers it. It
    /// plays as well as it can, for a weaker level would search less than was asked for.
    fn player(&self, rng: &mut Rng) -> Player {
        let seed = rng.u64(1..);
        let mut player = Player::new(Options { threads: 1, seed, resign: false, level: STRONGEST, ..*self.options });
        player.net = self.net.clone();
        player
    }
}

/// A game as far as it has been played.
struct Game {
    position: Position,
    /// For each move, the moves that the search tried, by their places, with their visits.
    visits: Vec<Vec<(usize, u32)>>,
}

impl Game {
    fn play(&mut self, table: &Table<'_>, rng: &mut Rng) -> Result<(), String> {
        let mut player = table.player(rng);
        let area = self.position.board().coordinate().board_area();
        while !self.position.is_over() && self.position.record().len() < LONGEST * area {
            let color = self.position.to_move();
            let query = Query {
                position: &self.position,
                color,
                limits: Limits::playouts(table.agreed.playouts),
                restrictions: None,
                stop_signal: &StopSignal::default(),
            };
            let (choice, result) = player.choose(&query, GenmoveMode::Game, ProgressSink::default());
            let Choice::Move(chosen) = choice else { return Err("given up".to_owned()) };
            if table.is_checked {
                check::result(&self.position, color, &result)?;
            }
            self.visits.push(tried(&result, self.position.board().coordinate()));
            let is_opening = self.position.record().len() < area / OPENING;
            let drawn = if is_opening && chosen != Move::Pass { drawn(&result, &self.position, rng) } else { None };
            self.make(color, drawn.unwrap_or(chosen), table.is_checked)?;
        }
        Ok(())
    }

    fn make(&mut self, color: Color, play: Move, is_checked: bool) -> Result<(), String> {
        let before = is_checked.then(|| self.position.clone());
        match play {
            Move::Pass => self.position.pass(color),
            Move::Play(point) => self.position.play(color, point).map_err(|reason| {
                let vertex = play.vertex(self.position.board().coordinate());
                format!("the engine chose {color} {vertex}: {reason}")
            })?,
        }
        before.map_or(Ok(()), |before| check::position(&self.position, &before))
    }

    /// What is written of a game that has ended.
    fn line(&mut self, table: &Table<'_>, number: u64) -> Result<Line, String> {
        let position = &self.position;
        let coordinate = position.board().coordinate();
        let settled = final_score(position);
        let areas = areas(position.board(), &settled.status.dead);
        if table.is_checked {
            check::ending(position, &settled, &areas)?;
        }
        let margin = settled.score.margin();
        let items = position.record().items();
        Ok(Line {
            game: number,
            agreed: table.agreed.clone(),
            winner: match margin {
                _ if margin > 0.0 => 'B',
                _ if margin < 0.0 => 'W',
                _ => '0',
            },
            margin,
            moves: items.iter().map(|item| letters(item.color, item.play, coordinate)).collect(),
            visits: std::mem::take(&mut self.visits),
            ownership: coordinate.points_from_last_rank().map(|point| owner(&areas, point)).collect(),
        })
    }

    /// The moves made, as `eval --moves` takes them.
    fn moves(&self) -> String {
        let coordinate = self.position.board().coordinate();
        let letter = |color| if color == Color::Black { 'B' } else { 'W' };
        let items = self.position.record().items().iter();
        let words: Vec<String> =
            items.map(|item| format!("{} {}", letter(item.color), item.play.vertex(coordinate))).collect();
        words.join(" ")
    }
}

/// A move of those that the search tried, each as likely as it has visits; passes are left out.
fn drawn(result: &SearchResult, position: &Position, rng: &mut Rng) -> Option<Move> {
    let color = position.to_move();
    let is_open = |play: Move| matches!(play, Move::Play(point) if position.check(color, point).is_ok());
    let open = || result.candidates.iter().filter(|candidate| is_open(candidate.play));
    let mut left = rng.u64(..open().map(|candidate| u64::from(candidate.visits)).sum::<u64>().max(1));
    let chosen = open().find(|candidate| {
        let is_here = left < u64::from(candidate.visits);
        left = left.saturating_sub(u64::from(candidate.visits));
        is_here
    });
    chosen.map(|candidate| candidate.play)
}

/// The places of the moves that a search tried, with their visits.
fn tried(result: &SearchResult, coordinate: Coordinate) -> Vec<(usize, u32)> {
    let tried = result.candidates.iter().filter(|candidate| candidate.visits > 0);
    tried.map(|candidate| (place(candidate.play, coordinate), candidate.visits)).collect()
}

/// Places are counted row by row from the top left; a pass comes after the last one.
fn place(play: Move, coordinate: Coordinate) -> usize {
    match play {
        Move::Pass => coordinate.board_area(),
        Move::Play(point) => {
            let (x, rank) = coordinate.xy(point);
            usize::from(coordinate.height() - rank) * usize::from(coordinate.width()) + usize::from(x) - 1
        }
    }
}

/// A move as tables of records have it: `Bpd`, a pass `B..`.
fn letters(color: Color, play: Move, coordinate: Coordinate) -> String {
    let color = if color == Color::Black { 'B' } else { 'W' };
    let letter = |number: u8| char::from(b'a' + number);
    match play {
        Move::Pass => format!("{color}.."),
        Move::Play(point) => {
            let (x, rank) = coordinate.xy(point);
            format!("{color}{}{}", letter(x - 1), letter(coordinate.height() - rank))
        }
    }
}

fn owner([black, white]: &[PointSet; 2], point: Point) -> i8 {
    i8::from(black.contains(point)) - i8::from(white.contains(point))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::GameRule;
    use crate::search::search_result_of;

    fn start(size: u8) -> Position {
        Position::new(Coordinate::square(size).unwrap(), GameRule::with_komi(0.5), 0, Color::Black)
    }

    #[test]
    fn moves_are_drawn_as_often_as_they_were_tried() {
        let position = start(5);
        let mut result = search_result_of(&position, 10);
        let coordinate = position.board().coordinate();
        let plays = ["A1", "B2", "C3"].map(|vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap()));
        result.candidates.truncate(4);
        for (candidate, (play, visits)) in
            result.candidates.iter_mut().zip(plays.into_iter().chain([Move::Pass]).zip([60, 0, 40, 500]))
        {
            (candidate.play, candidate.visits) = (play, visits);
        }
        let mut rng = Rng::with_seed(1);
        let mut counts = [0; 3];
        for _ in 0..1000 {
            let play = drawn(&result, &position, &mut rng).unwrap();
            counts[plays.iter().position(|&p| p == play).unwrap()] += 1;
        }
        assert!(counts[1] == 0 && (550..650).contains(&counts[0]), "{counts:?}");
        result.candidates.retain(|candidate| candidate.play == Move::Pass);
        assert_eq!(drawn(&result, &position, &mut rng), None);
    }

    #[test]
    fn places_and_letters_are_those_of_records() {
        let coordinate = Coordinate::square(9).unwrap();
        let at = |vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap());
        for (play, index, text) in
            [(at("A9"), 0, "Waa"), (at("J9"), 8, "Wia"), (at("A1"), 72, "Wai"), (Move::Pass, 81, "W..")]
        {
            assert_eq!((place(play, coordinate), letters(Color::White, play, coordinate).as_str()), (index, text));
        }
    }

    #[test]
    fn a_fault_is_told_with_the_moves_that_led_to_it() {
        let mut position = start(5);
        position.play(Color::Black, position.board().coordinate().parse_vertex("C3").unwrap()).unwrap();
        position.pass(Color::White);
        let mut game = Game { position, visits: Vec::new() };
        let taken = Move::Play(game.position.board().coordinate().parse_vertex("C3").unwrap());
        assert_eq!(game.make(Color::Black, taken, true), Err("the engine chose black C3: masonry".to_owned()));
        assert_eq!(game.moves(), "B C3 W pass");
    }
}

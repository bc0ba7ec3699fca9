//! How a game looks: the board as text, and beside it what the stones do not show.

use std::env;
use std::fmt::Write;

use anstyle::{Ansi256Color, Color as Paint, Reset, Style};

use crate::kernel::coordinate::file_letter;
use crate::kernel::handicap::star_points;
use crate::kernel::{Color, Move, Point};
use crate::terminal::play::Game;

/// Colours of the terminal, by their numbers among 256.
const WOOD: u8 = 179;
const LINES: u8 = 94;
const BLACK: u8 = 16;
const WHITE: u8 = 231;
const MARK: u8 = 160;

/// So many stones taken are named; more have no room beside a large board.
const NAMED: usize = 4;

/// Puts the cursor home and clears the screen.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// How the board is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// Whether somebody types at a terminal and looks at one: then the screen is cleared for each board.
    pub is_interactive: bool,
    /// Whether stones are coloured.
    pub has_colors: bool,
    /// Whether stones are discs; otherwise they are X and O.
    pub has_discs: bool,
}

impl Look {
    /// What suits this process's terminal.
    pub fn of_terminal() -> Look {
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let is_dumb = set("TERM").is_some_and(|term| term == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| set(name)).unwrap_or_default();
        Look {
            is_interactive: !is_dumb,
            has_colors: !is_dumb && set("NO_COLOR").is_none(),
            has_discs: !is_dumb && has_narrow_discs(&locale),
        }
    }
}

/// Whether terminals of this locale have discs, and one column wide: where Chinese, Japanese or Korean is written they
/// may take two.
fn has_narrow_discs(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    let is_unicode = locale.contains("utf-8") || locale.contains("utf8");
    is_unicode && !["ja", "ko", "zh"].iter().any(|language| locale.starts_with(language))
}

/// The board with the last move and what it took, and beside it who plays what, prisoners and whose turn it is.
pub(super) fn draw(game: &Game, look: &Look) -> String {
    let mut text = if look.is_interactive { CLEAR.to_owned() } else { "\n".to_owned() };
    let board = board_rows(game, look);
    let width = 2 * usize::from(game.coordinate().width()) + 6;
    let beside = facts(game, look);
    for number in 0..board.len().max(beside.len()) {
        let row = board.get(number).cloned().unwrap_or_else(|| " ".repeat(width));
        let fact = beside.get(number).map(String::as_str).unwrap_or_default();
        // writing to a String cannot fail, here and below
        let _ = writeln!(text, "{}", format!("{row}  {fact}").trim_end());
    }
    text
}

/// What the stones do not show.
fn facts(game: &Game, look: &Look) -> Vec<String> {
    let position = game.position();
    let coordinate = game.coordinate();
    let mut facts = Vec::new();
    for color in Color::BOTH {
        let player = if color == game.person() { "you" } else { "engine" };
        let taken = position.prisoners(color);
        let stone = painted(symbol(color, look), ink(color), look);
        facts.push(format!("{stone} {:<5}  {player:<6}  {taken} taken", color.to_string()));
    }
    let rule = position.rule();
    facts.push(format!("{} rules, komi {}", rule.name().unwrap_or("other"), rule.komi));
    facts.push(String::new());
    if let Some(last) = position.record().items().last() {
        let number = position.record().len();
        facts.push(format!("move {number}: {} {}", last.color, last.play.vertex(coordinate)));
        match last.captured.len() {
            0 => {}
            1..=NAMED => facts.push(format!("took {} (*)", coordinate.vertices(&last.captured))),
            count => facts.push(format!("took {count} stones (*)")),
        }
    }
    if let Some(ko) = position.banned_ko() {
        facts.push(format!("ko: {} not at {}", ko.color, coordinate.vertex(ko.point)));
    }
    facts.push(match position.to_move() {
        _ if game.is_over() => "the game is over".to_owned(),
        color if color == game.person() => format!("{color} to move: you"),
        color => format!("{color} to move: the engine"),
    });
    facts
}

const fn ink(color: Color) -> u8 {
    match color {
        Color::Black => BLACK,
        Color::White => WHITE,
    }
}

/// A piece of the board in an ink on wood, where there are colours.
fn painted(symbol: &str, ink: u8, look: &Look) -> String {
    if !look.has_colors {
        return symbol.to_owned();
    }
    let color = |number: u8| Some(Paint::from(Ansi256Color(number)));
    let style = Style::new().bold().fg_color(color(ink)).bg_color(color(WOOD));
    format!("{style}{symbol}{Reset}")
}

fn symbol(color: Color, look: &Look) -> &'static str {
    // in no colour of its own, a terminal's ink may be light or dark: a filled disc could be either
    match (color, look.has_discs && look.has_colors) {
        (Color::Black, false) => "X",
        (Color::White, false) => "O",
        (_, true) => "●",
    }
}

/// The rows of the drawn board, rank 1 lowest, files and ranks on all sides; each as wide as the others.
fn board_rows(game: &Game, look: &Look) -> Vec<String> {
    let coordinate = game.coordinate();
    let files: String =
        (0..usize::from(coordinate.width())).filter_map(file_letter).flat_map(|file| [' ', file]).collect();
    let edge = format!("  {files}    ");
    let stars = star_points(coordinate);
    let mut rows = vec![edge.clone()];
    for y in (1..=coordinate.height()).rev() {
        let mut row = Row::new(look);
        for x in 1..=coordinate.width() {
            if let Some(point) = coordinate.point(x, y) {
                row.add(game, point, &stars);
            }
        }
        rows.push(format!("{y:>2}{}{y:<2} ", row.finish()));
    }
    rows.push(edge);
    rows
}

/// A row of the board while it is drawn.
struct Row<'a> {
    look: &'a Look,
    text: String,
    /// Whether the last point drawn is that of the last move.
    is_marked: bool,
}

impl Row<'_> {
    fn new(look: &Look) -> Row<'_> {
        Row { look, text: String::new(), is_marked: false }
    }

    fn add(&mut self, game: &Game, point: Point, stars: &[Point]) {
        let last = game.position().record().items().last();
        let is_last = last.is_some_and(|item| item.play == Move::Play(point));
        self.gap(is_last);
        self.is_marked = is_last;
        match game.position().board().stone(point).color() {
            Some(color) => self.paint(symbol(color, self.look), ink(color)),
            None if game.taken().contains(&point) => self.paint("*", MARK),
            None if stars.contains(&point) => self.paint("+", LINES),
            None => self.paint(if self.look.has_discs { "·" } else { "." }, LINES),
        }
    }

    /// What stands between two points: brackets around the last move.
    fn gap(&mut self, is_next_marked: bool) {
        let gap = match (self.is_marked, is_next_marked) {
            (true, _) => ")",
            (false, true) => "(",
            (false, false) => " ",
        };
        self.paint(gap, MARK);
    }

    fn finish(mut self) -> String {
        self.gap(false);
        self.text
    }

    fn paint(&mut self, symbol: &str, ink: u8) {
        self.text.push_str(&painted(symbol, ink, self.look));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, Position, played};
    use crate::player::Options;

    fn game(side: u8, moves: &str) -> Game {
        let coordinate = Coordinate::square(side).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black);
        Game::new(played(position, moves), Color::Black, Options::default(), None)
    }

    #[test]
    fn the_last_move_and_what_it_took_are_marked() {
        let text = draw(&game(5, "A2 A1 B1"), &Look::default());
        let expected = "
   A B C D E      X black  you     1 taken
 5 . . . . . 5    O white  engine  0 taken
 4 . . . . . 4    chinese rules, komi 6.5
 3 . . . . . 3
 2 X . . . . 2    move 3: black B1
 1 *(X). . . 1    took A1 (*)
   A B C D E      white to move: the engine
";
        assert_eq!(text, expected);
    }

    #[test]
    fn many_stones_taken_are_counted() {
        let facts = |moves: &str| facts(&game(5, moves), &Look::default()).join("\n");
        assert!(facts("A2 A1 B2 B1 C2 C1 D2 D1 E1").contains("took A1 B1 C1 D1 (*)"));
        assert!(facts("A3 A1 B2 B1 C2 C1 D2 D1 E5 A2 E1").contains("took 5 stones (*)"));
    }

    #[test]
    fn what_does_not_fit_beside_a_small_board_stands_below_it() {
        let text = draw(&game(2, "A1 pass"), &Look::default());
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(text.ends_with("\n            black to move: you\n"), "{text:?}");
    }

    #[test]
    fn every_row_is_as_wide_as_the_others_whatever_it_is_painted_with() {
        for has_colors in [false, true] {
            for has_discs in [false, true] {
                let look = Look { is_interactive: true, has_colors, has_discs };
                for side in [2, 9, 10, 19, 25] {
                    let rows = board_rows(&game(side, "A1 B2"), &look);
                    let widths: Vec<usize> = rows.iter().map(|row| width(row)).collect();
                    assert!(widths.iter().all(|&width| width == 2 * usize::from(side) + 6), "{widths:?}");
                }
                let text = draw(&game(9, "A1"), &look);
                assert!(text.starts_with(CLEAR));
                assert_eq!(text.matches('\u{1b}').count() > 2, has_colors);
                assert_eq!(text.contains('·'), has_discs);
                assert_eq!(text.contains('●'), has_discs && has_colors);
            }
        }
    }

    /// Columns that a text takes, escape codes left out.
    fn width(text: &str) -> usize {
        let mut parts = text.split('\u{1b}');
        let plain = parts.next().unwrap().chars().count();
        plain + parts.map(|part| part.split_once('m').unwrap().1.chars().count()).sum::<usize>()
    }

    #[test]
    fn discs_where_they_are_one_column_wide() {
        for (locale, expected) in [
            ("de_DE.UTF-8", true),
            ("C.utf8", true),
            ("ja_JP.UTF-8", false),
            ("zh_TW.UTF-8", false),
            ("C", false),
            ("", false),
        ] {
            assert_eq!(has_narrow_discs(locale), expected, "{locale}");
        }
    }
}

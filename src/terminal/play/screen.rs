//! The board as text with the last move and its captures marked, and a side panel: players, prisoners, rules, turn.

use std::env;
use std::fmt::Write;

use anstyle::{Ansi256Color, Color as Paint, Reset, Style};

use crate::kernel::coordinate::file_letter;
use crate::kernel::handicap::star_points;
use crate::kernel::{Color, Move, Point};
use crate::terminal::play::game::TerminalGame;

/// Colour numbers of a 256-colour terminal.
const WOOD: u8 = 179;
const LINES: u8 = 94;
const BLACK: u8 = 16;
const WHITE: u8 = 231;
const MARK: u8 = 160;

/// Maximum number of captured stones listed by vertex. More are counted, because the panel is narrow beside a large
/// board.
const MAX_LISTED_CAPTURES: usize = 4;

/// Moves the cursor home and clears the screen.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// How the board is drawn. The default is plain ASCII, for a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BoardStyle {
    /// Whether a person types and reads at a terminal: clears the screen before each board and shows spinners.
    pub(super) is_interactive: bool,
    /// Whether stones and board are coloured.
    pub(super) has_colors: bool,
    /// Whether stones are discs; otherwise they are X and O.
    pub(super) has_discs: bool,
}

impl BoardStyle {
    /// The style for this process's terminal, from `TERM`, `NO_COLOR` and the locale variables.
    pub(crate) fn of_terminal() -> BoardStyle {
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let is_dumb = set("TERM").is_some_and(|term| term == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| set(name)).unwrap_or_default();
        BoardStyle {
            is_interactive: !is_dumb,
            has_colors: !is_dumb && set("NO_COLOR").is_none(),
            has_discs: !is_dumb && has_narrow_discs(&locale),
        }
    }
}

/// Whether terminals of this locale show discs one column wide: it must be UTF-8, and not Chinese, Japanese or Korean,
/// where "ambiguous width" characters may take two columns.
fn has_narrow_discs(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    let is_unicode = locale.contains("utf-8") || locale.contains("utf8");
    is_unicode && !["ja", "ko", "zh"].iter().any(|language| locale.starts_with(language))
}

/// The board with the panel beside it, after a clear-screen sequence or an empty line.
pub(super) fn draw(game: &TerminalGame, style: BoardStyle) -> String {
    let mut text = if style.is_interactive { CLEAR.to_owned() } else { "\n".to_owned() };
    let board = board_rows(game, style);
    let width = 2 * usize::from(game.coordinate().width()) + 6;
    let panel = panel(game, style);
    for number in 0..board.len().max(panel.len()) {
        let row = board.get(number).cloned().unwrap_or_else(|| " ".repeat(width));
        let beside = panel.get(number).map(String::as_str).unwrap_or_default();
        // writing to a String cannot fail
        let _ = writeln!(text, "{}", format!("{row}  {beside}").trim_end());
    }
    text
}

/// The lines beside the board.
fn panel(game: &TerminalGame, style: BoardStyle) -> Vec<String> {
    let position = game.position();
    let coordinate = game.coordinate();
    let mut lines = Vec::new();
    for color in Color::BOTH {
        let player = if color == game.person() { "you" } else { "engine" };
        let prisoners = position.prisoners(color);
        let stone = painted(symbol(color, style), color_number(color), style);
        lines.push(format!("{stone} {:<5}  {player:<6}  {prisoners} taken", color.to_string()));
    }
    let rule = position.rule();
    lines.push(format!("{} rules, komi {}", rule.name().unwrap_or("other"), rule.komi));
    lines.push(String::new());
    if let Some(last) = position.record().items().last() {
        let number = position.record().len();
        lines.push(format!("move {number}: {} {}", last.color, last.play.vertex(coordinate)));
        match last.captured.len() {
            0 => {}
            1..=MAX_LISTED_CAPTURES => lines.push(format!("took {} (*)", coordinate.vertices(&last.captured))),
            count => lines.push(format!("took {count} stones (*)")),
        }
    }
    if let Some(ko) = position.banned_ko() {
        lines.push(format!("ko: {} not at {}", ko.color, coordinate.vertex(ko.point)));
    }
    lines.push(match position.to_move() {
        _ if game.is_over() => "the game is over".to_owned(),
        color if color == game.person() => format!("{color} to move: you"),
        color => format!("{color} to move: the engine"),
    });
    lines
}

const fn color_number(color: Color) -> u8 {
    match color {
        Color::Black => BLACK,
        Color::White => WHITE,
    }
}

/// A text of the board in a colour on the board's background; unchanged if the style has no colours.
fn painted(symbol: &str, color: u8, style: BoardStyle) -> String {
    if !style.has_colors {
        return symbol.to_owned();
    }
    let ansi = |number: u8| Some(Paint::from(Ansi256Color(number)));
    let style = Style::new().bold().fg_color(ansi(color)).bg_color(ansi(WOOD));
    format!("{style}{symbol}{Reset}")
}

fn symbol(color: Color, style: BoardStyle) -> &'static str {
    // without colours a filled disc could be either player's, because terminals have light or dark text
    match (color, style.has_discs && style.has_colors) {
        (Color::Black, false) => "X",
        (Color::White, false) => "O",
        (_, true) => "●",
    }
}

/// The rows of the drawn board, all of the same width: rank 1 at the bottom, files and ranks on all sides.
fn board_rows(game: &TerminalGame, style: BoardStyle) -> Vec<String> {
    let coordinate = game.coordinate();
    let files: String =
        (0..usize::from(coordinate.width())).filter_map(file_letter).flat_map(|file| [' ', file]).collect();
    let edge = format!("  {files}    ");
    let stars = star_points(coordinate);
    let mut rows = vec![edge.clone()];
    for y in (1..=coordinate.height()).rev() {
        let mut row = Row::new(style);
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

/// A row of the board under construction.
struct Row {
    style: BoardStyle,
    text: String,
    /// Whether the point drawn last is the last move's.
    after_last_move: bool,
}

impl Row {
    fn new(style: BoardStyle) -> Row {
        Row { style, text: String::new(), after_last_move: false }
    }

    fn add(&mut self, game: &TerminalGame, point: Point, stars: &[Point]) {
        let last = game.position().record().items().last();
        let is_last = last.is_some_and(|item| item.play == Move::Play(point));
        self.gap(is_last);
        self.after_last_move = is_last;
        match game.position().board().stone(point).color() {
            Some(color) => self.paint(symbol(color, self.style), color_number(color)),
            None if game.last_captures().contains(&point) => self.paint("*", MARK),
            None if stars.contains(&point) => self.paint("+", LINES),
            None => self.paint(if self.style.has_discs { "·" } else { "." }, LINES),
        }
    }

    /// The character between two points: a space, or a bracket beside the last move.
    fn gap(&mut self, before_last_move: bool) {
        let gap = match (self.after_last_move, before_last_move) {
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

    fn paint(&mut self, symbol: &str, color: u8) {
        self.text.push_str(&painted(symbol, color, self.style));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, Position, played};
    use crate::player::Options;

    fn game(size: &str, moves: &str) -> TerminalGame {
        let coordinate: Coordinate = size.parse().unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black);
        TerminalGame::new(played(position, moves), Color::Black, Options::default(), None)
    }

    #[test]
    fn marks_the_last_move_and_its_captures() {
        let text = draw(&game("5", "A2 A1 B1"), BoardStyle::default());
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
    fn lists_few_captures_and_counts_many() {
        let panel = |moves: &str| panel(&game("5", moves), BoardStyle::default()).join("\n");
        assert!(panel("A2 A1 B2 B1 C2 C1 D2 D1 E1").contains("took A1 B1 C1 D1 (*)"));
        assert!(panel("A3 A1 B2 B1 C2 C1 D2 D1 E5 A2 E1").contains("took 5 stones (*)"));
    }

    #[test]
    fn panel_continues_below_a_small_board() {
        let text = draw(&game("2", "A1 pass"), BoardStyle::default());
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(text.ends_with("\n            black to move: you\n"), "{text:?}");
    }

    #[test]
    fn rows_have_equal_width_in_every_style() {
        for has_colors in [false, true] {
            for has_discs in [false, true] {
                let style = BoardStyle { is_interactive: true, has_colors, has_discs };
                for size in ["2", "9", "10", "19", "25", "2x25", "25x2", "9x13"] {
                    let game = game(size, "A1 B2");
                    let (columns, ranks) = (game.coordinate().width(), game.coordinate().height());
                    let rows = board_rows(&game, style);
                    let widths: Vec<usize> = rows.iter().map(|row| width(row)).collect();
                    assert!(widths.iter().all(|&width| width == 2 * usize::from(columns) + 6), "{widths:?}");
                    assert_eq!(rows.len(), usize::from(ranks) + 2);
                }
                let text = draw(&game("9", "A1"), style);
                assert!(text.starts_with(CLEAR));
                assert_eq!(text.matches('\u{1b}').count() > 2, has_colors);
                assert_eq!(text.contains('·'), has_discs);
                assert_eq!(text.contains('●'), has_discs && has_colors);
            }
        }
    }

    /// Width of a text in columns, without escape sequences.
    fn width(text: &str) -> usize {
        let mut parts = text.split('\u{1b}');
        let plain = parts.next().unwrap().chars().count();
        plain + parts.map(|part| part.split_once('m').unwrap().1.chars().count()).sum::<usize>()
    }

    #[test]
    fn discs_need_utf8_and_a_narrow_locale() {
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

//! The board as text with the last move and its captures marked, and the panel beside it or below it.

use std::env;

use anstyle::{Ansi256Color, Color as Paint, Reset, Style};

use crate::kernel::coordinate::file_letter;
use crate::kernel::handicap::star_points;
use crate::kernel::{Color, Point};
use crate::terminal::play::game::TerminalGame;
use crate::terminal::play::panel::{PanelLine, panel};
use crate::terminal::progress;
use crate::text::quote;

/// Colour numbers of a 256-colour terminal.
const WOOD: u8 = 179;
const LINES: u8 = 94;
const BLACK: u8 = 16;
const WHITE: u8 = 231;
const MARK: u8 = 160;

/// Moves the cursor to the upper left corner.
const HOME: &str = "\x1b[H";

/// Clears the line of the cursor. It stands before a row, because after a row that fills the screen it would clear the
/// last column.
const CLEAR_LINE: &str = "\x1b[2K";

/// Clears everything below the cursor.
const CLEAR_BELOW: &str = "\x1b[J";

/// Fewest columns of a panel beside the board; a narrower one stands below.
const MIN_PANEL: usize = 24;

/// Rows below board and panel that stay free for the prompt and a message.
const FREE_ROWS: usize = 3;

/// Style of the drawn board. The default is plain ASCII, for a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BoardStyle {
    /// Whether a person types and reads at a terminal: each board replaces the last one, and a search shows a spinner.
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
        let is_dumb = progress::is_dumb();
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

/// Distance of points on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spacing {
    /// Two columns for a point, and ranks on both sides.
    Wide,
    /// Two columns for a point, and ranks on the left.
    Narrow,
    /// One column for a point. The last move has no brackets.
    Dense,
}

impl Spacing {
    /// The widest board that fits into the columns of the screen.
    fn fitting(files: usize, columns: usize) -> Spacing {
        let fits = |spacing: &Spacing| spacing.width(files) <= columns;
        [Spacing::Wide, Spacing::Narrow].into_iter().find(fits).unwrap_or(Spacing::Dense)
    }

    /// Columns of a board.
    fn width(self, files: usize) -> usize {
        match self {
            // without the blank at the end
            Spacing::Wide => 2 * files + 5,
            Spacing::Narrow => 2 * files + 2,
            Spacing::Dense => files + 2,
        }
    }
}

/// The board with its panel. Plain text follows an empty line. At an interactive terminal the text begins in the upper
/// left corner, replaces what is there, and fits into `size`, the columns and rows of the screen: the panel stands
/// beside the board, or else below it as far as there is room for it.
pub(super) fn draw(game: &TerminalGame, style: BoardStyle, size: Option<(usize, usize)>) -> String {
    let size = size.filter(|_| style.is_interactive);
    let rows = match size {
        None => beside(board_rows(game, style, Spacing::Wide), usize::MAX, game, style),
        Some((columns, rows)) => {
            let files = usize::from(game.coordinate().width());
            let spacing = Spacing::fitting(files, columns);
            let board = board_rows(game, style, spacing);
            match columns.saturating_sub(spacing.width(files) + 3) {
                room @ MIN_PANEL.. => beside(board, room, game, style),
                _ => below(board, (columns, rows), game, style),
            }
        }
    };
    if !style.is_interactive {
        return format!("\n{}\n", rows.join("\n"));
    }
    let rows: Vec<String> = rows.iter().map(|row| format!("{CLEAR_LINE}{row}\n")).collect();
    format!("{HOME}{}{CLEAR_BELOW}", rows.concat())
}

/// The rows of the board with the panel on their right, in at most `room` columns.
fn beside(board: Vec<String>, room: usize, game: &TerminalGame, style: BoardStyle) -> Vec<String> {
    let width = 2 * usize::from(game.coordinate().width()) + 6;
    let panel: Vec<String> =
        panel(game, style.is_interactive).into_iter().map(|line| panel_text(line.cut(room), style)).collect();
    let row = |number: usize| {
        let row = board.get(number).cloned().unwrap_or_else(|| " ".repeat(width));
        let beside = panel.get(number).map(String::as_str).unwrap_or_default();
        format!("{row}  {beside}").trim_end().to_owned()
    };
    (0..board.len().max(panel.len())).map(row).collect()
}

/// The rows of the board, and below them the last lines of the panel for which there is room.
fn below(
    mut board: Vec<String>,
    (columns, rows): (usize, usize),
    game: &TerminalGame,
    style: BoardStyle,
) -> Vec<String> {
    let mut panel = panel(game, style.is_interactive);
    panel.retain(|line| !line.text.is_empty());
    let room = rows.saturating_sub(board.len() + FREE_ROWS);
    panel.drain(..panel.len().saturating_sub(room));
    board.iter_mut().for_each(|row| row.truncate(row.trim_end().len()));
    board.extend(panel.into_iter().map(|line| panel_text(line.cut(columns), style)));
    board
}

/// A line of the panel as it is written.
fn panel_text(line: PanelLine, style: BoardStyle) -> String {
    let PanelLine { stone, text } = line;
    let text = quote::one_line(&text);
    match stone {
        Some(color) => format!("{} {text}", painted(symbol(color, style), color_number(color), style)),
        None => text,
    }
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

/// The rows of the drawn board, all of the same width: rank 1 at the bottom, files on both sides, and ranks.
fn board_rows(game: &TerminalGame, style: BoardStyle, spacing: Spacing) -> Vec<String> {
    let coordinate = game.coordinate();
    let files = (0..usize::from(coordinate.width())).filter_map(file_letter);
    let edge = match spacing {
        Spacing::Wide => format!("  {}    ", files.flat_map(|file| [' ', file]).collect::<String>()),
        Spacing::Narrow => format!("  {}", files.flat_map(|file| [' ', file]).collect::<String>()),
        Spacing::Dense => format!("  {}", files.collect::<String>()),
    };
    let stars = star_points(coordinate);
    let mut rows = vec![edge.clone()];
    for y in (1..=coordinate.height()).rev() {
        let mut row = Row::new(style, spacing);
        for x in 1..=coordinate.width() {
            if let Some(point) = coordinate.point(x, y) {
                row.add(game, point, &stars);
            }
        }
        rows.push(match spacing {
            Spacing::Wide => format!("{y:>2}{}{y:<2} ", row.finish()),
            Spacing::Narrow | Spacing::Dense => format!("{y:>2}{}", row.text),
        });
    }
    rows.push(edge);
    rows
}

/// A row of the board under construction.
struct Row {
    style: BoardStyle,
    spacing: Spacing,
    text: String,
    /// Whether the point drawn last is that of the last move's stone.
    after_last_move: bool,
}

impl Row {
    fn new(style: BoardStyle, spacing: Spacing) -> Row {
        Row { style, spacing, text: String::new(), after_last_move: false }
    }

    fn add(&mut self, game: &TerminalGame, point: Point, stars: &[Point]) {
        let is_last = game.position().last_stone() == Some(point);
        if self.spacing != Spacing::Dense {
            self.gap(is_last);
        }
        self.after_last_move = is_last;
        match game.position().board().stone(point).color() {
            Some(color) => self.paint(symbol(color, self.style), color_number(color)),
            None if game.last_captures().contains(&point) => self.paint("*", MARK),
            None if stars.contains(&point) => self.paint("+", LINES),
            None => self.paint(if self.style.has_discs { "·" } else { "." }, LINES),
        }
    }

    /// The character between two points: a space, or a bracket beside the stone of the last move.
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
        let text = draw(&game("5", "A2 A1 B1"), BoardStyle::default(), Some((10, 3)));
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
    fn a_stone_that_is_gone_has_no_brackets() {
        let rule = GameRule::with_komi(6.5).with_rule_set("tromp-taylor").unwrap();
        let position = Position::new("5".parse().unwrap(), rule, 0, Color::Black);
        let game = TerminalGame::new(played(position, "A2 E5 B2 A1 C1 B1"), Color::Black, Options::default(), None);
        let text = draw(&game, BoardStyle::default(), None);
        assert!(text.contains("\n 1 * * X . . 1") && text.contains("lost A1 B1 (*)"), "{text}");
    }

    #[test]
    fn lists_few_captures_and_counts_many() {
        let panel = |moves: &str| draw(&game("5", moves), BoardStyle::default(), None);
        assert!(panel("A2 A1 B2 B1 C2 C1 D2 D1 E1").contains("took A1 B1 C1 D1 (*)"));
        assert!(panel("A3 A1 B2 B1 C2 C1 D2 D1 E5 A2 E1").contains("took 5 stones (*)"));
    }

    #[test]
    fn panel_continues_below_a_small_board() {
        let text = draw(&game("2", "A1 pass"), BoardStyle::default(), None);
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
                    let rows = board_rows(&game, style, Spacing::Wide);
                    let widths: Vec<usize> = rows.iter().map(|row| width(row)).collect();
                    assert!(widths.iter().all(|&width| width == 2 * usize::from(columns) + 6), "{widths:?}");
                    assert_eq!(rows.len(), usize::from(ranks) + 2);
                }
                let text = draw(&game("9", "A1"), style, Some((80, 24)));
                assert!(text.starts_with(HOME) && text.ends_with(CLEAR_BELOW));
                let text = text.replace(HOME, "").replace(CLEAR_LINE, "").replace(CLEAR_BELOW, "");
                assert_eq!(text.matches('\u{1b}').count() > 2, has_colors, "{text:?}");
                assert_eq!(text.contains('·'), has_discs);
                assert_eq!(text.contains('●'), has_discs && has_colors);
            }
        }
    }

    /// The rows on a screen of this size, without escape sequences for the position of the cursor.
    fn screen(game: &TerminalGame, columns: usize, rows: usize) -> Vec<String> {
        let style = BoardStyle { is_interactive: true, ..BoardStyle::default() };
        let text = draw(game, style, Some((columns, rows)));
        let text = text.replace(HOME, "").replace(CLEAR_LINE, "").replace(CLEAR_BELOW, "");
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_board_fits_on_a_narrow_screen() {
        for size in ["2", "9", "13", "19", "25", "25x2", "9x13"] {
            for columns in [27, 40, 44, 60, 80, 132] {
                let game = game(size, "A1 B2");
                let rows = screen(&game, columns, 60);
                assert!(rows.iter().all(|row| width(row) <= columns), "{size} on {columns}: {rows:#?}");
                assert!(rows.iter().any(|row| row.contains("move 2: white B2")), "{size} on {columns}: {rows:#?}");
            }
        }
    }

    #[test]
    fn panel_stands_beside_the_board_or_below_it_or_gives_way() {
        let game = game("9", "A1 B2");
        let beside = screen(&game, 80, 24);
        assert!(beside[0].ends_with("X black  you     0 taken") && beside.len() == 11, "{beside:#?}");
        let below = screen(&game, 40, 24);
        assert_eq!((below.len(), below[11].as_str()), (16, "X black  you     0 taken"), "{below:#?}");
        assert_eq!(below.last().map(String::as_str), Some("black to move: you"));
        // without room for all of it, the turn comes first, then the last move
        let last = |rows| screen(&game, 40, rows).into_iter().skip(11).collect::<Vec<_>>();
        assert_eq!(last(16), ["move 2: white B2", "black to move: you"]);
        assert_eq!(last(15), ["black to move: you"]);
        assert!(last(14).is_empty());
    }

    #[test]
    fn brackets_and_ranks_give_way_on_a_narrow_screen() {
        let game = game("19", "A1 B2");
        assert!(screen(&game, 43, 30)[18].ends_with(" 2"), "{:#?}", screen(&game, 43, 30));
        let narrow = screen(&game, 40, 30);
        assert!(narrow[18].starts_with(" 2 .(O)") && width(&narrow[18]) == 40, "{narrow:#?}");
        let dense = screen(&game, 39, 30);
        assert!(dense[18].starts_with(" 2.O") && width(&dense[18]) == 21, "{dense:#?}");
    }

    #[test]
    fn a_long_name_is_cut() {
        let game = game("9", "A1");
        let new_game_position = game.new_game_position().clone();
        let game = game.with_new_game_position(new_game_position, Some("本因坊秀策 the Invincible\u{9b}".to_owned()));
        let rows = screen(&game, 80, 24);
        assert!(rows[0].ends_with("X black  本因坊秀策 t..  0 taken"), "{rows:#?}");
        assert!(rows[1].ends_with("O white  engine          0 taken"), "{rows:#?}");
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

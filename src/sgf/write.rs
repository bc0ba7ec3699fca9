//! A game to text.

use crate::kernel::{Color, Coordinate, Move, Point, Stone};
use crate::sgf::value::{Name, one_line};
use crate::sgf::{Game, Turn};

/// Columns of a line, in characters. A value that is longer stands in one line all the same.
const COLUMNS: usize = 80;

/// The game as `FF[4]`, in UTF-8.
///
/// Lines are folded between properties. No line is empty and the last one has no end, so that the text can stand in a GTP
/// answer; a file wants a line end after it. A point that is off the board is left out, and control characters in texts
/// become blanks. Reading it gives the same game, if the game is one that reading can give: see the fields of [`Game`].
pub fn write(game: &Game) -> String {
    let mut lines = Lines { text: String::new(), column: 0 };
    lines.push("(;FF[4]GM[1]CA[UTF-8]");
    lines.push(&format!("AP[Kifuwarabe UEC14:{}]", env!("CARGO_PKG_VERSION")));
    let (width, height) = (game.coordinate.width(), game.coordinate.height());
    let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
    lines.property(Name::Size, &size);
    if let Some(komi) = game.komi.filter(|komi| komi.is_finite()) {
        lines.property(Name::Komi, &komi.to_string());
    } else if let Some(text) = &game.unclear_komi {
        lines.property(Name::Komi, &escaped(text));
    }
    if let Some(handicap) = game.handicap {
        lines.property(Name::Handicap, &handicap.to_string());
    }
    let texts = [
        (Name::Rules, &game.rules),
        (Name::Player(Color::Black), &game.black),
        (Name::Player(Color::White), &game.white),
        (Name::Result, &game.result),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            lines.property(name, &escaped(text));
        }
    }
    lines.setup(&game.setup, game.coordinate);
    if let Some(color) = game.to_play {
        lines.property(Name::ToPlay, letter(color));
    }
    if !game.turns.is_empty() {
        lines.fold();
    }
    for (number, turn) in game.turns.iter().enumerate() {
        match turn {
            Turn::Move(color, play) => {
                let point = match play {
                    Move::Play(point) => letters(*point, game.coordinate),
                    Move::Pass => Some(String::new()),
                };
                if let Some(point) = point {
                    lines.push(&format!(";{}[{point}]", letter(*color)));
                }
            }
            Turn::Setup(changes) => {
                lines.push(";");
                lines.setup(changes, game.coordinate);
            }
            Turn::ToPlay(color) => lines.push(&format!(";PL[{}]", letter(*color))),
        }
        if let Some(comment) = game.comments.get(&number) {
            lines.property(Name::Comment, &escaped(comment));
        }
    }
    lines.push(")");
    lines.text
}

/// Text folded to lines, none of them empty.
struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    /// Adds what has to stand in one line.
    fn push(&mut self, piece: &str) {
        let width = piece.chars().count();
        if self.column + width > COLUMNS {
            self.fold();
        }
        self.text += piece;
        self.column += width;
    }

    fn fold(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }

    fn property(&mut self, name: Name, value: &str) {
        self.push(&format!("{}[{value}]", name.text()));
    }

    fn setup(&mut self, stones: &[(Point, Stone)], coordinate: Coordinate) {
        for kind in [Stone::Black, Stone::White, Stone::Space] {
            let mut name = Name::Setup(kind).text();
            for point in stones.iter().filter(|(_, stone)| *stone == kind).filter_map(|&(p, _)| letters(p, coordinate))
            {
                self.push(&format!("{name}[{point}]"));
                name = "";
            }
        }
    }
}

const fn letter(color: Color) -> &'static str {
    Name::Move(color).text()
}

/// Column and row from the upper left corner; `None` off the board.
fn letters(point: Point, coordinate: Coordinate) -> Option<String> {
    let letter = |number: u8| char::from(b'a' + number);
    let (x, y) = coordinate.xy(point);
    coordinate.contains(point).then(|| format!("{}{}", letter(x - 1), letter(coordinate.height() - y)))
}

/// A text in one line, with a backslash before what would end it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | ']') {
            escaped.push('\\');
        }
        escaped.push(if one_line(character) { character } else { ' ' });
    }
    escaped
}

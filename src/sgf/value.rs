//! Names and values of single properties. Knows no game.

use crate::kernel::{Color, Coordinate, MAX_SIDE, Move, Point, Stone};
use crate::sgf::MIN_SIDE;
use crate::sgf::error::{SgfError, SgfProblem, quote};

/// The largest komi that is believed, in points for either side. A larger one is a server's hundredths (`KM[375]`) or
/// nothing at all.
pub const MAX_KOMI: f64 = 200.0;

/// Up to this side, in points, `tt` is a pass: it is off the board.
const LARGEST_WITH_TT: u8 = 19;

/// The properties that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    Move(Color),
    Setup(Stone),
    Game,
    Size,
    Charset,
    Komi,
    Handicap,
    ToPlay,
    Rules,
    Result,
    Player(Color),
    Comment,
    Other,
}

impl Name {
    /// The property of a written name, whose small letters do not count: `SiZe` is `SZ`.
    pub(super) fn of(written: &[u8]) -> Name {
        let mut capitals = written.iter().copied().filter(|byte| !byte.is_ascii_lowercase());
        match (capitals.next(), capitals.next(), capitals.next()) {
            (Some(b'B'), None, _) => Name::Move(Color::Black),
            (Some(b'W'), None, _) => Name::Move(Color::White),
            (Some(first), Some(second), None) => match &[first, second] {
                b"AB" => Name::Setup(Stone::Black),
                b"AW" => Name::Setup(Stone::White),
                b"AE" => Name::Setup(Stone::Space),
                b"GM" => Name::Game,
                b"SZ" => Name::Size,
                b"CA" => Name::Charset,
                b"KM" => Name::Komi,
                b"HA" => Name::Handicap,
                b"PL" => Name::ToPlay,
                b"RU" => Name::Rules,
                b"RE" => Name::Result,
                b"PB" => Name::Player(Color::Black),
                b"PW" => Name::Player(Color::White),
                _ => Name::Other,
            },
            _ => Name::Other,
        }
    }

    /// Whether its values name points, which need the size of the board.
    pub(super) const fn has_points(self) -> bool {
        matches!(self, Name::Move(_) | Name::Setup(_))
    }

    /// The name in messages and in written files.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Name::Move(Color::Black) => "B",
            Name::Move(Color::White) => "W",
            Name::Setup(Stone::Black) => "AB",
            Name::Setup(Stone::White) => "AW",
            Name::Setup(Stone::Space | Stone::Wall) => "AE",
            Name::Game => "GM",
            Name::Size => "SZ",
            Name::Charset => "CA",
            Name::Komi => "KM",
            Name::Handicap => "HA",
            Name::ToPlay => "PL",
            Name::Rules => "RU",
            Name::Result => "RE",
            Name::Player(Color::Black) => "PB",
            Name::Player(Color::White) => "PW",
            Name::Comment => "C",
            Name::Other => "?",
        }
    }
}

/// `SZ`: `19`, or `19:19` as some write it.
pub(super) fn size(at: usize, value: &[u8]) -> Result<Coordinate, SgfError> {
    let side = |bytes: &[u8]| -> Option<u8> { plain(bytes)?.parse().ok() };
    let mut sides = value.splitn(2, |&byte| byte == b':').map(side);
    let square = match (sides.next().flatten(), sides.next()) {
        (Some(side), None) => Some(side),
        (Some(width), Some(Some(height))) if width == height => Some(width),
        _ => None,
    };
    square
        .filter(|side| (MIN_SIDE..=MAX_SIDE).contains(side))
        .and_then(Coordinate::square)
        .ok_or_else(|| SgfError::new(at, SgfProblem::Size(quote(value))))
}

/// `GM`: refused if it is a number other than 1. Some write words there, which tell nothing.
pub(super) fn game(at: usize, value: &[u8]) -> Result<(), SgfError> {
    let digits = plain(value).filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    match digits.map(|text| text.trim_start_matches('0')) {
        None | Some("1") => Ok(()),
        Some(_) => Err(SgfError::new(at, SgfProblem::OtherGame(quote(value)))),
    }
}

/// A move: a point, or a pass as an empty value, `tt` where that is off the board, or the word.
pub(super) fn read_move(at: usize, color: Color, value: &[u8], coordinate: Coordinate) -> Result<Move, SgfError> {
    let text = value.trim_ascii();
    let off_board = text == b"tt" && coordinate.width() <= LARGEST_WITH_TT;
    if text.is_empty() || off_board || text.eq_ignore_ascii_case(b"pass") {
        return Ok(Move::Pass);
    }
    point(text, coordinate).map(Move::Play).ok_or_else(|| no_point(at, Name::Move(color), value, coordinate))
}

/// The points of a setup value: one, or a rectangle `aa:cc` by two of its corners. An empty value names none.
///
/// # Errors
/// [`SgfProblem::Point`].
pub(super) fn rectangle(
    at: usize,
    stone: Stone,
    value: &[u8],
    coordinate: Coordinate,
) -> Result<impl Iterator<Item = Point> + use<>, SgfError> {
    let text = value.trim_ascii();
    let mut corners = text.splitn(2, |&byte| byte == b':').map(|corner| point(corner.trim_ascii(), coordinate));
    let (columns, rows) = match (corners.next().flatten(), corners.next()) {
        _ if text.is_empty() => (0..0, 0..0),
        (Some(from), to) if to != Some(None) => {
            let (from, to) = (coordinate.xy(from), coordinate.xy(to.flatten().unwrap_or(from)));
            (from.0.min(to.0)..from.0.max(to.0) + 1, from.1.min(to.1)..from.1.max(to.1) + 1)
        }
        _ => return Err(no_point(at, Name::Setup(stone), value, coordinate)),
    };
    Ok(rows.flat_map(move |y| columns.clone().filter_map(move |x| coordinate.point(x, y))))
}

/// A point as two letters, column and row from the upper left corner, so that `aa` is A19 on 19x19; or by its name, as
/// some files for people have it. The two cannot be mixed up: one has a digit.
fn point(text: &[u8], coordinate: Coordinate) -> Option<Point> {
    let &[column @ b'a'..=b'z', row @ b'a'..=b'z'] = text else {
        return coordinate.parse_vertex(std::str::from_utf8(text).ok()?).ok();
    };
    let y = coordinate.height().checked_sub(row - b'a')?;
    coordinate.point(column - b'a' + 1, y).filter(|&point| coordinate.contains(point))
}

fn no_point(at: usize, name: Name, value: &[u8], coordinate: Coordinate) -> SgfError {
    let side = coordinate.width();
    SgfError::new(at, SgfProblem::Point { property: name.text(), value: quote(value), side })
}

/// `KM`, as far as its meaning is clear: `6.5`, `6,5`, ` 6.5 points`, `6.5目`, `6目半`, `5 1/2`. The number is taken as
/// written, beyond [`MAX_KOMI`] not at all, nor where it runs on in other digits or letters: `1e3`, `0x5`.
pub(super) fn komi(value: &[u8]) -> Option<f64> {
    let text = simple_text(value)?.replace(',', ".");
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let length = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, rest) = unsigned.split_at_checked(length)?;
    let runs_on = rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    if runs_on || rest.trim_start().starts_with('/') {
        return None; // 1e3, 1/2
    }
    let half = if ["1/2", "½", "半"].iter().any(|half| rest.contains(half)) { 0.5 } else { 0.0 };
    let points = number.parse::<f64>().ok().map(|points| points + half).filter(|&points| points <= MAX_KOMI)?;
    Some(if text.starts_with('-') { -points } else { points })
}

/// `HA`: the number it begins with.
pub(super) fn handicap(value: &[u8]) -> Option<usize> {
    let text = value.trim_ascii();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    plain(text.get(..length)?)?.parse().ok()
}

/// `PL`: `B`, `W`, a word that begins so, or 1 and 2 as in `FF[1]`.
pub(super) fn player(value: &[u8]) -> Option<Color> {
    match value.trim_ascii().first()? {
        b'B' | b'b' | b'1' => Some(Color::Black),
        b'W' | b'w' | b'2' => Some(Color::White),
        _ => None,
    }
}

/// The text of a value in one line: escapes resolved, ends of lines as blanks, nothing around it. `None` if none is left.
pub(super) fn simple_text(value: &[u8]) -> Option<String> {
    let raw = String::from_utf8_lossy(value);
    let mut line = String::with_capacity(raw.len());
    let mut characters = raw.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = character == '\\';
        let Some(character) = (if escaped { characters.next() } else { Some(character) }) else { break };
        let ends_line = matches!(character, '\n' | '\r');
        if ends_line {
            // the end of a line may be two characters, in either order
            characters.next_if(|&next| next != character && matches!(next, '\n' | '\r'));
        }
        // an escaped end of a line is none
        if !(escaped && ends_line) {
            line.push(if one_line(character) { character } else { ' ' });
        }
    }
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Whether a character may stand inside a line.
pub(super) fn one_line(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}')
}

/// The text of a value that has to be ASCII.
fn plain(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.trim_ascii()).ok().filter(|text| text.is_ascii())
}

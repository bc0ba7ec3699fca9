//! Parsers for the values of single properties.

use crate::kernel::{Color, Coordinate, KOMI_LIMIT, MIN_SIDE, Move, Point, Stone};
use crate::sgf::error::{SgfError, SgfProblem, quote};
use crate::sgf::limits::MAX_WHOLE_KOMI;
use crate::sgf::property::Property;

/// The largest side, in points, that leaves `tt` off the board, so that it is a pass.
const MAX_SIDE_WITH_TT: u8 = 19;

/// `SZ`: `19`, or `9:13` for 9 columns and 13 rows. `FF[4]` forbids `19:19`, which some programs write.
pub(super) fn size(at: usize, value: &[u8]) -> Result<Coordinate, SgfError> {
    let side = |bytes: &[u8]| ascii(bytes)?.parse().ok().filter(|side| *side >= MIN_SIDE);
    let mut sides = value.splitn(2, |&byte| byte == b':').map(side);
    let size = match (sides.next().flatten(), sides.next()) {
        (Some(side), None) => Coordinate::square(side),
        (Some(width), Some(Some(height))) => Coordinate::new(width, height),
        _ => None,
    };
    size.ok_or_else(|| SgfError::new(at, SgfProblem::Size(quote(value))))
}

/// `GM`: an error if it is a number other than 1. Some programs write words there, which are ignored.
pub(super) fn game(at: usize, value: &[u8]) -> Result<(), SgfError> {
    let digits = ascii(value).filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    match digits.map(|text| text.trim_start_matches('0')) {
        None | Some("1") => Ok(()),
        Some(_) => Err(SgfError::new(at, SgfProblem::OtherGame(quote(value)))),
    }
}

/// `B` or `W`: a point, or a pass: an empty value, `tt` where that is off the board, or the word `pass`.
pub(super) fn read_move(at: usize, color: Color, value: &[u8], coordinate: Coordinate) -> Result<Move, SgfError> {
    let text = value.trim_ascii();
    let is_tt_pass = text == b"tt" && coordinate.width().min(coordinate.height()) <= MAX_SIDE_WITH_TT;
    if text.is_empty() || is_tt_pass || text.eq_ignore_ascii_case(b"pass") {
        return Ok(Move::Pass);
    }
    point(text, coordinate).map(Move::Play).ok_or_else(|| no_point(at, Property::Move(color), value, coordinate))
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
        _ => return Err(no_point(at, Property::Setup(stone), value, coordinate)),
    };
    Ok(rows.flat_map(move |y| columns.clone().filter_map(move |x| coordinate.point(x, y))))
}

/// A point as two letters, column and row from the upper left corner, so that `aa` is A19 on 19x19; or by its name,
/// such as `D4`, as some files have it. The two are distinct, because a name has a digit.
fn point(text: &[u8], coordinate: Coordinate) -> Option<Point> {
    let &[column @ b'a'..=b'z', row @ b'a'..=b'z'] = text else {
        return coordinate.parse_vertex(std::str::from_utf8(text).ok()?).ok();
    };
    let y = coordinate.height().checked_sub(row - b'a')?;
    coordinate.point(column - b'a' + 1, y).filter(|&point| coordinate.contains(point))
}

fn no_point(at: usize, property: Property, value: &[u8], coordinate: Coordinate) -> SgfError {
    SgfError::new(at, SgfProblem::Point { property: property.identifier(), value: quote(value), coordinate })
}

/// The value of `SZ`: one number for a square board, else columns and rows, as in `9:13`.
pub(super) fn size_value(coordinate: Coordinate) -> String {
    coordinate.size_text().replace('x', ":")
}

/// `KM` in points for White: `6.5`, `6,5`, ` 6.5 points`, `6.5目`, `6目半`, `5 1/2`. `None` for other forms, such as `1e3`
/// and `0x5`, for whole numbers beyond [`MAX_WHOLE_KOMI`], and beyond [`KOMI_LIMIT`].
pub(super) fn komi(value: &[u8]) -> Option<f64> {
    let text = simple_text(value)?.replace(',', ".");
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let length = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, rest) = unsigned.split_at_checked(length)?;
    let is_continued = rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    if is_continued {
        return None; // 1e3, 1/2
    }
    let half = half_in(rest)?;
    let points = number.parse::<f64>().ok().map(|points| points + half)?;
    if points > KOMI_LIMIT || (points > MAX_WHOLE_KOMI && !number.contains('.')) {
        return None;
    }
    // 0 - 0 is 0, and not -0
    Some(if text.starts_with('-') { 0.0 - points } else { points })
}

/// The half point in what follows a number of points: 0.5 for `1/2`, `½` and `半`, 0 without; `None` for another fraction,
/// as in `3 3/4`.
pub(super) fn half_in(rest: &str) -> Option<f64> {
    let half = ["1/2", "½", "半"].into_iter().find(|half| rest.contains(half));
    let without_half = rest.replacen(half.unwrap_or_default(), "", 1);
    let has_other = without_half.contains(['/', '¼', '¾']);
    (!has_other).then_some(if half.is_some() { 0.5 } else { 0.0 })
}

/// The value of `KM`, which is read as the same number: a large one has a decimal point.
pub fn komi_value(komi: f64) -> String {
    let text = komi.to_string();
    if komi.abs() > MAX_WHOLE_KOMI && !text.contains('.') { text + ".0" } else { text }
}

/// `HA`: the number at the start of the value.
pub(super) fn handicap(value: &[u8]) -> Option<usize> {
    let text = value.trim_ascii();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    ascii(text.get(..length)?)?.parse().ok()
}

/// `PL`: `B`, `W`, a word that starts with these letters, or 1 and 2 as in `FF[1]`.
pub(super) fn to_play(value: &[u8]) -> Option<Color> {
    match value.trim_ascii().first()? {
        b'B' | b'b' | b'1' => Some(Color::Black),
        b'W' | b'w' | b'2' => Some(Color::White),
        _ => None,
    }
}

/// The text of a value in one line: escapes resolved, line ends and control characters replaced by blanks, trimmed.
/// `None` if nothing is left.
pub(super) fn simple_text(value: &[u8]) -> Option<String> {
    let line = unescaped(&String::from_utf8_lossy(value), ' ');
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The text of a value of a property with text of several lines, such as `C`: escapes are resolved, line ends are `\n`,
/// and other control characters are blanks.
pub fn text_of_value(value: &str) -> String {
    unescaped(value, '\n')
}

/// A value with this text, for a property with text of several lines: the inverse of [`text_of_value`].
pub fn value_of_text(text: &str) -> String {
    escaped(text, '\n')
}

/// The text of a value, with `line_end` for each of its line ends.
fn unescaped(value: &str, line_end: char) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars().peekable();
    while let Some(character) = characters.next() {
        let is_escaped = character == '\\';
        let Some(character) = (if is_escaped { characters.next() } else { Some(character) }) else { break };
        let ends_line = matches!(character, '\n' | '\r');
        if ends_line {
            // a line end may be two characters, in either order
            characters.next_if(|&next| next != character && matches!(next, '\n' | '\r'));
        }
        match (ends_line, is_escaped) {
            (true, true) => {} // an escaped line end is removed
            (true, false) => text.push(line_end),
            (false, _) => text.push(if is_inline(character) { character } else { ' ' }),
        }
    }
    text
}

/// Whether the text of a property may have several lines: that of comments. All others are one line of text
/// (SimpleText), in which a line end is a blank.
pub(super) fn has_lines(identifier: &str) -> bool {
    matches!(identifier, "C" | "GC")
}

/// A text as a value, with `\` and `]` escaped and `line_end` for each of its line ends.
pub(super) fn escaped(text: &str, line_end: char) -> String {
    let mut value = String::with_capacity(text.len());
    for character in text.replace("\r\n", "\n").chars() {
        if matches!(character, '\\' | ']') {
            value.push('\\');
        }
        value.push(match character {
            '\n' => line_end,
            _ if is_inline(character) => character,
            _ => ' ',
        });
    }
    value
}

/// Column and row of a point from the upper left corner, as two letters; `None` off the board.
pub(super) fn letters(point: Point, coordinate: Coordinate) -> Option<String> {
    let letter = |number: u8| char::from(b'a' + number);
    let (x, y) = coordinate.xy(point);
    coordinate.contains(point).then(|| format!("{}{}", letter(x - 1), letter(coordinate.height() - y)))
}

/// The value of a move: the letters of its point, or nothing for a pass; `None` off the board.
pub fn move_letters(play: Move, coordinate: Coordinate) -> Option<String> {
    match play {
        Move::Play(point) => letters(point, coordinate),
        Move::Pass => Some(String::new()),
    }
}

/// Whether a character may stand inside a line: neither a control character nor a Unicode line separator.
pub(super) fn is_inline(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}')
}

/// A value as trimmed text; `None` unless it is ASCII.
fn ascii(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.trim_ascii()).ok().filter(|text| text.is_ascii())
}

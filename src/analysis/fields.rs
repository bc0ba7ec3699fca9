//! Typed readers for the fields of a JSON object, each with its own error.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::kernel::{Color, Coordinate, Move};
use crate::text::quote::shortened;

/// An error or a warning about a field of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FieldMessage {
    /// The field.
    pub(super) field: String,
    /// The text of the error or warning.
    pub(super) text: String,
}

impl FieldMessage {
    pub(super) fn new(field: &str, text: impl Into<String>) -> FieldMessage {
        FieldMessage { field: field.to_owned(), text: text.into() }
    }

    /// An invalid value.
    pub(super) fn unexpected(field: &str, found: &Value, expected: &str) -> FieldMessage {
        FieldMessage::new(field, format!("unexpected {}, expected {expected}", shortened(&found.to_string())))
    }
}

/// The longest interval between reports, in seconds.
const MAX_INTERVAL: f64 = 1e6;

/// The fields of an object: of the query itself, or of an element of one of its lists. Errors name the query's field.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// The query's field that holds this object; `None` for the query itself.
    within: Option<&'static str>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(object: &'a Map<String, Value>) -> Fields<'a> {
        Fields { object, within: None }
    }

    /// The fields of an element of a list.
    fn of_element(field: &'static str, element: &'a Value) -> Result<Fields<'a>, FieldMessage> {
        match element.as_object() {
            Some(object) => Ok(Fields { object, within: Some(field) }),
            None => Err(FieldMessage::unexpected(field, element, "an object with player, moves and untilDepth")),
        }
    }

    /// The raw value of a field.
    pub(super) fn raw(self, name: &str) -> Option<&'a Value> {
        self.object.get(name)
    }

    fn read<T>(
        self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, FieldMessage> {
        let Some(value) = self.object.get(name) else { return Ok(None) };
        let unexpected = || match self.within {
            Some(field) => FieldMessage::unexpected(field, value, &format!("{name} to be {expected}")),
            None => FieldMessage::unexpected(name, value, expected),
        };
        read(value).map(Some).ok_or_else(unexpected)
    }

    /// The error for a missing field.
    pub(super) fn missing(self, name: &'static str, expected: &str) -> FieldMessage {
        match self.within {
            Some(field) => FieldMessage::new(field, format!("missing {name}, expected {expected}")),
            None => FieldMessage::new(name, format!("missing, expected {expected}")),
        }
    }

    /// A whole number in a range.
    pub(super) fn integer(self, name: &'static str, range: RangeInclusive<i64>) -> Result<Option<i64>, FieldMessage> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(name, &expected, |value| value.as_i64().filter(|number| range.contains(number)))
    }

    /// A number in a range.
    pub(super) fn number(self, name: &'static str, range: RangeInclusive<f64>) -> Result<Option<f64>, FieldMessage> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.read(name, &expected, |value| value.as_f64().filter(|number| range.contains(number)))
    }

    /// A time in seconds.
    pub(super) fn seconds(self, name: &'static str) -> Result<Option<Duration>, FieldMessage> {
        Ok(self.number(name, 0.001..=MAX_INTERVAL)?.map(Duration::from_secs_f64))
    }

    /// A boolean; false if absent.
    pub(super) fn flag(self, name: &'static str) -> Result<bool, FieldMessage> {
        Ok(self.read(name, "true or false", Value::as_bool)?.unwrap_or_default())
    }

    /// A string.
    pub(super) fn text(self, name: &'static str) -> Result<Option<&'a str>, FieldMessage> {
        self.read(name, "a string", Value::as_str)
    }

    /// A list of whole numbers.
    pub(super) fn integers(self, name: &'static str) -> Result<Option<Vec<i64>>, FieldMessage> {
        let list = |value: &Value| value.as_array()?.iter().map(Value::as_i64).collect();
        self.read(name, "a list of whole numbers", list)
    }

    /// A player.
    pub(super) fn player(self, name: &'static str) -> Result<Option<Color>, FieldMessage> {
        self.read(name, "\"B\" or \"W\"", |value| Color::parse(value.as_str()?))
    }

    /// A list of objects.
    pub(super) fn objects(self, name: &'static str) -> Result<Vec<Fields<'a>>, FieldMessage> {
        let list = self.read(name, "a list of objects", Value::as_array)?;
        list.into_iter().flatten().map(|element| Fields::of_element(name, element)).collect()
    }

    /// A list of pairs of a player and a move.
    pub(super) fn moves(
        self,
        name: &'static str,
        coordinate: Coordinate,
    ) -> Result<Option<Vec<(Color, Move)>>, FieldMessage> {
        let expected = "a list of pairs of a player and a vertex, such as [\"B\",\"Q16\"]";
        let Some(list) = self.read(name, expected, Value::as_array)? else { return Ok(None) };
        let pair = |element: &Value| {
            let unexpected = |found, expected| FieldMessage::unexpected(name, found, expected);
            let Some([player, vertex]) = element.as_array().map(Vec::as_slice) else {
                return Err(unexpected(element, "a pair of a player and a vertex, such as [\"B\",\"Q16\"]"));
            };
            let color = player.as_str().and_then(Color::parse).ok_or_else(|| unexpected(player, "\"B\" or \"W\""))?;
            Ok((color, read_move(name, vertex, coordinate)?))
        };
        list.iter().map(pair).collect::<Result<_, _>>().map(Some)
    }

    /// A list of moves.
    pub(super) fn vertices(
        self,
        name: &'static str,
        coordinate: Coordinate,
    ) -> Result<Option<Vec<Move>>, FieldMessage> {
        let list = self.read(name, "a list of vertices", Value::as_array)?;
        let field = self.within.unwrap_or(name);
        list.map(|list| list.iter().map(|vertex| read_move(field, vertex, coordinate)).collect()).transpose()
    }
}

/// A move: `pass`, a vertex such as `Q16`, or a column and a row counted from 0 at the top left, such as `(15,3)`.
fn read_move(field: &'static str, value: &Value, coordinate: Coordinate) -> Result<Move, FieldMessage> {
    let read = |text: &str| {
        let Some(pair) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
            return Move::parse(text, coordinate).ok();
        };
        let (column, row) = pair.split_once(',')?;
        let (column, row): (u8, u8) = (column.trim().parse().ok()?, row.trim().parse().ok()?);
        let is_on_board = column < coordinate.width() && row < coordinate.height();
        is_on_board.then(|| coordinate.point(column + 1, coordinate.height() - row)).flatten().map(Move::Play)
    };
    let text = value.as_str().unwrap_or_default();
    let expected = || format!("pass or a vertex of the {coordinate} board, {}", coordinate.expected_vertex(text));
    value.as_str().and_then(read).ok_or_else(|| FieldMessage::unexpected(field, value, &expected()))
}

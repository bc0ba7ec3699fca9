//! The size of a board as a field of JSON: the side of a square board as a number, else a text such as `"9x13"`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kernel::Coordinate;

/// The two forms of the field.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected 1 to 25, or a text such as \"9x13\"")]
enum SizeField {
    /// The side of a square board, in points.
    Side(u8),
    /// Width and height.
    Text(String),
}

/// Writes the field.
pub(super) fn serialize<S: Serializer>(coordinate: &Coordinate, serializer: S) -> Result<S::Ok, S::Error> {
    let field = coordinate.side().map_or_else(|| SizeField::Text(coordinate.size_text()), SizeField::Side);
    field.serialize(serializer)
}

/// Reads the field.
///
/// # Errors
/// If it has neither form, or there is no such board.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Coordinate, D::Error> {
    let text = match SizeField::deserialize(deserializer)? {
        SizeField::Side(side) => side.to_string(),
        SizeField::Text(text) => text,
    };
    text.parse().map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Line {
        #[serde(with = "super")]
        size: Coordinate,
    }

    #[test]
    fn squares_are_numbers_and_rectangles_are_texts() {
        for (width, height, json) in
            [(9, 9, r#"{"size":9}"#), (7, 9, r#"{"size":"7x9"}"#), (1, 25, r#"{"size":"1x25"}"#)]
        {
            let line = Line { size: Coordinate::new(width, height).unwrap() };
            assert_eq!(serde_json::to_string(&line).unwrap(), json);
            assert_eq!(serde_json::from_str::<Line>(json).unwrap(), line);
        }
        for json in [r#"{"size":0}"#, r#"{"size":26}"#, r#"{"size":"9x26"}"#, r#"{"size":[9,9]}"#, r#"{"size":9.5}"#] {
            let error = serde_json::from_str::<Line>(json).unwrap_err().to_string();
            assert!(error.contains("expected 1 to 25, or "), "{json}: {error}");
        }
    }
}

//! The file format of a ren database: JSON, as
//! `{"header":…,"rens":{"001,01A":{"stone":"x","locate":"A1","liberty":"B1"}}}`.
//!
//! This module converts between bytes and [`RenDb`] and checks what it reads. The commands `rendb_save` and `rendb_load`
//! read and write the file itself by `files`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kernel::region::take_connected;
use crate::kernel::{Colors, Coordinate, Point, PointSet, Ren, RenDb, RenId, Stone};
use crate::text::input::without_byte_order_mark;
use crate::text::quote::one_line;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    header: Object<Header>,
    rens: Entries,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Header {
    board_width: u8,
    board_height: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    stone: String,
    locate: String,
    liberty: String,
}

/// A value that is a JSON object. Serde's own structs accept arrays, too.
#[derive(Serialize)]
#[serde(transparent)]
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// The entries of a JSON object in file order, including duplicate keys, so that duplicates can be refused.
struct Entries(Vec<(String, Entry)>);

impl Serialize for Entries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, entry) in &self.0 {
            map.serialize_entry(name, entry)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of rens")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some((name, Object(entry))) = map.next_entry()? {
                    entries.push((name, entry));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// The bytes of a database's file.
pub fn write(ren_db: &RenDb) -> Vec<u8> {
    let coordinate = ren_db.coordinate();
    let entries = ren_db.iter().map(|(id, ren)| {
        let entry = Entry {
            stone: ren.stone.to_string(),
            locate: coordinate.vertices(&ren.locations),
            liberty: coordinate.vertices(&ren.liberties),
        };
        (ren_db.name(id), entry)
    });
    let document = Document {
        header: Object(Header { board_width: coordinate.width(), board_height: coordinate.height() }),
        rens: Entries(entries.collect()),
    };
    // cannot fail: all keys and values are strings and small numbers
    serde_json::to_vec(&document).unwrap_or_default()
}

/// The database in the bytes of a file, for a board of this size. `max_moves` sets the number of digits in names.
///
/// # Errors
/// Invalid JSON, another board size, or an invalid or duplicate ren.
pub fn read(bytes: &[u8], coordinate: Coordinate, max_moves: u32) -> Result<RenDb, RenDbFileError> {
    read_document(bytes, coordinate, max_moves).map_err(|reason| RenDbFileError(shortened_message(&reason)))
}

/// The error of a file that is no ren database. Displayed as one line of at most 201 characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenDbFileError(String);

impl fmt::Display for RenDbFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RenDbFileError {}

fn read_document(bytes: &[u8], coordinate: Coordinate, max_moves: u32) -> Result<RenDb, String> {
    let Object(document): Object<Document> =
        serde_json::from_slice(without_byte_order_mark(bytes)).map_err(|error| error.to_string())?;
    let Header { board_width: width, board_height: height } = document.header.0;
    if (width, height) != (coordinate.width(), coordinate.height()) {
        let (w, h) = (coordinate.width(), coordinate.height());
        return Err(format!("board of {width} x {height}, expected {w} x {h}"));
    }
    let mut ren_db = RenDb::new(coordinate, max_moves);
    let mut rens = Vec::with_capacity(document.rens.0.len());
    for (name, entry) in document.rens.0 {
        let (ordinal, ren) = read_entry(coordinate, &name, &entry).map_err(|reason| format!("ren {name}: {reason}"))?;
        rens.push(NamedRen { name, ordinal, ren });
    }
    set_adjacent_colors(coordinate, &mut rens)?;
    // two rens of one name would share a point, so every one is new
    for NamedRen { ordinal, ren, .. } in rens {
        ren_db.register(ordinal, ren);
    }
    Ok(ren_db)
}

/// A ren of the file.
struct NamedRen {
    /// Its name in the file.
    name: String,
    ordinal: u32,
    ren: Ren,
}

/// A message in one line, shortened in the middle because JSON errors state line and column at the end.
fn shortened_message(message: &str) -> String {
    const HEAD: usize = 160;
    const TAIL: usize = 40;
    let line = one_line(message);
    match line.chars().count() {
        count if count > HEAD + TAIL => {
            let (head, tail) = (line.chars().take(HEAD), line.chars().skip(count - TAIL));
            head.chain(['…']).chain(tail).collect()
        }
        _ => line,
    }
}

fn read_entry(coordinate: Coordinate, name: &str, entry: &Entry) -> Result<(u32, Ren), String> {
    let id = read_name(coordinate, name).ok_or("expected a name such as 001,01A")?;
    let stone = match entry.stone.as_bytes() {
        [symbol] => Stone::from_symbol(*symbol).filter(|&stone| stone != Stone::Wall),
        _ => None,
    };
    let ren = Ren {
        stone: stone.ok_or_else(|| format!("stone {:?}, expected one of . x o", entry.stone))?,
        locations: read_points(coordinate, &entry.locate).map_err(|reason| format!("locate: {reason}"))?,
        liberties: read_points(coordinate, &entry.liberty).map_err(|reason| format!("liberty: {reason}"))?,
        adjacent: Colors::NONE,
    };
    if let Some(&point) = ren.liberties.iter().find(|point| ren.locations.contains(point)) {
        return Err(format!("liberty: {} is a point of the ren", coordinate.vertex(point)));
    }
    if !is_connected(coordinate, &ren.locations) {
        return Err("locate: the points are not connected".to_owned());
    }
    match ren.minimum_location() {
        None => Err("locate: expected at least one point".to_owned()),
        Some(location) if location != id.location => {
            let (named, found) = (coordinate.vertex(id.location), coordinate.vertex(location));
            Err(format!("locate: smallest point {found}, but the name says {named}"))
        }
        Some(_) => Ok((id.ordinal, ren)),
    }
}

fn read_name(coordinate: Coordinate, name: &str) -> Option<RenId> {
    let (ordinal, place) = name.split_once(',')?;
    let is_number = !ordinal.is_empty() && ordinal.bytes().all(|digit| digit.is_ascii_digit());
    let ordinal = ordinal.parse().ok().filter(|&ordinal| is_number && ordinal > 0)?;
    let (rank, file) = place.split_at_checked(2)?;
    let rank: u8 = rank.bytes().all(|digit| digit.is_ascii_digit()).then(|| rank.parse().ok())??;
    let [b'A'..=b'Z'] = file.as_bytes() else { return None };
    let location = coordinate.parse_vertex(&format!("{file}{rank}")).ok()?;
    Some(RenId { ordinal, location })
}

fn read_points(coordinate: Coordinate, text: &str) -> Result<Vec<Point>, String> {
    let mut seen = PointSet::new();
    let mut points = Vec::new();
    for word in text.split_ascii_whitespace() {
        let point = coordinate.parse_vertex(word).map_err(|_| format!("{word:?} is no point of the board"))?;
        if !seen.insert(point) {
            return Err(format!("{word} stands twice"));
        }
        points.push(point);
    }
    Ok(points)
}

/// Whether neighbouring points connect all of these points.
fn is_connected(coordinate: Coordinate, points: &[Point]) -> bool {
    let Some(&first) = points.first() else { return true };
    let mut left: PointSet = points.iter().copied().collect();
    take_connected(coordinate, first, &mut left);
    left.is_empty()
}

/// Sets the adjacent colours of each ren, which the file lacks, from the other rens of the same position.
///
/// # Errors
/// A point of two rens of one position.
fn set_adjacent_colors(coordinate: Coordinate, rens: &mut [NamedRen]) -> Result<(), String> {
    let mut stones: BTreeMap<(u32, Point), Stone> = BTreeMap::new();
    for NamedRen { name, ordinal, ren } in rens.iter() {
        for &location in &ren.locations {
            if stones.insert((*ordinal, location), ren.stone).is_some() {
                return Err(format!("ren {name}: {} is in this position twice", coordinate.vertex(location)));
            }
        }
    }
    for NamedRen { ordinal, ren, .. } in rens {
        for neighbor in ren.locations.iter().flat_map(|&location| coordinate.neighbors(location)) {
            let color = stones.get(&(*ordinal, neighbor)).filter(|&&stone| stone != ren.stone);
            if let Some(color) = color.and_then(|stone| stone.color()) {
                ren.adjacent.add(color);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let error = read(text.as_bytes(), Coordinate::square(19).unwrap(), 722).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains(char::is_control) && error.chars().count() < 250, "{error}");
    }

    fn with(ren: &str) -> String {
        format!("{{\"header\":{{\"boardWidth\":19,\"boardHeight\":19}},\"rens\":{{{ren}}}}}")
    }

    #[test]
    fn invalid_files_are_refused() {
        refused("", "EOF");
        refused("\0\u{1}", "expected value");
        refused("[]", "expected an object");
        refused("{}", "missing field `header`");
        refused(&"[".repeat(100_000), "at line 1");
        refused(&format!("{{\"header\":{}", "{\"a\":".repeat(100_000)), "at line 1");
        let marked = format!("\u{feff}{}", with(""));
        assert!(read(marked.as_bytes(), Coordinate::square(19).unwrap(), 400).is_ok());
        refused(&with("").replacen("19", "9", 2), "board of 9 x 9, expected 19 x 19");
        refused(&with("\"001,01A\":{\"stone\":\"x\",\"locate\":\"A1\",\"liberty\":\"\",\"more\":1}"), "unknown field");
    }

    #[test]
    fn errors_quote_in_one_line() {
        let refused_as = |text: &str, quoted: &str, place: &str| {
            refused(text, quoted);
            refused(text, place);
        };
        refused_as(&with("\"001,01A\":{\"a\\nb\":1}"), "unknown field `a\\nb`, expected one of", "at line 1 column 70");
        refused_as(&with(&format!("\"001,01A\":{{\"{}\":1}}", "b".repeat(100_000))), "unknown field `bbb", "at line 1");
        let no_ren = "{\"stone\":\"x\",\"locate\":\"A1\",\"liberty\":\"\"}";
        let name = format!("\\n{}", "c".repeat(100_000));
        refused_as(&with(&format!("\"{name}\":{no_ren}")), "ren \\nccc", "expected a name such as 001,01A");
    }

    #[test]
    fn invalid_rens_are_refused() {
        let ren = |name: &str, stone: &str, locate: &str, liberty: &str| {
            with(&format!("\"{name}\":{{\"stone\":\"{stone}\",\"locate\":\"{locate}\",\"liberty\":\"{liberty}\"}}"))
        };
        assert!(read(ren("001,01A", "x", "B1 A1", "C1").as_bytes(), Coordinate::square(19).unwrap(), 722).is_ok());
        for name in
            ["", "001", "001,", "001,1A", "+01,01A", "000,01A", "001,01I", "001,20A", "001,01AA", "001,01A1", "1あ,01A"]
        {
            refused(&ren(name, "x", "A1", ""), "expected a name such as 001,01A");
        }
        refused(&ren("001,01A", "+", "A1", ""), "expected one of . x o");
        refused(&ren("001,01A", "black", "A1", ""), "expected one of . x o");
        refused(&ren("001,01A", "x", "", ""), "ren 001,01A: locate: expected at least one point");
        refused(&ren("001,01A", "x", "A1 Z26", ""), "locate: \"Z26\" is no point of the board");
        refused(&ren("001,01A", "x", "A1 A1", ""), "locate: A1 stands twice");
        refused(&ren("001,01A", "x", "A1", "I5"), "liberty: \"I5\" is no point of the board");
        refused(&ren("001,01A", "x", "A2", ""), "locate: smallest point A2, but the name says A1");
        let twice = "\"001,01A\":{\"stone\":\"x\",\"locate\":\"A1\",\"liberty\":\"\"}";
        refused(&with(&format!("{twice},{twice}")), "ren 001,01A: A1 is in this position twice");
        let other = |ordinal: &str| format!("\"{ordinal},02A\":{{\"stone\":\"o\",\"locate\":\"A2\",\"liberty\":\"\"}}");
        let both = "\"001,01A\":{\"stone\":\"x\",\"locate\":\"A1 A2\",\"liberty\":\"\"}";
        refused(&with(&format!("{both},{}", other("001"))), "ren 001,02A: A2 is in this position twice");
        assert!(
            read(with(&format!("{both},{}", other("002"))).as_bytes(), Coordinate::square(19).unwrap(), 722).is_ok()
        );
        refused(&ren("001,01A", "x", "A1 A3", "A2"), "locate: the points are not connected");
        refused(&ren("001,01A", "x", "A1", "A1"), "liberty: A1 is a point of the ren");
        refused(&with("").replace("{\"boardWidth\":19,\"boardHeight\":19}", "[19,19]"), "expected an object");
        refused(&with("\"001,01A\":[\"x\",\"A1\",\"\"]"), "expected an object");
    }
}

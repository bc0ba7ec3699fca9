//! The identifiers of properties.

use crate::kernel::{Color, Stone};

/// The properties of the game as a whole that no other variant of [`Property`] is for, comments apart.
const GAME_INFO: [&str; 12] = ["AN", "BR", "BT", "CP", "EV", "ON", "PC", "RO", "SO", "US", "WR", "WT"];

/// A property that is read or written; all others are `Other`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Property {
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
    Date,
    TimeLimit,
    Overtime,
    GameName,
    /// One of [`GAME_INFO`].
    GameInfo(&'static str),
    Comment,
    Other,
}

impl Property {
    /// Parses an identifier. Lower-case letters are ignored, as in `FF[3]`: `SiZe` is `SZ`. Without a capital letter they
    /// count as capitals: `sz` is `SZ`.
    pub(super) fn parse(written: &[u8]) -> Property {
        let mut capitals = capitals(written);
        match (capitals.next(), capitals.next(), capitals.next()) {
            (Some(b'B'), None, _) => Property::Move(Color::Black),
            (Some(b'W'), None, _) => Property::Move(Color::White),
            (Some(b'C'), None, _) => Property::Comment,
            (Some(first), Some(second), None) => match &[first, second] {
                b"AB" => Property::Setup(Stone::Black),
                b"AW" => Property::Setup(Stone::White),
                b"AE" => Property::Setup(Stone::Space),
                b"GM" => Property::Game,
                b"SZ" => Property::Size,
                b"CA" => Property::Charset,
                b"KM" => Property::Komi,
                b"HA" => Property::Handicap,
                b"PL" => Property::ToPlay,
                b"RU" => Property::Rules,
                b"RE" => Property::Result,
                b"PB" => Property::Player(Color::Black),
                b"PW" => Property::Player(Color::White),
                b"DT" => Property::Date,
                b"TM" => Property::TimeLimit,
                b"OT" => Property::Overtime,
                b"GN" => Property::GameName,
                letters => {
                    let found = GAME_INFO.iter().find(|identifier| identifier.as_bytes() == letters);
                    found.map_or(Property::Other, |identifier| Property::GameInfo(identifier))
                }
            },
            _ => Property::Other,
        }
    }

    /// Whether its values name points, which cannot be parsed without the size of the board.
    pub(super) const fn has_points(self) -> bool {
        matches!(self, Property::Move(_) | Property::Setup(_))
    }

    /// The identifier in messages and in written files.
    pub(super) const fn identifier(self) -> &'static str {
        match self {
            Property::Move(Color::Black) => "B",
            Property::Move(Color::White) => "W",
            Property::Setup(Stone::Black) => "AB",
            Property::Setup(Stone::White) => "AW",
            Property::Setup(Stone::Space | Stone::Wall) => "AE",
            Property::Game => "GM",
            Property::Size => "SZ",
            Property::Charset => "CA",
            Property::Komi => "KM",
            Property::Handicap => "HA",
            Property::ToPlay => "PL",
            Property::Rules => "RU",
            Property::Result => "RE",
            Property::Player(Color::Black) => "PB",
            Property::Player(Color::White) => "PW",
            Property::Date => "DT",
            Property::TimeLimit => "TM",
            Property::Overtime => "OT",
            Property::GameName => "GN",
            Property::GameInfo(identifier) => identifier,
            Property::Comment => "C",
            Property::Other => "?",
        }
    }
}

/// The identifier as `FF[4]` has it: without lower-case letters. One without capital letters stays as written, unless it
/// is a [`Property`] in lower case; so does one whose first character would be a digit.
pub(super) fn identifier_of(written: &[u8]) -> String {
    let is_known = written.iter().any(u8::is_ascii_uppercase) || Property::parse(written) != Property::Other;
    let short: String = capitals(written).map(char::from).collect();
    let is_identifier = short.starts_with(|first: char| first.is_ascii_uppercase());
    if is_known && is_identifier { short } else { written.iter().map(|&byte| char::from(byte)).collect() }
}

/// The characters without lower-case letters, or all in capitals if there is no capital letter.
fn capitals(written: &[u8]) -> impl Iterator<Item = u8> {
    let has_capital = written.iter().any(u8::is_ascii_uppercase);
    written
        .iter()
        .copied()
        .filter(move |byte| !has_capital || !byte.is_ascii_lowercase())
        .map(|byte| byte.to_ascii_uppercase())
}

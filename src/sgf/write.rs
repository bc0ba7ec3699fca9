//! The writer: a [`GameRecord`] to the text of a file.

use crate::kernel::{Color, Coordinate, Point, Stone};
use crate::sgf::folding::FoldedText;
use crate::sgf::property::Property;
use crate::sgf::record::{GameRecord, Turn};
use crate::sgf::value::{escaped, komi_value, letters, move_letters, size_value};
use crate::{NAME, VERSION};

/// Writes a record as `FF[4]` in UTF-8.
///
/// Lines are folded between properties. No line is empty and there is no line end after the last one, so that the text
/// can be a GTP answer; add one for a file. Points off the board are omitted, and control characters in texts become
/// blanks. Reading the text gives the same record if it satisfies the constraints stated at the fields of
/// [`GameRecord`].
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, Move};
/// use kifuwarabe_uec14::sgf::{self, GameRecord, Turn};
///
/// let coordinate = Coordinate::square(9).ok_or("size")?;
/// let mut record = GameRecord::new(coordinate);
/// record.turns.push(Turn::Move(Color::Black, Move::Play(coordinate.parse_vertex("C3")?)));
/// assert!(sgf::write(&record).ends_with("SZ[9]\n;B[cg])"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(record: &GameRecord) -> String {
    let mut lines = FoldedText::default();
    lines.push("(;FF[4]GM[1]CA[UTF-8]");
    lines.push(&format!("AP[{NAME}:{VERSION}]"));
    lines.property(Property::Size, &size_value(record.coordinate));
    if let Some(komi) = record.komi.filter(|komi| komi.is_finite()) {
        lines.property(Property::Komi, &komi_value(komi));
    } else if let Some(text) = &record.unclear_komi {
        lines.property(Property::Komi, &escaped(text, ' '));
    }
    if let Some(handicap) = record.handicap {
        lines.property(Property::Handicap, &handicap.to_string());
    }
    let texts = [
        (Property::Rules, &record.rules),
        (Property::Player(Color::Black), &record.black),
        (Property::Player(Color::White), &record.white),
        (Property::Date, &record.date),
        (Property::TimeLimit, &record.time_limit),
        (Property::Overtime, &record.overtime),
        (Property::GameName, &record.name),
    ];
    let texts = texts.into_iter().filter_map(|(property, text)| Some((property, text.as_ref()?)));
    let game_info = record.game_info.iter().map(|(&identifier, text)| (Property::GameInfo(identifier), text));
    let result = record.result.iter().map(|text| (Property::Result, text));
    for (property, text) in texts.chain(game_info).chain(result) {
        lines.property(property, &escaped(text, ' '));
    }
    lines.setup(&record.setup, record.coordinate);
    if let Some(color) = record.to_play {
        lines.property(Property::ToPlay, letter(color));
    }
    if !record.turns.is_empty() {
        lines.fold();
    }
    for (number, turn) in record.turns.iter().enumerate() {
        match turn {
            Turn::Move(color, play) => {
                if let Some(point) = move_letters(*play, record.coordinate) {
                    lines.push(&format!(";{}[{point}]", letter(*color)));
                }
            }
            Turn::Setup(changes) => {
                lines.push(";");
                lines.setup(changes, record.coordinate);
            }
            Turn::ToPlay(color) => lines.push(&format!(";PL[{}]", letter(*color))),
        }
        if let Some(comment) = record.comments.get(&number) {
            lines.property(Property::Comment, &escaped(comment, ' '));
        }
    }
    lines.push(")");
    lines.into_text()
}

/// Properties and set-ups of a record, appended to the text.
impl FoldedText {
    fn property(&mut self, property: Property, value: &str) {
        self.push(&format!("{}[{value}]", property.identifier()));
    }

    fn setup(&mut self, stones: &[(Point, Stone)], coordinate: Coordinate) {
        for content in [Stone::Black, Stone::White, Stone::Space] {
            let mut identifier = Property::Setup(content).identifier();
            for point in
                stones.iter().filter(|(_, stone)| *stone == content).filter_map(|&(p, _)| letters(p, coordinate))
            {
                self.push(&format!("{identifier}[{point}]"));
                identifier = "";
            }
        }
    }
}

const fn letter(color: Color) -> &'static str {
    Property::Move(color).identifier()
}

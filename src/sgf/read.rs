//! The reader: the tokens of a main line to a [`GameRecord`].

use crate::kernel::{Color, Coordinate, Move, Point, Stone};
use crate::sgf::encoding;
use crate::sgf::error::{SgfError, SgfProblem, quote};
use crate::sgf::lexer::{Lexer, Token};
use crate::sgf::limits::{MAX_SETUP, MAX_TURNS};
use crate::sgf::property::Property;
use crate::sgf::record::{GameRecord, Turn};
use crate::sgf::value;

/// The side, in points, of a board without `SZ`.
const DEFAULT_SIDE: u8 = 19;

/// Reads the main line of the first game in a file, in time and memory proportional to its length. The encoding is
/// detected (byte order mark, `CA`, or the bytes themselves).
///
/// # Errors
/// If there is no game, if its main line is malformed or cut, if it is not Go, or if the size of its board or a point
/// is invalid.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::sgf;
///
/// let record = sgf::read(b"(;GM[1]SZ[9]RU[Chinese]RE[B+2.5];B[ee];W[cc];B[])")?;
/// assert_eq!((record.turns.len(), record.result.as_deref()), (3, Some("B+2.5")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<GameRecord, SgfError> {
    let text = encoding::to_utf8(bytes);
    let mut reader = Reader::new(board_size(&text)?);
    let mut lexer = Lexer::new(&text)?;
    let mut property = Property::Other;
    let mut is_first = true;
    while let Some((at, token)) = lexer.next_of_main_line()? {
        match token {
            Token::Node => reader.end_node(),
            Token::Name(written) => {
                property = Property::parse(written);
                is_first = true;
            }
            Token::Value(value) => {
                reader.add_value(at, property, value, is_first)?;
                is_first = false;
            }
            Token::Open | Token::Close => {}
        }
    }
    Ok(reader.finish())
}

/// Whether a file has another game after the first one, which alone is read.
pub fn has_several_games(bytes: &[u8]) -> bool {
    is_collection(&encoding::to_utf8(bytes))
}

/// As [`has_several_games`] for a text, whose encoding is known.
pub fn text_has_several_games(text: &str) -> bool {
    is_collection(encoding::of_text(text))
}

fn is_collection(text: &[u8]) -> bool {
    let Ok(mut lexer) = Lexer::new(text) else { return false };
    while let Ok(next) = lexer.next() {
        if next.is_none() {
            return lexer.is_followed_by_a_game();
        }
    }
    false
}

/// The size of the board. `SZ` and `GM` are looked for up to the end of the first node that names a point.
pub(super) fn board_size(text: &[u8]) -> Result<Coordinate, SgfError> {
    let mut lexer = Lexer::new(text)?;
    let mut property = Property::Other;
    let mut has_points = false;
    let mut size = None;
    while let Some((at, token)) = lexer.next_of_main_line()? {
        match (token, property) {
            (Token::Node, _) if has_points => break,
            (Token::Node, _) => {}
            (Token::Name(written), _) => {
                property = Property::parse(written);
                has_points |= property.has_points();
            }
            (Token::Value(value), Property::Game) => value::game(at, value)?,
            (Token::Value(value), Property::Size) if size.is_none() => size = Some(value::size(at, value)?),
            (Token::Value(_) | Token::Open | Token::Close, _) => {}
        }
    }
    let invalid_default = SgfError::new(0, SgfProblem::Size(String::new()));
    size.or(Coordinate::square(DEFAULT_SIDE)).ok_or(invalid_default)
}

/// The record read so far, and the properties of the current node.
pub(super) struct Reader {
    record: GameRecord,
    /// The cells before the first turn.
    start: Vec<Stone>,
    /// The set-up of the current node, by cell; `changed` lists these cells.
    changes: Vec<Option<Stone>>,
    changed: Vec<Point>,
    to_play: Option<Color>,
    moves: Vec<(Color, Move)>,
    /// Number of points that setup properties have named so far.
    setup_count: usize,
}

impl Reader {
    pub(super) fn new(coordinate: Coordinate) -> Reader {
        Reader {
            record: GameRecord::new(coordinate),
            start: vec![Stone::Space; coordinate.memory_area()],
            changes: vec![None; coordinate.memory_area()],
            changed: Vec::new(),
            to_play: None,
            moves: Vec::new(),
            setup_count: 0,
        }
    }

    /// Adds a value of the current node, found at offset `at`. `is_first` tells whether it is the first one of its
    /// property.
    ///
    /// # Errors
    /// If the property determines the position and the value is invalid.
    pub(super) fn add_value(
        &mut self,
        at: usize,
        property: Property,
        value: &[u8],
        is_first: bool,
    ) -> Result<(), SgfError> {
        let record = &mut self.record;
        match property {
            Property::Move(color) if is_first => {
                self.moves.push((color, value::read_move(at, color, value, record.coordinate)?));
            }
            Property::Move(_) => return Err(SgfError::new(at, SgfProblem::SecondMove(quote(value)))),
            Property::Setup(stone) => {
                for point in value::rectangle(at, stone, value, record.coordinate)? {
                    self.set_up(at, point, stone)?;
                }
            }
            Property::ToPlay => self.to_play = value::to_play(value).or(self.to_play),
            Property::Komi if record.komi.is_none() => {
                record.komi = value::komi(value);
                match record.komi {
                    Some(_) => record.unclear_komi = None,
                    None => keep_first(&mut record.unclear_komi, value),
                }
            }
            Property::Handicap => record.handicap = record.handicap.or_else(|| value::handicap(value)),
            Property::Rules => keep_first(&mut record.rules, value),
            Property::Result => keep_first(&mut record.result, value),
            Property::Player(Color::Black) => keep_first(&mut record.black, value),
            Property::Player(Color::White) => keep_first(&mut record.white, value),
            Property::Date => keep_first(&mut record.date, value),
            Property::TimeLimit => keep_first(&mut record.time_limit, value),
            Property::Overtime => keep_first(&mut record.overtime, value),
            Property::GameName => keep_first(&mut record.name, value),
            Property::GameInfo(identifier) => {
                if !record.game_info.contains_key(identifier)
                    && let Some(text) = value::simple_text(value)
                {
                    record.game_info.insert(identifier, text);
                }
            }
            Property::Komi
            | Property::Game
            | Property::Size
            | Property::Charset
            | Property::Comment
            | Property::Other => {}
        }
        Ok(())
    }

    /// Sets a point; a later value for the same point replaces an earlier one.
    fn set_up(&mut self, at: usize, point: Point, stone: Stone) -> Result<(), SgfError> {
        self.setup_count += 1;
        if self.setup_count > MAX_SETUP {
            return Err(SgfError::new(at, SgfProblem::TooMuchSetup));
        }
        if let Some(cell) = self.changes.get_mut(point.index())
            && cell.replace(stone).is_none()
        {
            self.changed.push(point);
        }
        Ok(())
    }

    /// Appends the turns of the current node: set-up, player to move, then moves, in any order in the file.
    pub(super) fn end_node(&mut self) {
        let has_started = !self.record.turns.is_empty();
        self.changed.sort_unstable();
        let mut setup = Vec::new();
        for &point in &self.changed {
            let Some(stone) = self.changes.get_mut(point.index()).and_then(Option::take) else { continue };
            if has_started {
                setup.push((point, stone));
            } else if let Some(cell) = self.start.get_mut(point.index()) {
                *cell = stone;
            }
        }
        self.changed.clear();
        if !setup.is_empty() {
            self.record.turns.push(Turn::Setup(setup));
        }
        if let Some(color) = self.to_play.take() {
            if has_started {
                self.record.turns.push(Turn::ToPlay(color));
            } else {
                self.record.to_play = Some(color);
            }
        }
        self.record.turns.extend(self.moves.drain(..).map(|(color, play)| Turn::Move(color, play)));
        // enough to show that there are too many to be played, and no more memory
        self.record.turns.truncate(MAX_TURNS + 1);
    }

    /// Ends the last node, and the record.
    pub(super) fn finish(mut self) -> GameRecord {
        self.end_node();
        let stones = |point: Point| self.start.get(point.index()).map(|&stone| (point, stone));
        self.record.setup = self.record.coordinate.points().filter_map(stones).collect();
        self.record.setup.retain(|&(_, stone)| stone != Stone::Space);
        self.record
    }
}

/// Sets a property of the whole game unless it was set before.
fn keep_first(text: &mut Option<String>, value: &[u8]) {
    if text.is_none() {
        *text = value::simple_text(value);
    }
}

//! The tokens of a main line to a game.

use crate::kernel::{Color, Coordinate, Move, Point, Stone};
use crate::sgf::error::{SgfError, SgfProblem};
use crate::sgf::lexer::{Lexer, Token};
use crate::sgf::value::{self, Name};
use crate::sgf::{Game, Turn, encoding};

/// How many points the setup properties of a main line may name together, so that a few bytes that fill the board over and
/// over cost neither time nor memory.
pub const MAX_SETUP: usize = 1_000_000;

/// The side of a board of which nothing is said, in points.
const DEFAULT_SIDE: u8 = 19;

/// The main line of the first game in a file, in time and memory proportional to its length.
///
/// # Errors
/// If there is no game, if its main line is broken or cut, if it is not Go, or if its board or a point on it is unclear.
pub fn read(bytes: &[u8]) -> Result<Game, SgfError> {
    let text = encoding::to_utf8(bytes);
    let mut reader = Reader::new(board(&text)?);
    let mut lexer = Lexer::new(&text)?;
    let mut name = Name::Other;
    let mut first_value = true;
    while let Some((at, token)) = lexer.next()? {
        match token {
            Token::Node => reader.end_node(),
            Token::Name(written) => {
                name = Name::of(written);
                first_value = true;
            }
            Token::Value(value) => {
                reader.value(at, name, value, first_value)?;
                first_value = false;
            }
        }
    }
    Ok(reader.finish())
}

/// The board, and whether this is Go at all: both have to be said before the end of the first node with a point.
fn board(text: &[u8]) -> Result<Coordinate, SgfError> {
    let mut lexer = Lexer::new(text)?;
    let mut name = Name::Other;
    let mut has_points = false;
    let mut board = None;
    while let Some((at, token)) = lexer.next()? {
        match (token, name) {
            (Token::Node, _) if has_points => break,
            (Token::Node, _) => {}
            (Token::Name(written), _) => {
                name = Name::of(written);
                has_points |= name.has_points();
            }
            (Token::Value(value), Name::Game) => value::game(at, value)?,
            (Token::Value(value), Name::Size) if board.is_none() => board = Some(value::size(at, value)?),
            (Token::Value(_), _) => {}
        }
    }
    let nothing_said = SgfError::new(0, SgfProblem::Size(String::new()));
    board.or(Coordinate::square(DEFAULT_SIDE)).ok_or(nothing_said)
}

struct Reader {
    game: Game,
    /// What every cell holds before the first turn.
    start: Vec<Stone>,
    /// What this node sets up, by cell; the cells are listed in `changed`.
    changes: Vec<Option<Stone>>,
    changed: Vec<Point>,
    to_play: Option<Color>,
    moves: Vec<(Color, Move)>,
    /// Points that setup properties have named so far.
    named: usize,
}

impl Reader {
    fn new(coordinate: Coordinate) -> Reader {
        Reader {
            game: Game::new(coordinate),
            start: vec![Stone::Space; coordinate.memory_area()],
            changes: vec![None; coordinate.memory_area()],
            changed: Vec::new(),
            to_play: None,
            moves: Vec::new(),
            named: 0,
        }
    }

    fn value(&mut self, at: usize, name: Name, value: &[u8], first: bool) -> Result<(), SgfError> {
        let game = &mut self.game;
        match name {
            Name::Move(color) if first => {
                self.moves.push((color, value::read_move(at, color, value, game.coordinate)?));
            }
            Name::Move(_) => return Err(SgfError::new(at, SgfProblem::SecondMove(super::error::quote(value)))),
            Name::Setup(stone) => {
                for point in value::rectangle(at, stone, value, game.coordinate)? {
                    self.set_up(at, point, stone)?;
                }
            }
            Name::ToPlay => self.to_play = value::player(value).or(self.to_play),
            Name::Komi if game.komi.is_none() => {
                game.komi = value::komi(value);
                match game.komi {
                    Some(_) => game.unclear_komi = None,
                    None => keep_first(&mut game.unclear_komi, value),
                }
            }
            Name::Handicap => game.handicap = game.handicap.or_else(|| value::handicap(value)),
            Name::Rules => keep_first(&mut game.rules, value),
            Name::Result => keep_first(&mut game.result, value),
            Name::Player(Color::Black) => keep_first(&mut game.black, value),
            Name::Player(Color::White) => keep_first(&mut game.white, value),
            Name::Komi | Name::Game | Name::Size | Name::Charset | Name::Comment | Name::Other => {}
        }
        Ok(())
    }

    /// The last one named wins where a point is named twice.
    fn set_up(&mut self, at: usize, point: Point, stone: Stone) -> Result<(), SgfError> {
        self.named += 1;
        if self.named > MAX_SETUP {
            return Err(SgfError::new(at, SgfProblem::TooMuchSetup));
        }
        if let Some(cell) = self.changes.get_mut(point.index())
            && cell.replace(stone).is_none()
        {
            self.changed.push(point);
        }
        Ok(())
    }

    /// Setup comes before the moves of its node, wherever it is written.
    fn end_node(&mut self) {
        let started = !self.game.turns.is_empty();
        self.changed.sort_unstable();
        let mut setup = Vec::new();
        for &point in &self.changed {
            let Some(stone) = self.changes.get_mut(point.index()).and_then(Option::take) else { continue };
            if started {
                setup.push((point, stone));
            } else if let Some(cell) = self.start.get_mut(point.index()) {
                *cell = stone;
            }
        }
        self.changed.clear();
        if !setup.is_empty() {
            self.game.turns.push(Turn::Setup(setup));
        }
        if let Some(color) = self.to_play.take() {
            if started {
                self.game.turns.push(Turn::ToPlay(color));
            } else {
                self.game.to_play = Some(color);
            }
        }
        self.game.turns.extend(self.moves.drain(..).map(|(color, play)| Turn::Move(color, play)));
    }

    fn finish(mut self) -> Game {
        self.end_node();
        let stones = |point: Point| self.start.get(point.index()).map(|&stone| (point, stone));
        self.game.setup = self.game.coordinate.points().filter_map(stones).collect();
        self.game.setup.retain(|&(_, stone)| stone != Stone::Space);
        self.game
    }
}

/// Facts about the whole game are said once; a later one does not count.
fn keep_first(text: &mut Option<String>, value: &[u8]) {
    if text.is_none() {
        *text = value::simple_text(value);
    }
}

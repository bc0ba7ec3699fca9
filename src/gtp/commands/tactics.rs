//! Commands about the tactics of one ren, in GNU Go's form: attack and defence, as far as ladders decide them.
//!
//! An answer is `1` with the move, or `0`. GNU Go has further codes for kos, which the ladder reader does not search.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::game::{illegal, refuse_move};
use crate::gtp::commands::query::{read_last_occupied, read_occupied};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Board, Color, Move, Point, Stone, benson};
use crate::player::{Defense, TacticalReader};

/// GNU Go's code of a success, as `worm_data` prints it; the other commands print `1`.
const WIN: u8 = 5;

/// The opponent's move that captures a ren.
pub(crate) fn attack(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let ren = read_last_occupied(board, args)?;
    Ok(code(board, TacticalReader::new(board).attack(ren)))
}

/// The opponent's atari that captures a ren with two liberties.
pub(crate) fn ladder_attack(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let ren = read_last_occupied(board, args)?;
    let liberties = board.liberty_count(ren);
    if liberties != 2 {
        let vertex = board.coordinate().vertex(ren);
        let expected = format!("expected a ren with 2 liberties, it has {liberties}");
        return Err(CommandError::unexpected("vertex", &vertex, &expected));
    }
    Ok(code(board, TacticalReader::new(board).ladder_attack(ren)))
}

/// The move that saves a ren, or `PASS` if it needs none.
pub(crate) fn defend(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let ren = read_last_occupied(board, args)?;
    Ok(match TacticalReader::new(board).defend(ren) {
        Defense::NotNeeded => Reply::output("1 PASS").field("code", 1).field("point", "PASS"),
        Defense::Move(point) => code(board, Some(point)),
        Defense::None => code(board, None),
    })
}

/// Whether a move of the opponent captures a ren.
pub(crate) fn does_attack(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    reply_move_effect(engine, args, Color::opponent, |reading, color, point, ren| {
        reading.does_attack(color, point, ren)
    })
}

/// Whether a move of its owner saves a ren.
pub(crate) fn does_defend(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    reply_move_effect(engine, args, |owner| owner, |reading, color, point, ren| reading.does_defend(color, point, ren))
}

/// Reads a point and a ren, and answers whether a move at the point by `player` of the ren's owner has the effect on the ren.
fn reply_move_effect(
    engine: &Engine,
    args: &mut Args<'_>,
    player: fn(Color) -> Color,
    has_effect: fn(&mut TacticalReader<'_>, Color, Point, Point) -> bool,
) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let point = args.point(board.coordinate())?;
    let ren = read_last_occupied(board, args)?;
    let color = player(board.stone(ren).color().unwrap_or(Color::Black));
    let legal = engine.position.check(color, point);
    legal.map_err(|reason| refuse_move(engine, illegal(board.coordinate(), color, Move::Play(point), reason)))?;
    let has_effect = has_effect(&mut TacticalReader::new(board), color, point, ren);
    let number = u8::from(has_effect);
    Ok(Reply::output(number.to_string()).field("code", number))
}

/// `1` with the move, or `0`.
#[track_caller]
fn code(board: &Board, found: Option<Point>) -> Reply {
    match found.map(|point| board.coordinate().vertex(point)) {
        Some(vertex) => Reply::output(format!("1 {vertex}")).field("code", 1).field("point", vertex),
        None => Reply::output("0").field("code", 0),
    }
}

/// Prints the data of a ren, or of every ren: a block of lines each.
pub(crate) fn worm_data(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let stones = match args.is_empty() {
        true => board.coordinate().points().filter(|&point| board.stone(point) != Stone::Space).collect(),
        false => [read_occupied(board, args)?].into_iter().collect(),
    };
    args.end()?;
    let rens = board.rens_among(&stones);
    let safe = Color::BOTH.map(|color| benson(board, color));
    let blocks = rens.iter().filter_map(|ren| {
        let (&origin, color) = (ren.first()?, board.stone(*ren.first()?).color()?);
        let mut reading = TacticalReader::new(board);
        let vertex = |point: Option<Point>| point.map_or_else(|| "PASS".to_owned(), |p| board.coordinate().vertex(p));
        let worth = |is_won: bool| if is_won { WIN } else { 0 }.to_string();
        let attack = reading.attack(origin);
        let (is_defended, defense) = match reading.defend(origin) {
            Defense::Move(point) => (true, Some(point)),
            Defense::NotNeeded | Defense::None => (false, None),
        };
        let status = match [color, color.opponent()].map(|player| safe.get(player.index())) {
            [Some(own), _] if own.alive.contains(origin) => "alive",
            [_, Some(other)] if other.territory.contains(origin) => "dead",
            _ => "unknown",
        };
        let fields = [
            ("origin", vertex(Some(origin))),
            ("color", color.to_string()),
            ("size", ren.len().to_string()),
            ("liberties", board.liberty_count(origin).to_string()),
            ("attack_code", worth(attack.is_some())),
            ("attack_point", vertex(attack)),
            ("defense_code", worth(is_defended)),
            ("defense_point", vertex(defense)),
            ("unconditional_status", status.to_owned()),
        ];
        Some(block(&vertex(Some(origin)), &fields, 20))
    });
    let blocks: Vec<String> = blocks.collect();
    Ok(Reply::output(blocks.join("\n")))
}

/// A heading and a line for each field, whose values begin in column `width`, as GNU Go prints its data.
pub(super) fn block(heading: &str, fields: &[(&str, String)], width: usize) -> String {
    let lines = fields.iter().map(|(name, value)| format!("{name:width$} {value}"));
    std::iter::once(format!("{heading}:")).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Answers of `attack` and `ladder_attack`.
pub(crate) fn attack_help() -> Vec<ArgumentHelp> {
    argument_help([("= 1 D4", "D4 captures the ren, or begins a ladder that does"), ("= 0", "no ladder captures it")])
}

/// Answers of `defend`.
pub(crate) fn defend_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("= 1 PASS", "no ladder captures the ren"),
        ("= 1 D4", "D4 saves the ren from the ladder"),
        ("= 0", "no liberty of the ren and no capture beside it saves it"),
    ])
}

/// Arguments of `does_attack` and `does_defend`.
pub(crate) fn tried_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("MOVE", "a point: of the opponent's move for does_attack, of the owner's for does_defend"),
        ("VERTEX", "a stone of the ren"),
    ])
}

/// Arguments of `worm_data`.
pub(crate) fn worm_data_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("[VERTEX]", "a stone of the ren; without it, all rens"),
        ("attack_code", "5 if a ladder captures it, else 0"),
    ])
}

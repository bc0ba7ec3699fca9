//! Commands that begin a game and change it: board, moves and undo.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Color, Coordinate, IllegalMove, MAX_SIDE, MIN_SIDE, Move};
use crate::text::quote::shortened;

/// One number is the side of a square board. Two are width and height, as two words or, as in KataGo, with a colon
/// between them.
pub(crate) fn boardsize(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let word = args.word("WIDTH")?;
    let sides = match word.split_once(':') {
        Some((width, height)) => [width, height],
        None => [word, args.optional().unwrap_or(word)],
    };
    args.end()?;
    // GTP: an integer of any length is a size, acceptable or not; any other word is a syntax error
    let is_number = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if let Some(text) = sides.into_iter().find(|text| !is_number(text)) {
        return Err(CommandError::unexpected("sideLength", text, "").explained(expected_sides()));
    }
    let mut lengths = [0; 2];
    for (length, side) in lengths.iter_mut().zip(sides) {
        let acceptable = side.parse().ok().filter(|side| (MIN_SIDE..=MAX_SIDE).contains(side));
        *length = acceptable.ok_or_else(|| unacceptable_size(side))?;
    }
    let [width, height] = lengths;
    let coordinate = Coordinate::new(width, height).ok_or_else(|| unacceptable_size(word))?;
    engine.position = engine.position.new_game(coordinate);
    engine.begin_game();
    Ok(Reply::ok())
}

/// The sides that boards have, for a person.
fn expected_sides() -> String {
    format!("expected {MIN_SIDE} to {MAX_SIDE} points a side")
}

/// The error for a side that no board has.
#[track_caller]
fn unacceptable_size(side: &str) -> CommandError {
    CommandError::new("unacceptable size")
        .field("sideLength", shortened(side))
        .field("max", MAX_SIDE)
        .explained(expected_sides())
}

pub(crate) fn clear_board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    engine.position = engine.position.new_game(engine.position.board().coordinate());
    engine.begin_game();
    Ok(Reply::ok())
}

pub(crate) fn play(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    play_by(engine, args, color)
}

/// A move of Black.
pub(crate) fn black(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    play_by(engine, args, Color::Black)
}

/// A move of White.
pub(crate) fn white(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    play_by(engine, args, Color::White)
}

#[track_caller]
fn play_by(engine: &mut Engine, args: &mut Args<'_>, color: Color) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let play = args.play(coordinate)?;
    args.end()?;
    let outcome = engine.position.make_move(color, play);
    outcome.map_err(|reason| refuse_move(engine, illegal(coordinate, color, play, reason)))?;
    Ok(Reply::ok())
}

/// Plays several moves; if one is illegal, takes back those before it.
pub(crate) fn gogui_play_sequence(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((args.color()?, args.play(coordinate)?));
    }
    for (played, &(color, play)) in moves.iter().enumerate() {
        if let Err(reason) = engine.position.make_move(color, play) {
            for _ in 0..played {
                engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
            }
            return Err(refuse_move(engine, illegal(coordinate, color, play, reason)));
        }
    }
    Ok(Reply::ok())
}

pub(crate) fn undo(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
    engine.tried_moves.forget_undone(&engine.position);
    Ok(Reply::ok())
}

pub(crate) fn gg_undo(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let count = if args.is_empty() { 1 } else { args.number("moves", 0..=u32::MAX)? };
    args.end()?;
    if count as usize > engine.position.record().len() {
        return Err(CommandError::new("cannot undo"));
    }
    for _ in 0..count {
        engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
    }
    engine.tried_moves.forget_undone(&engine.position);
    Ok(Reply::ok())
}

/// Plays a move that `popgo` takes back.
pub(crate) fn trymove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let reply = play(engine, args)?;
    engine.tried_moves.push(&engine.position);
    Ok(reply)
}

/// Takes back the last move if it was tried.
pub(crate) fn popgo(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    if !engine.tried_moves.pop(&engine.position) {
        return Err(CommandError::new("the last move was not played by trymove"));
    }
    engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
    Ok(Reply::ok())
}

/// The error for an illegal move: the rule it breaks, colour and point.
#[track_caller]
pub(crate) fn illegal(coordinate: Coordinate, color: Color, play: Move, reason: IllegalMove) -> CommandError {
    let (my_stone, vertex) = (color.stone().to_string(), play.vertex(coordinate));
    CommandError::new(format!("{reason} my_stone:{my_stone} point:{vertex}"))
        .field("reason", reason.name())
        .field("my_stone", my_stone)
        .field("point", vertex)
        .explained(reason.described())
}

/// The error, with GTP's text `illegal move` in strict mode, which match runners look for.
pub(crate) fn refuse_move(engine: &Engine, error: CommandError) -> CommandError {
    if engine.is_strict { CommandError { text: "illegal move".to_owned(), ..error } } else { error }
}

/// The error for a point without a ren.
#[track_caller]
pub(crate) fn not_found_ren(coord: String) -> CommandError {
    CommandError::new(format!("not found ren coord:{coord}")).field("coord", coord)
}

/// Arguments of `boardsize` and `rectangular_boardsize`.
pub(crate) fn boardsize_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("WIDTH", "points in a row, 2 to 25"),
        ("[HEIGHT]", "points in a column, 2 to 25; without it as many as in a row"),
        ("WIDTH:HEIGHT", "the same in one word, as KataGo takes it"),
    ])
}

/// Arguments of commands that take moves.
pub(crate) fn move_help() -> Vec<ArgumentHelp> {
    argument_help([("VERTEX", "a point such as D4 (columns are letters without I, rows are numbers from 1), or pass")])
}

/// Arguments of `gg-undo`.
pub(crate) fn gg_undo_help() -> Vec<ArgumentHelp> {
    argument_help([("[MOVES]", "the number of moves; 1 without it")])
}

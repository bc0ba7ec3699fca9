//! Commands that change the position.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::io::quote::shortened;
use crate::kernel::{Color, Coordinate, IllegalMove, MAX_SIDE, Move, Point, parse_stones};

pub(crate) fn boardsize(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let side = args.word("N")?;
    let other_side = args.optional().unwrap_or(side);
    args.end()?;
    // every whole number is a size, however long; most are not acceptable
    let is_number = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if let Some(text) = [side, other_side].into_iter().find(|text| !is_number(text)) {
        return Err(CommandError::unexpected("sideLength", text, ""));
    }
    let acceptable = side.parse().ok().filter(|&width| width >= 2 && other_side.parse() == Ok(width));
    let Some(coordinate) = acceptable.and_then(Coordinate::square) else {
        return Err(CommandError::new("unacceptable size").field("sideLength", shortened(side)).field("max", MAX_SIDE));
    };
    engine.position.clear(coordinate);
    engine.clock.clear();
    Ok(Reply::ok())
}

pub(crate) fn clear_board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    engine.position.clear(engine.position.board().coordinate());
    engine.clock.clear();
    Ok(Reply::ok())
}

pub(crate) fn komi(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let komi = args.float("komi")?;
    args.end()?;
    engine.position.rule_mut().komi = komi;
    Ok(Reply::ok())
}

pub(crate) fn board_set(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let method = args.word("method")?;
    if method != "file" {
        return Err(CommandError::unexpected("method", method, "expected file"));
    }
    let path = args.rest("path")?;
    let refused = |reason: &str| CommandError::unexpected("file", path, reason);
    let text = engine.data.read(path).map_err(|reason| refused(&reason))?;
    let stones =
        parse_stones(engine.position.board().coordinate(), &text).map_err(|error| match error.size_facts() {
            Some((i, size)) => CommandError::new(error.to_string()).field("i", i).field("size", size),
            None => refused(&error.to_string()),
        })?;
    engine.position.set_up(&stones).map_err(|error| refused(&error.to_string()))?;
    Ok(Reply::ok())
}

pub(crate) fn play(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    let coordinate = engine.position.board().coordinate();
    let play = args.play(coordinate)?;
    args.end()?;
    match play {
        Move::Pass => engine.position.pass(color),
        Move::Play(point) => {
            let outcome = engine.position.play(color, point);
            outcome.map_err(|reason| refuse_move(engine, illegal(coordinate, color, point, reason)))?;
        }
    }
    Ok(Reply::ok())
}

/// The refusal of a move by the name of the rule it breaks.
#[track_caller]
pub(crate) fn illegal(coordinate: Coordinate, color: Color, point: Point, reason: IllegalMove) -> CommandError {
    let (my_stone, vertex) = (color.stone().to_string(), coordinate.vertex(point));
    CommandError::new(format!("{reason} my_stone:{my_stone} point:{vertex}"))
        .field("reason", reason.name())
        .field("my_stone", my_stone)
        .field("point", vertex)
}

/// The refusal as the engine is told to give it: match runners look for GTP's own text.
pub(crate) fn refuse_move(engine: &Engine, error: CommandError) -> CommandError {
    if engine.is_strict { CommandError { text: "illegal move".to_owned(), ..error } } else { error }
}

pub(crate) fn undo(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
    Ok(Reply::ok())
}

pub(crate) fn can_not_put_on_my_eye(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let method = args.word("method")?;
    let rule = engine.position.rule_mut();
    match method {
        "get" => {
            args.end()?;
            let value = rule.can_not_put_on_my_eye;
            Ok(Reply::output(value.to_string()).msg("ok").field("value", value))
        }
        "set" => {
            let value = args.word("value")?;
            args.end()?;
            rule.can_not_put_on_my_eye = match value {
                "true" => true,
                "false" => false,
                _ => {
                    let found = shortened(value);
                    let error = CommandError::new(format!("unexpected method:{method} value:{found}"));
                    return Err(error.field("method", method).field("value", found));
                }
            };
            Ok(Reply::ok())
        }
        _ => Err(CommandError::unexpected("method", method, "")),
    }
}

pub(crate) fn remove_ren(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let point = args.point(coordinate)?;
    args.end()?;
    engine.position.remove_ren(point).map_err(|_| not_found_ren(coordinate.vertex(point)))?;
    Ok(Reply::ok())
}

#[track_caller]
pub(crate) fn not_found_ren(coord: String) -> CommandError {
    CommandError::new(format!("not found ren coord:{coord}")).field("coord", coord)
}

//! Commands that set a position up, or play several moves at once.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::game::{illegal, refuse_move};
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Board, Color, Coordinate, Move, Point, Stone};

pub(crate) fn set_position(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let stones = read_stones(coordinate, args)?;
    engine.position.set_up(&stones).map_err(|error| CommandError::new(error.to_string()))?;
    Ok(Reply::ok())
}

/// As [`set_position`], but only on an empty board.
pub(crate) fn gogui_setup(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    if board.empty_points().len() < board.coordinate().board_area() {
        return Err(CommandError::new("board not empty"));
    }
    set_position(engine, args)
}

pub(crate) fn gogui_setup_player(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    engine.position.set_to_move(color);
    Ok(Reply::ok())
}

/// All moves or none.
pub(crate) fn gogui_play_sequence(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((args.color()?, args.play(coordinate)?));
    }
    for (played, &(color, play)) in moves.iter().enumerate() {
        let outcome = match play {
            Move::Pass => {
                engine.position.pass(color);
                Ok(())
            }
            Move::Play(point) => engine.position.play(color, point).map_err(|reason| (reason, point)),
        };
        if let Err((reason, point)) = outcome {
            for _ in 0..played {
                engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
            }
            return Err(refuse_move(engine, illegal(coordinate, color, point, reason)));
        }
    }
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
    Ok(Reply::ok())
}

/// The cells of a board with the stones that are left to read, as `B D4 W Q16`.
fn read_stones(coordinate: Coordinate, args: &mut Args<'_>) -> Result<Vec<Stone>, CommandError> {
    let mut stones = Board::new(coordinate).stones().to_vec();
    while !args.is_empty() {
        let (color, point): (Color, Point) = (args.color()?, args.point(coordinate)?);
        match stones.get_mut(point.index()) {
            Some(cell) if *cell == Stone::Space => *cell = color.stone(),
            _ => return Err(CommandError::new(format!("repeated vertex:{}", coordinate.vertex(point)))),
        }
    }
    Ok(stones)
}

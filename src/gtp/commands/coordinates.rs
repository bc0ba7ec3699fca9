//! Commands that show how points are numbered and named.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::coordinate::file_letter;
use crate::kernel::{Coordinate, Point};

pub(crate) fn test_coord(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (_, point) = only_point(engine, args)?;
    Ok(Reply::output(point.to_string()).field("point", point.index()))
}

pub(crate) fn test_file(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (coordinate, point) = only_point(engine, args)?;
    let file = coordinate.file(point).to_string();
    Ok(Reply::output(file.as_str()).field("file", file))
}

pub(crate) fn test_rank(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (coordinate, point) = only_point(engine, args)?;
    let rank = coordinate.rank(point).to_string();
    Ok(Reply::output(rank.as_str()).field("rank", rank))
}

pub(crate) fn test_get_point_from_code(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (coordinate, point) = only_point(engine, args)?;
    let code = coordinate.vertex(point);
    Ok(Reply::output(format!("{point} {code}")).msg("ok").field("point", point.index()).field("code", code))
}

pub(crate) fn test_get_point_from_xy(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let x = args.number("x", 0..=coordinate.memory_width() as u32 - 1)?;
    let y = args.number("y", 0..=coordinate.memory_height() as u32 - 1)?;
    args.end()?;
    let point = coordinate.point(x as u8, y as u8).ok_or_else(|| CommandError::new("outside the frame"))?;
    Ok(Reply::output(point.to_string()).field("point", point.index()))
}

/// The file does not depend on the board: every column that has a name has it on every board.
pub(crate) fn test_x(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let x = args.number("x", 0..=24)?;
    args.end()?;
    let file = file_letter(x as usize).map(String::from).unwrap_or_default();
    Ok(Reply::output(file.as_str()).field("file", file))
}

/// Ranks have two digits, so rows go to 98, on every board.
pub(crate) fn test_y(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let y = args.number("y", 0..=98)?;
    args.end()?;
    let rank = (y + 1).to_string();
    Ok(Reply::output(rank.as_str()).field("rank", rank))
}

fn only_point(engine: &Engine, args: &mut Args<'_>) -> Result<(Coordinate, Point), CommandError> {
    let coordinate = engine.position.board().coordinate();
    let point = args.point(coordinate)?;
    args.end()?;
    Ok((coordinate, point))
}

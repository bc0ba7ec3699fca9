//! Commands that read and write game records.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::player::final_score;
use crate::sgf;

/// All or nothing: a file that cannot be loaded leaves the game as it is. Why it cannot is in the logs, for GTP fixes the
/// text of the answer.
pub(crate) fn loadsgf(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = args.file_name()?;
    let until = if args.is_empty() { None } else { Some(args.number("move_number", 0..=u32::MAX)? as usize) };
    args.end()?;
    let refused = |reason: String| CommandError::new("cannot load file").field("file", path).field("reason", reason);
    let bytes = engine.data.read(path).map_err(refused)?;
    let game = sgf::read(&bytes).map_err(|error| refused(error.to_string()))?;
    // before the first move is before move 0, too
    let until = until.map(|until| until.max(1));
    let position = sgf::position_of(&game, &engine.position, until);
    engine.position = position.map_err(|error| refused(error.to_string()))?;
    engine.clock.clear();
    Ok(Reply::ok())
}

/// Without a file name, or with `-`, the record is the answer.
pub(crate) fn printsgf(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = if args.is_empty() { None } else { Some(args.file_name()?) };
    args.end()?;
    let mut game = sgf::record_of(&engine.position);
    if engine.position.is_over() {
        game.result = Some(final_score(&engine.position).score.to_string());
    }
    let text = sgf::write(&game);
    match path {
        None | Some("-") => Ok(Reply::output(text.as_str()).field("sgf", text)),
        Some(path) => engine.save(path, (text + "\n").as_bytes()),
    }
}

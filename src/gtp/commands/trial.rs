//! Moves that are tried and taken back, and the results of a move that is not played: its liberties, and hashes that do
//! not depend on the orientation of the board.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::game::play;
use crate::gtp::commands::query::vertices;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::hash::Fnv1a;
use crate::kernel::{Board, IllegalMove, Point, Stone, Symmetry, get_liberty};

/// Plays a move that `popgo` takes back.
pub(crate) fn trymove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let reply = play(engine, args)?;
    engine.trials.push(&engine.position);
    Ok(reply)
}

/// Takes back the last move if it was tried.
pub(crate) fn popgo(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    if !engine.trials.pop(&engine.position) {
        return Err(CommandError::new("the last move was not played by trymove"));
    }
    engine.position.undo().map_err(|error| CommandError::new(error.to_string()))?;
    Ok(Reply::ok())
}

/// The liberties of the ren that a stone at an empty point would belong to; none if the stone would be captured. A ban
/// by ko is ignored.
pub(crate) fn accuratelib(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let color = args.color()?;
    let point = args.point(board.coordinate())?;
    args.end()?;
    if board.stone(point) != Stone::Space {
        return Err(CommandError::new(format!("vertex is occupied:{}", board.coordinate().vertex(point))));
    }
    let after = match board.check(color, point) {
        Ok(()) | Err(IllegalMove::Ko) => board.after(color, point, &mut ()),
        Err(_) => board.clone(),
    };
    let ren = get_liberty(&after, point).filter(|ren| ren.stone == color.stone());
    let mut liberties = ren.map(|ren| ren.liberties).unwrap_or_default();
    liberties.sort_unstable();
    Ok(vertices(engine, &liberties))
}

/// The hash of the stones and the ko, the same for all orientations of the board.
pub(crate) fn invariant_hash(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let hash = digits(engine.position.board());
    Ok(Reply::output(hash.as_str()).field("hash", hash))
}

/// The hash after each legal move of a player, one move a line.
pub(crate) fn invariant_hash_for_moves(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let board = engine.position.board();
    let legal = board.coordinate().points_from_top_left().filter(|&p| engine.position.check(color, p).is_ok());
    let lines = legal.map(|point| {
        let after = board.after(color, point, &mut ());
        format!("{} {}", board.coordinate().vertex(point), digits(&after))
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    Ok(Reply::output(text.as_str()).field("hashes", text))
}

/// The least hash over the symmetries of a board that keep its shape, as 16 hexadecimal digits.
fn digits(board: &Board) -> String {
    let keeps_shape = |symmetry: &Symmetry| !symmetry.swaps_axes() || board.coordinate().side().is_some();
    let hashes = Symmetry::all().filter(keeps_shape).map(|symmetry| hash(board, symmetry));
    format!("{:016x}", hashes.min().unwrap_or_default())
}

/// The hash of a board's size, stones and ko under a symmetry.
fn hash(board: &Board, symmetry: Symmetry) -> u64 {
    let coordinate = board.coordinate();
    let size = Fnv1a::default().with(u64::from(coordinate.width())).with(u64::from(coordinate.height()));
    let word = |point: Point| {
        let ko = board.ko().filter(|ko| ko.point == point).map_or(0, |ko| ko.color.index() as u64 + 1);
        board.stone(point) as u64 | ko << 8
    };
    symmetry.points(coordinate).fold(size, |hash, point| hash.with(word(point))).value()
}

/// Arguments of `accuratelib` and `accurate_approxlib`.
pub(crate) fn accuratelib_help() -> Vec<ArgumentHelp> {
    argument_help([("VERTEX", "an empty point, where the stone would be placed")])
}

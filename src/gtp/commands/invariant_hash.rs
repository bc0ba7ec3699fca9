//! Hashes of positions that do not depend on the orientation of the board.

use crate::gtp::args::Args;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::hash::Fnv1a;
use crate::kernel::{Board, Point, Symmetry};

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
    let legal = board.coordinate().points_from_highest_rank().filter(|&p| engine.position.check(color, p).is_ok());
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

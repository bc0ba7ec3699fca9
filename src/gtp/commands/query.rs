//! Commands that answer a question about the game, with the meanings that GNU Go gave them.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Color, Move, Point, Stone};

pub(crate) fn get_komi(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let komi = engine.position.rule().komi;
    Ok(Reply::output(komi.to_string()).field("komi", komi))
}

pub(crate) fn get_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let handicap = engine.position.handicap();
    Ok(Reply::output(handicap.to_string()).field("handicap", handicap))
}

pub(crate) fn query_boardsize(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let size = engine.position.board().coordinate().width();
    Ok(Reply::output(size.to_string()).field("size", size))
}

pub(crate) fn last_move(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    match moves(engine).next_back() {
        Some(text) => Ok(Reply::output(text)),
        None => Err(CommandError::new("no previous move known")),
    }
}

/// The newest move first.
pub(crate) fn move_history(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let lines: Vec<String> = moves(engine).rev().collect();
    Ok(Reply::output(lines.join("\n")))
}

pub(crate) fn list_stones(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let board = engine.position.board();
    let points: Vec<Point> = board.coordinate().points().filter(|&p| board.stone(p) == color.stone()).collect();
    Ok(vertices(engine, &points))
}

/// The prisoners that a colour has taken.
pub(crate) fn captures(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let prisoners = engine.position.prisoners(color);
    Ok(Reply::output(prisoners.to_string()).field("captures", prisoners))
}

pub(crate) fn is_legal(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    let play = args.play(engine.position.board().coordinate())?;
    args.end()?;
    let (is_legal, reason) = match play {
        Move::Pass => (true, None),
        Move::Play(point) => match engine.position.check(color, point) {
            Ok(()) => (true, None),
            Err(reason) => (false, Some(reason.name())),
        },
    };
    let reply = Reply::output(u8::from(is_legal).to_string()).field("legal", is_legal);
    Ok(match reason {
        Some(reason) => reply.field("reason", reason),
        None => reply,
    })
}

/// Passing, which is always legal, is left out.
pub(crate) fn all_legal(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let points = legal_points(engine, color);
    Ok(vertices(engine, &points))
}

pub(crate) fn countlib(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let point = stone(engine, args)?;
    let count = engine.position.board().liberty_count(point);
    Ok(Reply::output(count.to_string()).field("libertyArea", count))
}

pub(crate) fn findlib(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let point = stone(engine, args)?;
    let ren = crate::kernel::get_liberty(engine.position.board(), point);
    let mut liberties = ren.map(|ren| ren.liberties).unwrap_or_default();
    liberties.sort_unstable();
    Ok(vertices(engine, &liberties))
}

pub(crate) fn color(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let point = args.point(board.coordinate())?;
    args.end()?;
    let name = board.stone(point).color().map_or_else(|| "empty".to_owned(), |color| color.to_string());
    Ok(Reply::output(name.as_str()).field("color", name))
}

/// The points where a colour may play.
pub(crate) fn legal_points(engine: &Engine, color: Color) -> Vec<Point> {
    let points = engine.position.board().coordinate().points();
    points.filter(|&point| engine.position.check(color, point).is_ok()).collect()
}

fn moves(engine: &Engine) -> impl DoubleEndedIterator<Item = String> {
    let coordinate = engine.position.board().coordinate();
    let items = engine.position.record().items().iter();
    items.map(move |item| format!("{} {}", item.color, item.play.vertex(coordinate)))
}

fn stone(engine: &Engine, args: &mut Args<'_>) -> Result<Point, CommandError> {
    let board = engine.position.board();
    let point = args.point(board.coordinate())?;
    args.end()?;
    if board.stone(point) == Stone::Space {
        return Err(CommandError::new(format!("vertex is empty:{}", board.coordinate().vertex(point))));
    }
    Ok(point)
}

fn vertices(engine: &Engine, points: &[Point]) -> Reply {
    let text = engine.position.board().coordinate().vertices(points);
    Reply::output(text.as_str()).field("points", text)
}

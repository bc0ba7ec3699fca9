//! Commands that show the position, its moves and coordinates, and change nothing.
//!
//! Commands shared with GNU Go (`countlib`, `findlib`, `is_legal`, `all_legal` and others) have the same meaning and
//! form.

use std::fmt::Write;

use crate::gtp::args::{Args, expected_vertex};
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::board_text::{board_text, cells_text, showboard_text};
use crate::gtp::commands::game::not_found_ren;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::coordinate::file_letter;
use crate::kernel::{Board, Color, Coordinate, IllegalMove, Point, PointSet, Position, Ren, Stone, get_liberty};

pub(crate) fn board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let board = engine.position.board();
    let reply = Reply::output(board_text(board.coordinate(), board.stones()));
    Ok(Reply { is_diagram: true, ..reply.field("board", cells_text(board.stones())) })
}

pub(crate) fn showboard(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let text = format!("\n{}", showboard_text(&engine.position));
    let reply = Reply::output(text.as_str()).field("board", cells_text(engine.position.board().stones()));
    Ok(Reply { is_diagram: true, ..reply.field("text", text) })
}

pub(crate) fn record(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let record = engine.position.record();
    match args.optional() {
        None => {
            let text = record.text(coordinate);
            Ok(Reply::output(format!("record:'{text}'")).field("record", text))
        }
        Some("captures") => {
            args.end()?;
            let mut text = String::new();
            for (item, ordinal) in record.items().iter().zip(1..).filter(|(item, _)| !item.captured.is_empty()) {
                let captured = coordinate.vertices(&item.captured);
                // writing to a String cannot fail
                let _ = write!(text, "\n[{ordinal}]{} {captured}", item.play.vertex(coordinate));
            }
            Ok(Reply::output(format!("captures:'''{text}\n'''")).field("captures", text.trim_start()))
        }
        Some(word) => Err(args.unexpected(word)),
    }
}

pub(crate) fn test_get_liberty(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let point = args.point(board.coordinate())?;
    args.end()?;
    let ren = get_liberty(board, point).ok_or_else(|| not_found_ren(board.coordinate().vertex(point)))?;
    Ok(Reply::output(ren_text(&ren))
        .msg("output ren")
        .field("color", ren.stone.to_string())
        .field("area", ren.area())
        .field("libertyArea", ren.liberty_area())
        .field("adjacentColor", ren.adjacent.to_string()))
}

/// A ren in one line: colour, area, liberties and adjacent colours.
pub(crate) fn ren_text(ren: &Ren) -> String {
    let (area, liberty_area) = (ren.area(), ren.liberty_area());
    format!("ren color:{} area:{area} libertyArea:{liberty_area} adjacentColor:{}", ren.stone, ren.adjacent)
}

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

/// The arguments that `boardsize` would take: one number for a square board, as in GNU Go, else width and height.
pub(crate) fn query_boardsize(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    let reply = Reply::output(size_words(coordinate));
    Ok(match coordinate.side() {
        Some(side) => reply.field("size", side),
        None => reply.field("width", coordinate.width()).field("height", coordinate.height()),
    })
}

/// One number for a square board, else width and height.
pub(crate) fn size_words(coordinate: Coordinate) -> String {
    coordinate.size_text().replace('x', " ")
}

pub(crate) fn last_move(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    match moves(engine).next_back() {
        Some(text) => Ok(Reply::output(text)),
        None => Err(CommandError::new("no previous move known")),
    }
}

/// The newest move comes first.
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

/// The stones of rens, as GNU Go lists them: of the ren at a point, or one line for each ren, of a colour or of both.
pub(crate) fn worm_stones(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    Ok(rens_reply(board, &chosen_stones(board, args)?))
}

/// The stones that the last argument chooses: those of the ren at a point, of a colour, or all without an argument.
pub(crate) fn chosen_stones(board: &Board, args: &mut Args<'_>) -> Result<PointSet, CommandError> {
    let coordinate = board.coordinate();
    let word = args.optional();
    args.end()?;
    Ok(match (word, word.and_then(Color::parse)) {
        (Some(word), None) => {
            let point = coordinate.parse_vertex(word).map_err(|_| {
                let expected = format!("{}, black or white", expected_vertex(word, coordinate));
                CommandError::unexpected("vertex", word, &expected)
            })?;
            board.ren_points(point).filter(|_| board.stone(point).color().is_some()).collect()
        }
        (_, color) => {
            let is_chosen = |stone: Stone| stone.color().is_some_and(|owner| color.is_none_or(|color| color == owner));
            coordinate.points().filter(|&point| is_chosen(board.stone(point))).collect()
        }
    })
}

/// The rens that have a stone in `stones`, one a line.
#[track_caller]
pub(crate) fn rens_reply(board: &Board, stones: &PointSet) -> Reply {
    let lines: Vec<String> = board.rens_among(stones).iter().map(|ren| board.coordinate().vertices(ren)).collect();
    let text = lines.join("\n");
    Reply::output(text.as_str()).field("rens", text)
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

/// Arguments of `worm_stones`.
pub(crate) fn worm_help() -> Vec<ArgumentHelp> {
    argument_help([("VERTEX", "the ren at this point"), ("COLOR", "the rens of a colour"), ("no argument", "all rens")])
}

/// The number of prisoners that a colour has taken.
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
    let verdict = engine.position.check_move(color, play);
    let reply = Reply::output(u8::from(verdict.is_ok()).to_string()).field("legal", verdict.is_ok());
    Ok(match verdict {
        Ok(()) => reply,
        Err(reason) => reply.field("reason", reason.name()),
    })
}

/// Points only: a pass is always legal.
pub(crate) fn all_legal(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    Ok(vertices(engine, &legal_points(&engine.position, color)))
}

/// The points where a colour may play, row by row from A1.
pub(crate) fn legal_points(position: &Position, color: Color) -> Vec<Point> {
    position.board().coordinate().points().filter(|&point| position.check(color, point).is_ok()).collect()
}

pub(crate) fn countlib(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let point = read_last_occupied(engine.position.board(), args)?;
    let count = engine.position.board().liberty_count(point);
    Ok(Reply::output(count.to_string()).field("libertyArea", count))
}

pub(crate) fn findlib(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let point = read_last_occupied(engine.position.board(), args)?;
    let ren = get_liberty(engine.position.board(), point);
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

fn moves(engine: &Engine) -> impl DoubleEndedIterator<Item = String> {
    let coordinate = engine.position.board().coordinate();
    let items = engine.position.record().items().iter();
    items.map(move |item| format!("{} {}", item.color, item.play.vertex(coordinate)))
}

/// Reads a point that has a stone, the last argument.
pub(crate) fn read_last_occupied(board: &Board, args: &mut Args<'_>) -> Result<Point, CommandError> {
    let point = args.point(board.coordinate())?;
    args.end()?;
    with_stone(board, point)
}

/// Reads a point that has a stone.
pub(crate) fn read_occupied(board: &Board, args: &mut Args<'_>) -> Result<Point, CommandError> {
    with_stone(board, args.point(board.coordinate())?)
}

fn with_stone(board: &Board, point: Point) -> Result<Point, CommandError> {
    if board.stone(point) == Stone::Space {
        return Err(CommandError::new(format!("vertex is empty:{}", board.coordinate().vertex(point))));
    }
    Ok(point)
}

pub(crate) fn vertices(engine: &Engine, points: &[Point]) -> Reply {
    let text = engine.position.board().coordinate().vertices(points);
    Reply::output(text.as_str()).field("points", text)
}

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

/// Column names do not depend on the board size.
pub(crate) fn test_x(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let x = args.number("x", 0..=24)?;
    args.end()?;
    let file = file_letter(x as usize).map(String::from).unwrap_or_default();
    Ok(Reply::output(file.as_str()).field("file", file))
}

/// A rank has at most two digits on any board size, so the last row, counted from 0, is 98.
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

/// Arguments of `record`.
pub(crate) fn record_help() -> Vec<ArgumentHelp> {
    argument_help([("[captures]", "shows only moves that captured, with the points captured")])
}

/// Arguments of `test_get_point_from_xy`.
pub(crate) fn xy_help() -> Vec<ArgumentHelp> {
    argument_help([("X", "column of the walled board, counted from 0, frame included"), ("Y", "row, counted likewise")])
}

/// Arguments of `test_x`.
pub(crate) fn x_help() -> Vec<ArgumentHelp> {
    argument_help([("N", "column, counted from 0 without the frame: 0 to 24")])
}

/// Arguments of `test_y`.
pub(crate) fn y_help() -> Vec<ArgumentHelp> {
    argument_help([("N", "row, counted from 0 without the frame: 0 to 98")])
}

/// Arguments of `accuratelib` and `accurate_approxlib`.
pub(crate) fn accuratelib_help() -> Vec<ArgumentHelp> {
    argument_help([("VERTEX", "an empty point, where the stone would be placed")])
}

//! Commands that show the position and change nothing.

use std::fmt::Write;

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::game::not_found_ren;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::diagram::{board_text, cells_text, showboard_text};
use crate::kernel::{Ren, get_liberty};

pub(crate) fn board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let board = engine.position.board();
    let reply = Reply::output(board_text(board.coordinate(), board.stones()));
    Ok(Reply { is_diagram: true, ..reply.field("board", cells_text(board.stones())) })
}

pub(crate) fn showboard(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let reply = Reply::output(format!("\n{}", showboard_text(&engine.position)));
    Ok(Reply { is_diagram: true, ..reply.field("board", cells_text(engine.position.board().stones())) })
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
                let taken = coordinate.vertices(&item.captured);
                // writing to a String cannot fail
                let _ = write!(text, "\n[{ordinal}]{} {taken}", item.play.vertex(coordinate));
            }
            Ok(Reply::output(format!("captures:'''{text}\n'''")).field("captures", text.trim_start()))
        }
        Some(word) => Err(CommandError::unexpected("argument", word, "usage: record [captures]")),
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

/// What a ren is, in one line.
pub(crate) fn ren_text(ren: &Ren) -> String {
    let (area, liberty_area) = (ren.area(), ren.liberty_area());
    format!("ren color:{} area:{area} libertyArea:{liberty_area} adjacentColor:{}", ren.stone, ren.adjacent)
}

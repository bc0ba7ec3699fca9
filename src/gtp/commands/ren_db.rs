//! Commands that show, fill, read and write the ren database.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::board_text::{board_text, cells_text};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::io::ren_db_file;

pub(crate) fn find_all_rens(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    engine.position.find_all_rens();
    Ok(Reply::ok())
}

pub(crate) fn rendb_dump(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let dump = engine.position.ren_db().dump();
    Ok(Reply::output(format!("dump'''{dump}\n'''")).msg("ok").field("dump", dump))
}

pub(crate) fn rendb_board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let ren_db = engine.position.ren_db();
    let ordinals: Vec<u32> = match args.optional() {
        None => ren_db.ordinals().collect(),
        Some(word) => {
            args.end()?;
            let named = word.parse().ok().filter(|&named| ren_db.ordinals().any(|ordinal| ordinal == named));
            let expected = || match (ren_db.ordinals().min(), ren_db.ordinals().max()) {
                (Some(first), Some(last)) => format!("the ren database holds positions {first} to {last}"),
                _ => "the ren database is empty".to_owned(),
            };
            vec![named.ok_or_else(|| CommandError::unexpected("ordinal", word, &expected()))?]
        }
    };
    let mut texts = Vec::with_capacity(ordinals.len());
    let mut boards = Vec::with_capacity(ordinals.len());
    for ordinal in ordinals {
        let stones = ren_db.stones(ordinal);
        let drawing = board_text(ren_db.coordinate(), &stones);
        texts.push(format!("position:{}\n{drawing}", ren_db.ordinal_name(ordinal)));
        boards.push(cells_text(&stones));
    }
    Ok(Reply { is_diagram: true, ..Reply::output(texts.join("\n")).field("boards", boards) })
}

pub(crate) fn rendb_save(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = args.path()?;
    engine.files.write(path, &ren_db_file::write(engine.position.ren_db())).map_err(rendb_error)?;
    Ok(Reply::ok())
}

pub(crate) fn rendb_load(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = args.path()?;
    let text = engine.files.read(path).map_err(rendb_error)?;
    let position = &mut engine.position;
    let ren_db = ren_db_file::read(&text, position.board().coordinate(), position.max_moves())
        .map_err(|reason| rendb_error(format!("{path}: {reason}")))?;
    position.replace_ren_db(ren_db).map_err(|error| rendb_error(format!("{path}: {error}")))?;
    Ok(Reply::ok())
}

#[track_caller]
fn rendb_error(reason: String) -> CommandError {
    CommandError::new(format!("error:{reason}")).field("err", reason)
}

/// Arguments of `rendb_board`.
pub(crate) fn rendb_board_help() -> Vec<ArgumentHelp> {
    argument_help([("[ORDINAL]", "the number of a position in the ren database; without it, all positions")])
}

/// Arguments of `rendb_load` and `rendb_save`.
pub(crate) fn path_help() -> Vec<ArgumentHelp> {
    argument_help([(
        "PATH",
        "a JSON file; the path is the rest of the line, spaces included; double quotes around it are left out",
    )])
}

//! Commands of the ren database.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::io::ren_db_file;
use crate::kernel::diagram::{board_text, cells_text};

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
            let wanted = word.parse().ok().filter(|&wanted| ren_db.ordinals().any(|ordinal| ordinal == wanted));
            let expected = || match (ren_db.ordinals().min(), ren_db.ordinals().max()) {
                (Some(first), Some(last)) => format!("the ren database holds positions {first} to {last}"),
                _ => "the ren database is empty".to_owned(),
            };
            vec![wanted.ok_or_else(|| CommandError::unexpected("ordinal", word, &expected()))?]
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
    let path = args.rest("path")?;
    engine.data.write(path, &ren_db_file::write(engine.position.ren_db())).map_err(error)?;
    Ok(Reply::ok())
}

pub(crate) fn rendb_load(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = args.rest("path")?;
    let text = engine.data.read(path).map_err(error)?;
    let position = &mut engine.position;
    let ren_db = ren_db_file::read(&text, position.board().coordinate(), position.max_moves())
        .map_err(|reason| error(format!("{path}: {reason}")))?;
    position.replace_ren_db(ren_db).map_err(|_| error(format!("{path}: another board size")))?;
    Ok(Reply::ok())
}

#[track_caller]
fn error(reason: String) -> CommandError {
    CommandError::new(format!("error:{reason}")).field("err", reason)
}

//! The command that draws the position as a picture.

use std::path::Path;

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::picture::Picture;

/// How many moves of a variation are numbered: more are hard to find on a board.
const LONGEST: usize = 12;

/// Without a file name, or with `-`, the picture is the answer. The words that follow add to what is shown.
pub(crate) fn print_board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (mut rens, mut ownership, mut variation) = (false, false, false);
    let mut path = None;
    for number in 0.. {
        if args.is_empty() {
            break;
        }
        match args.file_name()? {
            "rens" => rens = true,
            "ownership" => ownership = true,
            "variation" => variation = true,
            word if number == 0 && (word == "-" || is_picture(word)) => path = Some(word),
            word => {
                let file = if number == 0 { "a file name that ends in .svg, " } else { "" };
                let expected = format!("expected {file}rens, ownership or variation");
                return Err(CommandError::unexpected("layer", word, &expected));
            }
        }
    }
    let result = (ownership || variation).then(|| engine.analyze_position().clone());
    let expected = result.as_ref().and_then(|result| result.best()).map_or(&[][..], |best| &best.variation);
    let expected = expected.get(..LONGEST).unwrap_or(expected);
    let mut picture = Picture::new(&engine.position);
    picture.shows_rens = rens;
    picture.ownership = result.as_ref().filter(|_| ownership).map(|result| result.ownership.as_slice());
    picture.variation = variation.then_some((engine.position.to_move(), expected));
    let svg = picture.svg();
    match path {
        None | Some("-") => Ok(Reply::output(svg.trim_end())),
        Some(path) => engine.save(path, svg.as_bytes()),
    }
}

/// Whether a word can be the name of a picture. A layer that is mistyped is none.
fn is_picture(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

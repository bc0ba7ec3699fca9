//! Commands that read and write files: game records and pictures.

use std::path::Path;

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::cached_search::cached_analysis;
use crate::gtp::engine::Engine;
use crate::gtp::loaded_record::LoadedRecord;
use crate::gtp::response::{CommandError, Reply};
use crate::picture::{Animation, Picture};
use crate::sgf::{self, GameRecord};
use crate::text::quote;

/// A file that cannot be loaded leaves the game unchanged. GTP fixes the error text, so the reason is in the logs, and
/// told to a person.
pub(crate) fn loadsgf(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = args.file_name()?;
    let quoting = |error: CommandError| error.explained("a file name with blanks needs double quotes".to_owned());
    let move_number = match { *args }.optional() {
        None => None,
        Some(word) => {
            // a number that is too great or negative is no part of the file's name
            let is_number = word.parse::<f64>().is_ok();
            let number = args.number("move_number", 0..=u32::MAX);
            Some(number.map_err(|error| if is_number { error } else { quoting(error) })? as usize)
        }
    };
    args.end().map_err(quoting)?;
    let error = |reason: String| {
        CommandError::new("cannot load file").field("file", path).field("reason", reason.as_str()).explained(reason)
    };
    let bytes = engine.files.read(path).map_err(error)?;
    let game = sgf::read(&bytes).map_err(|reason| error(reason.to_string()))?;
    // moves are counted from 1; 0 also means before the first move
    let move_number = move_number.map(|number| number.max(1));
    let position = sgf::position_of(&game, &engine.position, move_number);
    let position = position.map_err(|reason| error(reason.brief()).explained(reason.to_string()))?;
    // only a part may be loaded
    let whole = move_number.and_then(|_| sgf::position_of(&game, &engine.position, None).ok());
    engine.position = position;
    engine.begin_game();
    warn_of_other_rules(engine, &game);
    warn_of_kept_komi(engine, &game);
    let reply = match &game.unclear_komi {
        Some(text) => Reply::ok().field("ignored", format!("KM[{text}]")),
        None => Reply::ok(),
    };
    let end = if move_number.is_some() { whole.as_ref() } else { Some(&engine.position) };
    engine.loaded_record = Some(LoadedRecord::new(game, end, engine.position.rule()));
    Ok(reply)
}

/// Writes to stderr that a loaded record names other rules than those in use, which stay.
fn warn_of_other_rules(engine: &Engine, game: &GameRecord) {
    let used = engine.position.rule();
    if let Some(named) = &game.rules
        && sgf::rules_of(game, used) != Some(*used)
    {
        let (named, used) = (quote::one_line(&quote::shortened(named)), used.name_or_short_form());
        engine.write_message(&format!("the record names RU[{named}], the rules in use remain {used}"));
    }
}

/// Writes to stderr that the komi in use stays, because a loaded record has none, or one that cannot be read.
fn warn_of_kept_komi(engine: &Engine, game: &GameRecord) {
    if game.komi.is_some() {
        return;
    }
    let named = match &game.unclear_komi {
        Some(text) => format!("KM[{}]", quote::one_line(&quote::shortened(text))),
        None => "no komi".to_owned(),
    };
    engine.write_message(&format!("the record names {named}, komi remains {}", engine.position.rule().komi));
}

/// The answer is the record, unless it goes to a file. While a loaded game is as it was loaded, its result is the record's:
/// it is not counted again.
pub(crate) fn printsgf(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let path = if args.is_empty() { None } else { Some(args.file_name()?) };
    args.end()?;
    let mut game = sgf::record_of(&engine.position);
    let loaded = engine.loaded_record.as_ref();
    if let Some(loaded) = loaded {
        loaded.copy_properties(&mut game);
    }
    if let Some(loaded) = loaded.filter(|loaded| loaded.has_result_of(&game)) {
        game.result = loaded.result_under(engine.position.rule());
    } else if engine.position.is_over() {
        game.result = Some(engine.final_score()?.score.to_string());
    }
    let text = sgf::write(&game);
    match path {
        None | Some("-") => Ok(Reply::output(text.as_str()).field("sgf", text)),
        Some(path) => save(engine, path, (text + "\n").as_bytes()),
    }
}

/// Most moves of a principal variation that are numbered in a picture; more are hard to read.
const MAX_VARIATION: usize = 12;

/// The kinds of picture files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PictureFormat {
    Svg,
    Png,
    Gif,
}

impl PictureFormat {
    /// The format by a file name's extension; `None` for a word that names no picture, such as a mistyped layer.
    fn of(name: &str) -> Option<PictureFormat> {
        match Path::new(name).extension()?.to_ascii_lowercase().to_str()? {
            "svg" => Some(PictureFormat::Svg),
            "png" => Some(PictureFormat::Png),
            "gif" => Some(PictureFormat::Gif),
            _ => None,
        }
    }
}

/// The arguments of `print_board`: layers, moves, and the file to write.
#[derive(Default)]
struct PictureArgs<'a> {
    /// The file and its format; without it the answer is the picture, in SVG.
    file: Option<(&'a str, PictureFormat)>,
    /// The names of the layers.
    layers: Vec<&'a str>,
    /// The first and the last move of an animation, as far as they are given.
    from: Option<usize>,
    to: Option<usize>,
}

impl<'a> PictureArgs<'a> {
    fn read(args: &mut Args<'a>) -> Result<PictureArgs<'a>, CommandError> {
        let mut read = PictureArgs::default();
        for number in 0.. {
            if args.is_empty() {
                break;
            }
            match args.file_name()? {
                "from" => read.from = Some(args.number("from", 1..=u32::MAX)? as usize),
                "to" => read.to = Some(args.number("to", 1..=u32::MAX)? as usize),
                layer @ ("rens" | "ownership" | "variation") => read.layers.push(layer),
                "-" if number == 0 => {}
                word => match PictureFormat::of(word).filter(|_| number == 0) {
                    Some(format) => read.file = Some((word, format)),
                    None => {
                        let file = if number == 0 { "a file name that ends in .svg, .png or .gif, " } else { "" };
                        let expected = format!("expected {file}rens, ownership, variation, from or to");
                        return Err(CommandError::unexpected("layer", word, &expected));
                    }
                },
            }
        }
        read.check().map(|()| read)
    }

    /// Whether the picture shows moves, one after the other.
    fn is_animation(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.file.is_some_and(|(_, format)| format == PictureFormat::Gif)
    }

    fn check(&self) -> Result<(), CommandError> {
        match (self.is_animation(), self.file, self.layers.first()) {
            (true, Some((name, PictureFormat::Png)), _) => {
                Err(CommandError::unexpected("file", name, "expected .gif or .svg, which can show moves"))
            }
            (true, _, Some(layer)) => Err(CommandError::unexpected("layer", layer, "expected none, with moves")),
            _ => Ok(()),
        }
    }
}

/// The answer is the picture, unless it goes to a file.
pub(crate) fn print_board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let picture = PictureArgs::read(args)?;
    if picture.is_animation() { print_moves(engine, &picture) } else { print_position(engine, &picture) }
}

fn print_moves(engine: &mut Engine, picture: &PictureArgs<'_>) -> Result<Reply, CommandError> {
    let moves = picture.from.unwrap_or(1)..=picture.to.unwrap_or(engine.position.record().len());
    let animation = Animation::new(&engine.position, moves).map_err(|reason| CommandError::new(reason))?;
    match picture.file {
        None => Ok(Reply::output(animation.svg().trim_end())),
        Some((path, PictureFormat::Gif)) => {
            let bytes = animation.gif().map_err(picture_error)?;
            save(engine, path, &bytes)
        }
        Some((path, _)) => {
            let svg = animation.svg();
            save(engine, path, svg.as_bytes())
        }
    }
}

fn print_position(engine: &mut Engine, args: &PictureArgs<'_>) -> Result<Reply, CommandError> {
    let [rens, ownership, variation] = ["rens", "ownership", "variation"].map(|name| args.layers.contains(&name));
    let result = (ownership || variation).then(|| cached_analysis(engine).clone());
    let moves = result.as_ref().and_then(|result| result.best()).map_or(&[][..], |best| &best.variation);
    let moves = moves.get(..MAX_VARIATION).unwrap_or(moves);
    let mut picture = Picture::new(&engine.position);
    picture.shows_rens = rens;
    picture.ownership = result.as_ref().filter(|_| ownership).map(|result| result.ownership.as_slice());
    picture.variation = variation.then_some((engine.position.to_move(), moves));
    match args.file {
        None => Ok(Reply::output(picture.svg().trim_end())),
        Some((path, PictureFormat::Png)) => {
            let bytes = picture.png().map_err(picture_error)?;
            save(engine, path, &bytes)
        }
        Some((path, _)) => {
            let svg = picture.svg();
            save(engine, path, svg.as_bytes())
        }
    }
}

/// The error of a picture that cannot be drawn.
#[track_caller]
fn picture_error(reason: String) -> CommandError {
    CommandError::new(format!("cannot draw the picture: {reason}")).field("reason", reason)
}

/// Writes the output of a command to a file.
#[track_caller]
fn save(engine: &mut Engine, path: &str, bytes: &[u8]) -> Result<Reply, CommandError> {
    match engine.files.write(path, bytes) {
        Ok(()) => Ok(Reply::ok()),
        Err(reason) => Err(CommandError::new(format!("cannot save file: {reason}")).field("reason", reason)),
    }
}

/// Arguments of `loadsgf`.
pub(crate) fn loadsgf_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("FILE", "an SGF record; in double quotes if the name has spaces; its main line is loaded, with its komi"),
        (
            "[MOVE_NUMBER]",
            "loads the position before this move, counted from 1 (0 means 1); without it, the end of the record",
        ),
    ])
}

/// Arguments of `printsgf`.
pub(crate) fn printsgf_help() -> Vec<ArgumentHelp> {
    argument_help([(
        "[FILE]",
        "the file to write, in double quotes if the name has spaces; without it or with -, the answer",
    )])
}

/// Arguments of `print_board`.
pub(crate) fn print_board_help() -> Vec<ArgumentHelp> {
    argument_help([
        (
            "[FILE]",
            "the file to write, its name ending in .svg, .png or .gif, in double quotes if it has spaces; without it or with \
             -, the answer is the picture in SVG",
        ),
        ("[rens]", "adds a colour for each ren, and its number of liberties"),
        ("[ownership]", "searches the position and adds the expected owner of each point"),
        ("[variation]", "searches the position and adds the first 12 moves of the principal variation"),
        (
            "[from N]",
            "an animation of the moves from this number, from 1, in .gif or .svg; without it from the first one",
        ),
        (
            "[to N]",
            "the last move of the animation; without it the last one of the game. A .gif is always an animation",
        ),
    ])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};

    #[test]
    fn quotes_are_explained_for_words_of_a_file_name_only() {
        let empty = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(6.5), 0, Color::Black);
        let mut engine = Engine::new(empty);
        let mut explanation = |arguments: &'static str| {
            let mut args = Args::new("loadsgf", "FILE [MOVE_NUMBER]", arguments);
            loadsgf(&mut engine, &mut args).unwrap_err().explanation
        };
        for named in ["my game.sgf", "game 2.sgf", "my 2 games.sgf"] {
            assert_eq!(explanation(named).as_deref(), Some("a file name with blanks needs double quotes"), "{named}");
        }
        for number in ["a.sgf -1", "a.sgf 4294967296", "a.sgf 1.5"] {
            assert_eq!(explanation(number), None, "{number}");
        }
    }
}

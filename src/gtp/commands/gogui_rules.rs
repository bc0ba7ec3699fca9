//! GoGui's rules extension: board, legal moves, side to move and result, from which its window takes the rules.
//!
//! Source: the chapter "Rules" of GoGui's manual. A game with the id `Go` is GoGui's own game, so that a program with
//! these commands stays an ordinary Go program, and can also be attached as a ruler.

use crate::gtp::args::Args;
use crate::gtp::board_text::rows_text;
use crate::gtp::commands::query::{legal_points, size_words};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Color, Point, Stone};
use crate::text::plural::counted;

pub(crate) fn game_id(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output("Go"))
}

/// The size of the board: GoGui takes a number alone for both sides.
pub(crate) fn board_size(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(size_words(engine.position.board().coordinate())))
}

/// The points from the highest rank down: `X` is Black, `O` is White, `.` is empty.
pub(crate) fn board(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let board = engine.position.board();
    let coordinate = board.coordinate();
    let symbol = |point: Point| match board.stone(point) {
        Stone::Black => "X",
        Stone::White => "O",
        Stone::Space | Stone::Wall => ".",
    };
    let symbols: Vec<String> = coordinate.points_from_highest_rank().map(|point| symbol(point).to_owned()).collect();
    Ok(Reply::output(rows_text(coordinate, &symbols, " ")))
}

/// Prisoners that Black has taken, then those of White.
pub(crate) fn captured_count(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let [black, white] = Color::BOTH.map(|color| engine.position.prisoners(color));
    Ok(Reply::output(format!("{black} {white}")))
}

/// The legal points of the side to move, then `pass`; nothing once two passes have ended the game.
pub(crate) fn legal_moves(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let position = &engine.position;
    if position.is_over() {
        return Ok(Reply::output(""));
    }
    let points = position.board().coordinate().vertices(&legal_points(position, position.to_move()));
    Ok(Reply::output(format!("{points} pass").trim_start()))
}

pub(crate) fn side_to_move(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(engine.position.to_move().to_string()))
}

/// The score as a sentence, which GoGui shows at the end of a game.
pub(crate) fn final_result(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let rules = engine.position.rule().name_or_other();
    let score = engine.final_score()?.score;
    let result = match score.winner() {
        Some(winner) => format!("{} wins by {}", winner.name(), counted(score.winning_points(), "point")),
        None => "Draw".to_owned(),
    };
    let sentence = format!("{result} ({rules} rules, komi {}).", score.komi);
    Ok(Reply::output(sentence.as_str()).field("score", score.to_string()).field("text", sentence))
}

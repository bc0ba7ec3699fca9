//! Commands about the score and the status of stones.
//!
//! Score and status of one position agree: both come from [`Player::final_score`](crate::player::Player::final_score).

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::query::rens_reply;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::benson::benson;
use crate::kernel::{Color, Stone};
use crate::player::ScoreDetails;

pub(crate) fn final_score(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let score = engine.final_score()?.score.to_string();
    Ok(Reply::output(score.as_str()).field("score", score))
}

/// The score with all that it counts, as a JSON object on one line.
pub(crate) fn score_details(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let final_score = engine.final_score()?;
    let details = serde_json::to_string(&ScoreDetails::new(&engine.position, &final_score))
        .map_err(|error| CommandError::new(error.to_string()))?;
    Ok(Reply::output(details.as_str()).field("details", details))
}

/// One line for each ren, as in GNU Go.
pub(crate) fn final_status_list(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let word = args.word("status")?;
    args.end()?;
    if !matches!(word, "alive" | "seki" | "dead") {
        return Err(CommandError::unexpected("status", word, "expected alive, seki or dead"));
    }
    let status = engine.final_score()?.status;
    let wanted = match word {
        "alive" => &status.alive,
        "seki" => &status.seki,
        _ => &status.dead,
    };
    Ok(rens_reply(engine.position.board(), wanted))
}

/// Status of a point in the final score, in GNU Go's words.
pub(crate) fn final_status(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let point = args.point(board.coordinate())?;
    args.end()?;
    let final_score = engine.final_score()?;
    let word = match (board.stone(point), final_score.owner(point)) {
        (Stone::Space, Some(Color::Black)) => "black_territory",
        (Stone::Space, Some(Color::White)) => "white_territory",
        (Stone::Space, None) => "dame",
        _ if final_score.status.seki.contains(point) => "seki",
        _ if final_score.status.dead.contains(point) => "dead",
        _ => "alive",
    };
    Ok(Reply::output(word).field("status", word))
}

/// Status of a point by Benson's theorem: unconditionally alive stones, and territory they enclose.
pub(crate) fn unconditional_status(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let point = args.point(board.coordinate())?;
    args.end()?;
    let stone = board.stone(point);
    let mut status = "undecided";
    for color in Color::BOTH {
        let safe = benson(board, color);
        if safe.alive.contains(point) {
            status = "alive";
        } else if safe.territory.contains(point) {
            status = match (stone, color) {
                (Stone::Space, Color::Black) => "black_territory",
                (Stone::Space, Color::White) => "white_territory",
                _ => "dead",
            };
        }
    }
    Ok(Reply::output(status).field("status", status))
}

/// Arguments of `final_status_list`.
pub(crate) fn status_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("alive", "rens that stay on the board and count for their owner"),
        ("seki", "rens that live in seki"),
        ("dead", "rens that are removed before counting"),
    ])
}

/// Answers of `final_status`.
pub(crate) fn final_status_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("= alive", "a stone that stays on the board and counts for its owner"),
        ("= seki", "a stone that lives in seki"),
        ("= dead", "a stone that is removed before counting"),
        ("= black_territory", "an empty point that counts for Black"),
        ("= white_territory", "an empty point that counts for White"),
        ("= dame", "an empty point that counts for neither"),
    ])
}

/// Answers of `unconditional_status`.
pub(crate) fn unconditional_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("= alive", "a stone that cannot be captured, even if its owner always passes"),
        ("= dead", "a stone inside the territory of such stones of the other colour"),
        ("= black_territory", "an empty point inside the territory of such black stones"),
        ("= white_territory", "an empty point inside the territory of such white stones"),
        ("= undecided", "none of these"),
    ])
}

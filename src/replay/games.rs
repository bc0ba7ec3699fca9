//! `log2sgf`: the games of a session as SGF records, with search results as comments on the engine's moves.

use serde_json::{Map, Value};

use crate::NAME;
use crate::gtp::{Engine, run};
use crate::kernel::{Color, GameRule, Position};
use crate::player::final_score;
use crate::protocol::line::Request;
use crate::replay::log::{LoggedCommand, Session};
use crate::replay::run::without_search;
use crate::sgf::{self, GameRecord, Turn};
use crate::text::plural::counted;

/// Commands that start another game.
const STARTS_GAME: [&str; 6] =
    ["board_set", "boardsize", "clear_board", "loadsgf", "rectangular_boardsize", "set_position"];

/// Commands that change the game or its rules.
const CHANGES_GAME: [&str; 27] = [
    "black",
    "can_not_put_on_my_eye",
    "fixed_handicap",
    "genmove",
    "genmove_black",
    "genmove_debug",
    "genmove_white",
    "gg-undo",
    "gogui-play_sequence",
    "gogui-setup",
    "gogui-setup_player",
    "kata-genmove_analyze",
    "kata-set-rule",
    "kata-set-rules",
    "kgs-genmove_cleanup",
    "kgs-rules",
    "kifuwarabe-rule_params",
    "komi",
    "lz-genmove_analyze",
    "place_free_handicap",
    "play",
    "popgo",
    "remove_ren",
    "set_free_handicap",
    "trymove",
    "undo",
    "white",
];

/// A game while its commands are replayed, with data that the position does not hold.
struct GameBuilder {
    engine: Engine,
    /// The comment of each move.
    comments: Vec<String>,
    /// By colour, whether the engine played it.
    is_ours: [bool; 2],
    result: Option<String>,
    /// The rules at the last move: what is set after it is for the next game.
    rule: GameRule,
}

/// The games of a session with at least one move, from the session's start position. If a command cannot be replayed
/// (a large file that it reads may be gone), the games after it are lost, and the second value is the reason.
pub fn records(session: &Session, position: Position) -> (Vec<GameRecord>, Option<String>) {
    let rule = *position.rule();
    let engine = Engine::new(position);
    let mut builder = GameBuilder { engine, comments: Vec::new(), is_ours: [false; 2], result: None, rule };
    let (mut games, mut lost) = (Vec::new(), None);
    for command in &session.commands {
        let succeeded = command.answer.as_ref().is_some_and(|answer| answer.msg != "error");
        let Some(request) = Request::parse(&command.text).filter(|_| succeeded) else { continue };
        if STARTS_GAME.contains(&request.name) {
            games.extend(builder.finish());
        }
        if let Err(reason) = builder.add(command, &request) {
            lost = Some(reason);
            break;
        }
    }
    games.extend(builder.finish());
    (games, lost)
}

impl GameBuilder {
    fn add(&mut self, command: &LoggedCommand, request: &Request<'_>) -> Result<(), String> {
        let (name, Some(answer)) = (request.name, &command.answer) else { return Ok(()) };
        let before = self.engine.position.record().len();
        let line = match name {
            "cgos-gameover" => {
                self.result = Some(request.arguments.to_owned());
                None
            }
            _ if !command.searches.is_empty() => without_search(command, answer),
            name if STARTS_GAME.contains(&name) || CHANGES_GAME.contains(&name) => Some(command.text.clone()),
            _ => None,
        };
        if let Some(request) = line.as_deref().and_then(Request::parse) {
            self.engine.files.load(&command.files);
            let refused = |text: &str| format!("{}: {}: {text}", command.place, command.text);
            run(&mut self.engine, &request).map_err(|error| refused(&error.text))?;
        }
        let now = self.engine.position.record().len();
        if now != before {
            self.result = None;
            self.rule = *self.engine.position.rule();
        }
        self.comments.resize(now, String::new());
        if let Some(search) = command.searches.first().filter(|_| CHANGES_GAME.contains(&name)) {
            self.add_engine_move(search.color, &answer.fields, now > before);
        }
        Ok(())
    }

    /// Records a move or the resignation of the engine.
    fn add_engine_move(&mut self, color: Color, fields: &Map<String, Value>, has_moved: bool) {
        if fields.get("move").and_then(Value::as_str) == Some("resign") {
            self.result = Some(format!("{}+R", color.opponent().letter()));
        }
        if let Some(last) = self.comments.last_mut().filter(|_| has_moved) {
            *last = comment(color, fields);
            if let Some(is_ours) = self.is_ours.get_mut(color.index()) {
                *is_ours = true;
            }
        }
    }

    /// Ends the game and returns its record if it has a move.
    fn finish(&mut self) -> Option<GameRecord> {
        let comments = std::mem::take(&mut self.comments);
        let is_ours = std::mem::take(&mut self.is_ours);
        let result = self.result.take();
        if self.engine.position.record().is_empty() {
            return None;
        }
        let mut position = self.engine.position.clone();
        *position.rule_mut() = self.rule;
        let mut game = sgf::record_of(&position);
        game.result = result.or_else(|| position.is_over().then(|| final_score(&position).score.to_string()));
        let name = |color: Color| is_ours.get(color.index()).copied().unwrap_or_default().then(|| NAME.to_owned());
        (game.black, game.white) = (name(Color::Black), name(Color::White));
        let moves = (0..).zip(&game.turns).filter(|(_, turn)| matches!(turn, Turn::Move(..))).map(|(number, _)| number);
        game.comments = moves.zip(comments).filter(|(_, comment)| !comment.is_empty()).collect();
        Some(game)
    }
}

/// The comment on a move: `2.5 s, 4000 visits, White wins 53.1%, Black leads by 3.5, expects D4 Q16`. The win rate is
/// that of `color`, who made the move.
fn comment(color: Color, fields: &Map<String, Value>) -> String {
    let mover = if color == Color::Black { "Black" } else { "White" };
    let number = |key: &str| fields.get(key).and_then(Value::as_f64);
    let mut parts = Vec::new();
    parts.extend(number("seconds").map(|seconds| format!("{seconds} s")));
    let visits = number("visits").map(|visits| counted(visits, "visit"));
    parts.extend(visits.or_else(|| number("playouts").map(|playouts| counted(playouts, "playout"))));
    parts.extend(number("value").map(|value| format!("{mover} wins {:.1}%", value * 100.0)));
    // rounded before the sign is read, so that no player leads by 0.0
    parts.extend(number("lead").map(|lead| match (lead * 10.0).round() / 10.0 {
        0.0 => "the lead is even".to_owned(),
        lead if lead < 0.0 => format!("White leads by {:.1}", -lead),
        lead => format!("Black leads by {lead:.1}"),
    }));
    let variation = fields.get("variation").and_then(Value::as_str).filter(|moves| !moves.is_empty());
    parts.extend(variation.map(|moves| format!("expects {moves}")));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::gtp::table::find;

    #[test]
    fn listed_commands_exist() {
        for name in STARTS_GAME.iter().chain(&CHANGES_GAME).chain(&["cgos-gameover"]) {
            assert!(find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn comments_contain_the_logged_fields() {
        let fields = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let all = r#"{"move":"D4","value":0.5312,"lead":-3.46,"playouts":400,"seconds":2.5,"variation":"D4 Q16"}"#;
        let rest = "leads by 3.5, expects D4 Q16";
        let full = comment(Color::White, &fields(all));
        assert_eq!(full, format!("2.5 s, 400 playouts, White wins 53.1%, White {rest}"));
        assert!(comment(Color::Black, &fields(all)).contains("Black wins 53.1%, White leads by 3.5"));
        assert_eq!(comment(Color::Black, &fields(r#"{"lead":0.04,"variation":""}"#)), "the lead is even");
        assert_eq!(comment(Color::White, &fields(r#"{"lead":-0.04}"#)), "the lead is even");
    }
}

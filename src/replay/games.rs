//! The games of a session as records: what was played, and what the engine thought of its own moves.

use serde_json::{Map, Value};

use crate::NAME;
use crate::gtp::{Engine, run};
use crate::kernel::{Color, Position};
use crate::player::final_score;
use crate::protocol::line::Request;
use crate::replay::log::{Command, Session};
use crate::replay::stand_in;
use crate::sgf::{self, Game, Turn};

/// Commands that end the game in progress.
const BEGINS: [&str; 5] = ["board_set", "boardsize", "clear_board", "loadsgf", "set_position"];

/// Commands that change a game or its rules.
const CHANGES: [&str; 19] = [
    "can_not_put_on_my_eye",
    "fixed_handicap",
    "genmove",
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
    "remove_ren",
    "set_free_handicap",
];

/// A game as far as it has been followed, with what the position does not know.
struct Following {
    engine: Engine,
    /// For each move, what is said of it.
    comments: Vec<String>,
    /// The colours that the engine has played.
    is_ours: [bool; 2],
    result: Option<String>,
}

/// The games of a session that have a move at least, from a position as the session started; and why they end before the
/// session does, where a command cannot be followed: a large file that it names may be gone.
pub fn records(session: &Session, position: Position) -> (Vec<Game>, Option<String>) {
    let mut following =
        Following { engine: Engine::new(position), comments: Vec::new(), is_ours: [false; 2], result: None };
    let (mut games, mut lost) = (Vec::new(), None);
    for command in &session.commands {
        let is_done = command.answer.as_ref().is_some_and(|answer| answer.msg != "error");
        let Some(request) = Request::parse(&command.text).filter(|_| is_done) else { continue };
        if BEGINS.contains(&request.name) {
            games.extend(following.take());
        }
        if let Err(reason) = following.follow(command, &request) {
            lost = Some(reason);
            break;
        }
    }
    games.extend(following.take());
    (games, lost)
}

impl Following {
    fn follow(&mut self, command: &Command, request: &Request<'_>) -> Result<(), String> {
        let (name, Some(answer)) = (request.name, &command.answer) else { return Ok(()) };
        let before = self.engine.position.record().len();
        let line = match name {
            "cgos-gameover" => {
                self.result = Some(request.arguments.to_owned());
                None
            }
            _ if !command.searches.is_empty() => stand_in(command, answer),
            "undo" => Some(command.text.clone()),
            name if BEGINS.contains(&name) || CHANGES.contains(&name) => Some(command.text.clone()),
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
        }
        self.comments.resize(now, String::new());
        if let Some(search) = command.searches.first().filter(|_| CHANGES.contains(&name)) {
            self.hear(search.color, &answer.facts, now > before);
        }
        Ok(())
    }

    /// A move of the engine's own, or that it gave the game up.
    fn hear(&mut self, color: Color, facts: &Map<String, Value>, has_moved: bool) {
        if facts.get("move").and_then(Value::as_str) == Some("resign") {
            let winner = if color == Color::Black { "W" } else { "B" };
            self.result = Some(format!("{winner}+R"));
        }
        if let Some(last) = self.comments.last_mut().filter(|_| has_moved) {
            *last = comment(color, facts);
            if let Some(is_ours) = self.is_ours.get_mut(color.index()) {
                *is_ours = true;
            }
        }
    }

    /// The record of the game that ends here, if a move was made.
    fn take(&mut self) -> Option<Game> {
        let comments = std::mem::take(&mut self.comments);
        let is_ours = std::mem::take(&mut self.is_ours);
        let result = self.result.take();
        let position = &self.engine.position;
        if position.record().is_empty() {
            return None;
        }
        let mut game = sgf::game_of(position);
        game.result = result.or_else(|| position.is_over().then(|| final_score(position).score.to_string()));
        let name = |color: Color| is_ours.get(color.index()).copied().unwrap_or_default().then(|| NAME.to_owned());
        (game.black, game.white) = (name(Color::Black), name(Color::White));
        let moves = (0..).zip(&game.turns).filter(|(_, turn)| matches!(turn, Turn::Move(..))).map(|(number, _)| number);
        game.comments = moves.zip(comments).filter(|(_, comment)| !comment.is_empty()).collect();
        Some(game)
    }
}

/// What the engine thought of a move of this colour: `2.5 s, 4000 playouts, White wins 53.1%, Black leads by 3.5, expects
/// D4 Q16`.
fn comment(color: Color, facts: &Map<String, Value>) -> String {
    let mover = if color == Color::Black { "Black" } else { "White" };
    let number = |key: &str| facts.get(key).and_then(Value::as_f64);
    let mut parts = Vec::new();
    parts.extend(number("seconds").map(|seconds| format!("{seconds} s")));
    parts.extend(number("playouts").map(|playouts| format!("{playouts} playouts")));
    parts.extend(number("value").map(|value| format!("{mover} wins {:.1}%", value * 100.0)));
    parts.extend(number("lead").map(|lead| match lead < 0.0 {
        true => format!("White leads by {:.1}", -lead),
        false => format!("Black leads by {lead:.1}"),
    }));
    let variation = facts.get("variation").and_then(Value::as_str).filter(|moves| !moves.is_empty());
    parts.extend(variation.map(|moves| format!("expects {moves}")));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::gtp::table::find;

    #[test]
    fn what_changes_a_game_is_a_command() {
        for name in BEGINS.iter().chain(&CHANGES).chain(&["undo", "cgos-gameover"]) {
            assert!(find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn comments_say_what_is_known() {
        let facts = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let all = r#"{"move":"D4","value":0.5312,"lead":-3.46,"playouts":400,"seconds":2.5,"variation":"D4 Q16"}"#;
        let rest = "leads by 3.5, expects D4 Q16";
        let told = comment(Color::White, &facts(all));
        assert_eq!(told, format!("2.5 s, 400 playouts, White wins 53.1%, White {rest}"));
        assert!(comment(Color::Black, &facts(all)).contains("Black wins 53.1%, White leads by 3.5"));
        assert_eq!(comment(Color::Black, &facts(r#"{"lead":0.04,"variation":""}"#)), "Black leads by 0.0");
    }
}

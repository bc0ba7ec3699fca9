//! `log2sgf`: the games of a session as SGF records, with search results as comments on the engine's moves.

use serde_json::{Map, Value};

use crate::NAME;
use crate::gtp::command::GameEffect;
use crate::gtp::response::ERROR;
use crate::gtp::table::find;
use crate::gtp::{Engine, run};
use crate::kernel::{Color, GameRule};
use crate::player::final_score;
use crate::protocol::line::Request;
use crate::replay::log::{LoggedCommand, LoggedSession};
use crate::replay::run::without_search;
use crate::sgf::{self, GameRecord, Turn};
use crate::text::plural::counted;

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
    /// The longest record of the game from which moves were taken back since.
    taken_back: Option<GameRecord>,
}

/// The games of a session with at least one move, from an engine in the session's start state. If a command cannot be
/// replayed (a large file that it reads may be gone), the games after it are lost, and the second value is the reason.
pub fn records(session: &LoggedSession, engine: Engine) -> (Vec<GameRecord>, Option<String>) {
    let rule = *engine.position.rule();
    let mut builder =
        GameBuilder { engine, comments: Vec::new(), is_ours: [false; 2], result: None, rule, taken_back: None };
    let (mut games, mut lost) = (Vec::new(), None);
    for command in &session.commands {
        let succeeded = command.answer.as_ref().is_some_and(|answer| answer.msg != ERROR);
        let Some(request) = Request::parse(&command.text).filter(|_| succeeded) else { continue };
        if effect(request.name) == GameEffect::Starts {
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

/// Whether the command of this name takes moves back.
fn takes_back(name: &str) -> bool {
    matches!(name, "undo" | "gg-undo")
}

/// The effect of the command of this name on the game.
fn effect(name: &str) -> GameEffect {
    find(name).map_or(GameEffect::None, |command| command.effect)
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
            name if effect(name) != GameEffect::None => Some(command.text.clone()),
            _ => None,
        };
        let earlier = takes_back(name).then(|| self.record()).flatten();
        if let Some(request) = line.as_deref().and_then(Request::parse) {
            self.engine.files.start_replay(&command.files);
            let refused = |text: &str| format!("{}: {}: {text}", command.place, command.text);
            run(&mut self.engine, &request).map_err(|error| refused(&error.text))?;
        }
        let now = self.engine.position.record().len();
        if now < before {
            self.keep_taken_back(earlier);
        }
        if now != before {
            self.result = None;
            self.rule = *self.engine.position.rule();
        }
        self.comments.resize(now, String::new());
        if let Some(search) = command.searches.first().filter(|_| effect(name) == GameEffect::Changes) {
            self.add_engine_move(search.color, &answer.fields, now > before);
        }
        Ok(())
    }

    /// Records a move or the resignation of the engine.
    fn add_engine_move(&mut self, color: Color, fields: &Map<String, Value>, has_moved: bool) {
        if fields.get("move").and_then(Value::as_str) == Some("resign") {
            self.result = Some(sgf::result_of_loss(color, 'R'));
        }
        if let Some(last) = self.comments.last_mut().filter(|_| has_moved) {
            *last = comment(color, fields);
            if let Some(is_ours) = self.is_ours.get_mut(color.index()) {
                *is_ours = true;
            }
        }
    }

    /// Ends the game and returns its record if it has a move. If its last moves were taken back, as by a GUI that goes
    /// back through a finished game, they are part of it.
    fn finish(&mut self) -> Option<GameRecord> {
        let played = self.record();
        let taken_back = self.taken_back.take();
        (self.comments, self.is_ours, self.result) = (Vec::new(), [false; 2], None);
        match (played, taken_back) {
            (Some(played), Some(longer)) if !longer.turns.starts_with(&played.turns) => Some(played),
            (played, taken_back) => taken_back.or(played),
        }
    }

    /// The record of the game so far; `None` without a move.
    fn record(&self) -> Option<GameRecord> {
        if self.engine.position.record().is_empty() {
            return None;
        }
        let mut position = self.engine.position.clone();
        *position.rule_mut() = self.rule;
        let mut game = sgf::record_of(&position);
        let result = self.result.clone();
        game.result = result.or_else(|| position.is_over().then(|| final_score(&position).score.to_string()));
        let name = |color: Color| self.is_ours.get(color.index()).copied().unwrap_or_default().then(|| NAME.to_owned());
        (game.black, game.white) = (name(Color::Black), name(Color::White));
        let moves = (0..).zip(&game.turns).filter(|(_, turn)| matches!(turn, Turn::Move(..))).map(|(number, _)| number);
        let comments = self.comments.iter().cloned();
        game.comments = moves.zip(comments).filter(|(_, comment)| !comment.is_empty()).collect();
        Some(game)
    }

    /// Keeps the record before moves are taken back, unless it is part of a longer one.
    fn keep_taken_back(&mut self, record: Option<GameRecord>) {
        let Some(record) = record else { return };
        if self.taken_back.as_ref().is_none_or(|longer| !longer.turns.starts_with(&record.turns)) {
            self.taken_back = Some(record);
        }
    }
}

/// The comment on a move: `2.5 s, 4000 visits, White wins 53.1%, Black leads by 3.5, expects D4 Q16`. The win rate is
/// that of `color`, who made the move.
fn comment(color: Color, fields: &Map<String, Value>) -> String {
    let player = color.name();
    let number = |key: &str| fields.get(key).and_then(Value::as_f64);
    let mut parts = Vec::new();
    parts.extend(number("seconds").map(|seconds| format!("{seconds} s")));
    let visits = number("visits").map(|visits| counted(visits, "visit"));
    parts.extend(visits.or_else(|| number("playouts").map(|playouts| counted(playouts, "playout"))));
    parts.extend(number("value").map(|value| format!("{player} wins {:.1}%", value * 100.0)));
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

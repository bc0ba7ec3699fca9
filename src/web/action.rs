//! The requests of a page: one JSON object in a text frame, `{"type": NAME, ...}`.
//!
//! A point is its index from the highest rank down; -1 is a pass. Unknown names and fields are errors, so that a
//! version mismatch is reported.

use serde::Deserialize;

use crate::text::input::json_object;

/// The longest record that a page may load, in bytes.
pub(super) const MAX_RECORD: usize = 4 << 20;

/// The longest frame: a record, escaped as JSON, with what is around it.
pub(super) const MAX_FRAME: usize = 3 * MAX_RECORD;

/// The longest name, comment or label, in characters.
pub(super) const MAX_TEXT: usize = 20_000;

/// An action of a page.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Action {
    /// The side to move plays at the current node; -1 passes.
    Play { point: i32 },
    /// Takes back the moves from the person's last move on; without an engine, one move.
    Undo {},
    /// Goes to the child that was visited last.
    Redo {},
    /// Goes to a node.
    Go { node: u32 },
    /// The person resigns, or the side to move if there is no such person.
    Resign {},
    /// Begins a game.
    New(NewGame),
    /// Changes settings of the current game.
    Settings(SettingsChange),
    /// The engine plays for the side to move.
    Genmove {},
    /// Asks for the best move.
    Hint {},
    /// Shows or leaves the score.
    Score { on: bool },
    /// Changes whether the stones around a point count as dead.
    Dead { point: i32 },
    /// Ends the game with the score that is shown.
    Accept {},
    /// Evaluates each position of the current line.
    Review {
        on: bool,
        #[serde(default)]
        visits: Option<u64>,
    },
    /// Sets the comment of a node.
    Comment { node: u32, text: String },
    /// Sets or takes away a mark of a node.
    Mark {
        node: u32,
        point: i32,
        kind: Mark,
        #[serde(default)]
        text: Option<String>,
    },
    /// Deletes a node and all that follows it.
    DeleteNode { node: u32 },
    /// Makes the main line pass through a node.
    Promote { node: u32 },
    /// Replaces the current game by a record: its text, or with `bytes` a character for each byte of its file.
    Load {
        sgf: String,
        #[serde(default)]
        bytes: bool,
    },
    /// Makes a saved game the current one.
    Open { game: String },
    /// Deletes a saved game.
    DeleteGame { game: String },
    /// Sets the names of the players.
    Rename { black: String, white: String },
    /// Whether this page wants live analysis.
    Watch {
        on: bool,
        #[serde(default)]
        policy: bool,
    },
    /// Whether this page is visible.
    Visible { on: bool },
}

/// The kind of a mark, by its SGF property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Mark {
    /// A triangle.
    Tr,
    /// A square.
    Sq,
    /// A circle.
    Cr,
    /// A cross.
    Ma,
    /// A label, with its text.
    Lb,
}

impl Mark {
    /// All kinds.
    pub(super) const ALL: [Mark; 5] = [Mark::Tr, Mark::Sq, Mark::Cr, Mark::Ma, Mark::Lb];

    /// The SGF property.
    pub(super) const fn property(self) -> &'static str {
        match self {
            Mark::Tr => "TR",
            Mark::Sq => "SQ",
            Mark::Cr => "CR",
            Mark::Ma => "MA",
            Mark::Lb => "LB",
        }
    }
}

/// The colours that are played by clicks; the engine plays the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, serde::Serialize)]
pub(super) enum HumanSides {
    /// Black.
    #[serde(rename = "b")]
    Black,
    /// White.
    #[serde(rename = "w")]
    White,
    /// Both colours: two people, or a study.
    #[default]
    #[serde(rename = "both")]
    Both,
    /// Nobody: the engine plays itself.
    #[serde(rename = "none")]
    None,
}

/// The settings of a new game.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewGame {
    pub(super) width: u8,
    pub(super) height: u8,
    /// Points for White.
    pub(super) komi: f64,
    /// The name of a rule set.
    pub(super) rules: String,
    /// Black's handicap stones: 0, or from 2.
    pub(super) handicap: usize,
    #[serde(rename = "person")]
    pub(super) human_sides: HumanSides,
    /// 1 to 10.
    pub(super) level: u64,
    pub(super) time: Option<Time>,
}

/// Main time and byo-yomi, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Time {
    pub(super) main: f64,
    pub(super) period: f64,
    pub(super) periods: u32,
}

/// Settings that may change during a game; those that are absent stay.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsChange {
    #[serde(default, rename = "person")]
    pub(super) human_sides: Option<HumanSides>,
    #[serde(default)]
    pub(super) level: Option<u64>,
    /// Threads of every search; 0 is one for each processor.
    #[serde(default)]
    pub(super) threads: Option<u64>,
    /// Visits at which live analysis ends; 0 is no bound.
    #[serde(default, rename = "maxVisits")]
    pub(super) max_visits: Option<u64>,
}

impl Action {
    /// Parses a frame.
    ///
    /// # Errors
    /// A text that names the fault.
    pub(super) fn parse(frame: &str) -> Result<Action, String> {
        let action: Action = json_object(frame.as_bytes())?;
        let is_long = action.texts().any(|text| text.chars().count() > MAX_TEXT);
        if is_long { Err(format!("a text of more than {MAX_TEXT} characters")) } else { Ok(action) }
    }

    /// The bytes of the record that the action brings; 0 without one.
    pub(super) fn record_bytes(&self) -> usize {
        match self {
            Action::Load { sgf, .. } => sgf.len(),
            _ => 0,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        let texts = match self {
            Action::Comment { text, .. } => [Some(text), None],
            Action::Mark { text, .. } => [text.as_ref(), None],
            Action::Rename { black, white } => [Some(black), Some(white)],
            Action::Open { game } | Action::DeleteGame { game } => [Some(game), None],
            _ => [None, None],
        };
        texts.into_iter().flatten()
    }

    /// Whether it ends a search for the engine's move at once. Others wait until that move is played.
    pub(super) fn interrupts(&self) -> bool {
        matches!(
            self,
            Action::Undo {}
                | Action::Go { .. }
                | Action::Resign {}
                | Action::New(_)
                | Action::Settings(_)
                | Action::Genmove {}
                | Action::Load { .. }
                | Action::Open { .. }
        )
    }

    /// Whether it leaves the position in which the engine searches for its move, which is then not played.
    pub(super) fn leaves_position(&self) -> bool {
        self.interrupts() && !matches!(self, Action::Settings(_) | Action::Genmove {})
    }

    /// Whether it ends a count of the score, which is then not shown. Others wait until it is.
    pub(super) fn ends_count(&self) -> bool {
        self.leaves_position()
            || matches!(
                self,
                Action::Play { .. }
                    | Action::Redo {}
                    | Action::Genmove {}
                    | Action::Hint {}
                    | Action::Score { on: false }
            )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    #[test]
    fn actions_are_parsed_and_faults_are_named() {
        assert_eq!(Action::parse(r#"{"type":"play","point":-1}"#), Ok(Action::Play { point: -1 }));
        assert_eq!(Action::parse(r#"{"type":"undo"}"#), Ok(Action::Undo {}));
        assert_eq!(
            Action::parse(r#"{"type":"mark","node":2,"point":3,"kind":"TR"}"#),
            Ok(Action::Mark { node: 2, point: 3, kind: Mark::Tr, text: None })
        );
        let new = r#"{"type":"new","width":9,"height":9,"komi":7,"rules":"japanese","handicap":0,"person":"b",
            "level":3,"time":{"main":60,"period":10,"periods":3}}"#;
        let Action::New(new) = Action::parse(new).unwrap() else { panic!("another action") };
        assert_eq!((new.human_sides, new.time.unwrap().periods), (HumanSides::Black, 3));
        for (frame, expected) in [
            ("", "expected a JSON object"),
            ("[]", "expected a JSON object"),
            (r#"["play",3]"#, "expected a JSON object"),
            (r#"{"type":"#, "EOF"),
            (r#"{"type":"explode"}"#, "explode"),
            (r#"{"type":"play"}"#, "point"),
            (r#"{"type":"play","point":1.5}"#, "1.5"),
            (r#"{"type":"play","point":1,"color":"b"}"#, "color"),
            (r#"{"type":"new","width":300}"#, "300"),
        ] {
            let complaint = Action::parse(frame).unwrap_err();
            assert!(complaint.contains(expected), "{frame}: {complaint}");
        }
        let long = format!(r#"{{"type":"comment","node":0,"text":"{}"}}"#, "x".repeat(MAX_TEXT + 1));
        assert!(Action::parse(&long).unwrap_err().contains("20000"));
    }

    #[test]
    fn every_kind_of_mark_has_the_name_of_its_property() {
        for kind in Mark::ALL {
            let frame = format!(r#"{{"type":"mark","node":1,"point":0,"kind":"{}","text":"a"}}"#, kind.property());
            assert_eq!(Action::parse(&frame), Ok(Action::Mark { node: 1, point: 0, kind, text: Some("a".into()) }));
        }
    }
}

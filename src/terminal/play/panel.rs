//! The panel of a game: players, prisoners, times, rules, last move, turn; and which of it fits on the screen.

use unicode_width::UnicodeWidthStr;

use crate::kernel::Color;
use crate::player::level::STRONGEST;
use crate::terminal::play::game::TerminalGame;
use crate::text::columns::cut;

/// Maximum number of captured stones listed by vertex. More are counted, because the panel is narrow beside a large
/// board.
const MAX_LISTED_CAPTURES: usize = 4;

/// Columns of the longest name of a player.
const MAX_NAME: usize = 14;

/// A line of the panel.
pub(super) struct PanelLine {
    /// The stone that is drawn before the text.
    pub(super) stone: Option<Color>,
    pub(super) text: String,
}

impl PanelLine {
    fn new(text: String) -> PanelLine {
        PanelLine { stone: None, text }
    }

    /// Columns that the stone and the blank after it take.
    fn indent(&self) -> usize {
        if self.stone.is_some() { 2 } else { 0 }
    }

    /// The line in at most `columns` columns.
    pub(super) fn cut(self, columns: usize) -> PanelLine {
        let columns = columns.saturating_sub(self.indent());
        PanelLine { text: cut(&self.text, columns), ..self }
    }
}

/// The lines of the panel, the most important ones last. `has_names`: whether the person is called by name.
pub(super) fn panel(game: &TerminalGame, has_names: bool) -> Vec<PanelLine> {
    let position = game.position();
    let coordinate = game.coordinate();
    let mut lines = Vec::new();
    let person = game.person_name().filter(|_| has_names).map_or_else(|| "you".to_owned(), |name| cut(name, MAX_NAME));
    let engine = "engine";
    let width = person.width().max(engine.len());
    for color in Color::BOTH {
        let player = if color == game.person() { &person } else { engine };
        let blanks = " ".repeat(width.saturating_sub(player.width()));
        let prisoners = position.prisoners(color);
        let text = format!("{:<5}  {player}{blanks}  {prisoners} taken", color.to_string());
        lines.push(PanelLine { stone: Some(color), text });
    }
    for color in Color::BOTH {
        if let Some(time) = game.time_text(color) {
            lines.push(PanelLine::new(format!("{color}'s time {time}")));
        }
    }
    let rule = position.rule();
    lines.push(PanelLine::new(format!("{} rules, komi {}", rule.name_or_other(), rule.komi)));
    if game.options().level < STRONGEST {
        lines.push(PanelLine::new(format!("level {} of {STRONGEST}", game.options().level)));
    }
    lines.push(PanelLine::new(String::new()));
    if let Some(last) = position.record().items().last() {
        let number = position.record().len();
        lines.push(PanelLine::new(format!("move {number}: {} {}", last.color, last.play.vertex(coordinate))));
        let is_suicide = last.play.point().is_some_and(|point| last.captured.contains(&point));
        let verb = if is_suicide { "lost" } else { "took" };
        match last.captured.len() {
            0 => {}
            1..=MAX_LISTED_CAPTURES => {
                lines.push(PanelLine::new(format!("{verb} {} (*)", coordinate.vertices(&last.captured))));
            }
            count => lines.push(PanelLine::new(format!("{verb} {count} stones (*)"))),
        }
    }
    if let Some(ko) = position.banned_ko() {
        lines.push(PanelLine::new(format!("ko: {} not at {}", ko.color, coordinate.vertex(ko.point))));
    }
    lines.push(PanelLine::new(match position.to_move() {
        _ if game.is_over() => "the game is over".to_owned(),
        color if color == game.person() => format!("{color} to move: you"),
        color => format!("{color} to move: the engine"),
    }));
    lines
}

//! The HTML page of an analyzed game, complete in one file.
//!
//! Without scripts it shows the last position, the graphs and the mistakes. The script steps through the game; it reads
//! [`PageData`] from an element of type JSON, which has numbers and letters only, no text of the record.

use std::fmt::Write;

use serde::Serialize;

use crate::io::quote::counted;
use crate::kernel::{Color, Move, Point, Position, Stone};
use crate::picture::{Picture, escape};
use crate::player::review::{Mistake, PositionAnalysis, mistakes};
use crate::report::graph;
use crate::sgf;
use crate::{NAME, VERSION};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The content security policy: the browser loads nothing and sends nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// Maximum length of a variation, in moves.
const MAX_VARIATION: usize = 10;

/// Number of ownership levels, written as the letters `a` (White, -1) to `y` (Black, 1).
const OWNERSHIP_STEPS: f32 = 25.0;

/// The content of the page.
pub(super) struct Page<'a> {
    pub(super) record: &'a sgf::GameRecord,
    /// The last position, with the whole game as its history.
    pub(super) end: &'a Position,
    /// The analysis of each position, from the first.
    pub(super) analyses: &'a [PositionAnalysis],
    /// The win-rate loss of each move, from 0 to 1.
    pub(super) losses: &'a [f32],
    /// Playouts for each position.
    pub(super) playouts: u64,
}

/// The input of the script. A point is its index row by row from the top left, a pass is -1.
#[derive(Serialize)]
struct PageData<'a> {
    width: u8,
    height: u8,
    /// Distance of two points in the units of the board's drawing.
    cell: i32,
    /// The stones of the first position, one character a point: `.`, `x`, `o`.
    start: String,
    steps: Vec<Step<'a>>,
}

/// A position, and the move that led to it.
#[derive(Serialize)]
struct Step<'a> {
    /// The move: colour, `b` or `w`, and point.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<(&'static str, i32)>,
    /// The move's win-rate loss in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    /// Points whose stone differs from the position before, with the character of the new one.
    changes: Vec<(i32, char)>,
    /// The player of the next move, `b` or `w`.
    to_move: &'static str,
    /// Black's win rate in per cent.
    win_rate: f64,
    /// Black's lead in points.
    lead: f64,
    /// The expected moves.
    variation: Vec<i32>,
    /// One letter a point, see [`OWNERSHIP_STEPS`].
    ownership: &'a str,
}

impl Page<'_> {
    /// The page as HTML.
    ///
    /// # Errors
    /// If the data cannot be written as JSON.
    pub(super) fn html(&self) -> serde_json::Result<String> {
        let mistakes = mistakes(self.losses);
        let title = self.title();
        let mut picture = Picture::new(self.end);
        picture.title = "The board".to_owned();
        // escaped, although it has no text of the record: `</script>` would end the element
        let data = serde_json::to_string(&self.data(&self.ownership()))?.replace('<', "\\u003c");
        let last = self.end.record().len();
        Ok(format!(
            r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{STYLE}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p>{facts}</p>
</header>
<main>
<section class="game">
<div id="board">
{board}</div>
<div class="steps" hidden>
<button data-to="first" title="first position (Home)">|&lt;</button>
<button data-to="-10" title="ten moves back (Page Up)">&lt;&lt;</button>
<button data-to="-1" title="one move back (left arrow)">&lt;</button>
<input id="number" type="range" min="0" max="{last}" value="{last}" aria-label="move">
<button data-to="1" title="one move on (right arrow)">&gt;</button>
<button data-to="10" title="ten moves on (Page Down)">&gt;&gt;</button>
<button data-to="last" title="last position (End)">&gt;|</button>
</div>
<div class="steps" hidden>
<label><input id="expected" type="checkbox"> expected moves (e)</label>
<label><input id="ownership" type="checkbox"> ownership (o)</label>
<button data-to="mistake" title="the next mistake (m)">next mistake</button>
</div>
</section>
<section class="findings">
<div id="position" aria-live="polite"><noscript>Without scripts, this page shows the last position only.</noscript></div>
{graph}<h2>Largest mistakes</h2>
{mistakes}</section>
</main>
<footer>Analyzed by {NAME} {VERSION} with {playouts} per position. Win rate and lead are Black's; the
value of having the move is subtracted from the win rate. Numbered stones: expected moves; red square: the move played.
Keys: arrows, Page Up, Page Down, Home, End; e, o and m as above.</footer>
<script id="data" type="application/json">{data}</script>
<script>
{SCRIPT}</script>
</body>
</html>
"#,
            facts = self.facts(),
            board = picture.svg(),
            graph = graph::draw(self.analyses, &mistakes),
            mistakes = self.mistake_table(&mistakes),
            playouts = counted(self.playouts, "playout"),
        ))
    }

    fn title(&self) -> String {
        let name = |name: &Option<String>, color: &str| match name.as_deref().map(str::trim) {
            None | Some("") => color.to_owned(),
            Some(name) => format!("{} ({color})", escape(name)),
        };
        format!("{} – {}", name(&self.record.black, "Black"), name(&self.record.white, "White"))
    }

    /// Board size, rules, komi, handicap, number of moves and result.
    fn facts(&self) -> String {
        let coordinate = self.end.board().coordinate();
        let rule = self.end.rule();
        let moves = self.end.record().len();
        let mut facts = vec![
            coordinate.to_string(),
            format!("{} rules", rule.name().unwrap_or("other")),
            format!("komi {}", rule.komi),
        ];
        if self.end.handicap() > 0 {
            facts.push(counted(self.end.handicap(), "handicap stone"));
        }
        facts.push(counted(moves, "move"));
        if let Some(result) = self.record.result.as_deref().filter(|result| !result.trim().is_empty()) {
            facts.push(format!("result {}", escape(result)));
        }
        facts.join(" · ")
    }

    fn mistake_table(&self, mistakes: &[Mistake]) -> String {
        let coordinate = self.end.board().coordinate();
        if mistakes.is_empty() {
            return "<p>No move lost 5% or more.</p>\n".to_owned();
        }
        let mut html = String::from(
            "<table>\n<thead><tr><th>move</th><th>played</th><th>lost</th><th>better</th></tr></thead>\n\
             <tbody>\n",
        );
        for mistake in mistakes {
            let before = mistake.number - 1;
            let Some((item, analysis)) = self.end.record().items().get(before).zip(self.analyses.get(before)) else {
                continue;
            };
            let better: Vec<String> = shown(&analysis.variation).iter().map(|play| play.vertex(coordinate)).collect();
            // writing to a String cannot fail
            let _ = writeln!(
                html,
                "<tr><td><a href=\"#{before}\">{}</a></td><td>{} {}</td><td>{:.0}%</td><td>{}</td></tr>",
                mistake.number,
                item.color,
                item.play.vertex(coordinate),
                mistake.loss * 100.0,
                better.join(" ")
            );
        }
        html + "</tbody>\n</table>\n"
    }

    fn data<'a>(&self, ownership: &'a [String]) -> PageData<'a> {
        let coordinate = self.end.board().coordinate();
        let from_top: Vec<Point> = coordinate.points_from_last_rank().collect();
        let index = |play: &Move| match play {
            Move::Play(point) => from_top.iter().position(|other| other == point).map_or(-1, |index| index as i32),
            Move::Pass => -1,
        };
        let symbol = |stones: &[Stone], point: Point| stones.get(point.index()).copied().unwrap_or_default().symbol();
        let steps = self.analyses.iter().zip(ownership).enumerate().map(|(number, (analysis, ownership))| {
            let item = number.checked_sub(1).and_then(|before| self.end.record().items().get(before));
            let before = self.end.stones_at(number.saturating_sub(1));
            let stones = self.end.stones_at(number);
            let changed =
                from_top.iter().zip(0..).filter(|&(&point, _)| symbol(before, point) != symbol(stones, point));
            let loss = number.checked_sub(1).and_then(|before| self.losses.get(before).copied());
            Step {
                played: item.map(|item| (letter(item.color), index(&item.play))),
                loss: loss.filter(|&loss| loss >= 0.005).map(|loss| rounded(loss * 100.0)),
                changes: changed.map(|(&point, index)| (index, symbol(stones, point))).collect(),
                to_move: letter(analysis.to_move),
                win_rate: rounded(analysis.win_rate * 100.0),
                lead: rounded(analysis.lead),
                variation: shown(&analysis.variation).iter().map(index).collect(),
                ownership,
            }
        });
        let start = self.end.stones_at(0);
        PageData {
            width: coordinate.width(),
            height: coordinate.height(),
            cell: Picture::cell(),
            start: from_top.iter().map(|&point| symbol(start, point)).collect(),
            steps: steps.collect(),
        }
    }

    /// The ownership of each position, one letter a point.
    fn ownership(&self) -> Vec<String> {
        let from_top: Vec<Point> = self.end.board().coordinate().points_from_last_rank().collect();
        let letter = |ownership: f32| {
            let step = ((ownership.clamp(-1.0, 1.0) + 1.0) / 2.0 * (OWNERSHIP_STEPS - 1.0)).round();
            char::from(b'a' + step as u8)
        };
        let at = |analysis: &PositionAnalysis, point: &Point| {
            analysis.ownership.get(point.index()).copied().unwrap_or_default()
        };
        let text = |analysis: &PositionAnalysis| from_top.iter().map(|point| letter(at(analysis, point))).collect();
        self.analyses.iter().map(text).collect()
    }
}

/// The part of a variation that the page shows.
fn shown(variation: &[Move]) -> &[Move] {
    variation.get(..MAX_VARIATION).unwrap_or(variation)
}

const fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "b",
        Color::White => "w",
    }
}

/// Rounded to one decimal.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10.0).round() / 10.0
}

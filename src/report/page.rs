//! The page: what was found about a game, as HTML with everything in it.
//!
//! Without a script it shows the last position, the graph and the mistakes; the script steps through the game. What the
//! script needs is one text of JSON, in which no text of the record stands.

use std::fmt::Write;

use serde::Serialize;

use crate::kernel::{Color, Coordinate, Move, Point, Position, Stone};
use crate::picture::{Picture, escaped};
use crate::report::analysis::{Found, Mistake, losses, mistakes};
use crate::report::graph;
use crate::sgf;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Nothing may be fetched, and nothing sent: the browser sees to it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// How many moves are shown of what is expected.
const EXPECTED: usize = 10;

/// Ownership is written in so many letters from `a`, White's, to Black's.
const OWNER_LETTERS: f32 = 25.0;

/// What stands on the page.
pub(super) struct Page<'a> {
    pub(super) record: &'a sgf::GameRecord,
    /// The game to its end.
    pub(super) end: &'a Position,
    /// What was found about each position.
    pub(super) found: &'a [Found],
    /// Playouts for each.
    pub(super) playouts: u64,
}

/// What the script is told.
#[derive(Serialize)]
struct PageData<'a> {
    width: u8,
    height: u8,
    /// Units of the drawing from one point to the next.
    cell: i32,
    /// The stones at the start, row by row from the top left: `.`, `x`, `o`.
    start: String,
    steps: Vec<Step<'a>>,
}

/// A position, and the move that led to it.
#[derive(Serialize)]
struct Step<'a> {
    /// Who moved, `b` or `w`, and where: the number of the point, row by row from the top left, or -1 for a pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<(&'static str, i32)>,
    /// What the move lost, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    /// What is different from the position before: points, each with what stands there now.
    changes: Vec<(i32, char)>,
    /// Who moves next.
    mover: &'static str,
    /// Black's chances in per cent, and lead in points.
    win: f64,
    lead: f64,
    expected: Vec<i32>,
    owners: &'a str,
}

impl Page<'_> {
    /// Writes it.
    ///
    /// # Errors
    /// If the numbers cannot be written as JSON.
    pub(super) fn html(&self) -> serde_json::Result<String> {
        let losses = losses(self.end, self.found);
        let mistakes = mistakes(&losses);
        let title = self.title();
        let mut picture = Picture::new(self.end);
        picture.title = "The board".to_owned();
        // nothing in it ends the script: no text of anybody's is there
        let told = serde_json::to_string(&self.told(&losses, &self.owners()))?.replace('<', "\\u003c");
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
<label><input id="expected" type="checkbox"> what is expected (e)</label>
<label><input id="owners" type="checkbox"> whose points (o)</label>
<button data-to="mistake" title="the next mistake (m)">next mistake</button>
</div>
</section>
<section class="findings">
<div id="now" aria-live="polite"><noscript>Without scripts, this page shows the last position only.</noscript></div>
{graph}<h2>The biggest mistakes</h2>
{mistakes}</section>
</main>
<footer>Each position looked at with {playouts} playouts by Kifuwarabe UEC14 {version}. Chances and lead are Black's; what
it is worth to be on move is taken off the chances. Numbers are the moves expected, the red square is the move played.
Keys: arrows, Page Up and Down, Home, End; e, o and m as above.</footer>
<script id="told" type="application/json">{told}</script>
<script>
{SCRIPT}</script>
</body>
</html>
"#,
            facts = self.facts(),
            board = picture.svg(),
            graph = graph::draw(self.found, &mistakes),
            mistakes = self.mistakes(&mistakes),
            playouts = self.playouts,
            version = env!("CARGO_PKG_VERSION"),
        ))
    }

    fn title(&self) -> String {
        let name = |name: &Option<String>, color: &str| match name.as_deref().map(str::trim) {
            None | Some("") => color.to_owned(),
            Some(name) => format!("{} ({color})", escaped(name)),
        };
        format!("{} – {}", name(&self.record.black, "Black"), name(&self.record.white, "White"))
    }

    /// What the players agreed on, and how it came out.
    fn facts(&self) -> String {
        let coordinate = self.end.board().coordinate();
        let rule = self.end.rule();
        let moves = self.end.record().len();
        let mut facts = vec![
            format!("{}x{}", coordinate.width(), coordinate.height()),
            format!("{} rules", rule.name().unwrap_or("other")),
            format!("komi {}", rule.komi),
        ];
        if self.end.handicap() > 0 {
            facts.push(format!("{} handicap stones", self.end.handicap()));
        }
        facts.push(if moves == 1 { "1 move".to_owned() } else { format!("{moves} moves") });
        if let Some(result) = self.record.result.as_deref().filter(|result| !result.trim().is_empty()) {
            facts.push(format!("result {}", escaped(result)));
        }
        facts.join(" · ")
    }

    fn mistakes(&self, mistakes: &[Mistake]) -> String {
        let coordinate = self.end.board().coordinate();
        if mistakes.is_empty() {
            return "<p>None that cost five per cent or more.</p>\n".to_owned();
        }
        let mut html = String::from(
            "<table>\n<thead><tr><th>move</th><th>played</th><th>lost</th><th>better, as it might go on</th></tr></thead>\n\
             <tbody>\n",
        );
        for mistake in mistakes {
            let before = mistake.number - 1;
            let Some((item, found)) = self.end.record().items().get(before).zip(self.found.get(before)) else {
                continue;
            };
            let better: Vec<String> = shown(&found.expected).iter().map(|play| play.vertex(coordinate)).collect();
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

    fn told<'a>(&self, losses: &[f32], owners: &'a [String]) -> PageData<'a> {
        let coordinate = self.end.board().coordinate();
        let from_top = from_top(coordinate);
        let index = |play: &Move| match play {
            Move::Play(point) => from_top.iter().position(|other| other == point).map_or(-1, |index| index as i32),
            Move::Pass => -1,
        };
        let symbol = |stones: &[Stone], point: Point| stones.get(point.index()).copied().unwrap_or_default().symbol();
        let steps = self.found.iter().zip(owners).enumerate().map(|(number, (found, owners))| {
            let item = number.checked_sub(1).and_then(|before| self.end.record().items().get(before));
            let before = self.end.stones_at(number.saturating_sub(1));
            let stones = self.end.stones_at(number);
            let changed =
                from_top.iter().zip(0..).filter(|&(&point, _)| symbol(before, point) != symbol(stones, point));
            let loss = number.checked_sub(1).and_then(|before| losses.get(before).copied());
            Step {
                played: item.map(|item| (letter(item.color), index(&item.play))),
                loss: loss.filter(|&loss| loss >= 0.005).map(|loss| rounded(loss * 100.0)),
                changes: changed.map(|(&point, index)| (index, symbol(stones, point))).collect(),
                mover: letter(found.to_move),
                win: rounded(found.value * 100.0),
                lead: rounded(found.lead),
                expected: shown(&found.expected).iter().map(index).collect(),
                owners,
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

    /// For each position whose points are whose, a letter for each point.
    fn owners(&self) -> Vec<String> {
        let from_top = from_top(self.end.board().coordinate());
        let letter = |owner: f32| {
            let step = ((owner.clamp(-1.0, 1.0) + 1.0) / 2.0 * (OWNER_LETTERS - 1.0)).round();
            char::from(b'a' + step as u8)
        };
        let at = |found: &Found, point: &Point| found.ownership.get(point.index()).copied().unwrap_or_default();
        let text = |found: &Found| from_top.iter().map(|point| letter(at(found, point))).collect();
        self.found.iter().map(text).collect()
    }
}

/// The points row by row from the top left, as pictures have them.
fn from_top(coordinate: Coordinate) -> Vec<Point> {
    let rows = (1..=coordinate.height()).rev();
    rows.flat_map(|y| (1..=coordinate.width()).filter_map(move |x| coordinate.point(x, y))).collect()
}

fn shown(expected: &[Move]) -> &[Move] {
    expected.get(..EXPECTED).unwrap_or(expected)
}

const fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "b",
        Color::White => "w",
    }
}

/// To one digit after the point.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10.0).round() / 10.0
}

//! The HTML page of an analyzed game, complete in one file.
//!
//! Without scripts it shows the last position, the graphs, the summary, the mistakes and the record's comments. The script
//! steps through the game; it reads [`page_data`] from an element of type JSON, which has numbers and letters only, no
//! text of the record.

use std::fmt::Write;

use crate::kernel::{Color, Move};
use crate::picture::Picture;
use crate::player::review::{MoveClass, largest_mistakes};
use crate::report::annotate::capitalized;
use crate::report::data::{page_data, rounded, shown};
use crate::report::graph;
use crate::report::outputs::GENERATOR;
use crate::report::review::Review;
use crate::report::summary::Phase;
use crate::text::markup::escape;
use crate::text::plural::counted;
use crate::{NAME, VERSION};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The script that draws boards.
const BOARD_SCRIPT: &str = include_str!("../picture/board.js");

/// The content security policy: the browser loads nothing and sends nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// Maximum number of mistakes in the table.
const MAX_MISTAKES: usize = 20;

/// The page as HTML.
///
/// # Errors
/// If the data cannot be written as JSON.
pub(super) fn html(review: &Review) -> serde_json::Result<String> {
    let title = title(review);
    let end = &review.game.end;
    let mut picture = Picture::new(end);
    picture.title = "The board".to_owned();
    // escaped, although it has no text of the record: `</script>` would end the element
    let data = serde_json::to_string(&page_data(review))?.replace('<', "\\u003c");
    let last = end.record().len();
    Ok(format!(
        r#"{head}<body>
<header>
<h1>{title}</h1>
<p>{facts}</p>
</header>
<main>
<section class="game">
<div id="line" class="steps" hidden></div>
<div id="board">
{board}</div>
<div class="steps" hidden>
<button data-to="first" aria-label="First position" title="first position (Home)">|&lt;</button>
<button data-to="-10" aria-label="Ten moves back" title="ten moves back (Page Up)">&lt;&lt;</button>
<button data-to="-1" aria-label="One move back" title="one move back (left arrow)">&lt;</button>
<input id="number" type="range" min="0" max="{last}" value="{last}" aria-label="move">
<button data-to="1" aria-label="One move on" title="one move on (right arrow)">&gt;</button>
<button data-to="10" aria-label="Ten moves on" title="ten moves on (Page Down)">&gt;&gt;</button>
<button data-to="last" aria-label="Last position" title="last position (End)">&gt;|</button>
</div>
<div class="steps" hidden>
<label><input id="candidates" type="checkbox" checked> candidates (c)</label>
<label><input id="expected" type="checkbox"> expected moves (e)</label>
<label><input id="ownership" type="checkbox"> ownership (o)</label>
<button data-to="mistake" title="the next mistake or blunder (m), the one before (shift m)">next mistake (m)</button>
</div>
</section>
<section class="findings">
<div id="position" aria-live="polite"><noscript>Without scripts, the board shows the last position only.</noscript></div>
{graph}<div id="moves" hidden></div>
{comments}<h2>{heading}</h2>
{mistakes}</section>
<section class="tables">
<h2>Summary</h2>
{summary}</section>
</main>
<footer>
<p>{program}, with {visits} per position. Win rate and lead are Black's, those on candidates: the win rate of the player to
move, the lead, and visits. Red square: the move played. Searches overestimate the
value of having the move; this bias is subtracted from the losses.</p>
<p>An inaccuracy, a mistake and a blunder lose {win_probabilities}% of win rate; or {points} points together with
{with_points}% of win rate. Accuracy is that of Lichess: 100% for no loss, 64% for a loss of 10%, the mean over the moves.</p>
<p class="keys">Click a candidate, or press its number, to play out its variation; Escape returns. Left and right arrows, the wheel over the
board, or a swipe: one move. Page Up, Page Down, Home, End; Shift-m: the mistake before; m, c, e and o as above.</p>
</footer>
<script id="data" type="application/json">{data}</script>
<script>
{BOARD_SCRIPT}{SCRIPT}</script>
</body>
</html>
"#,
        win_probabilities = thresholds(|class| 100.0 * class.min_win_probability()),
        points = thresholds(MoveClass::min_points),
        with_points = thresholds(|class| 100.0 * class.min_win_probability_with_points()),
        head = head(&title),
        facts = facts(review),
        board = picture.svg(),
        graph = graph::draw(&review.analyses, &review.mistakes),
        comments = comments(review),
        summary = summary_table(review),
        heading = mistake_heading(review),
        mistakes = mistake_table(review),
        program = footer_program(),
        visits = review.visits_in_words,
    ))
}

/// The start of a page up to its body. `title` is HTML.
pub(super) fn head(title: &str) -> String {
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="{GENERATOR}">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{STYLE}</style>
</head>
"#
    )
}

/// The program that made the analysis.
pub(super) fn footer_program() -> String {
    format!("Analysed by {NAME} {VERSION}")
}

/// A table as HTML, in a box with a label that scrolls where the table is too wide, also by keys.
pub(super) fn wide(label: &str, table: &str) -> String {
    format!("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">{table}</div>\n")
}

/// A property of the root, as HTML; `None` if it is absent or empty.
fn root_text(review: &Review, property: &str) -> Option<String> {
    let tree = &review.game.tree;
    tree.text(tree.root(), property).map(|text| escape(text.trim())).filter(|text| !text.is_empty())
}

/// The name of a rule set as a title has it.
fn rules_title(name: &str) -> String {
    match name {
        "aga" | "bga" | "cgos" => name.to_uppercase(),
        "aga-button" => "AGA button".to_owned(),
        "chinese-kgs" => "Chinese (KGS)".to_owned(),
        "chinese-ogs" => "Chinese (OGS)".to_owned(),
        "new-zealand" => "New Zealand".to_owned(),
        "tromp-taylor" => "Tromp-Taylor".to_owned(),
        _ => capitalized(&name.replace('-', " ")),
    }
}

/// The players with their ranks, as HTML.
pub(super) fn title(review: &Review) -> String {
    let record = &review.game.record;
    let name = |name: &Option<String>, rank: &str, color: &str| match name.as_deref().map(str::trim) {
        None | Some("") => color.to_owned(),
        Some(name) => {
            let rank = root_text(review, rank).map_or(String::new(), |rank| format!(" {rank}"));
            format!("{}{rank} ({color})", escape(name))
        }
    };
    format!("{} – {}", name(&record.black, "BR", "Black"), name(&record.white, "WR", "White"))
}

/// Date, event, board size, rules, komi, handicap, number of moves, an illegal move, the count of an unfinished game, and
/// the result, as HTML.
pub(super) fn facts(review: &Review) -> String {
    let end = &review.game.end;
    let rule = end.rule();
    let coordinate = end.board().coordinate();
    let mut facts: Vec<String> = ["DT", "EV"].into_iter().filter_map(|name| root_text(review, name)).collect();
    facts.extend([
        format!("{}×{}", coordinate.width(), coordinate.height()),
        format!("{} rules", rules_title(rule.name_or_other())),
        format!("komi {}", rule.komi),
    ]);
    if end.handicap() > 0 {
        facts.push(counted(end.handicap(), "handicap stone"));
    }
    facts.push(counted(review.move_count(), "move"));
    facts.extend(review.game.illegal.as_ref().map(|illegal| escape(&illegal.warning())));
    facts.extend(review.unfinished_count().map(|count| format!("score {count}")));
    if let Some(result) = review.game.record.known_result() {
        facts.push(format!("result {}", escape(result)));
    }
    facts.join(" · ")
}

/// The comments of the record, each with a link to its position; the script shows those of the present position.
fn comments(review: &Review) -> String {
    let comments = review.game.comments();
    if comments.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div id=\"comments\">\n<h2>Comments of the record</h2>\n");
    for (number, text) in comments {
        let place = if number == 0 { "Before the first move".to_owned() } else { format!("Move {number}") };
        let text: Vec<String> = text.trim().lines().map(escape).collect();
        // writing to a String cannot fail, here and below
        let _ = writeln!(
            html,
            "<div class=\"comment\" data-number=\"{number}\"><a href=\"#{number}\">{place}</a>\n<p>{}</p></div>",
            text.join("\n")
        );
    }
    html + "</div>\n"
}

/// A row for each player and phase.
fn summary_table(review: &Review) -> String {
    let mut html = String::from(
        "<table class=\"summary\">\n<thead><tr><th></th><th></th><th class=\"n\">moves</th>\
         <th class=\"n\">accuracy</th><th class=\"n\">points lost a move</th>",
    );
    for class in MoveClass::ALL {
        let _ = write!(html, "<th class=\"n\">{}</th>", class.plural());
    }
    html += "</tr></thead>\n<tbody>\n";
    for color in [Color::Black, Color::White] {
        let name = capitalized(&color.to_string());
        let phases: Vec<_> = Phase::ALL
            .iter()
            .filter_map(|&phase| review.summary(color, phase).map(|summary| (phase, summary)))
            .collect();
        for (phase, summary) in &phases {
            let class = if *phase == Phase::Whole { " class=\"whole\"" } else { "" };
            let _ = write!(
                html,
                "<tr{class}><th>{name}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0}%</td><td class=\"n\">{:.1}</td>",
                phase.name(),
                summary.moves,
                summary.accuracy,
                summary.points_lost
            );
            for count in summary.classes {
                let _ = write!(html, "<td class=\"n\">{count}</td>");
            }
            html += "</tr>\n";
        }
    }
    wide("Summary", &(html + "</tbody>\n</table>"))
}

/// The thresholds of all classes in words, rounded to tenths.
fn thresholds(of: impl Fn(MoveClass) -> f32) -> String {
    let [inaccuracy, mistake, blunder] = MoveClass::ALL.map(|class| (10.0 * of(class)).round() / 10.0);
    format!("{inaccuracy}, {mistake} and {blunder}")
}

fn mistake_heading(review: &Review) -> String {
    let count = review.mistakes.len();
    let excess = if count > MAX_MISTAKES { format!(" ({MAX_MISTAKES} of {count})") } else { String::new() };
    format!("Largest losses{excess}")
}

fn mistake_table(review: &Review) -> String {
    let coordinate = review.game.end.board().coordinate();
    if review.mistakes.is_empty() {
        let least = (100.0 * MoveClass::Inaccuracy.min_win_probability()).round();
        return format!("<p>No move lost {least}% or more.</p>\n");
    }
    let mut html = String::from(
        "<table class=\"mistakes\">\n<thead><tr><th>move</th><th>played</th><th>class</th>\
         <th class=\"n\">win rate</th><th class=\"n\">points</th><th>better</th></tr></thead>\n<tbody>\n",
    );
    for mistake in largest_mistakes(&review.mistakes, MAX_MISTAKES) {
        let before = mistake.number - 1;
        let Some(((color, play), analysis)) = review.moves().nth(before).zip(review.before(mistake.number)) else {
            continue;
        };
        let class = mistake.class.name();
        let _ = writeln!(
            html,
            "<tr><td><a href=\"#{before}\">{}</a></td><td>{color} {}</td><td class=\"{class}\">{class}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            mistake.number,
            play.vertex(coordinate),
            minus(f64::from(mistake.loss.win_probability) * 100.0, 1, "%"),
            minus(rounded(mistake.loss.points), 1, ""),
            Move::vertices(shown(&analysis.variation), coordinate)
        );
    }
    wide("Largest losses", &(html + "</tbody>\n</table>"))
}

/// A loss with a minus sign and its unit; a dash for none.
fn minus(loss: f64, decimals: usize, unit: &str) -> String {
    if loss > 0.0 { format!("−{loss:.decimals$}{unit}") } else { "–".to_owned() }
}

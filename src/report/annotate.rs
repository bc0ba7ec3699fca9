//! The record of a game with the analysis written into it; variations, comments and properties of the original stay, but
//! for `SBKV` and `V` of the positions that were searched, whose values are replaced.
//!
//! | Property | Content |
//! | --- | --- |
//! | `C` | a paragraph after the original comment: win rate, lead, what the move lost, what was better |
//! | `SBKV` | Black's win rate in per cent, from which Sabaki draws its graph |
//! | `V` | Black's lead in points |
//! | `DO`, `BM` | on inaccuracies; on mistakes (`1`) and blunders (`2`) |
//! | `HO` | on mistakes and blunders, so that front ends can jump to them |
//!
//! A better line is a variation beside the move that has a class. A record that was annotated before gets new annotations
//! in place of the old ones: the paragraphs that begin with the engine's name are replaced. Comments that were added to it
//! meanwhile stay.

use crate::NAME;
use crate::kernel::{Move, lead_text};
use crate::player::review::PositionAnalysis;
use crate::player::review::{Mistake, MoveClass};
use crate::report::data::{rounded, shown};
use crate::report::review::Review;
use crate::sgf::{GameTree, NodeId};

/// The private property of the root of an annotated record: the version that wrote it. Its presence near the start of a
/// file shows that the file may be replaced.
pub(super) const MARK: &str = "KUREPORT";

/// The beginning of the comment on a better line, before the number of the move.
const BETTER: &str = "better than move ";

/// The property of mistakes and blunders besides that of their class, with its value.
const HOT_SPOT: (&str, &str) = ("HO", "1");

/// The annotations of a move, of which a node may have only one.
const MOVE_ANNOTATIONS: [&str; 4] = ["BM", "DO", "IT", "TE"];

/// The annotated record as the text of a file, with a line end.
pub(super) fn annotated(review: &Review) -> String {
    let mut tree = review.game.tree.clone();
    let nodes = review.game.nodes();
    let is_annotated = !tree.values(tree.root(), MARK).is_empty();
    if is_annotated {
        nodes.iter().for_each(|&(id, _)| remove_marks(&mut tree, id));
    }
    tree.set_text(tree.root(), MARK, crate::VERSION);
    tree.move_to_front(tree.root(), MARK);
    for (place, &(id, number)) in nodes.iter().enumerate() {
        // the last node of a position has its numbers
        if nodes.get(place + 1).is_some_and(|&(_, next)| next == number) {
            continue;
        }
        let Some(analysis) = review.analyses.get(number) else { continue };
        let mistake = review.mistake(number);
        let text = comment(review, number, analysis, mistake);
        annotate(&mut tree, id, analysis, &text, is_annotated);
        let Some(mistake) = mistake else { continue };
        rate(&mut tree, id, mistake.class);
        // a node that has other moves beside this one has no place for a better line
        if tree.moves(id).count() == 1
            && let Some(parent) = tree.parent(id)
        {
            add_better_line(&mut tree, parent, review, number, is_annotated);
        }
    }
    tree.write() + "\n"
}

/// Removes what an earlier annotation added to a move besides its paragraph: the mark of the class that the paragraph
/// names, and the better lines after the position, unless something was added to them.
fn remove_marks(tree: &mut GameTree, id: NodeId) {
    let text = tree.text(id, "C").unwrap_or_default();
    let is_class = |class: &MoveClass| {
        let name = format!("\n{}: ", capitalized(class.name()));
        text.split("\n\n").any(|paragraph| is_own(paragraph) && paragraph.contains(&name))
    };
    if let Some(class) = MoveClass::ALL.iter().find(|class| is_class(class)) {
        let (identifier, value) = class_mark(*class);
        for (identifier, value) in [(identifier, value), HOT_SPOT] {
            if tree.values(id, identifier) == [value] {
                tree.set(id, identifier, Vec::new());
            }
        }
    }
    for child in tree.children(id).to_vec() {
        if tree.text(child, "C").is_some_and(|text| is_better_line(&text)) && !has_comments_below(tree, child) {
            tree.remove(child);
        }
    }
}

/// Whether a paragraph of a comment was written by an annotation.
fn is_own(paragraph: &str) -> bool {
    paragraph.strip_prefix(NAME).is_some_and(|rest| rest.starts_with(": "))
}

/// Whether a comment is that of the first move of a better line, and nothing else.
fn is_better_line(comment: &str) -> bool {
    is_own(comment) && comment.contains(BETTER) && !comment.contains("\n\n")
}

/// Whether a node after this one has a comment, or several moves follow it.
fn has_comments_below(tree: &GameTree, mut id: NodeId) -> bool {
    while let [child] = tree.children(id) {
        id = *child;
        if tree.text(id, "C").is_some() {
            return true;
        }
    }
    !tree.children(id).is_empty()
}

/// Adds a paragraph, in a record that was annotated before in place of the earlier one, and the values that front ends
/// draw.
fn annotate(tree: &mut GameTree, id: NodeId, analysis: &PositionAnalysis, text: &str, is_annotated: bool) {
    let before = tree.text(id, "C").unwrap_or_default();
    let kept =
        before.split("\n\n").filter(|paragraph| !is_annotated || !is_own(paragraph)).collect::<Vec<_>>().join("\n\n");
    let kept = kept.trim_end();
    let gap = if kept.is_empty() { "" } else { "\n\n" };
    tree.set_text(id, "C", &format!("{kept}{gap}{NAME}: {text}"));
    tree.set(id, "SBKV", vec![format!("{:.2}", analysis.win_probability * 100.0)]);
    tree.set(id, "V", vec![format!("{:.1}", rounded(analysis.lead))]);
}

/// Marks a move by its class, unless the record has a mark of its own.
fn rate(tree: &mut GameTree, id: NodeId, class: MoveClass) {
    if MOVE_ANNOTATIONS.iter().all(|identifier| tree.values(id, identifier).is_empty()) {
        let (identifier, value) = class_mark(class);
        tree.set(id, identifier, vec![value.to_owned()]);
    }
    let (identifier, value) = HOT_SPOT;
    if class >= MoveClass::Mistake && tree.values(id, identifier).is_empty() {
        tree.set(id, identifier, vec![value.to_owned()]);
    }
}

/// The property of a move's class, with its value.
fn class_mark(class: MoveClass) -> (&'static str, &'static str) {
    match class {
        MoveClass::Inaccuracy => ("DO", ""),
        MoveClass::Mistake => ("BM", "1"),
        MoveClass::Blunder => ("BM", "2"),
    }
}

/// Adds the expected moves in place of move `number` after `parent`, with a paragraph on the first one.
fn add_better_line(tree: &mut GameTree, parent: NodeId, review: &Review, number: usize, is_annotated: bool) {
    let Some(analysis) = review.before(number) else { return };
    let mut id = parent;
    let mut color = analysis.to_move;
    for (place, &play) in shown(&analysis.variation).iter().enumerate() {
        let Some(child) = tree.add_child(id, color, play) else { return };
        if let Some(best) = analysis.candidates.first().filter(|_| place == 0) {
            let text = format!("{BETTER}{number}. {}", values(best.win_probability, best.lead));
            let best = PositionAnalysis { win_probability: best.win_probability, lead: best.lead, ..analysis.clone() };
            annotate(tree, child, &best, &text, is_annotated);
        }
        (id, color) = (child, color.opponent());
    }
}

/// The text for a position and the move that led to it.
fn comment(review: &Review, number: usize, analysis: &PositionAnalysis, mistake: Option<&Mistake>) -> String {
    let mut text = values(analysis.win_probability, analysis.lead);
    if let Some(count) = review.unfinished_count().filter(|_| number == review.move_count()) {
        text += &format!("\nScore: {count}.");
    }
    if let (Some(mistake), Some(before)) = (mistake, review.before(number)) {
        let coordinate = review.game.end.board().coordinate();
        text += &format!("\n{}: {}.", capitalized(mistake.class.name()), lost(mistake));
        if let Some((best, others)) = before.variation.split_first() {
            text += &format!(" {} was better", best.vertex(coordinate));
            if !others.is_empty() {
                text += &format!(", then {}", Move::vertices(shown(others), coordinate));
            }
            text.push('.');
        }
    }
    text
}

fn values(win_probability: f32, lead: f32) -> String {
    let lead = lead_text(lead).unwrap_or_else(|| "even".to_owned());
    format!("Black's win rate {:.0}%, {lead}.", win_probability * 100.0)
}

/// The loss of a move: `lost 12% and 3.5 points`.
fn lost(mistake: &Mistake) -> String {
    format!("lost {:.0}% and {:.1} points", mistake.loss.win_probability * 100.0, mistake.loss.points)
}

/// With a capital first letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

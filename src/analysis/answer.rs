//! What is found, as lines of JSON.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::analysis::fields::Refusal;
use crate::analysis::query::Shown;
use crate::analysis::queue::Job;
use crate::kernel::{Color, Position};
use crate::net::features::{Features, Symmetry};
use crate::net::{Net, Scratch};
use crate::protocol::perspective::View;
use crate::search::{Candidate, SearchResult};

/// What was found about a position, or what is known of it so far.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    id: &'a str,
    turn_number: usize,
    is_during_search: bool,
    move_infos: Vec<MoveInfo>,
    root_info: RootInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a [f32]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveInfo {
    order: usize,
    #[serde(rename = "move")]
    play: String,
    visits: u32,
    winrate: f32,
    lcb: f32,
    #[serde(flatten)]
    score: Score,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<f32>,
    pv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_visits: Option<Vec<u32>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo {
    current_player: &'static str,
    visits: u64,
    winrate: f32,
    #[serde(flatten)]
    score: Score,
}

/// `scoreMean` says the same as `scoreLead`: that is its older name.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Score {
    score_lead: f32,
    score_mean: f32,
    score_stdev: f32,
}

impl Score {
    fn new(lead: f32, deviation: f32, view: View) -> Score {
        let lead = rounded(view.points(lead), 1e3);
        Score { score_lead: lead, score_mean: lead, score_stdev: rounded(deviation, 1e3) }
    }
}

/// The line of a report, or of an answer where the search has ended. `policy` is what the net says by itself.
pub(super) fn line(
    job: &Job,
    result: &SearchResult,
    view: View,
    policy: Option<&[f32]>,
    is_during_search: bool,
) -> String {
    let shown = job.query.shown;
    // of a move whose playouts are all still under way nothing is known
    let known = result.candidates.iter().filter(|candidate| candidate.visits > 0);
    let moves = known.enumerate().filter_map(|(order, candidate)| MoveInfo::new(order, candidate, shown, view));
    let ownership = || {
        let points = view.coordinate.points_from_last_rank();
        let owners = points.map(|point| result.ownership.get(point.index()).copied().unwrap_or_default());
        owners.map(|owner| rounded(view.points(owner), 1e3)).collect()
    };
    let lead = result.best_lead();
    let answer = Answer {
        id: &job.query.id,
        turn_number: job.turn,
        is_during_search,
        move_infos: moves.collect(),
        root_info: RootInfo {
            current_player: letter(view.searched),
            visits: result.visits,
            winrate: rounded(view.win_probability(result.value()), 1e6),
            score: Score::new(lead.mean, lead.deviation, view),
        },
        ownership: shown.ownership.then(ownership),
        policy,
    };
    // numbers, texts and lists of them: nothing here cannot be written
    serde_json::to_string(&answer).unwrap_or_default()
}

impl MoveInfo {
    fn new(order: usize, candidate: &Candidate, shown: Shown, view: View) -> Option<MoveInfo> {
        let lead = candidate.lead?;
        let variation = candidate.variation.iter().take(shown.variation);
        let visits = || candidate.variation_visits.iter().take(shown.variation).copied().collect();
        Some(MoveInfo {
            order,
            play: candidate.play.vertex(view.coordinate),
            visits: candidate.visits,
            winrate: rounded(view.win_probability(candidate.value), 1e6),
            lcb: rounded(view.win_probability(candidate.lower_bound()), 1e6),
            score: Score::new(lead.mean, lead.deviation, view),
            prior: candidate.policy.map(|policy| rounded(policy, 1e6)),
            pv: variation.map(|play| play.vertex(view.coordinate)).collect(),
            pv_visits: shown.variation_visits.then(visits),
        })
    }
}

fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "B",
        Color::White => "W",
    }
}

/// To one part in so many. A zero has no sign.
fn rounded(number: f32, parts: f32) -> f32 {
    (number * parts).round() / parts + 0.0
}

/// The chances that the net alone gives to each point, row by row from the top left, and to a pass: -1 for a move that is
/// illegal, and together 1 for the others.
pub(super) fn policy(net: &Net, position: &Position) -> Vec<f32> {
    let (board, color, rule) = (position.board(), position.to_move(), position.rule());
    let komi = rule.points_ahead(position.handicap());
    let features = Features::new(board, color, position.record().latest(), komi);
    let found = net.evaluate(&[(&features, Symmetry::default())], &mut Scratch::default());
    let chances = found.first().map(|found| found.probabilities()).unwrap_or_default();
    let is_legal = |place: usize| features.point(place).is_none_or(|point| position.check(color, point).is_ok());
    let legal: Vec<bool> = (0..chances.len()).map(is_legal).collect();
    let sum: f32 = chances.iter().zip(&legal).filter(|(_, is_legal)| **is_legal).map(|(chance, _)| chance).sum();
    let chance = |(chance, is_legal): (f32, bool)| if is_legal { chance / sum } else { -1.0 };
    chances.into_iter().zip(legal).map(chance).collect()
}

/// The last answer for a position that was not searched.
pub(super) fn no_results(job: &Job) -> String {
    let (id, turn) = (&job.query.id, job.turn);
    json!({ "id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true }).to_string()
}

/// The last answer for a position that a fault has kept from being searched.
pub(super) fn fault(job: &Job) -> String {
    let (id, turn) = (&job.query.id, job.turn);
    json!({ "id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true, "error": "internal error" })
        .to_string()
}

/// A line of which it is not known who asked it.
pub(super) fn error(text: &str) -> String {
    json!({ "error": text }).to_string()
}

/// A query that is refused.
pub(super) fn refusal(id: &str, refusal: &Refusal) -> String {
    json!({ "id": id, "field": refusal.field, "error": refusal.text }).to_string()
}

/// What is said of a query that is answered all the same.
pub(super) fn warning(id: &str, warning: &Refusal) -> String {
    json!({ "id": id, "field": warning.field, "warning": warning.text }).to_string()
}

/// A request said back, with what was asked.
pub(super) fn echo(mut request: Map<String, Value>, found: &[(&str, Value)]) -> String {
    for (name, value) in found {
        request.insert((*name).to_owned(), value.clone());
    }
    Value::Object(request).to_string()
}

//! Responses as lines of JSON.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::analysis::fields::Refusal;
use crate::analysis::query::Included;
use crate::analysis::queue::Job;
use crate::kernel::{Color, Position};
use crate::net::evaluate::Scratch;
use crate::net::katago::game::{Game, Options};
use crate::net::{Net, Symmetry};
use crate::protocol::perspective::View;
use crate::search::{Candidate, SearchResult};

/// The response for a position, intermediate or final.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnalysisResponse<'a> {
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

/// `scoreMean` is KataGo's older name of `scoreLead`.
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

/// A response line. `policy` is the raw policy of the net, if the query includes it.
pub(super) fn line(
    job: &Job,
    result: &SearchResult,
    view: View,
    policy: Option<&[f32]>,
    is_during_search: bool,
) -> String {
    let included = job.query.included;
    // moves without a finished playout have no value
    let known = result.candidates.iter().filter(|candidate| candidate.visits > 0);
    let with_lead = known.filter_map(|candidate| Some((candidate, candidate.lead?)));
    let moves = with_lead.enumerate().map(|(order, (candidate, lead))| {
        let score = Score::new(lead.mean, lead.deviation, view);
        MoveInfo::new(order, candidate, score, included, view)
    });
    let ownership = || {
        let points = view.coordinate.points_from_last_rank();
        let owners = points.map(|point| result.ownership.get(point.index()).copied().unwrap_or_default());
        owners.map(|owner| rounded(view.points(owner), 1e3)).collect()
    };
    let lead = result.best_lead();
    let response = AnalysisResponse {
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
        ownership: included.ownership.then(ownership),
        policy,
    };
    // serialising numbers, strings and lists cannot fail
    serde_json::to_string(&response).unwrap_or_default()
}

impl MoveInfo {
    fn new(order: usize, candidate: &Candidate, score: Score, included: Included, view: View) -> MoveInfo {
        // the length does not count the move itself
        let length = included.pv_length.saturating_add(1);
        let variation = candidate.variation.iter().take(length);
        let visits = || candidate.variation_visits.iter().take(length).copied().collect();
        MoveInfo {
            order,
            play: candidate.play.vertex(view.coordinate),
            visits: candidate.visits,
            winrate: rounded(view.win_probability(candidate.value), 1e6),
            lcb: rounded(view.win_probability(candidate.lower_bound()), 1e6),
            score,
            prior: candidate.policy.map(|policy| rounded(policy, 1e6)),
            pv: variation.map(|play| play.vertex(view.coordinate)).collect(),
            pv_visits: included.variation_visits.then(visits),
        }
    }
}

fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "B",
        Color::White => "W",
    }
}

/// Rounds to a multiple of `1 / parts`. A zero has no sign.
fn rounded(number: f32, parts: f32) -> f32 {
    (number * parts).round() / parts + 0.0
}

/// The raw policy of the net: a probability for each point, row by row from the top left, then for the pass; -1 for
/// illegal moves. The legal moves sum to 1.
pub(super) fn policy(net: &Net, position: &Position) -> Vec<f32> {
    let (board, color) = (position.board(), position.to_move());
    let input = net.input(&Game::new(position, color), &Options::default());
    let outputs = net.evaluate(&[(&input, Symmetry::default())], 0.0, &mut Scratch::default());
    let probabilities = outputs.into_iter().next().map(|output| output.policy);
    let points = board.coordinate().points_from_last_rank();
    let legal: Vec<bool> = points.map(|point| position.check(color, point).is_ok()).chain([true]).collect();
    let probabilities = probabilities.unwrap_or_default();
    let sum: f32 = probabilities.iter().zip(&legal).filter(|(_, is_legal)| **is_legal).map(|(policy, _)| policy).sum();
    let probability = |(policy, is_legal): (f32, bool)| if is_legal { policy / sum } else { -1.0 };
    probabilities.into_iter().zip(legal).map(probability).collect()
}

/// The final response for a position that was not searched.
pub(super) fn no_results(job: &Job) -> String {
    let (id, turn) = (&job.query.id, job.turn);
    json!({ "id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true }).to_string()
}

/// The final response for a position whose search panicked.
pub(super) fn fault(job: &Job) -> String {
    let (id, turn) = (&job.query.id, job.turn);
    json!({ "id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true, "error": "internal error" })
        .to_string()
}

/// An error without a query id.
pub(super) fn error(text: &str) -> String {
    json!({ "error": text }).to_string()
}

/// The refusal of a query.
pub(super) fn refusal(id: &str, refusal: &Refusal) -> String {
    json!({ "id": id, "field": refusal.field, "error": refusal.text }).to_string()
}

/// A warning about a query that is answered.
pub(super) fn warning(id: &str, warning: &Refusal) -> String {
    json!({ "id": id, "field": warning.field, "warning": warning.text }).to_string()
}

/// A request echoed with the fields of its result.
pub(super) fn echo(mut request: Map<String, Value>, results: &[(&str, Value)]) -> String {
    for (name, value) in results {
        request.insert((*name).to_owned(), value.clone());
    }
    Value::Object(request).to_string()
}

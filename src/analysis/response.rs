//! Responses as lines of JSON.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::analysis::fields::FieldMessage;
use crate::analysis::position_hash;
use crate::analysis::query::ResponseParts;
use crate::analysis::queue::Job;
use crate::kernel::{Position, Symmetry};
use crate::net::{Net, Output};
use crate::protocol::report_view::ReportView;
use crate::search::{Candidate, Ownership, SearchResult};

/// The response for a position, intermediate or final.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnalysisResponse<'a> {
    id: &'a str,
    turn_number: usize,
    is_during_search: bool,
    move_infos: Vec<MoveInfo>,
    root_info: RootInfo<'a>,
    #[serde(flatten)]
    ownership: OwnershipFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Vec<f32>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveInfo {
    order: usize,
    #[serde(rename = "move")]
    play: String,
    visits: u32,
    edge_visits: u32,
    weight: f64,
    edge_weight: f64,
    play_selection_value: f64,
    winrate: f64,
    lcb: f64,
    utility: f64,
    utility_lcb: f64,
    #[serde(flatten)]
    score: Score,
    /// An older name of `scoreLead`.
    score_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_result_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_symmetry_of: Option<String>,
    pv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_visits: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_edge_visits: Option<Vec<u32>>,
    #[serde(flatten)]
    ownership: OwnershipFields,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo<'a> {
    current_player: char,
    this_hash: &'a str,
    sym_hash: &'a str,
    visits: u64,
    weight: f64,
    winrate: f64,
    utility: f64,
    #[serde(flatten)]
    score: Score,
    /// An older name of `scoreLead`, as in the moves.
    score_mean: f64,
    #[serde(flatten)]
    raw: Option<Raw>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Score {
    score_lead: f64,
    score_selfplay: f64,
    score_stdev: f64,
}

/// The outputs of the net for the position, without search. A native net has no estimates but the win rate and, in the
/// second file format, the lead.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    raw_winrate: f64,
    #[serde(flatten)]
    score: Option<RawScore>,
    #[serde(flatten)]
    errors: Option<RawErrors>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RawScore {
    raw_lead: f64,
    raw_score_selfplay: f64,
    raw_score_selfplay_stdev: f64,
}

/// An estimate that an old net lacks is -1 (`rawStWrError` -0.5), as KataGo reports it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RawErrors {
    raw_no_result_prob: f64,
    raw_st_wr_error: f64,
    raw_st_score_error: f64,
    raw_var_time_left: f64,
}

/// A number for each point, from the highest rank down.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnershipFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership_stdev: Option<Vec<f64>>,
}

/// The data common to all responses about a position.
pub(super) struct ResponseContext<'a> {
    job: &'a Job,
    position: &'a Position,
    view: ReportView,
    net: Option<&'a Net>,
    /// The net's outputs for the position, made beside a search that does not evaluate it; `None` in a search by net,
    /// whose result has them, and without a net.
    evaluation: Option<Output>,
    /// [`position_hash::hashes`].
    hashes: (String, String),
}

impl<'a> ResponseContext<'a> {
    /// The context of a job. `net` is the net whose outputs are reported, if any; `is_search_by_net`: whether the search
    /// evaluates the position with it.
    pub(super) fn new(
        job: &'a Job,
        position: &'a Position,
        view: ReportView,
        net: Option<&'a Net>,
        is_search_by_net: bool,
    ) -> ResponseContext<'a> {
        let evaluation = net.filter(|_| !is_search_by_net).map(|net| evaluate(net, position));
        ResponseContext { job, position, view, net, evaluation, hashes: position_hash::hashes(position) }
    }

    /// The line of a search that goes on (`isDuringSearch` true).
    pub(super) fn intermediate_line(&self, result: &SearchResult) -> String {
        self.line(result, true)
    }

    /// The line of a search that has ended (`isDuringSearch` false).
    pub(super) fn final_line(&self, result: &SearchResult) -> String {
        self.line(result, false)
    }

    fn line(&self, result: &SearchResult, is_during_search: bool) -> String {
        let (job, view, included) = (self.job, self.view, self.job.query.included);
        // moves without a finished playout have no value
        let candidates = result.with_symmetric_moves();
        let known = candidates.iter().filter(|candidate| candidate.visits > 0 && candidate.lead.is_some());
        let evaluation = result.root.evaluation.as_deref().or(self.evaluation.as_ref());
        let owners = || {
            let without_stdev = || Ownership { mean: result.ownership.clone(), stdev: Vec::new() };
            result.root.ownership.clone().unwrap_or_else(without_stdev)
        };
        let response = AnalysisResponse {
            id: &job.query.id,
            turn_number: job.turn,
            is_during_search,
            move_infos: known.enumerate().map(|(order, one)| MoveInfo::new(order, one, included, view)).collect(),
            root_info: self.root_info(result, evaluation),
            ownership: OwnershipFields::new(owners, included.ownership, included.ownership_stdev, view),
            policy: evaluation.filter(|_| included.policy).map(|output| policy(output, self.position)),
        };
        // serialising numbers, strings and lists cannot fail
        serde_json::to_string(&response).unwrap_or_default()
    }

    fn root_info(&self, result: &SearchResult, evaluation: Option<&Output>) -> RootInfo<'_> {
        let (view, root) = (self.view, &result.root);
        let score = Score::new([root.lead, root.score, root.score_stdev], view);
        RootInfo {
            current_player: view.to_move.letter(),
            this_hash: &self.hashes.0,
            sym_hash: &self.hashes.1,
            visits: result.visits,
            weight: rounded(root.weight, 1e3),
            winrate: probability(root.win_probability, view),
            utility: utility(root.utility, view),
            score_mean: score.score_lead,
            score,
            raw: evaluation.zip(self.net).map(|(output, net)| Raw::new(output, net, view)),
        }
    }
}

impl Score {
    /// Of Black's lead, mean score, and its standard deviation.
    fn new([lead, score, stdev]: [f64; 3], view: ReportView) -> Score {
        Score { score_lead: points(lead, view), score_selfplay: points(score, view), score_stdev: rounded(stdev, 1e3) }
    }
}

impl MoveInfo {
    fn new(order: usize, candidate: &Candidate, included: ResponseParts, view: ReportView) -> MoveInfo {
        let details = &candidate.details;
        let lead = candidate.lead.unwrap_or_default();
        let score = Score::new([f64::from(lead.mean), details.score, f64::from(lead.stdev)], view);
        // the length does not count the move itself
        let length = included.pv_length.saturating_add(1);
        let visits = |visits: &[u32]| included.variation_visits.then(|| visits.iter().take(length).copied().collect());
        let owners = || details.ownership.clone().unwrap_or_default();
        MoveInfo {
            order,
            play: candidate.play.vertex(view.coordinate),
            visits: details.child_visits,
            edge_visits: candidate.visits,
            weight: rounded(details.child_weight, 1e3),
            edge_weight: rounded(details.edge_weight, 1e3),
            play_selection_value: rounded(details.play_selection_value, 1e3),
            winrate: probability(f64::from(candidate.win_probability), view),
            lcb: probability(details.winrate_lcb, view),
            utility: utility(details.utility, view),
            utility_lcb: utility(details.utility_lcb, view),
            score_mean: score.score_lead,
            score,
            no_result_value: included.no_result.then(|| rounded(details.no_result, 1e6)),
            prior: candidate.policy.map(|policy| rounded(f64::from(policy), 1e6)),
            is_symmetry_of: candidate.symmetry_of.map(|original| original.vertex(view.coordinate)),
            pv: candidate.variation.iter().take(length).map(|play| play.vertex(view.coordinate)).collect(),
            pv_visits: visits(&details.variation_child_visits),
            pv_edge_visits: visits(&candidate.variation_visits),
            ownership: OwnershipFields::new(owners, included.moves_ownership, included.moves_ownership_stdev, view),
        }
    }
}

impl Raw {
    fn new(output: &Output, net: &Net, view: ReportView) -> Raw {
        let win = 0.5 + 0.5 * f64::from(output.win - output.loss);
        let score = net.has_score(view.coordinate).then(|| {
            let reported = |points: f32| rounded(view.reported_from_side_to_move(f64::from(points)), 1e3);
            RawScore {
                raw_lead: reported(output.lead),
                raw_score_selfplay: reported(output.score_mean),
                raw_score_selfplay_stdev: rounded(f64::from(output.score_stdev), 1e3),
            }
        });
        let errors = net.katago().map(|_| {
            let known = |number: Option<f32>| f64::from(number.unwrap_or(-1.0));
            RawErrors {
                raw_no_result_prob: rounded(f64::from(output.no_result), 1e6),
                raw_st_wr_error: rounded(0.5 * known(output.shortterm_winloss_error), 1e6),
                raw_st_score_error: rounded(known(output.shortterm_score_error), 1e3),
                raw_var_time_left: rounded(known(output.var_time_left), 1e3),
            }
        });
        Raw { raw_winrate: probability(win, view), score, errors }
    }
}

impl OwnershipFields {
    fn new(owners: impl Fn() -> Ownership, has_mean: bool, has_stdev: bool, view: ReportView) -> OwnershipFields {
        if !has_mean && !has_stdev {
            return OwnershipFields { ownership: None, ownership_stdev: None };
        }
        let owners = owners();
        let listed = |cells: &[f32], of: &dyn Fn(f32) -> f64| {
            let points = view.coordinate.points_from_highest_rank();
            points.map(|point| of(cells.get(point.index()).copied().unwrap_or_default())).collect()
        };
        OwnershipFields {
            ownership: has_mean.then(|| listed(&owners.mean, &|owner| points(f64::from(owner), view))),
            ownership_stdev: has_stdev.then(|| listed(&owners.stdev, &|number| rounded(f64::from(number), 1e3))),
        }
    }
}

/// Rounds to a multiple of `1 / parts`. A zero has no sign.
fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts + 0.0
}

/// The reported player's win probability, from that of the side to move.
fn probability(win_probability: f64, view: ReportView) -> f64 {
    rounded(view.reported_win_probability(win_probability), 1e6)
}

/// The reported player's utility, from that of the side to move.
fn utility(utility: f64, view: ReportView) -> f64 {
    rounded(view.reported_from_side_to_move(utility), 1e6)
}

/// The reported player's points or ownership, from Black's.
fn points(black: f64, view: ReportView) -> f64 {
    rounded(view.reported_from_black(black), 1e3)
}

/// The net's outputs for a position, beside a search that does not evaluate it itself.
fn evaluate(net: &Net, position: &Position) -> Output {
    net.evaluate_position(position, position.to_move(), &[Symmetry::default()])
}

/// The policy of an evaluation: a probability for each point, from the highest rank down, then for the pass; -1 for
/// illegal moves. The legal moves sum to 1.
fn policy(output: &Output, position: &Position) -> Vec<f32> {
    let (board, color) = (position.board(), position.to_move());
    let points = board.coordinate().points_from_highest_rank();
    let legal: Vec<bool> = points.map(|point| position.check(color, point).is_ok()).chain([true]).collect();
    let probabilities = output.policy.iter().copied().zip(legal);
    let sum: f32 = probabilities.clone().filter(|(_, is_legal)| *is_legal).map(|(policy, _)| policy).sum();
    probabilities.map(|(policy, is_legal)| if is_legal { policy / sum } else { -1.0 }).collect()
}

/// The final response for a position that was not searched.
pub(super) fn no_results(job: &Job) -> String {
    let (id, turn) = (&job.query.id, job.turn);
    json!({ "id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true }).to_string()
}

/// The final response for a position whose search panicked.
pub(super) fn internal_error(job: &Job) -> String {
    let (id, turn) = (&job.query.id, job.turn);
    json!({ "id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true, "error": "internal error" })
        .to_string()
}

/// An error without a query id.
pub(super) fn error(text: &str) -> String {
    json!({ "error": text }).to_string()
}

/// The refusal of a query.
pub(super) fn refusal(id: &str, refusal: &FieldMessage) -> String {
    json!({ "id": id, "field": refusal.field, "error": refusal.text }).to_string()
}

/// A warning about a query that is answered.
pub(super) fn warning(id: &str, warning: &FieldMessage) -> String {
    json!({ "id": id, "field": warning.field, "warning": warning.text }).to_string()
}

/// A request echoed with the fields of its result.
pub(super) fn echo(mut request: Map<String, Value>, results: &[(&str, Value)]) -> String {
    for (name, value) in results {
        request.insert((*name).to_owned(), value.clone());
    }
    Value::Object(request).to_string()
}

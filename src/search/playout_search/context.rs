//! The state that the threads of one search share: tree, root, limits, counters; and the result so far.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::kernel::{Color, Move, Symmetry};
use crate::net::Net;
use crate::net::native::Evaluation;
use crate::playout::heavy::PlayoutPolicy;
use crate::search::control::SearchControl;
use crate::search::details::{Lead, MoveDetails, RootDetails};
use crate::search::eval_cache::EvalCache;
use crate::search::eval_cost::EvalCost;
use crate::search::limits::{MoveStats, RootRanking};
use crate::search::params::{Params, is_small_board};
use crate::search::playout_search::evaluator::{EvalInput, Evaluator};
use crate::search::playout_search::node::{Mean, Node};
use crate::search::playout_search::priors::{Prior, adapt_to_rule, priors};
use crate::search::playout_search::root::RootState;
use crate::search::playout_search::stats::{SearchStats, ThreadStats};
use crate::search::playout_search::tree::Tree;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::result::{Candidate, SearchResult};

/// Playouts of the thread that checks the time between two rankings of the root moves.
const RANKING_INTERVAL: u64 = 16;

/// A candidate has a lead from this many playouts of this root on, or from half of its visits if that is less.
const MIN_LEAD_PLAYOUTS: u64 = 100;

/// Shared by the threads of one search.
pub(super) struct PlayoutSearchContext<'a> {
    pub(super) tree: &'a Tree,
    pub(super) request: &'a SearchRequest<'a>,
    /// The parameters of the request as this board needs them.
    pub(super) params: Params,
    pub(super) policy: PlayoutPolicy,
    pub(super) root: &'a RootState,
    pub(super) control: SearchControl,
    /// Simulations started by this search.
    pub(super) simulations: AtomicU64,
    /// Visits of the root before this search.
    pub(super) visits_before: u64,
    cache: &'a EvalCache<Evaluation>,
    eval_cost: EvalCost,
    pub(super) stats: SearchStats,
}

impl<'a> PlayoutSearchContext<'a> {
    /// A search with the tree made ready for it. `earlier` are the statistics of earlier
    /// searches of the same root.
    pub(super) fn new(
        tree: &'a Tree,
        cache: &'a EvalCache<Evaluation>,
        request: &'a SearchRequest<'a>,
        root: &'a RootState,
        control: SearchControl,
        earlier: Option<ThreadStats>,
    ) -> PlayoutSearchContext<'a> {
        let coordinate = request.position.board().coordinate();
        let stats = SearchStats::new(coordinate, request.threads.max(1), earlier);
        PlayoutSearchContext {
            tree,
            request,
            params: request.params.for_board(coordinate),
            policy: PlayoutPolicy::new(&request.params.step_probabilities()),
            root,
            control,
            simulations: AtomicU64::new(0),
            visits_before: u64::from(tree.root().visits()),
            cache,
            eval_cost: EvalCost::default(),
            stats: if request.detailed_ownership { stats.with_ownership_stats() } else { stats },
        }
    }

    /// Expands the root with the moves that are legal under the rules of the game, superko included, and has the net
    /// evaluate it.
    pub(super) fn expand_root(&self) {
        let root = self.tree.root();
        let SearchRequest { position, color, .. } = *self.request;
        let mut moves = Vec::new();
        priors(&self.root.board, color, self.root.last_two_points(), &self.params, &mut moves);
        adapt_to_rule(&self.root.board, color, position.rule(), &self.params, &mut moves);
        let pass = moves.iter().find(|prior| prior.play == Move::Pass).copied();
        self.remove_restricted(color, 0, &mut moves);
        let is_legal = |prior: &Prior| position.check_move(color, prior.play).is_ok();
        if !moves.iter().any(is_legal) {
            // restrictions left no legal move
            moves = Vec::from_iter(pass);
        }
        self.tree.expand(root, || &moves);
        for child in self.tree.children(root) {
            if child.play().is_some_and(|play| position.check_move(color, play).is_err()) {
                child.forbid();
            }
        }
        if let Some(mut evaluator) = self.evaluator() {
            let is_single = self.request.limits.uses_single_root_symmetry();
            let symmetries = if is_single { 1 } else { Symmetry::all().count() };
            let RootState { board, hash, komi, .. } = self.root;
            let input = EvalInput { board, color, hash: *hash, komi: *komi };
            evaluator.evaluate_root(&input, self.root.last_moves.iter().copied(), symmetries);
        }
    }

    /// A thread's access to the net, if there is one and the board is not too small for it.
    pub(super) fn evaluator(&self) -> Option<Evaluator<'_>> {
        let position = self.request.position;
        if is_small_board(position.board().coordinate()) {
            return None;
        }
        let net = self.request.net.and_then(Net::native)?;
        Some(Evaluator::new(net, self.tree, self.cache, &self.eval_cost))
    }

    /// Removes the moves that the request excludes at this depth below the root.
    pub(super) fn remove_restricted(&self, color: Color, depth: usize, moves: &mut Vec<Prior>) {
        if let Some(restrictions) = self.request.restrictions {
            moves.retain(|prior| restrictions.admits(color, prior.play, depth));
        }
    }

    /// Reports progress if a report is due; a break stops the search.
    pub(super) fn report(&self, progress: &mut ProgressSink<'_>) -> ControlFlow<()> {
        self.control.report(progress, || self.result())
    }

    /// Whether the stop signal or the time ends the search. `playouts` are those of the calling thread, which calls
    /// this after each.
    pub(super) fn should_stop(&self, playouts: u64) -> bool {
        self.control.should_stop(self.request, || {
            playouts.is_multiple_of(RANKING_INTERVAL).then(|| {
                let children = self.tree.children(self.tree.root()).iter().filter(|child| !child.is_forbidden());
                let ranking = RootRanking::new(children.map(|child| {
                    let Mean { value, weight } = child.mean();
                    MoveStats { visits: weight as u64, value: f64::from(value) }
                }));
                (ranking, self.simulations.load(Ordering::Relaxed))
            })
        })
    }

    /// The result so far.
    pub(super) fn result(&self) -> SearchResult {
        let (lead, elapsed) = (self.stats.lead(), self.control.elapsed());
        let mut result = SearchResult {
            candidates: self.candidates(),
            playouts: self.stats.playouts(),
            stats_samples: self.stats.stats_samples(),
            simulations: self.simulations.load(Ordering::Relaxed),
            visits: u64::from(self.tree.root().visits()),
            completed: self.control.is_completed(),
            elapsed,
            setup_time: self.control.setup_time,
            evaluations: self.eval_cost.evaluations(),
            eval_batches: self.eval_cost.batches(),
            eval_time: self.eval_cost.time(),
            lock_time: Duration::ZERO,
            ownership: self.stats.ownership(),
            criticality: self.stats.criticality(),
            lead: lead.mean + self.request.extra_komi as f32,
            score_stdev: lead.stdev,
            is_by_net: false,
            root: RootDetails::default(),
        };
        let owners = self.stats.detailed_ownership(None);
        result.root = RootDetails::of_playouts(result.visits, result.win_probability(), result.best_lead(), owners);
        result
    }

    fn candidates(&self) -> Vec<Candidate> {
        let leads = self.stats.leads_after();
        let is_evaluated = self.tree.root().is_evaluated();
        let candidate = |child: &Node| {
            let play = child.play()?;
            let visits = child.visits();
            let (variation, variation_visits) = std::iter::once((play, visits)).chain(self.variation(child)).unzip();
            let lead = leads.get(child.cell()).copied().flatten();
            // visits include those of earlier searches of the game, leads only those of this root
            let lead = lead.filter(|lead| lead.samples >= MIN_LEAD_PLAYOUTS.min(u64::from(visits).div_ceil(2)));
            let lead = lead.map(|lead| Lead { mean: lead.mean + self.request.extra_komi as f32, ..lead });
            let mut candidate = Candidate {
                play,
                symmetry_of: None,
                visits,
                win_probability: child.mean().value,
                policy: is_evaluated.then(|| child.policy()),
                heuristic_value: (!is_evaluated).then(|| child.prior().value),
                variation,
                variation_visits,
                lead,
                interval_radius: None,
                details: MoveDetails::default(),
            };
            candidate.details = MoveDetails {
                variation_child_visits: candidate.variation_visits.clone(),
                ownership: self.stats.detailed_ownership(Some(child.cell())),
                ..MoveDetails::of_playouts(
                    visits,
                    candidate.win_probability,
                    candidate.win_probability_lower_bound(),
                    lead,
                )
            };
            Some(candidate)
        };
        let mut candidates: Vec<Candidate> =
            self.tree.children(self.tree.root()).iter().filter_map(candidate).collect();
        candidates.sort_by(|a, b| {
            b.visits
                .cmp(&a.visits)
                .then(b.win_probability.total_cmp(&a.win_probability))
                .then(b.selection_prior().total_cmp(&a.selection_prior()))
        });
        if candidates.is_empty() {
            candidates.push(Candidate::unvisited(Move::Pass, 0.5, None));
        }
        candidates
    }

    /// The principal variation after a move: most visited children, each with its visits.
    fn variation(&self, node: &Node) -> Vec<(Move, u32)> {
        let mut moves = Vec::new();
        let mut node = node;
        while let Some(child) = self.tree.children(node).iter().max_by_key(|child| child.visits())
            && child.visits() > 0
            && let Some(play) = child.play()
        {
            moves.push((play, child.visits()));
            node = child;
        }
        moves
    }
}

//! The evaluator of a search by net: the net, the cache of its evaluations, and their cost.

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::kernel::{Color, Symmetry};
use crate::net::evaluate::{Input, Scratch};
use crate::net::history::{BoardHistory, FeatureOptions};
use crate::net::{Net, Output};
use crate::search::eval_cache::EvalCache;
use crate::search::eval_cost::EvalCost;

/// Share of the optimistic policy, for nets that have one: KataGo's defaults (`policyOptimism`, `rootPolicyOptimism`).
const OPTIMISM_IN_TREE: f32 = 1.0;
const OPTIMISM_AT_ROOT: f32 = 0.2;

/// Playout doubling advantage as an input of the net: the player who has it (KataGo's `playoutDoublingAdvantagePla`),
/// and the logarithm to base 2 of the ratio of that player's playouts to the opponent's, from -3 to 3.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PlayoutDoublingAdvantage {
    pub(super) player: Color,
    pub(super) advantage: f32,
}

impl PlayoutDoublingAdvantage {
    /// The options of the net's input for a position below the root.
    fn in_tree(self, to_move: Color) -> FeatureOptions {
        let doubling_advantage = if to_move == self.player { self.advantage } else { -self.advantage };
        // equal keys for even play, whose zero must have no sign
        let doubling_advantage = doubling_advantage + 0.0;
        FeatureOptions { conservative_pass: false, passing_hacks: true, doubling_advantage }
    }

    /// The same for the root: a pass is considered as if it did not end the game.
    fn at_root(self, to_move: Color) -> FeatureOptions {
        FeatureOptions { conservative_pass: true, ..self.in_tree(to_move) }
    }
}

/// The evaluator of positions: the net, the cache of its evaluations, their cost, and the net's inputs about the
/// players.
#[derive(Clone, Copy)]
pub(super) struct NetEvaluator<'a> {
    pub(super) net: &'a Net,
    pub(super) cache: &'a EvalCache<Output>,
    pub(super) cost: &'a EvalCost,
    pub(super) doubling: PlayoutDoublingAdvantage,
}

impl NetEvaluator<'_> {
    /// Evaluates positions, each given by its history, in a random symmetry, or takes their evaluations from the cache.
    pub(super) fn evaluate<'g>(
        &self,
        histories: impl Iterator<Item = &'g BoardHistory>,
        rng: &mut Rng,
        scratch: &mut Scratch,
    ) -> Vec<Arc<Output>> {
        let mut outputs = Vec::new();
        let mut new: Vec<(usize, u64, Input, Symmetry)> = Vec::new();
        for (index, history) in histories.enumerate() {
            let options = self.doubling.in_tree(history.to_move());
            let key = self.key(history, &options, 0);
            let symmetry = Symmetry::from_index(rng.u64(..));
            outputs.push(self.cache.get(key));
            if outputs.last().is_none_or(Option::is_none) {
                new.push((index, key, self.net.input(history, &options), symmetry));
            }
        }
        let begin = Instant::now();
        let inputs: Vec<_> = new.iter().map(|(_, _, input, symmetry)| (input, *symmetry)).collect();
        let evaluated = self.net.evaluate(&inputs, OPTIMISM_IN_TREE, scratch);
        self.cost.add(evaluated.len(), begin.elapsed());
        for ((index, key, ..), output) in new.iter().zip(evaluated) {
            let output = Arc::new(output);
            self.cache.insert(*key, output.clone());
            if let Some(slot) = outputs.get_mut(*index) {
                *slot = Some(output);
            }
        }
        outputs.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// The evaluation of the root, as a mean over symmetries, or one over as many from the cache.
    pub(super) fn evaluate_root(
        &self,
        history: &BoardHistory,
        symmetries: &[Symmetry],
        scratch: &mut Scratch,
    ) -> Arc<Output> {
        let options = self.doubling.at_root(history.to_move());
        let key = self.key(history, &options, symmetries.len());
        if let Some(output) = self.cache.get(key) {
            return output;
        }
        let begin = Instant::now();
        let input = self.net.input(history, &options);
        let output = Arc::new(self.net.evaluate_mean(&input, symmetries, OPTIMISM_AT_ROOT, scratch));
        self.cost.add(symmetries.len(), begin.elapsed());
        self.cache.insert(key, output.clone());
        output
    }

    /// Whether a position is evaluated otherwise at the root, over this number of symmetries, than in the tree.
    pub(super) fn differs_at_root(&self, history: &BoardHistory, symmetries: usize) -> bool {
        let to_move = history.to_move();
        let reads_pass = || {
            let [root, tree] = [self.doubling.at_root(to_move), self.doubling.in_tree(to_move)];
            self.net.katago().is_some() && history.hash_with(&root) != history.hash_with(&tree)
        };
        symmetries > 1 || self.net.has_optimism() || reads_pass()
    }

    /// A key of what the evaluation of a position in the tree depends on, the net and the preceding moves apart.
    pub(super) fn position_key(&self, history: &BoardHistory) -> u64 {
        history.hash_with(&self.doubling.in_tree(history.to_move()))
    }

    /// The cache key of an evaluation over this number of symmetries at the root, or of one in the tree for 0. As in
    /// KataGo, positions that other moves reach share an evaluation, but only if the net is shown equally many moves.
    fn key(&self, history: &BoardHistory, options: &FeatureOptions, symmetries: usize) -> u64 {
        let variant = (history.recent_moves().len() << 8 | symmetries) as u64;
        history.hash_with(options) ^ self.net.id().wrapping_add(variant.wrapping_mul(GOLDEN_GAMMA))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards;
    use crate::net::simd::InstructionSet;

    /// A tiny net with random weights and an optimistic policy.
    const NET: &[u8] = include_bytes!("../../../tests/data/katago_tiny_14.txt.gz");

    #[test]
    fn positions_in_the_tree_have_the_optimistic_policy_and_passing_hacks() {
        let net = Net::read(NET, InstructionSet::best()).unwrap();
        // Black would lose by a pass, which ends the game
        let board = ["x....", ".....", "ooooo", ".....", "....."];
        let position = test_boards::position(&board, "tromp-taylor", 0.5, Color::White);
        let history = net.history(&test_boards::played(position, "pass"), Color::Black);
        let (cache, cost) = (EvalCache::new(1 << 20, 1 << 10), EvalCost::default());
        let doubling = PlayoutDoublingAdvantage { player: Color::Black, advantage: 0.0 };
        let evaluator = NetEvaluator { net: &net, cache: &cache, cost: &cost, doubling };
        let [mut rng, mut same_rng] = [(); 2].map(|()| Rng::with_seed(1));
        let found = evaluator.evaluate([&history].into_iter(), &mut rng, &mut Scratch::default());
        let symmetry = Symmetry::from_index(same_rng.u64(..));
        let policy = |options: FeatureOptions, optimism: f32| {
            let input = net.input(&history, &options);
            net.evaluate(&[(&input, symmetry)], optimism, &mut Scratch::default()).pop().unwrap().policy
        };
        let hacks = FeatureOptions { passing_hacks: true, ..FeatureOptions::default() };
        assert_eq!(found[0].policy, policy(hacks, 1.0));
        assert_ne!(found[0].policy, policy(hacks, OPTIMISM_AT_ROOT));
        assert_ne!(found[0].policy, policy(FeatureOptions::default(), 1.0));
    }
}

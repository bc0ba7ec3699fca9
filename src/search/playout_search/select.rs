//! Selection: which child of a node a simulation follows.
//!
//! A node that the net has evaluated uses PUCT ([`puct_value`]), any other node UCT with priors and RAVE
//! ([`uct_value`]). Symbols: `Q`, `n` value and visits of the child, `N` visits of the node; visits include virtual
//! losses. All values are for the side to move.

use crate::search::params::Params;
use crate::search::playout_search::node::Node;
use crate::search::playout_search::tree::Tree;

/// The child to follow: the first of the greatest value among those that are not forbidden; `None` without such a
/// child.
pub(super) fn select_child<'t>(tree: &'t Tree, node: &Node, params: &Params) -> Option<&'t Node> {
    let children = tree.children(node).iter();
    if node.is_evaluated() {
        // a node's mean is for the side that made its move
        let mean = node.mean();
        let node_value = if mean.weight > 0.0 { 1.0 - mean.value } else { 0.5 };
        let first_play = node_value - params.fpu_reduction as f32;
        let explore = params.cpuct as f32 * mean.weight.max(1.0).sqrt();
        best_of(children, |child| puct_value(child, first_play, explore, params))
    } else {
        let log = if params.uct_exploration > 0.0 { (node.visits() as f32 + 1.0).ln() } else { 0.0 };
        best_of(children, |child| uct_value(child, log, params))
    }
}

/// The first child of the greatest value that is not forbidden.
fn best_of<'t>(children: impl Iterator<Item = &'t Node>, value: impl Fn(&Node) -> f32) -> Option<&'t Node> {
    let mut best = None;
    let mut best_value = f32::NEG_INFINITY;
    for child in children {
        let value = value(child);
        if value > best_value && !child.is_forbidden() {
            best_value = value;
            best = Some(child);
        }
    }
    best
}

/// UCT with a prior and RAVE: `rave(V, n + w) + c·√(ln(N + 1) / (n + 1))`, with [`with_rave`] as `rave`.
///
/// `V = (nQ + wP) / (n + w)` is the mean of the results and of the prior's `w` virtual playouts of value `P` (1 if both
/// are 0), `c` the UCT exploration constant, and `log` is `ln(N + 1)`. Source: L. Kocsis and C. Szepesvári, "Bandit
/// based Monte-Carlo planning", 2006.
#[inline]
fn uct_value(child: &Node, log: f32, params: &Params) -> f32 {
    let exploration = params.uct_exploration as f32;
    let (own, prior) = (child.mean(), child.prior());
    let weight = own.weight + prior.weight;
    let mut value = if weight > 0.0 { (own.value * own.weight + prior.value * prior.weight) / weight } else { 1.0 };
    value = with_rave(value, weight, child, params.rave_equivalence as f32);
    if exploration > 0.0 {
        value += exploration * (log / (own.weight + 1.0)).sqrt();
    }
    value
}

/// PUCT with RAVE: `rave(Q, n) + Cpuct · policy · √max(N, 1) / (1 + n)`, with [`with_rave`] as `rave`.
///
/// `explore` is `Cpuct · √max(N, 1)`. For an unvisited child the first term is `first_play`, the node's value less the
/// FPU reduction (first play urgency: S. Gelly and Y. Wang, "Exploration exploitation in Go", 2006), without RAVE: the
/// policy alone decides which moves are tried. Sources: C. D. Rosin, "Multi-armed bandits with episode context", 2011,
/// in the form of D. Silver and others, "Mastering the game of Go with deep neural networks and tree search", 2016.
#[inline]
fn puct_value(child: &Node, first_play: f32, explore: f32, params: &Params) -> f32 {
    let own = child.mean();
    let value = match own.weight {
        0.0 => first_play,
        weight => with_rave(own.value, weight, child, params.net_rave as f32),
    };
    value + explore * child.policy() / (1.0 + own.weight)
}

/// Mixes a value of `weight` playouts with the child's RAVE value: `V + β(R − V)`, with `β = r / (r + n + rn/k)`.
///
/// `V`, `n` are value and weight, `R`, `r` RAVE value and count, `k` the RAVE equivalence: for large `r`, β is 1/2 at
/// `n = k`. Without RAVE results or with `k` = 0 the value is `V`. Source: S. Gelly and D. Silver, "Monte-Carlo tree
/// search and rapid action value estimation in computer Go", 2011, minimum-MSE schedule, with `k = 1 / 4b²` for their
/// bias `b`.
#[inline]
fn with_rave(value: f32, weight: f32, child: &Node, equivalence: f32) -> f32 {
    let rave = child.rave();
    if rave.weight > 0.0 && equivalence > 0.0 {
        let beta = rave.weight / (rave.weight + weight + rave.weight * weight / equivalence);
        value + beta * (rave.value - value)
    } else {
        value
    }
}

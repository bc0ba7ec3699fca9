//! The variations of a search's moves.

use crate::kernel::Move;
use crate::search::Candidate;
use crate::search::net_search::graph::Edge;
use crate::search::net_search::result::most_visited;
use crate::search::net_search::tests::{Setup, position};

#[test]
fn a_variation_ends_with_the_second_pass_in_a_row() {
    let mut found = 0;
    for rules in ["chinese", "japanese"] {
        let result = Setup::new(300).search(&position(2, rules));
        for Candidate { variation, .. } in &result.candidates {
            let first = variation.windows(2).position(|pair| pair == [Move::Pass; 2]);
            found += usize::from(first.is_some());
            assert!(first.is_none_or(|first| first + 2 == variation.len()), "{rules}: {variation:?}");
        }
    }
    assert!(found > 0);
}

#[test]
fn a_variation_follows_no_forbidden_move_and_of_equal_ones_the_first() {
    let edge = |visits, is_forbidden| Edge { play: Move::Pass, child: 0, visits, policy: 0.1, is_forbidden };
    let edges = [edge(3, false), edge(9, true), edge(5, false), edge(5, false)];
    assert!(most_visited(&edges).is_some_and(|found| std::ptr::eq(found, &edges[2])));
}

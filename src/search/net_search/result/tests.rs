//! The variations of a search's moves.

use crate::kernel::Move;
use crate::search::Candidate;
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

//! The moves of the root.

#![allow(clippy::unwrap_used)]

use crate::kernel::test_boards;
use crate::kernel::{Color, Move};
use crate::search::net_search::tests::{Setup, position, visits_of_moves};
use crate::search::{Limits, Restrictions, SearchResult};

#[test]
fn excluded_moves_are_not_searched() {
    let position = position(4, "chinese");
    let only = Move::Play(position.board().coordinate().parse_vertex("B2").unwrap());
    let mut restrictions = Restrictions::default();
    restrictions.allow(position.board().coordinate(), Color::Black, &[only], 1);
    let mut setup = Setup { restrictions: Some(restrictions), ..Setup::new(60) };
    let result = setup.search(&position);
    let plays: Vec<Move> = result.candidates.iter().map(|candidate| candidate.play).collect();
    assert_eq!((plays, result.candidates[0].visits), (vec![only], 59));
}

#[test]
fn one_of_symmetric_moves_is_searched() {
    let mut setup = Setup::new(200);
    let mut position = position(5, "chinese");
    let result = setup.search(&position);
    assert_eq!((result.candidates.len(), result.visits, visits_of_moves(&result)), (7, 200, 199));
    let all = result.with_symmetric_moves();
    assert_eq!((all.len(), all.iter().filter(|one| one.symmetry_of.is_none()).count()), (26, 7));
    assert!(all.iter().all(|one| one.variation[0] == one.play));
    // after the center, the subtree is that of all moves, of which the new root keeps one of each kind
    let center = position.board().coordinate().parse_vertex("C3").unwrap();
    let visits = |result: &SearchResult| {
        result.candidates.iter().find(|one| one.play == Move::Play(center)).map_or(0, |one| u64::from(one.visits))
    };
    let before = visits(&result);
    position.play(Color::Black, center).unwrap();
    setup.limits = Limits::playouts(50);
    let result = setup.search(&position);
    assert!(before >= 2 && result.visits <= before + 50, "{before} {}", result.visits);
    assert_eq!((result.candidates.len(), visits_of_moves(&result) + 1), (6, result.visits));
}

/// After four passes of the opponent a search leaves out Black's eyes, but not the liberty of a dead stone; a restriction
/// may ask for an eye.
#[test]
fn points_of_settled_areas_are_left_out_unless_stones_are_to_be_captured() {
    let mut position =
        test_boards::position(&["..x.x", "xxxxx", "x....", "x.o.x", "xxxxx"], "tromp-taylor", 0.5, Color::Black);
    for _ in 0..4 {
        position.pass(Color::Black);
        position.pass(Color::White);
    }
    let coordinate = position.board().coordinate();
    let [eye, liberty] = ["A1", "C3"].map(|vertex| Move::parse(vertex, coordinate).unwrap());
    let mut setup = Setup::new(50);
    let plays = |result: &SearchResult| result.candidates.iter().map(|candidate| candidate.play).collect::<Vec<_>>();
    let found = plays(&setup.search(&position));
    assert!(found.contains(&liberty) && !found.contains(&eye), "{found:?}");
    let mut restrictions = Restrictions::default();
    restrictions.allow(coordinate, Color::Black, &[eye], 1);
    setup.restrictions = Some(restrictions);
    assert_eq!(plays(&setup.search(&position)), [eye]);
}

#[test]
fn a_player_without_an_admitted_move_passes() {
    let position = position(4, "chinese");
    let mut restrictions = Restrictions::default();
    restrictions.allow(position.board().coordinate(), Color::Black, &[], 1);
    let mut setup = Setup { restrictions: Some(restrictions), ..Setup::new(60) };
    // the second search has the root of the first one
    for visits in [60, 120] {
        setup.limits.visits = visits;
        let result = setup.search(&position);
        let plays: Vec<(Move, u32)> =
            result.candidates.iter().map(|candidate| (candidate.play, candidate.visits)).collect();
        assert_eq!(plays, [(Move::Pass, visits as u32 - 1)]);
    }
}

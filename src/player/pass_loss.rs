//! The loss by a pass: the best other move against the pass, in two searches of equal length.
//!
//! Near the end one point decides little about a game that is far from even, and everything about an even one. So both
//! searches play with a komi at which the pass itself is about a draw: then a move that gains a point more than the
//! pass wins, and one that gains nothing more does not. The komi is found by searches of the position after the pass.
//!
//! The searches use a fresh tree and an RNG seed derived from the position and its history, so that the same game always
//! has the same result.

use std::ops::RangeInclusive;

use crate::kernel::{Color, Move, Position};
use crate::net::Net;
use crate::net::native::is_supported_size;
use crate::player::fixed_search::{FixedSearch, TREE_BYTES};
use crate::search::root::history_hash;
use crate::search::{Limits, Restrictions, SearchResult, Searcher};

/// The win probability by which a move has to exceed the pass, beyond the error of both searches.
const CLEAR_GAIN: f32 = 0.15;

/// Win probabilities of the pass that leave room for a better move above them.
const EVEN_WIN_PROBABILITY: RangeInclusive<f32> = 0.2..=0.6;

/// Searches for the komi at which the pass is about a draw.
const KOMI_SEARCHES: usize = 6;

/// The first step of that komi, in points, at least. Steps double until the pass loses where it won or wins where it
/// lost; then the interval between is halved.
const FIRST_STEP: f64 = 2.0;

/// The number of playouts of [`better_than_pass`] on a board of `area` points, at most.
pub(super) fn pass_loss_playouts(area: usize) -> usize {
    (KOMI_SEARCHES + 1) * playouts_of_a_search(area)
}

/// The number of playouts of each search: `100000 / area`, from 500 to 3000. So the time is about the same from 6x6 to
/// 14x14; on larger boards fewer playouts would say too little.
fn playouts_of_a_search(area: usize) -> usize {
    (100_000 / area.max(1)).clamp(500, 3000)
}

/// A move of `color` that gains clearly more than a pass; `None` if there is none. `lead` is an estimate of Black's lead in
/// points after the pass, komi included: the search for the komi starts there.
pub(super) fn better_than_pass(position: &Position, color: Color, lead: f64, net: Option<&Net>) -> Option<Move> {
    let mut passed = position.clone();
    passed.pass(color);
    let mut no_pass = Restrictions::default();
    no_pass.avoid(color, [Move::Pass], 1);
    let (extra_komi, pass) = even_komi(&passed, color, lead, net)?;
    let result = search(position, color, extra_komi, Some(&no_pass), net);
    let best = result.best().filter(|best| best.play != Move::Pass)?;
    (best.win_probability > pass + CLEAR_GAIN).then_some(best.play)
}

/// The points to add to komi so that the position after a pass of `color` is about even, and the win probability of
/// `color` there. Of neighbouring whole numbers of points of which one lets the pass win and the other lose, it is the
/// one at which the pass loses: there a point more shows. `None` if the pass wins at every komi that was tried: then no
/// move is better.
fn even_komi(passed: &Position, color: Color, lead: f64, net: Option<&Net>) -> Option<(f64, f32)> {
    let komi = passed.rule().komi_with_handicap_bonus(passed.handicap());
    // a whole number of points in all, so that the outcome can be a draw
    let start = (lead + komi).round() - komi;
    // points that `color` gives beyond the start: the most with which the pass wins, the fewest with which it loses
    let (mut won, mut lost): (Option<f64>, Option<(f64, f32)>) = (None, None);
    let (mut given, mut step) = (0.0, FIRST_STEP);
    for _ in 0..KOMI_SEARCHES {
        let extra_komi = start + given * f64::from(color.sign());
        let result = search(passed, color.opponent(), extra_komi, None, net);
        let value = 1.0 - result.win_probability();
        if EVEN_WIN_PROBABILITY.contains(&value) {
            return Some((extra_komi, value));
        }
        if value > 0.5 {
            won = Some(given);
        } else {
            lost = Some((given, value));
        }
        // the mean lead is a first guess of the even one
        let guess = ((f64::from(result.lead) - start) * f64::from(color.sign())).round();
        given = match (won, lost) {
            (Some(won), Some((lost, _))) if lost - won <= 1.0 => break,
            (Some(won), Some((lost, _))) => ((won + lost) / 2.0).floor(),
            (Some(won), None) => guess.max(won + step),
            (None, Some((lost, _))) => guess.min(lost - step),
            (None, None) => break,
        };
        step *= 2.0;
    }
    lost.map(|(given, value)| (start + given * f64::from(color.sign()), value))
}

/// A search of fixed length with `extra_komi` points added to komi. On boards that the net has not learned its policy would
/// hide the answers to a pass.
fn search(
    position: &Position,
    color: Color,
    extra_komi: f64,
    restrictions: Option<&Restrictions>,
    net: Option<&Net>,
) -> SearchResult {
    let coordinate = position.board().coordinate();
    let limits = Limits::playouts(playouts_of_a_search(coordinate.board_area()) as u64);
    let net = net.filter(|_| is_supported_size(coordinate));
    let search = FixedSearch { extra_komi, restrictions, net, ..FixedSearch::new(position, color) };
    search.run(&mut Searcher::new(TREE_BYTES, history_hash(position)), limits)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, test_boards};

    /// Black has a point more than White on the board.
    const FILLED: [&str; 5] = [".xxo.", "xxooo", ".xxo.", "xxooo", ".xxo."];

    /// The same groups before the dame between them are filled.
    const DAME: [&str; 5] = [".x.o.", "xx.oo", ".x.o.", "xx.oo", ".x.o."];

    fn position(rows: &[&str], rules: &str, to_move: Color) -> Position {
        test_boards::position(rows, rules, 0.5, to_move)
    }

    #[test]
    fn komi_makes_a_pass_even_wherever_the_search_for_it_starts() {
        for color in Color::BOTH {
            let mut passed = position(&FILLED, "chinese", color);
            passed.pass(color);
            for lead in [0.5, 4.5, -3.5, 12.5, -12.5] {
                let (extra_komi, value) = even_komi(&passed, color, lead, None).unwrap();
                // Black's point, less half a point of komi
                assert_eq!(extra_komi, 0.5, "{color}, from {lead}: {value}");
                assert!(EVEN_WIN_PROBABILITY.contains(&value), "{color}, from {lead}: {value}");
            }
        }
    }

    #[test]
    fn a_dame_is_better_than_a_pass_where_stones_count() {
        let dame = |rules: &str, color: Color| {
            let position = position(&DAME, rules, color);
            let better = better_than_pass(&position, color, -0.5, None);
            better.map(|better| better.vertex(position.board().coordinate()))
        };
        for color in Color::BOTH {
            assert!(dame("chinese", color).is_some_and(|vertex| vertex.starts_with('C')), "{color}");
            assert_eq!(dame("japanese", color), None, "{color}");
            let filled = position(&FILLED, "chinese", color);
            assert_eq!(better_than_pass(&filled, color, 0.5, None), None, "{color}");
        }
    }

    #[test]
    fn playouts_depend_on_the_area_within_bounds() {
        let of = |side: u8| pass_loss_playouts(Coordinate::square(side).unwrap().board_area());
        assert_eq!([2, 5, 9, 13, 19].map(of), [21_000, 21_000, 7 * 1234, 7 * 591, 3500]);
    }
}

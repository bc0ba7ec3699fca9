//! Scores of ended games after the endgame fill-in: superko, the button, and points that count for neither player.

use kifuwarabe_uec14::kernel::Color;
use kifuwarabe_uec14::player::{FinalScore, final_score};

use super::{rule, set};
use crate::life_and_death::SEKI;
use crate::support::{board, make_moves, position};

/// The score of a game under a rule set without komi: these moves from a drawn board, Black first.
fn score_after(drawn: &str, rules: &str, moves: &str) -> FinalScore {
    let mut game = position(drawn);
    *game.rule_mut() = rule(rules, 0.0);
    make_moves(&mut game, moves);
    final_score(&game)
}

#[test]
fn the_fill_in_repeats_no_board_that_superko_forbids() {
    let drawn = "
        .x.xo.o
        xxxxooo
        .x.xo.o
        xxxo.oo
        xx.xoo.
        .xxxooo
        x.xxo.o
    ";
    for rules in ["chinese-ogs", "aga", "tromp-taylor"] {
        assert_eq!(score_after(drawn, rules, "E4 pass pass").score.to_string(), "B+9", "{rules}");
    }
    // under simple ko, White retakes after the passes, and connects
    assert_eq!(score_after(drawn, "chinese", "E4 pass pass").score.to_string(), "B+5");
}

#[test]
fn an_open_button_goes_to_the_first_player_who_passes_in_the_fill_in() {
    let dame = "
        .xxo.
        xxxoo
        .xxo.
        xxxoo
        .x.o.
    ";
    for moves in ["", "C5"] {
        let score = score_after(dame, "aga-button", moves).score;
        assert_eq!((score.to_string().as_str(), score.button), ("B+4.5", Some(Color::White)), "{moves}");
    }
    let score = score_after(&dame.replace('x', "X").replace('o', "x").replace('X', "o"), "aga-button", "pass").score;
    assert_eq!(score.button, Some(Color::Black));
}

#[test]
fn points_that_do_not_count_have_no_owner() {
    let owners = |drawn: &str, rules: &str, vertices: &str| {
        let score = score_after(drawn, rules, "");
        set(&board(drawn), vertices).iter().map(|point| score.owner(point)).collect::<Vec<_>>()
    };
    let dame = "
        .x.o.
        xx.oo
        .x.o.
        xx.oo
        .x.o.
    ";
    let [black, white] = [Some(Color::Black), Some(Color::White)];
    assert_eq!(owners(dame, "japanese", "A1 C1 E1"), [black, None, white]);
    assert_eq!(owners(dame, "chinese", "A1 C1 E1"), [black, black, white]);
    // the eyes A1 and E1
    assert_eq!(owners(SEKI, "japanese", "A1 E1 H1"), [None, None, black]);
    assert_eq!(owners(SEKI, "chinese", "A1 E1 H1"), [black, white, black]);
}

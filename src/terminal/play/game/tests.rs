#![allow(clippy::unwrap_used)]
use std::sync::atomic::Ordering;

use super::*;
use crate::kernel::GameRule;

fn game(person: Color) -> TerminalGame {
    let coordinate = Coordinate::square(5).unwrap();
    let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
    TerminalGame::new(position, person, Options { max_playouts: 20, seed: 1, ..Options::default() }, None)
}

fn play(game: &mut TerminalGame, vertex: &str) -> Result<(), PlayError> {
    game.play(Move::parse(vertex, game.coordinate()).unwrap())
}

/// Subtracts seconds from Black's clock, and lets a little more time pass.
fn let_time_pass(game: &mut TerminalGame, seconds: f64) {
    game.clock.subtract_thinking_time(Color::Black, seconds);
    std::thread::sleep(std::time::Duration::from_millis(1));
}

#[test]
fn undo_takes_back_the_engines_answer_too() {
    let mut game = game(Color::Black);
    assert_eq!(game.undo(), Err(PlayError::NothingToUndo));
    play(&mut game, "C3").unwrap();
    assert!(game.is_engines_turn());
    game.play_engine_move();
    assert!(!game.is_engines_turn());
    assert_eq!(game.position().record().len(), 2);
    game.undo().unwrap();
    assert!(game.position().record().is_empty() && !game.is_engines_turn());
}

#[test]
fn undo_needs_a_move_of_the_person() {
    let mut game = game(Color::White);
    assert!(game.is_engines_turn());
    game.play_engine_move();
    assert_eq!(game.undo(), Err(PlayError::NothingToUndo));
    assert_eq!(game.position().record().len(), 1);
}

#[test]
fn undo_continues_a_resigned_game() {
    let mut game = game(Color::Black);
    play(&mut game, "C3").unwrap();
    game.play_engine_move();
    game.resign().unwrap();
    assert_eq!((game.result().as_deref(), game.end()), (Some("W+R"), Some(End::Resignation(Color::Black))));
    assert_eq!(play(&mut game, "B2"), Err(PlayError::GameOver));
    assert_eq!(game.resign(), Err(PlayError::GameOver));
    game.undo().unwrap();
    assert_eq!((game.result(), game.position().record().len()), (None, 2));
    // the engine resigned: the person's last move is taken back
    game.end = Some(End::Resignation(Color::White));
    assert_eq!(game.result().as_deref(), Some("B+R"));
    game.undo().unwrap();
    assert!(game.result().is_none() && game.position().record().is_empty());
}

#[test]
fn redo_makes_again_what_undo_took_back() {
    let mut game = game(Color::Black);
    assert_eq!(game.redo(), Err(PlayError::NothingToRedo));
    let mut hashes = vec![game.position().hash()];
    for vertex in ["C3", "pass"] {
        play(&mut game, vertex).unwrap();
        game.play_engine_move();
        hashes.push(game.position().hash());
    }
    game.resign().unwrap();
    let moves = |game: &TerminalGame| game.position().record().len();
    for expected in [4, 2, 0] {
        game.undo().unwrap();
        assert_eq!((moves(&game), game.end()), (expected, None));
    }
    for (expected, end) in [(2, None), (4, None), (4, Some(End::Resignation(Color::Black)))] {
        game.redo().unwrap();
        assert_eq!((moves(&game), game.end()), (expected, end));
        assert_eq!(game.position().hash(), hashes[expected / 2]);
    }
    assert_eq!(game.redo(), Err(PlayError::NothingToRedo));
    game.undo().unwrap();
    game.undo().unwrap();
    // another move is another game
    play(&mut game, "pass").unwrap();
    assert_eq!(game.redo(), Err(PlayError::NothingToRedo));
}

#[test]
fn time_ends_the_game_and_undo_continues_it() {
    let mut game = game(Color::Black);
    game.set_clock(TimeSettings::Absolute { main: 60.0 });
    game.begin_turn();
    assert!(!game.is_out_of_time());
    let_time_pass(&mut game, 60.0);
    assert_eq!(game.time_text(Color::Black).as_deref(), Some("no time"));
    assert!(game.is_out_of_time() && !game.is_out_of_time());
    assert_eq!((game.result().as_deref(), game.is_over()), (Some("W+T"), true));
    // the time that ran stays on the clock, and undo restores it; redo loses the game again
    assert_eq!(game.time_text(Color::Black).as_deref(), Some("0:00"));
    game.undo().unwrap();
    assert_eq!((game.result(), game.time_text(Color::Black).as_deref()), (None, Some("1:00")));
    game.redo().unwrap();
    assert_eq!((game.result().as_deref(), game.time_text(Color::Black).as_deref()), (Some("W+T"), Some("0:00")));
    game.undo().unwrap();
    // an engine without time loses at its move
    game.set_clock(TimeSettings::Absolute { main: 0.0 });
    game.play_engine_move();
    assert_eq!(game.end(), Some(End::Time(Color::White)));
}

#[test]
fn a_paused_clock_does_not_lose_the_game() {
    let mut game = game(Color::Black);
    game.set_clock(TimeSettings::Absolute { main: 60.0 });
    game.begin_turn();
    game.pause_clock();
    let_time_pass(&mut game, 60.0);
    assert!(!game.is_out_of_time());
    game.begin_turn();
    let_time_pass(&mut game, 0.0);
    assert!(game.is_out_of_time());
}

#[test]
fn unsaved_moves_of_the_person_are_noted() {
    let mut game = game(Color::White);
    game.play_engine_move();
    assert!(!game.is_unsaved(), "the person has not moved");
    play(&mut game, "pass").unwrap();
    assert!(game.is_unsaved());
    game.note_saved();
    assert!(!game.is_unsaved());
    game.undo().unwrap();
    game.note_saved();
    game.redo().unwrap();
    assert!(game.is_unsaved(), "the file lacks the move that was made again");
    game.note_saved();
    game.resign().unwrap();
    assert!(game.is_unsaved());
    let new_game_position = game.new_game_position().clone();
    game.restart(new_game_position, Color::Black);
    assert!(!game.is_unsaved() && game.end().is_none() && game.position().record().is_empty());
}

#[test]
fn moves_of_a_loaded_record_are_saved() {
    let mut game = game(Color::Black);
    let mut record = game.new_game_position().clone();
    for (vertex, color) in [("C3", Color::Black), ("B2", Color::White), ("D4", Color::Black)] {
        record.make_move(color, Move::parse(vertex, game.coordinate()).unwrap()).unwrap();
    }
    let tree = GameTree::read(b"(;SZ[5];B[cc];W[bd];B[db])").unwrap();
    game.continue_record(tree, record, Color::Black);
    game.play_engine_move();
    assert!(!game.is_unsaved(), "the person has not moved since");
    game.undo().unwrap();
    game.redo().unwrap();
    assert!(!game.is_unsaved());
    game.undo().unwrap();
    play(&mut game, "D2").unwrap();
    assert!(game.is_unsaved(), "a move in place of one of the record");
    game.note_saved();
    assert!(!game.is_unsaved());
    game.resign().unwrap();
    assert!(game.is_unsaved());
}

#[test]
fn illegal_move_error_names_the_rule() {
    let mut game = game(Color::Black);
    play(&mut game, "C3").unwrap();
    game.position.pass(Color::White);
    let error = play(&mut game, "C3").unwrap_err();
    assert_eq!(error.to_string(), "C3 is illegal, masonry: there is a stone on the point");
}

#[test]
fn two_passes_end_the_game_and_set_the_records_result() {
    let mut game = game(Color::White);
    for _ in 0..2 {
        let color = game.position().to_move();
        game.position.pass(color);
    }
    game.stop_flag().store(true, Ordering::Relaxed);
    assert_eq!((game.result(), game.record().result), (None, None), "the count is stopped");
    game.stop_flag().store(false, Ordering::Relaxed);
    assert_eq!(game.result().as_deref(), Some("W+0.5"));
    let record = game.record();
    assert_eq!((record.black.as_deref(), record.white), (Some(NAME), None));
    assert_eq!(record.result.as_deref(), Some("W+0.5"));
}

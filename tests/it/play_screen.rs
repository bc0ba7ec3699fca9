//! `play` as a person sees it: the screen of a pseudo-terminal, questions, and keys typed while the engine thinks.

use std::thread;
use std::time::Duration;

use crate::engine::Folder;
use crate::screen::Screen;
use crate::terminal::Terminal;

/// Output until the text, since the last call.
fn wait(terminal: &mut Terminal, seen: &mut String, text: &str) {
    *seen += &terminal.wait_for(text);
}

/// The screen of a game on `size` after two moves of the person, and one more board drawn by `board`.
fn screen_after_moves(size: &str, (columns, rows): (usize, usize)) -> Option<Screen> {
    let folder = Folder::new();
    let options = format!("--set Search.MaxPlayouts=20 play --size {size} --name 本因坊道策の弟子");
    let variables = [("NO_COLOR", "1"), ("LANG", "ja_JP.UTF-8")];
    let mut terminal = Terminal::start_sized(&folder, &options, &variables, (columns, rows))?;
    let mut seen = String::new();
    // the engine takes no corner
    for line in ["E5", "A1"] {
        wait(&mut terminal, &mut seen, "black> ");
        terminal.type_in(&format!("{line}\r"));
        wait(&mut terminal, &mut seen, "thinking");
    }
    wait(&mut terminal, &mut seen, "black> ");
    terminal.type_in("board\r");
    wait(&mut terminal, &mut seen, "board");
    wait(&mut terminal, &mut seen, "black> ");
    terminal.leave_unsaved();
    Some(Screen::new(columns, rows, &seen))
}

/// The number of rows that name files, two of a board.
fn edges(rows: &[String]) -> usize {
    rows.iter().filter(|row| row.trim_start().starts_with("A B C D E")).count()
}

#[test]
fn one_board_is_on_the_screen_and_none_scrolls_away() {
    for (size, screen_size) in [("9", (80, 24)), ("9", (40, 24)), ("19", (80, 24)), ("19", (40, 24))] {
        let Some(screen) = screen_after_moves(size, screen_size) else { return };
        let rows = screen.rows();
        let shown = format!("{size} on {screen_size:?}:\n{}", rows.join("\n"));
        assert_eq!(edges(&rows), 2, "{shown}");
        assert_eq!(edges(&screen.scrolled), 0, "{shown}");
        assert!(rows[0].trim_start().starts_with("A B C D E"), "{shown}");
        assert!(rows.last().unwrap().starts_with("black>"), "{shown}");
        if screen_size.0 == 80 {
            assert!(rows[0].ends_with("X black  本因坊道策の..  0 taken"), "{shown}");
        }
        assert_eq!(
            rows.iter().any(|row| row.ends_with("black to move: you")),
            (size, screen_size) != ("19", (40, 24)),
            "{shown}"
        );
    }
}

#[test]
fn keys_typed_while_the_engine_thinks_wait() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "play --size 9 --seconds 3000", &[("NO_COLOR", "1")]) else {
        return;
    };
    terminal.wait_for("black> ");
    terminal.type_in("E5\r");
    terminal.wait_for("thinking (Ctrl-C: move now) 1 s");
    terminal.type_in("save waited.sgf\rhe");
    thread::sleep(Duration::from_millis(500));
    let meanwhile = terminal.seen();
    assert!(!meanwhile.contains("save") && !meanwhile.contains("he"), "{meanwhile:?}");
    // neither is lost, although the signal comes after them
    terminal.type_in("\u{3}");
    terminal.wait_for("saved waited.sgf");
    terminal.type_in("lp\r");
    terminal.wait_for("list these commands");
    terminal.leave();
    assert!(folder.read("waited.sgf").contains(";B[ee];W["));
}

#[test]
fn an_unsaved_game_is_not_lost_without_a_question() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("old.sgf"), "(;SZ[9];B[ee])").unwrap();
    let options = "--set Search.MaxPlayouts=20 play --size 9";
    let Some(mut terminal) = Terminal::start(&folder, options, &[("NO_COLOR", "1")]) else { return };
    terminal.wait_for("black> ");
    // a game without a move of the person is none
    terminal.type_in("new size 9\r");
    terminal.wait_for("black> ");
    terminal.type_in("E5\r");
    terminal.wait_for("move 2: white");
    for (command, action, answer) in [
        ("quit\r", "leave", "n\r"),
        ("\u{4}", "leave", "n\r"),
        ("new\r", "begin a new one", "n\r"),
        ("load old.sgf\r", "load another", "n\r"),
        // Ctrl-D is a yes to leaving only
        ("new\r", "begin a new one", "\u{4}"),
        ("load old.sgf\r", "load another", "\u{4}"),
    ] {
        terminal.wait_for("black> ");
        terminal.type_in(command);
        terminal.wait_for(&format!("the game is not saved: {action} without saving (y/n)? "));
        terminal.type_in(answer);
        terminal.wait_for("the game goes on: save FILE writes it");
    }
    // options are checked before the question
    for (command, message) in [
        ("new foo\r", "unexpected option:foo, "),
        ("new size 99\r", "unexpected size:99, "),
        ("new size 5 handicap 3\r", "there are no fixed points on 5x5"),
    ] {
        terminal.type_in(command);
        let before = terminal.wait_for(message);
        assert!(!before.contains("(y/n)"), "{before:?}");
    }
    // Ctrl-C is no yes
    terminal.type_in("save old.sgf\r");
    terminal.wait_for("old.sgf exists: replace it (y/n)? ");
    terminal.type_in("\u{3}");
    terminal.wait_for("not saved");
    assert_eq!(folder.read("old.sgf"), "(;SZ[9];B[ee])");
    terminal.type_in("save old.sgf\r");
    terminal.wait_for("(y/n)? ");
    terminal.type_in("y\r");
    terminal.wait_for("saved old.sgf");
    // the file of this game is replaced without a question, and a saved game may be left
    terminal.type_in("save old.sgf\r");
    terminal.wait_for("saved old.sgf");
    terminal.type_in("load old.sgf\r");
    terminal.wait_for("loaded old.sgf: 2 moves; you play black");
    terminal.leave_by("\u{4}");
}

/// A terminal that knows no escape sequences has no line editing, and Ctrl-C is a signal there.
#[test]
fn ctrl_c_answers_a_question_at_a_dumb_terminal() {
    let folder = Folder::new();
    let options = "--set Search.MaxPlayouts=20 play --size 9";
    let Some(mut terminal) = Terminal::start(&folder, options, &[("TERM", "dumb")]) else { return };
    terminal.wait_for("black> ");
    // before a search it drops what was typed
    terminal.type_in("E");
    terminal.wait_for("E");
    terminal.type_in("\u{3}");
    terminal.wait_for("^C\r\nblack> ");
    terminal.type_in("E5\r");
    terminal.wait_for("move 2: white");
    terminal.wait_for("black> ");
    for _ in 0..2 {
        terminal.type_in("quit\r");
        terminal.wait_for("the game is not saved: leave without saving (y/n)? ");
        terminal.type_in("\u{3}");
        terminal.wait_for("^C\r\nthe game goes on: save FILE writes it\r\nblack> ");
        // the next line is no answer
        terminal.type_in("help\r");
        terminal.wait_for("list these commands");
        terminal.wait_for("black> ");
    }
    terminal.leave_unsaved();
}

/// A line that is rewritten stays in one row, so that nothing scrolls.
#[test]
fn a_progress_bar_fits_into_a_narrow_terminal() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("long.sgf"), long_game()).unwrap();
    let options = "--set Search.MaxPlayouts=5 --set Search.Threads=1 play --size 19";
    let size = (24, 40);
    let Some(mut terminal) = Terminal::start_sized(&folder, options, &[("NO_COLOR", "1")], size) else { return };
    let mut seen = String::new();
    wait(&mut terminal, &mut seen, "black> ");
    terminal.type_in("load long.sgf\r");
    wait(&mut terminal, &mut seen, "loaded long.sgf");
    wait(&mut terminal, &mut seen, "black> ");
    terminal.type_in("review\r");
    wait(&mut terminal, &mut seen, "9 of 201");
    let rows = Screen::new(size.0, size.1, &seen).rows();
    let bars = rows.iter().filter(|row| row.contains(" of 201")).count();
    assert_eq!(bars, 1, "{rows:#?}");
    terminal.type_in("\u{3}");
    terminal.wait_for("review stopped");
    terminal.leave();
}

#[test]
fn ctrl_c_stops_a_review() {
    let folder = Folder::new();
    let options = "--set Search.MaxPlayouts=5 --set Search.Threads=1 play --size 19";
    let Some(mut terminal) = Terminal::start(&folder, options, &[("NO_COLOR", "1")]) else { return };
    terminal.wait_for("black> ");
    std::fs::write(folder.path().join("long.sgf"), long_game()).unwrap();
    terminal.type_in("load long.sgf\r");
    terminal.wait_for("loaded long.sgf");
    terminal.type_in("review\r");
    terminal.wait_for(" of 201");
    terminal.type_in("\u{3}");
    terminal.wait_for("review stopped");
    terminal.type_in("hel");
    terminal.wait_for("hel");
    terminal.type_in("p\r");
    terminal.wait_for("list these commands");
    terminal.leave();
}

/// A record of 200 moves on 19x19, row by row.
fn long_game() -> String {
    let letter = |number: u8| char::from(b'a' + number);
    let mut text = "(;SZ[19]".to_owned();
    for number in 0..200u8 {
        let (color, row) = if number % 2 == 0 { ('B', 0) } else { ('W', 10) };
        text += &format!(";{color}[{}{}]", letter(number / 2 % 19), letter(row + number / 38));
    }
    text + ")"
}

#[test]
fn messages_are_wrapped_between_words() {
    let folder = Folder::new();
    let (options, variables) = ("--set Search.MaxPlayouts=20 play --size 5", [("NO_COLOR", "1")]);
    let Some(mut terminal) = Terminal::start_sized(&folder, options, &variables, (40, 30)) else { return };
    let mut seen = String::new();
    wait(&mut terminal, &mut seen, "black> ");
    terminal.type_in("score\r");
    wait(&mut terminal, &mut seen, "the game is not finished");
    terminal.leave();
    let rows = Screen::new(40, 30, &seen).rows();
    let message: Vec<_> = rows.iter().skip_while(|row| !row.starts_with("estimate: ")).collect();
    assert!(message.len() >= 3, "{rows:#?}");
    let message = message.into_iter().cloned().collect::<Vec<_>>().join(" ");
    assert!(message.contains("mean and standard deviation of 20 playouts (chinese rules,"), "{rows:#?}");
}

/// The board of the engine's move does not erase what was written before it.
#[test]
fn messages_stay_below_the_board() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("a.sgf"), "(;SZ[5]RU[Ing];B[cc];W[bb];B[dd])").unwrap();
    let options = "--set Search.MaxPlayouts=20 --set Game.Rules=ing play --size 5 --color white";
    let Some(mut terminal) = Terminal::start_sized(&folder, options, &[("NO_COLOR", "1")], (80, 24)) else { return };
    let mut seen = String::new();
    wait(&mut terminal, &mut seen, "white> ");
    let shows = |seen: &str, text: &str| Screen::new(80, 24, seen).rows().iter().any(|row| row.contains(text));
    assert!(shows(&seen, "type a point such as D4") && shows(&seen, "nearest rules to Ing's"), "{seen}");
    // in the record it is the engine's turn after Black's move
    terminal.type_in("load a.sgf\r");
    wait(&mut terminal, &mut seen, "loaded a.sgf");
    wait(&mut terminal, &mut seen, "white> ");
    assert!(shows(&seen, "loaded a.sgf: 3 moves; you play white"), "{seen}");
    terminal.leave_by("quit\r");
}

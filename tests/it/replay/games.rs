//! Whole games: their records, and their replay.

use super::*;

#[test]
fn log2sgf_writes_the_games_of_a_log() {
    let folder = Folder::new();
    short_session(&folder);
    let mut engine = start(&folder, &["Game.BoardSize=5", "Search.MaxPlayouts=40", "Net.Use=false"]);
    // komi of the next game, which GUIs may set before they clear the board
    for command in ["play b pass", "play w pass", "komi 0.5", "clear_board", "play b C3", "undo", "play b C2"] {
        assert!(engine.ask(command).starts_with('='));
    }
    engine.ask("kata-genmove_analyze w 1");
    engine.ask("cgos-gameover W+3.5");
    engine.end();
    let output = folder.run(&["log2sgf", JSON_LOG], b"");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let text = stdout(&output);
    let games: Vec<sgf::GameRecord> =
        text.split("(;FF").skip(1).map(|game| sgf::read(format!("(;FF{game}").as_bytes()).unwrap()).collect();
    assert_eq!(games.len(), 3, "{text}");
    let facts: Vec<_> = games.iter().map(|game| (game.turns.len(), game.komi, game.result.as_deref())).collect();
    assert_eq!(facts[0].0, 4);
    assert_eq!((facts[1].0, facts[1].1), (2, Some(6.5)));
    assert_eq!(facts[1].2, Some("W+6.5"));
    assert_eq!(facts[2], (2, Some(0.5), Some("W+3.5")));
    assert_eq!((games[0].black.as_deref(), games[0].white.as_deref()), (None, Some("Kifuwarabe UEC14")));
    assert_eq!(text.matches("C[").count(), 3);
    assert!(text.contains(" s, 60 visits, White wins ") && text.contains(", expects "), "{text}");
    let output = folder.run(&["log2sgf", JSON_LOG, "--session", "2", "-o", "games.sgf"], b"");
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()));
    assert!(text.ends_with(&folder.read("games.sgf")) && folder.read("games.sgf").len() < text.len());
    let output = folder.run(&["log2sgf", JSON_LOG, "-o", "nowhere/games.sgf"], b"");
    assert_eq!((output.status.code(), Path::new("nowhere").exists()), (Some(2), false));
}

/// A GUI goes back through a game that has ended; moves that are replaced by others are not part of the record.
#[test]
fn log2sgf_writes_moves_that_were_taken_back_at_the_end() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=5", "Net.Use=false"]);
    let played = ["play b C3", "play w C2", "play b D2", "undo", "undo", "undo"];
    let replaced = ["clear_board", "play b C3", "play w C2", "gg-undo 2", "play b B2", "undo"];
    for command in played.into_iter().chain(replaced) {
        assert_eq!(engine.ask(command), "=", "{command}");
    }
    engine.end();
    let text = stdout(&folder.run(&["log2sgf", JSON_LOG], b""));
    assert!(text.contains(";B[cc];W[cd];B[dd]") && text.contains(";B[bd]"), "{text}");
    assert_eq!(text.matches("(;FF").count(), 2, "{text}");
}

/// A file that is too large for the log is read again, from the folder to which commands were confined.
#[test]
fn log2sgf_reads_large_files_in_the_data_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("games")).unwrap();
    for (name, moves) in [("games/big.sgf", ";B[cc];W[bb]"), ("big.sgf", ";B[aa]")] {
        let text = format!("(;SZ[5]C[{}]{moves})", "x".repeat(1_100_000));
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut engine = start(&folder, &["Net.Use=false", "Paths.DataFolder=games"]);
    assert_eq!(engine.ask("loadsgf big.sgf"), "=");
    engine.end();
    let output = folder.run(&["log2sgf", JSON_LOG], b"");
    assert!(stdout(&output).contains(";B[cc];W[bb]"), "{}{}", stdout(&output), stderr(&output));
    std::fs::remove_file(folder.path().join("games/big.sgf")).unwrap();
    assert_eq!(folder.run(&["log2sgf", JSON_LOG], b"").status.code(), Some(2));
}

/// A session whose configuration cannot be used now does not hide the games of the others.
#[test]
fn log2sgf_skips_a_session_with_an_unusable_configuration() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("games")).unwrap();
    for (set, vertex) in [("Net.Use=false", "A1"), ("Paths.DataFolder=games", "B2"), ("Net.Use=false", "C3")] {
        let mut engine = start(&folder, &["Game.BoardSize=5", set]);
        assert_eq!(engine.ask(&format!("play b {vertex}")), "=");
        engine.end();
    }
    std::fs::remove_dir(folder.path().join("games")).unwrap();
    let output = folder.run(&["log2sgf", JSON_LOG], b"");
    let (text, message) = (stdout(&output), stderr(&output));
    assert_eq!((output.status.code(), text.matches("(;FF").count()), (Some(2), 2), "{text}");
    assert!(text.contains(";B[ae]") && text.contains(";B[cc]"), "{text}");
    assert!(message.starts_with("[log2sgf] session 2: Paths.DataFolder: no such folder: "), "{message}");
}

/// Plays complete games in one process at random quick levels; gives the number of moves.
fn played_games(folder: &Folder, seed: u64, side: usize, games: usize) -> usize {
    let mut rng = Rng::with_seed(seed);
    let (net, side) = (format!("Net.Use={}", rng.bool()), format!("Game.BoardSize={side}"));
    let set = [&net, &side, "Search.Seconds=0.005", "Search.Threads=1", "Log.Console=off", "Log.Rotation=never"];
    let mut engine = start(folder, &set);
    let mut moves = 0;
    for _ in 0..games {
        assert_eq!(engine.ask("clear_board"), "=");
        let mut passes = 0;
        for color in ["b", "w"].iter().cycle() {
            assert_eq!(engine.ask(&format!("level {}", [1, 2, 3, 4, 5, 6, 9, 10][rng.usize(..8)])), "=");
            moves += 1;
            match engine.ask(&format!("genmove {color}")).strip_prefix("= ").unwrap() {
                "resign" => break,
                "pass" => passes += 1,
                _ => passes = 0,
            }
            if passes == 2 {
                break;
            }
        }
        assert!(engine.ask("final_score").starts_with("= "));
    }
    assert_eq!(engine.end(), (Some(0), String::new()));
    moves
}

#[test]
fn every_game_is_replayed() {
    let sessions: &[(usize, usize)] = if slow_tests() { &[(9, 50); 20] } else { &[(9, 1), (5, 2)] };
    let large: &[(usize, usize)] = if slow_tests() { &[(19, 10); 5] } else { &[] };
    let (mut games, mut moves) = (0, 0);
    for (seed, &(side, count)) in (0..).zip(sessions.iter().chain(large)) {
        let folder = Folder::new();
        moves += played_games(&folder, seed, side, count);
        games += count;
        let text = assert_replays(&folder, &[]);
        assert!(text.contains(" 0 not compared, 0 with the log's move"), "{text}");
    }
    eprintln!("{games} games of {moves} moves replayed");
}

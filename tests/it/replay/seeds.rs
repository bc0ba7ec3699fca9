//! Seeds of random numbers: those that were drawn come from the log.

use super::*;

#[test]
fn drawn_seeds_come_from_the_log() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false", "Search.MaxPlayouts=20", "Game.BoardSize=5"]);
    let commands = [
        "get_random_seed",
        "genmove b",
        "set_random_seed 0",
        "get_random_seed",
        "kata-set-param Seed 5",
        "kata-set-params {\"Seed\": 0}",
        "get_random_seed",
        "gg_genmove w 0",
        "get_random_seed",
        "gg_genmove w 7",
        "get_random_seed",
        "kifuwarabe-search_params Seed 0",
        "get_random_seed",
        "level 2",
        "genmove w",
        "quit",
    ];
    let seeds: Vec<String> = commands.map(|command| engine.ask(command)).into();
    assert_eq!(engine.end(), (Some(0), String::new()));
    assert!(seeds[0] != seeds[3] && seeds[3] != seeds[6] && seeds[6] != seeds[8], "{seeds:?}");
    assert_eq!(folder.read(JSON_LOG).matches("\"drawnSeed\":").count(), 4);
    assert!(assert_replays(&folder, &[]).contains("16 commands replayed, 16 answers equal"));
    let text = assert_replays(&folder, &["--no-search"]);
    assert!(text.contains("16 commands replayed, 12 answers equal, 0 not compared, 4 with the log's move"), "{text}");
    // a seed that is set for the replay counts
    let output = folder.run(&["--set", "Search.Seed=9", "replay", JSON_LOG, "--no-search"], b"");
    assert!(stdout(&output).contains("replayed:   {\"value\":9}"), "{}", stdout(&output));
}

/// The time of the next move depends on the overruns of earlier searches, which `--no-search` does not repeat.
#[test]
fn time_settings_that_searches_changed_are_no_difference() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Search.LagBuffer=0", "Search.MaxPlayouts=0"]);
    for command in
        ["boardsize 9", "time_settings 1 0 0", "time_left b 0 0", "genmove b", "time_left w 0 0", "genmove w"]
    {
        engine.ask(command);
    }
    engine.ask("time_settings 300 0 0");
    engine.ask("kata-debug-print-tc");
    engine.ask("quit");
    assert_eq!(engine.end(), (Some(0), String::new()));
    assert_replays(&folder, &["--no-search"]);
}

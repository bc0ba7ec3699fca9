//! Analysis streams: the fields of a line in either dialect, the perspective of its values, and which moves it lists.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::kernel::{Color, GameRule};
use kifuwarabe_uec14::net::Net;

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, answer, answers, ask, engine_with, set_up_divided_board, start};

/// A line of an analysis, strictly parsed.
#[derive(Debug)]
pub struct Report {
    pub moves: Vec<Segment>,
    root_info: Option<BTreeMap<String, String>>,
    ownership: Option<Vec<f64>>,
    owner_deviation: Option<Vec<f64>>,
}

/// The part of a line about one move.
#[derive(Debug)]
pub struct Segment {
    values: BTreeMap<String, String>,
    pub variation: Vec<String>,
    variation_visits: Option<Vec<u32>>,
    variation_edge_visits: Option<Vec<u32>>,
    owners: Option<Vec<f64>>,
    owner_deviation: Option<Vec<f64>>,
}

/// Splits the numbers after a key off the end of a text.
fn split_numbers<'t, N: std::str::FromStr<Err: std::fmt::Debug>>(
    text: &'t str,
    key: &str,
) -> (&'t str, Option<Vec<N>>) {
    match text.split_once(&format!(" {key} ")) {
        Some((before, numbers)) => (before, Some(numbers.split(' ').map(|number| number.parse().unwrap()).collect())),
        None => (text, None),
    }
}

impl Report {
    /// # Panics
    /// If the line is malformed.
    pub fn parse(line: &str) -> Report {
        assert!(!line.contains("  ") && line.trim() == line, "{line}");
        let (rest, owner_deviation) = split_numbers(line, "ownershipStdev");
        let (mut rest, ownership) = split_numbers(rest, "ownership");
        let mut root_info = None;
        if let Some((before, pairs)) = rest.split_once(" rootInfo ") {
            root_info = Some(pairs_of(pairs));
            rest = before;
        }
        let segments = rest.strip_prefix("info ").unwrap_or_else(|| panic!("{line}")).split(" info ");
        let moves: Vec<Segment> = segments.map(Segment::parse).collect();
        for (order, segment) in moves.iter().enumerate() {
            assert_eq!(segment.values["order"], order.to_string(), "{line}");
        }
        Report { moves, root_info, ownership, owner_deviation }
    }

    fn names(&self) -> Vec<&str> {
        self.moves.iter().map(Segment::name).collect()
    }
}

impl Segment {
    fn parse(text: &str) -> Segment {
        let (pairs, variation) = text.split_once(" pv ").unwrap_or_else(|| panic!("no pv: {text}"));
        let (variation, owner_deviation) = split_numbers(variation, "movesOwnershipStdev");
        let (variation, owners) = split_numbers(variation, "movesOwnership");
        let (variation, variation_edge_visits) = split_numbers(variation, "pvEdgeVisits");
        let (variation, variation_visits) = split_numbers(variation, "pvVisits");
        let variation: Vec<String> = variation.split(' ').map(str::to_owned).collect();
        let segment = Segment {
            values: pairs_of(pairs),
            variation,
            variation_visits,
            variation_edge_visits,
            owners,
            owner_deviation,
        };
        assert_eq!(segment.variation[0], segment.name());
        for vertex in &segment.variation {
            let is_point = vertex.starts_with(|file: char| file.is_ascii_uppercase() && file != 'I')
                && vertex[1..].bytes().all(|digit| digit.is_ascii_digit());
            assert!(is_point || vertex == "pass", "{vertex}");
        }
        // a position has been visited at least once for each visit of a move from it
        if let (Some(visits), Some(edges)) = (&segment.variation_visits, &segment.variation_edge_visits) {
            assert!(edges.iter().skip(1).zip(visits).all(|(edge, visits)| edge <= visits), "{visits:?} {edges:?}");
        }
        if let Some(visits) = &segment.variation_visits {
            assert_eq!((visits.len(), visits[0]), (segment.variation.len(), segment.visits()));
            // other orders of moves can give a position more visits than the one before it has
            assert!(visits.iter().skip(1).all(|&visits| visits > 0), "{visits:?}");
        }
        segment
    }

    pub fn name(&self) -> &str {
        &self.values["move"]
    }

    pub fn visits(&self) -> u32 {
        self.values["visits"].parse().unwrap()
    }

    /// A number written with a decimal point.
    fn float(&self, key: &str) -> f64 {
        float(&self.values, key)
    }
}

fn float(values: &BTreeMap<String, String>, key: &str) -> f64 {
    assert!(values[key].contains('.'), "{key} {}", values[key]);
    values[key].parse().unwrap()
}

fn pairs_of(text: &str) -> BTreeMap<String, String> {
    let words: Vec<&str> = text.split(' ').collect();
    assert!(words.len().is_multiple_of(2), "{text}");
    let pairs: BTreeMap<_, _> = words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
    assert_eq!(pairs.len(), words.len() / 2, "duplicate key: {text}");
    pairs
}

fn engine(side: u8, playouts: u64) -> Engine {
    let mut engine = engine_with(side, GameRule::with_komi(0.5), playouts);
    engine.player.options.seed = 7;
    engine
}

/// The only report and the move of a command that ends with a move.
fn report_and_move(engine: &mut Engine, command: &str) -> (Report, String) {
    let answer = ask(engine, command);
    let lines: Vec<&str> = answer.lines().collect();
    let ["", info, play] = lines[..] else { panic!("{command}: {answer}") };
    (Report::parse(info), play.strip_prefix("play ").unwrap().to_owned())
}

fn search(engine: &mut Engine, arguments: &str) -> Report {
    report_and_move(engine, &format!("kata-search_analyze {arguments}")).0
}

#[test]
fn both_dialects_report_the_same_values() {
    let (lz, lz_move) = report_and_move(&mut engine(9, 600), "lz-genmove_analyze b");
    let (kata, kata_move) = report_and_move(&mut engine(9, 600), "kata-genmove_analyze b");
    assert_eq!((&lz_move, lz.names()), (&kata_move, kata.names()));
    assert_eq!(lz_move, lz.moves[0].name());
    assert!(lz.moves.len() > 5);
    for (lz, kata) in lz.moves.iter().zip(&kata.moves) {
        let keys: Vec<&str> = lz.values.keys().map(String::as_str).collect();
        assert_eq!(keys, ["lcb", "move", "order", "visits", "winrate"]);
        assert_eq!((lz.visits(), &lz.variation), (kata.visits(), &kata.variation));
        for key in ["winrate", "lcb"] {
            let whole: i32 = lz.values[key].parse().unwrap();
            assert!((0..=10000).contains(&whole) && (f64::from(whole) / 10000.0 - kata.float(key)).abs() < 1e-4);
        }
        assert!(kata.float("lcb") < kata.float("winrate"));
        assert_eq!(kata.float("scoreMean"), kata.float("scoreLead"));
        assert!(kata.float("scoreLead").abs() <= 81.5 && kata.float("scoreStdev") >= 0.0);
    }
    let visits = |report: &Report| report.moves.iter().map(Segment::visits).collect::<Vec<_>>();
    assert!(visits(&lz).is_sorted_by(|a, b| a >= b) && visits(&lz).iter().all(|&visits| visits > 0));
    assert_eq!(visits(&lz).iter().sum::<u32>(), 600);
}

/// Weak levels choose moves that the search did not find best, or did not visit.
#[test]
fn the_first_reported_move_is_the_chosen_one_at_every_level() {
    let mut unvisited = 0;
    for level in 1..=6 {
        let mut engine = engine(9, 600);
        engine.player.net = Some(Net::built_in().unwrap());
        engine.player.options.level = level;
        for command in ["kata-search_analyze b rootInfo true", "lz-genmove_analyze b", "kata-genmove_analyze w"] {
            let (report, played) = report_and_move(&mut engine, command);
            assert_eq!(report.moves[0].name(), played, "level {level}: {command}");
            assert_eq!(report.moves[0].variation[0], played, "level {level}: {command}");
            if let [chosen, best, ..] = &report.moves[..]
                && chosen.visits() == 0
            {
                // the value of the search
                assert_eq!(chosen.values["winrate"], best.values["winrate"], "level {level}: {command}");
                assert_eq!(chosen.values["lcb"], best.values["lcb"], "level {level}: {command}");
                unvisited += 1;
            }
        }
    }
    assert!(unvisited > 3, "{unvisited}");
}

/// Without a net there are no priors.
#[test]
fn priors_come_from_the_net() {
    let with_net = || {
        let mut engine = engine(9, 100);
        engine.player.net = Some(Net::human().unwrap());
        engine
    };
    let kata = search(&mut with_net(), "b minmoves 500");
    let priors: Vec<f64> = kata.moves.iter().map(|segment| segment.float("prior")).collect();
    assert!((priors.iter().sum::<f64>() - 1.0).abs() < 0.01 && priors.iter().all(|prior| (0.0..=1.0).contains(prior)));
    let best = kata.moves[0].float("winrate");
    for untried in kata.moves.iter().filter(|segment| segment.visits() == 0) {
        assert_eq!(untried.float("winrate"), best);
    }
    let (lz, _) = report_and_move(&mut with_net(), "lz-genmove_analyze b minmoves 500");
    let sum: u32 = lz.moves.iter().map(|segment| segment.values["prior"].parse::<u32>().unwrap()).sum();
    assert!((9900..=10100).contains(&sum), "{sum}");
}

#[test]
fn optional_fields_are_present_only_on_request() {
    let plain = search(&mut engine(7, 300), "b");
    assert!(plain.root_info.is_none() && plain.ownership.is_none() && plain.moves[0].variation_visits.is_none());
    let full = search(
        &mut engine(7, 300),
        "b rootInfo True ownership true pvVisits true noResultValue false movesOwnership false ownershipStdev false",
    );
    assert_eq!(full.names(), plain.names());
    let root = full.root_info.unwrap();
    let keys: Vec<&str> = root.keys().map(String::as_str).collect();
    assert_eq!(keys, ["scoreLead", "scoreMean", "scoreStdev", "visits", "winrate"]);
    assert_eq!(root["visits"], "300");
    assert_eq!(float(&root, "winrate"), full.moves[0].float("winrate"));
    assert!(full.moves.iter().all(|segment| segment.variation_visits.is_some()));
    assert_eq!(full.ownership.unwrap().len(), 49);
    // without transpositions all visits of a variation are by its order of moves
    let edges = search(&mut engine(7, 300), "b pvVisits true pvEdgeVisits true");
    assert!(edges.moves.iter().all(|segment| segment.variation_edge_visits == segment.variation_visits));
    assert!(edges.moves[0].variation_edge_visits.is_some() && full.moves[0].variation_edge_visits.is_none());
    let none = search(&mut engine(7, 300), "b rootInfo false ownership false pvVisits false");
    assert!(none.root_info.is_none() && none.ownership.is_none() && none.moves[0].variation_visits.is_none());
    // a client that asks for no move learns the value of the position
    let text = answer(&mut engine(7, 300), "kata-search_analyze b maxmoves 0 rootInfo true ownership true");
    let line = text.lines().find(|line| line.starts_with("rootInfo visits 300 winrate 0."));
    assert!(line.is_some_and(|line| line.contains(" ownership ")), "{text}");
    let text = answer(&mut engine(7, 300), "kata-search_analyze b maxmoves 0 ownership true");
    assert!(!text.contains("ownership"), "{text}");
}

#[test]
fn owners_in_detail_are_reported_on_request() {
    let plain = search(&mut engine(5, 300), "b ownership true");
    assert!(plain.owner_deviation.is_none() && plain.moves[0].owners.is_none());
    assert!(!plain.moves[0].values.contains_key("noResultValue"));
    let keys = "ownership true ownershipStdev true movesOwnership true movesOwnershipStdev true noResultValue true";
    let mut engine = engine(5, 300);
    let full = search(&mut engine, &format!("b {keys}"));
    assert_eq!((full.names(), &full.ownership), (plain.names(), &plain.ownership), "the search is the same");
    let is_deviation = |list: &Vec<f64>| list.len() == 25 && list.iter().all(|number| (0.0..=1.0).contains(number));
    assert!(is_deviation(full.owner_deviation.as_ref().unwrap()));
    for segment in &full.moves {
        assert!(is_deviation(segment.owner_deviation.as_ref().unwrap()), "{segment:?}");
        assert_eq!((segment.owners.as_ref().unwrap().len(), &*segment.values["noResultValue"]), (25, "0.000000"));
    }
    // every playout begins with one of the moves
    for (point, of_all) in full.ownership.as_ref().unwrap().iter().enumerate() {
        let sum: f64 = full.moves.iter().map(|s| f64::from(s.visits()) * s.owners.as_ref().unwrap()[point]).sum();
        let visits: u32 = full.moves.iter().map(Segment::visits).sum();
        assert!((sum / f64::from(visits) - of_all).abs() < 0.02, "{point}: {sum} / {visits}, {of_all}");
    }
    // the engine answers commands that choose a move alike, and the next one without the keys
    let (chosen, _) = report_and_move(&mut engine, "kata-genmove_analyze b movesOwnership true");
    assert!(chosen.moves.iter().any(|segment| segment.owners.is_some()));
    let (chosen, _) = report_and_move(&mut engine, "kata-genmove_analyze w");
    assert!(chosen.moves.iter().all(|segment| segment.owners.is_none()));
}

/// An engine on a 5x5 board on which Black owns the files A to C, and White D and E.
fn divided() -> Engine {
    let mut engine = engine(5, 200);
    set_up_divided_board(&mut engine);
    engine
}

#[test]
fn ownership_starts_at_the_highest_rank_and_follows_the_perspective() {
    for (arguments, perspective, sign) in
        [("b", "side-to-move", 1.0), ("w", "side-to-move", -1.0), ("w", "black", 1.0), ("b", "white", -1.0)]
    {
        let mut engine = divided();
        ask(&mut engine, &format!("kata-set-param ReportWinrateAs {perspective}"));
        let report = search(&mut engine, &format!("{arguments} ownership true rootInfo true"));
        let ownership = report.ownership.unwrap();
        for row in ownership.chunks(5) {
            let sides: Vec<bool> = row.iter().map(|owner| owner * sign > 0.5).collect();
            assert_eq!(sides, [true, true, true, false, false], "{arguments} {perspective}: {ownership:?}");
        }
        // Black leads by 15 - 10 - 0.5
        let root = report.root_info.unwrap();
        assert!((float(&root, "scoreLead") * sign - 4.5).abs() < 1.0, "{root:?}");
        assert_eq!(float(&root, "winrate") > 0.5, sign > 0.0, "{root:?}");
        let best = &report.moves[0];
        assert_eq!(best.float("winrate") > 0.5, sign > 0.0, "{best:?}");
        assert_eq!(best.float("scoreLead") > 0.0, sign > 0.0, "{best:?}");
    }
    // the highest rank comes first
    let mut engine = engine(5, 200);
    ask(&mut engine, "set_position b A1 b B2 b A3 b B3 b C3 b D2 b E3 b D3 b D1 w A4 w B4 w C4 w D4 w E4 w B5 w D5");
    let ownership = search(&mut engine, "b ownership true").ownership.unwrap();
    let sides: Vec<bool> = ownership.chunks(5).map(|row| row.iter().all(|&owner| owner > 0.5)).collect();
    assert_eq!(sides, [false, false, true, true, true], "{ownership:?}");
}

#[test]
fn the_perspective_inverts_win_rates_and_score_leads() {
    let report_as = |perspective: &str| {
        let mut engine = engine(9, 400);
        answers(&mut engine, format!("play b E5\nkata-set-param ReportWinrateAs {perspective}\n").as_bytes());
        search(&mut engine, "")
    };
    let (side_to_move, black, white) = (report_as("side-to-move"), report_as("black"), report_as("white"));
    assert_eq!((side_to_move.names(), side_to_move.names()), (black.names(), white.names()));
    for ((side_to_move, black), white) in side_to_move.moves.iter().zip(&black.moves).zip(&white.moves) {
        assert_eq!(side_to_move.values, white.values, "White is to move");
        for key in ["winrate", "lcb"] {
            assert!((black.float(key) + white.float(key) - 1.0).abs() < 1e-5);
        }
        assert!((black.float("scoreLead") + white.float("scoreLead")).abs() < 1e-3);
        assert_eq!(black.float("scoreStdev"), white.float("scoreStdev"));
    }
}

#[test]
fn avoid_and_allow_restrict_moves_of_a_player_up_to_a_depth() {
    let free = search(&mut engine(7, 300), "b");
    let (first, second) = (free.moves[0].name(), free.moves[1].name());
    let report = search(&mut engine(7, 300), &format!("b avoid b {first},{second}, 1 avoid w {first} 9"));
    assert!(!report.names().contains(&first) && !report.names().contains(&second), "{report:?}");
    assert!(report.moves.len() > 5);

    let (report, play) =
        report_and_move(&mut engine(7, 300), "kata-genmove_analyze b allow b a1,C3 1 allow w g7,pass 2");
    assert_eq!(report.moves.len(), 2);
    assert!(["A1", "C3"].contains(&play.as_str()), "{play}");
    for segment in &report.moves {
        assert!(["A1", "C3"].contains(&segment.name()));
        let reply = segment.variation.get(1).map(String::as_str);
        assert!(reply.is_none_or(|reply| reply == "G7" || reply == "pass"), "{reply:?}");
    }

    // the choice of the move obeys it, too: without the restriction the engine passes
    let (_, play) = report_and_move(&mut divided(), "kata-genmove_analyze b");
    assert_eq!(play, "pass");
    let (_, play) = report_and_move(&mut divided(), "kata-genmove_analyze b avoid b pass 1");
    assert_ne!(play, "pass");
    let (report, play) = report_and_move(&mut engine(7, 100), "lz-genmove_analyze b allow b pass 1");
    assert_eq!((report.names(), play.as_str()), (vec!["pass"], "pass"));
}

#[test]
fn minmoves_and_maxmoves_bound_the_listed_moves() {
    let report = search(&mut engine(9, 30), "b");
    let tried = report.moves.len();
    assert!((2..80).contains(&tried));
    assert_eq!(search(&mut engine(9, 30), "b maxmoves 2").moves.len(), 2);
    let many = search(&mut engine(9, 30), "b minmoves 81");
    assert_eq!(many.moves.len(), 81);
    let untried: Vec<&Segment> = many.moves.iter().filter(|segment| segment.visits() == 0).collect();
    assert_eq!(untried.len(), 81 - tried);
    assert!(untried.iter().all(|segment| (0.0..=1.0).contains(&segment.float("winrate"))));
    assert_eq!(search(&mut engine(9, 30), "b minmoves 500").moves.len(), 82, "every point and a pass");
    assert_eq!(search(&mut engine(9, 30), "b minmoves 500 maxmoves 3").moves.len(), 3);
}

#[test]
fn arguments_are_accepted_in_any_order_and_without_a_color() {
    let mut engine = engine(7, 100);
    ask(&mut engine, "play b D4");
    // with an interval of 90 s only the final report is written
    let expected = search(&mut engine_after(&engine), "w 9000 maxmoves 3");
    for arguments in
        ["maxmoves 3", "9000 maxmoves 3", "interval 9000 w maxmoves 3", "maxmoves 3 white 9012.5", "0 w maxmoves 3"]
    {
        let report = search(&mut engine_after(&engine), arguments);
        assert_eq!(report.names(), expected.names(), "{arguments}");
    }
    let black = search(&mut engine_after(&engine), "b maxmoves 3");
    assert_ne!(black.moves[0].values, expected.moves[0].values);
}

/// A new engine with a copy of the position.
fn engine_after(engine: &Engine) -> Engine {
    let mut copy = self::engine(7, 100);
    copy.position = engine.position.clone();
    copy
}

#[test]
fn analysis_does_not_change_the_position() {
    let mut engine = engine(7, 50);
    answers(&mut engine, b"play b D4\nplay w C3\n");
    let before = answers(&mut engine, b"showboard\nrecord\nrendb_dump\n");
    let script = "lz-analyze w 10\nkata-analyze 5 ownership true\nkata-search_analyze b\nlz-analyze avoid b A1 3\n";
    answers(&mut engine, script.as_bytes());
    assert_eq!(answers(&mut engine, b"showboard\nrecord\nrendb_dump\n"), before);
    report_and_move(&mut engine, "lz-genmove_analyze");
    assert_eq!(engine.position.record().len(), 3);
    assert_eq!(engine.position.to_move(), Color::White);
}

/// Without a reader thread the next line is pending from the start: the search still makes one playout and reports it.
#[test]
fn an_analysis_without_an_interval_reports_once() {
    let answer = answers(&mut engine(7, 50), b"7 lz-analyze b\n8 name\n");
    let lines: Vec<&str> = answer.lines().collect();
    let [opening, info, closing, name, _] = lines[..] else { panic!("{answer}") };
    assert_eq!((opening, closing, name), ("=7 ", "", "=8 Kifuwarabe UEC14"));
    assert_eq!(Report::parse(info).moves[0].visits(), 1);
    assert_eq!(answers(&mut engine(7, 50), b"lz-analyze b 100\nname\n"), "= \n\n= Kifuwarabe UEC14\n\n");
}

#[test]
fn logs_contain_the_last_report_of_an_analysis() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=5", "Search.MaxPlayouts=100"]);
    engine.stdin.as_mut().unwrap().write_all(b"1 kata-analyze b 2\n").unwrap();
    let first = [(); 4].map(|()| engine.read_line());
    assert!(first[0] == "=1 \n" && first[1..].iter().all(|line| line.starts_with("info ")), "{first:?}");
    engine.stdin.as_mut().unwrap().write_all(b"# enough\n").unwrap();
    let reports = 3 + engine.read_answer().lines().count();
    let chosen = engine.ask("2 lz-genmove_analyze b");
    let lines: Vec<&str> = chosen.lines().collect();
    assert_eq!(lines[0], "=2 ");
    assert_eq!(engine.ask("quit"), "=");
    assert_eq!(engine.end(), (Some(0), String::new()));

    let plain = folder.read(PLAIN_LOG);
    let rows: Vec<&str> = plain.lines().map(|row| row.split_once('\t').map_or(row, |(_, row)| row)).collect();
    assert_eq!(rows.len(), 8, "{plain}");
    assert_eq!([rows[0], rows[2], rows[3]], ["# 1 kata-analyze b 2", "# # enough", "# 2 lz-genmove_analyze b"]);
    Report::parse(rows[1].strip_prefix("=1 ").unwrap());
    assert_eq!(rows[4].strip_prefix("=2 "), Some(lines[1]));
    assert_eq!(rows[5], lines[2]);

    let events: Vec<serde_json::Value> =
        folder.read(JSON_LOG).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_note = |event: &serde_json::Value| ["session", "search"].contains(&event["msg"].as_str().unwrap());
    let events: Vec<_> = events.into_iter().filter(|event| !is_note(event)).collect();
    assert_eq!(events.len(), 7, "input and output of each command, and a comment");
    let (watched, played) = (&events[1], &events[4]);
    assert_eq!((&watched["msg"], watched["reports"].as_u64()), (&"output".into(), Some(reports as u64)));
    assert_eq!((played["reports"].as_u64(), played["playouts"].as_u64()), (Some(1), Some(100)));
    assert_eq!(lines[2], format!("play {}", played["move"].as_str().unwrap()));
    for event in [watched, played] {
        for key in ["value", "lead", "visits", "seconds", "variation"] {
            assert!(!event[key].is_null(), "{key}: {event}");
        }
    }
}

/// The engine exits although its input stays open.
#[test]
fn a_closed_stdout_ends_an_analysis() {
    let folder = Folder::new();
    let mut child =
        folder.command(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"lz-analyze 1\n").unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    while !line.starts_with("info ") {
        line.clear();
        stdout.read_line(&mut line).unwrap();
    }
    drop(stdout);
    let begin = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(20));
    drop(stdin);
}

#[test]
fn a_move_that_is_not_played_takes_no_time_of_the_player() {
    let mut engine = engine_with(5, GameRule::with_komi(0.5), 200);
    let left = |engine: &Engine| engine.clock.remaining(Color::Black).unwrap().main;
    ask(&mut engine, "time_settings 600 0 0");
    assert!(answers(&mut engine, b"kata-search_analyze b\n").contains("\nplay "));
    assert_eq!(left(&engine), 600.0);
    assert!(answers(&mut engine, b"kata-genmove_analyze b\n").contains("\nplay "));
    assert!(left(&engine) < 600.0);
}

#[test]
fn a_second_color_or_number_is_refused() {
    let mut engine = engine_with(9, GameRule::with_komi(7.0), 20);
    for (arguments, surplus) in [("b w maxmoves 1", "w"), ("b 1 2 maxmoves 1", "2"), ("10 b 20", "20")] {
        let answer = answer(&mut engine, &format!("kata-search_analyze {arguments}"));
        assert!(answer.starts_with(&format!("? unexpected argument:{surplus}, expected ")), "{arguments}: {answer}");
    }
}

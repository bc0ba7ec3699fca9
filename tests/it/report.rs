//! `report`: the content of the page, its independence from the network, its files, the annotated record, and its
//! script in a browser where one is installed.

mod annotated;
mod browser;
mod outputs;
mod serve;

use std::process::Output;

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Point, Position};
use kifuwarabe_uec14::playout::light;
use kifuwarabe_uec14::sgf;
use serde_json::Value;

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG};

/// A short game with a capture, a pass, edited stones, and two moves in a row by one player.
const GAME: &str = "(;GM[1]SZ[7]KM[5.5]RU[Japanese]RE[B+R]PB[Lee & <script>alert(1)</script>]PW[\"W'\\]]AB[cc]PL[W]\
    ;W[cd];B[dd];W[ce];B[bd];W[dc];B[de];W[aa];B[cf];W[];B[be];AE[aa]AW[gg];W[ga];W[fa];B[ff])";

fn report(folder: &Folder, record: &str, options: &[&str]) -> Output {
    std::fs::write(folder.path().join("game.sgf"), record).unwrap();
    folder.run(&[&["--set", "Net.Use=false", "report", "game.sgf", "-o", "report.html"], options].concat(), b"")
}

/// The page of a record, with few playouts.
fn page(folder: &Folder, record: &str) -> String {
    let output = report(folder, record, &["--visits", "30", "--threads", "2"]);
    let streams = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let moves = position(record).record().len();
    let start = format!("wrote report.html: {moves} move{}, ", if moves == 1 { "" } else { "s" });
    assert!(streams.0.starts_with(&start) && streams.0.lines().count() == 1, "{}", streams.0);
    assert_eq!((streams.1.as_str(), output.status.code()), ("", Some(0)));
    folder.read("report.html")
}

/// The data of the script.
fn page_data(page: &str) -> Value {
    let begin = page.split_once(r#"<script id="data" type="application/json">"#).unwrap().1;
    serde_json::from_str(begin.split_once("</script>").unwrap().0).unwrap()
}

/// The last position of a record.
fn position(record: &str) -> Position {
    let game = sgf::read(record.as_bytes()).unwrap();
    let like = Position::new(game.coordinate, GameRule::with_komi(6.5), 0, Color::Black);
    sgf::position_of(&game, &like, None).unwrap()
}

/// The stones of every position of a record, from the highest rank down, as the page lists them.
fn boards(record: &str) -> Vec<String> {
    let end = position(record);
    let points: Vec<Point> = end.board().coordinate().points_from_highest_rank().collect();
    let stones = |number| points.iter().map(|point| end.stones_at(number)[point.index()].symbol()).collect();
    (0..=end.record().len()).map(stones).collect()
}

/// Black has three columns of five and White two; both pass.
const FINISHED: &str = "(;GM[1]SZ[5]KM[0.5]RU[Chinese]RE[B+4.5]AB[ca][cb][cc][cd][ce]AW[da][db][dc][dd][de];B[];W[])";

#[test]
fn finished_game_ends_with_its_score() {
    let folder = Folder::new();
    let data = page_data(&page(&folder, FINISHED));
    let steps = data["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    for step in steps {
        assert_eq!((&step["win_rate"], &step["lead"], &step["loss"]), (&100.0.into(), &4.5.into(), &Value::Null));
        let owners = step["ownership"].as_str().unwrap();
        assert_eq!(owners, "yyyaa".repeat(5), "every point has an owner");
    }
}

#[test]
fn unsettled_game_ends_with_a_count_of_the_board() {
    let folder = Folder::new();
    // two passes on a board on which nothing is decided
    let record = "(;GM[1]SZ[9]KM[6.5];B[ee];W[cc];B[];W[])";
    let text = page(&folder, record);
    let data = page_data(&text);
    let (last, others) = data["steps"].as_array().unwrap().split_last().unwrap();
    assert_eq!((&last["win_rate"], &last["lead"]), (&0.0.into(), &(-6.5).into()));
    let rates = others.iter().map(|step| step["win_rate"].as_f64().unwrap());
    assert!(rates.into_iter().all(|rate| 0.0 < rate && rate < 100.0), "{data}");
    let count = "W+6.5, counted as the board stands after two passes";
    assert!(data["unfinished_count"] == count && text.contains(&format!(" · score {count}<")), "{text}");
    let options = ["--visits", "30", "--json", "-", "--sgf", "annotated.sgf"];
    let numbers: Value = serde_json::from_slice(&report(&Folder::new(), record, &options).stdout).unwrap();
    assert_eq!(numbers["finalScore"], serde_json::json!({"score": "W+6.5", "isFinished": false}));
    assert_eq!(numbers["positions"][4]["lead"], -6.5);
}

#[test]
fn moves_before_an_illegal_one_are_reviewed() {
    let folder = Folder::new();
    let record = "(;SZ[5]RE[W+R];B[cc]C[one];W[cb];B[cc]C[three];W[bb])";
    let options = ["--visits", "30", "--json", "numbers.json", "--sgf", "annotated.sgf"];
    let output = report(&folder, record, &options);
    let warning = "move 3, black C3, is illegal (masonry: there is a stone on the point); the moves before it are used";
    assert_eq!(
        (String::from_utf8(output.stderr).unwrap(), output.status.code()),
        (format!("kifuwarabe-uec14: game.sgf: {warning}\n"), Some(0))
    );
    let page = folder.read("report.html");
    assert!(page.contains(&format!("2 moves · {warning} · result W+R")), "{page}");
    assert_eq!(page_data(&page)["steps"].as_array().unwrap().len(), 3);
    assert_eq!(page.matches("<div class=\"comment\"").count(), 1, "of the moves that the page has");
    let numbers: Value = serde_json::from_str(&folder.read("numbers.json")).unwrap();
    assert_eq!(numbers["illegalMove"], "move 3, black C3: masonry");
    assert_eq!(numbers["positions"].as_array().unwrap().len(), 3);
    let annotated = folder.read("annotated.sgf");
    assert!(annotated.contains(";B[cc]C[three];W[bb])") && annotated.matches("SBKV").count() >= 3, "{annotated}");
}

#[test]
fn page_has_every_position() {
    let folder = Folder::new();
    let page = page(&folder, GAME);
    let data = page_data(&page);
    let steps = data["steps"].as_array().unwrap();
    let boards = boards(GAME);
    assert_eq!(steps.len(), boards.len());
    assert!(position(GAME).record().items().iter().any(|item| !item.captured.is_empty()), "the game needs a capture");
    let mut stones: Vec<char> = data["start"].as_str().unwrap().chars().collect();
    for (step, board) in steps.iter().zip(&boards) {
        for change in step["changes"].as_array().unwrap() {
            stones[change[0].as_u64().unwrap() as usize] = change[1].as_str().unwrap().chars().next().unwrap();
        }
        assert_eq!(stones.iter().collect::<String>(), *board);
        assert!((0.0..=100.0).contains(&step["win_rate"].as_f64().unwrap()));
        assert_eq!(step["ownership"].as_str().unwrap().len(), 49);
        assert!(!step["variation"].as_array().unwrap().is_empty());
        let candidates = step["candidates"].as_array().unwrap();
        assert!((1..=5).contains(&candidates.len()), "{step}");
        assert_eq!(candidates[0][3], step["variation"], "the best one is expected");
        for candidate in candidates {
            assert!((0.0..=100.0).contains(&candidate[0].as_f64().unwrap()) && candidate[2].as_u64() > Some(0));
        }
    }
    let taken: Vec<u64> = steps.iter().map(|step| step["prisoners"][0].as_u64().unwrap()).collect();
    assert_eq!(taken.last(), Some(&u64::from(position(GAME).prisoners(Color::Black))), "{taken:?}");
    let players: Vec<&str> = steps.iter().map(|step| step["to_move"].as_str().unwrap()).collect();
    assert_eq!(players.concat(), "wbwbwbwbwbwwbw");
    assert_eq!(steps[9]["played"], serde_json::json!(["w", -1]), "a pass");
    for text in ["7×7 · Japanese rules · komi 5.5 · 13 moves · result B+R", "Black's win rate"] {
        assert!(page.contains(text), "{text}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "data, the configuration, the record and the page: {left:?}");
    assert!(!left.iter().any(|name| name == PLAIN_LOG || name == JSON_LOG), "a log was written");
}

#[test]
fn page_loads_nothing_and_escapes_texts() {
    let page = page(&Folder::new(), GAME);
    assert!(page.contains("<h1>Lee &amp; &lt;script&gt;alert(1)&lt;/script&gt; (Black) – &quot;W&#39;] (White)</h1>"));
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.contains(r#"http-equiv="Content-Security-Policy" content="default-src 'none';"#));
    for fetched in [" src=", "@import", "url(h", "url(/", "//cdn", "fetch(", "XMLHttp", "import(", "<iframe", "<img"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    let targets = page.split("href=\"").skip(1).map(|text| text.split('"').next().unwrap());
    for target in targets {
        assert!(target.starts_with('#') || target == "data:,", "{target}");
    }
    let named = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!named.contains("http:") && !named.contains("https:"));
}

#[test]
fn comments_of_the_record_are_shown_and_escaped() {
    let record = "(;SZ[5]C[first & last\n\n<b>];B[cc]C[](;W[cb]C[\\]])(;W[ab]C[elsewhere]))";
    let page = page(&Folder::new(), record);
    assert_eq!(page.matches("<div class=\"comment\"").count(), 2);
    assert!(page.contains("<a href=\"#0\">Before the first move</a>\n<p>first &amp; last\n\n&lt;b&gt;</p>"), "{page}");
    assert!(page.contains("data-number=\"2\"><a href=\"#2\">Move 2</a>\n<p>]</p>") && !page.contains("elsewhere"));
}

#[test]
fn moves_are_rated_and_summarized() {
    let folder = Folder::new();
    // a pass on an empty board, and stones on the edge
    let record = "(;SZ[5]KM[0.5];B[];W[cc];B[aa];W[bc];B[ea];W[dc])";
    let output = report(&folder, record, &["--visits", "300", "--json", "numbers.json"]);
    assert_eq!(output.status.code(), Some(0));
    let page = folder.read("report.html");
    let numbers: Value = serde_json::from_str(&folder.read("numbers.json")).unwrap();
    let positions = numbers["positions"].as_array().unwrap();
    let played = |number: usize| &positions[number]["played"];
    assert_eq!((&played(1)["move"], &played(1)["class"]), (&"pass".into(), &"blunder".into()), "{numbers}");
    assert!(played(1)["pointsLost"].as_f64() > Some(6.0) && played(1)["winRateLost"].as_f64() > Some(0.15));
    let is_rated = |position: &Value, color: &str| {
        let played = &position["played"];
        played["color"] == color && !played["class"].is_null()
    };
    let rated = |color: &str| positions.iter().filter(|position| is_rated(position, color)).count();
    for color in ["black", "white"] {
        let summaries = numbers["summary"].as_array().unwrap();
        let whole = summaries.iter().find(|s| s["color"] == color && s["phase"] == "game").unwrap();
        assert_eq!(whole["moves"], 3, "{whole}");
        let count = ["inaccuracies", "mistakes", "blunders"].map(|class| whole[class].as_u64().unwrap());
        assert_eq!(count.iter().sum::<u64>() as usize, rated(color), "{color}");
        let phases = summaries.iter().filter(|s| s["color"] == color && s["phase"] != "game");
        assert_eq!(phases.map(|s| s["moves"].as_u64().unwrap()).sum::<u64>(), 3);
        assert!((0.0..=100.0).contains(&whole["accuracy"].as_f64().unwrap()));
    }
    let black = &numbers["summary"].as_array().unwrap().iter().find(|s| s["phase"] == "game").unwrap()["accuracy"];
    assert!(page.contains(&format!("<td class=\"n\">{:.0}%</td>", black.as_f64().unwrap())), "{black}");
    assert!(
        page.contains("<h2>Largest losses</h2>") && page.contains(r#"tabindex="0" role="region" aria-label="Summary""#)
    );
    assert!(page.contains("<td><a href=\"#0\">1</a></td><td>black pass</td><td class=\"blunder\">blunder</td>"));
    assert_eq!(page_data(&page)["first"], 0, "the page opens before the first blunder");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let counts = ["mistake", "blunder"].map(|class| {
        let count = positions.iter().filter(|p| p["played"]["class"] == class).count();
        format!("{count} {class}{}", if count == 1 { "" } else { "s" })
    });
    assert_eq!(stdout, format!("wrote report.html, numbers.json: 6 moves, {}\n", counts.join(", ")));
}

#[test]
fn page_does_not_depend_on_threads_and_depends_on_the_net() {
    let folder = Folder::new();
    let mut pages = Vec::new();
    for (net, threads) in [("true", "1"), ("true", "3"), ("false", "1"), ("false", "3")] {
        std::fs::write(folder.path().join("game.sgf"), GAME).unwrap();
        let set = format!("Net.Use={net}");
        let options = ["report", "game.sgf", "-o", "report.html", "--visits", "40", "--threads", threads];
        let output = folder.run(&[&["--set", &set], &options[..]].concat(), b"");
        assert_eq!(output.status.code(), Some(0));
        pages.push(folder.read("report.html"));
    }
    assert_eq!((&pages[0], &pages[2]), (&pages[1], &pages[3]));
    assert_ne!(pages[0], pages[2]);
}

/// A search by network, which the built-in one makes on 9x9, counts visits.
#[test]
fn page_names_visits_or_playouts() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("game.sgf"), "(;SZ[9]KM[7];B[ee])").unwrap();
    for (net, expected) in [("true", "with 40 visits per position"), ("false", "with 40 playouts per position")] {
        let set = format!("Net.Use={net}");
        let output = folder.run(&["--set", &set, "report", "game.sgf", "-o", "-", "--visits", "40"], b"");
        assert!(String::from_utf8(output.stdout).unwrap().contains(expected), "{net}: {expected}");
    }
}

#[test]
fn page_of_a_long_game_is_smaller_than_500_kb() {
    let coordinate = Coordinate::square(19).unwrap();
    let mut game = Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black);
    let mut rng = fastrand::Rng::with_seed(3);
    while game.record().len() < 250 {
        let color = game.to_move();
        match light::choose(&mut game.board().clone(), color, &mut rng) {
            Some(point) if game.play(color, point).is_ok() => {}
            _ => game.pass(color),
        }
    }
    let folder = Folder::new();
    let page = page(&folder, &sgf::write(&sgf::record_of(&game)));
    assert_eq!(page_data(&page)["steps"].as_array().unwrap().len(), 251);
    assert!(page.len() < 500_000, "{} bytes", page.len());
}

#[test]
fn records_without_moves_have_a_page() {
    for (record, facts) in [
        ("(;SZ[2])", "2×2 · Chinese rules · komi 6.5 · 0 moves<"),
        ("(;SZ[19]HA[2]AB[dd][pp])", "19×19 · Chinese rules · komi 6.5 · 2 handicap stones · 0 moves<"),
        (
            "(;SZ[9]RU[AGA]DT[2020-01-02]EV[A & B]PB[Kuro]BR[9p]WR[1d])",
            "<h1>Kuro 9p (Black) – White</h1>\n<p>2020-01-02 · A &amp; B · 9×9 · AGA rules · komi 6.5 · 0 moves<",
        ),
    ] {
        let page = page(&Folder::new(), record);
        assert!(page.contains("No move lost 5% or more") && page.contains(facts), "{page}");
    }
}

#[test]
fn errors_are_one_line_before_the_search_starts() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("cut.sgf"), "(;SZ[9];B[aa]").unwrap();
    std::fs::write(folder.path().join("game.sgf"), GAME).unwrap();
    for (arguments, message) in [
        (["nowhere.sgf", "a.html"], "report: cannot read "),
        (["cut.sgf", "a.html"], "report cut.sgf: byte 13: the file ends inside the game"),
        (["game.sgf", "no/a.html"], "--output: cannot write "),
        (["game.sgf", "./game.sgf"], "--output ./game.sgf: that is the record"),
    ] {
        let [record, page] = arguments;
        let output = folder.run(&["report", record, "-o", page, "--visits", "100000000"], b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("kifuwarabe-uec14: ") && stderr.contains(message), "{stderr}");
        assert_eq!((stderr.lines().count(), output.status.code(), output.stdout.len()), (1, Some(2), 0));
    }
    assert_eq!(folder.read("game.sgf"), GAME);
}

//! `report`: the content of the page, its independence from the network, and its script in a browser where one is
//! installed.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

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
    let output = report(folder, record, &["--playouts", "30", "--threads", "2"]);
    let streams = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((streams.0.as_str(), streams.1.as_str(), output.status.code()), ("", "", Some(0)));
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

/// The stones of every position of a record, row by row from the top left, as the page lists them.
fn boards(record: &str) -> Vec<String> {
    let end = position(record);
    let points: Vec<Point> = end.board().coordinate().points_from_last_rank().collect();
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
    // two passes on a board on which nothing is decided
    let data = page_data(&page(&folder, "(;GM[1]SZ[9]KM[6.5];B[ee];W[cc];B[];W[])"));
    let rates = data["steps"].as_array().unwrap().iter().map(|step| step["win_rate"].as_f64().unwrap());
    assert!(rates.into_iter().all(|rate| 0.0 < rate && rate < 100.0), "{data}");
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
    }
    let players: Vec<&str> = steps.iter().map(|step| step["to_move"].as_str().unwrap()).collect();
    assert_eq!(players.concat(), "wbwbwbwbwbwwbw");
    assert_eq!(steps[9]["played"], serde_json::json!(["w", -1]), "a pass");
    for text in ["7x7 · japanese rules · komi 5.5 · 13 moves · result B+R", "Black's win rate"] {
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
fn page_does_not_depend_on_threads_and_depends_on_the_net() {
    let folder = Folder::new();
    let mut pages = Vec::new();
    for (net, threads) in [("true", "1"), ("true", "3"), ("false", "1"), ("false", "3")] {
        std::fs::write(folder.path().join("game.sgf"), GAME).unwrap();
        let set = format!("Net.Use={net}");
        let options = ["report", "game.sgf", "-o", "report.html", "--playouts", "40", "--threads", threads];
        let output = folder.run(&[&["--set", &set], &options[..]].concat(), b"");
        assert_eq!(output.status.code(), Some(0));
        pages.push(folder.read("report.html"));
    }
    assert_eq!((&pages[0], &pages[2]), (&pages[1], &pages[3]));
    assert_ne!(pages[0], pages[2]);
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
        ("(;SZ[2])", "2x2 · chinese rules · komi 6.5 · 0 moves<"),
        ("(;SZ[19]HA[2]AB[dd][pp])", "19x19 · chinese rules · komi 6.5 · 2 handicap stones · 0 moves<"),
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
    std::fs::write(folder.path().join("illegal.sgf"), "(;SZ[9];B[aa];W[aa])").unwrap();
    for (arguments, message) in [
        (["nowhere.sgf", "a.html"], "report: cannot read "),
        (["cut.sgf", "a.html"], "report cut.sgf: byte 13: the file ends before"),
        (["illegal.sgf", "a.html"], "report illegal.sgf: move 2, white A9: masonry"),
        (["game.sgf", "no/a.html"], "--output: cannot write "),
        (["game.sgf", "data"], "not a regular file"),
        (["game.sgf", "./game.sgf"], "--output ./game.sgf: that is the record"),
    ] {
        let [record, page] = arguments;
        let output = folder.run(&["report", record, "-o", page, "--playouts", "100000000"], b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("kifuwarabe-uec14: ") && stderr.contains(message), "{stderr}");
        assert_eq!((stderr.lines().count(), output.status.code(), output.stdout.len()), (1, Some(2), 0));
    }
    assert_eq!(folder.read("game.sgf"), GAME);
}

/// The command of a Chromium that can open files of the temporary folder; snap packages cannot.
pub(crate) fn browser() -> Option<&'static str> {
    static BROWSER: LazyLock<Result<&str, &str>> = LazyLock::new(|| {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let name = names.into_iter().find(|name| {
            let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        });
        let name = name.ok_or("no Chromium")?;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        std::fs::write(&file, "<p>readable</p>").unwrap();
        let dom = dump(name, folder.path(), &format!("file://{}", file.display()), &[]);
        let is_readable = dom.is_some_and(|dom| dom.contains("<p>readable</p>"));
        is_readable.then_some(name).ok_or("Chromium cannot open files of the temporary folder")
    });
    BROWSER.inspect_err(|reason| eprintln!("SKIPPED: {reason}, so no report was opened in a browser")).ok()
}

/// Opens the page with a script of the test at its end; returns the script's value.
pub(crate) fn evaluate(browser: &str, page: &str, script: &str, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let page = page.replace(
        "</body>",
        &format!("<script>document.body.textContent = JSON.stringify((() => {{ {script} }})());</script></body>"),
    );
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    let dom = dump(browser, folder.path(), &format!("file://{}", file.display()), options).expect(IN_TIME);
    let text = dom.split_once("<body").unwrap().1.split_once('>').unwrap().1.split_once("</body>").unwrap().0;
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Time limit for the browser.
const PATIENCE: Duration = Duration::from_secs(60);

const IN_TIME: &str = "the browser should end within a minute";

/// The DOM of a page after its scripts have run; `None` if the browser exceeds the time limit, and is killed.
fn dump(browser: &str, profile: &Path, address: &str, options: &[&str]) -> Option<String> {
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTBROWSER", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.join("profile").display()))
        .args(options)
        .arg(address)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (sender, dumped) = channel();
    thread::spawn(move || {
        let mut dom = String::new();
        stdout.read_to_string(&mut dom).map(|_| sender.send(dom))
    });
    let dom = dumped.recv_timeout(PATIENCE).ok();
    // after the dump there is nothing left to do
    let _ = child.kill();
    child.wait().unwrap();
    dom
}

#[test]
fn browser_steps_through_the_game() {
    let Some(browser) = browser() else { return };
    let page = page(&Folder::new(), GAME);
    let script = r##"
        const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const cell = JSON.parse(document.querySelector("#data").textContent).cell;
        const board = () => {
            const stones = Array(49).fill(".");
            for (const use of document.querySelectorAll(".go-stones use")) {
                const at = use.getAttribute("x") / cell + use.getAttribute("y") / cell * 7;
                stones[at] = use.getAttribute("href") === "#go-black" ? "x" : "o";
            }
            return stones.join("");
        };
        const move = () => Number(document.body.dataset.move);
        const boards = [];
        const cursor = [];
        const initial = move();
        key("Home");
        for (let number = 0; number <= initial; number++) {
            boards.push(board());
            cursor.push(Number(document.querySelector(".graph .cursor").getAttribute("x1")));
            key("ArrowRight");
        }
        const end = move();
        key("PageUp"); const ten = move(); key("ArrowLeft"); const eleven = move(); key("End");
        key("e"); const numbered = document.querySelectorAll(".go-variation text").length;
        key("o"); const owned = document.querySelectorAll(".go-ownership rect").length;
        document.querySelector('button[data-to="first"]').click(); const first = move();
        const text = document.querySelector("#position").textContent;
        const graph = document.querySelector(".graph").getBoundingClientRect();
        document.querySelector(".graph").setPointerCapture = () => {};
        const at = (part) => ({ clientX: graph.left + graph.width * part, clientY: graph.top + 5, pointerId: 1 });
        document.querySelector(".graph").dispatchEvent(new PointerEvent("pointerdown", at(1)));
        const clicked = move();
        const svg = document.querySelector("#board svg").getBoundingClientRect();
        return { boards, cursor, initial, end, ten, eleven, numbered, owned, first, text, clicked,
            graph: [graph.width, graph.height], svg: [svg.width, svg.height],
            hidden: document.querySelectorAll("[hidden]").length,
            fetched: performance.getEntriesByType("resource").length };
    "##;
    let found = evaluate(browser, &page, script, &["--window-size=1200,900"]);
    assert_eq!(found["boards"], serde_json::json!(boards(GAME)));
    let cursor: Vec<f64> = found["cursor"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(cursor.is_sorted_by(|a, b| a < b), "{cursor:?}");
    for (key, number) in [("initial", 13), ("end", 13), ("ten", 3), ("eleven", 2), ("first", 0), ("clicked", 13)] {
        assert_eq!(found[key], number, "{key}: {found}");
    }
    assert!(found["numbered"].as_u64() > Some(0) && found["owned"].as_u64() > Some(0), "{found}");
    assert!(found["text"].as_str().unwrap().contains("Before the first move"), "{found}");
    for shown in ["graph", "svg"] {
        assert!(found[shown][0].as_f64() > Some(300.0) && found[shown][1].as_f64() > Some(150.0), "{found}");
    }
    assert_eq!((&found["hidden"], &found["fetched"]), (&Value::from(0), &Value::from(0)), "{found}");
}

#[test]
fn browser_opens_a_link_to_a_move() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    page(&folder, GAME);
    let profile = tempfile::tempdir().unwrap();
    let address = format!("file://{}#4", folder.path().join("report.html").display());
    let dom = dump(browser, profile.path(), &address, &[]).expect(IN_TIME);
    assert!(dom.contains(r#"data-move="4""#) && dom.contains("Move 4: Black B4"), "{dom}");
    let board = dom.split_once("</svg>").unwrap().0;
    assert_eq!(board.matches("class=\"go-next\"").count(), 1);
}

#[test]
fn browser_shows_light_and_dark_themes_and_small_screens() {
    let Some(browser) = browser() else { return };
    let page = page(&Folder::new(), GAME);
    let script = r#"
        const luminance = (element, property) => {
            const [red, green, blue] = getComputedStyle(element)[property].match(/[\d.]+/g).map(Number);
            return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
        };
        const wood = document.querySelector(".go-wood");
        return { paper: luminance(document.body, "backgroundColor"), ink: luminance(document.body, "color"),
            wood: luminance(wood, "fill"), overflow: document.documentElement.scrollWidth - innerWidth };
    "#;
    let measure = |scheme: &str, size: &str| {
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        let found = evaluate(browser, &page, script, &[&scheme, &format!("--window-size={size}")]);
        assert!(found["overflow"].as_f64().unwrap() <= 0.0, "{size}: {found}");
        let number = |key: &str| found[key].as_f64().unwrap();
        (number("paper"), number("ink"), number("wood"))
    };
    let (dark, light) = (measure("0", "1200,900"), measure("1", "1200,900"));
    assert!(light.0 > 0.9 && light.1 < 0.2, "{light:?}");
    assert!(dark.0 < 0.15 && dark.1 > 0.8, "{dark:?}");
    assert!(dark.2 < light.2, "{dark:?} {light:?}");
    measure("1", "500,900");
}

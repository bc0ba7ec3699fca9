//! The page's script in Chromium.

use serde_json::Value;

use crate::browser::{IN_TIME, browser, dump, evaluate};
use crate::engine::Folder;
use crate::report::{GAME, boards, page, page_data};

#[test]
fn browser_steps_through_the_game() {
    let Some(browser) = browser() else { return };
    let page = page(&Folder::new(), GAME);
    let script = r##"
        const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const cell = GoBoard.CELL;
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
        const last = Number(document.querySelector("#number").max);
        key("Home");
        for (let number = 0; number <= last; number++) {
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
            hidden: document.querySelectorAll(".steps[hidden]:not(#line), #moves[hidden]").length,
            fetched: performance.getEntriesByType("resource").length };
    "##;
    let found = evaluate(browser, &page, script, &["--window-size=1200,900"]);
    assert_eq!(found["boards"], serde_json::json!(boards(GAME)));
    let cursor: Vec<f64> = found["cursor"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(cursor.is_sorted_by(|a, b| a < b), "{cursor:?}");
    for (key, number) in [("end", 13), ("ten", 3), ("eleven", 2), ("first", 0), ("clicked", 13)] {
        assert_eq!(found[key], number, "{key}: {found}");
    }
    assert_eq!(found["initial"], page_data(&page)["first"], "{found}");
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
        const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        const light = (color) => {
            const [red, green, blue] = color.match(/[\d.]+/g).map((part) => linear(part / 255));
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const contrasts = ["inaccuracy", "mistake", "blunder"].map((name) => {
            const word = document.createElement("span");
            word.className = name;
            document.querySelector("header").append(word);
            const [ink, paper] = [word, document.body].map((element) => getComputedStyle(element));
            const [low, high] = [light(ink.color), light(paper.backgroundColor)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
        });
        const summary = document.querySelector(".summary").parentElement;
        return { contrast: Math.min(...contrasts), hidden: summary.scrollWidth - summary.clientWidth, paper: luminance(document.body, "backgroundColor"), ink: luminance(document.body, "color"),
            wood: luminance(wood, "fill"), overflow: document.documentElement.scrollWidth - innerWidth };
    "#;
    let measure = |scheme: &str, size: &str| {
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        let found = evaluate(browser, &page, script, &[&scheme, &format!("--window-size={size}")]);
        assert!(found["overflow"].as_f64().unwrap() <= 0.0, "{size}: {found}");
        let number = |key: &str| found[key].as_f64().unwrap();
        assert!(number("contrast") >= 4.5 && number("hidden") <= 0.0, "{size}: {found}");
        (number("paper"), number("ink"), number("wood"))
    };
    let (dark, light) = (measure("0", "1200,900"), measure("1", "1200,900"));
    assert!(light.0 > 0.9 && light.1 < 0.2, "{light:?}");
    assert!(dark.0 < 0.15 && dark.1 > 0.8, "{dark:?}");
    assert!(dark.2 < light.2, "{dark:?} {light:?}");
    measure("1", "500,900");
}

/// Black captures the corner stone by B9 if White does not connect; the script plays out variations of this game.
const CORNER: &str = "(;SZ[9]KM[6.5]C[start];B[ba]C[one];W[aa];B[ee];W[gg];B[];W[])";

#[test]
fn browser_plays_out_variations() {
    let Some(browser) = browser() else { return };
    let mut page = page(&Folder::new(), CORNER);
    // a variation with a capture, a recapture at the same point, and a pass, in place of the search's
    let mut data = page_data(&page);
    let found = serde_json::to_string(&data).unwrap();
    data["steps"][3]["candidates"] =
        serde_json::json!([[60.5, -12.3, 1500, [41, 9, 0, -1], [[1, [0]]]], [55.0, 0.0, 20, [44], []]]);
    data["steps"][3]["to_move"] = "w".into();
    let begin = page.find(r#"<script id="data" type="application/json">"#).unwrap() + 42;
    let end = begin + page[begin..].find("</script>").unwrap();
    assert!(found.len() > 100);
    page.replace_range(begin..end, &data.to_string());
    let script = r##"
        const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const svg = document.querySelector("#board svg");
        const stones = () => [...document.querySelectorAll(".go-stones use")].map((use) =>
            `${use.getAttribute("href").slice(4)}${use.getAttribute("x") / 40},${use.getAttribute("y") / 40}`).sort().join(" ");
        const marks = () => [...document.querySelectorAll(".go-marks text")].map((text) => text.textContent).sort().join("");
        const state = () => `${document.body.dataset.move}/${document.body.dataset.depth} ${stones()} ${marks()}`;
        const screen = (column, row) => {
            const matrix = svg.getScreenCTM();
            const { x, y } = new DOMPoint(column * 40, row * 40).matrixTransform(matrix);
            return { clientX: x, clientY: y, bubbles: true, pointerType: "mouse" };
        };
        const states = {};
        document.querySelector("#number").value = 3;
        document.querySelector("#number").dispatchEvent(new Event("input"));
        states.game = state();
        const disks = [...document.querySelectorAll(".go-candidates text")].map((text) => text.textContent).join(" ");
        svg.dispatchEvent(new PointerEvent("pointermove", screen(4, 4)));
        const onStone = document.querySelectorAll(".go-variation text").length;
        svg.dispatchEvent(new PointerEvent("pointermove", screen(8, 4)));
        const preview = document.querySelectorAll(".go-variation text").length;
        svg.dispatchEvent(new PointerEvent("pointerleave"));
        svg.dispatchEvent(new MouseEvent("click", screen(8, 4)));
        states.clicked = state();
        key("Escape");
        const boardTop = svg.getBoundingClientRect().top;
        key("1"); states.first = state();
        const moved = svg.getBoundingClientRect().top - boardTop;
        key("ArrowRight"); states.second = state();
        document.querySelector('button[data-to="1"]').click(); states.third = state();
        key("ArrowRight"); states.fourth = state();
        key("ArrowRight"); states.end = state();
        const bar = document.querySelector("#line").textContent;
        for (let n = 0; n < 3; n++) key("ArrowLeft");
        states.back = state();
        key("ArrowLeft"); states.left = state();
        document.querySelector('[data-line="0"]').click(); states.row = state();
        document.querySelector("[data-back]").click(); states.returned = state();
        svg.dispatchEvent(new WheelEvent("wheel", { deltaY: 60, cancelable: true })); states.wheel = state();
        svg.dispatchEvent(new WheelEvent("wheel", { deltaY: 20, cancelable: true })); states.halfWheel = state();
        const swipe = (from, to) => {
            const at = (x) => [new Touch({ identifier: 1, target: svg, clientX: x, clientY: 100 })];
            svg.dispatchEvent(new TouchEvent("touchstart", { touches: at(from), changedTouches: at(from) }));
            svg.dispatchEvent(new TouchEvent("touchend", { touches: [], changedTouches: at(to) }));
        };
        swipe(200, 100); states.swiped = state();
        swipe(100, 220); states.swipedBack = state();
        const address = location.hash;
        const comments = () => [...document.querySelectorAll(".comment")].filter((comment) => comment.offsetParent)
            .map((comment) => comment.querySelector("p").textContent).join();
        key("Home"); const start = comments();
        key("ArrowRight"); const one = comments();
        key("ArrowRight"); const none = comments();
        return { states, disks, onStone, preview, bar, moved, address, comments: [start, one, none] };
    "##;
    let found = evaluate(browser, &page, script, &["--window-size=1200,900"]);
    let states = &found["states"];
    for (name, expected) in [
        ("game", "3/0 black1,0 black4,4 white0,0 "),
        ("clicked", "3/1 black1,0 black4,4 white0,0 white8,4 1"),
        ("first", "3/1 black1,0 black4,4 white0,0 white5,4 1"),
        ("second", "3/2 black0,1 black1,0 black4,4 white5,4 12"),
        ("third", "3/3 black0,1 black1,0 black4,4 white0,0 white5,4 123"),
        ("fourth", "3/4 black0,1 black1,0 black4,4 white0,0 white5,4 123"),
        ("end", "3/4 black0,1 black1,0 black4,4 white0,0 white5,4 123"),
        ("back", "3/1 black1,0 black4,4 white0,0 white5,4 1"),
        ("left", "3/0 black1,0 black4,4 white0,0 "),
        ("row", "3/1 black1,0 black4,4 white0,0 white5,4 1"),
        ("returned", "3/0 black1,0 black4,4 white0,0 "),
        ("wheel", "4/0 black1,0 black4,4 white0,0 white6,6 "),
        ("halfWheel", "4/0 black1,0 black4,4 white0,0 white6,6 "),
        ("swiped", "5/0 black1,0 black4,4 white0,0 white6,6 "),
        ("swipedBack", "4/0 black1,0 black4,4 white0,0 white6,6 "),
    ] {
        assert_eq!(states[name], expected, "{name}: {found}");
    }
    assert_eq!(found["disks"], "61% W+12 1.5k 55% even 20");
    assert_eq!((&found["onStone"], &found["preview"]), (&Value::from(0), &Value::from(1)), "{found}");
    assert!(found["bar"].as_str().unwrap().contains("Variation 1, 61%, W+12.3: F5 A8 A9 pass"), "{found}");
    assert_eq!(found["moved"], 0, "the variation's text moves nothing");
    assert_eq!(found["address"], "#4");
    assert_eq!(found["comments"], serde_json::json!(["start", "one", ""]));
}

//! The page of `web` in Chromium, where it is installed: games, analysis, study and accessibility by the scripts
//! `tests/clients/web_*.mjs`; and the boards that browsers draw, which look like the engine's pictures.

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position, Stone};
use kifuwarabe_uec14::picture::Picture;
use serde_json::Value;

use crate::browser::{browser, evaluate};
use crate::clients::run_client;
use crate::engine::repository;

fn run(script: &str) {
    if browser().is_some() {
        run_client(script, &["playwright-core", "axe-core", "@sabaki/go-board", "@sabaki/sgf"]);
    }
}

#[test]
fn games_are_played_on_the_page() {
    run("web_play.mjs");
}

#[test]
fn the_page_analyses_and_survives_reloads_and_restarts() {
    run("web_analysis.mjs");
}

#[test]
fn records_are_studied_on_the_page() {
    run("web_study.mjs");
}

#[test]
fn the_page_is_accessible_in_both_languages_on_every_screen() {
    run("web_pages.mjs");
}

#[test]
fn files_of_the_page_are_short() {
    let folder = repository().join("src/web/page");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.push(repository().join("src/picture/board.js"));
    assert!(files.len() > 10);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let columns = text.lines().map(|line| line.chars().count()).max();
        assert!(text.lines().count() <= 500 && columns <= Some(120), "{}: {columns:?} columns", file.display());
    }
}

/// A position with a ren of several stones, an atari and a capture, on a board of a size.
fn position(width: u8, height: u8) -> Position {
    let coordinate = Coordinate::new(width, height).unwrap();
    let mut position = Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black);
    for (color, vertex) in
        [(Color::Black, "B2"), (Color::White, "B3"), (Color::Black, "C2"), (Color::White, "A2"), (Color::White, "B1")]
    {
        // small boards lack some of the points
        if let Ok(point) = coordinate.parse_vertex(vertex) {
            let _ = position.play(color, point);
        }
    }
    position
}

/// Every element of a picture that the engine draws is drawn by the script, with the same attributes and text: on a new
/// board, and on a picture of the engine that the script takes over.
#[test]
fn boards_drawn_in_a_browser_look_like_pictures() {
    let Some(browser) = browser() else { return };
    let script = std::fs::read_to_string(repository().join("src/picture/board.js")).unwrap();
    let mut page = String::from("<!DOCTYPE html><body>");
    let mut boards = Vec::new();
    for (width, height) in [(2, 2), (3, 7), (7, 7), (8, 9), (9, 9), (13, 9), (17, 18), (18, 18), (19, 19), (25, 25)] {
        let position = position(width, height);
        let board = position.board();
        let coordinate = board.coordinate();
        let from_highest_rank: Vec<_> = coordinate.points_from_highest_rank().collect();
        let index = |point| from_highest_rank.iter().position(|&other| other == point).unwrap();
        let mut ownership = vec![0.0; coordinate.memory_area()];
        for (number, point) in from_highest_rank.iter().enumerate() {
            ownership[point.index()] = (number as f32 * 0.7).sin();
        }
        let next = coordinate.points().find(|&point| board.stone(point) == Stone::Space).unwrap();
        let moves = [Move::Play(next)];
        let mut picture = Picture::new(&position);
        picture.ownership = Some(&ownership);
        picture.variation = Some((Color::White, &moves));
        let svg = picture.svg();
        page += &format!("<div class=\"picture\">{svg}</div>");
        boards.push(serde_json::json!({
            "width": width, "height": height,
            "view": {
                "stones": from_highest_rank.iter().map(|&point| board.stone(point).symbol()).collect::<String>(),
                "last": picture.last.map(index),
                "ownership": from_highest_rank.iter().map(|point| ownership[point.index()]).collect::<Vec<f32>>(),
                "variation": { "first": "w", "moves": [index(next)] },
            },
        }));
    }
    page += &format!("<script>{script}</script></body>");
    let test = format!(
        r#"
        const boards = {};
        // numbers as numbers: 0.50 is 0.5
        const elements = (element) => [...element.querySelectorAll("*")]
            .filter((item) => !item.closest("defs, style, title") && item.tagName !== "g" && item.tagName !== "style")
            .map((item) => [item.tagName, item.children.length ? "" : item.textContent, ...[...item.attributes]
                .map(({{ name, value }}) => `${{name}}=${{Number.isNaN(Number(value)) ? value : Number(value)}}`).sort()].join(" "));
        const plain = (element) => elements(element).sort();
        const frame = (svg) => ["viewBox", "width", "height", "class"].map((name) => svg.getAttribute(name)).join(" ");
        return [...document.querySelectorAll(".picture svg")].map((picture, number) => {{
            const {{ width, height, view }} = boards[number];
            const expected = [frame(picture), ...plain(picture)];
            const fresh = document.createElementNS("http://www.w3.org/2000/svg", "svg");
            document.body.append(fresh);
            new GoBoard(fresh, width, height).draw(view);
            const drawn = [frame(fresh), ...plain(fresh)];
            new GoBoard(picture, width, height).draw(view);
            const redrawn = [frame(picture), ...plain(picture)];
            const difference = (found) => {{
                const at = expected.findIndex((line, place) => line !== found[place]);
                return at < 0 && found.length === expected.length ? null : [expected[at], found[at], found.length];
            }};
            return [expected.length, difference(drawn), difference(redrawn)];
        }});
        "#,
        Value::from(boards)
    );
    let found = evaluate(browser, &page, &test, &[]);
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 10);
    for board in found {
        assert!(board[0].as_u64().unwrap() > 20 && board[1].is_null() && board[2].is_null(), "{board}");
    }
}

/// The colours of rens on a page are those of pictures, where rens come in the same order.
#[test]
fn rens_have_the_colours_of_pictures() {
    let Some(browser) = browser() else { return };
    let script = std::fs::read_to_string(repository().join("src/picture/board.js")).unwrap();
    let position = position(9, 9);
    let mut picture = Picture::new(&position);
    picture.shows_rens = true;
    let svg = picture.svg();
    let stones: Vec<_> = svg.matches("class=\"go-link\"").collect();
    assert!(stones.len() >= 4, "{svg}");
    let page = format!("<!DOCTYPE html><body>{svg}<script>{script}</script></body>");
    let test = r#"
        const links = [...document.querySelectorAll(".go-link")];
        const at = (x, y) => Math.round(y / 40) * 9 + Math.round(x / 40);
        // the stones of a ren are the starts of its path's dots
        const rens = links.map((link) => ({ liberties: [], stones: [...link.getAttribute("d").matchAll(/M(\d+) (\d+)h0/g)]
            .map(([, x, y]) => at(x, y)) }));
        return [links.map((link) => link.getAttribute("stroke")), GoBoard.renColors(rens, 9, 9)];
    "#;
    let found = evaluate(browser, &page, test, &[]);
    assert_eq!(found[0], found[1]);
    assert!(found[0].as_array().unwrap().len() >= 4, "{found}");
}

//! Commands that GoGui's Analyze window runs, and their list.
//!
//! Each answers in the form of its GoGui type: `gfx` draws on the board, `dboard` is a number for each point, `pspairs`
//! are points with labels, `var` is a sequence of moves.

use std::fmt::Write;

use crate::NAME;
use crate::gtp::args::Args;
use crate::gtp::board_text::rows_text;
use crate::gtp::commands::cached_search::cached_analysis;
use crate::gtp::commands::game::not_found_ren;
use crate::gtp::commands::query::ren_text;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::benson::benson;
use crate::kernel::liberty::LibertySearch;
use crate::kernel::{Color, Coordinate, IllegalMove, Move, Point, Ren, Stone, get_liberty};
use crate::picture::palette::{GOGUI_COLORS, gogui_colors};
use crate::text::plural::counted;

/// One line `TYPE/LABEL/COMMAND` for each entry of the window; `%p` is a point, `%c` a colour.
const ANALYZE_COMMANDS: &str = "\
gfx/Rens/kifuwarabe-rens
gfx/GetLiberty/kifuwarabe-get_liberty %p
gfx/Legal moves/kifuwarabe-legal_moves %c
gfx/Safe stones (Benson)/kifuwarabe-safe
string/Unconditional status/unconditional_status %p
dboard/Ownership/kifuwarabe-ownership
dboard/Criticality/kifuwarabe-criticality
pspairs/Visits/kifuwarabe-visits
var/Principal variation/kifuwarabe-variation
plist/Dead stones/final_status_list dead
string/Final score/final_score
string/Score in detail/kifuwarabe-score_details
hstring/Ren database/rendb_dump
hstring/Ren database as boards/rendb_board
hstring/Record/record
param/Search parameters/kifuwarabe-search_params
param/Rules/kifuwarabe-rule_params";

/// Colour of legal points.
const LEGAL_COLOR: &str = "#9fd89f";

pub(crate) fn gogui_analyze_commands(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(ANALYZE_COMMANDS))
}

pub(crate) fn gogui_title(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let (coordinate, rule) = (engine.position.board().coordinate(), engine.position.rule());
    let rules = rule.name_or_other();
    Ok(Reply::output(format!("{NAME}: {coordinate}, {rules} rules, komi {}", rule.komi)))
}

/// Each ren in a colour, each stone with the number of liberties of its ren.
pub(crate) fn rens(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let board = engine.position.board();
    let rens = LibertySearch::new(board).find_all();
    let rens: Vec<Ren> = rens.into_iter().filter(|ren| ren.stone != Stone::Space).collect();
    let coordinate = board.coordinate();
    let colors = gogui_colors(coordinate, &rens);
    let mut text = String::new();
    for (number, name) in GOGUI_COLORS.iter().enumerate() {
        let of_color = rens.iter().zip(&colors).filter(|&(_, &color)| color == number);
        let points: Vec<Point> = of_color.flat_map(|(ren, _)| ren.locations.iter().copied()).collect();
        add_line(&mut text, &format!("COLOR {name}"), coordinate, &points);
    }
    let mut labels = String::new();
    for ren in &rens {
        for &point in &ren.locations {
            // writing to a String cannot fail
            let _ = write!(labels, " {} {}", coordinate.vertex(point), ren.liberty_area());
        }
    }
    if !labels.is_empty() {
        let _ = writeln!(text, "LABEL{labels}");
    }
    let count = |color: Color| rens.iter().filter(|ren| ren.stone == color.stone()).count();
    let _ = write!(text, "TEXT rens: Black {}, White {}", count(Color::Black), count(Color::White));
    Ok(Reply::output(text))
}

/// A ren coloured, with circles on its liberties.
pub(crate) fn show_liberty(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let coordinate = board.coordinate();
    let point = args.point(coordinate)?;
    args.end()?;
    let ren = get_liberty(board, point).ok_or_else(|| not_found_ren(coordinate.vertex(point)))?;
    let mut text = String::new();
    add_line(
        &mut text,
        &format!("COLOR {}", GOGUI_COLORS.first().copied().unwrap_or_default()),
        coordinate,
        &ren.locations,
    );
    add_line(&mut text, "CIRCLE", coordinate, &ren.liberties);
    text += &format!("TEXT {}", ren_text(&ren));
    Ok(Reply::output(text))
}

/// Legal points coloured; other empty points labelled with the rule that a move would break.
pub(crate) fn legal_moves(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let board = engine.position.board();
    let coordinate = board.coordinate();
    let (mut legal, mut labels, mut counts) = (Vec::new(), String::new(), Vec::<(IllegalMove, usize)>::new());
    for point in coordinate.points() {
        match engine.position.check(color, point) {
            Ok(()) => legal.push(point),
            Err(IllegalMove::Masonry) => {}
            Err(reason) => {
                let _ = write!(labels, " {} {}", coordinate.vertex(point), label(reason));
                match counts.iter_mut().find(|(counted, _)| *counted == reason) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((reason, 1)),
                }
            }
        }
    }
    let mut text = String::new();
    add_line(&mut text, &format!("COLOR {LEGAL_COLOR}"), coordinate, &legal);
    if !labels.is_empty() {
        let _ = writeln!(text, "LABEL{labels}");
    }
    let _ = write!(text, "TEXT {color}: {} legal", legal.len());
    for (reason, count) in counts {
        let _ = write!(text, ", {count} {}", reason.name());
    }
    Ok(Reply::output(text))
}

/// The rule in at most three letters, which fit on a point.
fn label(reason: IllegalMove) -> &'static str {
    match reason {
        IllegalMove::Masonry => "x",
        IllegalMove::OpponentEye => "eye",
        IllegalMove::MyEye => "own",
        IllegalMove::Suicide => "sui",
        IllegalMove::Ko => "ko",
        IllegalMove::Superko => "sko",
    }
}

/// Unconditionally alive stones and their territory (Benson).
pub(crate) fn safe(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let board = engine.position.board();
    let coordinate = board.coordinate();
    let (mut text, mut summary) = (String::new(), Vec::new());
    for (color, line) in [(Color::Black, "BLACK"), (Color::White, "WHITE")] {
        let safe = benson(board, color);
        let alive: Vec<Point> = safe.alive.iter().collect();
        let territory: Vec<Point> = safe.territory.iter().collect();
        summary.push(format!("{color}: {}, {}", counted(alive.len(), "stone"), counted(territory.len(), "point")));
        add_line(&mut text, "CIRCLE", coordinate, &alive);
        add_line(&mut text, line, coordinate, &territory);
    }
    text += &format!("TEXT {}", summary.join("; "));
    Ok(Reply::output(text))
}

/// Mean owner of each point, at the end of playouts or as the net predicts it: 1 is Black, -1 is White.
pub(crate) fn ownership(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    let ownership = &cached_analysis(engine).ownership;
    Ok(Reply::output(numbers(coordinate, ownership)))
}

/// Criticality of each point: the covariance of owning it and winning, from -1 to 1.
pub(crate) fn criticality(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    let criticality = &cached_analysis(engine).criticality;
    Ok(Reply::output(numbers(coordinate, criticality)))
}

/// Visits of each move that has any.
pub(crate) fn visits(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    let candidates = cached_analysis(engine).with_symmetric_moves();
    let visited = candidates.iter().filter(|candidate| candidate.visits > 0);
    let pairs: Vec<String> = visited
        .filter_map(|candidate| match candidate.play {
            Move::Play(point) => Some(format!("{} {}", coordinate.vertex(point), four_characters(candidate.visits))),
            Move::Pass => None,
        })
        .collect();
    Ok(Reply::output(pairs.join(" ")))
}

/// The principal variation.
pub(crate) fn variation(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    let variation = cached_analysis(engine).best().map(|best| best.variation.as_slice()).unwrap_or_default();
    Ok(Reply::output(Move::vertices(variation, coordinate)))
}

/// A count in at most four characters, which fit on a point.
fn four_characters(count: u32) -> String {
    match count {
        0..=9999 => count.to_string(),
        10_000..=999_999 => format!("{}k", count / 1000),
        _ => format!("{}M", count / 1_000_000),
    }
}

/// A board of numbers, the top row first.
fn numbers(coordinate: Coordinate, cells: &[f32]) -> String {
    let number = |point: Point| format!("{:.2}", cells.get(point.index()).copied().unwrap_or_default() + 0.0);
    let numbers: Vec<String> = coordinate.points_from_highest_rank().map(number).collect();
    rows_text(coordinate, &numbers, " ")
}

/// Adds a line of graphics for these points, unless there are none.
fn add_line(text: &mut String, command: &str, coordinate: Coordinate, points: &[Point]) {
    if !points.is_empty() {
        let _ = writeln!(text, "{command} {}", coordinate.vertices(points));
    }
}

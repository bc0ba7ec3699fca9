//! Commands that set up a position or handicap stones, or remove a ren.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::game::not_found_ren;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::handicap::{expected_fixed, fixed, free, max_fixed};
use crate::kernel::{Board, Color, Coordinate, Point, PointSet, Position, Stone, parse_framed};
use crate::player::PlayerRequest;
use crate::search::Limits;
use crate::search::params::is_small_board;

pub(crate) fn board_set(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let method = args.word("method")?;
    if method != "file" {
        return Err(CommandError::unexpected("method", method, "expected file"));
    }
    let path = args.path()?;
    let refused = |reason: &str| CommandError::unexpected("file", path, reason);
    let text = engine.files.read(path).map_err(|reason| refused(&reason))?;
    let stones =
        parse_framed(engine.position.board().coordinate(), &text).map_err(|error| match error.cell_counts() {
            Some((i, size)) => CommandError::new(error.to_string()).field("i", i).field("size", size),
            None => refused(&error.to_string()),
        })?;
    engine.position.set_up(&stones).map_err(|error| refused(&error.to_string()))?;
    engine.begin_game();
    Ok(Reply::ok())
}

pub(crate) fn set_position(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let stones = read_stones(coordinate, args)?;
    engine.position.set_up(&stones).map_err(|error| CommandError::new(error.to_string()))?;
    engine.begin_game();
    Ok(Reply::ok())
}

/// As [`set_position`], on an empty board only.
pub(crate) fn gogui_setup(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    if board.empty_points().len() < board.coordinate().board_area() {
        return Err(CommandError::new("board not empty"));
    }
    set_position(engine, args)
}

pub(crate) fn gogui_setup_player(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    engine.position.set_to_move(color);
    Ok(Reply::ok())
}

/// The cells of a board with the stones of the remaining arguments, such as `B D4 W Q16`.
fn read_stones(coordinate: Coordinate, args: &mut Args<'_>) -> Result<Vec<Stone>, CommandError> {
    let mut stones = Board::new(coordinate).stones().to_vec();
    while !args.is_empty() {
        let (color, point): (Color, Point) = (args.color()?, args.point(coordinate)?);
        match stones.get_mut(point.index()) {
            Some(cell) if *cell == Stone::Space => *cell = color.stone(),
            _ => return Err(CommandError::new(format!("repeated vertex:{}", coordinate.vertex(point)))),
        }
    }
    Ok(stones)
}

pub(crate) fn remove_ren(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let point = args.point(coordinate)?;
    args.end()?;
    engine.position.remove_ren(point).map_err(|_| not_found_ren(coordinate.vertex(point)))?;
    Ok(Reply::ok())
}

pub(crate) fn fixed_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let max = max_fixed(coordinate);
    let n = handicap_number(args, coordinate, max)?;
    let points = fixed(coordinate, n).ok_or_else(|| invalid_handicap(&n.to_string(), coordinate, max))?;
    place_handicap(engine, coordinate, &points)
}

pub(crate) fn place_free_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let n = handicap_number(args, coordinate, coordinate.board_area() - 1)?;
    // checked before the search, which discards the tree of the game
    engine.position.check_handicap().map_err(|error| CommandError::new(error.to_string()))?;
    let points = searched_handicap(engine, n).unwrap_or_else(|| free(coordinate, n));
    place_handicap(engine, coordinate, &points)
}

/// Playouts for each handicap stone.
const HANDICAP_PLAYOUTS: u64 = 64;

/// Most handicap stones that are placed by searches.
const MAX_SEARCHED_HANDICAP: usize = 25;

/// Handicap points by a search for each stone, White passing in between. `None` without a net, on small boards, where the
/// search uses none, and for more than [`MAX_SEARCHED_HANDICAP`] stones; the points are then chosen by [`free`].
fn searched_handicap(engine: &mut Engine, n: usize) -> Option<Vec<Point>> {
    let coordinate = engine.position.board().coordinate();
    engine.player.net.as_ref().filter(|_| n <= MAX_SEARCHED_HANDICAP && !is_small_board(coordinate))?;
    let mut position = Position::new(coordinate, *engine.position.rule(), engine.position.max_moves(), Color::Black);
    let mut points = Vec::with_capacity(n);
    for _ in 0..n {
        let request = PlayerRequest {
            position: &position,
            color: Color::Black,
            limits: Limits::playouts(HANDICAP_PLAYOUTS),
            restrictions: None,
            detailed_ownership: false,
            stop_signal: &engine.stop_signal,
        };
        let result = engine.player.analyze_with_playout_net(&request);
        let point = result.candidates.iter().find_map(|candidate| candidate.play.point())?;
        position.play(Color::Black, point).ok()?;
        position.pass(Color::White);
        points.push(point);
    }
    Some(points)
}

pub(crate) fn set_free_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let mut seen = PointSet::new();
    let mut points = Vec::new();
    while !args.is_empty() {
        let point = args.point(coordinate)?;
        if !seen.insert(point) {
            return Err(CommandError::new(format!("repeated vertex:{}", coordinate.vertex(point))));
        }
        points.push(point);
    }
    let max = coordinate.board_area() - 1;
    if !(2..=max).contains(&points.len()) {
        return Err(invalid_handicap(&points.len().to_string(), coordinate, max));
    }
    place_handicap(engine, coordinate, &points)?;
    Ok(Reply::ok())
}

/// The number of handicap stones, 2 to `max`.
fn handicap_number(args: &mut Args<'_>, coordinate: Coordinate, max: usize) -> Result<usize, CommandError> {
    let word = args.word("number of stones")?;
    args.end()?;
    let number = word.parse().ok().filter(|number| (2..=max).contains(number));
    number.ok_or_else(|| invalid_handicap(word, coordinate, max))
}

fn invalid_handicap(found: &str, coordinate: Coordinate, max: usize) -> CommandError {
    let expected = match max {
        2.. => format!("expected 2 to {max}"),
        _ => expected_fixed(coordinate),
    };
    CommandError::unexpected("handicap", found, &expected)
}

fn place_handicap(engine: &mut Engine, coordinate: Coordinate, points: &[Point]) -> Result<Reply, CommandError> {
    engine.position.set_handicap(points).map_err(|error| CommandError::new(error.to_string()))?;
    engine.begin_game();
    let text = coordinate.vertices(points);
    Ok(Reply::output(text.as_str()).field("points", text))
}

/// Arguments of `board_set`.
pub(crate) fn board_set_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("file PATH", "a text file, up to the end of the line; a drawing of the present board size, rank 1 at the top"),
        ("x o . +", "in the file: Black, White, empty, frame; all other characters are skipped"),
    ])
}

/// Arguments of `fixed_handicap`.
pub(crate) fn fixed_handicap_help() -> Vec<ArgumentHelp> {
    argument_help([(
        "N",
        "number of stones, 2 to 9; 2 to 4 if a side is even or has 7 points, none if a side has fewer",
    )])
}

/// Arguments of `place_free_handicap`.
pub(crate) fn free_handicap_help() -> Vec<ArgumentHelp> {
    argument_help([("N", "number of stones, from 2 to the number of points less 1; fewer may be placed")])
}

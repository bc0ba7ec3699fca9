//! Commands that give Black handicap stones.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::handicap::{fixed, free, max_fixed};
use crate::kernel::{Color, Coordinate, Point, PointSet, Position};
use crate::player::Query;
use crate::search::{Limits, ProgressSink};

pub(crate) fn fixed_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let most = max_fixed(coordinate);
    let n = number(args, most)?;
    let points = fixed(coordinate, n).ok_or_else(|| invalid(&n.to_string(), most))?;
    place(engine, coordinate, &points)
}

pub(crate) fn place_free_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let n = number(args, coordinate.board_area() - 1)?;
    // before the engine thinks, and forgets what it knows of the game
    engine.position.check_handicap().map_err(|error| CommandError::new(error.to_string()))?;
    let points = searched(engine, n).unwrap_or_else(|| free(coordinate, n));
    place(engine, coordinate, &points)
}

/// Playouts for each handicap stone, and the most stones that are searched for.
const PLAYOUTS: u64 = 64;
const MOST_SEARCHED: usize = 25;

/// Where the engine would play if White passed all the time. `None` where it knows too little: without a net, or for more
/// stones than anybody asks for; the traditional points are better then.
fn searched(engine: &mut Engine, n: usize) -> Option<Vec<Point>> {
    engine.player.net.as_ref().filter(|_| n <= MOST_SEARCHED)?;
    let rule = *engine.position.rule();
    let mut position =
        Position::new(engine.position.board().coordinate(), rule, engine.position.max_moves(), Color::Black);
    let mut points = Vec::with_capacity(n);
    for _ in 0..n {
        let query = Query {
            position: &position,
            color: Color::Black,
            limits: Limits::playouts(PLAYOUTS),
            restrictions: None,
            stop_signal: &engine.stop_signal,
        };
        let result = engine.player.analyze_position(&query, ProgressSink::default());
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
    let most = coordinate.board_area() - 1;
    if !(2..=most).contains(&points.len()) {
        return Err(invalid(&points.len().to_string(), most));
    }
    place(engine, coordinate, &points)?;
    Ok(Reply::ok())
}

fn number(args: &mut Args<'_>, most: usize) -> Result<usize, CommandError> {
    let word = args.word("number of stones")?;
    args.end()?;
    let number = word.parse().ok().filter(|number| (2..=most).contains(number));
    number.ok_or_else(|| invalid(word, most))
}

fn invalid(found: &str, most: usize) -> CommandError {
    let expected = if most < 2 { "no such handicap on this board".to_owned() } else { format!("expected 2 to {most}") };
    CommandError::unexpected("handicap", found, &expected)
}

fn place(engine: &mut Engine, coordinate: Coordinate, points: &[Point]) -> Result<Reply, CommandError> {
    engine.position.set_handicap(points).map_err(|error| CommandError::new(error.to_string()))?;
    let text = coordinate.vertices(points);
    Ok(Reply::output(text.as_str()).field("points", text))
}

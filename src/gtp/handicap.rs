//! Commands that give Black handicap stones.

use crate::kernel::handicap::{fixed, free, most_fixed};
use crate::kernel::{Coordinate, Point, PointSet};

use super::Engine;
use super::args::Args;
use super::response::{CommandError, Reply};

pub(super) fn fixed_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let most = most_fixed(coordinate);
    let n = number(args, most)?;
    let points = fixed(coordinate, n).ok_or_else(|| invalid(&n.to_string(), most))?;
    place(engine, coordinate, &points)
}

pub(super) fn place_free_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let coordinate = engine.position.board().coordinate();
    let n = number(args, coordinate.board_area() - 1)?;
    place(engine, coordinate, &free(coordinate, n))
}

pub(super) fn set_free_handicap(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
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

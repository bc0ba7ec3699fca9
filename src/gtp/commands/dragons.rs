//! Commands about groups, which GNU Go calls dragons: rens of a colour that live or die together.
//!
//! The status is the one from which the final score starts: by the owners of points at the end of playouts, or by a net
//! of KataGo; `alive` and `dead` where these agree, `unknown` where they leave it open. Searches of unsettled groups, a
//! native net's ownership, and rules without agreement on dead stones, which change it in the final score, are left out.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::query::{chosen_stones, read_last_occupied, read_occupied};
use crate::gtp::commands::tactics::block;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Board, Color, Point, PointSet, benson};
use crate::player::{CLEAR_OWNERSHIP, Status, groups, mean_ownership};

/// One line for each group: of a colour, of both, or the one at a point.
pub(crate) fn dragon_stones(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let chosen = chosen_stones(board, args)?;
    let mut all = groups(board);
    all.retain(|group| group.iter().any(|&stone| chosen.contains(stone)));
    let lines: Vec<String> = all.iter().map(|group| board.coordinate().vertices(group)).collect();
    let text = lines.join("\n");
    Ok(Reply::output(text.as_str()).field("groups", text))
}

/// `1` if the stones at two points are of one group.
pub(crate) fn same_dragon(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let board = engine.position.board();
    let points = [read_occupied(board, args)?, read_last_occupied(board, args)?];
    let is_same = groups(board).iter().any(|group| points.iter().all(|point| group.contains(point)));
    Ok(Reply::output(u8::from(is_same).to_string()).field("same", is_same))
}

/// The status of the group at a point, or a line for each group.
pub(crate) fn dragon_status(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let chosen = read_groups(engine, args)?;
    let board = engine.position.board();
    let (status, safe) = (engine.player.status(&engine.position), safe_stones(board));
    let word = |group: &[Point]| word(board, &status, &safe, group);
    let text = match chosen {
        ChosenGroups::One(group) => word(&group).to_owned(),
        ChosenGroups::All(groups) => {
            let lines = groups.iter().map(|group| format!("{}: {}", origin(board, group), word(group)));
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    Ok(Reply::output(text.as_str()).field("status", text))
}

/// Prints the data of the group at a point, or of every group: a block of lines each.
pub(crate) fn dragon_data(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let chosen = match read_groups(engine, args)? {
        ChosenGroups::One(group) => vec![group],
        ChosenGroups::All(groups) => groups,
    };
    let board = engine.position.board();
    let (status, safe) = (engine.player.status(&engine.position), safe_stones(board));
    let all = groups(board);
    let is_beside = |group: &[Point], other: &[Point]| {
        let mut around = group.iter().flat_map(|&point| board.coordinate().neighbors(point));
        around.any(|point| other.contains(&point))
    };
    let blocks = chosen.iter().map(|group| {
        let neighbors = all.iter().filter(|other| *other != group && is_beside(group, other));
        let neighbors: Vec<String> = neighbors.map(|other| origin(board, other)).collect();
        let stones = group.iter().copied().collect();
        let rens = board.rens_among(&stones);
        let rens: Vec<String> = rens.iter().map(|ren| origin(board, ren)).collect();
        let fields = [
            ("color", color_of(board, group).map(|color| color.to_string()).unwrap_or_default()),
            ("origin", origin(board, group)),
            ("size", group.len().to_string()),
            ("ownership", format!("{:.2}", ownership(board, &status, group) + 0.0)),
            ("status", word(board, &status, &safe, group).to_owned()),
            ("neighbors", neighbors.join(" ")),
            ("hostile_neighbors", neighbors.len().to_string()),
            ("strings", rens.join(" ")),
        ];
        block(&origin(board, group), &fields, 23)
    });
    Ok(Reply::output(blocks.collect::<Vec<_>>().join("\n")))
}

/// The groups that a command is about.
enum ChosenGroups {
    /// The one at a point.
    One(Vec<Point>),
    All(Vec<Vec<Point>>),
}

/// The group at the point that the arguments name, or all groups.
fn read_groups(engine: &Engine, args: &mut Args<'_>) -> Result<ChosenGroups, CommandError> {
    let board = engine.position.board();
    if args.is_empty() {
        return Ok(ChosenGroups::All(groups(board)));
    }
    let point = read_last_occupied(board, args)?;
    let group = groups(board).into_iter().find(|group| group.contains(&point));
    Ok(ChosenGroups::One(group.unwrap_or_default()))
}

/// The unconditionally alive stones of each colour.
fn safe_stones(board: &Board) -> [PointSet; 2] {
    Color::BOTH.map(|color| benson(board, color).alive)
}

/// The status of a group in GNU Go's words. A group in seki is alive.
fn word(board: &Board, status: &Status, safe: &[PointSet; 2], group: &[Point]) -> &'static str {
    let is_in = |of: &PointSet| group.iter().any(|&point| of.contains(point));
    if safe.iter().any(is_in) || is_in(&status.seki) {
        return "alive";
    }
    match (ownership(board, status, group), is_in(&status.dead)) {
        (mean, false) if mean >= CLEAR_OWNERSHIP => "alive",
        (mean, true) if mean <= -CLEAR_OWNERSHIP => "dead",
        _ => "unknown",
    }
}

/// The mean ownership of a group: 1 if its points are always its own colour's at the end, -1 if never.
fn ownership(board: &Board, status: &Status, group: &[Point]) -> f32 {
    mean_ownership(board, &status.ownership, group).unwrap_or_default()
}

fn color_of(board: &Board, group: &[Point]) -> Option<Color> {
    group.first().and_then(|&point| board.stone(point).color())
}

/// The name of a group or ren: its first point.
fn origin(board: &Board, group: &[Point]) -> String {
    group.first().map(|&point| board.coordinate().vertex(point)).unwrap_or_default()
}

/// Arguments of `dragon_stones`.
pub(crate) fn stones_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("VERTEX", "the group at this point"),
        ("COLOR", "the groups of a colour"),
        ("no argument", "all groups"),
    ])
}

/// Answers of `dragon_status`.
pub(crate) fn status_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("[VERTEX]", "a stone of the group; without it, a line for each group, with its first point"),
        (
            "= alive",
            "its owner holds it in three quarters of the playouts (with a net of KataGo: ownership 0.5 or more), or it is in seki",
        ),
        ("= dead", "the opponent holds its points, by the same measure"),
        ("= unknown", "neither"),
    ])
}

/// Arguments of `dragon_data`.
pub(crate) fn data_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("[VERTEX]", "a stone of the group; without it, all groups"),
        ("ownership", "mean owner of its points at the end: 1 always its own colour, -1 never"),
    ])
}

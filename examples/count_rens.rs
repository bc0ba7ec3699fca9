//! Reads a game record, replays it, and prints the rens (strings) of the last position by colour and liberties.
//!
//! `cargo run --release --example count_rens -- GAME.sgf`
//!
//! A ren (連) is a maximal connected group of points of one colour. `find_all` also yields the empty regions, which have
//! no liberties and are left out here.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use kifuwarabe_uec14::kernel::{Color, GameRule, LibertySearch, Position};
use kifuwarabe_uec14::sgf;

const USAGE: &str = "usage: count_rens GAME.sgf";

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().filter(|_| arguments.len() == 0).context(USAGE)?;
    let path = Path::new(&path);
    let position = replay(path).with_context(|| path.display().to_string())?;
    println!("{}: {} moves", path.display(), position.record().items().len());
    let rens = LibertySearch::new(position.board()).find_all();
    for color in Color::BOTH {
        let mut stones = 0;
        let mut by_liberties: BTreeMap<usize, usize> = BTreeMap::new();
        for ren in rens.iter().filter(|ren| ren.stone == color.stone()) {
            stones += ren.area();
            *by_liberties.entry(ren.liberty_area()).or_default() += 1;
        }
        println!("{color}: {stones} stones in {} rens", by_liberties.values().sum::<usize>());
        for (liberties, rens) in by_liberties {
            println!("  {liberties} liberties: {rens}");
        }
    }
    Ok(())
}

/// The position after the last move of the record's main line.
fn replay(path: &Path) -> anyhow::Result<Position> {
    let game = sgf::read(&std::fs::read(path)?)?;
    // rules and first player where the record does not name them; 722 only sets the digits of ren names
    let defaults = Position::new(game.coordinate, GameRule::with_komi(6.5), 722, Color::Black);
    Ok(sgf::position_of(&game, &defaults, None)?)
}

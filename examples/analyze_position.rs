//! Searches a position with a number of simulations and prints the best candidates.
//!
//! `cargo run --release --example analyze_position -- "B E5 W C3" [SIMULATIONS [SIZE]]`, 1000 and 9 by default.
//!
//! The search has the built-in net, one thread and a fixed seed, so a machine prints the same table every time. Win
//! probability (0 to 100%) and lead (points, komi counted) are from the view of the side to move.

use anyhow::{Context, bail, ensure};

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::search::params::Params;
use kifuwarabe_uec14::search::{Limits, SearchRequest, Searcher, StopSignal};

const USAGE: &str = "usage: analyze_position \"B E5 W C3\" [SIMULATIONS [SIZE]]";

fn main() -> anyhow::Result<()> {
    let (position, simulations) = arguments().context(USAGE)?;
    let coordinate = position.board().coordinate();
    let net = Net::built_in()?;
    // 64 MiB for the tree and the evaluation cache, RNG seed 1
    let found = Searcher::new(64 << 20, 1).search(&SearchRequest {
        net: Some(&net),
        ..SearchRequest::new(
            &position,
            position.to_move(),
            Limits::playouts(simulations),
            &Params::default(),
            &StopSignal::default(),
        )
    });
    // leads are Black's
    let sign = if position.to_move() == Color::Black { 1.0 } else { -1.0 };
    println!("{} to move, {} simulations", position.to_move(), found.playouts);
    println!("move  visits     win    lead  variation");
    for candidate in found.candidates.iter().filter(|candidate| candidate.visits > 0).take(5) {
        let name = candidate.play.vertex(coordinate);
        let win = 100.0 * candidate.win_probability;
        let lead = candidate.lead.map_or("-".to_owned(), |lead| format!("{:+.1}", sign * lead.mean));
        let variation: Vec<String> = candidate.variation.iter().map(|play| play.vertex(coordinate)).collect();
        println!("{name:<5} {:>6}  {win:>5.1}%  {lead:>6}  {}", candidate.visits, variation.join(" "));
    }
    Ok(())
}

/// The position after the moves, and the number of simulations.
fn arguments() -> anyhow::Result<(Position, u64)> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (moves, simulations, size) = match arguments.as_slice() {
        [moves] => (moves, "1000", "9"),
        [moves, simulations] => (moves, simulations.as_str(), "9"),
        [moves, simulations, size] => (moves, simulations.as_str(), size.as_str()),
        _ => bail!("{} arguments, expected 1 to 3", arguments.len()),
    };
    let simulations: u64 = simulations.parse().with_context(|| format!("SIMULATIONS {simulations:?}"))?;
    ensure!(simulations > 0, "SIMULATIONS 0, expected 1 or more");
    let size: u8 = size.parse().with_context(|| format!("SIZE {size:?}"))?;
    let coordinate = Coordinate::square(size).filter(|_| size >= 2).context("SIZE, expected 2 to 25")?;
    let mut position = Position::new(coordinate, GameRule::with_komi(7.5), 722, Color::Black);
    let tokens: Vec<&str> = moves.split_whitespace().collect();
    for pair in tokens.chunks(2) {
        let &[color, vertex] = pair else { bail!("{pair:?}: a colour without a vertex") };
        let color = Color::parse(color).with_context(|| format!("{color:?} is not a colour"))?;
        let play = Move::parse(vertex, coordinate).with_context(|| format!("vertex {vertex:?}"))?;
        position.make_move(color, play).with_context(|| format!("{color} {vertex} is illegal"))?;
    }
    Ok((position, simulations))
}

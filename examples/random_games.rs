//! Plays random games from the empty board and prints their mean length and how many Black wins.
//!
//! `cargo run --release --example random_games -- [SIZE [GAMES [SEED]]]`, 9, 1000 and 1 by default.
//!
//! A light playout plays uniformly random legal moves that do not fill an own eye, until both players pass. A finished
//! board is counted by area, stones and eyes; komi is 7.5. The same seed plays the same games.

use anyhow::{Context, bail, ensure};
use fastrand::Rng;

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, MAX_SIDE};
use kifuwarabe_uec14::playout::light::{margin, play_out};

const USAGE: &str = "usage: random_games [SIZE [GAMES [SEED]]]";

/// Points added to White's score.
const KOMI: f32 = 7.5;

fn main() -> anyhow::Result<()> {
    let (size, games, seed) = arguments().context(USAGE)?;
    let coordinate = Coordinate::square(size).context("no board of this size")?;
    let empty = Board::new(coordinate);
    let mut rng = Rng::with_seed(seed);
    let (mut moves, mut black_wins) = (0, 0);
    // one board for all games: `clone_from` copies into the memory it has
    let mut board = empty.clone();
    for _ in 0..games {
        board.clone_from(&empty);
        moves += play_out(&mut board, Color::Black, &mut rng);
        black_wins += u32::from(margin(&board) as f32 > KOMI);
    }
    println!("{games} games on {size}x{size}, komi {KOMI}, seed {seed}");
    println!("mean length {:.1} moves", moves as f64 / f64::from(games));
    println!("Black wins {black_wins}, {:.1}%", 100.0 * f64::from(black_wins) / f64::from(games));
    Ok(())
}

/// The board's side, the number of games, and the RNG seed.
fn arguments() -> anyhow::Result<(u8, u32, u64)> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.len() > 3 {
        bail!("{} arguments, expected at most 3", arguments.len());
    }
    let size = number(&arguments, 0, "SIZE", 9)?;
    ensure!((2..=MAX_SIDE).contains(&size), "SIZE {size}, expected 2 to {MAX_SIDE}");
    let games = number(&arguments, 1, "GAMES", 1000)?;
    ensure!(games > 0, "GAMES 0, expected 1 or more");
    Ok((size, games, number(&arguments, 2, "SEED", 1)?))
}

/// The argument at `index` as a number, or the default.
fn number<T: std::str::FromStr>(arguments: &[String], index: usize, name: &str, default: T) -> anyhow::Result<T> {
    let Some(text) = arguments.get(index) else { return Ok(default) };
    text.parse().ok().with_context(|| format!("{name} {text:?} is not a number in range"))
}

//! Games that another program plays on, move by move: it evaluates the positions and chooses the moves.

use std::io::{self, Read};

use anyhow::{Context, bail};
use fastrand::Rng;

use crate::kernel::Move;
use crate::tools::labels::positions::{Label, Labeler, Sample, Source};
use crate::tools::labels::shard::{Shard, ShardMetadata, print};

/// The policy index that asks for a new position.
const NEW_POSITION: u16 = u16::MAX;

/// Games from which a start is looked for. Not every game can be replayed.
const MAX_TRIES: usize = 1000;

/// Writes a shard with a position of each walk to standard output and reads their moves from standard input, until it
/// ends.
///
/// # Errors
/// If the streams fail, or no game of the records can be replayed.
pub(super) fn follow(
    labeler: &Labeler<'_>,
    games: &[Source],
    count: usize,
    about: &ShardMetadata,
    seed: u64,
) -> anyhow::Result<()> {
    let mut rng = Rng::with_seed(seed);
    let moves: Vec<Move> = Move::all(about.coordinate).collect();
    let mut indices = vec![0; 2 * count];
    let mut samples: Vec<Sample> =
        (0..count).map(|_| start(labeler, games, &mut rng)).collect::<anyhow::Result<_>>()?;
    loop {
        let labels = labeler.evaluate(samples);
        let mut shard = Shard::new(about.coordinate);
        labels.iter().for_each(|label| shard.push(label));
        print(&shard.to_bytes(about)?).context("standard output")?;
        match io::stdin().lock().read_exact(&mut indices) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error).context("standard input"),
        }
        let indices = indices.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
        let next = |(label, index): (&Label, u16)| match next_sample(&label.sample, index, &moves)? {
            Some(sample) => Ok(sample),
            None => start(labeler, games, &mut rng),
        };
        samples = labels.iter().zip(indices).map(next).collect::<anyhow::Result<_>>()?;
    }
}

/// The position after the move with a policy index; `None` if another position is asked for, or the game is over.
///
/// # Errors
/// If the index is not that of a legal move.
fn next_sample(sample: &Sample, index: u16, moves: &[Move]) -> anyhow::Result<Option<Sample>> {
    match moves.get(usize::from(index)) {
        Some(&play) if play.point().is_none_or(|point| sample.history().is_legal(point)) => Ok(sample.after(play)),
        None if index == NEW_POSITION => Ok(None),
        _ => bail!("standard input: policy index {index}: expected the index of a legal move, or {NEW_POSITION}"),
    }
}

/// A random position of a random game.
///
/// # Errors
/// If no game can be replayed.
fn start(labeler: &Labeler<'_>, games: &[Source], rng: &mut Rng) -> anyhow::Result<Sample> {
    for _ in 0..MAX_TRIES {
        let found = rng.choice(games).map(|game| labeler.samples(game, rng)).unwrap_or_default();
        if let Some((sample, _)) = found.into_iter().next() {
            return Ok(sample);
        }
    }
    bail!("no game of the records can be replayed")
}

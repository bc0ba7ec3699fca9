//! `eval`: the net without search, on one position or on the games held out of its training.

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use flate2::read::GzDecoder;
use md5::{Digest, Md5};
use serde_json::{Map, Value};

use crate::config::option_values::finite;
use crate::io::files;
use crate::kernel::{Board, Color, Coordinate, Move, Point, Position, Stone};
use crate::net::small::features::Features;
use crate::net::small::{Evaluation, Scratch, SmallNet};
use crate::net::{Net, Symmetry};

/// Moves in the text output.
const LISTED: usize = 10;

/// Positions per batch of the net.
const BATCH: usize = 8;

/// Positions taken from each held-out game.
const PER_GAME: usize = 3;

/// Komi of a record without a plausible one, in points.
const DEFAULT_KOMI: f64 = 6.5;

/// Shorter games are skipped.
const MIN_MOVES: usize = 10;

/// Options of `eval`.
#[derive(Debug, Clone, PartialEq, Default, clap::Args)]
pub struct EvalArgs {
    /// Moves that lead to the position, as in "B Q16 W D4"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    pub moves: String,

    /// Player to move [default: the opponent of the last move's player]
    #[arg(long, value_name = "COLOR")]
    pub color: Option<String>,

    /// Size of an empty board, 2 to 25 [default: Game.BoardSize with Game.BoardData]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=25))]
    pub size: Option<u8>,

    /// Points added to White's score [default: Game.Komi]
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = finite)]
    pub komi: Option<f64>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,

    /// Measure the net on the games of these record tables that were held out of training
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["moves", "color", "komi", "json"])]
    pub records: Vec<PathBuf>,
}

/// Runs `eval` and returns the text to print. `progress` receives the name of each table as it is read.
///
/// # Errors
/// The first move or file that is wrong.
pub fn run(eval: &EvalArgs, net: &Net, start: &Position, progress: impl FnMut(&str)) -> anyhow::Result<String> {
    let net = net.small().context("eval: expected a net of this project's own format")?;
    if !eval.records.is_empty() {
        return held_out(eval, net, start.board().coordinate(), progress);
    }
    let mut position = start.clone();
    if let Some(komi) = eval.komi {
        position.rule_mut().komi = komi;
    }
    make_moves(&mut position, &eval.moves)?;
    let color = match eval.color.as_deref() {
        None => position.to_move(),
        Some(word) => Color::parse(word).with_context(|| format!("--color {word}, expected black or white"))?,
    };
    let moves = position.record().latest();
    let features = Features::new(position.board(), color, moves, position.rule().komi);
    let evaluation = net.evaluate(&[(&features, Symmetry::default())], &mut Scratch::default());
    let Some(evaluation) = evaluation.first() else { bail!("the net gave no evaluation") };
    let policy = policy_by_move(evaluation, &features, position.board().coordinate());
    Ok(if eval.json { json(&policy, evaluation.win())? } else { text(policy, evaluation.win(), color) })
}

/// Plays the moves of a text such as `B Q16 W D4`.
fn make_moves(position: &mut Position, text: &str) -> anyhow::Result<()> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let coordinate = position.board().coordinate();
    for pair in words.chunks(2) {
        let &[color, vertex] = pair else { bail!("--moves: {} has no vertex after it", pair.concat()) };
        let name = || format!("--moves: {color} {vertex}");
        let color = Color::parse(color).with_context(|| format!("{}: expected black or white", name()))?;
        if vertex.eq_ignore_ascii_case("pass") {
            position.pass(color);
            continue;
        }
        let point = coordinate.parse_vertex(vertex).with_context(name)?;
        position.play(color, point).with_context(name)?;
    }
    Ok(())
}

/// Each move with its name and probability.
fn policy_by_move(evaluation: &Evaluation, features: &Features, coordinate: Coordinate) -> Vec<(Move, String, f32)> {
    let plays = (0..features.points().len()).map(|place| features.point(place).map_or(Move::Pass, Move::Play));
    let plays = plays.chain([Move::Pass]);
    plays
        .zip(evaluation.probabilities())
        .map(|(play, probability)| (play, play.vertex(coordinate), probability))
        .collect()
}

fn json(policy: &[(Move, String, f32)], win: f32) -> anyhow::Result<String> {
    let policy: Map<String, Value> =
        policy.iter().map(|(_, vertex, probability)| (vertex.clone(), Value::from(*probability))).collect();
    Ok(serde_json::to_string(&serde_json::json!({ "policy": policy, "win": win }))? + "\n")
}

fn text(mut policy: Vec<(Move, String, f32)>, win: f32, color: Color) -> String {
    policy.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut text = format!("{color} to move wins with {:.1}%\n", 100.0 * win);
    for (_, vertex, probability) in policy.iter().take(LISTED) {
        let _ = writeln!(text, "{vertex:<4} {:5.1}%", 100.0 * probability);
    }
    text
}

/// A game of a record table.
struct TableGame {
    komi: f64,
    winner: Option<Color>,
    setup: Vec<(Color, Option<Point>)>,
    moves: Vec<(Color, Option<Point>)>,
    digest: [u8; 16],
}

/// Agreement of the net with held-out games.
#[derive(Default)]
struct Agreement {
    positions: usize,
    /// Positions whose move is the net's first choice.
    top1: usize,
    /// Positions whose move is among the net's first five.
    top5: usize,
    /// Positions of games with a winner.
    decided: usize,
    /// Those whose winner the net names.
    winner_right: usize,
}

/// A position to evaluate.
struct Sample {
    features: Features,
    /// Policy index of the move played.
    played: usize,
    /// Whether the player to move won the game, if it has a winner.
    won: Option<bool>,
}

fn held_out(
    eval: &EvalArgs,
    net: &SmallNet,
    coordinate: Coordinate,
    mut progress: impl FnMut(&str),
) -> anyhow::Result<String> {
    let mut games = 0;
    let mut agreement = Agreement::default();
    let mut scratch = Scratch::default();
    let mut samples = Vec::new();
    for path in &eval.records {
        let table = read_table(path).with_context(|| format!("--records {}", path.display()))?;
        progress(&path.display().to_string());
        for line in table.lines() {
            let Some(game) = read_game(line, path, coordinate) else { continue };
            games += 1;
            for choice in game.digest.get(1..).unwrap_or_default().chunks_exact(4).take(PER_GAME) {
                let number = choice.iter().rev().fold(0, |sum: usize, &byte| sum << 8 | usize::from(byte));
                samples.extend(sample(&game, coordinate, number % game.moves.len()));
            }
            while samples.len() >= BATCH {
                let now: Vec<Sample> = samples.drain(..BATCH).collect();
                agreement.count(net, &now, &mut scratch);
            }
        }
    }
    agreement.count(net, &samples, &mut scratch);
    if agreement.positions == 0 {
        bail!("--records: no held-out games on {0}x{0}", coordinate.width());
    }
    Ok(agreement.text(games, coordinate))
}

/// The text of a table, gzipped or not.
fn read_table(path: &Path) -> anyhow::Result<String> {
    let bytes = files::read(path).map_err(anyhow::Error::msg)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut text = Vec::new();
    GzDecoder::new(bytes.as_slice()).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The game of a line, if it was held out of training. Held out is one game in ten: those whose MD5 digest (of size,
/// set-up and moves as they stand) starts with a byte divisible by ten.
fn read_game(line: &str, path: &Path, coordinate: Coordinate) -> Option<TableGame> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[_, size, komi, _, result, _, _, black, white, _, _, _, _, setup, moves] = fields.get(..15)? else {
        return None;
    };
    if size != coordinate.width().to_string() {
        return None;
    }
    // of this collection, training used games of dan players and professionals only
    let is_mixed = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ogs9"));
    let is_strong = |rank: &str| rank.contains(['d', 'p']);
    if is_mixed && !(is_strong(black) && is_strong(white)) {
        return None;
    }
    let digest: [u8; 16] = Md5::digest(format!("{size}{setup}{moves}").as_bytes()).into();
    if digest.first()? % 10 != 0 {
        return None;
    }
    let winner = result.split_once('+').and_then(|(winner, _)| Color::parse(winner));
    let komi = komi.parse().ok().filter(|komi: &f64| komi.abs() <= 15.0).unwrap_or(DEFAULT_KOMI);
    let moves = read_moves(moves, coordinate)?;
    let game = TableGame { komi, winner, setup: read_moves(setup, coordinate)?, moves, digest };
    (game.moves.len() >= MIN_MOVES).then_some(game)
}

/// Parses moves such as `Bpd`: colour, column, row from the top; `..` is a pass.
fn read_moves(text: &str, coordinate: Coordinate) -> Option<Vec<(Color, Option<Point>)>> {
    let read = |letters: &[u8]| {
        let &[color, x, y] = letters else { return None };
        let color = if color == b'B' { Color::Black } else { Color::White };
        if x == b'.' {
            return Some((color, None));
        }
        let (x, row) = (x.checked_sub(b'a')?.checked_add(1)?, y.checked_sub(b'a')?);
        Some((color, Some(coordinate.point(x, coordinate.height().checked_sub(row)?)?)))
    };
    text.as_bytes().chunks(3).map(read).collect()
}

/// The position of a game before move `ply`; `None` if the game cannot be played that far.
fn sample(game: &TableGame, coordinate: Coordinate, ply: usize) -> Option<Sample> {
    let mut stones: Vec<Stone> = Board::new(coordinate).stones().to_vec();
    for (color, point) in &game.setup {
        *stones.get_mut((*point)?.index())? = color.stone();
    }
    let mut board = Board::from_stones(coordinate, &stones).ok()?;
    let (before, rest) = game.moves.split_at_checked(ply)?;
    for &(color, point) in before {
        match point {
            Some(point) => {
                board.play(color, point, &mut ()).ok()?;
            }
            None => board.pass(),
        }
    }
    let &(color, played) = rest.first()?;
    let features = Features::new(&board, color, before.iter().rev().map(|&(_, point)| point), game.komi);
    let played = match played {
        Some(point) => features.index(point)?,
        None => features.points().len(),
    };
    Some(Sample { features, played, won: game.winner.map(|winner| winner == color) })
}

impl Agreement {
    fn count(&mut self, net: &SmallNet, samples: &[Sample], scratch: &mut Scratch) {
        let batch: Vec<_> = samples.iter().map(|sample| (&sample.features, Symmetry::default())).collect();
        for (sample, evaluation) in samples.iter().zip(net.evaluate(&batch, scratch)) {
            let Some(&chosen) = evaluation.policy.get(sample.played) else { continue };
            let preferred = evaluation.policy.iter().filter(|&&logit| logit > chosen).count();
            self.positions += 1;
            self.top1 += usize::from(preferred == 0);
            self.top5 += usize::from(preferred < 5);
            if let Some(won) = sample.won {
                self.decided += 1;
                self.winner_right += usize::from((evaluation.value > 0.0) == won);
            }
        }
    }

    fn text(&self, games: usize, coordinate: Coordinate) -> String {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{0}x{0}: {1} positions of {games} games: top-1 {2:.2}%, top-5 {3:.2}%, winner {4:.2}%\n",
            coordinate.width(),
            self.positions,
            share(self.top1, self.positions),
            share(self.top5, self.positions),
            share(self.winner_right, self.decided),
        )
    }
}

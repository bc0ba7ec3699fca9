//! `eval`: the net without search, on one position or on the games held out of its training.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use serde_json::{Map, Value};

use crate::config::option_values::{board_size, komi};
use crate::io::files;
use crate::kernel::{Color, Coordinate, GameRule, Move, Position, Symmetry};
use crate::net::evaluate::{Scratch, batch_size};
use crate::net::history::FeatureOptions;
use crate::net::{Net, Output};
use crate::text::plural::counted;
use crate::tools::tables::{self, TableGame};

/// Moves in the text output.
const LISTED: usize = 10;

/// Positions taken from each held-out game.
const PER_GAME: usize = 3;

/// Options of `eval`.
#[derive(Debug, Clone, PartialEq, Default, clap::Args)]
pub struct EvalArgs {
    /// Moves that lead to the position, as in "B Q16 W D4"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    pub moves: String,

    /// Player to move [default: the opponent of the last move's player]
    #[arg(long, value_name = "COLOR")]
    pub color: Option<String>,

    /// Size of an empty board, such as 13, or 9x13 for width and height [default: Game.BoardSize with Game.BoardData]
    #[arg(long, value_name = "SIZE", value_parser = board_size)]
    pub size: Option<Coordinate>,

    /// Points added to White's score [default: Game.Komi]
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = komi)]
    pub komi: Option<f64>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,

    /// Measure the net on the games of these record tables that were held out of training; of tables whose name begins
    /// with ogs9, only games of dan players and professionals
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["moves", "color", "komi", "json"])]
    pub records: Vec<PathBuf>,
}

/// Runs `eval` and returns the text to print. `progress` receives the name of each table as it is read.
///
/// # Errors
/// The first move or file that is wrong.
pub fn run(eval: &EvalArgs, net: &Net, start: &Position, progress: impl FnMut(&str)) -> anyhow::Result<String> {
    if !eval.records.is_empty() {
        return held_out(eval, net, start, progress);
    }
    let mut position = start.clone();
    if let Some(komi) = eval.komi {
        position.rule_mut().komi = komi;
    }
    make_moves(&mut position, &eval.moves)?;
    let color = match eval.color.as_deref() {
        None => position.to_move(),
        Some(word) => Color::parse(word).with_context(|| format!("--color {word}: expected black or white"))?,
    };
    let evaluations = evaluate(net, &[(position.clone(), color)], &mut Scratch::default());
    let Some(evaluation) = evaluations.first() else { bail!("the net gave no evaluation") };
    let policy = policy_by_move(evaluation, position.board().coordinate());
    Ok(if eval.json { json(&policy, evaluation)? } else { text(policy, evaluation, color) })
}

/// The outputs of a net for a position, from the perspective of the side to move.
struct Evaluation {
    /// A probability for each move, from the highest rank down, then the pass.
    policy: Vec<f32>,
    /// Probability of a win; no result counts as half of one.
    win: f32,
    /// Lead in points; `None` where the net has none.
    lead: Option<f32>,
}

/// Evaluates positions, each with a player to move, in one batch.
fn evaluate(net: &Net, positions: &[(Position, Color)], scratch: &mut Scratch) -> Vec<Evaluation> {
    let input =
        |(position, color): &(Position, Color)| net.input(&net.history(position, *color), &FeatureOptions::default());
    let inputs: Vec<_> = positions.iter().map(input).collect();
    let batch: Vec<_> = inputs.iter().map(|input| (input, Symmetry::default())).collect();
    let has_score = positions.first().is_some_and(|(position, _)| net.has_score(position.board().coordinate()));
    let evaluation = |output: Output| Evaluation {
        policy: output.policy,
        win: output.win + 0.5 * output.no_result,
        lead: has_score.then_some(output.lead),
    };
    net.evaluate(&batch, 0.0, scratch).into_iter().map(evaluation).collect()
}

/// Plays the moves of a text such as `B Q16 W D4`.
fn make_moves(position: &mut Position, text: &str) -> anyhow::Result<()> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let coordinate = position.board().coordinate();
    for pair in words.chunks(2) {
        let &[color, vertex] = pair else { bail!("--moves: {} has no vertex after it", pair.concat()) };
        let name = || format!("--moves: {color} {vertex}");
        let color = Color::parse(color).with_context(|| format!("{}: expected black or white", name()))?;
        let expected = || format!("{}: expected {} or pass", name(), coordinate.expected_vertex(vertex));
        let play = Move::parse(vertex, coordinate).map_err(|_| anyhow!(expected()))?;
        position.make_move(color, play).map_err(|reason| anyhow!("{}: {}", name(), reason.described()))?;
    }
    Ok(())
}

/// Each move with its name and probability.
fn policy_by_move(evaluation: &Evaluation, coordinate: Coordinate) -> Vec<(String, f32)> {
    Move::all(coordinate)
        .zip(&evaluation.policy)
        .map(|(play, &probability)| (play.vertex(coordinate), probability))
        .collect()
}

fn json(policy: &[(String, f32)], evaluation: &Evaluation) -> anyhow::Result<String> {
    let policy: Map<String, Value> = policy.iter().map(|(vertex, part)| (vertex.clone(), Value::from(*part))).collect();
    let mut object = serde_json::json!({ "policy": policy, "win": evaluation.win });
    if let (Some(lead), Some(object)) = (evaluation.lead, object.as_object_mut()) {
        object.insert("lead".to_owned(), Value::from(lead));
    }
    Ok(serde_json::to_string(&object)? + "\n")
}

fn text(mut policy: Vec<(String, f32)>, evaluation: &Evaluation, color: Color) -> String {
    policy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let lead = evaluation.lead.map(|lead| format!(" and a lead of {lead:.1} points")).unwrap_or_default();
    let mut text = format!("{color} to move wins with {:.1}%{lead}\n", 100.0 * evaluation.win);
    for (vertex, probability) in policy.iter().take(LISTED) {
        let _ = writeln!(text, "{vertex:<4} {:5.1}%", 100.0 * probability);
    }
    text
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
    position: Position,
    /// The side to move.
    color: Color,
    /// Policy index of the move played.
    played: usize,
    /// Whether the player to move won the game, if it has a winner.
    won: Option<bool>,
}

fn held_out(eval: &EvalArgs, net: &Net, start: &Position, mut progress: impl FnMut(&str)) -> anyhow::Result<String> {
    let coordinate = start.board().coordinate();
    let batch = batch_size(coordinate.board_area());
    let mut games = 0;
    let mut agreement = Agreement::default();
    let mut scratch = Scratch::default();
    let mut samples = Vec::new();
    for path in &eval.records {
        let table = tables::read(path).with_context(|| format!("--records {}", path.display()))?;
        progress(&path.display().to_string());
        for (_, game) in tables::games(&table, path, coordinate).filter(|(_, game)| game.is_held_out()) {
            games += 1;
            for choice in game.digest.get(1..).unwrap_or_default().chunks_exact(4).take(PER_GAME) {
                let number = choice.iter().rev().fold(0, |sum: usize, &byte| sum << 8 | usize::from(byte));
                samples.extend(sample(&game, coordinate, *start.rule(), number % game.moves.len()));
            }
            while samples.len() >= batch {
                agreement.count(net, &mut scratch, samples.drain(..batch).collect());
            }
        }
    }
    agreement.count(net, &mut scratch, samples);
    if agreement.positions == 0 {
        bail!(
            "--records {}: no record table or self-play file with held-out games on {coordinate}",
            files::join_paths(&eval.records)
        );
    }
    Ok(agreement.text(games, coordinate))
}

/// The position of a game before move `ply`; `None` if the game cannot be played that far.
fn sample(game: &TableGame, coordinate: Coordinate, rule: GameRule, ply: usize) -> Option<Sample> {
    let mut position = game.start(coordinate, rule)?;
    let (before, rest) = game.moves.split_at_checked(ply)?;
    before.iter().try_for_each(|&(color, play)| position.make_move(color, play)).ok()?;
    let &(color, played) = rest.first()?;
    let won = game.winner.map(|winner| winner == color);
    Some(Sample { position, color, played: played.index(coordinate)?, won })
}

impl Agreement {
    fn count(&mut self, net: &Net, scratch: &mut Scratch, samples: Vec<Sample>) {
        let facts: Vec<_> = samples.iter().map(|sample| (sample.played, sample.won)).collect();
        let positions: Vec<_> = samples.into_iter().map(|sample| (sample.position, sample.color)).collect();
        for ((played, won), evaluation) in facts.into_iter().zip(evaluate(net, &positions, scratch)) {
            let Some(&chosen) = evaluation.policy.get(played) else { continue };
            let preferred = evaluation.policy.iter().filter(|&&part| part > chosen).count();
            self.positions += 1;
            self.top1 += usize::from(preferred == 0);
            self.top5 += usize::from(preferred < 5);
            if let Some(won) = won {
                self.decided += 1;
                self.winner_right += usize::from((evaluation.win > 0.5) == won);
            }
        }
    }

    fn text(&self, games: usize, coordinate: Coordinate) -> String {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{coordinate}: {} of {}: top-1 {:.2}%, top-5 {:.2}%, winner {:.2}%\n",
            counted(self.positions, "position"),
            counted(games, "game"),
            share(self.top1, self.positions),
            share(self.top5, self.positions),
            share(self.winner_right, self.decided),
        )
    }
}

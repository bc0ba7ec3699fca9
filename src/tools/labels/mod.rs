//! `labels`: positions of recorded games with the outputs of a KataGo net, to train another net from.
//!
//! A run is cut into shards of a fixed number of games. A shard depends on its games, its number and the seed only: a
//! run that was interrupted continues with the first shard that is missing. `positions` chooses the positions, `walks`
//! follows the moves of another program, `shard` writes files.

mod positions;
mod shard;
mod walks;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use fastrand::Rng;
use serde::Serialize;

use crate::config::option_values::{board_size, rules_name, thread_count, whole};
use crate::io::files;
use crate::kernel::{Coordinate, GameRule};
use crate::net::Net;
use crate::net::katago::KatagoNet;
use crate::text::plural::counted;
use crate::tools::labels::positions::{Labeler, Source, VariationSearch};
use crate::tools::labels::shard::{Shard, ShardMetadata};
use crate::tools::tables;

/// Games whose positions are in memory at a time.
const GROUP: usize = 64;

/// Options of `labels`.
#[derive(Debug, Clone, PartialEq, Default, clap::Args)]
pub(crate) struct LabelsArgs {
    /// Record tables and self-play files with the games; of tables whose name begins with ogs9, only games of dan players
    /// and professionals are taken
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub(crate) records: Vec<PathBuf>,

    /// Folder of the shards; those that are there are not written again, and must be of the same options. `-` writes all
    /// to standard output
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: PathBuf,

    /// Board size, 2 to 25 points per side: 13, or width and height as in 9x13 [default: Game.BoardSize]
    #[arg(long, value_name = "SIZE", value_parser = board_size)]
    pub(crate) size: Option<Coordinate>,

    /// Positions of each game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<u32>(1..))]
    pub(crate) per_game: u32,

    /// Only the last N positions of a game, the final one included
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    pub(crate) last: Option<u32>,

    /// Only the last position of each game with a counted result, before the final passes, and the points of the result
    #[arg(long, conflicts_with_all = ["per_game", "last", "search", "deviation_share", "max_deviations", "komi_spread", "walks"])]
    pub(crate) ends: bool,

    /// Search each position with VISITS visits by the built-in net, and take the ends of the variations, too
    #[arg(long, value_name = "VISITS", value_parser = whole::<u32>(1..))]
    pub(crate) search: Option<u32>,

    /// Share of the positions after which a move that deviates from the game is played, which gives another position
    #[arg(long, value_name = "P", default_value_t = 0.3, value_parser = share)]
    pub(crate) deviation_share: f64,

    /// Maximum number of consecutive moves that deviate from the game
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u8>(0..=u8::MAX))]
    pub(crate) max_deviations: u8,

    /// Rule sets, one of which is drawn for each game [default: Game.Rules]
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = rules_name)]
    pub(crate) rules: Vec<String>,

    /// Standard deviation in points of a random change of komi, made in half of the games, drawn at random, and rounded
    /// to half points
    #[arg(long, value_name = "POINTS", default_value_t = 0.0, value_parser = spread)]
    pub(crate) komi_spread: f64,

    /// Games in a shard
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole::<u32>(1..))]
    pub(crate) games_per_shard: u32,

    /// Shards, at most [default: as many as the games fill]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..))]
    pub(crate) shards: Option<usize>,

    /// Only the games held out of training, instead of all others
    #[arg(long)]
    pub(crate) held_out: bool,

    /// Follow N games from random positions, with `--out -`: write a shard with the position of each, read N moves from
    /// standard input, and so on until it ends. A move is a little-endian 16-bit policy index; 65535 begins
    /// another game, as two passes do
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<u32>(1..=1_000_000),
        conflicts_with_all = ["per_game", "last", "search", "deviation_share", "max_deviations", "games_per_shard", "shards"]
    )]
    pub(crate) walks: Option<u32>,

    /// RNG seed: it decides the order of the games and the positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..))]
    pub(crate) seed: u64,

    /// Threads that evaluate [default: Search.Threads]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "expected 0 to 1".to_owned())
}

fn spread(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|points| (0.0..=100.0).contains(points)).ok_or_else(|| "expected 0 to 100".to_owned())
}

/// Writes the shards that are missing, or those of walks; returns the text to print. Without a net the positions are
/// written without what a net outputs for them. `progress` is called after every shard.
///
/// # Errors
/// If a file cannot be read or written, there are no games, the net is not one of KataGo, or the folder has shards of
/// other options.
pub(crate) fn run(
    args: &LabelsArgs,
    net: Option<&Net>,
    (coordinate, rule): (Coordinate, GameRule),
    default_threads: usize,
    progress: impl Fn(&str),
) -> anyhow::Result<String> {
    let teacher = net.map(|net| net.katago().context("labels: expected a net of KataGo in Net.File, or Net.Use=false"));
    let teacher: Option<&KatagoNet> = teacher.transpose()?;
    let mut games = sources(args, coordinate)?;
    Rng::with_seed(args.seed).shuffle(&mut games);
    let rules: Vec<GameRule> = match args.rules.as_slice() {
        [] => vec![rule],
        names => names.iter().filter_map(|name| rule.with_rule_set(name)).collect(),
    };
    let labeler = labeler(args, teacher, coordinate, &rules, default_threads)?;
    let metadata = metadata(args, &labeler)?;
    if let Some(count) = args.walks {
        write_walks(args, count, &labeler, &games, &metadata)?;
        return Ok(String::new());
    }
    let (shards, positions) = write_shards(args, &labeler, &games, &metadata, progress)?;
    if matches!(ShardTarget::new(&args.out, 0), ShardTarget::Stdout) {
        return Ok(String::new());
    }
    let mut text: String =
        rules.iter().filter_map(|rule| rule.approximation_note()).map(|note| format!("{note}\n")).collect();
    let (shards, positions) = (counted(shards, "shard"), counted(positions, "position"));
    let _ = writeln!(text, "{shards} with {positions} written to {}", args.out.display());
    Ok(text)
}

/// The labeler of the options.
///
/// # Errors
/// If the built-in net, by which `--search` searches, cannot be used.
fn labeler<'a>(
    args: &LabelsArgs,
    teacher: Option<&'a KatagoNet>,
    coordinate: Coordinate,
    rules: &'a [GameRule],
    default_threads: usize,
) -> anyhow::Result<Labeler<'a>> {
    let search =
        args.search.map(|visits| anyhow::Ok(VariationSearch { net: Net::built_in()?, visits: u64::from(visits) }));
    Ok(Labeler {
        teacher,
        search: search.transpose()?,
        coordinate,
        rules,
        per_game: if args.walks.is_some() { 1 } else { args.per_game as usize },
        last: args.last.map(|moves| moves as usize),
        ends: args.ends,
        deviation_share: if args.ends { 0.0 } else { args.deviation_share },
        max_deviations: args.max_deviations,
        komi_spread: args.komi_spread,
        threads: args.threads.unwrap_or(default_threads),
        native_inputs: args.walks.is_some(),
    })
}

/// The options on which the rows of a shard depend, as its metadata have them.
#[derive(Serialize)]
struct RowOptions {
    /// In KataGo's short form.
    rules: Vec<String>,
    per_game: usize,
    last: Option<usize>,
    ends: bool,
    search: Option<u32>,
    deviation_share: f64,
    max_deviations: u8,
    komi_spread: f64,
    games_per_shard: u32,
    held_out: bool,
}

/// The metadata of the shards that a labeler writes.
///
/// # Errors
/// If they cannot be written as JSON.
fn metadata(args: &LabelsArgs, labeler: &Labeler<'_>) -> anyhow::Result<ShardMetadata> {
    let options = RowOptions {
        rules: labeler.rules.iter().map(GameRule::to_short_form).collect(),
        per_game: labeler.per_game,
        last: labeler.last,
        ends: labeler.ends,
        search: args.search,
        deviation_share: labeler.deviation_share,
        max_deviations: labeler.max_deviations,
        komi_spread: labeler.komi_spread,
        games_per_shard: args.games_per_shard,
        held_out: args.held_out,
    };
    Ok(ShardMetadata {
        net: labeler.teacher.map(|net| net.name().to_owned()),
        coordinate: labeler.coordinate,
        seed: args.seed,
        options: serde_json::to_value(options)?,
    })
}

/// Follows walks through the games, with standard input and output.
///
/// # Errors
/// If the output is not standard output, or [`walks::follow`] fails.
fn write_walks(
    args: &LabelsArgs,
    count: u32,
    labeler: &Labeler<'_>,
    games: &[Source],
    metadata: &ShardMetadata,
) -> anyhow::Result<()> {
    if !matches!(ShardTarget::new(&args.out, 0), ShardTarget::Stdout) {
        bail!("--walks {count}: expected --out -, standard output");
    }
    walks::follow(labeler, games, count as usize, metadata, args.seed)
}

/// Writes the shards of the games that are missing; returns their number and that of their positions. `progress` is
/// called after every shard.
///
/// # Errors
/// If a shard cannot be written, or one that is there has other metadata.
fn write_shards(
    args: &LabelsArgs,
    labeler: &Labeler<'_>,
    games: &[Source],
    metadata: &ShardMetadata,
    progress: impl Fn(&str),
) -> anyhow::Result<(usize, usize)> {
    let (begin, mut written, mut positions) = (Instant::now(), 0, 0);
    let chunks = games.chunks(args.games_per_shard as usize).enumerate().take(args.shards.unwrap_or(usize::MAX));
    // rows of two kinds in one folder could not be told apart in training
    for (number, _) in chunks.clone() {
        if let ShardTarget::File(path) = ShardTarget::new(&args.out, number)
            && path.exists()
        {
            metadata.check(&path)?;
        }
    }
    for (number, games) in chunks {
        let target = ShardTarget::new(&args.out, number);
        if target.is_done() {
            continue;
        }
        let mut rng = Rng::with_seed(args.seed.wrapping_add(1 + number as u64));
        let mut shard = Shard::new(labeler.coordinate);
        for group in games.chunks(GROUP) {
            labeler.label(group, &mut rng, |label| shard.push(&label));
        }
        positions += shard.len();
        written += 1;
        target.write(&shard, metadata)?;
        let rate = positions as f64 / begin.elapsed().as_secs_f64();
        progress(&format!("shard {number}: {}, {rate:.1} positions/s", counted(shard.len(), "position")));
    }
    Ok((written, positions))
}

/// The games of all files that are asked for.
fn sources(args: &LabelsArgs, coordinate: Coordinate) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    for (file, path) in args.records.iter().enumerate() {
        let text = tables::read(path).with_context(|| format!("--records {}", path.display()))?;
        let games = tables::games(&text, path, coordinate).filter(|(_, game)| game.is_held_out() == args.held_out);
        found.extend(games.map(|(line, game)| Source { file: file as u32, line: line as u32, game }));
    }
    if found.is_empty() {
        bail!(
            "--records {}: no record table or self-play file with games on {coordinate}",
            files::join_paths(&args.records)
        );
    }
    Ok(found)
}

/// Place of a shard.
enum ShardTarget {
    Stdout,
    File(PathBuf),
}

impl ShardTarget {
    fn new(out: &Path, number: usize) -> ShardTarget {
        match out.to_str() {
            Some("-") => ShardTarget::Stdout,
            _ => ShardTarget::File(out.join(format!("shard-{number:05}.safetensors.gz"))),
        }
    }

    fn is_done(&self) -> bool {
        matches!(self, ShardTarget::File(path) if path.exists())
    }

    /// Writes a shard: to standard output as it is, to a file compressed and atomically.
    fn write(&self, shard: &Shard, about: &ShardMetadata) -> anyhow::Result<()> {
        let bytes = shard.to_bytes(about)?;
        match self {
            ShardTarget::Stdout => shard::print(&bytes).context("standard output"),
            ShardTarget::File(path) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
                }
                files::write(path, &shard::compressed(&bytes)?).map_err(anyhow::Error::msg)
            }
        }
    }
}

//! The file of games: one object of JSON a line, added as each game ends, and what is there already.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::io::quote::{one_line, shortened};
use crate::kernel::{Color, Position};
use crate::net::Net;
use crate::player::{Options, options};

/// How the line of a game begins, before its number and after it.
const BEGINNING: [&[u8]; 2] = [br#"{"game":"#, br#","seed":"#];

/// What all games of a file have in common.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// Where chance starts from.
    pub(super) seed: u64,
    /// Playouts for a move.
    pub(super) playouts: u64,
    /// Points of a side of the board.
    pub(super) size: u8,
    /// Points added to White's score.
    pub(super) komi: f64,
    /// The name of the rules.
    pub(super) rules: String,
    /// The digest of the net that is asked, or `none`.
    #[serde(default = "unknown")]
    pub(super) net: String,
    /// What else games depend on and is not as usual, as in `Search.NetRave=0 Game.PlayFirst=white`, or `none`.
    #[serde(default = "unknown")]
    pub(super) settings: String,
}

/// What a file of an earlier version does not say.
fn unknown() -> String {
    "unknown".to_owned()
}

impl Agreed {
    /// What is agreed on in games that start from this position.
    pub(super) fn new(start: &Position, options: &Options, net: Option<&Net>, playouts: u64, seed: u64) -> Agreed {
        let rule = start.rule();
        Agreed {
            seed,
            playouts,
            size: start.board().coordinate().width(),
            komi: rule.komi,
            rules: rule.name().unwrap_or("other").to_owned(),
            net: net.map_or("none", Net::digest).to_owned(),
            settings: settings(start, options),
        }
    }

    fn text(&self) -> String {
        let Agreed { seed, playouts, size, komi, rules, net, settings } = self;
        format!(
            "seed {seed}, {playouts} playouts, {size}x{size}, komi {komi}, rules {rules}, net {net}, settings {settings}"
        )
    }
}

/// What games depend on beside the other fields, where it is not as usual.
fn settings(start: &Position, options: &Options) -> String {
    let usual = Options::default();
    // of what a search is told the other options say how long it takes, how much memory, who hears of it, and which level,
    // which is always the strongest here
    let played = Options { params: options.params, ..usual };
    let mut settings: Vec<String> = options::names()
        .filter_map(|name| Some((name, played.get(name)?, usual.get(name)?)))
        .filter(|(_, value, usual)| value != usual)
        .map(|(name, value, _)| format!("Search.{name}={value}"))
        .collect();
    if start.to_move() != Color::Black {
        settings.push(format!("Game.PlayFirst={}", start.to_move()));
    }
    if settings.is_empty() { "none".to_owned() } else { settings.join(" ") }
}

/// A game that has ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Line {
    /// Its number, from 0.
    pub(super) game: u64,
    #[serde(flatten)]
    pub(super) agreed: Agreed,
    /// `B`, `W` or `0`.
    pub(super) winner: char,
    /// Black's points less White's, komi counted.
    pub(super) margin: f64,
    /// `Bee`: a colour, the column from the left, the row from the top, in SGF's letters; `B..` is a pass.
    pub(super) moves: Vec<String>,
    /// For each move, the moves that the search tried, with their visits. Places are counted row by row from the top
    /// left; a pass comes after the last one.
    pub(super) visits: Vec<Vec<(usize, u32)>>,
    /// For each place whose it is at the end, dead stones taken off: 1 Black's, -1 White's, 0 nobody's.
    pub(super) ownership: Vec<i8>,
}

/// What is read of a game that was written before.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct Written {
    game: u64,
    #[serde(flatten)]
    pub(super) agreed: Agreed,
}

/// The file, open at its end.
pub(super) struct Games {
    file: File,
    /// How long its whole lines are, in bytes.
    whole: u64,
}

impl Games {
    /// A new file; or one to be continued, which may be there, with the games that it has. Nothing of it is changed yet.
    pub(super) fn open(path: &Path, resume: bool) -> anyhow::Result<(Games, Vec<Written>)> {
        if !resume {
            return match OpenOptions::new().append(true).create_new(true).open(path) {
                Ok(file) => Ok((Games { file, whole: 0 }, Vec::new())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    bail!("the file is there already, expected a new one, or --resume to continue it")
                }
                Err(error) => Err(error.into()),
            };
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        if !file.metadata()?.is_file() {
            bail!("not a regular file");
        }
        let (written, whole) = read(&file)?;
        Ok((Games { file, whole }, written))
    }

    /// Cuts off what a run that was interrupted has left of a line.
    pub(super) fn end_with_whole_line(&self) -> anyhow::Result<()> {
        Ok(self.file.set_len(self.whole)?)
    }

    /// Adds a game, in one piece.
    pub(super) fn write(&mut self, line: &Line) -> anyhow::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).with_context(|| format!("game {} cannot be written", line.game))
    }
}

/// The games of a file, and its length up to the end of the last whole line. What follows must be the beginning of a game.
fn read(file: &File) -> anyhow::Result<(Vec<Written>, u64)> {
    let mut reader = BufReader::new(file);
    let (mut written, mut length) = (Vec::new(), 0);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 && bytes.ends_with(b"\n") {
        written.push(serde_json::from_slice(&bytes).map_err(|_| no_game(written.len() + 1, &bytes))?);
        length += bytes.len() as u64;
        bytes.clear();
    }
    if !is_beginning(&bytes) {
        return Err(no_game(written.len() + 1, &bytes));
    }
    Ok((written, length))
}

/// Whether the line of a game can begin with these bytes.
fn is_beginning(bytes: &[u8]) -> bool {
    let [before, after] = BEGINNING;
    let Some(rest) = bytes.strip_prefix(before) else { return before.starts_with(bytes) };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..).unwrap_or_default();
    rest.starts_with(after) || after.starts_with(rest)
}

fn no_game(line: usize, bytes: &[u8]) -> anyhow::Error {
    let found = one_line(&shortened(String::from_utf8_lossy(bytes).trim_end()));
    anyhow::anyhow!("line {line}: expected a game written by selfplay, found {found}")
}

/// The numbers of the games written, all of which must be of the same kind as those to come.
pub(super) fn numbers(written: &[Written], agreed: &Agreed) -> anyhow::Result<BTreeSet<u64>> {
    for (game, line) in written.iter().zip(1..) {
        if game.agreed != *agreed {
            bail!("line {line}: a game with {}, expected {}", game.agreed.text(), agreed.text());
        }
    }
    Ok(written.iter().map(|game| game.game).collect())
}

//! The game file: one JSON object a line, appended as each game ends; reading it back for `--resume`.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::io::files;
use crate::kernel::{Color, Coordinate, Position};
use crate::net::Net;
use crate::player::{Options, options};
use crate::text::quote::{one_line, shortened};
use crate::tools::board_size;

/// The start of a line, before and after the number of the game.
const LINE_START: [&[u8]; 2] = [br#"{"game":"#, br#","seed":"#];

/// The settings shared by all games of a file. Written into each line, so that the file can only be continued with the
/// same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct RunSettings {
    /// The RNG seed of the run.
    pub(super) seed: u64,
    /// Playouts per move.
    pub(super) playouts: u64,
    /// Board size.
    #[serde(with = "board_size")]
    pub(super) size: Coordinate,
    /// Points added to White's score.
    pub(super) komi: f64,
    /// The name of the rules.
    pub(super) rules: String,
    /// The MD5 digest of the net's file, or `none`.
    #[serde(default = "unknown")]
    pub(super) net: String,
    /// The other settings that games depend on and that differ from the defaults, such as
    /// `Search.NetRave=0 Game.PlayFirst=white`; or `none`.
    #[serde(default = "unknown")]
    pub(super) settings: String,
}

/// The value of a field that a file of an earlier version lacks.
fn unknown() -> String {
    "unknown".to_owned()
}

impl RunSettings {
    /// The settings of games that start from this position.
    pub(super) fn new(start: &Position, options: &Options, net: Option<&Net>, playouts: u64, seed: u64) -> RunSettings {
        let rule = start.rule();
        RunSettings {
            seed,
            playouts,
            size: start.board().coordinate(),
            komi: rule.komi,
            rules: rule.name_or_other().to_owned(),
            net: net.map_or("none", Net::digest).to_owned(),
            settings: settings(start, options),
        }
    }

    fn text(&self) -> String {
        let RunSettings { seed, playouts, size, komi, rules, net, settings } = self;
        format!("seed {seed}, {playouts} playouts, {size}, komi {komi}, rules {rules}, net {net}, settings {settings}")
    }
}

/// The field [`RunSettings::settings`].
fn settings(start: &Position, options: &Options) -> String {
    let defaults = Options::default();
    // the other options are limits, memory, output and the level, which self-play sets itself or which change no game
    let used = Options { params: options.params, ..defaults };
    let mut settings: Vec<String> = options::names()
        .filter_map(|name| Some((name, used.get(name)?, defaults.get(name)?)))
        .filter(|(_, value, default)| value != default)
        .map(|(name, value, _)| format!("Search.{name}={value}"))
        .collect();
    if start.to_move() != Color::Black {
        settings.push(format!("Game.PlayFirst={}", start.to_move()));
    }
    if settings.is_empty() { "none".to_owned() } else { settings.join(" ") }
}

/// A finished game, as one line of the file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct GameLine {
    /// Its number, from 0.
    pub(super) game: u64,
    #[serde(flatten)]
    pub(super) run: RunSettings,
    /// `B`, `W` or `0`.
    pub(super) winner: char,
    /// Black's points less White's, komi included.
    pub(super) margin: f64,
    /// The moves, such as `Bee`: colour, column from the left and row from the top in SGF's letters; `B..` is a pass.
    pub(super) moves: Vec<String>,
    /// For each move, the visited moves of its search as pairs of policy index and visits. The index counts points
    /// from the highest rank down; a pass is the last.
    pub(super) visits: Vec<Vec<(usize, u32)>>,
    /// The owner of each point at the end, in the order of the policy, dead stones removed: 1 Black, -1 White, 0 neither.
    pub(super) ownership: Vec<i8>,
}

/// The part of a line that is read back.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct WrittenGame {
    game: u64,
    #[serde(flatten)]
    pub(super) run: RunSettings,
}

/// The file, opened for appending and locked, so that no other process writes to it.
pub(super) struct GameFile {
    file: File,
    /// Length of its complete lines in bytes.
    complete_len: u64,
}

impl GameFile {
    /// Creates a file; or with `resume` opens one that may exist, and reads its games. Changes nothing in it yet.
    ///
    /// # Errors
    /// If the file exists and `resume` is not set, is no regular file, is used by another process, or has a line that is no
    /// game.
    pub(super) fn open(path: &Path, resume: bool) -> anyhow::Result<(GameFile, Vec<WrittenGame>)> {
        if !resume {
            return match files::open_with(path, OpenOptions::new().append(true).create_new(true)) {
                Ok(file) => Ok((GameFile { file: locked(file)?, complete_len: 0 }, Vec::new())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    bail!("the file exists, expected a new one, or --resume to continue it")
                }
                Err(error) => Err(error.into()),
            };
        }
        let file = locked(files::open_with(path, OpenOptions::new().read(true).append(true).create(true))?)?;
        let (written, complete_len) = read(&file)?;
        Ok((GameFile { file, complete_len }, written))
    }

    /// Removes the incomplete last line that an interrupted run may have left.
    pub(super) fn truncate_incomplete_line(&self) -> anyhow::Result<()> {
        Ok(self.file.set_len(self.complete_len)?)
    }

    /// Appends a game in one write. If that fails, the part that was written is removed again.
    pub(super) fn write(&mut self, line: &GameLine) -> anyhow::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        if let Err(reason) = self.file.write_all(&bytes) {
            // if this fails, too, the line is incomplete, and the next run removes it
            let _ = self.truncate_incomplete_line();
            return Err(reason).with_context(|| format!("game {} cannot be written", line.game));
        }
        self.complete_len += bytes.len() as u64;
        Ok(())
    }
}

/// The file, locked while it is open.
fn locked(file: File) -> anyhow::Result<File> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("another process writes to this file"),
        // a file system without locks
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The games of a file, and the length of its complete lines. An incomplete last line must be the start of a game.
fn read(file: &File) -> anyhow::Result<(Vec<WrittenGame>, u64)> {
    let mut reader = BufReader::new(file);
    let (mut written, mut length) = (Vec::new(), 0);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 && bytes.ends_with(b"\n") {
        written.push(serde_json::from_slice(&bytes).map_err(|_| not_a_game(written.len() + 1, &bytes))?);
        length += bytes.len() as u64;
        bytes.clear();
    }
    if !is_line_prefix(&bytes) {
        return Err(not_a_game(written.len() + 1, &bytes));
    }
    Ok((written, length))
}

/// Whether these bytes are a prefix of some game's line; compared up to the end of [`LINE_START`].
fn is_line_prefix(bytes: &[u8]) -> bool {
    let [before, after] = LINE_START;
    let Some(rest) = bytes.strip_prefix(before) else { return before.starts_with(bytes) };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..).unwrap_or_default();
    rest.starts_with(after) || after.starts_with(rest)
}

fn not_a_game(line: usize, bytes: &[u8]) -> anyhow::Error {
    let found = one_line(&shortened(String::from_utf8_lossy(bytes).trim_end()));
    anyhow::anyhow!("line {line}: expected a game written by selfplay, found {found}")
}

/// The numbers of the games in the file.
///
/// # Errors
/// The first game whose settings differ from this run's, or whose number an earlier line has.
pub(super) fn written_numbers(written: &[WrittenGame], run: &RunSettings) -> anyhow::Result<BTreeSet<u64>> {
    let mut numbers = BTreeSet::new();
    for (game, line) in written.iter().zip(1..) {
        if game.run != *run {
            bail!("line {line}: a game with {}, expected {}", game.run.text(), run.text());
        }
        if !numbers.insert(game.game) {
            bail!("line {line}: game {} again, expected each number once", game.game);
        }
    }
    Ok(numbers)
}

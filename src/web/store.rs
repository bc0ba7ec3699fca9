//! The state folder: every game as a file, so that a reload or a restart finds it again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::io::files::{self, FileError};
use crate::kernel::{Color, Position};
use crate::sgf::GameTree;
use crate::web::action::{HumanSides, Time};
use crate::web::clock::{self, GameClock};
use crate::web::event::{ByColor, NodeValue, Refusal, RefusalCode, SavedGame, TimeLeft};
use crate::web::game::CurrentGame;
use crate::web::results::SavedResults;

/// Games that are saved; a new one is refused beyond.
const MAX_GAMES: usize = 1000;

/// The length of a game's name.
const ID_LENGTH: usize = 8;

/// The file with the id of the current game, and the name that it had in earlier versions.
const CURRENT: &str = "current";
const OLD_CURRENT: &str = "live";

/// The reason why a game is not saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SaveError {
    /// With the file or folder, for the log.
    pub(super) for_log: String,
    /// Without names of files, for pages.
    pub(super) for_pages: String,
}

impl From<FileError> for SaveError {
    fn from(error: FileError) -> SaveError {
        SaveError { for_log: error.to_string(), for_pages: error.problem().to_owned() }
    }
}

/// A folder of games.
#[derive(Default)]
pub(super) struct Store {
    /// None without a folder, or if it cannot be used; `unusable` is then the reason.
    folder: Option<PathBuf>,
    unusable: Option<SaveError>,
    /// Held while the server runs, so that no other one changes the same games.
    _lock: Option<File>,
    /// All games, the last changed one first.
    games: Vec<SavedGame>,
    /// The game that is noted as the current one, in the file [`CURRENT`].
    current: Option<String>,
}

/// A game as a file has it.
#[derive(Serialize, Deserialize)]
struct GameFile {
    sgf: String,
    /// The numbers of the nodes, in the order of the record.
    numbers: Vec<u32>,
    current: u32,
    #[serde(rename = "person")]
    human_sides: HumanSides,
    level: u64,
    time: Option<Time>,
    /// The time left to both players; files of earlier versions have none.
    #[serde(default)]
    time_left: Option<ByColor<TimeLeft>>,
    results: Option<SavedResults>,
    /// The result in files of earlier versions, which have no `results`.
    #[serde(default, skip_serializing)]
    end: Option<(u32, String)>,
    values: Vec<NodeValue>,
    /// The names of the players; files of earlier versions have them in `title`.
    #[serde(default)]
    black: Option<String>,
    #[serde(default)]
    white: Option<String>,
    #[serde(default, skip_serializing)]
    title: String,
    moves: usize,
    result: Option<String>,
}

impl GameFile {
    /// The game in lists.
    fn listed(self, id: String, when: u64) -> SavedGame {
        let (black, white) = self.title.split_once(" – ").unwrap_or_default();
        let [black, white] = [(self.black, black), (self.white, white)]
            .map(|(name, old): (Option<String>, &str)| name.unwrap_or_else(|| old.to_owned()));
        SavedGame { id, black, white, moves: self.moves, when, result: self.result }
    }
}

impl Store {
    /// The games in `folder`, which is created. Without one, or if another server uses it, no game is saved.
    pub(super) fn open(folder: Option<PathBuf>) -> Store {
        let without = |place: &Path, reason: String| {
            let error = SaveError { for_log: format!("{}: {reason}", place.display()), for_pages: reason };
            Store { unusable: Some(error), ..Store::default() }
        };
        let Some(folder) = folder else {
            let reason = "there is no folder for them".to_owned();
            let error = SaveError { for_log: reason.clone(), for_pages: reason };
            return Store { unusable: Some(error), ..Store::default() };
        };
        if let Err(reason) = fs::create_dir_all(&folder) {
            return without(&folder, reason.to_string());
        }
        let lock = folder.join("lock");
        let file = match File::options().create(true).truncate(false).write(true).open(&lock) {
            Ok(file) => file,
            Err(reason) => return without(&lock, reason.to_string()),
        };
        match file.try_lock() {
            Ok(()) => Store::locked(folder, file),
            Err(fs::TryLockError::WouldBlock) => without(&folder, "another server uses their folder".to_owned()),
            Err(fs::TryLockError::Error(reason)) => without(&lock, reason.to_string()),
        }
    }

    fn locked(folder: PathBuf, lock: File) -> Store {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut games: Vec<SavedGame> = entries.filter_map(|path| saved_game(&path)).collect();
        games.sort_by_key(|game| std::cmp::Reverse(game.when));
        let current = [CURRENT, OLD_CURRENT].iter().find_map(|name| files::read(folder.join(name)).ok());
        let current = current.and_then(|bytes| String::from_utf8(bytes).ok());
        Store {
            folder: Some(folder),
            unusable: None,
            _lock: Some(lock),
            games,
            current: current.filter(|id| is_id(id)),
        }
    }

    /// A new name for a game.
    pub(super) fn new_id(&self) -> String {
        loop {
            let id: String = (0..ID_LENGTH).map(|_| fastrand::alphanumeric().to_ascii_lowercase()).collect();
            if self.path(&id).is_none_or(|path| !path.exists()) {
                return id;
            }
        }
    }

    /// Whether there is no space for another game.
    pub(super) fn is_full(&self) -> bool {
        self.games.len() >= MAX_GAMES
    }

    /// Writes a game, and notes that it is the current one. Returns whether the list of games has changed, or `None` if
    /// nothing was to be written: the game is empty, or there is no folder.
    ///
    /// # Errors
    /// If the folder cannot be used, or the file cannot be written.
    pub(super) fn save(&mut self, game: &CurrentGame, clock: &GameClock) -> Result<Option<bool>, SaveError> {
        if let Some(error) = &self.unusable {
            return Err(error.clone());
        }
        let (Some(path), Some(folder)) = (self.path(&game.id), &self.folder) else { return Ok(None) };
        if self.current.as_ref() != Some(&game.id) {
            files::write(folder.join(CURRENT), game.id.as_bytes())?;
            self.current = Some(game.id.clone());
        }
        let known = self.games.iter().position(|known| known.id == game.id);
        if game.is_blank() && known.is_none() {
            return Ok(None);
        }
        let saved = GameFile {
            sgf: game.sgf(),
            numbers: game.numbers_in_file(),
            current: game.number(game.current()),
            human_sides: game.human_sides,
            level: game.level,
            time: game.time,
            time_left: clock::left_to_both(clock),
            results: Some(game.results()),
            end: None,
            values: game.values(),
            black: Some(game.name(Color::Black)),
            white: Some(game.name(Color::White)),
            title: String::new(),
            moves: game.move_count(),
            result: game.tree().text(game.tree().root(), "RE"),
        };
        let text = serde_json::to_vec(&saved).map_err(|error| {
            let reason = error.to_string();
            SaveError { for_log: reason.clone(), for_pages: reason }
        })?;
        files::write(&path, &text)?;
        let listed = saved.listed(game.id.clone(), seconds(SystemTime::now()));
        let before = known.map(|place| self.games.remove(place));
        let is_same = |before: &SavedGame| SavedGame { when: listed.when, ..before.clone() } == listed;
        let has_changed = known != Some(0) || !before.as_ref().is_some_and(is_same);
        self.games.insert(0, listed);
        Ok(Some(has_changed))
    }

    /// The game that was the current one last; `None` if there is none.
    pub(super) fn current_id(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// Reads a game and its clocks, which are stopped.
    ///
    /// # Errors
    /// If there is none of this name, or it is damaged.
    pub(super) fn load(&self, id: &str, defaults: &Position) -> Result<(CurrentGame, GameClock), Refusal> {
        let path = self.existing_path(id)?;
        let saved = read(&path).map_err(|reason| {
            // a page is not told names of files
            tracing::warn!("{reason}");
            Refusal::of_file("the saved game cannot be read; the log has the reason")
        })?;
        let tree = GameTree::read_text(&saved.sgf).map_err(Refusal::of_file)?;
        let mut game = CurrentGame::of_record(id.to_owned(), tree, defaults)?;
        (game.human_sides, game.level, game.time) = (saved.human_sides, saved.level, saved.time);
        game.set_numbers(saved.numbers);
        game.set_values(&saved.values);
        // the record keeps its own end if an earlier version's names no node
        let old_end = saved.end.filter(|(number, _)| game.node(*number).is_some());
        let old_end = old_end.map(|end| SavedResults { loaded: None, own: vec![end] });
        if let Some(results) = saved.results.or(old_end) {
            game.set_results(results);
        }
        if let Some(node) = game.node(saved.current) {
            game.go(node)?;
        }
        let clock = clock::restored(game.time, saved.time_left);
        Ok((game, clock))
    }

    /// Deletes a game.
    pub(super) fn remove(&mut self, id: &str) -> Result<(), Refusal> {
        let path = self.existing_path(id)?;
        fs::remove_file(path).map_err(Refusal::of_file)?;
        self.games.retain(|game| game.id != id);
        Ok(())
    }

    /// All games, the last changed one first.
    pub(super) fn games(&self) -> &[SavedGame] {
        &self.games
    }

    /// The file of a game, which exists.
    fn existing_path(&self, id: &str) -> Result<PathBuf, Refusal> {
        let path = Some(id).filter(|id| is_id(id)).and_then(|id| self.path(id)).filter(|path| path.is_file());
        path.ok_or_else(|| Refusal::new(RefusalCode::NotFound, "there is no such game"))
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{id}.json")))
    }
}

/// Whether a text can be a game's name, which is part of a path.
fn is_id(text: &str) -> bool {
    text.len() == ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn read(path: &Path) -> Result<GameFile, String> {
    let bytes = files::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn saved_game(path: &Path) -> Option<SavedGame> {
    let id = path.file_name()?.to_str()?.strip_suffix(".json").filter(|id| is_id(id))?.to_owned();
    let saved = read(path).ok()?;
    let when = seconds(path.metadata().and_then(|metadata| metadata.modified()).unwrap_or(UNIX_EPOCH));
    Some(saved.listed(id, when))
}

/// Seconds since 1970.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

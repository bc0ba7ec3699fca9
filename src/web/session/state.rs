//! The parts of a session.

use crate::kernel::Position;
use crate::player::options::processor_count;
use crate::search::SearchResult;
use crate::sgf::NodeId;
use crate::web::action::NewGame;
use crate::web::clock::{self, GameClock};
use crate::web::counting::{Scorer, ShownScore};
use crate::web::driver::Driver;
use crate::web::event::{Refusal, Thinking};
use crate::web::game::CurrentGame;
use crate::web::hub::Hub;
use crate::web::inbox::Inbox;
use crate::web::store::{SaveError, Store};

/// The engine, the game and the pages.
pub(in crate::web) struct Session {
    pub(super) hub: Hub,
    pub(super) inbox: Inbox,
    pub(super) store: Store,
    /// The reason why games are not saved, as pages know it; `None` if they are.
    pub(super) save_error: Option<SaveError>,
    pub(super) driver: Driver,
    /// The configured rules, for records that name none.
    pub(super) configured: Position,
    pub(super) game: CurrentGame,
    /// The number of games that were the current one before. Ids of nodes are those of one reading of a game: a game
    /// that is opened again may have others.
    pub(super) replaced_games: u64,
    pub(super) clock: GameClock,
    /// Whether the engine moves as soon as it is its turn.
    pub(super) engine_plays: bool,
    /// The kind of the search that runs now, by its name in messages to pages.
    pub(super) thinking: Option<Thinking>,
    pub(super) score: Option<ShownScore>,
    pub(super) review: Option<Review>,
    /// The game at the node that a page left while the clock ran.
    pub(super) paused: Option<PausedGame>,
    /// The node whose live analysis has reached its end.
    pub(super) analyzed: Option<NodeId>,
    /// The node of the last live analysis, review or hint, and its last report, for pages that begin to watch later.
    pub(super) last_report: Option<(NodeId, SearchResult)>,
    pub(super) threads: u64,
    /// Visits at which live analysis ends; 0 for no bound.
    pub(super) max_visits: u64,
    pub(super) scorer: Scorer,
}

/// A game whose clock stands until a page comes back to its node.
pub(super) struct PausedGame {
    pub(super) node: NodeId,
    /// `Session::engine_plays` there.
    pub(super) engine_plays: bool,
}

/// A review of the current line.
pub(super) struct Review {
    /// The positions that wait, the next one last.
    pub(super) waiting: Vec<NodeId>,
    /// Visits of each position.
    pub(super) visits: u64,
    /// The number of all its positions.
    pub(super) count: usize,
}

impl Session {
    /// A session with the game that was the current one last, or a new one like `new`.
    ///
    /// # Errors
    /// If the new game cannot be.
    pub(in crate::web) fn new(
        hub: Hub,
        inbox: Inbox,
        store: Store,
        driver: Driver,
        new: &NewGame,
    ) -> Result<Session, Refusal> {
        let configured = driver.engine().position.clone();
        let saved = store.current_id().and_then(|id| store.load(id, &configured).ok());
        let (game, clock) = match saved {
            Some(saved) => saved,
            None => {
                let game = CurrentGame::new(store.new_id(), new, &configured)?;
                let clock = clock::restored(game.time, None);
                (game, clock)
            }
        };
        let threads = driver.threads();
        Ok(Session {
            hub,
            inbox,
            store,
            save_error: None,
            driver,
            configured,
            clock,
            game,
            replaced_games: 0,
            engine_plays: false,
            thinking: None,
            score: None,
            review: None,
            paused: None,
            analyzed: None,
            last_report: None,
            threads,
            max_visits: 0,
            scorer: Scorer::default(),
        })
    }

    /// Whether the engine is to move now.
    pub(super) fn is_to_move(&self) -> bool {
        self.engine_plays && self.game.is_engines_turn()
    }
}

/// The most threads that a page may choose: one for each processor.
pub(super) fn max_threads() -> u64 {
    processor_count() as u64
}

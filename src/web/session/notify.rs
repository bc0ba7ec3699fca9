//! The messages to pages after an action.

use crate::kernel::{Color, GameRule};
use crate::picture::points::letter;
use crate::player::options::processor_count;
use crate::web::clock;
use crate::web::event::{Event, GameInfo, Hello, Notice, NoticeCode, State, Thinking, Turn};
use crate::web::session::state::{Session, max_threads};
use crate::web::store::SaveError;
use crate::web::view;
use crate::{NAME, VERSION};

/// The version of the messages. It changes when a program that reads them has to.
const PROTOCOL_VERSION: u32 = 1;

/// Games that a page lists.
const MAX_LISTED: usize = 200;

impl Session {
    /// Tells the pages what the engine begins to do.
    pub(super) fn begin_task(&mut self, what: Thinking) {
        self.thinking = Some(what);
        self.send_state();
    }

    /// After a change: sends it to the pages, and saves the game.
    pub(super) fn changed(&mut self) {
        if self.review.is_some() {
            self.thinking = Some(Thinking::Review);
        }
        // pages drop the analysis of a position that they leave, and want it again when they come back
        let node = self.game.current();
        self.analyzed.take_if(|analyzed| *analyzed != node);
        self.hub.send_if_new(&Event::Tree(self.game.tree_event()));
        self.hub.set_record(self.game.sgf());
        self.save();
        self.send_state();
    }

    /// Saves the game, and notifies the pages if the list of games has changed, or once if games are no longer saved, or
    /// are again.
    pub(super) fn save(&mut self) {
        let error = match self.store.save(&self.game, &self.clock) {
            // no proof that games can be saved
            Ok(None) => return,
            Ok(Some(has_changed)) => {
                if has_changed {
                    self.send_games();
                }
                None
            }
            Err(error) => Some(error),
        };
        // the log's reason names the game, too
        let reason = |error: &Option<SaveError>| error.as_ref().map(|error| error.for_pages.clone());
        if reason(&error) == reason(&self.save_error) {
            return;
        }
        match &error {
            Some(SaveError { for_log, for_pages }) => {
                tracing::error!("games are not saved: {for_log}");
                let text = format!("games are not saved: {for_pages}");
                self.hub.send_notice(Notice { code: NoticeCode::NotSaved, text }, true);
            }
            None => {
                let text = "games are saved again".to_owned();
                tracing::warn!("{text}");
                self.hub.send_notice(Notice { code: NoticeCode::SavedAgain, text }, false);
            }
        }
        self.save_error = error;
    }

    /// Sends the list of games to the pages, unless they have it.
    pub(super) fn send_games(&self) {
        let latest = self.store.games().iter().take(MAX_LISTED).cloned().collect();
        // after a load the game has been saved, which may have sent them
        self.hub.send_if_new(&Event::Games { games: latest });
    }

    /// Tells the pages everything about the current game.
    pub(super) fn show_game(&mut self) {
        self.send_game();
        self.hub.send(&Event::Tree(self.game.tree_event()));
        self.hub.send(&Event::Values { values: self.game.values() });
        self.hub.set_record(self.game.sgf());
        self.save();
        self.send_games();
        self.send_state();
    }

    pub(super) fn send_game(&self) {
        let game = &self.game;
        let position = game.position();
        let (coordinate, rule) = (position.board().coordinate(), position.rule());
        self.hub.send(&Event::Game(GameInfo {
            id: game.id.clone(),
            width: coordinate.width(),
            height: coordinate.height(),
            komi: rule.komi,
            rules: game.rules_name().to_owned(),
            // the stones of the set-up, as in the dialog of a new game
            handicap: position.placed_handicap().unwrap_or(0),
            black: game.name(Color::Black),
            white: game.name(Color::White),
            human_sides: game.human_sides,
            level: game.level,
            time: game.time,
            unknown_komi: game.unknown_komi.clone(),
            unknown_rules: game.unknown_rules.clone(),
        }));
    }

    pub(super) fn send_state(&self) {
        self.hub.send(&self.state());
    }

    pub(super) fn state(&self) -> Event {
        let game = &self.game;
        let position = game.position();
        let coordinate = position.board().coordinate();
        let safe = view::safe_points(position);
        let turn = match (game.is_over(), game.is_engines_turn()) {
            (true, _) => None,
            (false, true) => Some(Turn::Engine),
            (false, false) => Some(Turn::Person),
        };
        Event::State(Box::new(State {
            node: game.number(game.current()),
            board: view::board_text(position),
            last: view::last_move(position),
            to_move: letter(position.to_move()),
            prisoners: view::prisoners(position),
            illegal: view::illegal_points(position),
            comment: game.comment(),
            marks: game.marks(),
            number: position.record().len(),
            over: game.is_over(),
            may_go_on: game.may_go_on(),
            result: game.result().map(str::to_owned),
            turn,
            thinking: self.thinking,
            review: self.review.as_ref().map(|review| (review.count - review.waiting.len(), review.count)),
            clock: clock::event(&self.clock),
            rens: view::rens(position, &safe),
            safe: view::indices(coordinate, &safe),
            score: self.score.as_ref().map(|score| score.event().clone()),
            watching: self.hub.is_watched(),
            threads: self.threads,
            max_visits: self.max_visits,
        }))
    }

    pub(super) fn hello(&self) -> Hello {
        let net = &self.driver.engine().player.net;
        Hello {
            version: VERSION,
            engine: NAME,
            net: net.as_ref().map(|net| net.digest().to_owned()),
            protocol_version: PROTOCOL_VERSION,
            rules: GameRule::names().collect(),
            cores: processor_count(),
            max_threads: max_threads(),
        }
    }
}

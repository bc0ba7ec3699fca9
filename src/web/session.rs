//! The thread of the engine: carries out the actions of pages, lets the engine move, and analyses while somebody looks.
//!
//! One action is carried out at a time. A search ends when an action arrives: live analysis at any, the engine's move
//! at those that concern it. After an action the pages get the new state, and the game is saved.

mod searches;
mod tell;

use std::time::Duration;

use crate::kernel::Color;
use crate::player::level::STRONGEST;
use crate::sgf::NodeId;
use crate::web::action::{Action, MAX_RECORD, NewGame, Person, Settings, Time};
use crate::web::clock::GameClock;
use crate::web::counting::ShownScore;
use crate::web::driver::Driver;
use crate::web::event::{Event, Refusal};
use crate::web::game::LiveGame;
use crate::web::hub::{Hub, PageId};
use crate::web::inbox::Inbox;
use crate::web::points::point_at;
use crate::web::store::Store;

/// Visits of each position of a review, if the page names none, and the most that it may name.
const REVIEW_VISITS: u64 = 300;
const MAX_REVIEW_VISITS: u64 = 1_000_000;

/// The most seconds of main time or of a period, a week.
const MAX_SECONDS: f64 = 604_800.0;

/// The most periods.
const MAX_PERIODS: u32 = 1000;

/// The wait when nothing is to be done.
const IDLE: Duration = Duration::from_secs(3600);

/// The engine, the game and the pages.
pub(super) struct Session {
    hub: Hub,
    inbox: Inbox,
    store: Store,
    driver: Driver,
    game: LiveGame,
    clock: GameClock,
    /// Whether the engine moves as soon as it is its turn.
    plays: bool,
    /// What the engine is busy with.
    thinking: Option<&'static str>,
    score: Option<ShownScore>,
    /// The positions of a review that wait, the next one last, and its visits.
    review: Option<(Vec<NodeId>, u64)>,
    /// The node whose live analysis has reached its end.
    analyzed: Option<NodeId>,
    threads: u64,
    /// Visits at which live analysis ends; 0 for no bound.
    max_visits: u64,
}

impl Session {
    /// A session with the game that was live last, or a new one like `new`.
    ///
    /// # Errors
    /// If the new game cannot be.
    pub(super) fn new(hub: Hub, inbox: Inbox, store: Store, driver: Driver, new: &NewGame) -> Result<Session, Refusal> {
        let like = driver.engine().position.clone();
        let kept = store.live_id().and_then(|id| store.load(id, &like).ok());
        let game = match kept {
            Some(game) => game,
            None => LiveGame::new(store.new_id(), new, &like)?,
        };
        let threads = driver.threads();
        Ok(Session {
            hub,
            inbox,
            store,
            driver,
            clock: GameClock::new(game.time),
            game,
            plays: false,
            thinking: None,
            score: None,
            review: None,
            analyzed: None,
            threads,
            max_visits: 0,
        })
    }

    /// Serves until the process ends.
    pub(super) fn run(mut self) {
        self.hub.send(&Event::Hello(self.hello()));
        self.show_game();
        loop {
            let wait = if self.has_work() { Duration::ZERO } else { self.clock.time_to_flag().unwrap_or(IDLE) };
            if let Some((page, action)) = self.inbox.take(wait) {
                self.act(page, action);
                continue;
            }
            if let Some(color) = self.clock.flag() {
                self.finish(&format!("{}+T", if color == Color::Black { 'W' } else { 'B' }));
                self.changed();
            } else if self.is_to_move() {
                self.move_engine();
            } else if self.review.is_some() {
                self.review_next();
            } else if self.is_to_analyze() {
                self.analyze();
            }
        }
    }

    fn has_work(&self) -> bool {
        self.is_to_move() || self.review.is_some() || self.is_to_analyze()
    }

    fn is_to_move(&self) -> bool {
        self.plays && self.game.is_engines_turn()
    }

    fn is_to_analyze(&self) -> bool {
        self.analyzed != Some(self.game.current()) && self.hub.is_watched()
    }

    /// Carries out an action, and tells the page if it is refused.
    fn act(&mut self, page: PageId, action: Action) {
        if let Err(refusal) = self.carry_out(page, action) {
            self.hub.send_to(page, &Event::Error(refusal));
            self.send_state();
        }
    }

    fn carry_out(&mut self, page: PageId, action: Action) -> Result<(), Refusal> {
        let before = self.game.current();
        match action {
            Action::Play { point } => {
                if self.is_to_move() {
                    return Err(Refusal::new("busy", "it is the engine's turn"));
                }
                self.game.play(point)?;
                self.plays = self.game.person != Person::Both;
                self.moved();
            }
            Action::Genmove {} => {
                self.move_once()?;
            }
            Action::Undo {} => {
                self.plays = false;
                self.game.undo()?;
                self.resume_clock();
            }
            Action::Redo {} => {
                self.plays = false;
                self.game.redo()?;
            }
            Action::Go { node } => {
                let node = self.node(node)?;
                self.plays = false;
                self.clock.stop();
                self.game.go(node)?;
            }
            Action::Resign {} => {
                if self.game.is_over() {
                    return Err(Refusal::new("over", "the game is over"));
                }
                let loser = match self.game.person {
                    Person::Black => Color::Black,
                    Person::White => Color::White,
                    Person::Both | Person::None => self.game.position().to_move(),
                };
                self.finish(&format!("{}+R", if loser == Color::Black { 'W' } else { 'B' }));
            }
            Action::New(new) => return self.begin(&new),
            Action::Settings(settings) => self.set(&settings)?,
            Action::Hint {} => return self.hint(page),
            Action::Score { on } => {
                self.score = None;
                if on {
                    self.count();
                }
            }
            Action::Dead { point } => self.toggle_dead(point)?,
            Action::Accept {} => {
                let score = self.score.take().ok_or_else(|| Refusal::new("nothing", "no score is shown"))?;
                self.finish(&score.event().result);
            }
            Action::Review { on, visits } => {
                let visits = visits.unwrap_or(REVIEW_VISITS).clamp(1, MAX_REVIEW_VISITS);
                let mut line = self.game.line();
                line.reverse();
                self.review = on.then_some((line, visits));
                self.thinking = self.review.is_some().then_some("review");
            }
            Action::Comment { text } => self.game.set_comment(&text),
            Action::Mark { point, kind, text } => self.game.mark(point, kind, text.as_deref())?,
            Action::Remove { node } => {
                let node = self.node(node)?;
                self.game.remove(node)?;
            }
            Action::Promote { node } => {
                let node = self.node(node)?;
                self.game.promote(node);
            }
            Action::Load { sgf } => return self.load(&sgf),
            Action::Open { game } => return self.open(&game),
            Action::Forget { game } => {
                if game == self.game.id {
                    return Err(Refusal::new("busy", "this game is open"));
                }
                self.store.remove(&game)?;
                self.send_games();
            }
            Action::Rename { black, white } => {
                self.game.rename(&black, &white);
                self.send_game();
            }
            // the socket has done these
            Action::Watch { .. } | Action::Visible { .. } => {}
        }
        if self.game.current() != before {
            self.score = None;
        }
        self.changed();
        Ok(())
    }

    fn node(&self, number: u32) -> Result<NodeId, Refusal> {
        self.game.node(number).ok_or_else(|| Refusal::new("nothing", format!("there is no node {number}")))
    }

    /// Begins a game.
    fn begin(&mut self, new: &NewGame) -> Result<(), Refusal> {
        self.check_space()?;
        check_level(new.level)?;
        if let Some(time) = new.time {
            check_time(time)?;
        }
        let game = LiveGame::new(self.store.new_id(), new, &self.driver.engine().position)?;
        self.replace(game)?;
        self.plays = self.game.person != Person::Both;
        self.resume_clock();
        self.show_game();
        Ok(())
    }

    fn load(&mut self, sgf: &str) -> Result<(), Refusal> {
        if sgf.len() > MAX_RECORD {
            return Err(Refusal::new(
                "limit",
                format!("a record of {} bytes, expected at most {MAX_RECORD}", sgf.len()),
            ));
        }
        self.check_space()?;
        let game = LiveGame::read(self.store.new_id(), sgf.as_bytes(), &self.driver.engine().position)?;
        self.replace(game)?;
        self.show_game();
        Ok(())
    }

    fn open(&mut self, id: &str) -> Result<(), Refusal> {
        if id != self.game.id {
            let game = self.store.load(id, &self.driver.engine().position)?;
            self.replace(game)?;
        }
        self.show_game();
        Ok(())
    }

    fn check_space(&self) -> Result<(), Refusal> {
        match self.store.is_full() {
            true => Err(Refusal::new("limit", "too many games are kept, delete some")),
            false => Ok(()),
        }
    }

    /// Makes another game the live one. The engine goes there at once, so that a record that it cannot play is refused.
    fn replace(&mut self, game: LiveGame) -> Result<(), Refusal> {
        self.save();
        let result = self.driver.go(&game, game.current()).and_then(|()| self.driver.set_time(game.time));
        if let Err(refusal) = result {
            // back to the game that stays
            self.driver.go(&self.game, self.game.current())?;
            return Err(refusal);
        }
        self.clock = GameClock::new(game.time);
        (self.game, self.plays, self.score) = (game, false, None);
        (self.review, self.analyzed, self.thinking) = (None, None, None);
        Ok(())
    }

    fn set(&mut self, settings: &Settings) -> Result<(), Refusal> {
        if let Some(level) = settings.level {
            check_level(level)?;
            self.game.level = level;
        }
        if let Some(threads) = settings.threads {
            let max = max_threads();
            if threads > max {
                return Err(Refusal::new("bad", format!("{threads} threads, expected at most {max}")));
            }
            self.threads = threads;
        }
        if let Some(visits) = settings.visits {
            self.max_visits = visits;
        }
        if let Some(person) = settings.person {
            self.game.person = person;
            self.plays = person != Person::Both;
        }
        self.analyzed = None;
        self.send_game();
        Ok(())
    }

    /// After a move: the clock of the next player runs, and a finished game is counted.
    fn moved(&mut self) {
        self.score = None;
        if self.game.position().is_over() {
            self.clock.press(None);
            self.count();
        } else {
            self.clock.press(Some(self.game.position().to_move()));
        }
    }

    /// Lets the clock of the side to move run, from what it had.
    fn resume_clock(&mut self) {
        self.clock.stop();
        if !self.game.is_over() && self.game.time.is_some() {
            self.clock.press(Some(self.game.position().to_move()));
        }
    }

    fn finish(&mut self, result: &str) {
        self.clock.stop();
        self.plays = false;
        self.game.finish(result.to_owned());
    }

    /// Counts the current position.
    fn count(&mut self) {
        self.think("score");
        let position = self.game.position();
        let ending = self.driver.engine().player.final_score(position);
        self.score = Some(ShownScore::new(position, &ending));
        self.thinking = None;
    }

    fn toggle_dead(&mut self, at: i32) -> Result<(), Refusal> {
        let position = self.game.position();
        let score = self.score.as_mut().ok_or_else(|| Refusal::new("nothing", "no score is shown"))?;
        let point = point_at(position.board().coordinate(), at);
        match point.is_some_and(|point| score.toggle(position, point)) {
            true => Ok(()),
            false => Err(Refusal::new("nothing", "there is no stone")),
        }
    }
}

/// The most threads that a page may choose: one for each processor.
fn max_threads() -> u64 {
    std::thread::available_parallelism().map_or(1, usize::from) as u64
}

fn check_level(level: u64) -> Result<(), Refusal> {
    match (1..=STRONGEST).contains(&level) {
        true => Ok(()),
        false => Err(Refusal::new("bad", format!("level {level}, expected 1 to {STRONGEST}"))),
    }
}

fn check_time(Time { main, period, periods }: Time) -> Result<(), Refusal> {
    let is_time = |seconds: f64| (0.0..=MAX_SECONDS).contains(&seconds);
    let has_any = main > 0.0 || (period > 0.0 && periods > 0);
    match is_time(main) && is_time(period) && periods <= MAX_PERIODS && has_any {
        true => Ok(()),
        false => {
            Err(Refusal::new("bad", format!("time {main} + {periods} x {period} seconds, expected a time to play")))
        }
    }
}

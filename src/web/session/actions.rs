//! The actions of pages.

use crate::kernel::Color;
use crate::picture::points::point_at;
use crate::player::level::STRONGEST;
use crate::sgf::{self, GameTree, NodeId};
use crate::web::action::{Action, HumanSides, MAX_RECORD, NewGame, SettingsChange, Time};
use crate::web::clock::{self, GameClock};
use crate::web::event::{Event, Notice, NoticeCode, Refusal, RefusalCode, Thinking};
use crate::web::game::CurrentGame;
use crate::web::hub::PageId;
use crate::web::session::state::{Review, Session, max_threads};

/// Visits of each position of a review, if the page names none, and the most that it may name.
const REVIEW_VISITS: u64 = 300;
const MAX_REVIEW_VISITS: u64 = 1_000_000;

/// The most seconds of main time or of a period, a week.
const MAX_SECONDS: f64 = 604_800.0;

/// The most periods.
const MAX_PERIODS: u32 = 1000;

impl Session {
    /// Carries out an action, or sends the page the reason why it is refused.
    pub(super) fn act(&mut self, page: PageId, action: Action) {
        if let Err(refusal) = self.carry_out(page, action) {
            self.hub.send_to(page, &Event::Error(refusal));
            self.send_state();
        }
    }

    pub(super) fn carry_out(&mut self, page: PageId, action: Action) -> Result<(), Refusal> {
        match action {
            // these tell the pages of the game themselves
            Action::New(new) => return self.begin(&new),
            Action::Load { sgf, bytes } => return self.load(page, &sgf, bytes),
            Action::Open { game } => return self.open(&game),
            Action::Hint {} => return self.hint(page),
            Action::Play { point } => self.play(point)?,
            Action::Genmove {} => {
                self.engine_plays = self.game.human_sides != HumanSides::Both;
                self.move_once()?;
            }
            Action::Undo {} => self.step(CurrentGame::undo)?,
            Action::Redo {} => self.step(CurrentGame::redo)?,
            Action::Go { node } => {
                let (node, before) = (self.node(node)?, self.game.current());
                self.game.go(node)?;
                self.gone_from(before);
            }
            Action::Resign {} => self.resign()?,
            Action::Settings(settings) => self.set(&settings)?,
            Action::Score { on } => {
                self.score = None;
                if on {
                    self.count();
                }
            }
            Action::Dead { point } => self.toggle_dead(point)?,
            Action::Accept {} => self.accept_score()?,
            Action::Review { on, visits } => self.review_line(on, visits.unwrap_or(REVIEW_VISITS))?,
            Action::Comment { node, text } => {
                let node = self.node(node)?;
                self.game.set_comment(node, &text);
            }
            Action::Mark { node, point, kind, text } => {
                let node = self.node(node)?;
                self.game.mark(node, point, kind, text.as_deref())?;
            }
            Action::DeleteNode { node } => self.delete_node(node)?,
            Action::Promote { node } => {
                let node = self.node(node)?;
                self.game.promote(node);
            }
            Action::DeleteGame { game } => self.delete_game(&game)?,
            Action::Rename { black, white } => {
                self.game.rename(&black, &white);
                self.send_game();
            }
            // the socket has done these
            Action::Watch { .. } | Action::Visible { .. } => {}
        }
        let node = self.game.current();
        self.score.take_if(|score| score.node() != node);
        self.changed();
        Ok(())
    }

    /// Plays a move of a person, which the engine may answer.
    fn play(&mut self, point: i32) -> Result<(), Refusal> {
        if self.is_to_move() {
            return Err(Refusal::new(RefusalCode::Busy, "it is the engine's turn"));
        }
        self.game.play(point)?;
        self.engine_plays = self.game.human_sides != HumanSides::Both;
        self.moved();
        Ok(())
    }

    /// Takes moves back or makes them again; the engine then waits.
    fn step(&mut self, step: impl FnOnce(&mut CurrentGame) -> Result<(), Refusal>) -> Result<(), Refusal> {
        step(&mut self.game)?;
        self.engine_plays = false;
        self.restore_clock();
        Ok(())
    }

    /// The person resigns, or the side to move if people play both sides or neither.
    fn resign(&mut self) -> Result<(), Refusal> {
        if self.game.is_over() {
            return Err(Refusal::new(RefusalCode::Over, "the game is over"));
        }
        let loser = match self.game.human_sides {
            HumanSides::Black => Color::Black,
            HumanSides::White => Color::White,
            HumanSides::Both | HumanSides::None => self.game.position().to_move(),
        };
        self.lose(loser, 'R');
        Ok(())
    }

    /// The score that is shown ends the game.
    fn accept_score(&mut self) -> Result<(), Refusal> {
        let score = self.score.take().ok_or_else(|| Refusal::new(RefusalCode::NotFound, "no score is shown"))?;
        self.finish(&score.event().result);
        Ok(())
    }

    /// Begins a review of the current line, or ends it.
    fn review_line(&mut self, on: bool, visits: u64) -> Result<(), Refusal> {
        if on {
            check_review_visits(visits)?;
        }
        let mut line = self.game.line();
        line.reverse();
        let count = line.len();
        self.review = on.then_some(Review { waiting: line, visits, count });
        self.thinking = self.review.is_some().then_some(Thinking::Review);
        Ok(())
    }

    /// Deletes a node with those after it. If the current one is among them, the engine waits at the node before.
    fn delete_node(&mut self, node: u32) -> Result<(), Refusal> {
        let (node, before) = (self.node(node)?, self.game.current());
        self.game.remove(node)?;
        if self.game.current() != before {
            self.clock.stop();
            self.engine_plays = false;
        }
        Ok(())
    }

    fn delete_game(&mut self, id: &str) -> Result<(), Refusal> {
        if id == self.game.id {
            return Err(Refusal::new(RefusalCode::Busy, "this game is open"));
        }
        self.store.remove(id)?;
        self.send_games();
        Ok(())
    }

    fn node(&self, number: u32) -> Result<NodeId, Refusal> {
        self.game.node(number).ok_or_else(|| Refusal::new(RefusalCode::NotFound, format!("there is no node {number}")))
    }

    /// Begins a game.
    fn begin(&mut self, new: &NewGame) -> Result<(), Refusal> {
        self.check_space()?;
        check_level(new.level)?;
        if let Some(time) = new.time {
            check_time(time)?;
        }
        let game = CurrentGame::new(self.store.new_id(), new, &self.configured)?;
        let clock = clock::restored(game.time, None);
        self.replace(game, clock)?;
        self.engine_plays = self.game.human_sides != HumanSides::Both;
        self.start_clock();
        self.show_game();
        Ok(())
    }

    /// Loads a record. One whose main line has an illegal move is loaded, too, and the page gets a notice.
    fn load(&mut self, page: PageId, sgf: &str, is_bytes: bool) -> Result<(), Refusal> {
        let file = match is_bytes {
            true => Some(sgf.chars().map(u8::try_from).collect::<Result<Vec<u8>, _>>().map_err(|_| {
                Refusal::new(
                    RefusalCode::Invalid,
                    "a record with a character above U+00FF, expected a character for each byte",
                )
            })?),
            false => None,
        };
        let length = file.as_ref().map_or(sgf.len(), Vec::len);
        if length > MAX_RECORD {
            return Err(Refusal::new(
                RefusalCode::Limit,
                format!("a record of {length} bytes, expected at most {MAX_RECORD}"),
            ));
        }
        self.check_space()?;
        let (tree, has_several_games) = match &file {
            Some(bytes) => (GameTree::read(bytes), sgf::has_several_games(bytes)),
            None => (GameTree::read_text(sgf), sgf::text_has_several_games(sgf)),
        };
        let game = CurrentGame::of_record(self.store.new_id(), tree.map_err(Refusal::of_file)?, &self.configured)?;
        let clock = clock::restored(game.time, None);
        self.replace(game, clock)?;
        self.show_game();
        let notify = |code, text| self.hub.send_to(page, &Event::Notice(Notice { code, text }));
        if has_several_games {
            notify(NoticeCode::FirstGameOnly, "the file has several games: the first one is loaded".to_owned());
        }
        let end = self.game.tree().main_line().last().copied();
        if let Some(Err(refusal)) = end.map(|end| self.game.position_at(end)) {
            notify(NoticeCode::IllegalMove, refusal.text);
        }
        Ok(())
    }

    fn open(&mut self, id: &str) -> Result<(), Refusal> {
        if id != self.game.id {
            let (game, clock) = self.store.load(id, &self.configured)?;
            self.replace(game, clock)?;
        }
        self.show_game();
        Ok(())
    }

    fn check_space(&self) -> Result<(), Refusal> {
        match self.store.is_full() {
            true => Err(Refusal::new(RefusalCode::Limit, "too many games are saved, delete some")),
            false => Ok(()),
        }
    }

    /// Makes another game the current one, with its clock. The engine goes there at once, so that a record that it cannot play is
    /// refused.
    fn replace(&mut self, game: CurrentGame, clock: GameClock) -> Result<(), Refusal> {
        self.save();
        let result = self.driver.go(&game, game.current()).and_then(|()| self.driver.set_time(game.time));
        if let Err(refusal) = result {
            // back to the game that stays
            self.driver.go(&self.game, self.game.current())?;
            return Err(refusal);
        }
        (self.game, self.clock, self.engine_plays, self.paused, self.score) = (game, clock, false, None, None);
        (self.review, self.analyzed, self.last_report, self.thinking) = (None, None, None, None);
        self.replaced_games += 1;
        Ok(())
    }

    fn set(&mut self, settings: &SettingsChange) -> Result<(), Refusal> {
        if let Some(level) = settings.level {
            check_level(level)?;
        }
        if let Some(threads) = settings.threads {
            check_threads(threads)?;
        }
        // a refused action changes nothing
        self.game.level = settings.level.unwrap_or(self.game.level);
        self.threads = settings.threads.unwrap_or(self.threads);
        if let Some(max_visits) = settings.max_visits {
            self.max_visits = max_visits;
        }
        if let Some(human_sides) = settings.human_sides {
            self.game.human_sides = human_sides;
            self.engine_plays = human_sides != HumanSides::Both;
            match &mut self.paused {
                Some(paused) => paused.engine_plays = self.engine_plays,
                None => self.start_clock(),
            }
        }
        self.analyzed = None;
        self.send_game();
        Ok(())
    }

    fn toggle_dead(&mut self, at: i32) -> Result<(), Refusal> {
        let position = self.game.position();
        let score = self.score.as_mut().ok_or_else(|| Refusal::new(RefusalCode::NotFound, "no score is shown"))?;
        let point = point_at(position.board().coordinate(), at);
        match point.is_some_and(|point| score.toggle(position, point)) {
            true => Ok(()),
            false => Err(Refusal::new(RefusalCode::NotFound, "there is no stone")),
        }
    }
}

fn check_level(level: u64) -> Result<(), Refusal> {
    match (1..=STRONGEST).contains(&level) {
        true => Ok(()),
        false => Err(Refusal::new(RefusalCode::Value, format!("level {level}, expected 1 to {STRONGEST}"))),
    }
}

fn check_threads(threads: u64) -> Result<(), Refusal> {
    let max = max_threads();
    match threads <= max {
        true => Ok(()),
        false => Err(Refusal::new(RefusalCode::Value, format!("{threads} threads, expected at most {max}"))),
    }
}

fn check_review_visits(visits: u64) -> Result<(), Refusal> {
    match (1..=MAX_REVIEW_VISITS).contains(&visits) {
        true => Ok(()),
        false => Err(Refusal::new(RefusalCode::Value, format!("{visits} visits, expected 1 to {MAX_REVIEW_VISITS}"))),
    }
}

fn check_time(Time { main, period, periods }: Time) -> Result<(), Refusal> {
    let is_time = |seconds: f64| (0.0..=MAX_SECONDS).contains(&seconds);
    let has_any = main > 0.0 || (period > 0.0 && periods > 0);
    match is_time(main) && is_time(period) && periods <= MAX_PERIODS && has_any {
        true => Ok(()),
        false => Err(Refusal::new(
            RefusalCode::Value,
            format!("time {main} + {periods} x {period} seconds, expected a time to play"),
        )),
    }
}

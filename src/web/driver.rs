//! The engine as GTP commands drive it.
//!
//! A game on a page is a session of GTP commands, logged like any other and repeatable by `replay`. This file chooses
//! the commands; the engine runs them in this process and returns search results as values.

use crate::gtp::{Engine, OnReport, run_line};
use crate::kernel::{Color, Move, Position};
use crate::picture::points::letter;
use crate::player::clock::TimeSettings;
use crate::protocol::rule_names::to_json;
use crate::sgf::{self, NodeId};
use crate::web::action::Time;
use crate::web::clock;
use crate::web::event::{Refusal, RefusalCode, TimeLeft};
use crate::web::game::CurrentGame;

/// Steps back and forth up to which the engine undoes and plays; beyond, it loads the record.
const MAX_STEPS: usize = 40;

/// The name of the record in `loadsgf`. No file has it: the log has the bytes.
const RECORD: &str = "game.sgf";

/// An engine, with its game and its current node.
pub(super) struct Driver {
    engine: Engine,
    game: String,
    /// The nodes from the root to the engine's position, each with whether it is a move alone.
    path: Vec<(NodeId, bool)>,
}

impl Driver {
    /// A driver of an engine without a game and a current node.
    pub(super) fn new(engine: Engine) -> Driver {
        // searches end by their reports, not by a reader of lines
        engine.stop_signal.attach_reader();
        Driver { engine, game: String::new(), path: Vec::new() }
    }

    /// The engine.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The number of threads of a search, as configured.
    pub(super) fn threads(&self) -> u64 {
        self.engine.player.options.threads
    }

    /// Runs a command. `on_report` gets the reports of an analysis, and ends it by `Break`. The result is the answer's
    /// text.
    ///
    /// # Errors
    /// The engine's error.
    pub(super) fn run(&mut self, line: &str, on_report: &mut OnReport<'_>) -> Result<String, Refusal> {
        let answer = run_line(&mut self.engine, line, on_report);
        match answer.response.is_success {
            true => Ok(answer.response.text),
            false => Err(Refusal::new(RefusalCode::Invalid, format!("{line}: {}", answer.response.text))),
        }
    }

    fn command(&mut self, line: &str) -> Result<(), Refusal> {
        self.run(line, &mut |_, _| std::ops::ControlFlow::Continue(())).map(drop)
    }

    /// Sets options of the search.
    pub(super) fn set_options(&mut self, level: u64, threads: u64) -> Result<(), Refusal> {
        if self.engine.player.options.level != level {
            self.command(&format!("kata-set-param Level {level}"))?;
        }
        if self.engine.player.options.threads != threads {
            self.command(&format!("kata-set-param Threads {threads}"))?;
        }
        Ok(())
    }

    /// Sets the time system.
    pub(super) fn set_time(&mut self, time: Option<Time>) -> Result<(), Refusal> {
        match clock::settings(time) {
            TimeSettings::None => self.command("kgs-time_settings none"),
            TimeSettings::ByoYomi { main, period, periods } => {
                self.command(&format!("kgs-time_settings byoyomi {main} {period} {periods}"))
            }
            _ => self.command(&format!("kgs-time_settings absolute {}", time.map_or(0.0, |time| time.main))),
        }
    }

    /// Tells the engine the time that it has left.
    pub(super) fn set_time_left(&mut self, color: Color, left: TimeLeft) -> Result<(), Refusal> {
        let (seconds, count) = clock::reading(left);
        self.command(&format!("time_left {} {seconds:.3} {count}", letter(color)))
    }

    /// Brings the engine to a node: by undoing and playing moves, or by the record of the way there.
    ///
    /// # Errors
    /// If the record cannot be loaded.
    pub(super) fn go(&mut self, game: &CurrentGame, node: NodeId) -> Result<(), Refusal> {
        let tree = game.tree();
        let is_move = |&node: &NodeId| {
            let is_turn = |name: &str| ["AB", "AW", "AE", "PL"].contains(&name);
            tree.moves(node).count() == 1 && !tree.properties(node).any(|(name, _)| is_turn(name))
        };
        let path: Vec<(NodeId, bool)> = tree.path(node).into_iter().map(|node| (node, is_move(&node))).collect();
        let target = game.position_at(node)?;
        if self.game == game.id && self.step(game, &path, &target).is_some() {
            self.path = path;
            return Ok(());
        }
        (self.game, self.path) = (String::new(), Vec::new());
        self.load(game, node, &target)?;
        (self.game, self.path) = (game.id.clone(), path);
        Ok(())
    }

    /// Undoes and plays moves; `None` if that does not lead to the position.
    fn step(&mut self, game: &CurrentGame, path: &[(NodeId, bool)], target: &Position) -> Option<()> {
        let common = self.path.iter().zip(path).take_while(|(one, other)| one == other).count();
        let (back, forth) = (self.path.get(common..)?, path.get(common..)?);
        let is_short = common > 0 && back.len() + forth.len() <= MAX_STEPS;
        if !is_short || back.iter().chain(forth).any(|(_, is_move)| !is_move) {
            return None;
        }
        for _ in 0..back.len() {
            self.command("undo").ok()?;
        }
        for &(node, _) in forth {
            let (color, play) = game.tree().move_of(node)?;
            self.command(&format!("play {} {}", letter(color), vertex(play, target))).ok()?;
        }
        self.is_at(target).then_some(())
    }

    fn load(&mut self, game: &CurrentGame, node: NodeId, target: &Position) -> Result<(), Refusal> {
        let mut rule = *self.engine.position.rule();
        rule.komi = target.rule().komi;
        if rule != *target.rule() {
            match target.rule().name() {
                Some(name) => self.command(&format!("kata-set-rules {name}"))?,
                None => self.command(&format!("kata-set-rules {}", to_json(target.rule())))?,
            }
        }
        let mut record = game.tree().record_of_path(node).map_err(Refusal::of_file)?;
        // a record without komi would keep that of the game before
        record.komi = Some(target.rule().komi);
        self.engine.files.supply(RECORD, sgf::write(&record).into_bytes());
        let loaded = self.command(&format!("loadsgf {RECORD}"));
        self.engine.files.end_replay();
        loaded?;
        match self.is_at(target) {
            true => Ok(()),
            false => Err(Refusal::of_file("the engine cannot follow this record")),
        }
    }

    /// Follows a move that the engine has made itself, to the node of this move.
    pub(super) fn push_engine_move(&mut self, node: NodeId) {
        self.path.push((node, true));
    }

    /// Takes back a move that the engine has made itself, and that is not to be played.
    pub(super) fn take_back(&mut self) -> Result<(), Refusal> {
        self.command("undo")
    }

    fn is_at(&self, target: &Position) -> bool {
        let position = &self.engine.position;
        position.board().coordinate() == target.board().coordinate()
            && position.board().stones() == target.board().stones()
            && position.to_move() == target.to_move()
            && position.rule() == target.rule()
    }
}

fn vertex(play: Move, position: &Position) -> String {
    play.vertex(position.board().coordinate())
}

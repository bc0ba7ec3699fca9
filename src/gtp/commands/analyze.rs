//! Commands that say what a search finds while it goes on, with the arguments of Leela Zero's and KataGo's extensions.
//!
//! Such a command answers with an [`Analysis`], a value: the command loop opens the answer, has the search run, and writes
//! what it says.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::genmove::{choice_text, choose_in_time, next_after, play, with_facts};
use crate::gtp::commands::info::{Dialect, Format};
use crate::gtp::response::{CommandError, Next, Reply};
use crate::kernel::{Color, Coordinate};
use crate::player::{GenmoveMode, Query};
use crate::protocol::perspective::View;
use crate::search::{Limits, ProgressSink, Restrictions, SearchResult};

/// A search that is listened to.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    purpose: Purpose,
    color: Color,
    /// Time from one report to the next; `None`: there is one only, at the end.
    every: Option<Duration>,
    restrictions: Restrictions,
    format: Format,
}

/// What the search is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// To be looked at, until any line comes.
    Watching,
    /// To choose a move.
    Choosing,
    /// To choose a move and play it.
    Playing,
}

/// How an analysis ended.
pub struct Ending {
    /// What the answer ends with, and what the logs note beside it.
    pub reply: Reply,
    /// The last report.
    pub report: String,
}

pub(crate) fn lz_analyze(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    begin(engine, args, Purpose::Watching, Dialect::LeelaZero)
}

pub(crate) fn lz_genmove_analyze(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    begin(engine, args, Purpose::Playing, Dialect::LeelaZero)
}

pub(crate) fn kata_analyze(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    begin(engine, args, Purpose::Watching, Dialect::KataGo)
}

pub(crate) fn kata_genmove_analyze(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    begin(engine, args, Purpose::Playing, Dialect::KataGo)
}

pub(crate) fn kata_search_analyze(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    begin(engine, args, Purpose::Choosing, Dialect::KataGo)
}

fn begin(engine: &Engine, args: &mut Args<'_>, purpose: Purpose, dialect: Dialect) -> Result<Reply, CommandError> {
    let mut analysis = Analysis {
        purpose,
        color: engine.position.to_move(),
        every: None,
        restrictions: Restrictions::default(),
        format: Format {
            dialect,
            root_info: false,
            ownership: false,
            variation_visits: false,
            least_moves: 0,
            most_moves: usize::MAX,
        },
    };
    let mut limited = Limited::default();
    while let Some(word) = args.optional() {
        analysis.read(word, args, engine.position.board().coordinate(), &mut limited)?;
    }
    Ok(Reply::ok().then(Next::Analyze(Box::new(analysis))))
}

/// What KataGo can be told to tell and a search like this one does not know: it is not told, asked for or not.
const UNTOLD: [&str; 5] = ["ownershipStdev", "movesOwnership", "movesOwnershipStdev", "pvEdgeVisits", "noResultValue"];

/// The words there are.
const WORDS: &str = "expected a color, hundredths of a second, interval, avoid, allow, minmoves or maxmoves";
/// KataGo has more.
const KATA_WORDS: &str = "expected a color, hundredths of a second, interval, avoid, allow, minmoves, maxmoves, rootInfo, \
                          ownership or pvVisits";

/// For each colour, by [`Color::index`], the word that its moves were limited with.
type Limited = [Option<&'static str>; 2];

impl Analysis {
    /// Whether any line ends it.
    pub fn gives_way(&self) -> bool {
        self.purpose == Purpose::Watching
    }

    /// Reads a word of the command, with the words that belong to it.
    fn read(
        &mut self,
        word: &str,
        args: &mut Args<'_>,
        coordinate: Coordinate,
        limited: &mut Limited,
    ) -> Result<(), CommandError> {
        let is_kata = self.format.dialect == Dialect::KataGo;
        if let Some(&key) = UNTOLD.iter().find(|&&key| is_kata && key == word) {
            return flag(args, key).map(drop);
        }
        match word {
            "interval" => self.every = interval(args.word("interval")?)?,
            "avoid" => self.limit("avoid", args, coordinate, limited)?,
            "allow" => self.limit("allow", args, coordinate, limited)?,
            "minmoves" => self.format.least_moves = count(args, "minmoves")?,
            "maxmoves" => self.format.most_moves = count(args, "maxmoves")?,
            "rootInfo" if is_kata => self.format.root_info = flag(args, "rootInfo")?,
            "ownership" if is_kata => self.format.ownership = flag(args, "ownership")?,
            "pvVisits" if is_kata => self.format.variation_visits = flag(args, "pvVisits")?,
            word => match Color::parse(word) {
                Some(color) => self.color = color,
                None if word.starts_with(|first: char| first.is_ascii_digit() || ".-+".contains(first)) => {
                    self.every = interval(word)?;
                }
                None => {
                    return Err(CommandError::unexpected("argument", word, if is_kata { KATA_WORDS } else { WORDS }));
                }
            },
        }
        Ok(())
    }

    /// Reads `COLOR VERTEX,... DEPTH` after `avoid` or `allow`.
    fn limit(
        &mut self,
        word: &'static str,
        args: &mut Args<'_>,
        coordinate: Coordinate,
        limited: &mut Limited,
    ) -> Result<(), CommandError> {
        let color = args.color()?;
        let moves = args.plays(coordinate)?;
        let until = args.number("depth", 1..=i32::MAX as u32)?;
        let until = u16::try_from(until).unwrap_or(u16::MAX);
        match (limited[color.index()].replace(word), word) {
            (None | Some("avoid"), "avoid") => self.restrictions.avoid(color, moves, until),
            (None, _) => self.restrictions.allow(coordinate, color, &moves, until),
            (Some(_), _) => {
                let expected = format!("expected avoid, or allow once, for {color}");
                return Err(CommandError::unexpected("argument", word, &expected));
            }
        }
        Ok(())
    }

    /// Has the search run and says what it finds, line by line.
    ///
    /// # Errors
    /// If the engine cannot play what it chose; that is a fault.
    pub(crate) fn run(
        &self,
        engine: &mut Engine,
        say: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Ending, CommandError> {
        let view = View {
            coordinate: engine.position.board().coordinate(),
            searched: self.color,
            reported: engine.player.options.report_winrate_as.of(self.color),
        };
        let mut progress = 0;
        let mut on_progress = |result: &SearchResult| {
            let line = self.format.line(result, view);
            if line.is_empty() {
                return ControlFlow::Continue(());
            }
            progress += 1;
            say(&line)
        };
        let listener =
            self.every.map_or_else(ProgressSink::default, |every| ProgressSink::new(every, &mut on_progress));
        let (result, choice) = match self.purpose {
            Purpose::Watching => (self.watch(engine, listener), None),
            Purpose::Choosing | Purpose::Playing => {
                let restrictions = Some(&self.restrictions);
                let (choice, result) = choose_in_time(engine, self.color, GenmoveMode::Game, restrictions, listener);
                (result, Some(choice))
            }
        };
        // whoever reads of a move reads what it rests on just before
        if self.every.is_none() || choice.is_some() {
            let _ = on_progress(&result);
        }
        let text = choice.map(|choice| format!("play {}", choice_text(choice, view.coordinate))).unwrap_or_default();
        let mut reply = Reply::output(text).field("reports", progress);
        if let Some(choice) = choice {
            reply = reply.field("move", choice_text(choice, view.coordinate));
            if self.purpose == Purpose::Playing {
                play(engine, self.color, choice)?;
                reply = reply.then(next_after(choice));
            }
        }
        let reply = with_facts(reply, &result, view.coordinate);
        Ok(Ending { reply, report: self.format.line(&result, view) })
    }

    fn watch(&self, engine: &mut Engine, progress: ProgressSink<'_>) -> SearchResult {
        let Engine { position, player, stop_signal, .. } = engine;
        stop_signal.stop_on_input();
        let restrictions = Some(&self.restrictions);
        player.analyze_position(
            &Query { position, color: self.color, limits: Limits::NONE, restrictions, stop_signal },
            progress,
        )
    }
}

/// A time in hundredths of a second; none is no time at all.
fn interval(word: &str) -> Result<Option<Duration>, CommandError> {
    let duration = word.parse::<f64>().ok().and_then(|hundredths| Duration::try_from_secs_f64(hundredths / 100.0).ok());
    match duration {
        Some(duration) => Ok(Some(duration).filter(|duration| !duration.is_zero())),
        None => Err(CommandError::unexpected("interval", word, "expected hundredths of a second, 0 or more")),
    }
}

fn count(args: &mut Args<'_>, key: &'static str) -> Result<usize, CommandError> {
    args.number(key, 0..=i32::MAX as u32).map(|number| number as usize)
}

fn flag(args: &mut Args<'_>, key: &'static str) -> Result<bool, CommandError> {
    match args.word("true or false")? {
        "true" => Ok(true),
        "false" => Ok(false),
        word => Err(CommandError::unexpected(key, word, "expected true or false")),
    }
}

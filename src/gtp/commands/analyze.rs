//! `lz-analyze`, `kata-analyze` and the commands of their families: searches whose progress is streamed.
//!
//! The handler reads the arguments into a [`GtpAnalysis`], a value without a search. The server opens the answer,
//! then `GtpAnalysis::run` searches and hands each report line to the server, which writes it. Arguments are those
//! of Leela Zero's and KataGo's extensions. This file does not depend on streams or logs.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::gtp::args::{Args, begins_number};
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::genmove::{
    CANCELLED, MoveRequest, choice_text, choose, choose_on_clock, next_after, play, with_search_fields,
};
use crate::gtp::commands::info::{Dialect, Format};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Color, Coordinate};
use crate::player::{self, Choice, GenmoveMode, PlayerRequest, options};
use crate::protocol::report_view::ReportView;
use crate::search::{Limits, ProgressSink, Restrictions, SearchResult, TimeBudget};

/// Visits that the only line of an analysis has, if they take no longer than [`MAX_DELAY`].
const MIN_VISITS: u64 = 100;

/// The longest time for which the end of an analysis waits for that line.
const MAX_DELAY: Duration = Duration::from_millis(500);

/// The arguments of an analysis command.
#[derive(Clone, PartialEq, Debug)]
pub struct GtpAnalysis {
    after: AfterSearch,
    color: Color,
    /// Time between two reports; `None` for one report at the end.
    interval: Option<Duration>,
    /// The visits at which an analysis ends.
    max_visits: u64,
    restrictions: Restrictions,
    format: Format,
}

/// The action after the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AfterSearch {
    /// None: the search runs until any line arrives.
    Nothing,
    /// A move is chosen and not played.
    Choose,
    /// The same, unless any line arrives before.
    ChooseOrCancel,
    /// A move is chosen and played.
    Play,
}

/// Receives the report lines of an analysis with the results that they print. `Break` ends the search.
pub(crate) type OnReport<'a> = dyn FnMut(&str, &SearchResult) -> ControlFlow<()> + 'a;

/// The end of an analysis.
pub(crate) struct AnalysisReply {
    /// The last line of the answer, and fields for the log.
    pub(crate) reply: Reply,
    /// The last report.
    pub(crate) report: String,
}

pub(crate) fn lz_analyze(engine: &Engine, args: &mut Args<'_>) -> Result<GtpAnalysis, CommandError> {
    read_arguments(engine, args, AfterSearch::Nothing, Dialect::LeelaZero)
}

pub(crate) fn lz_genmove_analyze(engine: &Engine, args: &mut Args<'_>) -> Result<GtpAnalysis, CommandError> {
    read_arguments(engine, args, AfterSearch::Play, Dialect::LeelaZero)
}

pub(crate) fn kata_analyze(engine: &Engine, args: &mut Args<'_>) -> Result<GtpAnalysis, CommandError> {
    read_arguments(engine, args, AfterSearch::Nothing, Dialect::KataGo)
}

pub(crate) fn kata_genmove_analyze(engine: &Engine, args: &mut Args<'_>) -> Result<GtpAnalysis, CommandError> {
    read_arguments(engine, args, AfterSearch::Play, Dialect::KataGo)
}

pub(crate) fn kata_search_analyze(engine: &Engine, args: &mut Args<'_>) -> Result<GtpAnalysis, CommandError> {
    read_arguments(engine, args, AfterSearch::Choose, Dialect::KataGo)
}

pub(crate) fn kata_search_analyze_cancellable(
    engine: &Engine,
    args: &mut Args<'_>,
) -> Result<GtpAnalysis, CommandError> {
    read_arguments(engine, args, AfterSearch::ChooseOrCancel, Dialect::KataGo)
}

fn read_arguments(
    engine: &Engine,
    args: &mut Args<'_>,
    after: AfterSearch,
    dialect: Dialect,
) -> Result<GtpAnalysis, CommandError> {
    let mut analysis = GtpAnalysis {
        after,
        color: engine.position.to_move(),
        interval: None,
        max_visits: u64::MAX,
        restrictions: Restrictions::default(),
        format: Format::new(dialect),
    };
    let mut seen = SeenArguments::default();
    while let Some(word) = args.optional() {
        analysis.read(word, args, engine.position.board().coordinate(), &mut seen)?;
    }
    Ok(analysis)
}

/// A flag of `kata-` commands.
struct Flag {
    key: &'static str,
    /// Its effect, for `help`.
    meaning: &'static str,
    /// The part of the report that it adds.
    part: fn(&mut Format) -> &mut bool,
}

/// The flags of `kata-` commands.
const FLAGS: [Flag; 8] = [
    Flag {
        key: "rootInfo",
        meaning: "adds to each line visits, win rate and score of the root",
        part: |format| &mut format.root_info,
    },
    Flag {
        key: "ownership",
        meaning: "adds the expected owner of each point, 1 to -1, from the highest rank down (A19 on 19x19)",
        part: |format| &mut format.ownership,
    },
    Flag {
        key: "ownershipStdev",
        meaning: "adds the standard deviation of the owner of each point",
        part: |format| &mut format.ownership_stdev,
    },
    Flag {
        key: "movesOwnership",
        meaning: "adds to each move the expected owner of each point after it",
        part: |format| &mut format.moves_ownership,
    },
    Flag {
        key: "movesOwnershipStdev",
        meaning: "adds to each move the standard deviation of the owner of each point after it",
        part: |format| &mut format.moves_ownership_stdev,
    },
    Flag {
        key: "noResultValue",
        meaning: "adds to each move the probability of a game without result",
        part: |format| &mut format.no_result,
    },
    Flag {
        key: "pvVisits",
        meaning: "adds the visits of each move of a principal variation",
        part: |format| &mut format.variation_visits,
    },
    Flag {
        key: "pvEdgeVisits",
        meaning: "adds the visits of these moves through this order of moves only",
        part: |format| &mut format.variation_edge_visits,
    },
];

/// The arguments that a command reads, for an error message.
fn expected_arguments(is_kata: bool, runs_until_input: bool) -> String {
    let mut names = vec!["a color", "hundredths of a second", "interval", "avoid", "allow", "minmoves", "maxmoves"];
    names.extend(runs_until_input.then_some("maxvisits"));
    names.extend(FLAGS.iter().filter(|_| is_kata).map(|flag| flag.key));
    let last = names.pop().unwrap_or_default();
    format!("expected {} or {last}", names.join(", "))
}

/// The arguments of `lz-` commands, for `help`.
pub(crate) fn lz_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("[COLOR]", "whose move is searched, b or w; without it, the side to move"),
        ("[N]", "hundredths of a second between two report lines; without it or with 0, one line at the end"),
        ("[KEY VALUE]", "any of the following"),
        ("interval N", "the same as N alone"),
        ("avoid COLOR D4,Q16,pass DEPTH", "excludes these moves of COLOR in the first DEPTH moves; may be repeated"),
        (
            "allow COLOR D4,Q16 DEPTH",
            "excludes all other moves of COLOR in the first DEPTH moves; once for a colour, and not together with avoid",
        ),
        ("minmoves N", "reports at least N moves, even if they have no visits"),
        ("maxmoves N", "reports at most N moves"),
    ])
}

/// The arguments of `lz-analyze`, for `help`.
pub(crate) fn lz_until_input_help() -> Vec<ArgumentHelp> {
    with_max_visits(lz_help())
}

/// The arguments of `kata-analyze`, for `help`.
pub(crate) fn kata_until_input_help() -> Vec<ArgumentHelp> {
    with_max_visits(kata_help())
}

/// Arguments, and the one that only analyses that choose no move have.
fn with_max_visits(mut arguments: Vec<ArgumentHelp>) -> Vec<ArgumentHelp> {
    let meaning = "ends the search after N visits, those of earlier searches included";
    arguments.extend(argument_help([("maxvisits N", meaning)]));
    arguments
}

/// The arguments of `kata-` commands, for `help`.
pub(crate) fn kata_help() -> Vec<ArgumentHelp> {
    let mut all = lz_help();
    all.extend(FLAGS.iter().map(|Flag { key, meaning, .. }| ArgumentHelp {
        name: format!("{key} true|false"),
        meaning: (*meaning).to_owned(),
    }));
    all
}

/// The arguments read so far that may not come twice.
#[derive(Default)]
struct SeenArguments {
    has_color: bool,
    /// Whether there was a bare number of hundredths of a second.
    has_number: bool,
    /// For each colour, by [`Color::index`], `avoid` or `allow` if its moves are restricted.
    restricted: [Option<&'static str>; 2],
}

impl GtpAnalysis {
    /// Whether the search runs until the next line of input, for which the server reads lines meanwhile.
    pub(crate) fn runs_until_input(&self) -> bool {
        self.after == AfterSearch::Nothing
    }

    /// Reads one key and its values.
    fn read(
        &mut self,
        word: &str,
        args: &mut Args<'_>,
        coordinate: Coordinate,
        seen: &mut SeenArguments,
    ) -> Result<(), CommandError> {
        let is_kata = self.format.dialect == Dialect::KataGo;
        if let Some(flag) = FLAGS.iter().find(|flag| is_kata && flag.key == word) {
            *(flag.part)(&mut self.format) = read_flag(args, flag.key)?;
            return Ok(());
        }
        match word {
            "interval" => self.interval = interval(args.word("interval")?)?,
            "avoid" => self.restrict("avoid", args, coordinate, &mut seen.restricted)?,
            "allow" => self.restrict("allow", args, coordinate, &mut seen.restricted)?,
            "minmoves" => self.format.min_moves = count(args, "minmoves")?,
            "maxmoves" => self.format.max_moves = count(args, "maxmoves")?,
            "maxvisits" if self.runs_until_input() => self.max_visits = count(args, "maxvisits")?.max(1) as u64,
            word => match Color::parse(word) {
                Some(color) if !std::mem::replace(&mut seen.has_color, true) => self.color = color,
                None if begins_number(word) && !std::mem::replace(&mut seen.has_number, true) => {
                    self.interval = interval(word)?;
                }
                _ => {
                    let expected = expected_arguments(is_kata, self.runs_until_input());
                    return Err(CommandError::unexpected("argument", word, &expected));
                }
            },
        }
        Ok(())
    }

    /// Reads `COLOR VERTEX,... DEPTH` after `avoid` or `allow`.
    fn restrict(
        &mut self,
        word: &'static str,
        args: &mut Args<'_>,
        coordinate: Coordinate,
        restricted: &mut [Option<&'static str>; 2],
    ) -> Result<(), CommandError> {
        let color = args.color()?;
        let moves = args.plays(coordinate)?;
        let depth = args.number("depth", 1..=i32::MAX as u32)?;
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        match (restricted[color.index()].replace(word), word) {
            (None | Some("avoid"), "avoid") => self.restrictions.avoid(color, moves, depth),
            (None, _) => self.restrictions.allow(coordinate, color, &moves, depth),
            (Some(before), _) => {
                let expected = format!("expected no {word} after {before} for {color}");
                return Err(CommandError::unexpected("argument", word, &expected));
            }
        }
        Ok(())
    }

    /// Runs the search and passes the reports that are not empty to `on_report`, each with its line.
    ///
    /// # Errors
    /// If the chosen move cannot be played, which is a fault of the engine.
    pub(crate) fn run(&self, engine: &mut Engine, on_report: &mut OnReport<'_>) -> Result<AnalysisReply, CommandError> {
        let view = ReportView {
            coordinate: engine.position.board().coordinate(),
            to_move: self.color,
            reported: engine.player.options.report_winrate_as.of(self.color),
        };
        let reports = Cell::new(0_u64);
        let is_stopped = Cell::new(false);
        let mut report = |format: &Format, result: &SearchResult| {
            let line = format.line(result, view);
            if line.is_empty() {
                return ControlFlow::Continue(());
            }
            reports.set(reports.get() + 1);
            let flow = on_report(&line, result);
            is_stopped.set(flow.is_break());
            flow
        };
        let mut on_progress = |result: &SearchResult| report(&self.format, result);
        let progress =
            self.interval.map_or_else(ProgressSink::default, |interval| ProgressSink::new(interval, &mut on_progress));
        let (choice, result) = match self.runs_until_input() {
            true => (None, self.search_until_input(engine, progress, &reports)),
            false => self.choose(engine, progress),
        };
        // a chosen move is reported even if a weak level chose it without visits
        let min_moves = self.format.min_moves.max(usize::from(choice.is_some()));
        let format = Format { min_moves, ..self.format };
        if self.needs_final_report(engine, choice, &result, reports.get(), is_stopped.get()) {
            let _ = report(&format, &result);
        }
        let reply = self.reply(engine, choice, reports.get())?;
        let reply = with_search_fields(reply, &result, view.coordinate);
        Ok(AnalysisReply { reply, report: format.line(&result, view) })
    }

    /// Searches until the next line of input, or the limit of visits. `reports` is the number of reports so far.
    fn search_until_input(&self, engine: &mut Engine, progress: ProgressSink<'_>, reports: &Cell<u64>) -> SearchResult {
        engine.stop_signal.stop_on_input();
        let result = self.search(engine, Limits::visits(self.max_visits), progress);
        if self.is_too_early(engine, &result, reports.get()) { self.extend_to_min_visits(engine) } else { result }
    }

    /// Searches for a move to choose; `None` if a line of input cancelled it.
    fn choose(&self, engine: &mut Engine, progress: ProgressSink<'_>) -> (Option<Choice>, SearchResult) {
        let request = MoveRequest {
            color: self.color,
            mode: GenmoveMode::Game,
            restrictions: Some(&self.restrictions),
            detailed_ownership: self.format.needs_detailed_ownership(),
        };
        let is_cancellable = self.after == AfterSearch::ChooseOrCancel;
        if is_cancellable {
            engine.stop_signal.stop_on_line();
        }
        // a move that is not played takes no time of the player
        let choose = if self.after == AfterSearch::Play { choose_on_clock } else { choose };
        let (choice, result) = choose(engine, request, progress);
        ((result.completed || !is_cancellable).then_some(choice), result)
    }

    /// Whether a report follows the search: before a chosen move; without an interval; after one that ended by itself,
    /// at its limit of visits or with its memory full; and after one that the end of the input ended before any report.
    /// Never after a cancelled one, or one that a report stopped.
    fn needs_final_report(
        &self,
        engine: &Engine,
        choice: Option<Choice>,
        result: &SearchResult,
        reports: u64,
        is_stopped: bool,
    ) -> bool {
        if !self.runs_until_input() {
            return choice.is_some();
        }
        let is_ended_early = reports == 0 && engine.stop_signal.has_input_ended();
        let is_finished = !is_stopped && (result.completed || result.visits >= self.max_visits);
        self.interval.is_none() || is_ended_early || is_finished
    }

    /// The last line of the answer. Plays the chosen move if the command does.
    fn reply(&self, engine: &mut Engine, choice: Option<Choice>, reports: u64) -> Result<Reply, CommandError> {
        let output = |text: String| Reply::output(text).field("reports", reports);
        let Some(choice) = choice else {
            return Ok(match self.runs_until_input() {
                true => output(String::new()),
                false => output(format!("play {CANCELLED}")).field("cancelled", true),
            });
        };
        let text = choice_text(choice, engine.position.board().coordinate());
        let reply = output(format!("play {text}")).field("move", text);
        if self.after != AfterSearch::Play {
            return Ok(reply);
        }
        play(engine, self.color, choice)?;
        Ok(reply.then(next_after(choice)))
    }

    /// Whether a search that the input ended before its first report has too few visits for the only line of its answer. A
    /// source that is not read ahead has ended no search. In a replay: whether it was followed by another one; the number
    /// of reports depends on the speed of the machine.
    fn is_too_early(&self, engine: &Engine, result: &SearchResult, reports: u64) -> bool {
        let trace = &engine.player.trace;
        if trace.is_replaying() {
            return trace.peek(player::Purpose::Analysis).is_some();
        }
        let is_only_line = self.interval.is_none() || engine.stop_signal.has_input_ended();
        let has_few_visits = reports == 0 && result.visits < MIN_VISITS.min(self.max_visits);
        has_few_visits && is_only_line && engine.stop_signal.has_read_a_line()
    }

    /// Searches on until there are enough visits, whatever the input is, for a short time at most.
    fn extend_to_min_visits(&self, engine: &mut Engine) -> SearchResult {
        engine.stop_signal.ignore_input();
        let limits = Limits {
            visits: MIN_VISITS.min(self.max_visits),
            time: Some(TimeBudget::fixed(MAX_DELAY)),
            ..Limits::NONE
        };
        self.search(engine, limits, ProgressSink::default())
    }

    fn search(&self, engine: &mut Engine, limits: Limits, progress: ProgressSink<'_>) -> SearchResult {
        let Engine { position, player, stop_signal, .. } = engine;
        let restrictions = Some(&self.restrictions);
        let detailed_ownership = self.format.needs_detailed_ownership();
        let request =
            PlayerRequest { position, color: self.color, limits, restrictions, detailed_ownership, stop_signal };
        player.analyze_position(&request, progress)
    }
}

/// Hundredths of a second as a duration; `None` for 0.
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

fn read_flag(args: &mut Args<'_>, key: &'static str) -> Result<bool, CommandError> {
    let word = args.word(&format!("true or false after {key}"))?;
    options::read_flag(word).ok_or_else(|| CommandError::unexpected(key, word, "expected true or false"))
}

#[cfg(test)]
mod tests;

//! From the options to the files: reads the records, analyzes one after another, and writes the outputs of each.

use std::path::Path;

use anyhow::{Context, bail};

use crate::io::files;
use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::player::options::processor_count;
use crate::player::review::{AnalysisSettings, MoveClass, default_visits};
use crate::report::index::{self, Row};
use crate::report::options::ReportArgs;
use crate::report::outputs::{OutputPlan, Outputs, Target};
use crate::report::review::{PlayedGame, Review};
use crate::report::{annotate, numbers, page};
use crate::search::StopSignal;
use crate::sgf::{self, GameTree, PlayablePart};
use crate::text::plural::counted;

/// The outcome of a record's review, for the user.
pub(crate) enum ReportEvent {
    /// A line for each record that is done: what was written, and a summary.
    Finished(String),
    /// A line for each record that is left out, or from which something is left out, with the reason.
    Warning(String),
    /// The output for stdout.
    Output(String),
}

/// Analyzes the records and writes their outputs. `configured` supplies rules and komi that a record lacks; `options` and
/// `net` are the search's. `progress` is called with the number of positions of a record done and their total.
///
/// The records are read and the files checked for writing before the first search starts. If there are several records,
/// one that cannot be read is left out. The numbers of each record are written as soon as it is reviewed, so that they stay
/// if a later record fails or the program is ended.
///
/// # Errors
/// If a file cannot be written; if the only record cannot be read, or is no game record; at the end, if some of several
/// records were left out. The message names the file.
pub(crate) fn run(
    args: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
    mut progress: impl FnMut(usize, usize) + Send,
    mut on_event: impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let plan = OutputPlan::new(args)?;
    // the annotated record has the whole tree
    let tree_errors = if args.sgf.is_some() { TreeErrors::Fail } else { TreeErrors::Warn };
    let mut readable = Vec::new();
    for (path, outputs) in args.records.iter().zip(&plan.records) {
        // games in memory would be as many as the records, so that each is read again
        let game = read(path, configured, tree_errors, &mut on_event);
        if or_left_out(game, &plan, &mut on_event)?.is_some() {
            readable.push((path, outputs));
        }
    }
    // nothing is written without a record, so that no folder is made
    if !readable.is_empty() {
        plan.check(&args.records, args.overwrite)?;
    }
    let (mut reviewed, mut rows) = (0, Vec::new());
    for (path, outputs) in readable {
        // its warnings have been given
        let game = read(path, configured, tree_errors, &mut |_| Ok(()));
        let Some(game) = or_left_out(game, &plan, &mut on_event)? else { continue };
        let review = args.review(game, options, net, &mut progress);
        rows.extend(write_review(&review, path, &plan, outputs, reviewed == 0, &mut on_event)?);
        reviewed += 1;
    }
    write_index(&plan, &rows, &mut on_event)?;
    if let Some(file) = plan.json.as_ref().and_then(Target::file).filter(|_| !is_single(&plan) && reviewed > 0) {
        on_event(ReportEvent::Finished(format!("wrote {}", file.display())))?;
    }
    let skipped = args.records.len() - reviewed;
    if skipped > 0 {
        bail!("report: {skipped} of {} left out", counted(args.records.len(), "record"));
    }
    Ok(())
}

fn is_single(plan: &OutputPlan) -> bool {
    plan.records.len() == 1
}

/// The game of a record; `None` if it cannot be read and is one of several, with a warning.
///
/// # Errors
/// If the only record cannot be read.
fn or_left_out(
    game: anyhow::Result<PlayedGame>,
    plan: &OutputPlan,
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<Option<PlayedGame>> {
    match game {
        Ok(game) => Ok(Some(game)),
        Err(error) if is_single(plan) => Err(error),
        Err(error) => {
            on_event(ReportEvent::Warning(format!("{error:#}")))?;
            Ok(None)
        }
    }
}

/// Writes the numbers and the other outputs of a record, and tells that it is done. `is_first` says whether no other
/// record has been written. Returns the row of the index, if the record has a page.
fn write_review(
    review: &Review,
    path: &Path,
    plan: &OutputPlan,
    outputs: &Outputs,
    is_first: bool,
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<Option<Row>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers = match &plan.json {
        Some(target) => write_numbers(target, &numbers::json(review, &name)?, is_first, on_event)?,
        None => None,
    };
    let mut written = write_outputs(review, outputs, on_event)?;
    // the file of several records is named at the end
    written.extend(numbers.filter(|_| is_single(plan)));
    let of_class = |class| review.mistakes.iter().filter(|mistake| mistake.class == class).count();
    let summary = format!(
        "{}, {}, {}",
        counted(review.move_count(), "move"),
        counted(of_class(MoveClass::Mistake), "mistake"),
        counted(of_class(MoveClass::Blunder), "blunder")
    );
    let line = if written.is_empty() {
        format!("{}: {summary}", path.display())
    } else {
        format!("wrote {}: {summary}", written.join(", "))
    };
    on_event(ReportEvent::Finished(line))?;
    Ok(outputs.page.as_ref().and_then(Target::file).map(|page| Row::new(&name, page, review)))
}

/// Writes the page that lists the games, if the plan has one and a game has a page.
fn write_index(
    plan: &OutputPlan,
    rows: &[Row],
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(path) = plan.index.as_ref().filter(|_| !rows.is_empty()) else { return Ok(()) };
    let html = index::html(rows, path.parent().unwrap_or(Path::new("")));
    write("--output", &Target::File(path.clone()), &html, on_event)?;
    on_event(ReportEvent::Finished(format!("wrote {}: {}", path.display(), counted(rows.len(), "game"))))
}

impl ReportArgs {
    /// Analyzes a game with these options.
    pub(super) fn review(
        &self,
        game: PlayedGame,
        options: &Options,
        net: Option<&Net>,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Review {
        let threads = self.threads.unwrap_or_else(processor_count);
        let (coordinate, stop_signal) = (game.end.board().coordinate(), &StopSignal::default());
        let visits = self.visits.unwrap_or_else(|| default_visits(net, &options.params, coordinate));
        Review::new(game, AnalysisSettings { visits, threads, options, net, stop_signal }, progress)
    }

    /// Whether an output goes to standard output, so that messages do not.
    pub(crate) fn uses_stdout(&self) -> bool {
        [&self.output, &self.sgf, &self.json].into_iter().flatten().any(|path| path == Path::new("-"))
    }
}

/// The answer to a record that is damaged after its main line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeErrors {
    /// An error.
    Fail,
    /// A warning; comments and variations are left out.
    Warn,
}

/// Reads a record and plays its main line, up to an illegal move if there is one, with a warning. A record that is damaged
/// after its main line has the main line only, with a warning, unless `tree_errors` asks for an error.
pub(super) fn read(
    path: &Path,
    configured: &Position,
    tree_errors: TreeErrors,
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<PlayedGame> {
    let bytes = files::read(path).context("report")?;
    let in_file = || format!("report {}", path.display());
    let record = sgf::read(&bytes).with_context(in_file)?;
    if sgf::has_several_games(&bytes) {
        on_event(ReportEvent::Warning(format!(
            "{}: only the first of its games is reviewed and written",
            path.display()
        )))?;
    }
    let tree = match GameTree::read(&bytes) {
        Ok(tree) => tree,
        Err(error) if tree_errors == TreeErrors::Fail => return Err(error).with_context(in_file),
        Err(error) => {
            let reason = format!("{}: {error}; its comments and variations are left out", path.display());
            on_event(ReportEvent::Warning(reason))?;
            GameTree::read(sgf::write(&record).as_bytes()).with_context(in_file)?
        }
    };
    for line in sgf::unknown_settings(&record, configured.rule()) {
        on_event(ReportEvent::Warning(format!("{}: {line}", path.display())))?;
    }
    let playable = sgf::playable_part(&record, &sgf::defaults_for(&record, configured)).with_context(in_file)?;
    let PlayablePart { position: end, illegal } = playable;
    if let Some(illegal) = &illegal {
        on_event(ReportEvent::Warning(format!("{}: {}", path.display(), illegal.warning())))?;
    }
    Ok(PlayedGame { record, tree, end, illegal })
}

/// Writes the page and the annotated record; returns the names of the files.
fn write_outputs(
    review: &Review,
    outputs: &Outputs,
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<String>> {
    let mut written = Vec::new();
    if let Some(target) = &outputs.page {
        written.extend(write("--output", target, &page::html(review)?, on_event)?);
    }
    if let Some(target) = &outputs.sgf {
        written.extend(write("--sgf", target, &annotate::annotated(review), on_event)?);
    }
    Ok(written)
}

/// Writes the numbers of a record, a line: the first one replaces the file, and the others are appended. Returns the name
/// of the file.
fn write_numbers(
    target: &Target,
    line: &str,
    is_first: bool,
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<Option<String>> {
    match target {
        Target::File(path) if !is_first => {
            files::append(path, line.as_bytes()).context("--json")?;
            Ok(Some(path.display().to_string()))
        }
        _ => write("--json", target, line, on_event),
    }
}

/// Writes an output; returns the name of its file.
fn write(
    option: &'static str,
    target: &Target,
    text: &str,
    on_event: &mut impl FnMut(ReportEvent) -> anyhow::Result<()>,
) -> anyhow::Result<Option<String>> {
    let Target::File(path) = target else {
        on_event(ReportEvent::Output(text.to_owned()))?;
        return Ok(None);
    };
    files::write(path, text.as_bytes()).context(option)?;
    Ok(Some(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule};

    /// Reviews `a.sgf`, `b.sgf` and `c.sgf` of a folder, with pages in `pages` and numbers in `n.json`, and does this when
    /// the first one is finished. Gives the outcome, the warnings, and the records that the numbers name.
    fn run_three(folder: &Path, after_first: impl Fn()) -> (anyhow::Result<()>, Vec<String>, Vec<String>) {
        let records: Vec<PathBuf> = ["a.sgf", "b.sgf", "c.sgf"].map(|name| folder.join(name)).into();
        for record in &records {
            fs::write(record, "(;SZ[2];B[aa])").unwrap();
        }
        let args = ReportArgs {
            records,
            output: Some(folder.join("pages")),
            json: Some(folder.join("n.json")),
            visits: Some(2),
            threads: Some(1),
            ..ReportArgs::default()
        };
        let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(6.5), 0, Color::Black);
        let (mut finished, mut warnings) = (0, Vec::new());
        let outcome = run(
            &args,
            &position,
            &Options::default(),
            None,
            |_, _| {},
            |event| {
                match event {
                    ReportEvent::Finished(_) => {
                        finished += 1;
                        if finished == 1 {
                            after_first();
                        }
                    }
                    ReportEvent::Warning(text) => warnings.push(text),
                    ReportEvent::Output(_) => {}
                }
                Ok(())
            },
        );
        let numbers = fs::read_to_string(folder.join("n.json")).unwrap();
        let name = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["record"].to_string();
        (outcome, warnings, numbers.lines().map(name).collect())
    }

    #[test]
    fn numbers_stay_if_a_later_page_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let (outcome, warnings, numbers) =
            run_three(folder.path(), || fs::remove_dir_all(folder.path().join("pages")).unwrap());
        assert!(format!("{:#}", outcome.unwrap_err()).starts_with("--output: cannot write "));
        assert_eq!((numbers.join(" "), warnings), (r#""a.sgf" "b.sgf""#.to_owned(), Vec::new()));
    }

    #[test]
    fn a_record_is_read_when_its_turn_comes() {
        let folder = tempfile::tempdir().unwrap();
        let (outcome, warnings, numbers) =
            run_three(folder.path(), || fs::remove_file(folder.path().join("b.sgf")).unwrap());
        assert_eq!(outcome.unwrap_err().to_string(), "report: 1 of 3 records left out");
        assert!(warnings.len() == 1 && warnings.concat().starts_with("report: cannot read "), "{warnings:?}");
        assert_eq!(numbers.join(" "), r#""a.sgf" "c.sgf""#);
    }
}

//! `report --serve`: reviews for other programs, which name a record on each line of standard input and get the numbers of
//! each on a line of standard output.
//!
//! Lines are answered in order, each before the next one is read. The net is loaded once, and nothing is kept from one
//! record to the next: a review has the same numbers as one of its own process with the same seed. A line that cannot be
//! answered gets an error, and the next line is read.

use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::player::options::MAX_SEED;
use crate::protocol::line::StreamLines;
use crate::report::numbers::Numbers;
use crate::report::options::ReportArgs;
use crate::report::run::{ReportEvent, TreeErrors, read};
use crate::text::input::json_object;
use crate::{NAME, VERSION};

/// A line of input: a record to review, or a question about the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewRequest {
    /// Repeated in the answer.
    id: String,
    /// `query_version` in place of a record.
    action: Option<String>,
    /// The record's file.
    record: Option<PathBuf>,
    /// Visits per position; default: the option.
    #[serde(alias = "playouts")]
    visits: Option<u64>,
    /// The RNG seed; default: that of the configuration.
    seed: Option<u64>,
}

/// The answer with the numbers of a game.
#[derive(Serialize)]
struct Reviewed<'a> {
    id: &'a str,
    /// The parts of the record that were left out.
    warnings: &'a [String],
    #[serde(flatten)]
    numbers: Numbers<'a>,
}

/// The answer to `query_version`.
#[derive(Serialize)]
struct Identity<'a> {
    id: &'a str,
    program: &'static str,
    version: &'static str,
    /// The MD5 digest of the net's file.
    net: Option<&'a str>,
}

/// The id of a request, whatever its other fields are.
#[derive(Deserialize)]
struct WithId {
    id: String,
}

/// The answer to a line that cannot be answered otherwise.
#[derive(Serialize)]
struct Refused<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    error: String,
}

/// Answers the lines of `input` until its end; `write` takes each answer with its line end. The other arguments are those
/// of [`run`](crate::report::run()).
///
/// # Errors
/// If `input` cannot be read or an answer cannot be written.
pub(crate) fn serve(
    args: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
    input: impl BufRead,
    mut write: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut lines = StreamLines::new(input);
    while let Some(line) = lines.next_line()? {
        let answer = match line.too_long_message() {
            Some(error) => serde_json::to_string(&Refused { id: None, error })?,
            None if line.bytes.trim_ascii().is_empty() => continue,
            None => answer(&line.bytes, args, configured, options, net)?,
        };
        write(&(answer + "\n"))?;
    }
    Ok(())
}

/// The answer to a line.
fn answer(
    line: &[u8],
    args: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
) -> serde_json::Result<String> {
    let request: ReviewRequest = match json_object(line) {
        Ok(request) => request,
        Err(error) => {
            // a request with a wrong field may have an id
            let id = json_object(line).ok().map(|WithId { id }| id);
            return serde_json::to_string(&Refused { id: id.as_deref(), error: format!("invalid request: {error}") });
        }
    };
    let id = request.id.as_str();
    let refused = |error| serde_json::to_string(&Refused { id: Some(id), error });
    match (&request.action, &request.record) {
        (Some(action), None) if action == "query_version" => {
            let net = net.map(Net::digest);
            return serde_json::to_string(&Identity { id, program: NAME, version: VERSION, net });
        }
        (Some(action), None) => return refused(format!("action {action:?}: expected \"query_version\"")),
        (None, Some(_)) => {}
        _ => return refused("expected either \"record\" or \"action\"".to_owned()),
    }
    if request.visits == Some(0) {
        return refused("visits: expected at least 1, found 0".to_owned());
    }
    if let Some(seed) = request.seed.filter(|&seed| seed > MAX_SEED) {
        return refused(format!("seed: expected 0 to {MAX_SEED}, found {seed}"));
    }
    // a panic becomes an error, so that the next lines are answered
    let reviewed = catch_unwind(AssertUnwindSafe(|| reviewed(&request, args, configured, options, net)));
    match reviewed {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => refused(format!("{error:#}")),
        Err(_) => refused("internal error".to_owned()),
    }
}

/// The numbers of a record.
fn reviewed(
    request: &ReviewRequest,
    args: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
) -> anyhow::Result<String> {
    let path = request.record.clone().unwrap_or_default();
    let mut warnings = Vec::new();
    let game = read(&path, configured, TreeErrors::Warn, &mut |event| {
        if let ReportEvent::Warning(text) = event {
            warnings.push(text);
        }
        Ok(())
    })?;
    let args = ReportArgs { visits: request.visits.or(args.visits), ..args.clone() };
    let options = Options { seed: request.seed.unwrap_or(options.seed), ..*options };
    let review = args.review(game, &options, net, |_, _| {});
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers = Numbers::of(&review, &name);
    Ok(serde_json::to_string(&Reviewed { id: &request.id, warnings: &warnings, numbers })?)
}

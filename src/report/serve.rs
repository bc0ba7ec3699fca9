//! `report --serve`: reviews for other programs, which name a record on each line of standard input and get the numbers of
//! each on a line of standard output.
//!
//! Lines are answered in order, each before the next one is read. The net is loaded once, and nothing is kept from one
//! record to the next: a review has the same numbers as one of its own process with the same seed. A line that cannot be
//! answered gets an error, and the next line is read.

use std::io::BufRead;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::player::options::MAX_SEED;
use crate::protocol::line::StreamLines;
use crate::report::numbers::Numbers;
use crate::report::options::ReportArgs;
use crate::report::run::{ReportEvent, TreeErrors, read};
use crate::text::input::json_object;
use crate::text::quote::shortened;
use crate::{NAME, VERSION};

/// The fields of a line of input, as they were written. `null` is as if the field were absent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFields {
    id: Option<Value>,
    action: Option<Value>,
    record: Option<Value>,
    #[serde(alias = "playouts")]
    visits: Option<Value>,
    seed: Option<Value>,
}

/// A line of input: a question about the program, or a record to review.
enum Request {
    /// `query_version`.
    Version,
    Review(ReviewRequest),
}

/// A record to review.
struct ReviewRequest {
    /// The record's file.
    record: PathBuf,
    /// Visits per position; default: the option.
    visits: Option<u64>,
    /// The RNG seed; default: that of the configuration.
    seed: Option<u64>,
}

impl RequestFields {
    /// The text that the answer repeats.
    fn id(&self) -> Result<&str, String> {
        text("id", self.id.as_ref(), "a text")?.ok_or_else(|| "id: missing, expected a text".to_owned())
    }

    fn request(&self) -> Result<Request, String> {
        const PATH: &str = "the path of a file as a text";
        let action = text("action", self.action.as_ref(), "\"query_version\"")?;
        let record = text("record", self.record.as_ref(), PATH)?;
        let record = match (action, record) {
            (Some("query_version"), None) => return Ok(Request::Version),
            (Some(action), None) => return Err(format!("action {action:?}: expected \"query_version\"")),
            (None, Some("")) => return Err(format!("record: expected {PATH}, found \"\"")),
            (None, Some(record)) => record.into(),
            (None, None) => return Err("expected either \"record\" or \"action\", found neither".to_owned()),
            (Some(_), Some(_)) => return Err("expected either \"record\" or \"action\", found both".to_owned()),
        };
        let visits = whole_number("visits", self.visits.as_ref(), 1..=u64::MAX, "of at least 1")?;
        let seed_range = format!("from 0 to {MAX_SEED}");
        let seed = whole_number("seed", self.seed.as_ref(), 0..=MAX_SEED, &seed_range)?;
        Ok(Request::Review(ReviewRequest { record, visits, seed }))
    }
}

/// A field that is a text, if it is present.
fn text<'a>(name: &str, value: Option<&'a Value>, expected: &str) -> Result<Option<&'a str>, String> {
    let text = |found: &'a Value| found.as_str().ok_or_else(|| unexpected(name, found, expected));
    value.map(text).transpose()
}

/// A field that is a whole number in a range, which `bounds` describes, if it is present.
fn whole_number(
    name: &str,
    value: Option<&Value>,
    range: RangeInclusive<u64>,
    bounds: &str,
) -> Result<Option<u64>, String> {
    let number = |found: &Value| {
        let number = found.as_u64().filter(|number| range.contains(number));
        number.ok_or_else(|| unexpected(name, found, &format!("a whole number {bounds}")))
    };
    value.map(number).transpose()
}

/// The error for a field of the wrong kind.
fn unexpected(name: &str, found: &Value, expected: &str) -> String {
    format!("{name}: expected {expected}, found {}", shortened(&found.to_string()))
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
    let fields: RequestFields = match json_object(line) {
        Ok(fields) => fields,
        Err(error) => {
            // a request with a wrong field may have an id
            let id = json_object(line).ok().map(|WithId { id }| id);
            let found = shortened(String::from_utf8_lossy(line).trim());
            let error = format!("invalid request: {error}, found {found}");
            return serde_json::to_string(&Refused { id: id.as_deref(), error });
        }
    };
    let id = match fields.id() {
        Ok(id) => id,
        Err(error) => return serde_json::to_string(&Refused { id: None, error }),
    };
    let refused = |error| serde_json::to_string(&Refused { id: Some(id), error });
    let request = match fields.request() {
        Ok(Request::Review(request)) => request,
        Ok(Request::Version) => {
            let net = net.map(Net::digest);
            return serde_json::to_string(&Identity { id, program: NAME, version: VERSION, net });
        }
        Err(error) => return refused(error),
    };
    // a panic becomes an error, so that the next lines are answered
    let reviewed = catch_unwind(AssertUnwindSafe(|| reviewed(id, &request, args, configured, options, net)));
    match reviewed {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => refused(format!("{error:#}")),
        Err(_) => refused("internal error".to_owned()),
    }
}

/// The numbers of a record.
fn reviewed(
    id: &str,
    request: &ReviewRequest,
    args: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
) -> anyhow::Result<String> {
    let path = &request.record;
    let mut warnings = Vec::new();
    let game = read(path, configured, TreeErrors::Warn, &mut |event| {
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
    Ok(serde_json::to_string(&Reviewed { id, warnings: &warnings, numbers })?)
}

//! The results of `bench`, and their output as text and as JSON.

use std::fmt::Write;

use serde::{Serialize, Serializer};

use crate::kernel::Coordinate;
use crate::kernel::hash::Fnv1a;
use crate::tools::board_size;

/// Positions per batch of the net.
pub(super) const BATCH: usize = 8;

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Measured {
    /// Board size.
    #[serde(serialize_with = "board_size::serialize")]
    pub(super) size: Coordinate,
    /// Games, or visits of a search.
    pub(super) playouts: u64,
    /// Games or visits per second.
    pub(super) per_second: f64,
    /// Mean length of a game in moves, passes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mean_length: Option<f64>,
    /// Games that Black won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) black_wins: Option<u64>,
    /// The share of time spent in the net, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) eval_share: Option<f64>,
    #[serde(skip)]
    pub(super) signature: Fnv1a,
}

impl Measured {
    fn line(&self) -> String {
        let length = self.mean_length.unwrap_or_default();
        let share = 100.0 * self.black_wins.unwrap_or_default() as f64 / self.playouts.max(1) as f64;
        format!("{:>9.0} /s, {length:.1} moves long, {share:.1}% won by Black", self.per_second)
    }
}

/// The measurements on one board; those that were not made are absent.
#[derive(Serialize)]
pub(super) struct BoardMeasurements {
    #[serde(skip)]
    board: Coordinate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) light: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heavy: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<Measured>,
    /// The search with `--threads`, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) search_threads: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) search_net: Option<Measured>,
    /// Evaluations per second by instruction set.
    #[serde(serialize_with = "serialize_map", skip_serializing_if = "Vec::is_empty")]
    pub(super) net: Vec<(String, f64)>,
}

/// All measurements.
pub(super) struct Measurements {
    /// Threads of [`BoardMeasurements::search_threads`].
    pub(super) threads: usize,
    pub(super) boards: Vec<BoardMeasurements>,
}

/// The output of `--json`, which has one board.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    board: Option<&'a BoardMeasurements>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl BoardMeasurements {
    /// No measurements yet.
    pub(super) fn new(board: Coordinate) -> BoardMeasurements {
        let (light, heavy, search, search_threads, search_net) = (None, None, None, None, None);
        BoardMeasurements { board, light, heavy, search, search_threads, search_net, net: Vec::new() }
    }

    /// Adds the lines of a board.
    fn write(&self, threads: usize, text: &mut String) -> std::fmt::Result {
        writeln!(text, "{}", self.board)?;
        if let Some(light) = &self.light {
            writeln!(text, "  light playouts     {}", light.line())?;
        }
        if let Some(heavy) = &self.heavy {
            writeln!(text, "  heavy playouts     {}", heavy.line())?;
        }
        if let Some(one) = &self.search {
            writeln!(text, "  search, 1 thread   {:>9.0} visits/s", one.per_second)?;
            if let Some(many) = &self.search_threads {
                let gain = many.per_second / one.per_second;
                writeln!(text, "  search, {threads} threads  {:>9.0} visits/s, {gain:.2} times", many.per_second)?;
            }
        }
        if let Some(with_net) = &self.search_net {
            let (speed, share) = (with_net.per_second, 100.0 * with_net.eval_share.unwrap_or_default());
            writeln!(text, "  search with net    {speed:>9.0} visits/s, {share:.0}% of the time in the net")?;
        }
        for (set, per_second) in &self.net {
            writeln!(text, "  net, {set:<14}{per_second:>9.0} evaluations/s, {BATCH} at once")?;
        }
        Ok(())
    }
}

impl Measurements {
    /// The signature of the playouts and the searches with one thread and without the net, in hexadecimal; `None` if only
    /// the net was measured.
    fn signature(&self) -> Option<String> {
        let measured = self.boards.iter().flat_map(|board| [&board.light, &board.heavy, &board.search]).flatten();
        let signed = measured.fold(None, |signature: Option<Fnv1a>, measured| {
            Some(signature.unwrap_or_default().with(measured.signature.value()))
        });
        signed.map(|signature| format!("{:016x}", signature.value()))
    }

    /// The text to print: the lines of each board, and the signature.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for board in &self.boards {
            let _ = board.write(self.threads, &mut text);
        }
        if let Some(signature) = self.signature() {
            let _ = writeln!(text, "signature {signature}");
        }
        text
    }

    /// One JSON object with the measurements on the first board, and the signature.
    ///
    /// # Errors
    /// If they cannot be written as JSON.
    pub(super) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&Output { board: self.boards.first(), signature: self.signature() })
    }
}

/// Writes pairs as an object.
fn serialize_map<S: Serializer>(pairs: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, number)| (name, number)))
}

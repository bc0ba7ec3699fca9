//! Hearing what a search has found so far, while it goes on.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::search::searcher::{Candidate, SearchResult};

/// Who hears what was found so far, and how often. The default is nobody.
#[derive(Default)]
pub struct ProgressSink<'a> {
    listener: Option<Listener<'a>>,
}

struct Listener<'a> {
    every: Duration,
    /// When the next report is due, from the beginning of the search.
    due: Duration,
    on_progress: &'a mut dyn FnMut(&SearchResult) -> ControlFlow<()>,
}

impl<'a> ProgressSink<'a> {
    /// Reports to `hear`, on the thread that asked for the search, every so often. It stops the search by a break.
    pub fn new(every: Duration, on_progress: &'a mut dyn FnMut(&SearchResult) -> ControlFlow<()>) -> ProgressSink<'a> {
        ProgressSink { listener: Some(Listener { every, due: every, on_progress }) }
    }

    /// These reports, the first of them after so long.
    pub fn with_first_report_after(mut self, first: Duration) -> ProgressSink<'a> {
        if let Some(listener) = &mut self.listener {
            listener.due = first;
        }
        self
    }

    /// Makes a report if one is due in a search that began then.
    pub(crate) fn give(&mut self, begin: Instant, result: impl FnOnce() -> SearchResult) -> ControlFlow<()> {
        let Some(Listener { every, due, on_progress }) = &mut self.listener else { return ControlFlow::Continue(()) };
        let elapsed = begin.elapsed();
        if elapsed < *due {
            return ControlFlow::Continue(());
        }
        // one that was late makes the next one no earlier
        *due = elapsed.saturating_add(*every);
        on_progress(&result())
    }
}

impl Candidate {
    /// The lower end of the interval in which its value lies with 95% probability: E. Wilson, "Probable inference, the
    /// law of succession, and statistical inference", 1927.
    pub fn lower_bound(&self) -> f32 {
        const Z: f64 = 1.96;
        if self.visits == 0 {
            return 0.0;
        }
        let (mean, visits) = (f64::from(self.value), f64::from(self.visits));
        let center = mean + Z * Z / (2.0 * visits);
        let spread = Z * (mean * (1.0 - mean) / visits + (Z / (2.0 * visits)).powi(2)).max(0.0).sqrt();
        ((center - spread) / (1.0 + Z * Z / visits)).clamp(0.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Move;

    #[test]
    fn the_lower_bound_comes_closer_with_visits() {
        for (value, visits, expected) in [
            (0.5, 0, 0.0),
            (0.0, 1, 0.0),
            (1.0, 1, 0.2065),
            (0.5, 10, 0.2366),
            (0.5, 100, 0.4038),
            (0.5, 10_000, 0.4902),
            (0.9, 100, 0.8256),
        ] {
            let (variation, variation_visits) = (vec![Move::Pass], vec![visits]);
            let (prior, policy, lead) = (0.5, None, None);
            let candidate =
                Candidate { play: Move::Pass, visits, value, prior, policy, variation, variation_visits, lead };
            assert!((candidate.lower_bound() - expected).abs() < 1e-4, "{value} {visits}: {}", candidate.lower_bound());
        }
    }
}

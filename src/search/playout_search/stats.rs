//! Playout statistics outside the tree: ownership, criticality and score leads.
//!
//! They count all searches of the same root with the same settings, so that a second search of a position
//! continues the means. Each thread writes its own [`ThreadStats`], which the others may read at any time. One
//! writer per counter needs no lock and no atomic addition; a reader may see a playout in some counters and not yet in
//! others.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use crate::kernel::{Board, Color, Coordinate, Point};
use crate::search::details::{Lead, Ownership};
use crate::search::playout_search::ownership_stats::{OwnershipStats, add};

/// The counters of one thread.
pub(super) struct ThreadStats {
    /// Of each cell: playouts in which it was Black's minus those in which it was White's.
    owners: Vec<AtomicI32>,
    /// Of each cell: playouts in which it was the winner's minus those in which it was the loser's.
    owned_by_winner: Vec<AtomicI32>,
    /// Leads by the cell of the playout's first tree move; a pass has a cell of the frame.
    leads_by_first_move: Vec<ScoreStats>,
    /// Leads of all playouts.
    all_leads: ScoreStats,
    /// Playouts won by Black minus those won by White.
    win_balance: AtomicI32,
    /// Owners in detail, if an analysis asks for them.
    ownership_stats: Option<OwnershipStats>,
}

/// Count, sum and sum of squares of leads.
#[derive(Default)]
struct ScoreStats {
    count: AtomicU64,
    /// An `f64` by its bits, as [`ScoreStats::squares`].
    sum: AtomicU64,
    squares: AtomicU64,
}

impl ScoreStats {
    fn add(&self, lead: f64) {
        self.count.store(self.count.load(Relaxed) + 1, Relaxed);
        for (sum, value) in [(&self.sum, lead), (&self.squares, lead * lead)] {
            sum.store((f64::from_bits(sum.load(Relaxed)) + value).to_bits(), Relaxed);
        }
    }

    fn add_all(&mut self, other: &ScoreStats) {
        *self.count.get_mut() += other.count.load(Relaxed);
        for (sum, value) in [(&mut self.sum, &other.sum), (&mut self.squares, &other.squares)] {
            let sum = sum.get_mut();
            *sum = (f64::from_bits(*sum) + f64::from_bits(value.load(Relaxed))).to_bits();
        }
    }

    /// Mean and standard deviation over several counters; `None` without playouts.
    fn merge<'a>(parts: impl Iterator<Item = &'a ScoreStats>) -> Option<Lead> {
        let (mut count, mut sum, mut squares) = (0, 0.0, 0.0);
        for part in parts {
            count += part.count.load(Relaxed);
            sum += f64::from_bits(part.sum.load(Relaxed));
            squares += f64::from_bits(part.squares.load(Relaxed));
        }
        let weight = count as f64;
        let variance = (squares / weight - (sum / weight).powi(2)).max(0.0);
        (count > 0).then(|| Lead { mean: (sum / weight) as f32, stdev: variance.sqrt() as f32, samples: count })
    }
}

impl ThreadStats {
    /// Zero counters for a board of this size.
    pub(super) fn new(coordinate: Coordinate) -> ThreadStats {
        let cells = coordinate.memory_area();
        let zeros = || std::iter::repeat_with(AtomicI32::default).take(cells).collect();
        ThreadStats {
            owners: zeros(),
            owned_by_winner: zeros(),
            leads_by_first_move: std::iter::repeat_with(ScoreStats::default).take(cells).collect(),
            all_leads: ScoreStats::default(),
            win_balance: AtomicI32::default(),
            ownership_stats: None,
        }
    }

    /// Number of playouts counted.
    fn playouts(&self) -> u64 {
        self.all_leads.count.load(Relaxed)
    }

    /// Adds the counts of another thread, which has ended.
    fn add(&mut self, other: &ThreadStats) {
        let owned_by_winner = self.owned_by_winner.iter_mut().zip(&other.owned_by_winner);
        let sums = self.owners.iter_mut().zip(&other.owners).chain(owned_by_winner);
        for (sum, count) in sums.chain([(&mut self.win_balance, &other.win_balance)]) {
            let sum = sum.get_mut();
            *sum = sum.wrapping_add(count.load(Relaxed));
        }
        self.leads_by_first_move.iter_mut().zip(&other.leads_by_first_move).for_each(|(sum, leads)| sum.add_all(leads));
        self.all_leads.add_all(&other.all_leads);
        if let Some((sum, other)) = self.ownership_stats.as_mut().zip(other.ownership_stats.as_ref()) {
            sum.add_all(other);
        }
    }
}

/// The writer of a thread's counters.
pub(super) struct StatsRecorder<'a> {
    stats: &'a ThreadStats,
    /// Owner of each cell at the end of the current playout: 1 is Black's, -1 White's.
    owners: Vec<i8>,
}

impl<'a> StatsRecorder<'a> {
    /// The only writer of these counters.
    pub(super) fn new(stats: &'a ThreadStats) -> StatsRecorder<'a> {
        StatsRecorder { stats, owners: vec![0; stats.owners.len()] }
    }

    /// Notes the owner of every point at the end of a playout; returns Black's points minus White's.
    pub(super) fn set_owners(&mut self, board: &Board, owner: impl Fn(Point) -> Option<Color>) -> i32 {
        let mut margin = 0;
        for point in board.coordinate().points() {
            let owner = match owner(point) {
                Some(Color::Black) => 1,
                Some(Color::White) => -1,
                None => 0,
            };
            margin += i32::from(owner);
            if let Some(slot) = self.owners.get_mut(point.index()) {
                *slot = owner;
            }
        }
        margin
    }

    /// Counts the playout whose owners were noted last. `lead` is Black's, komi included; `cell` is that of its first
    /// tree move, if there was one.
    pub(super) fn add_playout(&mut self, lead: f32, cell: Option<usize>) {
        let ThreadStats { owners, owned_by_winner, leads_by_first_move, all_leads, win_balance, ownership_stats } =
            self.stats;
        let winner = if lead == 0.0 { 0 } else { lead.signum() as i32 };
        for ((owners, owned_by_winner), &owner) in owners.iter().zip(owned_by_winner).zip(&self.owners) {
            add(owners, i32::from(owner));
            add(owned_by_winner, i32::from(owner) * winner);
        }
        add(win_balance, winner);
        all_leads.add(f64::from(lead));
        if let Some(leads) = cell.and_then(|cell| leads_by_first_move.get(cell)) {
            leads.add(f64::from(lead));
        }
        if let Some(in_detail) = ownership_stats {
            in_detail.add(&self.owners, cell);
        }
    }

    /// Number of playouts counted.
    pub(super) fn playouts(&self) -> u64 {
        self.stats.playouts()
    }
}

/// Upper bound of σw²/σb² in [`Shrinkage`]: the mean of all playouts weighs at most as much as this many playouts of a
/// move. Mean leads of good moves often differ by two points, about the standard error of a thousand playouts.
const MAX_VARIANCE_RATIO: f64 = 1000.0;

/// Shrinkage of the moves' mean leads towards the mean of all playouts.
///
/// Leads of playouts after one move vary far more than the mean leads of moves, so a mean of few playouts is mostly
/// noise. With `n` playouts of a move, `x` their mean, `m` the mean of all playouts, σb² the variance between moves and
/// σw² the variance within a move, the estimate is `m + (x − m) · nσb² / (nσb² + σw²)`. It shrinks as the estimator of
/// W. James and C. Stein ("Estimation with quadratic loss", 1961), with unequal variances.
struct Shrinkage {
    /// `m`.
    mean: f64,
    /// σb².
    between: f64,
    /// σw².
    within: f64,
}

impl Shrinkage {
    /// Estimates both variances by a one-way analysis of variance with random effects: over `k` moves with `nᵢ`
    /// playouts (`N` in total), means `xᵢ` and deviations `sᵢ`, `σw² = Σ nᵢsᵢ² / (N − k)` and `σb² = (Σ nᵢ(xᵢ − m)² −
    /// (k − 1)σw²) / (N − Σ nᵢ²/N)`, at least `σw²/1000`.
    fn estimate(leads: &[Option<Lead>]) -> Shrinkage {
        let weighted_sum = |of: &dyn Fn(f64, &Lead) -> f64| {
            let leads = leads.iter().flatten();
            leads.map(|lead| lead.samples as f64 * of(lead.samples as f64, lead)).sum::<f64>()
        };
        let moves = leads.iter().flatten().count() as f64;
        let all = weighted_sum(&|_, _| 1.0).max(1.0);
        let mean = weighted_sum(&|_, lead| f64::from(lead.mean)) / all;
        let squares_between = weighted_sum(&|_, lead| (f64::from(lead.mean) - mean).powi(2));
        let squares_within = weighted_sum(&|_, lead| f64::from(lead.stdev).powi(2));
        let weight = all - weighted_sum(&|weight, _| weight) / all;
        // with one playout per move, or one move, the variances are unknown: the mean of all playouts is used
        if all <= moves || weight <= 0.0 {
            return Shrinkage { mean, between: 0.0, within: 0.0 };
        }
        let within = squares_within / (all - moves);
        let excess = squares_between - (moves - 1.0) * within;
        Shrinkage { mean, between: (excess / weight).max(within / MAX_VARIANCE_RATIO), within }
    }

    /// The estimated mean lead of a move.
    fn shrunk(&self, lead: &Lead) -> f32 {
        let own = lead.samples as f64 * self.between;
        let factor = if own > 0.0 { own / (own + self.within) } else { 0.0 };
        (self.mean + (f64::from(lead.mean) - self.mean) * factor) as f32
    }
}

/// The counters of a search.
pub(super) struct SearchStats {
    /// One part for each thread.
    pub(super) threads: Vec<ThreadStats>,
    /// Counts of earlier searches of the same root.
    earlier: Option<ThreadStats>,
}

impl SearchStats {
    /// Counters for `threads` threads on a board of this size, in addition to the counts of earlier searches.
    pub(super) fn new(coordinate: Coordinate, threads: usize, earlier: Option<ThreadStats>) -> SearchStats {
        let threads = std::iter::repeat_with(|| ThreadStats::new(coordinate)).take(threads).collect();
        SearchStats { threads, earlier }
    }

    /// With sums of owners and their squares, for [`SearchStats::detailed_ownership`].
    pub(super) fn with_ownership_stats(mut self) -> SearchStats {
        for stats in &mut self.threads {
            stats.ownership_stats = Some(OwnershipStats::new(stats.owners.len()));
        }
        self
    }

    /// All counts as one, after the search.
    pub(super) fn into_sum(self) -> Option<ThreadStats> {
        self.threads.into_iter().chain(self.earlier).reduce(|mut sum, part| {
            sum.add(&part);
            sum
        })
    }

    fn parts(&self) -> impl Iterator<Item = &ThreadStats> {
        self.threads.iter().chain(&self.earlier)
    }

    /// Number of playouts of this search.
    pub(super) fn playouts(&self) -> u64 {
        self.threads.iter().map(ThreadStats::playouts).sum()
    }

    /// Number of playouts counted, those of earlier searches included.
    pub(super) fn stats_samples(&self) -> u64 {
        self.parts().map(ThreadStats::playouts).sum()
    }

    /// Black's lead over all playouts; 0 without playouts.
    pub(super) fn lead(&self) -> Lead {
        ScoreStats::merge(self.parts().map(|stats| &stats.all_leads)).unwrap_or_default()
    }

    /// By cell index, Black's lead over the playouts whose first tree move was on that cell, with its mean shrunk
    /// ([`Shrinkage`]); `None` without playouts.
    pub(super) fn leads_after(&self) -> Vec<Option<Lead>> {
        let cells = self.parts().next().map_or(0, |stats| stats.leads_by_first_move.len());
        let after = |cell| ScoreStats::merge(self.parts().filter_map(|stats| stats.leads_by_first_move.get(cell)));
        let mut leads: Vec<Option<Lead>> = (0..cells).map(after).collect();
        let shrinkage = Shrinkage::estimate(&leads);
        leads.iter_mut().flatten().for_each(|lead| lead.mean = shrinkage.shrunk(lead));
        leads
    }

    /// Mean owner by cell index: 1 is always Black's at the end of playouts, -1 always White's.
    pub(super) fn ownership(&self) -> Vec<f32> {
        self.means(|stats| &stats.owners)
    }

    /// Owners with their deviation, after a first move on this cell or over all playouts, if they are kept.
    pub(super) fn detailed_ownership(&self, first: Option<usize>) -> Option<Ownership> {
        OwnershipStats::ownership(self.parts().filter_map(|stats| stats.ownership_stats.as_ref()), first)
    }

    /// Criticality by cell index: the covariance `E[ow] − E[o]·E[w]` of the owner `o` and the winner `w`, each 1 for
    /// Black, −1 for White and 0 for neither. In a balanced game it is 1 if the point's owner always wins; it is 0 if
    /// owner and winner are independent, and negative if the owner tends to lose.
    ///
    /// Sources: R. Coulom, "Criticality: a Monte-Carlo heuristic for Go programs", 2009; S. Pellegrino and others,
    /// "Localizing search in Monte-Carlo Go using statistical covariance", 2009.
    pub(super) fn criticality(&self) -> Vec<f32> {
        let weight = self.stats_samples().max(1) as f32;
        let mean_winner = self.parts().map(|stats| stats.win_balance.load(Relaxed) as f32).sum::<f32>() / weight;
        let ownership = self.ownership();
        self.means(|stats| &stats.owned_by_winner)
            .into_iter()
            .zip(ownership)
            .map(|(both, owner)| both - owner * mean_winner)
            .collect()
    }

    /// Sums over threads divided by the number of playouts.
    fn means<'a>(&'a self, counts: impl Fn(&'a ThreadStats) -> &'a Vec<AtomicI32>) -> Vec<f32> {
        // the threads may still add to the sums, which are read after this; the clamp below bounds the excess
        let weight = self.stats_samples().max(1) as f32;
        let mut means = vec![0.0; self.parts().next().map_or(0, |stats| counts(stats).len())];
        for stats in self.parts() {
            for (mean, count) in means.iter_mut().zip(counts(stats)) {
                *mean += count.load(Relaxed) as f32 / weight;
            }
        }
        means.iter().map(|mean| mean.clamp(-1.0, 1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards::board;

    /// Statistics of playouts with these final boards and leads of Black, by thread.
    fn stats(threads: &[&[(&[&str], f32)]]) -> SearchStats {
        let coordinate = Coordinate::new(3, 1).unwrap();
        let stats = SearchStats::new(coordinate, threads.len(), None);
        for (stats, games) in stats.threads.iter().zip(threads) {
            let mut recorder = StatsRecorder::new(stats);
            for (rows, lead) in games.iter() {
                let board = board(rows);
                let first = coordinate.points().find(|&p| board.stone(p).color().is_some());
                let margin = recorder.set_owners(&board, |p| board.stone(p).color());
                assert_eq!(margin, rows[0].matches('x').count() as i32 - rows[0].matches('o').count() as i32);
                recorder.add_playout(*lead, first.map(Point::index));
            }
        }
        stats
    }

    #[test]
    fn statistics_of_threads_are_merged() {
        let games: [(&[&str], f32); 4] = [(&["x.x"], 1.5), (&["x.."], 0.5), (&["o.x"], -0.5), (&["..o"], -1.5)];
        let together = stats(&[&games]);
        let apart = stats(&[&games[..1], &[], &games[1..]]);
        let coordinate = Coordinate::new(3, 1).unwrap();
        let (first, second) = (stats(&[&games[..1], &games[1..2]]), stats(&[&games[2..]]));
        let resumed = SearchStats { earlier: first.into_sum(), ..second };
        assert_eq!((resumed.playouts(), resumed.stats_samples()), (2, 4));
        let later = SearchStats::new(coordinate, 1, resumed.into_sum());
        assert_eq!((later.playouts(), later.stats_samples()), (0, 4));
        let [a, b, c] = [1, 2, 3].map(|x| Coordinate::new(3, 1).unwrap().point(x, 1).unwrap().index());
        for stats in [together, apart, later] {
            assert_eq!(stats.stats_samples(), 4);
            let ownership = stats.ownership();
            assert_eq!([ownership[a], ownership[b], ownership[c]], [0.25, 0.0, 0.25]);
            // A and C are the winner's in three playouts each
            let criticality = stats.criticality();
            assert_eq!([criticality[a], criticality[b], criticality[c]], [0.75, 0.0, 0.25]);
            let lead = stats.lead();
            assert_eq!((lead.mean, lead.stdev), (0.0, 1.25f32.sqrt()));
            let after = |cell: usize| stats.leads_after()[cell].map(|lead| (lead.samples, lead.stdev));
            assert_eq!(after(a), Some((3, (2.0f32 / 3.0).sqrt())));
            assert_eq!((after(b), after(c)), (None, Some((1, 0.0))));
        }
    }

    /// A move's lead.
    fn lead(mean: f32, stdev: f32, samples: u64) -> Option<Lead> {
        Some(Lead { mean, stdev, samples })
    }

    fn shrunk<const MOVES: usize>(leads: [Option<Lead>; MOVES]) -> [f32; MOVES] {
        let shrinkage = Shrinkage::estimate(&leads);
        leads.map(|lead| shrinkage.shrunk(&lead.unwrap()))
    }

    #[test]
    fn leads_of_few_playouts_shrink_more() {
        // with a deviation of 50 points, the standard error is 10 points for 25 playouts, half a point for 10,000
        let [precise, imprecise, poor] =
            shrunk([lead(5.0, 50.0, 10_000), lead(25.0, 50.0, 25), lead(-20.0, 50.0, 5_000)]);
        assert!((precise - 5.0).abs() < 0.2 && (poor + 20.0).abs() < 0.3, "{precise} {poor}");
        assert!((10.0..22.0).contains(&imprecise), "{imprecise}");
        // a difference within the standard error nearly vanishes
        let mean = (2.0 * 400.0 - 4.0 * 100.0) / 500.0;
        let [more, less] = shrunk([lead(2.0, 70.0, 400), lead(-4.0, 70.0, 100)]);
        assert!(mean + 0.5 > more && more > mean && mean > less && less > mean - 0.5, "{more} {less}");
        // unknown variances: the common mean; no variance within moves: the moves' own means
        assert_eq!(shrunk([lead(30.0, 0.0, 1), lead(-10.0, 0.0, 1)]), [10.0, 10.0]);
        assert_eq!(shrunk([lead(30.0, 0.0, 2), lead(-10.0, 0.0, 1)]), [30.0, -10.0]);
        assert_eq!(shrunk([lead(7.5, 3.0, 9)]), [7.5]);
    }

    #[test]
    fn shrinkage_halves_the_squared_error() {
        let mut rng = fastrand::Rng::with_seed(1);
        // variance 1: the sum of twelve uniform numbers of variance 1/12
        let normal = |rng: &mut fastrand::Rng| (0..12).map(|_| rng.f32()).sum::<f32>() - 6.0;
        let (mut raw, mut shrunk) = (0.0, 0.0);
        for _ in 0..100 {
            let truths: [f32; 20] = std::array::from_fn(|_| 5.0 * normal(&mut rng));
            let leads = truths.map(|truth| {
                let playouts = rng.u64(2..400);
                lead(truth + 70.0 * normal(&mut rng) / (playouts as f32).sqrt(), 70.0, playouts)
            });
            for ((truth, lead), found) in truths.iter().zip(leads).zip(self::shrunk(leads)) {
                raw += (lead.unwrap().mean - truth).powi(2);
                shrunk += (found - truth).powi(2);
            }
        }
        assert!(shrunk < 0.5 * raw, "{shrunk} {raw}");
    }

    #[test]
    fn no_playouts_are_an_even_game() {
        let stats = stats(&[&[]]);
        assert_eq!((stats.playouts(), stats.lead()), (0, Lead::default()));
        assert!(stats.ownership().iter().chain(&stats.criticality()).all(|&mean| mean == 0.0));
    }
}

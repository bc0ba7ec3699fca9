//! What the threads of a search count beside the tree: whose points were at the end of playouts, and by how much.
//!
//! Each thread writes to a tally of its own, which the others may read while it counts on. So no addition needs a lock
//! or an atomic sum; a reader may see one playout in some of the counts and not yet in others.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use crate::kernel::{Board, Color, Coordinate, Point};

/// Black's lead in points at the end of playouts, komi counted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lead {
    /// The mean.
    pub mean: f32,
    /// The standard deviation of a playout's lead.
    pub deviation: f32,
    /// How many playouts they rest on.
    pub playouts: u64,
}

/// What one thread has counted.
pub struct ThreadStats {
    /// Of each cell: how often it was Black's less how often White's.
    owners: Vec<AtomicI32>,
    /// Of each cell: how often it was the winner's less how often the loser's.
    winners: Vec<AtomicI32>,
    /// Of the playouts that began with a move on each cell; a pass is a move on a cell of the frame.
    first: Vec<ScoreStats>,
    all: ScoreStats,
    /// Playouts that Black won less those that White won.
    margin: AtomicI32,
}

/// A count of leads, with what their mean and deviation need.
#[derive(Default)]
struct ScoreStats {
    count: AtomicU64,
    /// Numbers as their bits.
    sum: AtomicU64,
    squares: AtomicU64,
}

impl ScoreStats {
    fn add(&self, lead: f64) {
        self.count.store(self.count.load(Relaxed) + 1, Relaxed);
        for (sum, more) in [(&self.sum, lead), (&self.squares, lead * lead)] {
            sum.store((f64::from_bits(sum.load(Relaxed)) + more).to_bits(), Relaxed);
        }
    }

    /// The leads of all these counts together, `None` if there are none.
    fn join<'a>(leads: impl Iterator<Item = &'a ScoreStats>) -> Option<Lead> {
        let (mut count, mut sum, mut squares) = (0, 0.0, 0.0);
        for leads in leads {
            count += leads.count.load(Relaxed);
            sum += f64::from_bits(leads.sum.load(Relaxed));
            squares += f64::from_bits(leads.squares.load(Relaxed));
        }
        let weight = count as f64;
        let variance = (squares / weight - (sum / weight).powi(2)).max(0.0);
        (count > 0).then(|| Lead { mean: (sum / weight) as f32, deviation: variance.sqrt() as f32, playouts: count })
    }
}

impl ThreadStats {
    /// A tally of playouts on boards of this size, without any yet.
    pub fn new(coordinate: Coordinate) -> ThreadStats {
        let cells = coordinate.memory_area();
        let zeros = || std::iter::repeat_with(AtomicI32::default).take(cells).collect();
        ThreadStats {
            owners: zeros(),
            winners: zeros(),
            first: std::iter::repeat_with(ScoreStats::default).take(cells).collect(),
            all: ScoreStats::default(),
            margin: AtomicI32::default(),
        }
    }

    /// How many playouts were counted.
    pub fn playouts(&self) -> u64 {
        self.all.count.load(Relaxed)
    }
}

/// A thread's hand on its tally.
pub struct StatsRecorder<'a> {
    stats: &'a ThreadStats,
    /// The owners of the game that has just ended: 1 is Black's, -1 White's.
    last: Vec<i8>,
}

impl<'a> StatsRecorder<'a> {
    /// Counts into this tally, which nobody else may count into.
    pub fn new(stats: &'a ThreadStats) -> StatsRecorder<'a> {
        StatsRecorder { stats, last: vec![0; stats.owners.len()] }
    }

    /// Black's points less White's at the end of a game.
    pub fn margin(&mut self, board: &Board, owner: impl Fn(Point) -> Option<Color>) -> i32 {
        let mut margin = 0;
        for point in board.coordinate().points() {
            let owner = match owner(point) {
                Some(Color::Black) => 1,
                Some(Color::White) => -1,
                None => 0,
            };
            margin += i32::from(owner);
            if let Some(last) = self.last.get_mut(point.index()) {
                *last = owner;
            }
        }
        margin
    }

    /// Counts the game whose margin was asked last. `lead` is Black's with everything that counts, `cell` that of the
    /// move it began with, if it was one of the tree's.
    pub fn count(&mut self, lead: f32, cell: Option<usize>) {
        let ThreadStats { owners, winners, first, all, margin } = self.stats;
        let winner = if lead == 0.0 { 0 } else { lead.signum() as i32 };
        for ((owners, winners), &last) in owners.iter().zip(winners).zip(&self.last) {
            add(owners, i32::from(last));
            add(winners, i32::from(last) * winner);
        }
        add(margin, winner);
        all.add(f64::from(lead));
        if let Some(leads) = cell.and_then(|cell| first.get(cell)) {
            leads.add(f64::from(lead));
        }
    }

    /// How many playouts were counted.
    pub fn playouts(&self) -> u64 {
        self.stats.playouts()
    }
}

/// Adds where nobody else writes.
fn add(sum: &AtomicI32, more: i32) {
    sum.store(sum.load(Relaxed).wrapping_add(more), Relaxed);
}

/// The mean of all playouts counts for no more than so many of a move's own: two points apart, as good moves of a position
/// often are, is what a thousand playouts tell.
const MOST_FOREIGN: f64 = 1000.0;

/// How much the leads of moves differ, beside how much those of playouts after one move do.
///
/// The latter differ by far more points, so that the mean of a few playouts is mostly chance. What is expected of a move
/// lies between it and the mean of all playouts, the nearer to its own the surer that is and the more moves differ (W.
/// James and C. Stein, "Estimation with quadratic loss", 1961). How much they do, an analysis of variance estimates.
struct Shrinkage {
    /// The mean of all playouts.
    mean: f64,
    /// The variance of moves.
    between: f64,
    /// The variance of playouts after one move.
    within: f64,
}

impl Shrinkage {
    fn of(leads: &[Option<Lead>]) -> Shrinkage {
        let weighed = |of: &dyn Fn(f64, &Lead) -> f64| {
            let leads = leads.iter().flatten();
            leads.map(|lead| lead.playouts as f64 * of(lead.playouts as f64, lead)).sum::<f64>()
        };
        let moves = leads.iter().flatten().count() as f64;
        let all = weighed(&|_, _| 1.0).max(1.0);
        let mean = weighed(&|_, lead| f64::from(lead.mean)) / all;
        let strayed = weighed(&|_, lead| (f64::from(lead.mean) - mean).powi(2));
        let chance = weighed(&|_, lead| f64::from(lead.deviation).powi(2));
        let weight = all - weighed(&|weight, _| weight) / all;
        // one playout of each move says nothing of chance, which may then be all; one move is no different from others
        if all <= moves || weight <= 0.0 {
            return Shrinkage { mean, between: 0.0, within: 0.0 };
        }
        let within = chance / (all - moves);
        let beyond_chance = strayed - (moves - 1.0) * within;
        Shrinkage { mean, between: (beyond_chance / weight).max(within / MOST_FOREIGN), within }
    }

    /// What is expected of a move with these leads.
    fn shrunk(&self, lead: &Lead) -> f32 {
        let own = lead.playouts as f64 * self.between;
        let part = if own > 0.0 { own / (own + self.within) } else { 0.0 };
        (self.mean + (f64::from(lead.mean) - self.mean) * part) as f32
    }
}

/// The tallies of all threads, as one.
pub struct SearchStats(pub Vec<ThreadStats>);

impl SearchStats {
    /// Playouts counted.
    pub fn playouts(&self) -> u64 {
        self.0.iter().map(ThreadStats::playouts).sum()
    }

    /// The leads of all playouts; none is an even game.
    pub fn lead(&self) -> Lead {
        ScoreStats::join(self.0.iter().map(|stats| &stats.all)).unwrap_or_default()
    }

    /// For every cell, by its index, the leads of the playouts that began with a move on it, if there were any. Means of
    /// few playouts are drawn towards that of all, as far as they may differ from it by chance.
    pub fn leads_after(&self) -> Vec<Option<Lead>> {
        let cells = self.0.first().map_or(0, |stats| stats.first.len());
        let after = |cell| ScoreStats::join(self.0.iter().filter_map(|stats| stats.first.get(cell)));
        let mut leads: Vec<Option<Lead>> = (0..cells).map(after).collect();
        let spread = Shrinkage::of(&leads);
        leads.iter_mut().flatten().for_each(|lead| lead.mean = spread.shrunk(lead));
        leads
    }

    /// For every cell, by its index: 1 for one that was always Black's at the end, -1 for one that was always White's.
    pub fn ownership(&self) -> Vec<f32> {
        self.means(|stats| &stats.owners)
    }

    /// For every cell, by its index: how much owning it went along with winning, from 0 to 1, as the covariance of the
    /// two; below 0 if it was rather the loser's.
    pub fn criticality(&self) -> Vec<f32> {
        let weight = self.playouts().max(1) as f32;
        let margin = self.0.iter().map(|stats| stats.margin.load(Relaxed) as f32).sum::<f32>() / weight;
        let ownership = self.ownership();
        self.means(|stats| &stats.winners)
            .into_iter()
            .zip(ownership)
            .map(|(both, owner)| both - owner * margin)
            .collect()
    }

    fn means<'a>(&'a self, counts: impl Fn(&'a ThreadStats) -> &'a Vec<AtomicI32>) -> Vec<f32> {
        // before the sums: then none is of fewer playouts
        let weight = self.playouts().max(1) as f32;
        let mut means = vec![0.0; self.0.first().map_or(0, |stats| counts(stats).len())];
        for stats in &self.0 {
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

    /// Counts games that end on these boards, with what Black leads by.
    fn stats(threads: &[&[(&[&str], f32)]]) -> SearchStats {
        let coordinate = Coordinate::new(3, 1).unwrap();
        let stats = SearchStats(threads.iter().map(|_| ThreadStats::new(coordinate)).collect());
        for (stats, games) in stats.0.iter().zip(threads) {
            let mut counter = StatsRecorder::new(stats);
            for (shrunk, lead) in games.iter() {
                let board = board(shrunk);
                let first = coordinate.points().find(|&p| board.stone(p).color().is_some());
                let margin = counter.margin(&board, |p| board.stone(p).color());
                assert_eq!(margin, shrunk[0].matches('x').count() as i32 - shrunk[0].matches('o').count() as i32);
                counter.count(*lead, first.map(Point::index));
            }
        }
        stats
    }

    #[test]
    fn tallies_of_threads_are_one() {
        let games: [(&[&str], f32); 4] = [(&["x.x"], 1.5), (&["x.."], 0.5), (&["o.x"], -0.5), (&["..o"], -1.5)];
        let together = stats(&[&games]);
        let apart = stats(&[&games[..1], &[], &games[1..]]);
        let [a, b, c] = [1, 2, 3].map(|x| Coordinate::new(3, 1).unwrap().point(x, 1).unwrap().index());
        for stats in [together, apart] {
            assert_eq!(stats.playouts(), 4);
            let ownership = stats.ownership();
            assert_eq!([ownership[a], ownership[b], ownership[c]], [0.25, 0.0, 0.25]);
            // A and C were the winner's three times each, and once the loser's or nobody's
            let criticality = stats.criticality();
            assert_eq!([criticality[a], criticality[b], criticality[c]], [0.75, 0.0, 0.25]);
            let lead = stats.lead();
            assert_eq!((lead.mean, lead.deviation), (0.0, 1.25f32.sqrt()));
            let after = |cell: usize| stats.leads_after()[cell].map(|lead| (lead.playouts, lead.deviation));
            assert_eq!(after(a), Some((3, (2.0f32 / 3.0).sqrt())));
            assert_eq!((after(b), after(c)), (None, Some((1, 0.0))));
        }
    }

    /// Leads of a move: the mean of so many playouts, and their deviation.
    fn lead(mean: f32, deviation: f32, playouts: u64) -> Option<Lead> {
        Some(Lead { mean, deviation, playouts })
    }

    fn shrunk<const MOVES: usize>(leads: [Option<Lead>; MOVES]) -> [f32; MOVES] {
        let spread = Shrinkage::of(&leads);
        leads.map(|lead| spread.shrunk(&lead.unwrap()))
    }

    #[test]
    fn the_fewer_playouts_a_move_has_the_less_its_lead_counts() {
        // playouts differ by 50 points: that of 25 is worth 10, that of 10,000 half a point
        let [sure, unsure, poor] = shrunk([lead(5.0, 50.0, 10_000), lead(25.0, 50.0, 25), lead(-20.0, 50.0, 5_000)]);
        assert!((sure - 5.0).abs() < 0.2 && (poor + 20.0).abs() < 0.3, "{sure} {poor}");
        assert!((10.0..22.0).contains(&unsure), "{unsure}");
        // what chance alone explains is hardly a difference
        let mean = (2.0 * 400.0 - 4.0 * 100.0) / 500.0;
        let [more, less] = shrunk([lead(2.0, 70.0, 400), lead(-4.0, 70.0, 100)]);
        assert!(mean + 0.5 > more && more > mean && mean > less && less > mean - 0.5, "{more} {less}");
        // nor is that of single playouts; where playouts leave nothing to chance, all of it is
        assert_eq!(shrunk([lead(30.0, 0.0, 1), lead(-10.0, 0.0, 1)]), [10.0, 10.0]);
        assert_eq!(shrunk([lead(30.0, 0.0, 2), lead(-10.0, 0.0, 1)]), [30.0, -10.0]);
        assert_eq!(shrunk([lead(7.5, 3.0, 9)]), [7.5]);
    }

    #[test]
    fn drawn_leads_are_nearer_to_the_truth() {
        let mut rng = fastrand::Rng::with_seed(1);
        // of variance 1: the sum of twelve numbers of variance 1/12
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
    fn nothing_counted_is_an_even_game() {
        let stats = stats(&[&[]]);
        assert_eq!((stats.playouts(), stats.lead()), (0, Lead::default()));
        assert!(stats.ownership().iter().chain(&stats.criticality()).all(|&mean| mean == 0.0));
    }
}

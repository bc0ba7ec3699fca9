//! The score that pages show: the engine's, or the one with the dead stones that a person chose.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crate::kernel::{Color, Point, PointSet, Position, areas, score, without_taxed_territory};
use crate::player::{CLEAR_OWNERSHIP, FinalScore, Interrupted, all_stones, groups, mean_ownership};
use crate::search::StopSignal;
use crate::sgf::NodeId;
use crate::web::event::Score;
use crate::web::view::{indices, owners};

/// Interval between two looks at what may end a count.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Counts positions, and keeps the last count.
#[derive(Default)]
pub(super) struct Scorer(Option<Count>);

/// A count of a position. `game` stands for one reading of a game, to which the ids of nodes belong.
struct Count {
    game: u64,
    node: NodeId,
    score: FinalScore,
}

impl Scorer {
    /// The score of a node by `count`, unless the last count was of this node; see [`Count`] for `game`. `None` if it is
    /// interrupted, which it is as soon as `is_abandoned`, or if it panics.
    pub(super) fn count(
        &mut self,
        game: u64,
        node: NodeId,
        count: impl FnOnce(&StopSignal) -> Result<FinalScore, Interrupted> + Send,
        is_abandoned: impl Fn() -> bool,
    ) -> Option<FinalScore> {
        if let Some(known) = self.0.as_ref().filter(|known| known.game == game && known.node == node) {
            return Some(known.score.clone());
        }
        let stop_signal = StopSignal::default();
        let score = thread::scope(|scope| {
            let spawned = thread::Builder::new().name("count".to_owned()).spawn_scoped(scope, || count(&stop_signal));
            let counting = spawned.inspect_err(|reason| tracing::error!("no thread for the score: {reason}")).ok()?;
            while !counting.is_finished() {
                if is_abandoned() {
                    stop_signal.flag().store(true, Ordering::Relaxed);
                }
                thread::sleep(POLL_INTERVAL);
            }
            counting.join().ok()?.ok()
        })?;
        self.0 = Some(Count { game, node, score: score.clone() });
        Some(score)
    }
}

/// A score with its dead stones.
pub(super) struct ShownScore {
    node: NodeId,
    event: Score,
    dead: PointSet,
    seki: PointSet,
    engine: EngineScore,
}

/// The engine's score.
struct EngineScore {
    event: Score,
    dead: PointSet,
    seki: PointSet,
    unclear: PointSet,
}

impl ShownScore {
    /// The engine's score of a position, that of a node.
    pub(super) fn new(node: NodeId, position: &Position, final_score: &FinalScore) -> ShownScore {
        let coordinate = position.board().coordinate();
        let FinalScore { status, is_finished, .. } = final_score;
        let unclear = unclear_stones(position, final_score);
        let event = Score {
            result: final_score.score.to_string(),
            dead: indices(coordinate, &status.dead),
            owner: owners(position, |point| final_score.owner(point), &status.seki),
            edited: false,
            finished: *is_finished,
            unclear: indices(coordinate, &unclear),
        };
        let (dead, seki) = (status.dead, status.seki);
        let engine = EngineScore { event: event.clone(), dead, seki, unclear };
        ShownScore { node, event, dead, seki, engine }
    }

    /// The node whose score it is.
    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    /// The event.
    pub(super) fn event(&self) -> &Score {
        &self.event
    }

    /// Changes whether the group of stones at a point counts as dead. Without a change left, the score is the engine's
    /// again. Returns whether there is such a group.
    pub(super) fn toggle(&mut self, position: &Position, point: Point) -> bool {
        let board = position.board();
        let Some(group) = groups(board).into_iter().find(|group| group.contains(&point)) else { return false };
        let was_dead = self.dead.contains(point);
        for stone in group {
            self.seki.remove(stone);
            if was_dead {
                self.dead.remove(stone);
            } else {
                self.dead.insert(stone);
            }
        }
        if self.dead == self.engine.dead {
            (self.event, self.seki) = (self.engine.event.clone(), self.engine.seki);
        } else {
            self.count(position);
        }
        true
    }

    /// Counts the position as it stands, without the dead stones.
    fn count(&mut self, position: &Position) {
        let board = position.board();
        let ShownScore { event, dead, seki, engine, .. } = self;
        let input = position.score_input(dead, seki);
        let score = score(&input);
        let areas = without_taxed_territory(&input, areas(board, dead));
        let owner = |point: Point| {
            Color::BOTH.into_iter().zip(&areas).find_map(|(color, area)| area.contains(point).then_some(color))
        };
        event.result = score.to_string();
        event.dead = indices(board.coordinate(), dead);
        event.owner = owners(position, owner, seki);
        let is_as_before = |&point: &Point| dead.contains(point) == engine.dead.contains(point);
        event.unclear = indices(board.coordinate(), &engine.unclear.iter().filter(is_as_before).collect());
        event.edited = true;
    }
}

/// The stones of the rens whose fate the playouts or the net leave open.
fn unclear_stones(position: &Position, final_score: &FinalScore) -> PointSet {
    let board = position.board();
    let stones = all_stones(board);
    let is_unclear = |ren: &Vec<Point>| {
        let mean = mean_ownership(board, &final_score.status.ownership, ren).unwrap_or_default();
        let is_seki = ren.first().is_some_and(|&point| final_score.status.seki.contains(point));
        !is_seki && mean.abs() < CLEAR_OWNERSHIP
    };
    board.rens_among(&stones).into_iter().filter(is_unclear).flatten().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::kernel::{Coordinate, GameRule};
    use crate::player::final_score;
    use crate::sgf::GameTree;

    #[test]
    fn an_abandoned_count_is_interrupted_and_the_last_one_is_kept() {
        let coordinate = Coordinate::square(3).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let node = GameTree::read(b"(;SZ[3])").unwrap().root();
        let mut scorer = Scorer::default();
        let until_interrupted = |stop_signal: &StopSignal| {
            while !stop_signal.is_interrupted() {
                thread::yield_now();
            }
            Err(Interrupted)
        };
        assert!(scorer.count(0, node, until_interrupted, || true).is_none());
        let counted = scorer.count(0, node, |_| Ok(final_score(&position)), || false);
        assert!(counted.is_some());
        let kept = scorer.count(0, node, |_| Err(Interrupted), || true);
        assert_eq!(kept.map(|kept| kept.score), counted.map(|counted| counted.score));
        // the same node of another game
        assert!(scorer.count(1, node, |_| Err(Interrupted), || false).is_none());
    }
}

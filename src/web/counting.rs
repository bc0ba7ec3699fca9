//! The score that pages show: the engine's, or the one with the dead stones that a person chose.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::kernel::{Color, Point, PointSet, Position, Stone, areas, score, without_taxed_territory};
use crate::player::{CLEAR_OWNERSHIP, FinalScore, groups, mean_ownership};
use crate::sgf::NodeId;
use crate::web::event::Score;
use crate::web::view::{indices, owners};

/// Interval between two looks at what may end a count.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Counts positions, one at a time, on threads of their own, so that the engine's thread can abandon a count, which
/// takes up to some tens of seconds and cannot be stopped.
#[derive(Default)]
pub(super) struct BackgroundScorer(Arc<Mutex<Option<Count>>>);

/// The last count.
struct Count {
    game: u64,
    node: NodeId,
    score: FinalScore,
}

impl BackgroundScorer {
    /// The score of a node by `count`, unless the last count was of this node. `game` stands for one reading of a game,
    /// to which the ids of nodes belong. `None` if `is_abandoned` before, or if the count fails. An abandoned count
    /// goes on to its end, and the next one waits for it.
    pub(super) fn count(
        &self,
        game: u64,
        node: NodeId,
        count: impl FnOnce() -> FinalScore + Send + 'static,
        is_abandoned: impl Fn() -> bool,
    ) -> Option<FinalScore> {
        let (sender, receiver) = mpsc::channel();
        let last = self.0.clone();
        let caller = Arc::new(());
        let weak = Arc::downgrade(&caller);
        let spawned = thread::Builder::new().name("count".to_owned()).spawn(move || {
            // a count that panicked leaves the one before
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if weak.strong_count() == 0 {
                return;
            }
            let score = match &*last {
                Some(known) if known.game == game && known.node == node => known.score.clone(),
                _ => count(),
            };
            // without a receiver if it was abandoned
            let _ = sender.send(score.clone());
            *last = Some(Count { game, node, score });
        });
        if let Err(reason) = spawned {
            tracing::error!("no thread for the score: {reason}");
        }
        loop {
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok(score) => return Some(score),
                Err(RecvTimeoutError::Timeout) if !is_abandoned() => {}
                Err(_) => return None,
            }
        }
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
        let (dead, seki) = (status.dead.clone(), status.seki.clone());
        let engine = EngineScore { event: event.clone(), dead: dead.clone(), seki: seki.clone(), unclear };
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
            (self.event, self.seki) = (self.engine.event.clone(), self.engine.seki.clone());
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
    let stones: PointSet = board.coordinate().points().filter(|&point| board.stone(point) != Stone::Space).collect();
    let is_unclear = |ren: &Vec<Point>| {
        let mean = mean_ownership(board, &final_score.status.ownership, ren).unwrap_or_default();
        let is_seki = ren.first().is_some_and(|&point| final_score.status.seki.contains(point));
        !is_seki && mean.abs() < CLEAR_OWNERSHIP
    };
    board.rens_among(&stones).into_iter().filter(is_unclear).flatten().collect()
}

//! The greedy fill-in: both players alternate, each with the move of the greatest value, until both pass.
//!
//! The value of a move is read from threats ([`threats`]), no deeper than ladders.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::kernel::{Color, Ko, KoRule, Move, Point, PointSet, Position, Scoring, Stone};
use crate::player::ending::status_board::{PointEstimate, StatusBoard};
use crate::player::ending::threats::{self, Threat, ThreatReader};
use crate::player::fixed_search::UserInterrupt;
use crate::player::status::Status;

/// Units per point in the value of a move. Linked stones add fewer units than a point, so that they break ties.
const UNITS_PER_POINT: i32 = 1000;

/// A player with at least this ownership of a point leaves no move there to the opponent.
const SURE_OWNERSHIP: f32 = 0.9;

/// The state of a fill-in.
pub(super) struct FillIn<'a> {
    /// The board now, with its dead stones.
    pub(super) status_board: StatusBoard,
    /// The status of the stones before the fill-in.
    status: &'a Status,
    scoring: Scoring,
    threats: ThreatReader,
    /// The moves since the fill-in began, without passes.
    pub(super) moves: Vec<(Color, Point)>,
    /// The boards that were reached, by [`StatusBoard::hash`].
    reached: HashSet<u64>,
    /// The boards before the fill-in that superko forbids to recreate, each with the player to move there.
    forbidden: HashSet<(u64, Color)>,
    /// The moves of the positions whose moves were ranked, best first.
    ranked: HashMap<RankingKey, Rc<[RankedMove]>>,
    /// The number of further positions whose moves look-ahead may rank; 0 after an interrupt.
    pub(super) rankings_left: usize,
    pub(super) interrupt: UserInterrupt<'a>,
}

/// A position of one fill-in, as far as the values of its moves depend on it. Status and scoring do not change.
#[derive(PartialEq, Eq, Hash)]
struct RankingKey {
    hash: u64,
    to_move: Color,
    ko: Option<Ko>,
    dead: PointSet,
    captured: [u32; 2],
}

/// A state to which a fill-in can return.
pub(super) struct Checkpoint {
    status_board: StatusBoard,
    moves: Vec<(Color, Point)>,
    reached: HashSet<u64>,
}

/// A move with its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedMove {
    pub(super) point: Point,
    /// The points that it is worth, in units of [`UNITS_PER_POINT`].
    move_value: i32,
    /// Whether it is worth more than a pass, or as much and takes a dame.
    is_worth_playing: bool,
    /// The board after it, as [`StatusBoard::hash`].
    hash_after: u64,
}

impl<'a> FillIn<'a> {
    /// A game in which the stones of `status_locked` keep their status without reading.
    pub(super) fn new(position: &Position, status: &'a Status, status_locked: &PointSet) -> FillIn<'a> {
        let status_board = StatusBoard { status_locked: *status_locked, ..StatusBoard::new(position.board(), status) };
        let reached = HashSet::from([status_board.hash]);
        FillIn {
            status_board,
            status,
            scoring: position.rule().scoring,
            threats: ThreatReader::new(),
            moves: Vec::new(),
            reached,
            forbidden: forbidden_boards(position),
            ranked: HashMap::new(),
            rankings_left: usize::MAX,
            interrupt: UserInterrupt::default(),
        }
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { status_board: self.status_board.clone(), moves: self.moves.clone(), reached: self.reached.clone() }
    }

    /// Returns to an earlier state.
    pub(super) fn restore(&mut self, checkpoint: &Checkpoint) {
        self.status_board.clone_from(&checkpoint.status_board);
        self.moves.clone_from(&checkpoint.moves);
        self.reached.clone_from(&checkpoint.reached);
    }

    /// Plays the greedy moves of both players until both pass. `passes` were made just before.
    pub(super) fn play_greedily(&mut self, to_move: Color, mut passes: usize) {
        let limit = self.status_board.board.coordinate().board_area();
        let mut color = to_move;
        while passes < 2 && self.moves.len() < limit {
            let play = greedy_move(&self.ranked_moves(color));
            passes = self.make_move(color, play, passes);
            color = color.opponent();
        }
    }

    /// Makes a legal move; returns the number of passes in a row after it, with `passes` before it.
    pub(super) fn make_move(&mut self, color: Color, play: Move, passes: usize) -> usize {
        match play {
            Move::Play(point) => {
                self.status_board.play(color, point);
                self.reached.insert(self.status_board.hash);
                self.moves.push((color, point));
                0
            }
            Move::Pass => {
                self.status_board.board.pass();
                passes + 1
            }
        }
    }

    /// Black's points minus White's, without komi and earlier prisoners.
    pub(super) fn board_margin(&self) -> i32 {
        self.board_margin_of(&self.status_board, Color::Black)
    }

    /// The moves of `color` that may be worth something and recreate no earlier board of the fill-in, nor one of the game
    /// that superko forbids, best first.
    ///
    /// `move_value = 1000 (gain + denied - answer) + links`, where `gain` are the points that the move gains, `denied` those
    /// that the opponent would gain on the same point, `answer` the greatest threat of the opponent after it, and
    /// `links` the stones that only a move on this dame links to others. A pass is worth the opponent's greatest threat,
    /// negated.
    pub(super) fn ranked_moves(&mut self, color: Color) -> Vec<RankedMove> {
        let key = RankingKey {
            hash: self.status_board.hash,
            to_move: color,
            ko: self.status_board.board.ko(),
            dead: self.status_board.dead,
            captured: self.status_board.captured,
        };
        let ranked = match self.ranked.get(&key) {
            Some(ranked) => Rc::clone(ranked),
            None => {
                self.rankings_left = match self.interrupt.is_raised() {
                    true => 0,
                    false => self.rankings_left.saturating_sub(1),
                };
                let ranked: Rc<[RankedMove]> = self.rank_moves(color).into();
                self.ranked.insert(key, Rc::clone(&ranked));
                ranked
            }
        };
        // a cycle of three or more kos would not end
        let is_repeated =
            |hash: u64| self.reached.contains(&hash) || self.forbidden.contains(&(hash, color.opponent()));
        ranked.iter().filter(|ranked| !is_repeated(ranked.hash_after)).copied().collect()
    }

    /// Whether look-ahead may rank the moves of no further position.
    pub(super) fn has_no_rankings_left(&self) -> bool {
        self.rankings_left == 0
    }

    fn rank_moves(&mut self, color: Color) -> Vec<RankedMove> {
        let opponent = color.opponent();
        let estimate = self.status_board.count_points(self.scoring, &self.status.ownership);
        let now = estimate.board_margin * i32::from(color.sign());
        let own = self.threats.of(&self.status_board, color);
        let against = self.threats.of(&self.status_board, opponent);
        let (contested, tactical) = self.candidates(color, estimate, &own, &against);
        let value_of_pass = -greatest(&against) * UNITS_PER_POINT;
        let mut ranked = Vec::new();
        let moves = contested.iter().map(|&point| (point, true)).chain(tactical.iter().map(|&point| (point, false)));
        for (point, is_contested) in moves {
            let Some((gain, after)) = self.gain(color, point, now, greatest(&own)) else { continue };
            let answers = self.threats.of(&after, opponent);
            let head = after.board.ren_head(point);
            let is_lost = answers.iter().any(|threat| after.board.ren_head(threat.ren) == head);
            let denied = match is_lost {
                true => 0,
                false => self.gain(opponent, point, -now, greatest(&against)).map_or(0, |(gain, _)| gain.max(0)),
            };
            let links = if is_contested { self.linked_stones(color, point).min(UNITS_PER_POINT - 1) } else { 0 };
            let move_value = (gain + denied - greatest(&answers)) * UNITS_PER_POINT + links;
            let is_worth_playing = move_value > value_of_pass || (is_contested && move_value == value_of_pass);
            ranked.push(RankedMove { point, move_value, is_worth_playing, hash_after: after.hash });
        }
        ranked.sort_by_key(|ranked| -ranked.move_value);
        ranked
    }

    /// The points of `color` minus the opponent's on a board of the fill-in.
    fn board_margin_of(&self, status_board: &StatusBoard, color: Color) -> i32 {
        status_board.count_points(self.scoring, &self.status.ownership).board_margin * i32::from(color.sign())
    }

    /// The points on which a move of `color` may be worth something: dame and other points without an owner yet, and
    /// apart from these the points that win or save stones.
    fn candidates(
        &self,
        color: Color,
        PointEstimate { dame, undecided, .. }: PointEstimate,
        own: &[Threat],
        against: &[Threat],
    ) -> (Vec<Point>, Vec<Point>) {
        let mut contested = dame;
        contested.extend(undecided.into_iter().filter(|&p| self.is_contested(color, p)));
        let mut tactical: Vec<Point> = own.iter().map(|threat| threat.attack).collect();
        tactical.extend(against.iter().flat_map(|threat| threats::defenses(&self.status_board, threat)));
        tactical.sort_unstable();
        tactical.dedup();
        tactical.retain(|point| !contested.contains(point));
        contested.retain(|&point| !self.is_beside_locked_stone(color.opponent(), point));
        [&mut contested, &mut tactical]
            .into_iter()
            .for_each(|points| points.retain(|&point| !self.is_liberty_of_seki(point)));
        (contested, tactical)
    }

    /// The gain of a move of `color` in points, a threat that costs the opponent points to answer included, with the
    /// position after it; `None` if it is illegal. `margin` and `threat` are the board margin and the greatest threat of
    /// `color` before it.
    fn gain(&mut self, color: Color, point: Point, margin: i32, threat: i32) -> Option<(i32, StatusBoard)> {
        self.status_board.board.check(color, point).ok()?;
        let mut after = self.status_board.clone();
        after.play(color, point);
        if after.board.is_atari(point) && after.captured == self.status_board.captured {
            // it would be captured at once
            return Some((0, after));
        }
        let margin_after = self.board_margin_of(&after, color);
        let threats = self.threats.of(&after, color);
        let price = match greatest(&threats) > threat {
            true => self.price_of_answer(&after, color, &threats, margin_after),
            false => 0,
        };
        Some((margin_after - margin + price, after))
    }

    /// The points that the opponent of `color` loses by the best answer to threats, or by none. `margin` is the board
    /// margin of `color` before the answer.
    fn price_of_answer(&mut self, status_board: &StatusBoard, color: Color, threats: &[Threat], margin: i32) -> i32 {
        let mut price = greatest(threats);
        let Some(worst) = threats.iter().max_by_key(|threat| threat.gain) else { return 0 };
        for point in threats::defenses(status_board, worst) {
            if price == 0 || status_board.board.check(color.opponent(), point).is_err() {
                continue;
            }
            let mut after = status_board.clone();
            after.play(color.opponent(), point);
            let lost = (self.board_margin_of(&after, color) - margin).max(0);
            if lost < price {
                price = price.min(lost + greatest(&self.threats.of(&after, color)));
            }
        }
        price
    }

    /// The number of stones that a move of `color` links to others which no other point links to them.
    fn linked_stones(&self, color: Color, point: Point) -> i32 {
        let board = &self.status_board.board;
        let coordinate = board.coordinate();
        let mut heads: Vec<Point> = (coordinate.neighbors(point).into_iter())
            .filter(|&p| self.status_board.living(p) == Some(color))
            .map(|p| board.ren_head(p))
            .collect();
        heads.sort_unstable();
        heads.dedup();
        if heads.len() < 2 {
            return 0;
        }
        let others: PointSet = board.empty_points().iter().copied().filter(|&p| p != point).collect();
        // the rens, each with its liberties apart from the point
        let with_liberties = |head: Point| {
            let stones: PointSet = board.ren_points(head).collect();
            (head, stones.neighbors(coordinate) & others)
        };
        let rens: Vec<(Point, PointSet)> = heads.into_iter().map(with_liberties).collect();
        let is_apart = |(head, liberties): &&(Point, PointSet)| {
            rens.iter().any(|(other, shared)| other != head && (*liberties & *shared).is_empty())
        };
        let sizes = || rens.iter().filter(is_apart).map(|(head, _)| board.ren_size(*head) as i32);
        sizes().sum::<i32>() - sizes().max().unwrap_or(0)
    }

    /// Whether a point without an owner may be worth a move of `color`: beside a living stone of its own or one point
    /// away, and not with an ownership of the opponent of at least [`SURE_OWNERSHIP`].
    fn is_contested(&self, color: Color, point: Point) -> bool {
        let owner = self.status.ownership.get(point.index()).map_or(0.0, |owner| owner * f32::from(color.sign()));
        let board = &self.status_board.board;
        let is_near = || {
            let around = board.coordinate().neighbors(point).into_iter();
            around.filter(|&p| board.stone(p) == Stone::Space).any(|p| self.status_board.touches(color, p))
        };
        owner > -SURE_OWNERSHIP && (self.status_board.touches(color, point) || is_near())
    }

    /// Whether a stone of `owner` with a locked status is beside a point.
    fn is_beside_locked_stone(&self, owner: Color, point: Point) -> bool {
        let mut around = self.status_board.board.coordinate().neighbors(point).into_iter();
        around.any(|p| self.status_board.board.stone(p) == owner.stone() && self.status_board.status_locked.contains(p))
    }

    /// Whether a point is a liberty of stones in seki.
    fn is_liberty_of_seki(&self, point: Point) -> bool {
        self.status_board.board.coordinate().neighbors(point).iter().any(|&p| self.status.seki.contains(p))
    }
}

/// The earlier boards of a game that superko forbids to recreate, by [`StatusBoard::hash`], each with the player to move.
fn forbidden_boards(position: &Position) -> HashSet<(u64, Color)> {
    let earlier = position.superko_history().map(|(hash, to_move)| (hash ^ position.hash(), to_move));
    match position.rule().ko {
        KoRule::Simple => HashSet::new(),
        KoRule::Situational => earlier.collect(),
        KoRule::Positional => earlier.flat_map(|(hash, _)| Color::BOTH.map(|color| (hash, color))).collect(),
    }
}

/// The best of ranked moves, or a pass.
pub(super) fn greedy_move(ranked: &[RankedMove]) -> Move {
    ranked.first().filter(|first| first.is_worth_playing).map_or(Move::Pass, |first| Move::Play(first.point))
}

/// The greatest gain of some threats.
fn greatest(threats: &[Threat]) -> i32 {
    threats.iter().map(|threat| threat.gain).max().unwrap_or(0)
}

//! A board with its history, followed move by move: the inputs of nets, and for the search legality, repetition, passes
//! and the score if the game ended.
//!
//! # Passes
//! A pass ends the game if the move before it was a pass too; under simple ko also if the same player has passed on the
//! same board before. Global input 14 of the net is set then, except where the rules have
//! [`friendly_pass`](GameRule::friendly_pass) and the pass would be the second one: then input 14 is 0 and the move
//! history is hidden. [`FeatureOptions`] has more such cases.
//!
//! After two passes under territory scoring KataGo plays on in two encores, in which stones are captured that the
//! players would otherwise agree on. A pass played by [`BoardHistory::play`] begins the first encore, as in KataGo's search:
//! the features of this position say so and show no moves. A [`Position`] whose last moves are two passes stays in the
//! main phase, as in KataGo's play by GTP. Encores are not played here: moves in one are treated as in the main phase.
//!
//! # Moves out of turn, and edits by hand
//! Both start a new history, except for superko, as in KataGo's play by GTP.

mod encode;
mod repetition_hashes;

use crate::kernel::hash::splitmix64;
use crate::kernel::{
    Board, Color, GameRule, HashChange, IllegalMove, Ko, KoRule, MAX_SIDE, Move, Point, PointSet, Position, Scoring,
    Stone, Tax, areas, board_hash, button_points, stone_hash,
};
use crate::net::history::repetition_hashes::HashHistory;
use crate::net::katago::area::Area;
use crate::net::katago::features::BoardAt;
use crate::net::komi::Komi;
use crate::net::undo_board::UndoBoard;

/// Dependence of the features on their use in a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FeatureOptions {
    /// Tell the net that no pass ends the game. KataGo does so at the root of a search by GTP (`conservativePass`).
    pub conservative_pass: bool,
    /// Tell the net that a pass does not end the game if the player to move would not win it (`enablePassingHacks`, the
    /// default of KataGo's searches by GTP).
    pub passing_hacks: bool,
    /// The logarithm to base 2 of how many more playouts the player to move has than the opponent, as in KataGo's
    /// training with handicaps; 0 for even play, otherwise from -3 to 3.
    pub doubling_advantage: f32,
}

/// Number of previous moves among the inputs of nets.
pub const HISTORY_MOVES: usize = 5;

/// Cells of the largest walled board.
const CELLS: usize = (MAX_SIDE as usize + 2).pow(2);

/// The stones before a move, and the point of the ko that could not be retaken.
#[derive(Clone)]
struct BoardBefore {
    stones: [Stone; CELLS],
    ko: Option<Point>,
}

impl BoardBefore {
    fn as_board(&self) -> BoardAt<'_> {
        BoardAt { stones: &self.stones, ko: self.ko }
    }
}

/// A board with the history that nets and searches read, cheap to clone: the boards before the last two moves, recent
/// moves, repetitions. KataGo's class of this name has the same data.
#[derive(Clone)]
pub struct BoardHistory {
    rule: GameRule,
    /// Whether areas are computed as if suicide were legal under all rules.
    pass_alive_by_suicide: bool,
    board: Board,
    to_move: Color,
    /// The hash of the stones.
    stones_hash: u64,
    /// The boards before the last move and before the one before it.
    before: [BoardBefore; 2],
    /// The last moves, newest first.
    moves: [Move; HISTORY_MOVES],
    /// The number of moves since the history began, or since those before were hidden from the net.
    turns: usize,
    /// As [`BoardHistory::last_move`].
    last_move: Option<Move>,
    /// Whether each player has moved since the set-up.
    has_moved: [bool; 2],
    /// Hashes for the repetition rule: under simple ko those since the last pass, otherwise all since the set-up.
    position_hashes: HashHistory,
    /// Under simple ko, the hashes of positions in which a player passed.
    pass_hashes: HashHistory,
    /// Consecutive passes, and those of them in the current phase.
    passes: u32,
    phase_passes: u32,
    /// Whether the last move ended the game, or the main phase under territory scoring: a pass, see the module, or a
    /// repetition without result.
    has_phase_ended: bool,
    /// As [`BoardHistory::is_no_result`].
    is_no_result: bool,
    is_encore: bool,
    /// Whether the next pass takes the button.
    is_button_open: bool,
    /// Komi, the handicap bonus and the button.
    komi: f64,
    /// As in [`Komi`].
    black_minus_white_stones: f64,
}

impl BoardHistory {
    /// The state of a position, with `color` to move.
    pub fn new(position: &Position, color: Color) -> BoardHistory {
        let record = position.record().items();
        let mut history = BoardHistory::start(position, record.first().map_or(color, |item| item.color));
        let mut before = position.history();
        for (number, item) in record.iter().enumerate() {
            history.continue_from(position, position.stones_at(number), item.color);
            let side_to_move = before.next().map_or(item.color, |(_, color)| color);
            history.replay_move(item.color, item.play, side_to_move);
        }
        history.continue_from(position, position.board().stones(), color);
        history.position_hashes.freeze();
        history.pass_hashes.freeze();
        history.board.clone_from(position.board());
        let komi = Komi::of_position(position);
        history.komi = komi.compensation;
        history.black_minus_white_stones = komi.black_minus_white_stones;
        history
    }

    /// The history with areas computed as if suicide were legal under all rules, or not: the area of the features, and the
    /// score if the game ended. Some of KataGo's nets want it, see [`Net::history`](crate::net::Net::history).
    #[must_use]
    pub fn with_pass_alive_by_suicide(self, pass_alive_by_suicide: bool) -> BoardHistory {
        BoardHistory { pass_alive_by_suicide, ..self }
    }

    /// The set-up of a position.
    fn start(position: &Position, color: Color) -> BoardHistory {
        let coordinate = position.board().coordinate();
        let board = Board::from_stones(coordinate, position.stones_at(0));
        let empty = BoardBefore { stones: [Stone::Wall; CELLS], ko: None };
        let mut history = BoardHistory {
            rule: *position.rule(),
            pass_alive_by_suicide: false,
            board: board.unwrap_or_else(|_| Board::new(coordinate)),
            to_move: color,
            stones_hash: 0,
            before: [empty.clone(), empty],
            moves: [Move::Pass; HISTORY_MOVES],
            turns: 0,
            last_move: None,
            has_moved: [false; 2],
            position_hashes: HashHistory::default(),
            pass_hashes: HashHistory::default(),
            passes: 0,
            phase_passes: 0,
            has_phase_ended: false,
            is_no_result: false,
            is_encore: false,
            is_button_open: position.rule().has_button && position.rule().scoring == Scoring::Area,
            komi: 0.0,
            black_minus_white_stones: 0.0,
        };
        history.stones_hash = board_hash(&history.board);
        history
    }

    /// Starts a new history if the stones have been edited by hand, or if `color`, who moves next, is not the side to
    /// move.
    fn continue_from(&mut self, position: &Position, stones: &[Stone], color: Color) {
        let is_edited = self.board.stones() != stones;
        if is_edited && let Ok(board) = Board::from_stones(position.board().coordinate(), stones) {
            self.board = board;
            self.stones_hash = board_hash(&self.board);
        }
        if is_edited || self.to_move != color {
            self.to_move = color;
            (self.turns, self.passes, self.phase_passes) = (0, 0, 0);
            self.last_move = None;
            (self.has_phase_ended, self.is_no_result) = (false, false);
            self.pass_hashes = HashHistory::default();
            if is_edited {
                self.has_moved = [false; 2];
            }
            if self.rule.ko == KoRule::Simple {
                self.position_hashes = HashHistory::default();
            }
        }
    }

    /// The side to move.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Hides the moves up to now from the net, as KataGo's analyses do at their root (`ignorePreRootHistory`). Kos,
    /// repetitions and passes stay.
    pub(crate) fn forget_moves(&mut self) {
        self.turns = 0;
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Consecutive passes at the end; one that took the button does not count.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// The last move, if the history has one; also one that is hidden from the net.
    pub fn last_move(&self) -> Option<Move> {
        self.last_move
    }

    /// Whether the last two moves were passes, neither of which took the button.
    pub fn has_two_passes(&self) -> bool {
        self.passes >= 2
    }

    /// Whether the last move has recreated a position for the third time since the last pass, under simple ko: KataGo
    /// ends such games without a result.
    pub fn is_no_result(&self) -> bool {
        self.is_no_result
    }

    /// Whether the side to move may play on a point under the game's rules, superko included: whether
    /// [`Position::check`] would allow it.
    pub fn is_legal(&self, point: Point) -> bool {
        self.allows(point) && (self.rule.ko == KoRule::Simple || !self.repeats(point))
    }

    /// Whether the rules allow a move, superko apart.
    fn allows(&self, point: Point) -> bool {
        self.rule.check(&self.board, self.to_move, point, self.ko_ban().is_some()).is_ok()
    }

    /// The point of a ko that the side to move could retake if no rule forbade it.
    fn ko_point(&self) -> Option<Point> {
        self.board.ko_point_of(self.to_move)
    }

    /// The point forbidden by simple ko. As [`Position::banned_ko`], only for a player who has moved since the set-up.
    fn ko_ban(&self) -> Option<Point> {
        self.ko_point().filter(|_| self.rule.ko == KoRule::Simple && self.has_moved[self.to_move.index()])
    }

    /// The points that ko or superko forbids, although the other rules allow them.
    fn banned(&self) -> PointSet {
        if self.rule.ko == KoRule::Simple {
            return self.ko_ban().into_iter().collect();
        }
        let empty = self.board.empty_points().iter().copied();
        empty.filter(|&point| self.allows(point) && self.repeats(point)).collect()
    }

    /// Whether a move that is legal otherwise would recreate an earlier position.
    fn repeats(&self, point: Point) -> bool {
        let color = self.to_move;
        let ren = |start: Point, owner: Color| {
            self.board.ren_points(start).fold(0, |sum, stone| sum ^ stone_hash(owner, stone))
        };
        let mut hash = self.stones_hash ^ stone_hash(color, point);
        let mut heads = [point; 4];
        let around = self.board.coordinate().neighbors(point);
        let mut remove = |owner: Color| {
            for (slot, neighbor) in heads.iter_mut().zip(around) {
                if self.board.stone(neighbor) == owner.stone() && self.board.atari(neighbor) == Some(point) {
                    *slot = self.board.ren_head(neighbor);
                }
            }
            let mut removed = 0;
            for (index, &head) in heads.iter().enumerate() {
                if head != point && !heads.iter().take(index).any(|&other| other == head) {
                    removed ^= ren(head, owner);
                }
            }
            removed
        };
        if self.board.check(color, point) == Err(IllegalMove::Suicide) {
            // the stone goes with the rens that it joins
            hash ^= remove(color) ^ stone_hash(color, point);
        } else {
            hash ^= remove(color.opponent());
        }
        self.position_hashes.count(self.repetition_hash(hash, color.opponent())) > 0
    }

    /// The hash of stones with a player to move, for the repetition rule.
    fn repetition_hash(&self, stones_hash: u64, next: Color) -> u64 {
        if self.rule.ko == KoRule::Positional { stones_hash } else { stones_hash ^ splitmix64(1 + next.index() as u64) }
    }

    /// Plays a legal move of the side to move, as in a search: under territory scoring the pass that ends the main
    /// phase begins the encore. A move on a point that no rule allows changes nothing.
    pub fn play(&mut self, play: Move) {
        let is_made = self.replay_move(self.to_move, play, self.to_move);
        let ends_main_phase = self.has_phase_ended && self.rule.scoring == Scoring::Territory && !self.is_no_result;
        if is_made && ends_main_phase {
            (self.is_encore, self.has_phase_ended) = (true, false);
            (self.turns, self.phase_passes) = (0, 0);
            self.pass_hashes = HashHistory::default();
        }
    }

    /// Plays a move of `color` in a game in which `side_to_move` was to move before it. No move begins an encore.
    /// Returns whether the move was made: one on a point that no rule allows changes nothing.
    fn replay_move(&mut self, color: Color, play: Move, side_to_move: Color) -> bool {
        if let Move::Play(point) = play
            && let Err(IllegalMove::Masonry | IllegalMove::OpponentEye | IllegalMove::MyEye | IllegalMove::Superko) =
                self.board.check(color, point)
        {
            return false;
        }
        let [last, second] = &mut self.before;
        std::mem::swap(last, second);
        let ko = self.board.ko_point_of(color);
        for (cell, &stone) in last.stones.iter_mut().zip(self.board.stones()) {
            *cell = stone;
        }
        last.ko = ko;
        self.moves.rotate_right(1);
        self.moves[0] = play;
        self.last_move = Some(play);
        if self.has_phase_ended {
            self.turns = self.turns.min(1);
        }
        self.turns += 1;
        (self.has_phase_ended, self.is_no_result) = (false, false);
        let side_to_move = if self.rule.ko == KoRule::Simple { color } else { side_to_move };
        let hash = self.repetition_hash(self.stones_hash, side_to_move);
        match play {
            Move::Pass => self.pass(color, hash),
            Move::Play(point) => {
                self.position_hashes.recent.push(hash);
                self.put(color, point);
            }
        }
        self.to_move = color.opponent();
        if let Some(moved) = self.has_moved.get_mut(color.index()) {
            *moved = true;
        }
        if self.has_phase_ended && self.rule.scoring == Scoring::Territory {
            self.turns = self.turns.min(1);
        }
        true
    }

    fn pass(&mut self, color: Color, hash: u64) {
        let takes_button = std::mem::take(&mut self.is_button_open);
        if takes_button {
            self.komi -= button_points(color);
            // no position without the button equals one with it
            self.position_hashes = HashHistory::default();
            self.pass_hashes = HashHistory::default();
        } else {
            self.passes += 1;
            self.phase_passes += 1;
            self.has_phase_ended = self.phase_passes >= 2;
            if self.rule.ko == KoRule::Simple {
                let hash = self.repetition_hash(self.stones_hash, color);
                self.has_phase_ended |= self.pass_hashes.count(hash) > 0;
                self.pass_hashes.recent.push(hash);
                self.position_hashes = HashHistory::default();
            } else {
                self.position_hashes.recent.push(hash);
            }
        }
        self.board.pass();
    }

    /// Puts a stone and removes what it captures.
    fn put(&mut self, color: Color, point: Point) {
        if self.board.ko() == Some(Ko { point, color }) {
            self.board.lift_ko();
        }
        let mut change = HashChange::default();
        self.board.play_legal(color, point, &mut change);
        self.stones_hash ^= change.0;
        (self.passes, self.phase_passes) = (0, 0);
        if self.rule.scoring == Scoring::Territory {
            self.black_minus_white_stones += f64::from(color.sign());
        }
        if self.rule.ko == KoRule::Simple {
            let hash = self.repetition_hash(self.stones_hash, color.opponent());
            self.is_no_result = self.position_hashes.count(hash) >= 2;
            self.has_phase_ended = self.is_no_result;
        }
    }

    /// Whether a pass would end the game or the phase because the same player passed in the same position before.
    fn has_passed_here(&self) -> bool {
        self.rule.ko == KoRule::Simple
            && self.pass_hashes.count(self.repetition_hash(self.stones_hash, self.to_move)) > 0
    }

    /// Whether a pass would end the game or the phase.
    fn pass_would_end(&self) -> bool {
        self.phase_passes >= 1 || self.has_passed_here()
    }

    /// Whether the next pass would be the second in a row under area scoring with `friendly_pass`: the net is then not told
    /// that it ends the game.
    fn is_pass_friendly(&self) -> bool {
        self.rule.friendly_pass
            && self.rule.scoring == Scoring::Area
            && self.phase_passes == 1
            && !self.has_passed_here()
    }

    /// White's points besides those on the board: komi with every bonus and [`Komi::black_minus_white_stones`], so that the
    /// count of area with it is the count of territory and prisoners under territory scoring.
    fn white_points_off_board(&self) -> f64 {
        self.komi + self.black_minus_white_stones
    }

    /// The rules of the game.
    pub fn rule(&self) -> &GameRule {
        &self.rule
    }

    /// The parts of what White receives beside the points on the board, as a native net reads them.
    pub fn komi(&self) -> Komi {
        Komi {
            compensation: self.komi,
            scoring: self.rule.scoring,
            black_minus_white_stones: self.black_minus_white_stones,
        }
    }

    /// The last moves since the history began, newest first, at most five.
    pub fn recent_moves(&self) -> &[Move] {
        self.moves.get(..self.turns.min(HISTORY_MOVES)).unwrap_or_default()
    }

    /// Whether each move is legal, superko included: a flag for each point, from the highest rank down, and one for
    /// the pass.
    pub fn legal_moves(&self) -> Vec<bool> {
        self.legal_moves_without(&self.banned())
    }

    /// The flags of [`BoardHistory::legal_moves`], of points that are not `banned`.
    fn legal_moves_without(&self, banned: &PointSet) -> Vec<bool> {
        let points = self.board.coordinate().points_from_highest_rank();
        points.map(|point| !banned.contains(point) && self.allows(point)).chain([true]).collect()
    }

    /// Komi with every bonus in points, from the perspective of the player to move.
    fn own_komi(&self) -> f32 {
        let komi = self.white_points_off_board() as f32;
        if self.to_move == Color::White { komi } else { -komi }
    }

    fn chains(&self) -> UndoBoard {
        UndoBoard::of(&self.board, self.to_move)
    }

    /// Whether suicide counts as legal where areas are computed.
    fn area_has_suicide(&self) -> bool {
        self.rule.suicide || self.pass_alive_by_suicide
    }

    fn area(&self, chains: &UndoBoard, tax: Tax) -> Area {
        Area::new(chains, tax, self.area_has_suicide())
    }

    /// White's points less Black's, komi, the handicap bonus and the button included, if the game ended on this board,
    /// every stone on it being alive: area scoring with the rules' tax. `None` under territory scoring, where encores
    /// would decide what is alive.
    pub fn white_minus_black_if_over(&self) -> Option<f64> {
        let is_area = self.rule.scoring == Scoring::Area;
        let button = if self.is_button_open { button_points(self.to_move) } else { 0.0 };
        is_area.then(|| f64::from(self.area_if_over()) + self.komi - button)
    }

    /// White's area less Black's after the tax. [`Area`] takes enemy stones in the territory of unconditionally living
    /// chains for dead, as KataGo does; without agreement on dead stones they are alive.
    fn area_if_over(&self) -> i32 {
        let chains = self.chains();
        let taxed = self.area(&chains, self.rule.tax).white_minus_black;
        if self.rule.friendly_pass {
            return taxed;
        }
        let untaxed = self.area(&chains, Tax::None).white_minus_black;
        let [black, white] = areas(&self.board, &PointSet::new()).map(|area| area.iter().count() as i32);
        white - black + taxed - untaxed
    }
}

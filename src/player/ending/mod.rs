//! Endgame fill-in: fills dame and plays the reinforcements that they call for, before a finished game is counted.
//!
//! Players agree to stop before the dame are filled, but the score depends on them: a region is territory only when its
//! border is closed, and a dame that takes a liberty may call for a reinforcement in the territory. So both players
//! alternate until both pass, and each takes the move with the best balance of points: what it gains, what it denies
//! the opponent, and what the opponent threatens afterwards ([`fill_in`]). This reads no deeper than ladders. Under
//! territory scoring, where a move too many costs a point, look-ahead ([`lookahead`]) then tries other moves, and
//! searches by playouts ([`playout_reinforcements`]) and by a net ([`net_reinforcements`]) look for reinforcements that
//! are still missing. A position in which too many points have no owner ([`Stage::Unsettled`]) is not filled in.

pub(super) mod endgame_net_search;
mod fill_in;
mod lookahead;
mod net_reinforcements;
mod playout_reinforcements;
mod status_board;
mod threats;

use crate::kernel::region::regions_without_living_stones;
use crate::kernel::{Board, Color, Move, Point, PointSet, Position, Scoring, Stone};
use crate::net::Net;
use crate::player::ending::fill_in::FillIn;
use crate::player::ending::net_reinforcements::NetReinforcements;
use crate::player::ending::playout_reinforcements::PlayoutReinforcements;
use crate::player::ending::status_board::StatusBoard;
use crate::player::fixed_search::UserInterrupt;
use crate::player::status::Status;

/// The greatest number of fill-ins, the first one included.
const ATTEMPTS: usize = 4;

/// The largest ren whose loss during the fill-in is not taken for a mistake: the stone of a ko.
const KO_STONES: usize = 1;

/// The fill-in is tried if at most one point in [`OPEN_DIVISOR`] is [open](Stage), if at most one in [`UNCLEAR_DIVISOR`]
/// has no clear owner, and if no [half of the board](has_invadable_half) can be invaded. The stones of a dead group,
/// and the points around it, often have no clear owner in playouts.
const OPEN_DIVISOR: usize = 12;
const UNCLEAR_DIVISOR: usize = 6;

/// A game is finished if moreover at most one point in [`FINISHED_OPEN_DIVISOR`], or at most [`MIN_FINISHED_OPEN`] points
/// are open, whichever is more.
const FINISHED_OPEN_DIVISOR: usize = 48;
const MIN_FINISHED_OPEN: usize = 2;

/// The fill-in of a finished game has at most as many moves as there are dame, and one for each [`MORE_MOVES_DIVISOR`]
/// points of the board or [`MIN_MORE_MOVES`], whichever is more: 18 more than dame on 19x19. At the ends of strong
/// amateurs' games on a server there were at most 4 more, and 20 moves earlier 12 in the median; professionals often
/// leave more than 9 unplayed.
const MORE_MOVES_DIVISOR: usize = 20;
const MIN_MORE_MOVES: usize = 2;

/// The greatest number of reinforcements that searches by playouts add, and that searches by a net add.
const MAX_REINFORCEMENTS: usize = 10;

/// The reading of a fill-in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Ladders: some 25 ms on 19x19.
    Ladders,
    /// Ladders, and under territory scoring look-ahead and playouts in all regions: some tenths of a second on 19x19, up
    /// to a few seconds. Under area scoring nothing more than ladders: a reinforcement costs nothing there once the dame are
    /// filled.
    LookAhead,
}

/// The end of a game, filled in.
pub(super) struct FillInResult {
    /// The board after the moves.
    pub(super) board: Board,
    /// The dead stones on it.
    pub(super) dead: PointSet,
    /// Stones captured by Black and by White in the moves.
    pub(super) captured: [u32; 2],
    /// The moves.
    pub(super) moves: Vec<(Color, Point)>,
    /// The stones in seki, which the moves leave alone.
    pub(super) seki: PointSet,
}

impl FillInResult {
    /// A position that is counted as it stands.
    pub(super) fn as_it_stands(position: &Position, status: &Status) -> FillInResult {
        FillInResult {
            board: position.board().clone(),
            dead: status.dead,
            captured: [0; 2],
            moves: Vec::new(),
            seki: status.seki,
        }
    }

    /// The player who passes first, if `to_move` begins: in place of the first move that is out of turn, or after all
    /// moves.
    pub(super) fn first_to_pass(&self, to_move: Color) -> Color {
        let in_turn = |index: usize| if index.is_multiple_of(2) { to_move } else { to_move.opponent() };
        let index = self.moves.iter().enumerate().position(|(index, (color, _))| *color != in_turn(index));
        in_turn(index.unwrap_or(self.moves.len()))
    }
}

/// The stage of a game, by its open points. An open point is empty, has no clear owner, is no dame, and lies in a region
/// that living stones of both colours border even without the dame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// Too many points are open, or without a clear owner, for a fill-in.
    Unsettled,
    /// Few enough points are open ([`OPEN_DIVISOR`]) or without a clear owner ([`UNCLEAR_DIVISOR`]) that the fill-in gives a
    /// score, but too many for a finished game.
    Late,
    /// Hardly a point is open: only dame and reinforcements are left.
    Finished,
}

/// The stage of a game, from the status of its stones.
pub(super) fn stage(board: &Board, scoring: Scoring, status: &Status) -> Stage {
    let area = board.coordinate().board_area();
    let open = open_points(board, scoring, status);
    let is_unsettled = open > area / OPEN_DIVISOR || unclear_points(board, status) > area / UNCLEAR_DIVISOR;
    if is_unsettled || has_invadable_half(board, status) {
        Stage::Unsettled
    } else if open > (area / FINISHED_OPEN_DIVISOR).max(MIN_FINISHED_OPEN) {
        Stage::Late
    } else {
        Stage::Finished
    }
}

/// Whether a fill-in with this number of moves is that of a finished game: hardly more moves than there are dame.
pub(super) fn has_few_moves_beyond_dame(board: &Board, status: &Status, moves: usize) -> bool {
    let dame = StatusBoard::new(board, status).dame().iter().count();
    moves <= dame + (board.coordinate().board_area() / MORE_MOVES_DIVISOR).max(MIN_MORE_MOVES)
}

/// Whether more than half of the board is one region of empty points and dead stones that neither player owns by
/// unconditional life: large enough for the opponent to live in, as on a board with handicap stones only, however clear
/// its owner seems.
fn has_invadable_half(board: &Board, status: &Status) -> bool {
    let regions = regions_without_living_stones(board, &status.dead);
    let half = regions.iter().find(|region| 2 * region.points.len() > board.coordinate().board_area());
    half.is_some_and(|region| {
        let proven = status.proven_points(board);
        !region.points.iter().all(|&point| proven.contains(point))
    })
}

/// The number of [open points](Stage).
fn open_points(board: &Board, scoring: Scoring, status: &Status) -> usize {
    let undecided = StatusBoard::new(board, status).count_points(scoring, &status.ownership).undecided;
    undecided.into_iter().filter(|&point| status_board::clear_owner_sign(&status.ownership, point) == 0).count()
}

/// The number of points without a clear owner that are neither dame nor [proven](Status::proven_points).
fn unclear_points(board: &Board, status: &Status) -> usize {
    let (dame, proven) = (StatusBoard::new(board, status).dame(), status.proven_points(board));
    let is_unclear = |&p: &Point| {
        status_board::clear_owner_sign(&status.ownership, p) == 0 && !dame.contains(p) && !proven.contains(p)
    };
    board.coordinate().points().filter(is_unclear).count()
}

/// Fills the end of a game in. Under territory scoring a net with a score head adds further reinforcements, which takes some
/// tenths of a second on 19x19. If only one colour has living stones, no point is left to fill. After an interrupt the rest
/// of the searches is left out.
pub(super) fn fill_in_end(
    position: &Position,
    status: &Status,
    reading: Reading,
    net: Option<&Net>,
    interrupt: UserInterrupt<'_>,
) -> FillInResult {
    if !status.has_both_colors(position.board()) {
        return FillInResult::as_it_stands(position, status);
    }
    let (to_move, rule) = (position.to_move(), *position.rule());
    let attempt =
        |rankings, play: &dyn Fn(&mut FillIn<'_>)| fill_in_repeatedly(position, status, rankings, interrupt, play);
    let mut fill_in = attempt(usize::MAX, &|fill_in| fill_in.play_greedily(to_move, 0)).fill_in;
    if reading == Reading::LookAhead && rule.scoring == Scoring::Territory {
        let is_accepted = |other: &LastAttempt<'_>| other.is_stable && !other.fill_in.has_no_rankings_left();
        let improved =
            attempt(lookahead::MAX_RANKED_POSITIONS, &|fill_in| lookahead::play_by_rollouts(fill_in, to_move));
        if is_accepted(&improved) && improved.fill_in.board_margin() != fill_in.board_margin() {
            let searched =
                attempt(improved.fill_in.rankings_left, &|fill_in| lookahead::play_best_first(fill_in, to_move));
            if is_accepted(&searched) && searched.fill_in.board_margin() == improved.fill_in.board_margin() {
                fill_in = improved.fill_in;
            }
        }
        let mut by_playouts = PlayoutReinforcements::new(interrupt);
        reinforce(&mut fill_in, |status_board| by_playouts.reinforcement(status_board));
    }
    if let Some(net) = net.filter(|_| rule.scoring == Scoring::Territory) {
        let mut by_net = NetReinforcements::new(net, rule, interrupt);
        reinforce(&mut fill_in, |status_board| by_net.reinforcement(status_board));
    }
    let FillIn { status_board: StatusBoard { board, dead, captured, .. }, moves, .. } = fill_in;
    FillInResult { board, dead, captured, moves, seki: status.seki }
}

/// Adds the reinforcements that a search finds. After each, both players fill in what it left open.
fn reinforce(fill_in: &mut FillIn<'_>, mut find: impl FnMut(&StatusBoard) -> Option<(Color, Point)>) {
    for _ in 0..MAX_REINFORCEMENTS {
        let Some((owner, point)) = find(&fill_in.status_board) else { break };
        fill_in.make_move(owner, Move::Play(point), 0);
        fill_in.play_greedily(owner.opponent(), 0);
    }
}

/// The last of several fill-ins.
struct LastAttempt<'a> {
    fill_in: FillIn<'a>,
    /// Whether no living group died in it, and no dead one came alive.
    is_stable: bool,
}

/// Repeats the fill-in by `play` up to [`ATTEMPTS`] times; all attempts share one budget of ranked positions.
///
/// No living group dies while both players only fill dame. If one does, or a dead one comes alive, then the reading was
/// not deep enough to answer in time. The fill-in is repeated: a group that died counts as alive, and its dame are left
/// to its owner; a group that came alive counts as dead.
fn fill_in_repeatedly<'a>(
    position: &Position,
    status: &'a Status,
    mut rankings_left: usize,
    interrupt: UserInterrupt<'a>,
    play: &dyn Fn(&mut FillIn<'_>),
) -> LastAttempt<'a> {
    let mut status_locked = PointSet::new();
    let mut attempts = 1;
    loop {
        let mut fill_in = FillIn::new(position, status, &status_locked);
        (fill_in.rankings_left, fill_in.interrupt) = (rankings_left, interrupt);
        play(&mut fill_in);
        let changed = changed_stones(position.board(), status, &fill_in.status_board);
        if changed.is_empty() || attempts == ATTEMPTS {
            return LastAttempt { fill_in, is_stable: changed.is_empty() };
        }
        rankings_left = fill_in.rankings_left;
        status_locked.extend(changed);
        attempts += 1;
    }
}

/// The living stones that a fill-in lost, except single ones as in a ko, and the dead ones that it saved.
fn changed_stones(board: &Board, status: &Status, after: &StatusBoard) -> Vec<Point> {
    let is_changed = |&p: &Point| {
        let was_dead = status.dead.contains(p);
        let is_alive = after.board.stone(p) == board.stone(p) && !after.dead.contains(p);
        is_alive == was_dead && (was_dead || board.ren_size(p) > KO_STONES)
    };
    let stones = board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space);
    stones.filter(|p| !status.seki.contains(*p)).filter(is_changed).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::{parse_diagram, test_boards};
    use crate::player::status::{classify_stones, classify_with_ownership};

    /// The moves of the fill-in on a drawn board, rank 1 first.
    fn filled(drawn: &str, to_move: Color, rules: &str) -> String {
        let position = test_boards::position(&[drawn], rules, 0.0, to_move);
        let status = classify_stones(position.board(), to_move, 400);
        let filled = fill_in_end(&position, &status, Reading::LookAhead, None, UserInterrupt::default());
        let coordinate = position.board().coordinate();
        let moves = filled.moves.iter().map(|&(color, point)| format!("{color} {}", coordinate.vertex(point)));
        moves.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn three_kos_are_not_taken_for_ever() {
        // kos at A1, D1 and K8
        let drawn = "
            . x o . o x . . . . . x x o . . . . .
            x o o o x x x x x x x x o o . . . . .
            . x o o o o x o o o o o o o . o . . .
            x x x o . o x x x x x x o x . . o . .
            . . x x x o o o o x o o x o o o . o .
            . . . x . x o . . . x o x o . . o . .
            . . . . x x o x x x x o x x o o . o .
            . . . x o o o o x . x o o x o x o x o
            . x . . x o . x o x o o x x x x x x o
            . o x x x o . . o o . o x . . . x . o
            . x o o o o o o o . . o o x x . . x x
            . . x o . x x o x o o x o o o x x x o
            . . x x x x o o x x x x o . . o x o o
            . . x . x o o x o . x o . o . o o . .
            . . x x x x x x . x x x o o o . . o .
            . . x o x . . x x x o x x o x o x o .
            . x x o x x x o o o o o o x x . x o .
            x o o o o o o . . . . o x . x x x x o
            . o . . . . . . . . . o x x . x x . .
        ";
        let position = test_boards::position(&[drawn], "japanese", 0.0, Color::Black);
        let mut board = position.board().clone();
        let status = classify_stones(&board, Color::Black, 400);
        let filled = fill_in_end(&position, &status, Reading::Ladders, None, UserInterrupt::default());
        let mut reached = HashSet::from([board.stones().to_vec()]);
        for (color, point) in filled.moves {
            board.lift_ko(); // a pass may have come before the move
            board.play(color, point, &mut ()).unwrap();
            assert!(reached.insert(board.stones().to_vec()), "{} repeats", board.coordinate().vertex(point));
        }
    }

    /// Two living groups with a column of dame between them.
    const DAME: &str = "
        . x . o .
        x x . o o
        . x . o .
        x x . o o
        . x . o .
    ";

    #[test]
    fn dame_are_filled_in_turn() {
        for rules in ["chinese", "japanese"] {
            let moves = filled(DAME, Color::Black, rules);
            let colors: Vec<_> = moves.split(", ").map(|text| text.split(' ').next().unwrap()).collect();
            assert_eq!(colors, ["black", "white", "black", "white", "black"], "{moves}");
        }
    }

    #[test]
    fn a_dame_that_gives_atari_calls_for_a_reinforcement() {
        let drawn = "
            . . x . o .
            x x o o o o
            . x o . o .
            x x o o o o
            . x x o . o
            . . x o o .
        ";
        assert_eq!(filled(drawn, Color::White, "japanese"), "white D1, black B1");
    }

    #[test]
    fn an_eye_space_that_one_move_takes_calls_for_a_reinforcement() {
        // six points in the corner without outside liberties are two eyes only for the player who moves first
        let drawn = "
            . . . x o . o
            . . . x o o .
            x x x x o . o
            o o o o o o .
            . o . o . o o
        ";
        let moves = filled(drawn, Color::White, "japanese");
        assert!(["black B1", "black B2"].contains(&moves.as_str()), "{moves}");
        // one move in it is enough
        let drawn = drawn.replacen(". . . x", ". x . x", 1);
        assert_eq!(filled(&drawn, Color::White, "japanese"), "");
    }

    /// Whatever playouts or a net think of its points.
    #[test]
    fn a_board_that_unconditional_life_covers_is_finished() {
        let stage_of = |rows: &[&str]| {
            let board = test_boards::board(rows);
            let status = classify_with_ownership(&board, vec![0.0; board.coordinate().memory_area()], 100);
            [Scoring::Area, Scoring::Territory].map(|scoring| stage(&board, scoring, &status))
        };
        for rows in [
            &[".x.x.", "xxxxx", ".x.x.", "xxxxx", ".x.x."][..],
            // dead white stones
            &["..o..", "xxxxx", ".oo.o", "xxxxx", ".o..."],
            // White could place stones in the two last rows, but make no two eyes
            &["x.x.x.x", "xxxxxxx", ".......", ".......", "xxxxxxx", "x.x.x.x", "xxxxxxx"],
        ] {
            assert_eq!(stage_of(rows), [Stage::Finished; 2], "{rows:?}");
        }
        // in three rows White could live
        assert_eq!(stage_of(&[".x.x.", "xxxxx", ".....", ".....", "....."]), [Stage::Unsettled; 2]);
    }

    #[test]
    fn a_game_in_progress_is_not_finished() {
        let board = parse_diagram(". . . . .\n. . x . .\n. . . . .\n. . o . .\n. . . . .").unwrap();
        let status = classify_stones(&board, Color::Black, 400);
        assert_ne!(stage(&board, Scoring::Area, &status), Stage::Finished);
        let board = parse_diagram(DAME).unwrap();
        let status = classify_stones(&board, Color::Black, 400);
        assert_eq!(stage(&board, Scoring::Area, &status), Stage::Finished);
    }
}

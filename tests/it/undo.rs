//! Undo gives back every observable, and the ren database holds what a fresh scan finds.
//!
//! This guards the sentence "n plays and k undos equal n-k plays, in every field": stones, ko, record, ren database,
//! prisoners, side to move, and the verdict for every point and both colours. It also guards that undo stops at the
//! start without a change, that a game goes on after it as if nothing had been, and that after every move the section
//! of the ren database under the present ordinal is the scan of the board, file by file, in the order met.

use std::fmt::Debug;

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{
    Board, Color, Coordinate, IllegalMove, Ko, KoRule, Move, Point, Position, RecordItem, Ren, RenDb, Stone,
    get_liberty,
};

use crate::support::{MAX_MOVES, draw, empty_position, position, rule, stones_of};

/// All that can be seen of a position.
#[derive(Clone)]
struct Seen {
    stones: Vec<Stone>,
    ko: Option<Ko>,
    record: Vec<RecordItem>,
    ren_db: RenDb,
    prisoners: [u32; 2],
    to_move: Color,
    verdicts: Vec<[Result<(), IllegalMove>; 2]>,
    rens: Vec<Option<Ren>>,
}

fn see(position: &Position) -> Seen {
    let board = position.board();
    let points = || board.coordinate().points();
    Seen {
        stones: board.stones().to_vec(),
        ko: board.ko(),
        record: position.record().items().to_vec(),
        ren_db: position.ren_db().clone(),
        prisoners: Color::BOTH.map(|color| position.prisoners(color)),
        to_move: position.to_move(),
        verdicts: points().map(|p| Color::BOTH.map(|color| position.check(color, p))).collect(),
        rens: points().map(|p| get_liberty(board, p)).collect(),
    }
}

#[track_caller]
fn assert_same(now: &Seen, then: &Seen, told: &str) {
    #[track_caller]
    fn field<T: PartialEq + Debug>(name: &str, now: &T, then: &T, told: &str) {
        assert!(now == then, "{name} {told}: {now:?}, was {then:?}");
    }
    field("stones", &now.stones, &then.stones, told);
    field("ko", &now.ko, &then.ko, told);
    field("record", &now.record, &then.record, told);
    field("prisoners", &now.prisoners, &then.prisoners, told);
    field("to_move", &now.to_move, &then.to_move, told);
    field("verdicts", &now.verdicts, &then.verdicts, told);
    field("rens", &now.rens, &then.rens, told);
    field("ren_db", &now.ren_db, &then.ren_db, told);
}

/// A random move of the game: a play mostly, a pass at times, out of turn now and then.
fn choose(position: &Position, rng: &mut Rng) -> (Color, Move) {
    let turn = position.to_move();
    let color = if rng.u32(0..12) == 0 { turn.opponent() } else { turn };
    let board = position.board();
    let mut legal: Vec<Point> = board.coordinate().points().filter(|&p| position.check(color, p).is_ok()).collect();
    let takes = |&p: &Point| {
        let beside = board.coordinate().neighbors(p);
        beside.into_iter().any(|q| board.stone(q) == color.opponent().stone() && board.atari(q) == Some(p))
    };
    if rng.bool() && legal.iter().any(takes) {
        legal.retain(takes);
    }
    if legal.is_empty() || rng.u32(0..20) == 0 {
        (color, Move::Pass)
    } else {
        (color, Move::Play(legal[rng.usize(..legal.len())]))
    }
}

fn make(position: &mut Position, (color, play): (Color, Move)) {
    match play {
        Move::Play(point) => {
            position.play(color, point).unwrap();
        }
        Move::Pass => position.pass(color),
    }
}

/// A start: the empty board, or random stones.
fn start(side: u8, rng: &mut Rng) -> Position {
    let coordinate = Coordinate::square(side).unwrap();
    let mut position = Position::new(coordinate, rule(rng.bool()), MAX_MOVES, Color::White);
    if rng.bool() {
        let mut oracle = crate::oracle::Oracle::new(side.into(), side.into());
        for (row, column) in oracle.places() {
            oracle.cells[row][column] = [0, 0, 1, -1][rng.usize(..4)];
        }
        // refused where a ren has no liberty: then the game starts from the empty board
        let _ = position.set_up(&stones_of(coordinate, &oracle));
    }
    position
}

#[derive(Default, Debug)]
struct Met {
    kos: usize,
    captures: usize,
    passes: usize,
    undone: usize,
}

/// Plays, remembers every position, takes back a random stretch, plays on, and in the end goes back to the start.
#[track_caller]
fn check(met: &mut Met, side: u8, plies: usize, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut position = start(side, &mut rng);
    let fresh = position.clone();
    let mut seen = vec![see(&position)];
    for _ in 0..plies {
        let play = choose(&position, &mut rng);
        make(&mut position, play);
        seen.push(see(&position));
        if rng.u32(0..15) == 0 {
            let back = rng.usize(1..=position.record().len().min(6));
            for _ in 0..back {
                seen.pop();
                position.undo().unwrap();
                met.undone += 1;
                let told = format!("after undo to move {} on\n{}", position.record().len(), draw(position.board()));
                assert_same(&see(&position), &seen[seen.len() - 1], &told);
            }
            position.assert_consistent();
        }
    }
    let items = position.record().items();
    met.kos += items.iter().filter(|item| item.ko.is_some()).count();
    met.captures += items.iter().filter(|item| !item.captured.is_empty()).count();
    met.passes += items.iter().filter(|item| item.play == Move::Pass).count();

    // what was played on after the undos is the game that a fresh position gives for the same moves
    let mut again = fresh;
    for item in items {
        make(&mut again, (item.color, item.play));
    }
    assert_same(&see(&again), &see(&position), "of the same moves without undo");

    while !position.record().items().is_empty() {
        position.undo().unwrap();
        seen.pop();
        met.undone += 1;
        let told = format!("after undo to move {} on\n{}", position.record().len(), draw(position.board()));
        assert_same(&see(&position), &seen[seen.len() - 1], &told);
    }
    for _ in 0..2 {
        assert!(position.undo().is_err(), "undo at the start");
        assert_same(&see(&position), &seen[0], "after a refused undo");
    }
    position.assert_consistent();
}

#[test]
fn undo_gives_back_every_observable() {
    let mut met = Met::default();
    for (side, plies, games) in
        [(1, 6, 2), (2, 60, 12), (3, 80, 14), (4, 80, 8), (5, 90, 6), (7, 120, 2), (9, 110, 1), (19, 30, 1)]
    {
        for game in 0..games {
            check(&mut met, side, plies, 1000 * u64::from(side) + game);
        }
    }
    eprintln!("undo: {met:?}");
    assert!(met.kos > 0 && met.captures > 0 && met.passes > 0 && met.undone > 1000, "{met:?}");
}

/// A game in which stones are taken off by hand, turns and rules change, and moves are taken back: from its record it is
/// built again as it is.
#[test]
fn a_game_is_built_again_from_its_record() {
    let mut edits = 0;
    for (seed, side) in (0..60).zip([2, 3, 4, 5, 7, 9].into_iter().cycle()) {
        let mut rng = Rng::with_seed(seed);
        let mut position = start(side, &mut rng);
        if rng.bool() && side > 3 {
            position.clear(Coordinate::square(side).unwrap());
            let points: Vec<Point> = position.board().coordinate().points().step_by(5).take(3).collect();
            position.set_handicap(&points).unwrap();
        }
        for _ in 0..60 {
            match rng.u8(..16) {
                0 => {
                    position.rule_mut().suicide = rng.bool();
                    position.rule_mut().ko = [KoRule::Simple, KoRule::Positional, KoRule::Situational][rng.usize(..3)];
                }
                1 => {
                    let points: Vec<Point> = position.board().coordinate().points().collect();
                    edits += usize::from(position.remove_ren(points[rng.usize(..points.len())]).is_ok());
                }
                2 => position.set_to_move(if rng.bool() { Color::Black } else { Color::White }),
                3 => drop(position.undo()),
                _ => {
                    let play = choose(&position, &mut rng);
                    make(&mut position, play);
                }
            }
            let again = position.replayed();
            assert_same(&see(&again), &see(&position), &format!("of game {seed} built again"));
            assert!(again.history().eq(position.history()), "game {seed}");
            assert_eq!(
                (again.handicap(), again.first_to_move()),
                (position.handicap(), position.first_to_move()),
                "game {seed}"
            );
            again.assert_consistent();
        }
        // the way back is the same, too
        let mut again = position.replayed();
        while position.undo().is_ok() {
            again.undo().unwrap();
            assert_same(&see(&again), &see(&position), &format!("of game {seed} taken back"));
        }
    }
    assert!(edits > 50, "{edits} edits");
}

#[test]
fn undo_stops_at_a_set_up() {
    let mut position = empty_position(Coordinate::square(3).unwrap());
    let a1 = position.board().coordinate().parse_vertex("A1").unwrap();
    position.play(Color::Black, a1).unwrap();
    let stones = Board::new(Coordinate::square(3).unwrap()).stones().to_vec();
    position.set_up(&stones).unwrap();
    let set = see(&position);
    assert!(position.undo().is_err());
    assert_same(&see(&position), &set, "after a refused undo");
    position.pass(Color::White);
    position.undo().unwrap();
    assert_same(&see(&position), &set, "after undo of a pass");
    assert!(position.undo().is_err());
}

/// Undo must also forget that a colour has moved: a ko binds only who has moved since the set-up.
#[test]
fn undo_forgets_who_has_moved() {
    let mut position = position(
        ".xo.
         xo.o
         .xo.
         ....",
    );
    let coordinate = position.board().coordinate();
    let [b2, c2] = ["B2", "C2"].map(|vertex| coordinate.parse_vertex(vertex).unwrap());
    position.pass(Color::White);
    position.play(Color::Black, c2).unwrap();
    assert_eq!(position.check(Color::White, b2), Err(IllegalMove::Ko));
    position.undo().unwrap();
    position.undo().unwrap();
    position.play(Color::Black, c2).unwrap();
    assert_eq!(position.check(Color::White, b2), Ok(()));
    position.play(Color::White, b2).unwrap();
    assert_eq!(position.check(Color::Black, c2), Err(IllegalMove::Ko));
    position.undo().unwrap();
    assert_eq!(position.check(Color::White, b2), Ok(()));
}

/// The stones a move took stand in the record in the same order, whether or not something was taken back before it.
#[test]
fn a_move_taken_back_leaves_no_trace_in_the_record() {
    let mut fresh = position(
        "....
         xxx.",
    );
    let coordinate = fresh.board().coordinate();
    let [a1, b1, c1, d1] = ["A1", "B1", "C1", "D1"].map(|vertex| coordinate.parse_vertex(vertex).unwrap());
    for point in [a1, c1, b1] {
        fresh.play(Color::White, point).unwrap();
    }
    let mut undone = fresh.clone();
    undone.pass(Color::Black);
    undone.undo().unwrap();
    for position in [&mut fresh, &mut undone] {
        position.play(Color::Black, d1).unwrap();
    }
    assert_same(&see(&undone), &see(&fresh), "after a pass was taken back");
}

/// The present section of the ren database, against the rens of a scan made here of the flood fill alone.
#[track_caller]
fn check_ren_db(position: &Position) {
    let board = position.board();
    let mut scan: Vec<Ren> = Vec::new();
    for point in board.coordinate().points_by_file() {
        if !scan.iter().any(|ren| ren.locations.contains(&point)) {
            scan.push(get_liberty(board, point).unwrap());
        }
    }
    scan.sort_by_key(Ren::minimum_location);
    let ordinal = position.record().len() as u32 + 1;
    let held: Vec<_> = position.ren_db().iter().filter(|(id, _)| id.ordinal == ordinal).collect();
    let told = format!("ordinal {ordinal}\n{}", draw(board));
    assert_eq!(held.len(), scan.len(), "rens held, {told}");
    for ((id, ren), expected) in held.into_iter().zip(&scan) {
        assert_eq!(Some(id.location), expected.minimum_location(), "{told}");
        assert_eq!(ren, expected, "{told}");
    }
    assert!(position.ren_db().iter().all(|(id, _)| id.ordinal <= ordinal), "a later position's ren, {told}");
    let mut ids: Vec<_> = position.ren_db().iter().map(|(id, _)| (id.ordinal, id.location)).collect();
    assert_eq!(ids.len(), position.ren_db().len());
    assert!(ids.is_sorted(), "{told}");
    ids.dedup();
    assert_eq!(ids.len(), position.ren_db().len(), "an id twice, {told}");
}

#[test]
fn ren_database_is_the_scan_of_every_position() {
    for (side, plies) in [(1, 3), (2, 60), (3, 100), (5, 120), (9, 120), (13, 60), (25, 12)] {
        let mut rng = Rng::with_seed(u64::from(side));
        let mut position = start(side, &mut rng);
        check_ren_db(&position);
        for ply in 0..plies {
            let play = choose(&position, &mut rng);
            make(&mut position, play);
            check_ren_db(&position);
            if ply % 10 == 9 {
                position.undo().unwrap();
                check_ren_db(&position);
            }
        }
    }
}

//! Undo restores every field, and the ren database matches a fresh scan.
//!
//! n plays and k undos must equal n-k plays in every field: stones, ko, record, ren database, prisoners, side to move,
//! and the verdict for every point and both colours. Undo at the start must be refused without a change, and a game
//! continued after undos must equal one without them. After every move the section of the ren database under the
//! present ordinal must be the scan of the board, file by file, in scan order.

use std::fmt::Debug;

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{
    Board, Color, Coordinate, IllegalMove, Ko, KoRule, Move, Point, Position, RecordItem, Ren, RenDb, Stone,
    get_liberty,
};

use crate::support::{MAX_MOVES, RECTANGLES, draw, empty_position, position, rule, stones_of};

/// The observable state of a position.
#[derive(Clone)]
struct Snapshot {
    stones: Vec<Stone>,
    ko: Option<Ko>,
    record: Vec<RecordItem>,
    ren_db: RenDb,
    prisoners: [u32; 2],
    to_move: Color,
    verdicts: Vec<[Result<(), IllegalMove>; 2]>,
    rens: Vec<Option<Ren>>,
}

fn snapshot(position: &Position) -> Snapshot {
    let board = position.board();
    let points = || board.coordinate().points();
    Snapshot {
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
fn assert_same(now: &Snapshot, then: &Snapshot, context: &str) {
    #[track_caller]
    fn field<T: PartialEq + Debug>(name: &str, now: &T, then: &T, context: &str) {
        assert!(now == then, "{name} {context}: {now:?}, was {then:?}");
    }
    field("stones", &now.stones, &then.stones, context);
    field("ko", &now.ko, &then.ko, context);
    field("record", &now.record, &then.record, context);
    field("prisoners", &now.prisoners, &then.prisoners, context);
    field("to_move", &now.to_move, &then.to_move, context);
    field("verdicts", &now.verdicts, &then.verdicts, context);
    field("rens", &now.rens, &then.rens, context);
    field("ren_db", &now.ren_db, &then.ren_db, context);
}

/// A random move: mostly a play, sometimes a pass, sometimes out of turn.
fn choose(position: &Position, rng: &mut Rng) -> (Color, Move) {
    let turn = position.to_move();
    let color = if rng.u32(0..12) == 0 { turn.opponent() } else { turn };
    let board = position.board();
    let mut legal: Vec<Point> = board.coordinate().points().filter(|&p| position.check(color, p).is_ok()).collect();
    let captures = |&p: &Point| {
        let beside = board.coordinate().neighbors(p);
        beside.into_iter().any(|q| board.stone(q) == color.opponent().stone() && board.atari(q) == Some(p))
    };
    if rng.bool() && legal.iter().any(captures) {
        legal.retain(captures);
    }
    if legal.is_empty() || rng.u32(0..20) == 0 {
        (color, Move::Pass)
    } else {
        (color, Move::Play(legal[rng.usize(..legal.len())]))
    }
}

/// A start: the empty board, or random stones.
fn start((width, height): (u8, u8), rng: &mut Rng) -> Position {
    let coordinate = Coordinate::new(width, height).unwrap();
    let mut position = Position::new(coordinate, rule(rng.bool()), MAX_MOVES, Color::White);
    if rng.bool() {
        let mut oracle = crate::oracle::Oracle::new(width.into(), height.into());
        for (row, column) in oracle.places() {
            oracle.cells[row][column] = [0, 0, 1, -1][rng.usize(..4)];
        }
        // refused where a ren has no liberty: then the game starts from the empty board
        let _ = position.set_up(&stones_of(coordinate, &oracle));
    }
    position
}

#[derive(Default, Debug)]
struct Coverage {
    kos: usize,
    captures: usize,
    passes: usize,
    undone: usize,
}

/// Plays with a snapshot of every position, sometimes undoes a random number of moves, and in the end undoes all.
#[track_caller]
fn check(coverage: &mut Coverage, size: (u8, u8), plies: usize, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut position = start(size, &mut rng);
    let fresh = position.clone();
    let mut snapshots = vec![snapshot(&position)];
    for _ in 0..plies {
        let (color, play) = choose(&position, &mut rng);
        position.make_move(color, play).unwrap();
        snapshots.push(snapshot(&position));
        if rng.u32(0..15) == 0 {
            let back = rng.usize(1..=position.record().len().min(6));
            for _ in 0..back {
                snapshots.pop();
                position.undo().unwrap();
                coverage.undone += 1;
                let context = format!("after undo to move {} on\n{}", position.record().len(), draw(position.board()));
                assert_same(&snapshot(&position), &snapshots[snapshots.len() - 1], &context);
            }
            position.assert_consistent();
        }
    }
    let items = position.record().items();
    coverage.kos += items.iter().filter(|item| item.takes_ko).count();
    coverage.captures += items.iter().filter(|item| !item.captured.is_empty()).count();
    coverage.passes += items.iter().filter(|item| item.play == Move::Pass).count();

    // the game with undos equals the same moves played without them
    let mut again = fresh;
    for item in items {
        again.make_move(item.color, item.play).unwrap();
    }
    assert_same(&snapshot(&again), &snapshot(&position), "of the same moves without undo");

    while !position.record().items().is_empty() {
        position.undo().unwrap();
        snapshots.pop();
        coverage.undone += 1;
        let context = format!("after undo to move {} on\n{}", position.record().len(), draw(position.board()));
        assert_same(&snapshot(&position), &snapshots[snapshots.len() - 1], &context);
    }
    for _ in 0..2 {
        assert!(position.undo().is_err(), "undo at the start");
        assert_same(&snapshot(&position), &snapshots[0], "after a refused undo");
    }
    position.assert_consistent();
}

#[test]
fn undo_restores_every_field() {
    let mut coverage = Coverage::default();
    for (side, plies, games) in
        [(1, 6, 2), (2, 60, 12), (3, 80, 14), (4, 80, 8), (5, 90, 6), (7, 120, 2), (9, 110, 1), (19, 30, 1)]
    {
        for game in 0..games {
            check(&mut coverage, (side, side), plies, 1000 * u64::from(side) + game);
        }
    }
    for (width, height) in RECTANGLES {
        let plies = if width.min(height) > 9 { 20 } else { 60 };
        check(&mut coverage, (width, height), plies, 1000 * u64::from(width) + u64::from(height));
    }
    eprintln!("undo: {coverage:?}");
    assert!(coverage.kos > 0 && coverage.captures > 0 && coverage.passes > 0 && coverage.undone > 1000, "{coverage:?}");
}

/// A game with removed rens, changes of the colour to move and of the rules, and undos, is rebuilt without a
/// difference.
#[test]
fn a_game_is_rebuilt_from_its_record() {
    let mut edits = 0;
    let squares = (0..60).zip([2, 3, 4, 5, 7, 9].map(|side| (side, side)).into_iter().cycle());
    for (seed, size) in squares.chain((60..).zip(RECTANGLES)) {
        let mut rng = Rng::with_seed(seed);
        let mut position = start(size, &mut rng);
        if rng.bool() && size.0.min(size.1) > 3 {
            position = position.new_game(position.board().coordinate());
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
                    let (color, play) = choose(&position, &mut rng);
                    position.make_move(color, play).unwrap();
                }
            }
            let again = position.replayed();
            assert_same(&snapshot(&again), &snapshot(&position), &format!("of game {seed}, rebuilt"));
            assert!(again.history().eq(position.history()), "game {seed}");
            assert_eq!(
                (again.handicap(), again.first_to_move()),
                (position.handicap(), position.first_to_move()),
                "game {seed}"
            );
            again.assert_consistent();
        }
        // undo from the end gives the same positions, too
        let mut again = position.replayed();
        while position.undo().is_ok() {
            again.undo().unwrap();
            assert_same(&snapshot(&again), &snapshot(&position), &format!("of game {seed}, rebuilt and undone"));
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
    let set = snapshot(&position);
    assert!(position.undo().is_err());
    assert_same(&snapshot(&position), &set, "after a refused undo");
    position.pass(Color::White);
    position.undo().unwrap();
    assert_same(&snapshot(&position), &set, "after undo of a pass");
    assert!(position.undo().is_err());
}

/// A ko binds only a colour that has moved since the set-up, so undo must restore that as well.
#[test]
fn undo_restores_which_colours_have_moved() {
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

/// The record lists captured stones in the same order with and without earlier undos.
#[test]
fn undone_moves_do_not_affect_the_record() {
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
    assert_same(&snapshot(&undone), &snapshot(&fresh), "after a pass was undone");
}

/// Compares the present section of the ren database with a scan by the flood fill alone.
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
    let stored: Vec<_> = position.ren_db().iter().filter(|(id, _)| id.ordinal == ordinal).collect();
    let context = format!("ordinal {ordinal}\n{}", draw(board));
    assert_eq!(stored.len(), scan.len(), "rens stored, {context}");
    for ((id, ren), expected) in stored.into_iter().zip(&scan) {
        assert_eq!(Some(id.location), expected.minimum_location(), "{context}");
        assert_eq!(ren, expected, "{context}");
    }
    assert!(position.ren_db().iter().all(|(id, _)| id.ordinal <= ordinal), "a later position's ren, {context}");
    let mut ids: Vec<_> = position.ren_db().iter().map(|(id, _)| (id.ordinal, id.location)).collect();
    assert_eq!(ids.len(), position.ren_db().len());
    assert!(ids.is_sorted(), "{context}");
    ids.dedup();
    assert_eq!(ids.len(), position.ren_db().len(), "duplicate id, {context}");
}

#[test]
fn the_ren_database_matches_a_scan_of_every_position() {
    let squares = [(1, 3), (2, 60), (3, 100), (5, 120), (9, 120), (13, 60), (25, 12)];
    let rectangles = RECTANGLES.map(|(width, height)| ((width, height), if width.min(height) > 9 { 12 } else { 60 }));
    for ((width, height), plies) in squares.map(|(side, plies)| ((side, side), plies)).into_iter().chain(rectangles) {
        let mut rng = Rng::with_seed(u64::from(width) << 8 | u64::from(height));
        let mut position = start((width, height), &mut rng);
        check_ren_db(&position);
        for ply in 0..plies {
            let (color, play) = choose(&position, &mut rng);
            position.make_move(color, play).unwrap();
            check_ren_db(&position);
            if ply % 10 == 9 {
                position.undo().unwrap();
                check_ren_db(&position);
            }
        }
    }
}

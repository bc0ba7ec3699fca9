//! Light playouts per second, compared with the crate `go_game_board` in the same run: `cargo bench --bench playouts`.
//!
//! Both sides play random legal moves that fill no own one-point eye, with simple ko and without suicide, until two
//! passes or 3 moves per point. `go_game_board` runs in two variants: with `is_legal`, its board's own check, and with
//! the table of 3x3 patterns (`Gammas`) that its sampler uses. Rounds of the three variants alternate and medians are
//! compared, so that other load on the machine affects all of them alike. Times are processor times.

use std::hint::black_box;

use cpu_time::ThreadTime;
use fastrand::Rng;
use go_game_board as other;
use kifuwarabe_uec14::kernel::{Board, Color, Coordinate};
use kifuwarabe_uec14::playout::light::{margin, play_out};

/// The komi on every board size.
const KOMI: f32 = 6.5;

fn main() {
    // `cargo bench` passes `--bench`; `cargo test` only checks that the program runs
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let (rounds, points) = if is_measured { (101, 200_000) } else { (1, 800) };
    println!("playouts a second; their way: is_legal, and (3x3 table)");
    for side in [9, 13, 19] {
        let Some(coordinate) = Coordinate::square(side) else { continue };
        measure(coordinate, rounds, points / coordinate.board_area());
    }
}

/// Plays rounds of about `games` games of each variant and prints the medians.
fn measure(coordinate: Coordinate, rounds: usize, games: usize) {
    let side = usize::from(coordinate.width());
    let mut rng = Rng::with_seed(1);
    let (mut ours, mut theirs, mut by_table) = (Games::default(), Games::default(), Games::default());
    let mut ratios = [Vec::new(), Vec::new()];
    let empty = Board::new(coordinate);
    let mut game = empty.clone();
    let their_empty = other::Board::with_size(side, side);
    let mut their_game = their_empty.clone();
    let table = other::Gammas::new();
    for _ in 0..rounds {
        let rate = ours.round(games, || {
            game.clone_from(&empty);
            let length = play_out(&mut game, Color::Black, &mut rng);
            (length, margin(&game) as f32 > KOMI)
        });
        let mut their_round = |games_of: &mut Games, table: Option<&other::Gammas>| {
            games_of.round(games / 3, || {
                their_game.load(&their_empty);
                let length = their_playout(&mut their_game, table, &mut rng);
                (length, their_game.playout_winner() == other::Player::Black)
            })
        };
        ratios[0].push(rate / their_round(&mut theirs, None));
        ratios[1].push(rate / their_round(&mut by_table, Some(&table)));
    }
    let [ratio, table_ratio] = ratios.map(median);
    println!(
        "{side:2}x{side:<2} ours {:7.0}  theirs {:6.0} ({:6.0})  ratio {ratio:.2} ({table_ratio:.2})  \
         mean length {:.1}, theirs {:.1}  Black wins {:.1} %, theirs {:.1} %",
        median(ours.rates.clone()),
        median(theirs.rates.clone()),
        median(by_table.rates.clone()),
        ours.mean_length(),
        theirs.mean_length(),
        100.0 * ours.black_share(),
        100.0 * theirs.black_share(),
    );
}

/// Statistics of the games of one variant.
#[derive(Default)]
struct Games {
    rates: Vec<f64>,
    count: usize,
    moves: usize,
    black_wins: usize,
}

impl Games {
    /// Plays `games` games, each returning its length and whether Black won; returns the games per second.
    fn round(&mut self, games: usize, mut play: impl FnMut() -> (usize, bool)) -> f64 {
        let start = ThreadTime::now();
        for _ in 0..games.max(1) {
            let (length, is_win) = black_box(play());
            self.moves += length;
            self.black_wins += usize::from(is_win);
        }
        let rate = games.max(1) as f64 / start.elapsed().as_secs_f64();
        self.count += games.max(1);
        self.rates.push(rate);
        rate
    }

    fn mean_length(&self) -> f64 {
        self.moves as f64 / self.count as f64
    }

    fn black_share(&self) -> f64 {
        self.black_wins as f64 / self.count as f64
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A playout on the other crate's board; returns the number of moves, including passes.
fn their_playout(board: &mut other::Board, table: Option<&other::Gammas>, rng: &mut Rng) -> usize {
    let (points, mut length) = (board.empty_vertex_count(), 0);
    while !board.both_player_pass() && length < 3 * points {
        let player = board.act_player();
        board.play_legal(player, their_choice(board, player, table, rng));
        length += 1;
    }
    length
}

/// A uniformly random allowed move: the first draw usually succeeds; otherwise points are drawn without replacement
/// from a copy of the empty points.
fn their_choice(
    board: &other::Board,
    player: other::Player,
    table: Option<&other::Gammas>,
    rng: &mut Rng,
) -> other::Vertex {
    let is_allowed = |vertex| {
        let pattern = board.hash3x3_at(vertex);
        match table {
            Some(table) => vertex != board.ko_vertex() && table.get(pattern, player) > 0.0,
            None => !pattern.is_eyelike(player) && board.is_legal(player, vertex),
        }
    };
    let count = board.empty_vertex_count();
    if count == 0 {
        return other::Vertex::pass();
    }
    let first = board.empty_vertex(rng.usize(..count));
    if is_allowed(first) {
        return first;
    }
    let mut vertices = [other::Vertex::pass(); 19 * 19];
    for (index, vertex) in vertices.iter_mut().enumerate().take(count) {
        *vertex = board.empty_vertex(index);
    }
    for left in (1..=count).rev() {
        let drawn = rng.usize(..left);
        if is_allowed(vertices[drawn]) {
            return vertices[drawn];
        }
        vertices.swap(drawn, left - 1);
    }
    other::Vertex::pass()
}

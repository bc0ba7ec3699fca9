//! Commands that ask the engine for a move.

use fastrand::Rng;

use crate::kernel::{Color, Move, Point};
use crate::search::playout::is_own_eye;

use super::Engine;
use super::args::Args;
use super::response::{CommandError, Reply};

pub(super) fn genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let chosen = choose(engine, color, &mut Rng::new());
    match chosen {
        Move::Pass => engine.position.pass(color),
        Move::Play(point) => {
            engine.position.play(color, point).map_err(|reason| CommandError::new(reason.to_string()))?;
        }
    }
    Ok(answer(engine, chosen))
}

/// The move is not played, and the same position gets the same answer.
pub(super) fn reg_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let chosen = choose(engine, color, &mut Rng::with_seed(0));
    Ok(answer(engine, chosen))
}

/// Any legal move that does not fill an eye of its own, each as likely as the others; a pass where there is none. A ko is
/// never retaken at once, even where the rules would let it pass.
fn choose(engine: &Engine, color: Color, random: &mut Rng) -> Move {
    let board = engine.position.board();
    let is_retake = |point: Point| board.ko().is_some_and(|ko| ko.point == point && ko.color == color);
    let candidates: Vec<Point> = super::inquire::legal_points(engine, color)
        .into_iter()
        .filter(|&point| !is_own_eye(board, color, point) && !is_retake(point))
        .collect();
    random.choice(&candidates).map_or(Move::Pass, |&point| Move::Play(point))
}

fn answer(engine: &Engine, chosen: Move) -> Reply {
    let vertex = chosen.vertex(engine.position.board().coordinate());
    Reply::output(vertex.as_str()).field("move", vertex)
}

//! From what was asked for on the command line to a game.

use std::sync::Arc;

use anyhow::{Context, bail};

use crate::cli::Play;
use crate::kernel::Position;
use crate::kernel::handicap::{fixed, most_fixed};
use crate::net::Net;
use crate::player::Options;
use crate::terminal::play::Game;

/// Komi of a handicap game of which nothing else is said: White wins what is even.
const HANDICAP_KOMI: f64 = 0.5;

/// The game that was asked for. `position` has the size that was asked for; beyond that, it and the others have what is
/// configured.
///
/// # Errors
/// If there is no such handicap on this board.
pub fn start(
    asked: &Play,
    mut position: Position,
    mut options: Options,
    net: Option<Arc<Net>>,
) -> anyhow::Result<Game> {
    if let Some(name) = &asked.rules {
        *position.rule_mut() = position.rule().named(name).context("--rules")?;
    }
    if let Some(stones) = asked.handicap {
        give(&mut position, stones)?;
        position.rule_mut().komi = HANDICAP_KOMI;
    }
    if let Some(komi) = asked.komi {
        position.rule_mut().komi = komi;
    }
    if let Some(seconds) = asked.seconds {
        (options.seconds, options.max_playouts, options.max_visits) = (seconds, 0, 0);
    }
    options.level = asked.level.unwrap_or(options.level);
    Ok(Game::new(position, asked.color, options, net))
}

/// Puts down handicap stones.
fn give(position: &mut Position, stones: usize) -> anyhow::Result<()> {
    let coordinate = position.board().coordinate();
    let side = coordinate.width();
    let Some(points) = fixed(coordinate, stones) else {
        match most_fixed(coordinate) {
            0 => bail!("--handicap {stones}: there is no handicap on {side}x{side}"),
            most => bail!("--handicap {stones}: expected 2 to {most} on {side}x{side}"),
        }
    };
    position.set_handicap(&points).with_context(|| format!("--handicap {stones}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule};

    fn asked() -> Play {
        Play { size: None, komi: None, rules: None, handicap: None, color: Color::Black, seconds: None, level: None }
    }

    fn begin(asked: &Play) -> anyhow::Result<Game> {
        let coordinate = Coordinate::square(asked.size.unwrap_or(19)).unwrap();
        let options = Options { max_playouts: 7, ..Options::default() };
        start(asked, Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black), options, None)
    }

    #[test]
    fn what_is_not_asked_for_is_configured() {
        let game = begin(&asked()).unwrap();
        let rule = game.position().rule();
        assert_eq!((game.coordinate().width(), rule.komi, rule.name()), (19, 6.5, Some("chinese")));
        assert_eq!((game.person(), game.options().max_playouts, game.options().level), (Color::Black, 7, 10));
    }

    #[test]
    fn what_is_asked_for() {
        let rules = Some("Japanese".to_owned());
        let (komi, seconds, level) = (Some(-3.0), Some(0.5), Some(3));
        let game = begin(&Play { size: Some(9), komi, rules, seconds, level, ..asked() }).unwrap();
        let rule = game.position().rule();
        assert_eq!((game.coordinate().width(), rule.komi, rule.name()), (9, -3.0, Some("japanese")));
        let options = game.options();
        assert_eq!((options.seconds, options.max_playouts, options.level), (0.5, 0, 3));
    }

    #[test]
    fn a_handicap_is_for_black_and_komi_half_a_point_unless_told() {
        let game = begin(&Play { handicap: Some(3), ..asked() }).unwrap();
        let position = game.position();
        assert_eq!((position.handicap(), position.to_move(), position.rule().komi), (3, Color::White, 0.5));
        assert!(game.is_engines_turn());
        let game = begin(&Play { handicap: Some(2), komi: Some(5.5), color: Color::White, ..asked() }).unwrap();
        assert_eq!(game.position().rule().komi, 5.5);
        assert!(!game.is_engines_turn());
        let refused =
            |size, handicap| begin(&Play { size, handicap: Some(handicap), ..asked() }).err().unwrap().to_string();
        assert_eq!(refused(None, 10), "--handicap 10: expected 2 to 9 on 19x19");
        assert_eq!(refused(None, 1), "--handicap 1: expected 2 to 9 on 19x19");
        assert_eq!(refused(Some(5), 2), "--handicap 2: there is no handicap on 5x5");
    }
}

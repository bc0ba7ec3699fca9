//! The command-line options of `play`, and the game that they describe.

use std::sync::Arc;

use anyhow::{Context, bail};

use crate::config::option_values::{board_size, color, finite, rules_name, seconds, whole};
use crate::kernel::handicap::{fixed, max_fixed};
use crate::kernel::{Color, Coordinate, Position};
use crate::net::Net;
use crate::player::Options;
use crate::player::level::STRONGEST;
use crate::terminal::play::game::TerminalGame;

/// Options of `play`. An option that is absent takes the configured value.
#[derive(Debug, Clone, PartialEq, clap::Args)]
pub(crate) struct PlayArgs {
    /// Board size, 2 to 25 points per side: 13, or width and height as in 9x13
    #[arg(long, value_name = "SIZE", value_parser = board_size)]
    pub(crate) size: Option<Coordinate>,

    /// Points added to White's score [default: Game.Komi, or 0.5 in a handicap game]
    #[arg(long, value_name = "POINTS", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) komi: Option<f64>,

    /// Rule set by name, such as japanese
    #[arg(long, value_name = "NAME", value_parser = rules_name)]
    pub(crate) rules: Option<String>,

    /// Number of Black handicap stones, on the traditional points
    #[arg(long, value_name = "STONES", value_parser = whole::<usize>(2..))]
    pub(crate) handicap: Option<usize>,

    /// Your colour: black or white
    #[arg(long, value_name = "COLOR", default_value = "black", value_parser = color)]
    pub(crate) color: Color,

    /// Seconds per move of the engine
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,

    /// Playing strength of the engine, from 1 (beginner) to 10 (full strength)
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=STRONGEST))]
    pub(crate) level: Option<u64>,
}

/// Komi of a handicap game without `--komi`: breaks ties for White.
const HANDICAP_KOMI: f64 = 0.5;

/// The game that the options describe. `position` already has the board size; it, `options` and `net` hold the
/// configured values, which the options of the command line override. `--seconds` replaces limits in playouts and
/// visits.
///
/// # Errors
/// If the board has no traditional handicap of this size, or the rules' name is unknown.
pub(crate) fn start(
    args: &PlayArgs,
    mut position: Position,
    mut options: Options,
    net: Option<Arc<Net>>,
) -> anyhow::Result<TerminalGame> {
    if let Some(name) = &args.rules {
        *position.rule_mut() = position.rule().named(name).context("--rules")?;
    }
    if let Some(stones) = args.handicap {
        place_handicap(&mut position, stones)?;
        position.rule_mut().komi = HANDICAP_KOMI;
    }
    if let Some(komi) = args.komi {
        position.rule_mut().komi = komi;
    }
    if let Some(seconds) = args.seconds {
        (options.seconds, options.max_playouts, options.max_visits) = (seconds, 0, 0);
    }
    options.level = args.level.unwrap_or(options.level);
    Ok(TerminalGame::new(position, args.color, options, net))
}

/// Places handicap stones on the traditional points.
fn place_handicap(position: &mut Position, stones: usize) -> anyhow::Result<()> {
    let coordinate = position.board().coordinate();
    let Some(points) = fixed(coordinate, stones) else {
        match max_fixed(coordinate) {
            0 => bail!("--handicap {stones}: there is no handicap on {coordinate}"),
            max => bail!("--handicap {stones}: expected 2 to {max} on {coordinate}"),
        }
    };
    position.set_handicap(&points).with_context(|| format!("--handicap {stones}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule};

    fn no_options() -> PlayArgs {
        PlayArgs {
            size: None,
            komi: None,
            rules: None,
            handicap: None,
            color: Color::Black,
            seconds: None,
            level: None,
        }
    }

    fn begin(args: &PlayArgs) -> anyhow::Result<TerminalGame> {
        let coordinate = args.size.or(Coordinate::square(19)).unwrap();
        let options = Options { max_playouts: 7, ..Options::default() };
        start(args, Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black), options, None)
    }

    #[test]
    fn absent_options_keep_the_configuration() {
        let game = begin(&no_options()).unwrap();
        let rule = game.position().rule();
        assert_eq!((game.coordinate().width(), rule.komi, rule.name()), (19, 6.5, Some("chinese")));
        assert_eq!((game.person(), game.options().max_playouts, game.options().level), (Color::Black, 7, 10));
    }

    #[test]
    fn options_override_the_configuration() {
        let rules = Some("Japanese".to_owned());
        let (komi, seconds, level) = (Some(-3.0), Some(0.5), Some(3));
        let game =
            begin(&PlayArgs { size: Coordinate::new(9, 13), komi, rules, seconds, level, ..no_options() }).unwrap();
        let rule = game.position().rule();
        assert_eq!(
            (game.coordinate(), rule.komi, rule.name()),
            (Coordinate::new(9, 13).unwrap(), -3.0, Some("japanese"))
        );
        let options = game.options();
        assert_eq!((options.seconds, options.max_playouts, options.level), (0.5, 0, 3));
    }

    #[test]
    fn handicap_is_for_black_with_half_a_point_of_komi_by_default() {
        let game = begin(&PlayArgs { handicap: Some(3), ..no_options() }).unwrap();
        let position = game.position();
        assert_eq!((position.handicap(), position.to_move(), position.rule().komi), (3, Color::White, 0.5));
        assert!(game.is_engines_turn());
        let args = PlayArgs { handicap: Some(2), komi: Some(5.5), color: Color::White, ..no_options() };
        let game = begin(&args).unwrap();
        assert_eq!(game.position().rule().komi, 5.5);
        assert!(!game.is_engines_turn());
        let refused = |size: Option<(u8, u8)>, handicap| {
            let size = size.and_then(|(width, height)| Coordinate::new(width, height));
            let args = PlayArgs { size, handicap: Some(handicap), ..no_options() };
            begin(&args).err().unwrap().to_string()
        };
        assert_eq!(refused(None, 10), "--handicap 10: expected 2 to 9 on 19x19");
        assert_eq!(refused(None, 1), "--handicap 1: expected 2 to 9 on 19x19");
        assert_eq!(refused(Some((5, 5)), 2), "--handicap 2: there is no handicap on 5x5");
        assert_eq!(refused(Some((3, 7)), 2), "--handicap 2: there is no handicap on 3x7");
        assert_eq!(refused(Some((9, 14)), 5), "--handicap 5: expected 2 to 4 on 9x14");
    }
}

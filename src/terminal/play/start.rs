//! The command-line options of `play`, the options of `new`, and the game that they describe.

use std::sync::Arc;

use anyhow::{Context, bail};

use crate::config::option_values::{board_size, color, komi, rules_name, seconds, whole};
use crate::kernel::handicap::{expected_fixed, fixed};
use crate::kernel::{Color, Coordinate, GameRule, Position};
use crate::net::Net;
use crate::player::Options;
use crate::player::level::STRONGEST;
use crate::terminal::play::game::TerminalGame;
use crate::text::quote::unexpected;

/// Options of `play`. An option that is absent takes the configured value.
#[derive(Debug, Clone, PartialEq, clap::Args)]
pub(crate) struct PlayArgs {
    /// Board size, 2 to 25 points per side: 13, or width and height as in 9x13
    #[arg(long, value_name = "SIZE", value_parser = board_size)]
    pub(crate) size: Option<Coordinate>,

    /// Points added to White's score [default: Game.Komi, or 0.5 in a handicap game]
    #[arg(long, value_name = "POINTS", value_parser = komi, allow_negative_numbers = true)]
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

    /// Playing strength of the engine, from 1 (weakest) to 10 (full strength)
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=STRONGEST))]
    pub(crate) level: Option<u64>,

    /// Your name in saved games [default: USER, LOGNAME or USERNAME of the environment, else none]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

impl Default for PlayArgs {
    fn default() -> PlayArgs {
        PlayArgs {
            size: None,
            komi: None,
            rules: None,
            handicap: None,
            color: Color::Black,
            seconds: None,
            level: None,
            name: None,
        }
    }
}

/// Komi of a handicap game without `--komi`: breaks ties for White.
const HANDICAP_KOMI: f64 = 0.5;

/// The game that the options describe. `position` already has the board size; it, `options` and `net` hold the
/// configured values, which the options of the command line override. `--seconds` replaces the configured limits in
/// playouts, visits and time.
///
/// # Errors
/// If the board has no traditional handicap of this size, or the rules' name is unknown.
pub(crate) fn start(
    args: &PlayArgs,
    mut position: Position,
    mut options: Options,
    net: Option<Arc<Net>>,
) -> anyhow::Result<TerminalGame> {
    let mut new_game_position = position.new_game(position.board().coordinate());
    set_rules(args, &mut new_game_position)?;
    set_up(args, &mut position)?;
    set_strength(args, &mut options);
    let name = args.name.clone().or_else(account_name).filter(|name| !name.trim().is_empty());
    Ok(TerminalGame::new(position, args.color, options, net).with_new_game_position(new_game_position, name))
}

/// The game that `new` describes, which has not begun.
pub(super) struct NewGame {
    args: PlayArgs,
    position: Position,
}

impl NewGame {
    /// The game that the options of `new` describe after `game`: their names with their values, as `size 9` or
    /// `--size=9`. Rules, size, colour and level that they do not name stay, and so does the clock; komi is the usual
    /// one.
    ///
    /// # Errors
    /// One line that names the unexpected text.
    pub(super) fn parse(game: &TerminalGame, text: &str) -> Result<NewGame, String> {
        let args = parse(text, game.person())?;
        let mut position = game.new_game_position().new_game(args.size.unwrap_or(game.coordinate()));
        let komi = position.rule().komi;
        *position.rule_mut() = GameRule { komi, ..*game.position().rule() };
        set_up(&args, &mut position).map_err(|error| format!("{error:#}").trim_start_matches("--").to_owned())?;
        Ok(NewGame { args, position })
    }

    /// Begins it in place of the present game.
    pub(super) fn begin(self, game: &mut TerminalGame) {
        set_strength(&self.args, game.options_mut());
        game.restart(self.position, self.args.color);
    }
}

/// The options of `new`.
fn parse(text: &str, person: Color) -> Result<PlayArgs, String> {
    let mut args = PlayArgs { color: person, ..PlayArgs::default() };
    let mut words = text.split([' ', '\t', '=']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let name = word.trim_start_matches("--").to_ascii_lowercase();
        let unknown = || Err(unexpected("option", word, &format!("expected {}", OPTIONS.join(", "))));
        if !OPTIONS.contains(&name.as_str()) {
            return unknown();
        }
        let Some(value) = words.next() else { return Err(format!("{name} needs a value")) };
        let wrong = |expected: String| unexpected(&name, value, &expected);
        match name.as_str() {
            "size" => args.size = Some(board_size(value).map_err(wrong)?),
            "komi" => args.komi = Some(komi(value).map_err(wrong)?),
            "rules" => args.rules = Some(rules_name(value).map_err(wrong)?),
            "handicap" => args.handicap = Some(whole(2..)(value).map_err(wrong)?),
            "seconds" => args.seconds = Some(seconds(value).map_err(wrong)?),
            "level" => args.level = Some(whole(1..=STRONGEST)(value).map_err(wrong)?),
            "color" => args.color = color(value).map_err(wrong)?,
            _ => return unknown(),
        }
    }
    Ok(args)
}

/// The names of the options of `new`.
const OPTIONS: [&str; 7] = ["size", "komi", "rules", "handicap", "seconds", "level", "color"];

fn set_rules(args: &PlayArgs, position: &mut Position) -> anyhow::Result<()> {
    if let Some(name) = &args.rules {
        *position.rule_mut() = position.rule().with_rule_set(name).context("--rules")?;
    }
    if let Some(komi) = args.komi {
        position.rule_mut().komi = komi;
    }
    Ok(())
}

/// Sets rules, handicap stones and komi.
fn set_up(args: &PlayArgs, position: &mut Position) -> anyhow::Result<()> {
    if let Some(stones) = args.handicap {
        place_handicap(position, stones)?;
        position.rule_mut().komi = HANDICAP_KOMI;
    }
    set_rules(args, position)
}

fn set_strength(args: &PlayArgs, options: &mut Options) {
    if let Some(seconds) = args.seconds {
        (options.max_playouts, options.max_visits, options.max_time) = (0, 0, 0.0);
        options.seconds = seconds;
    }
    options.level = args.level.unwrap_or(options.level);
}

/// The name of the user's account, from the variables of the environment in which systems keep it. Some services and
/// containers set none of them.
fn account_name() -> Option<String> {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()))
}

/// Places handicap stones on the traditional points.
fn place_handicap(position: &mut Position, stones: usize) -> anyhow::Result<()> {
    let coordinate = position.board().coordinate();
    let Some(points) = fixed(coordinate, stones) else {
        bail!("--handicap {stones}: {}", expected_fixed(coordinate));
    };
    position.set_handicap(&points).with_context(|| format!("--handicap {stones}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::search::{Limits, TimeBudget};

    fn begin(args: &PlayArgs) -> anyhow::Result<TerminalGame> {
        let coordinate = args.size.or(Coordinate::square(19)).unwrap();
        let options = Options { max_playouts: 7, max_time: 20.0, ..Options::default() };
        start(args, Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black), options, None)
    }

    #[test]
    fn absent_options_keep_the_configuration() {
        let game = begin(&PlayArgs::default()).unwrap();
        let rule = game.position().rule();
        assert_eq!((game.coordinate().width(), rule.komi, rule.name()), (19, 6.5, Some("chinese")));
        assert_eq!((game.person(), game.options().max_playouts, game.options().level), (Color::Black, 7, 10));
    }

    #[test]
    fn options_override_the_configuration() {
        let rules = Some("Japanese".to_owned());
        let (komi, seconds, level) = (Some(-3.0), Some(0.5), Some(3));
        let game =
            begin(&PlayArgs { size: Coordinate::new(9, 13), komi, rules, seconds, level, ..PlayArgs::default() })
                .unwrap();
        let rule = game.position().rule();
        assert_eq!(
            (game.coordinate(), rule.komi, rule.name()),
            (Coordinate::new(9, 13).unwrap(), -3.0, Some("japanese"))
        );
        let options = game.options();
        assert_eq!((options.seconds, options.max_playouts, options.level), (0.5, 0, 3));
        let half_a_second = TimeBudget::new(0.5, 0.5).with_expiring_time();
        assert_eq!(options.limits(), Limits { time: Some(half_a_second), ..Limits::NONE });
    }

    #[test]
    fn handicap_is_for_black_with_half_a_point_of_komi_by_default() {
        let game = begin(&PlayArgs { handicap: Some(3), ..PlayArgs::default() }).unwrap();
        let position = game.position();
        assert_eq!((position.handicap(), position.to_move(), position.rule().komi), (3, Color::White, 0.5));
        assert!(game.is_engines_turn());
        let args = PlayArgs { handicap: Some(2), komi: Some(5.5), color: Color::White, ..PlayArgs::default() };
        let game = begin(&args).unwrap();
        assert_eq!(game.position().rule().komi, 5.5);
        assert!(!game.is_engines_turn());
        let refused = |size: Option<(u8, u8)>, handicap| {
            let size = size.and_then(|(width, height)| Coordinate::new(width, height));
            let args = PlayArgs { size, handicap: Some(handicap), ..PlayArgs::default() };
            begin(&args).err().unwrap().to_string()
        };
        assert_eq!(refused(None, 10), "--handicap 10: expected 2 to 9 on 19x19");
        assert_eq!(refused(None, 1), "--handicap 1: expected 2 to 9 on 19x19");
        assert_eq!(
            refused(Some((5, 5)), 2),
            "--handicap 2: there are no fixed points on 5x5, expected a board of 7x7 or more"
        );
        assert_eq!(
            refused(Some((3, 7)), 2),
            "--handicap 2: there are no fixed points on 3x7, expected a board of 7x7 or more"
        );
        assert_eq!(refused(Some((9, 14)), 5), "--handicap 5: expected 2 to 4 on 9x14");
    }

    /// Begins the game that the options of `new` describe.
    fn restart(game: &mut TerminalGame, text: &str) -> Result<(), String> {
        NewGame::parse(game, text).map(|new_game| new_game.begin(game))
    }

    #[test]
    fn new_begins_another_game_with_what_it_names() {
        let args = PlayArgs { handicap: Some(2), level: Some(4), ..PlayArgs::default() };
        let mut game = begin(&args).unwrap();
        assert_eq!(game.position().rule().komi, 0.5);
        restart(&mut game, "").unwrap();
        let rule = game.position().rule();
        // komi is not that of the handicap game
        assert_eq!((game.coordinate().width(), rule.komi, rule.name()), (19, 6.5, Some("chinese")));
        assert_eq!((game.position().handicap(), game.options().level, game.person()), (0, 4, Color::Black));
        restart(&mut game, "--size=9x13 komi -3 RULES Japanese color white level 7").unwrap();
        let rule = game.position().rule();
        assert_eq!((game.coordinate(), rule.komi), (Coordinate::new(9, 13).unwrap(), -3.0));
        assert_eq!((rule.name(), game.person(), game.options().level), (Some("japanese"), Color::White, 7));
        restart(&mut game, "size 13 handicap 4").unwrap();
        let rule = game.position().rule();
        assert_eq!((game.position().handicap(), rule.komi, rule.name()), (4, 0.5, Some("japanese")));
        assert_eq!(game.person(), Color::White);
    }

    #[test]
    fn new_with_a_mistake_keeps_the_game() {
        let mut game = begin(&PlayArgs { size: Coordinate::square(9), ..PlayArgs::default() }).unwrap();
        for (text, message) in [
            ("9", "unexpected option:9, expected size, komi, rules, handicap, seconds, level, color"),
            ("size", "size needs a value"),
            ("size 1", "unexpected size:1, expected 2 to 25, or width and height such as 9x13"),
            ("komi 6,5", "unexpected komi:6,5, expected a decimal point, as in 6.5"),
            ("color red", "unexpected color:red, expected black or white"),
            ("level 11", "unexpected level:11, expected 1 to 10"),
            ("size 13 handicap 10", "handicap 10: expected 2 to 9 on 13x13"),
        ] {
            assert_eq!(restart(&mut game, text), Err(message.to_owned()), "{text}");
            assert_eq!((game.coordinate().width(), game.options().level), (9, 10));
        }
    }
}

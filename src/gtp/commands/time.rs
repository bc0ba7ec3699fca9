//! Commands about time: settings, clock readings, and processor time used.

use crate::gtp::args::{Args, begins_number};
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::genmove::limits;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::Color;
use crate::player::clock::{Overtime, RemainingTime, TimeSettings};
use crate::text::quote::shortened;

/// Time systems of `kata-time_settings`; those of KGS are the first four.
const SYSTEMS: [&str; 6] = ["none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped"];

pub(crate) fn time_settings(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let settings = gtp_settings(args)?;
    args.end()?;
    engine.clock.set(settings);
    Ok(Reply::ok())
}

/// Time settings as a person types them: the arguments of `time_settings`, or those of `kata-time_settings`.
///
/// # Errors
/// One line that names the unexpected word, or the settings with which every move would be too late.
pub(crate) fn typed_time_settings(text: &str) -> Result<TimeSettings, String> {
    let mut args = Args::new("clock", "MAIN BYO STONES | SYSTEM [NUMBER ...]", text);
    let settings = if begins_number(text) { gtp_settings(&mut args) } else { system_settings(&mut args, &SYSTEMS) };
    let settings = settings.and_then(|settings| args.end().map(|()| settings)).map_err(|error| error.text)?;
    let expected = "expected main time or overtime of more than 0 seconds";
    if settings.has_time() { Ok(settings) } else { Err(format!("clock {}: no time, {expected}", shortened(text))) }
}

#[track_caller]
fn gtp_settings(args: &mut Args<'_>) -> Result<TimeSettings, CommandError> {
    let main = seconds(args, "main")?;
    let byo = seconds(args, "byo_yomi")?;
    let stones = args.number("stones", 0..=u32::MAX)?;
    Ok(TimeSettings::gtp(main, byo, stones))
}

pub(crate) fn time_left(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    // a controller with lag may send a negative time
    let time = args.float("time")?;
    let stones = args.number("stones", 0..=u32::MAX)?;
    args.end()?;
    engine.clock.set_time_left(color, time, stones);
    Ok(Reply::ok())
}

pub(crate) fn kgs_time_settings(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let settings = system_settings(args, &SYSTEMS[..4])?;
    args.end()?;
    engine.clock.set(settings);
    Ok(Reply::ok())
}

pub(crate) fn kata_time_settings(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let settings = system_settings(args, &SYSTEMS)?;
    args.end()?;
    engine.clock.set(settings);
    Ok(Reply::ok())
}

pub(crate) fn kata_list_time_settings(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(SYSTEMS.join(" ")))
}

/// KataGo's value of a time without limit, in seconds.
const UNLIMITED: &str = "1e+30";

/// Time settings, clock and budget of the next move, one player a line, by KataGo's names. Fields that would be 0 are
/// left out, as KataGo does; `minRecMax` are the least, the usual and the most seconds of the next move.
pub(crate) fn kata_debug_print_tc(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let line = |color: Color| format!("{} {}", color.name(), time_controls(engine, color));
    let text = Color::BOTH.map(line).join("\n");
    Ok(Reply::output(text.as_str()).field("controls", text))
}

fn time_controls(engine: &Engine, color: Color) -> String {
    let original = match engine.clock.settings() {
        TimeSettings::None => format!("originalMainTime {UNLIMITED}"),
        TimeSettings::Absolute { main } => format!("originalMainTime {main}"),
        TimeSettings::Canadian { main, period, stones } => {
            format!("originalMainTime {main} originalNumPeriods 1 numStonesPerPeriod {stones} perPeriodTime {period}")
        }
        TimeSettings::ByoYomi { main, period, periods } => {
            format!("originalMainTime {main} originalNumPeriods {periods} numStonesPerPeriod 1 perPeriodTime {period}")
        }
        TimeSettings::Fischer { main, increment, limit, max_per_move } => {
            let limit = limit.map_or_else(String::new, |limit| format!(" mainTimeLimit {limit}"));
            let most = max_per_move.map_or_else(String::new, |most| format!(" maxTimePerMove {most}"));
            format!("originalMainTime {main} increment {increment}{limit}{most}")
        }
    };
    let left = match engine.clock.remaining(color) {
        None => format!("mainTimeLeft {UNLIMITED} inOvertime 0"),
        Some(RemainingTime { main, overtime }) => {
            let is_over = main <= 0.0;
            let rest = match overtime {
                Overtime::Canadian { seconds, stones } if is_over => {
                    format!(
                        " numPeriodsLeftIncludingCurrent 1 numStonesLeftInPeriod {stones} timeLeftInPeriod {seconds}"
                    )
                }
                Overtime::ByoYomi { seconds, periods, .. } if is_over => {
                    format!(
                        " numPeriodsLeftIncludingCurrent {periods} numStonesLeftInPeriod 1 timeLeftInPeriod {seconds}"
                    )
                }
                Overtime::ByoYomi { periods, .. } => format!(" numPeriodsLeftIncludingCurrent {periods}"),
                Overtime::Canadian { .. } => " numPeriodsLeftIncludingCurrent 1".to_owned(),
                _ => String::new(),
            };
            let in_overtime = u8::from(is_over && !rest.is_empty());
            format!("mainTimeLeft {main} inOvertime {in_overtime}{rest}")
        }
    };
    let budget = match limits(engine, color).time {
        Some(time) => format!("{:.3} {:.3}", time.soft.as_secs_f64(), time.hard.as_secs_f64()),
        None => format!("{UNLIMITED} {UNLIMITED}"),
    };
    format!("{original} {left} minRecMax 0 {budget}")
}

/// Processor time of this process, all threads, in seconds: `cputime` and `gomill-cpu_time`.
pub(crate) fn cputime(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let time = cpu_time::ProcessTime::try_now()
        .map_err(|error| CommandError::new(format!("cannot read the processor time: {error}")))?;
    let seconds = time.as_duration().as_secs_f64();
    Ok(Reply::output(format!("{seconds:.3}")).field("seconds", seconds))
}

/// The name of a time system, one of `systems`, and its numbers.
fn system_settings(args: &mut Args<'_>, systems: &[&str]) -> Result<TimeSettings, CommandError> {
    let system = args.word("system")?;
    match system {
        _ if !systems.contains(&system) => {
            let expected = format!("expected {}", systems.join(" | "));
            Err(CommandError::unexpected("system", system, &expected))
        }
        "absolute" => Ok(TimeSettings::Absolute { main: seconds(args, "main")? }),
        "byoyomi" => {
            let (main, period) = (seconds(args, "main")?, seconds(args, "period")?);
            Ok(TimeSettings::byo_yomi(main, period, args.number("periods", 0..=u32::MAX)?))
        }
        "canadian" => {
            let (main, byo) = (seconds(args, "main")?, seconds(args, "byo_yomi")?);
            Ok(TimeSettings::canadian(main, byo, args.number("stones", 0..=u32::MAX)?))
        }
        "fischer" => {
            let (main, increment) = (seconds(args, "main")?, seconds(args, "increment")?);
            Ok(TimeSettings::Fischer { main, increment, limit: None, max_per_move: None })
        }
        "fischer-capped" => {
            let (main, increment) = (seconds(args, "main")?, seconds(args, "increment")?);
            let (limit, max_per_move) = (cap(args, "limit")?, cap(args, "maxPerMove")?);
            Ok(TimeSettings::Fischer { main, increment, limit, max_per_move })
        }
        _ => Ok(TimeSettings::None),
    }
}

/// A duration in seconds. GTP has integers here; controllers send decimals as well.
#[track_caller]
fn seconds(args: &mut Args<'_>, key: &'static str) -> Result<f64, CommandError> {
    nonnegative(args.word(key)?, key, "expected seconds, 0 or more")
}

/// A duration in seconds, or `-1` for no limit.
#[track_caller]
fn cap(args: &mut Args<'_>, key: &'static str) -> Result<Option<f64>, CommandError> {
    match args.word(key)? {
        "-1" | "-1.0" => Ok(None),
        word => nonnegative(word, key, "expected seconds, 0 or more, or -1 for no limit").map(Some),
    }
}

#[track_caller]
fn nonnegative(word: &str, key: &'static str, expected: &str) -> Result<f64, CommandError> {
    match word.parse::<f64>() {
        // abs() turns -0 into 0
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number.abs()),
        _ => Err(CommandError::unexpected(key, word, expected)),
    }
}

/// Arguments of `time_settings`.
pub(crate) fn time_settings_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("MAIN", "main time in seconds"),
        (
            "BYO_YOMI",
            "length of a byo-yomi period in seconds; 0 for none, and with a MAIN of 0 for no time limit; more than 0 with STONES 0 means no time limit",
        ),
        ("STONES", "moves to be made in each period"),
    ])
}

/// Arguments of `time_left`.
pub(crate) fn time_left_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("SECONDS", "remaining main time, or remaining time of the period; may be negative"),
        ("STONES", "moves left in the period, in Japanese byo-yomi the periods left; 0 in main time"),
    ])
}

/// Arguments of `kgs-time_settings`.
pub(crate) fn kgs_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("SYSTEM [NUMBER ...]", "one of the following, with its numbers; times are in seconds"),
        ("none", "no time limit"),
        ("absolute MAIN", "main time only"),
        ("byoyomi MAIN PERIOD PERIODS", "main time, then PERIODS periods; a move within PERIOD keeps the period"),
        ("canadian MAIN BYO_YOMI STONES", "main time, then periods of BYO_YOMI for STONES moves each"),
    ])
}

/// Arguments of `kata-time_settings`.
pub(crate) fn kata_help() -> Vec<ArgumentHelp> {
    let mut all = kgs_help();
    all.extend(argument_help([
        ("fischer MAIN INCREMENT", "main time; each move adds INCREMENT"),
        (
            "fischer-capped MAIN INCREMENT LIMIT MAX_PER_MOVE",
            "as fischer; the clock never exceeds LIMIT, and a move may take MAX_PER_MOVE; -1 for no such limit",
        ),
    ]));
    all
}

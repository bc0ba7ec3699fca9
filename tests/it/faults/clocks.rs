//! Clocks that jump.

use super::*;

/// A library to preload that shifts the clocks: real time at each call, back and forth, or with `FORWARD` by one more day;
/// monotonic time by an hour after `JUMP` calls.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    static long realtime_calls, monotonic_calls;
    long result = syscall(SYS_clock_gettime, clock, time);
    long calls = clock == CLOCK_REALTIME ? ++realtime_calls : 0;
    if (clock == CLOCK_REALTIME) time->tv_sec += 86400L * (getenv("FORWARD") ? calls : (calls % 3 - 1) * 400);
    if (clock == CLOCK_MONOTONIC && ++monotonic_calls > atol(getenv("JUMP"))) time->tv_sec += 3600;
    return (int)result;
}
"#;

/// Compiles the library in the folder; `None` without a compiler.
fn clock(folder: &Folder) -> Option<PathBuf> {
    let (source, library) = (folder.path().join("clock.c"), folder.path().join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    built.is_ok_and(|status| status.success()).then_some(library)
}

#[test]
fn a_failed_daily_rotation_causes_one_warning_per_log() {
    let folder = Folder::new();
    let Some(library) = clock(&folder) else { return skipped("no C compiler") };
    let Some(mut command) = as_unprivileged_user(&folder, None) else {
        return skipped("the program cannot be run as another user");
    };
    command.env("LD_PRELOAD", &library).env("JUMP", "1000000000").env("FORWARD", "1");
    let mut engine = Running::start(in_folder(command, &folder, &["Log.Rotation=daily"]));
    assert_eq!(engine.ask("1 name"), "=1 Kifuwarabe UEC14");
    let logs =
        || file_names(folder.path()).into_iter().filter(|name| name.starts_with("kifuwarabe")).collect::<Vec<_>>();
    // the file of another day cannot be created
    let before = logs();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    for number in 2..30 {
        assert_eq!(engine.ask(&format!("{number} name")), format!("={number} Kifuwarabe UEC14"));
    }
    assert_eq!(logs(), before);
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let (code, stderr) = engine.end();
    assert_eq!((code, stderr.lines().count()), (Some(0), 2), "{stderr}");
}

#[test]
fn jumping_clocks_do_not_disturb_later_searches() {
    let folder = Folder::new();
    let Some(library) = clock(&folder) else { return skipped("no C compiler") };
    for (jump, rotation) in [("1000000000", "daily"), ("40", "never"), ("1000", "daily")] {
        let mut command = Command::new(program());
        command.env("LD_PRELOAD", &library).env("JUMP", jump);
        let settings = [&format!("Log.Rotation={rotation}"), "Game.BoardSize=7", "Net.Use=false", "Log.MaxFiles=2"];
        let begin = Instant::now();
        let mut engine = Running::start(in_folder(command, &folder, &settings));
        assert_eq!(engine.ask("kata-time_settings byoyomi 0 3 1"), "=");
        let mut playouts = Vec::new();
        for number in 0..4 {
            let answer = engine.ask(&format!("kata-genmove_analyze {}", ["b", "w"][number % 2]));
            let play = answer.lines().last().unwrap();
            assert!(play.starts_with("play ") && play != "play resign", "{answer}");
            assert!(engine.ask("undo").starts_with('='));
            let visits = answer.split("visits ").skip(1).filter_map(|rest| rest.split(' ').next()?.parse::<u64>().ok());
            playouts.push(visits.sum::<u64>());
        }
        assert_eq!(engine.end(), (Some(0), String::new()));
        assert!(begin.elapsed() < 4 * Duration::from_secs(3) + MAX_WAIT, "{:?}", begin.elapsed());
        // a jump may shorten one search, not the later ones
        assert!(playouts.last() > Some(&50), "{jump}: {playouts:?}");
    }
}

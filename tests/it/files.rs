//! Files named in commands: a write replaces a file completely or not at all, and a data folder confines all paths.

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::io::files::{self, DataFolder};
use kifuwarabe_uec14::kernel::GameRule;

#[cfg(unix)]
use crate::engine::Running;
use crate::engine::{Folder, answer, ask, engine, engine_with, file_names};

/// Every command that writes a file, and the start of its error.
const WRITERS: [(&str, &str); 3] =
    [("rendb_save", "error:"), ("printsgf", "cannot save file: "), ("print_board", "cannot save file: ")];

/// A file name that a command accepts: `print_board` requires the extension of a picture.
fn file_name(command: &str, path: &str) -> String {
    if command == "print_board" { format!("{path}.svg") } else { path.to_owned() }
}

/// `/proc` accepts no files, so that the temporary file cannot be created.
#[cfg(target_os = "linux")]
#[test]
fn errors_do_not_name_temporary_files() {
    let [written, checked] = [files::write("/proc/a.sgf", b"x"), files::check_writable("/proc/a.sgf")]
        .map(|result| result.unwrap_err().to_string());
    assert!(written.starts_with("cannot write /proc/a.sgf: ") && !written.contains("tmp"), "{written}");
    // in the words of the system
    assert!(written.contains(" (os error ") && written == checked, "{written}, {checked}");
}

/// An engine confined to a folder `data` with a record, a board and a ren database; copies of them lie outside.
fn confined() -> (tempfile::TempDir, Engine) {
    let around = tempfile::tempdir().unwrap();
    let data = around.path().join("data");
    fs::create_dir_all(data.join("below")).unwrap();
    let mut engine = engine();
    engine.files.folder = DataFolder::new(&data).unwrap();
    for line in ["boardsize 3", "printsgf game.sgf", "rendb_save below/rens.json"] {
        assert_eq!(answer(&mut engine, line), "= ");
    }
    let drawn = "+++++ +...+ +.x.+ +...+ +++++";
    fs::write(data.join("board.txt"), drawn).unwrap();
    for name in ["game.sgf", "board.txt", "below/rens.json"] {
        let copy = Path::new(name).file_name().unwrap();
        fs::copy(data.join(name), around.path().join(copy)).unwrap();
    }
    (around, engine)
}

#[test]
fn files_in_the_data_folder_are_accessible() {
    let (around, mut engine) = confined();
    let data = around.path().join("data");
    for line in [
        "loadsgf game.sgf",
        "board_set file board.txt",
        "rendb_load below/rens.json",
        "rendb_load ./below/rens.json",
        &format!("loadsgf {}/game.sgf", data.display()),
        "print_board below/board.svg rens",
        &format!("rendb_save {}/new.json", data.display()),
    ] {
        assert_eq!(answer(&mut engine, line), "= ", "{line}");
    }
    assert_eq!(file_names(&data), ["below", "board.txt", "game.sgf", "new.json"]);
    assert!(fs::read_to_string(data.join("game.sgf")).unwrap().ends_with(")\n"), "a line ends");
    assert_eq!(file_names(&data.join("below")), ["board.svg", "rens.json"]);
}

#[test]
fn files_outside_the_data_folder_are_refused() {
    let (around, mut engine) = confined();
    let (here, data) = (around.path().display().to_string(), around.path().join("data"));
    let before = file_names(around.path());
    let outside = format!("outside of the data folder {}", data.display());
    let refused = |engine: &mut Engine, command: &str, path: &str, reason: &str| {
        let path = &file_name(command, path);
        let answer = answer(engine, &format!("{command} {path}"));
        let shown: String = path.chars().take(60).collect();
        // GTP prescribes this error
        if command == "loadsgf" {
            assert_eq!(answer, "? cannot load file");
        } else {
            assert!(answer.starts_with("? ") && answer.contains(&shown) && answer.contains(reason), "{path}: {answer}");
        }
    };
    let commands = ["board_set file", "loadsgf", "rendb_load", "rendb_save", "printsgf", "print_board"];
    for command in commands {
        for name in ["board.txt", "game.sgf", "rens.json", "missing"] {
            refused(&mut engine, command, &format!("../{name}"), &outside);
            refused(&mut engine, command, &format!("below/../../{name}"), &outside);
            refused(&mut engine, command, &format!("{here}/{name}"), &outside);
            refused(&mut engine, command, &format!("{here}/data/../{name}"), &outside);
        }
        // even if the path leads back inside
        refused(&mut engine, command, "below/../game.sgf", &outside);
        refused(&mut engine, command, "no/folder", "no such folder");
        if command != "print_board" {
            refused(&mut engine, command, ".", "a folder, expected a file");
        }
    }
    assert_eq!(file_names(around.path()), before);
}

#[cfg(unix)]
#[test]
fn links_are_resolved_before_the_check() {
    use std::os::unix::fs::symlink;
    let (around, mut engine) = confined();
    let data = around.path().join("data");
    symlink(around.path(), data.join("out")).unwrap();
    symlink(around.path().join("game.sgf"), data.join("out.sgf")).unwrap();
    symlink(around.path().join("game.sgf"), data.join("out.sgf.svg")).unwrap();
    symlink(around.path().join("game.sgf"), around.path().join("game.sgf.svg")).unwrap();
    symlink(around.path().join("missing"), data.join("nowhere")).unwrap();
    symlink(around.path().join("missing"), data.join("nowhere.svg")).unwrap();
    symlink(data.join("below"), data.join("in")).unwrap();
    let kept = fs::read(around.path().join("game.sgf")).unwrap();
    let before = file_names(around.path());
    for (command, _) in WRITERS {
        for path in ["out/new", "out/game.sgf", "out.sgf"] {
            let line = format!("{command} {}", file_name(command, path));
            assert!(answer(&mut engine, &line).contains("outside of the data folder"), "{line}");
        }
        let line = format!("{command} {}", file_name(command, "nowhere"));
        assert!(answer(&mut engine, &line).contains("a link that leads nowhere"));
        assert_eq!(answer(&mut engine, &format!("{command} in/{}", file_name(command, command))), "= ");
    }
    assert_eq!(answer(&mut engine, "loadsgf out.sgf"), "? cannot load file");
    assert_eq!(answer(&mut engine, "loadsgf out/game.sgf"), "? cannot load file");
    assert_eq!(answer(&mut engine, "rendb_load in/rens.json"), "= ");
    assert_eq!(file_names(around.path()), before);
    assert_eq!(file_names(&data.join("below")), ["print_board.svg", "printsgf", "rendb_save", "rens.json"]);
    assert_eq!(fs::read(around.path().join("game.sgf")).unwrap(), kept);
    // the folder itself may be given as a link
    symlink(&data, around.path().join("link")).unwrap();
    engine.files.folder = DataFolder::new(&around.path().join("link")).unwrap();
    assert_eq!(answer(&mut engine, &format!("loadsgf {}/link/game.sgf", around.path().display())), "= ");
}

#[test]
fn the_data_folder_is_configurable() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("games")).unwrap();
    fs::write(folder.path().join("my.toml"), "[Paths]\nDataFolder = 'games'\n").unwrap();
    let output = folder.run(&["-f", "my.toml"], b"printsgf a.sgf\nprintsgf ../a.sgf\nrendb_load data/ren_db1.json\n");
    let games = folder.path().join("games").canonicalize().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let expected = "= \n\n? cannot save file: cannot write ../a.sgf: outside of the data folder FOLDER\n\n\
                    ? error:cannot read data/ren_db1.json: no such folder\n\n";
    assert_eq!(stdout.replace(&games.display().to_string(), "FOLDER"), expected);
    assert_eq!(file_names(&games), ["a.sgf"]);
    let output = folder.run(&["--set", "Paths.DataFolder=nowhere"], b"name\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(stderr.starts_with("kifuwarabe-uec14: Paths.DataFolder: no such folder: ") && stderr.lines().count() == 1);
}

#[test]
fn a_save_removes_temporary_files_of_killed_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rens.json");
    let written = fs::File::create(folder.path().join(".rens.json.live00.kifuwarabe-tmp")).unwrap();
    written.lock().unwrap();
    for name in [".rens.json.dead00.kifuwarabe-tmp", ".rens.json.swp", ".other.json.dead00.kifuwarabe-tmp"] {
        fs::write(folder.path().join(name), "half").unwrap();
    }
    files::write(&path, b"whole").unwrap();
    let kept = [".other.json.dead00.kifuwarabe-tmp", ".rens.json.live00.kifuwarabe-tmp", ".rens.json.swp", "rens.json"];
    assert_eq!(file_names(folder.path()), kept);
    // the writer has exited
    drop(written);
    files::write(&path, b"whole").unwrap();
    assert_eq!(file_names(folder.path()), [kept[0], kept[2], kept[3]]);
    // a name of the maximum length
    let long = "あ".repeat(80) + "234567";
    files::write(folder.path().join(&long), b"long").unwrap();
    assert_eq!(file_names(folder.path()).last(), Some(&long));
}

#[test]
fn concurrent_saves_of_one_file_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..40 {
                    files::write(path, &vec![b'0' + writer; 10_000]).unwrap();
                    let found = fs::read(path).unwrap();
                    assert!(found.len() == 10_000 && found.windows(2).all(|pair| pair[0] == pair[1]));
                }
            });
        }
    });
    assert_eq!(file_names(folder.path()), ["game.sgf"]);
}

#[cfg(unix)]
#[test]
fn saving_keeps_the_mode_and_refuses_read_only_files() {
    use std::os::unix::fs::PermissionsExt;
    let (around, mut engine) = confined();
    let data = around.path().join("data");
    let before = fs::read(data.join("game.sgf")).unwrap();
    fs::write(data.join("game.sgf.svg"), &before).unwrap();
    for (command, refusal) in WRITERS {
        let name = file_name(command, "game.sgf");
        let path = data.join(&name);
        // wider and narrower than the mode of new files
        for mode in [0o666, 0o600] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(answer(&mut engine, &format!("{command} {name}")), "= ");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        fs::write(&path, &before).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let answer = answer(&mut engine, &format!("{command} {name}"));
        let place = path.canonicalize().unwrap();
        assert_eq!(answer, format!("? {refusal}cannot write {}: it is read-only", place.display()));
        assert!(files::check_writable(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// Files are limited to 512 bytes, as on a full disk.
#[cfg(unix)]
#[test]
fn a_failed_write_leaves_the_old_file_unchanged() {
    let folder = Folder::new();
    let saves = folder.path().join("saves");
    fs::create_dir(&saves).unwrap();
    for (command, refusal) in WRITERS {
        let mut shell = Command::new("sh");
        let script = "ulimit -f 1; exec \"$0\" --set Paths.PlainTextLog= --set Paths.JsonLog=";
        shell.args(["-c", script, env!("CARGO_BIN_EXE_kifuwarabe-uec14")]).current_dir(folder.path());
        let name = file_name(command, command);
        let old = saves.join(&name);
        fs::write(&old, "old").unwrap();
        // a game that needs more than that in every format
        let moves: String =
            (1..=19).flat_map(|y| ["ABCDE", "GHJKL"].map(|row| (row, y))).fold(String::new(), |text, (row, y)| {
                row.chars().fold(text, |text, x| text + &format!("play black {x}{y}\n"))
            });
        fs::write(folder.path().join("in.gtp"), format!("{moves}{command} saves/{name}\n")).unwrap();
        let input = Stdio::from(fs::File::open(folder.path().join("in.gtp")).unwrap());
        let output = shell.stdin(input).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}");
        let stdout = String::from_utf8(output.stdout).unwrap();
        let (_, last) = stdout.trim_end().rsplit_once("\n\n").unwrap();
        let place = old.canonicalize().unwrap();
        assert!(last.starts_with(&format!("? {refusal}cannot write {}: ", place.display())), "{last}");
        assert_eq!(fs::read_to_string(&old).unwrap(), "old");
        // the temporary file was removed
        assert_eq!(file_names(&saves), [name]);
        fs::remove_file(&old).unwrap();
    }
}

#[test]
fn the_name_of_a_folder_is_no_file() {
    let (around, mut confined) = confined();
    let mut engine = engine();
    let data = around.path().join("data");
    for name in ["game.sgf/", "game.sgf/.", "new.svg/", "new.svg/."] {
        for (command, start) in WRITERS {
            let path = format!("{}/{name}", data.display());
            for (engine, path) in [(&mut confined, name), (&mut engine, path.as_str())] {
                // a picture's name must end in .svg
                let (answer, start) = match (answer(engine, &format!("{command} {path}")), command) {
                    (answer, "print_board") => (answer, "? "),
                    (answer, _) => (answer, start),
                };
                assert!(answer.starts_with("? ") && answer.contains(start), "{command} {path}: {answer}");
            }
        }
        assert_eq!(answer(&mut confined, &format!("loadsgf {name}")), "? cannot load file");
    }
    let answer = answer(&mut confined, "printsgf game.sgf/");
    let expected = "? cannot save file: cannot write game.sgf/: the name of a folder, expected that of a file";
    assert_eq!(answer, expected);
    assert!(files::write(data.join("new.sgf/"), b"x").unwrap_err().to_string().contains("the name of a folder"));
    assert_eq!(file_names(&data), ["below", "board.txt", "game.sgf"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_missing_file_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let [link, file] = ["link.sgf", "new.sgf"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for _ in 0..2 {
        files::write(link.to_str().unwrap(), b"(;)").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && fs::symlink_metadata(&file).unwrap().is_file());
    }
}

/// The root of the record that `printsgf` gives after `loadsgf` of a record and these commands, under Chinese rules.
fn root_after(record: &str, load: &str, commands: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.sgf"), record).unwrap();
    let mut engine = engine_with(5, GameRule::with_komi(5.5), 20);
    engine.files.folder = DataFolder::new(folder.path()).unwrap();
    for line in [&[load], commands].concat() {
        assert_eq!(answer(&mut engine, line), "= ", "{line}");
    }
    let text = ask(&mut engine, "printsgf");
    let text = text.split_once("SZ[").unwrap().1.replace('\n', "");
    text.split(';').next().unwrap().trim_end_matches(')').to_owned()
}

#[test]
fn a_loaded_record_keeps_its_properties_and_its_result() {
    let info = "PB[Ann]BR[3d]PW[Ben\\]]WR[9k]EV[Cup]RO[2]PC[Uji]GN[final]DT[2026-01-01]TM[60]OT[5x30]";
    let written = "PB[Ann]PW[Ben\\]]DT[2026-01-01]TM[60]OT[5x30]GN[final]BR[3d]EV[Cup]PC[Uji]RO[2]WR[9k]";
    let record = |rules: &str, result: &str| {
        format!("(;GM[1]AP[other:1]SZ[5]KM[6.5]{rules}{info}{result}C[hello];B[cc]C[a note];W[bb]BL[5])")
    };
    let root = |rules: &str, result: &str| format!("5]KM[6.5]RU[{rules}]{written}{result}");
    let load = "loadsgf a.sgf";
    let after = |rules: &str, result: &str, commands: &[&str]| root_after(&record(rules, result), load, commands);
    for result in ["RE[W+R]", "RE[B+Time]", "RE[B+7.5]", "RE[Void]"] {
        for rules in ["", "RU[Chinese]"] {
            assert_eq!(after(rules, result, &[]), root("chinese", result));
        }
        // another move, fewer moves
        assert_eq!(after("RU[Chinese]", result, &["play b D2"]), root("chinese", ""));
        assert_eq!(after("RU[Chinese]", result, &["undo"]), root("chinese", ""));
        assert_eq!(after("RU[Chinese]", result, &["undo", "play w A1"]), root("chinese", ""));
        assert_eq!(after("RU[Chinese]", result, &["undo", "play w B4"]), root("chinese", result));
        assert_eq!(root_after(&record("", result), "loadsgf a.sgf 2", &[]), root("chinese", ""));
        assert_eq!(root_after(&record("", result), "loadsgf a.sgf 3", &[]), root("chinese", result));
        let reloaded = |play: &str| root_after(&record("", result), "loadsgf a.sgf 2", &[play]);
        assert_eq!(reloaded("play w B4"), root("chinese", result));
        assert_eq!(reloaded("play w A1"), root("chinese", ""));
        // a new game has none of it
        assert_eq!(after("", result, &["clear_board"]), "5]KM[6.5]RU[chinese]");
    }
    // a resignation does not depend on the rules, a count does
    for rules in ["RU[Japanese]", "RU[house rules]"] {
        assert_eq!(after(rules, "RE[W+R]", &[]), root("chinese", "RE[W+R]"));
        assert_eq!(after(rules, "RE[B+7.5]", &[]), root("chinese", ""));
    }
    assert_eq!(after("RU[Japanese]", "RE[B+7.5]", &["kata-set-rules japanese"]), root("japanese", "RE[B+7.5]"));
    assert_eq!(after("", "RE[B+7.5]", &["kata-set-rules japanese"]), root("japanese", ""));
    assert_eq!(after("", "RE[B+7.5]", &["komi 6.5"]), root("chinese", "RE[B+7.5]"));
    let root = after("", "RE[B+7.5]", &["komi 0.5"]);
    assert!(root.contains("KM[0.5]") && !root.contains("RE["), "{root}");
}

#[test]
fn the_result_of_a_finished_record_is_not_counted_under_other_rules() {
    let record = |root: &str| format!("(;SZ[5]KM[0.5]{root};B[cc];W[tt];B[tt])");
    let root = |text: &str| root_after(&record(text), "loadsgf a.sgf", &[]);
    assert_eq!(root("RU[Japanese]RE[B+23.5]"), "5]KM[0.5]RU[chinese]");
    assert_eq!(root("RU[Chinese]RE[B+99.5]"), "5]KM[0.5]RU[chinese]RE[B+99.5]");
    // without a result of its own, the game is scored
    assert_eq!(root(""), "5]KM[0.5]RU[chinese]RE[B+24.5]");
    // so is one that ends after the record
    let record = "(;SZ[5]KM[0.5]RE[W+R];B[cc])";
    assert_eq!(root_after(record, "loadsgf a.sgf", &["play w pass", "play b pass"]), "5]KM[0.5]RU[chinese]RE[B+24.5]");
}

#[test]
fn rules_of_a_loaded_record_that_are_not_in_use_are_told() {
    let folder = Folder::new();
    for (name, rules) in [("a", "RU[Japanese\u{202e}rules]"), ("b", "RU[Korean]"), ("c", "RU[chinese]"), ("d", "")] {
        fs::write(folder.path().join(format!("{name}.sgf")), format!("(;SZ[5]KM[6.5]{rules})")).unwrap();
    }
    let stderr = |input: &str| {
        let output = folder.run(&["--set", "Log.Console=off"], input.as_bytes());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "= \n\n".repeat(input.lines().count()));
        String::from_utf8(output.stderr).unwrap()
    };
    let told = |record: &str, used: &str| {
        format!("[kifuwarabe-uec14] the record names RU[{record}], the rules in use remain {used}\n")
    };
    assert_eq!(stderr("loadsgf a.sgf\n"), told("Japanese\\u{202e}rules", "chinese"));
    assert_eq!(stderr("loadsgf b.sgf\n"), told("Korean", "chinese"));
    assert_eq!(stderr("kata-set-rules aga\nloadsgf c.sgf\n"), told("chinese", "aga"));
    assert_eq!(
        stderr("kata-set-rules {\"tax\":\"SEKI\"}\nloadsgf b.sgf\n"),
        told("Korean", "koPOSITIONALscoreAREAtaxSEKIsui1")
    );
    for quiet in ["loadsgf c.sgf\n", "loadsgf d.sgf\n", "kata-set-rules japanese\nloadsgf b.sgf\n"] {
        assert_eq!(stderr(quiet), "", "{quiet}");
    }
}

#[test]
fn a_komi_that_a_loaded_record_does_not_name_is_told() {
    let folder = Folder::new();
    for (name, komi) in [("none", ""), ("unclear", "KM[six\u{202e}]"), ("given", "KM[0]")] {
        fs::write(folder.path().join(format!("{name}.sgf")), format!("(;SZ[5]{komi})")).unwrap();
    }
    let input = b"komi 5.5\nloadsgf none.sgf\nloadsgf given.sgf\nloadsgf unclear.sgf\nget_komi\n";
    let output = folder.run(&["--set", "Log.Console=off"], input);
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("= 0\n\n"));
    let told = "[kifuwarabe-uec14] the record names no komi, komi remains 5.5\n\
                [kifuwarabe-uec14] the record names KM[six\\u{202e}], komi remains 0\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), told);
}

#[cfg(unix)]
#[test]
fn the_home_folder_in_paths_of_the_configuration() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().unwrap());
    fs::create_dir(home.path().join("games")).unwrap();
    let paths = "[Paths]\nPlainTextLog = '~/logs/plain.log'\nJsonLog = '~/json.log'\nDataFolder = '~/games'\n";
    fs::write(folder.path().join("home.toml"), paths).unwrap();
    let mut command = folder.command(&["-f", "home.toml"]);
    command.env("HOME", home.path());
    let mut engine = Running::start(command);
    assert_eq!(engine.ask("printsgf game.sgf"), "=");
    assert_eq!(engine.end(), (Some(0), String::new()));
    for name in ["logs/plain.log", "json.log", "games/game.sgf"] {
        assert!(home.path().join(name).is_file(), "{name}");
    }
    assert!(!folder.path().join("~").exists());
}

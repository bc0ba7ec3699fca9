//! Files that commands name: those that were there are whole whatever happens, and a data folder keeps commands inside.

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::io::files::{self, DataFolder};

use crate::engine::{Folder, answers, engine};

/// Every command that writes a file, and its refusal's beginning.
const WRITERS: [(&str, &str); 3] =
    [("rendb_save", "error:"), ("printsgf", "cannot save file: "), ("print_board", "cannot save file: ")];

/// The names of a folder's files, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn ask(engine: &mut Engine, line: &str) -> String {
    let answer = answers(engine, format!("{line}\n").as_bytes());
    answer.strip_suffix("\n\n").unwrap().to_owned()
}

/// A name as a command takes it: pictures are known by their ending.
fn named(command: &str, path: &str) -> String {
    if command == "print_board" { format!("{path}.svg") } else { path.to_owned() }
}

/// An engine kept to a folder `data` that holds a record, a board and a ren database, beside a file that is out of reach.
fn confined() -> (tempfile::TempDir, Engine) {
    let around = tempfile::tempdir().unwrap();
    let data = around.path().join("data");
    fs::create_dir_all(data.join("below")).unwrap();
    let mut engine = engine();
    engine.files.folder = DataFolder::new(&data).unwrap();
    for line in ["boardsize 3", "printsgf game.sgf", "rendb_save below/rens.json"] {
        assert_eq!(ask(&mut engine, line), "= ");
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
fn what_lies_in_the_data_folder_is_reached() {
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
        assert_eq!(ask(&mut engine, line), "= ", "{line}");
    }
    assert_eq!(names(&data), ["below", "board.txt", "game.sgf", "new.json"]);
    assert!(fs::read_to_string(data.join("game.sgf")).unwrap().ends_with(")\n"), "a line ends");
    assert_eq!(names(&data.join("below")), ["board.svg", "rens.json"]);
}

#[test]
fn what_lies_elsewhere_is_not() {
    let (around, mut engine) = confined();
    let (here, data) = (around.path().display().to_string(), around.path().join("data"));
    let before = names(around.path());
    let outside = format!("outside of the data folder {}", data.display());
    let refused = |engine: &mut Engine, command: &str, path: &str, reason: &str| {
        let path = &named(command, path);
        let answer = ask(engine, &format!("{command} {path}"));
        let shown: String = path.chars().take(60).collect();
        // GTP fixes the text of this one's refusal
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
        // even where it would come back
        refused(&mut engine, command, "below/../game.sgf", &outside);
        refused(&mut engine, command, "no/folder", "no such folder");
        if command != "print_board" {
            refused(&mut engine, command, ".", "not a regular file");
        }
    }
    assert_eq!(names(around.path()), before);
}

#[cfg(unix)]
#[test]
fn links_count_as_what_they_lead_to() {
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
    let before = names(around.path());
    for (command, _) in WRITERS {
        for path in ["out/new", "out/game.sgf", "out.sgf"] {
            let line = format!("{command} {}", named(command, path));
            assert!(ask(&mut engine, &line).contains("outside of the data folder"), "{line}");
        }
        let line = format!("{command} {}", named(command, "nowhere"));
        assert!(ask(&mut engine, &line).contains("a link that leads nowhere"));
        assert_eq!(ask(&mut engine, &format!("{command} in/{}", named(command, command))), "= ");
    }
    assert_eq!(ask(&mut engine, "loadsgf out.sgf"), "? cannot load file");
    assert_eq!(ask(&mut engine, "loadsgf out/game.sgf"), "? cannot load file");
    assert_eq!(ask(&mut engine, "rendb_load in/rens.json"), "= ");
    assert_eq!(names(around.path()), before);
    assert_eq!(names(&data.join("below")), ["print_board.svg", "printsgf", "rendb_save", "rens.json"]);
    assert_eq!(fs::read(around.path().join("game.sgf")).unwrap(), kept);
    // the folder itself may be reached by a link
    symlink(&data, around.path().join("link")).unwrap();
    engine.files.folder = DataFolder::new(&around.path().join("link")).unwrap();
    assert_eq!(ask(&mut engine, &format!("loadsgf {}/link/game.sgf", around.path().display())), "= ");
}

#[test]
fn the_configuration_names_the_data_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("games")).unwrap();
    fs::write(folder.path().join("my.toml"), "[Paths]\nDataFolder = 'games'\n").unwrap();
    let output = folder.run(&["-f", "my.toml"], b"printsgf a.sgf\nprintsgf ../a.sgf\nrendb_load data/ren_db1.json\n");
    let games = folder.path().join("games").canonicalize().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let expected = "= \n\n? cannot save file: cannot write ../a.sgf: outside of the data folder FOLDER\n\n\
                    ? error:cannot read data/ren_db1.json: no such folder\n\n";
    assert_eq!(told.replace(&games.display().to_string(), "FOLDER"), expected);
    assert_eq!(names(&games), ["a.sgf"]);
    let output = folder.run(&["--set", "Paths.DataFolder=nowhere"], b"name\n");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(told.starts_with("kifuwarabe-uec14: Paths.DataFolder: no such folder: ") && told.lines().count() == 1);
}

#[test]
fn what_killed_programs_left_of_a_save_is_cleared_away_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rens.json");
    let written = fs::File::create(folder.path().join(".rens.json.live00.kifuwarabe-tmp")).unwrap();
    written.lock().unwrap();
    for name in [".rens.json.dead00.kifuwarabe-tmp", ".rens.json.swp", ".other.json.dead00.kifuwarabe-tmp"] {
        fs::write(folder.path().join(name), "half").unwrap();
    }
    files::write(&path, b"whole").unwrap();
    let kept = [".other.json.dead00.kifuwarabe-tmp", ".rens.json.live00.kifuwarabe-tmp", ".rens.json.swp", "rens.json"];
    assert_eq!(names(folder.path()), kept);
    // its writer is gone
    drop(written);
    files::write(&path, b"whole").unwrap();
    assert_eq!(names(folder.path()), [kept[0], kept[2], kept[3]]);
    // as long a name as systems allow
    let long = "あ".repeat(80) + "234567";
    files::write(folder.path().join(&long), b"long").unwrap();
    assert_eq!(names(folder.path()).last(), Some(&long));
}

#[test]
fn many_save_the_same_file_at_once_and_none_fails() {
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
    assert_eq!(names(folder.path()), ["game.sgf"]);
}

#[cfg(unix)]
#[test]
fn a_saved_file_keeps_its_mode_and_a_read_only_one_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let (around, mut engine) = confined();
    let data = around.path().join("data");
    let before = fs::read(data.join("game.sgf")).unwrap();
    fs::write(data.join("game.sgf.svg"), &before).unwrap();
    for (command, refusal) in WRITERS {
        let name = named(command, "game.sgf");
        let path = data.join(&name);
        // more than new files get, and less
        for mode in [0o666, 0o600] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(ask(&mut engine, &format!("{command} {name}")), "= ");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        fs::write(&path, &before).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let answer = ask(&mut engine, &format!("{command} {name}"));
        let place = path.canonicalize().unwrap();
        assert_eq!(answer, format!("? {refusal}cannot write {}: it is read-only", place.display()));
        assert!(files::check_writable(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// A file that may grow to 512 bytes and no further, as on a full disk.
#[cfg(unix)]
#[test]
fn a_write_that_fails_leaves_the_old_file_whole() {
    let folder = Folder::new();
    let saves = folder.path().join("saves");
    fs::create_dir(&saves).unwrap();
    for (command, refusal) in WRITERS {
        let mut shell = Command::new("sh");
        let script = "ulimit -f 1; exec \"$0\" --set Paths.PlainTextLog= --set Paths.JsonLog=";
        shell.args(["-c", script, env!("CARGO_BIN_EXE_kifuwarabe-uec14")]).current_dir(folder.path());
        let name = named(command, command);
        let old = saves.join(&name);
        fs::write(&old, "old").unwrap();
        // a game that no writer says in so few bytes
        let moves: String =
            (1..=19).flat_map(|y| ["ABCDE", "GHJKL"].map(|row| (row, y))).fold(String::new(), |text, (row, y)| {
                row.chars().fold(text, |text, x| text + &format!("play black {x}{y}\n"))
            });
        fs::write(folder.path().join("in.gtp"), format!("{moves}{command} saves/{name}\n")).unwrap();
        let input = Stdio::from(fs::File::open(folder.path().join("in.gtp")).unwrap());
        let output = shell.stdin(input).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}");
        let told = String::from_utf8(output.stdout).unwrap();
        let (_, last) = told.trim_end().rsplit_once("\n\n").unwrap();
        let place = old.canonicalize().unwrap();
        assert!(last.starts_with(&format!("? {refusal}cannot write {}: ", place.display())), "{last}");
        assert_eq!(fs::read_to_string(&old).unwrap(), "old");
        // what was begun is gone, too
        assert_eq!(names(&saves), [name]);
        fs::remove_file(&old).unwrap();
    }
}

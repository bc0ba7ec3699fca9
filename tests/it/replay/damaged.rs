//! Logs that are truncated or damaged: `replay` and `log2sgf` use what is whole, and report the rest.

use crate::engine::{Folder, JSON_LOG};
use crate::replay::{assert_replays, replay, short_session, stderr, stdout, write_log};

#[test]
fn truncated_and_damaged_lines_are_reported() {
    let folder = Folder::new();
    let lines = short_session(&folder);
    let whole = lines.join("\n") + "\n";
    let path = folder.path().join(JSON_LOG);
    // truncated anywhere after the first line
    let first = lines[0].len() + 1;
    for end in [first + 1, first + 30, whole.len() - 30, whole.len() - 1] {
        std::fs::write(&path, &whole[..end]).unwrap();
        let output = replay(&folder, &["--until", "end"], "name\n");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let is_truncated = end < whole.len() - 1;
        assert_eq!(
            stderr(&output).contains("the line was not written to its end"),
            is_truncated,
            "{}",
            stderr(&output)
        );
        let games = folder.run(&["log2sgf", JSON_LOG], b"");
        assert_eq!(stderr(&games).contains("the line was not written to its end"), is_truncated, "{}", stderr(&games));
    }
    // a session after a truncated one
    let next = format!("{}\n{whole}", &whole[..whole.len() - 30]);
    std::fs::write(&path, next).unwrap();
    assert!(assert_replays(&folder, &["--session", "1"]).contains("was not written to its end"));
    assert_replays(&folder, &["--session", "2"]);

    for (number, bad, left) in [
        (2, "".to_owned(), 0),
        (3, "{\"level\":\"info\"}".to_owned(), 0),
        (5, lines[4].replace("\"simulations\":", "\"simulation\":"), 1),
        (4, lines[2].clone(), 1),
        (6, lines[1].clone(), 1),
        (7, "\u{0}\u{ff}".to_owned(), 2),
    ] {
        let mut damaged = lines.clone();
        damaged[number - 1] = bad;
        // the commands before the damage and the next session are usable
        damaged.extend(lines.clone());
        write_log(&folder, &damaged);
        let place = format!("{JSON_LOG}:{number}: the line is damaged: ");
        let output = replay(&folder, &["--session", "1"], "");
        assert_eq!((output.status.code(), stderr(&output)), (Some(2), String::new()), "{number}");
        let text = stdout(&output);
        let plural = if left == 1 { "" } else { "s" };
        let counts = format!("{left} command{plural} replayed, {left} answer{plural} equal");
        assert!(text.contains(&place) && text.contains(&counts), "{text}");
        assert!(assert_replays(&folder, &[]).contains("session 2: 7 commands replayed, 7 answers"));
        let output = folder.run(&["log2sgf", JSON_LOG], b"");
        let text = stderr(&output);
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{number}: {text}");
        assert!(text.starts_with(&format!("[log2sgf] {place}")), "{number}: {text}");
        assert_eq!(stdout(&output).matches("GM[1]").count(), 1 + usize::from(left > 0));
    }
    // without the record of the session there is nothing to start from
    let mut damaged = lines.clone();
    damaged[0] = lines[0].replace("\"version\":", "\"verses\":");
    write_log(&folder, &damaged);
    for command in ["replay", "log2sgf"] {
        let output = folder.run(&[command, JSON_LOG], b"");
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("{JSON_LOG}:1: the line is damaged: ")), "{text}");
    }
    std::fs::write(&path, "").unwrap();
    assert!(stderr(&replay(&folder, &[], "")).contains("no session begins here"));
    for (file, reason) in [("nowhere.log", "/nowhere.log: No such file"), (".", "a folder, expected a file")] {
        let text = stderr(&folder.run(&["replay", file], b""));
        assert!(text.contains(reason) && text.lines().count() == 1, "{text}");
    }
}

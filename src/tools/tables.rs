//! Files of games, one game a line, as `eval --records` and `labels` read them: tables of game records, and what
//! `selfplay` writes.
//!
//! A table's fields, separated by tabs: id, size, komi, handicap, result, rules, date, Black's and White's rank, plies,
//! three numbers that are not read, set-up, moves. A move is `Bpd`: colour `B` or `W`, column from the left, row from the
//! top; `B..` is a pass. A game with a set-up or a move of another form, or with a set-up that is no position, is skipped.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use md5::{Digest, Md5};
use serde::Deserialize;

use crate::io::files::{self, FileError};
use crate::kernel::{Board, Color, Coordinate, GameRule, KoRule, Move, Position, Scoring, Stone};
use crate::sgf::{counted_margin, move_letters};
use crate::tools::board_size;

/// Upper limit of the text in a gzipped file, in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// Komi of a record without a plausible one, in points.
const DEFAULT_KOMI: f64 = 6.5;

/// Upper limit of a plausible komi, in points.
const MAX_KOMI: f64 = 15.0;

/// The highest komi of games whose record names no rules and that count as games of territory scoring. With a higher komi
/// most such games of professionals have odd margins before komi, as area scoring gives them.
const MAX_TERRITORY_KOMI: f64 = 6.5;

/// Shorter games are skipped.
const MIN_MOVES: usize = 10;

/// A game of a table.
pub(super) struct TableGame {
    /// Komi in points.
    pub(super) komi: f64,
    /// The winner; `None` if there is none or it is unknown.
    pub(super) winner: Option<Color>,
    count: Option<Count>,
    setup: Vec<(Color, Move)>,
    pub(super) moves: Vec<(Color, Move)>,
    /// MD5 of size, set-up and moves as they stand.
    pub(super) digest: [u8; 16],
}

/// A result that was counted.
struct Count {
    /// Black's points minus White's, with komi; `None` if the game was not finished.
    margin: Option<f64>,
    scoring: Scoring,
}

/// A line of a self-play file, as far as it is used here.
#[derive(Deserialize)]
struct SelfplayLine {
    #[serde(with = "board_size")]
    size: Coordinate,
    komi: f64,
    winner: String,
    moves: Vec<String>,
    /// The name of a rule set, or a [short form](GameRule::with_short_form).
    rules: Option<String>,
    margin: Option<f64>,
}

impl SelfplayLine {
    /// The count of the result. `None` without known rules.
    fn count(&self) -> Option<Count> {
        let (rule, rules) = (GameRule::with_komi(self.komi), self.rules.as_deref()?);
        let scoring = rule.with_rule_set(rules).or_else(|| rule.with_short_form(rules))?.scoring;
        // after the greatest number of moves the margin is an estimate
        let is_over = self.moves.iter().rev().take_while(|entry| entry.ends_with("..")).count() >= 2;
        let margin = self.margin.filter(|&margin| is_over && is_possible(margin, self.komi, self.size));
        Some(Count { margin, scoring })
    }
}

/// The text of a file, gzipped or not.
///
/// # Errors
/// If the file cannot be read, is no gzip file although it begins like one, or has more than 1 GiB of text.
pub(super) fn read(path: &Path) -> anyhow::Result<String> {
    read_text_up_to(path, MAX_TEXT)
}

/// As [`read`], for a gzip file with at most `limit` bytes of text.
fn read_text_up_to(path: &Path, limit: u64) -> anyhow::Result<String> {
    let mut bytes = files::read(path)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        MultiGzDecoder::new(bytes.as_slice()).take(limit + 1).read_to_end(&mut text)?;
        if text.len() as u64 > limit {
            let reason = io::Error::other(format!("larger than {limit} bytes when it is decompressed"));
            return Err(FileError::read(path, &reason).into());
        }
        bytes = text;
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The games of a file's text on this board, each with the number of its line from 0. A line that is no such game is
/// skipped, as is a game of fewer than ten moves. Of a table whose name begins with `ogs9`, which has players of all
/// ranks, only games of two dan players or professionals are taken, as in the training of the built-in net.
pub(super) fn games(text: &str, path: &Path, coordinate: Coordinate) -> impl Iterator<Item = (usize, TableGame)> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // no line of a table begins so
    let is_selfplay = text.trim_start().starts_with('{');
    let is_mixed = name.starts_with("ogs9");
    text.lines().enumerate().filter_map(move |(number, line)| {
        let game = if is_selfplay { selfplay_game(line, coordinate) } else { game(line, is_mixed, coordinate) };
        Some((number, game.filter(|game| game.moves.len() >= MIN_MOVES)?))
    })
}

/// The game of a line of a table.
fn game(line: &str, is_mixed: bool, coordinate: Coordinate) -> Option<TableGame> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[_, size, komi, _, result, rules, _, black, white, _, _, _, _, setup, moves] = fields.get(..15)? else {
        return None;
    };
    if size.parse() != Ok(coordinate) {
        return None;
    }
    let is_strong = |rank: &str| rank.contains(['d', 'p']);
    if is_mixed && !(is_strong(black) && is_strong(white)) {
        return None;
    }
    let recorded_komi = komi.parse().ok().filter(|komi: &f64| komi.abs() <= MAX_KOMI);
    Some(TableGame {
        komi: recorded_komi.unwrap_or(DEFAULT_KOMI),
        winner: result.split_once('+').and_then(|(winner, _)| Color::parse(winner)),
        count: recorded_komi.and_then(|komi| count(result, rules, komi, coordinate)).filter(|_| setup.is_empty()),
        setup: read_moves(setup, coordinate)?,
        moves: read_moves(moves, coordinate)?,
        digest: Md5::digest(format!("{size}{setup}{moves}").as_bytes()).into(),
    })
}

/// The count of a result such as `W+3.5` or `Draw`. `None` if no game with this komi has it: some records of area
/// scoring count half points. A record that names no rules counts as one of territory scoring if its komi is at most
/// [`MAX_TERRITORY_KOMI`].
fn count(result: &str, rules: &str, komi: f64, coordinate: Coordinate) -> Option<Count> {
    let margin = counted_margin(result)?;
    let scoring = match rules {
        "" if komi <= MAX_TERRITORY_KOMI => Scoring::Territory,
        "" => return None,
        rules => GameRule::with_komi(komi).with_rule_set(rules)?.scoring,
    };
    is_possible(margin, komi, coordinate).then_some(Count { margin: Some(margin), scoring })
}

/// Whether a game with this komi can have this margin: without komi it is a whole number of points of the board.
fn is_possible(margin: f64, komi: f64, coordinate: Coordinate) -> bool {
    let on_board = margin + komi;
    on_board.fract() == 0.0 && on_board.abs() <= coordinate.board_area() as f64
}

/// The game of a line of a self-play file.
fn selfplay_game(line: &str, coordinate: Coordinate) -> Option<TableGame> {
    let line: SelfplayLine = serde_json::from_str(line).ok()?;
    if line.size != coordinate {
        return None;
    }
    let moves = line.moves.concat();
    Some(TableGame {
        komi: line.komi,
        winner: Color::parse(&line.winner),
        count: line.count(),
        setup: Vec::new(),
        moves: read_moves(&moves, coordinate)?,
        digest: Md5::digest(format!("{}{moves}", line.size.size_text()).as_bytes()).into(),
    })
}

/// Parses moves in the form of [`move_entry`]; `None` if one of them is no move on this board.
fn read_moves(text: &str, coordinate: Coordinate) -> Option<Vec<(Color, Move)>> {
    let read = |letters: &[u8]| {
        let (color, play) = match *letters {
            [b'B', x, y] => (Color::Black, [x, y]),
            [b'W', x, y] => (Color::White, [x, y]),
            _ => return None,
        };
        if play == *b".." {
            return Some((color, Move::Pass));
        }
        let [x, row] = play.map(|letter| letter.checked_sub(b'a'));
        let point = coordinate.point(x?.checked_add(1)?, coordinate.height().checked_sub(row?)?)?;
        // the frame has points, too
        coordinate.contains(point).then_some((color, Move::Play(point)))
    };
    text.as_bytes().chunks(3).map(read).collect()
}

/// A move as a table has it: colour, column and row in SGF's letters, such as `Bpd`; a pass is `B..`.
pub(super) fn move_entry(color: Color, play: Move, coordinate: Coordinate) -> String {
    let letters = move_letters(play, coordinate).filter(|letters| !letters.is_empty());
    format!("{}{}", color.letter(), letters.as_deref().unwrap_or(".."))
}

impl TableGame {
    /// Whether the game is kept out of training. One game in ten is: those whose digest starts with a byte divisible by
    /// ten.
    pub(super) fn is_held_out(&self) -> bool {
        self.digest[0].is_multiple_of(10)
    }

    /// The points by which Black won, if the result was counted, by this scoring. `None` for a game with handicap
    /// stones: the handicap bonus differs between rules.
    pub(super) fn margin(&self, scoring: Scoring) -> Option<f64> {
        self.count.as_ref().filter(|count| count.scoring == scoring).and_then(|count| count.margin)
    }

    /// The winner under a scoring. `None` if the result was counted by the other scoring, which may make another player
    /// the winner: the counts often differ by a point.
    pub(super) fn winner_under(&self, scoring: Scoring) -> Option<Color> {
        self.winner.filter(|_| self.count.as_ref().is_none_or(|count| count.scoring == scoring))
    }

    /// The number of moves before the passes at the end.
    pub(super) fn moves_before_final_passes(&self) -> usize {
        self.moves.iter().rposition(|(_, play)| *play != Move::Pass).map_or(0, |last| last + 1)
    }

    /// The position before the first move. Ko is simple ko under every `rule`: games of all rules are replayed.
    /// `None` if the set-up is impossible.
    pub(super) fn start(&self, coordinate: Coordinate, rule: GameRule) -> Option<Position> {
        let first = self.moves.first().map_or(Color::Black, |&(color, _)| color);
        let rule = GameRule { komi: self.komi, ko: KoRule::Simple, ..rule };
        let mut position = Position::new(coordinate, rule, 0, first);
        if !self.setup.is_empty() {
            let mut stones: Vec<Stone> = Board::new(coordinate).stones().to_vec();
            for (color, play) in &self.setup {
                *stones.get_mut(play.point()?.index())? = color.stone();
            }
            position.set_up(&stones).ok()?;
            position.set_to_move(first);
        }
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use super::*;

    #[test]
    fn all_members_of_a_gzip_file_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.tsv.gz");
        let member = |text: &str| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        std::fs::write(&path, [member("first\n"), member("second\n")].concat()).unwrap();
        assert_eq!(read(&path).unwrap(), "first\nsecond\n");
        // a small file may have a large text
        assert_eq!(read_text_up_to(&path, 13).unwrap(), "first\nsecond\n");
        let message = read_text_up_to(&path, 12).unwrap_err().to_string();
        let expected = format!("cannot read {}: larger than 12 bytes when it is decompressed", path.display());
        assert_eq!(message, expected);
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.tsv");
        std::fs::write(&path, b"a\xffb").unwrap();
        assert_eq!(read(&path).unwrap(), "a\u{fffd}b");
    }

    #[test]
    fn moves_are_read_as_they_are_written() {
        let coordinate = Coordinate::square(9).unwrap();
        let at = |vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap());
        for (play, text) in [(at("A9"), "Waa"), (at("J9"), "Wia"), (at("A1"), "Wai"), (Move::Pass, "W..")] {
            assert_eq!(move_entry(Color::White, play, coordinate), text);
            assert_eq!(read_moves(text, coordinate), Some(vec![(Color::White, play)]));
        }
        assert_eq!(read_moves("Baa", coordinate), Some(vec![(Color::Black, at("A9"))]));
        // other colours, cells of the frame, and letters that are none
        for text in ["baa", "Xaa", "Bja", "Baj", "B.a", "Ba", "B\u{e9}"] {
            assert_eq!(read_moves(text, coordinate), None, "{text}");
        }
    }

    #[test]
    fn a_result_counted_by_other_scoring_has_no_winner() {
        let coordinate = Coordinate::square(9).unwrap();
        let winners = |komi: &str, result: &str, rules: &str, setup: &str| {
            let game = game(
                &format!("x\t9\t{komi}\t\t{result}\t{rules}\t\t\t\t24\t0\t0\t0\t{setup}\tBaaWbb"),
                false,
                coordinate,
            );
            [Scoring::Territory, Scoring::Area].map(|scoring| game.as_ref().unwrap().winner_under(scoring))
        };
        let (black, white) = (Some(Color::Black), Some(Color::White));
        assert_eq!(winners("6.5", "B+0.5", "Japanese", ""), [black, None]);
        assert_eq!(winners("7.5", "W+0.5", "Chinese", ""), [None, white]);
        // resignation ends a game under any rules
        assert_eq!(winners("6.5", "B+R", "Japanese", ""), [black, black]);
    }

    #[test]
    fn a_game_of_self_play_has_the_result_of_its_own_rules() {
        let coordinate = Coordinate::square(5).unwrap();
        let game = |rules: &str, last: &str| {
            let line = format!(
                r#"{{"size":5,"komi":7.5,{rules}"winner":"B","margin":0.5,"moves":["Baa","Wbb","B..","{last}"]}}"#
            );
            let game = selfplay_game(&line, coordinate).unwrap();
            [Scoring::Territory, Scoring::Area].map(|scoring| (game.winner_under(scoring), game.margin(scoring)))
        };
        let (black, none) = (Some(Color::Black), (None, None));
        assert_eq!(game(r#""rules":"japanese","#, "W.."), [(black, Some(0.5)), none]);
        assert_eq!(game(r#""rules":"koSIMPLEscoreAREAtaxSEKIsui0","#, "W.."), [none, (black, Some(0.5))]);
        // unfinished, and of an earlier version
        assert_eq!(game(r#""rules":"chinese","#, "Wcc"), [none, (black, None)]);
        assert_eq!(game("", "W.."), [(black, None), (black, None)]);
    }

    #[test]
    fn a_self_play_file_may_have_any_name() {
        let moves = r#"["Baa","Wbb","Bcc","Wdd","Bee","Wea","Bae","Wca","Bac","Wce"]"#;
        let line = format!(r#"{{"size":5,"komi":7.5,"winner":"B","moves":{moves}}}"#);
        for name in ["games.jsonl", "games.json", "games"] {
            let found: Vec<_> = games(&line, Path::new(name), Coordinate::square(5).unwrap()).collect();
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!((found[0].0, found[0].1.moves.len(), found[0].1.komi), (0, 10, 7.5), "{name}");
        }
    }
}

//! The screen of a terminal, from the output of a program: what a person sees.

/// The rows of a screen and its cursor. It knows the escape sequences that the program writes, and panics at others.
pub struct Screen {
    rows: Vec<Vec<char>>,
    columns: usize,
    /// Row and column. The column equals `columns` after the last one was written.
    cursor: (usize, usize),
    /// Rows that were scrolled off the top.
    pub scrolled: Vec<String>,
}

impl Screen {
    /// The screen after this output.
    pub fn new(columns: usize, rows: usize, output: &str) -> Screen {
        let mut screen = Screen { rows: vec![vec![' '; columns]; rows], columns, cursor: (0, 0), scrolled: Vec::new() };
        let mut rest = output;
        while let Some(first) = rest.chars().next() {
            if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
                let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                screen.control(&sequence[..end], &sequence[end..=end]);
                rest = &sequence[end + 1..];
            } else {
                screen.put(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        screen
    }

    /// The rows without blanks at their ends, up to the last one that is not empty.
    pub fn rows(&self) -> Vec<String> {
        let mut rows: Vec<String> = self.rows.iter().map(|row| text(row)).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    fn put(&mut self, character: char) {
        match character {
            '\r' => self.cursor.1 = 0,
            '\n' => self.feed(),
            '\u{7}' => {}
            '\u{8}' => self.cursor.1 = self.cursor.1.saturating_sub(1),
            character => {
                assert!(!character.is_control(), "{character:?}");
                if self.cursor.1 == self.columns {
                    self.cursor.1 = 0;
                    self.feed();
                }
                self.rows[self.cursor.0][self.cursor.1] = character;
                self.cursor.1 += 1;
            }
        }
    }

    fn feed(&mut self) {
        if self.cursor.0 + 1 < self.rows.len() {
            self.cursor.0 += 1;
        } else {
            self.scrolled.push(text(&self.rows.remove(0)));
            self.rows.push(vec![' '; self.columns]);
        }
    }

    fn control(&mut self, arguments: &str, name: &str) {
        let number = arguments.parse().unwrap_or(1);
        let (row, column) = (self.cursor.0, self.cursor.1.min(self.columns - 1));
        match (name, arguments) {
            ("m" | "h" | "l", _) => {}
            ("H", "") => self.cursor = (0, 0),
            ("K", "" | "0") => self.rows[row][column..].fill(' '),
            ("K", "2") => self.rows[row].fill(' '),
            ("J", "" | "0") => {
                self.rows[row][column..].fill(' ');
                self.rows[row + 1..].iter_mut().for_each(|row| row.fill(' '));
            }
            ("A", _) => self.cursor.0 = row.saturating_sub(number),
            ("B", _) => self.cursor.0 = (row + number).min(self.rows.len() - 1),
            ("C", _) => self.cursor.1 = (column + number).min(self.columns - 1),
            ("D", _) => self.cursor.1 = column.saturating_sub(number),
            _ => panic!("escape sequence {arguments}{name}"),
        }
    }
}

fn text(row: &[char]) -> String {
    row.iter().collect::<String>().trim_end().to_owned()
}

//! The text of a file, folded into lines between its pieces.

/// The maximum length of a line, in characters, unless a single piece is longer.
const COLUMNS: usize = 80;

/// A text folded into lines. The folding makes no line empty.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    /// Appends a piece that must not be split.
    pub(super) fn push(&mut self, piece: &str) {
        let width = |text: &str| text.chars().count();
        let (first, last) = (piece.split('\n').next().map_or(0, width), piece.rsplit('\n').next().map_or(0, width));
        if self.column + first > COLUMNS {
            self.fold();
        }
        self.text += piece;
        self.column = if piece.contains('\n') { last } else { self.column + first };
    }

    /// Begins a line.
    pub(super) fn fold(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }

    /// The whole text.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

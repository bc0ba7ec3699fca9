//! The text of a file, with line breaks inserted between properties.

/// The maximum length of a line, in characters, unless a single piece is longer.
const COLUMNS: usize = 80;

/// Text in lines of at most [`COLUMNS`] characters, broken between the pieces that are pushed. No line break makes an
/// empty line.
#[derive(Default)]
pub(super) struct FoldedText {
    text: String,
    column: usize,
}

impl FoldedText {
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

//! Limits on the input, so that time and memory stay bounded.

/// The largest komi, in points for either side, of a value without a decimal point. Larger whole numbers are hundredths,
/// as some servers write them (`KM[375]`), or errors; with a decimal point (`KM[375.0]`) they are points.
pub(super) const MAX_WHOLE_KOMI: f64 = 200.0;

/// The maximum number of points that all setup properties of a main line may name together: a few bytes can name a
/// whole board, so the length of a file does not bound the work.
pub const MAX_SETUP: usize = 1_000_000;

/// The maximum number of moves and set-ups that [`position_of`](crate::sgf::position_of) plays. A position keeps its
/// whole history in memory; real games have a hundredth of this length.
pub const MAX_TURNS: usize = 20_000;

/// The maximum number of nodes of a [`GameTree`](crate::sgf::GameTree). The largest opening dictionaries have a tenth.
pub const MAX_NODES: usize = 1_000_000;

/// The maximum number of properties and values together that a [`GameTree`](crate::sgf::GameTree) reads. A value takes
/// ten times the memory of its two brackets.
pub const MAX_VALUES: usize = 4_000_000;

//! `report`: searches every position of game records and writes pages with board, graphs and mistakes, annotated
//! records, and the numbers as JSON.
//!
//! `player::review` searches the positions and rates the moves. Files, from the bottom: `options`; `summary` of a
//! player's moves; `review` is a game with all of that. From a review, `page` (with `data` for its script and `graph`)
//! writes HTML that loads nothing from elsewhere, `annotate` SGF, `numbers` JSON, and `index` the list of several games.
//! `outputs` knows the files; `serve` answers requests on standard input. The board on a page is a
//! [`Picture`](crate::picture::Picture), which the script of `picture/board.js` redraws.

mod annotate;
mod data;
mod graph;
mod index;
mod numbers;
mod options;
mod outputs;
mod page;
mod review;
mod run;
mod serve;
mod summary;

pub(crate) use crate::report::options::ReportArgs;
pub(crate) use crate::report::run::ReportEvent;
pub(crate) use crate::report::run::run;
pub(crate) use crate::report::serve::serve;

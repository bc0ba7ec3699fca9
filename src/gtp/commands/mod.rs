//! The handlers of GTP commands, by subject, and the table that names them.

pub mod admin;
pub mod analyze;
pub(crate) mod coordinates;
pub(crate) mod dialogs;
pub(crate) mod extensions;
pub(crate) mod game;
pub(crate) mod genmove;
pub(crate) mod gogui;
pub(crate) mod handicap;
pub mod info;
pub(crate) mod inspect;
pub(crate) mod live_gfx;
pub(crate) mod params;
pub(crate) mod pictures;
pub(crate) mod query;
pub(crate) mod rendb;
pub mod rules;
pub(crate) mod scoring;
pub(crate) mod setup;
pub(crate) mod sgf_files;
pub mod table;
pub(crate) mod time;

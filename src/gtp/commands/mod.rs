//! The handlers of GTP commands, one file for each subject. The table of their names is `gtp::table`.

pub(crate) mod admin;
pub(crate) mod analyze;
pub(crate) mod cached_search;
pub(crate) mod dragons;
pub(crate) mod estimate;
pub(crate) mod files;
pub(crate) mod game;
pub(crate) mod genmove;
pub(crate) mod gogui;
pub(crate) mod gogui_rules;
pub(crate) mod info;
pub(crate) mod invariant_hash;
pub(crate) mod live_gfx;
pub(crate) mod net;
pub(crate) mod params;
pub(crate) mod query;
pub(crate) mod ren_db;
pub(crate) mod rules;
pub(crate) mod scoring;
pub(crate) mod setup;
pub(crate) mod tactics;
pub(crate) mod time;

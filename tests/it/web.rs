//! `web`: the server under its real address, driven as a page drives it.

mod analysis;
mod attacks;
mod frames;
mod games;
mod page;
mod records;
mod server;
mod turns;

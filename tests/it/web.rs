//! `web`: the server under its real address, driven as a page drives it.

mod attacks;
mod frames;
mod games;
mod page;
mod records;
mod server;
mod turns;

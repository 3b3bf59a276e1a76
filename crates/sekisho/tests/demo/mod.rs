//! The demo: with a server, and once more beside one.

mod again;
mod beside;
mod show;

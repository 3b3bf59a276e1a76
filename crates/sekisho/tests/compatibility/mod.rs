//! What an earlier version stored and sent is opened, answered and verified by this one.
//!
//! `fixtures/make.sh` made the fixtures and says how. Every test works on a copy.

mod client;
mod hook;
mod fixture_copy;
mod response_compare;
mod state;

//! This version opens, answers and verifies what an earlier version stored and sent.
//!
//! `fixtures/make.sh` made the fixtures and explains how. Every test works on a copy.

mod client;
mod fixture_copy;
mod hook;
mod response_compare;
mod state;

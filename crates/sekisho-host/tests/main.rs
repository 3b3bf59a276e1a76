//! The library against real files in directories of its own.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod audit_key;
mod changing;
mod doors;
mod editing;
mod facts;
mod git;
mod glancing;
mod globs;
mod hooks;
mod loading;
mod machine;
mod readers;
mod searching;
mod spooling;
mod trusting;
mod watching;

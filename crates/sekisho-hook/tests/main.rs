//! The hook as agents start it: a process, its standard input, and what it says.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod asking;
mod failing;
mod judging;
mod place;
mod speaking;

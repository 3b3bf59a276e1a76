//! Tests of the hook as agents run it: a process, its standard input, and its output.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod fail_closed;
mod harness;
mod human_decisions;
mod local_decisions;
mod other_agents;

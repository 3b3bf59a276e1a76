//! The wires of agents: what is read, what is said, and that nothing that is no allow can be taken for one.
#![expect(clippy::unwrap_used, reason = "tests")]

mod ids;
mod models;
mod never_an_allow;
mod plugin;
mod reading;
mod recorded;
mod samples;

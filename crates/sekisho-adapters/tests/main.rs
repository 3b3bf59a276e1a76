//! The wires of agents: what is read, what is said, and that nothing that is no allow can be taken for one.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod agent_models;
mod call_ids;
mod fail_closed;
mod hook_requests;
mod plugin;
mod recorded_requests;
mod sample_requests;

//! Agents' hook protocols: what is read, what is written, and that only an allow is treated as an allow.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod agent_models;
mod call_ids;
mod fail_closed;
mod hook_requests;
mod opencode_plugin;
mod recorded_requests;
mod sample_requests;

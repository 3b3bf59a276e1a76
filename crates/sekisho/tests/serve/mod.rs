//! The server as a process, over its sockets.

mod agent_requests_to_server;
mod doctor;
mod documented_settings;
mod lifecycle;
mod memory_use;
mod missing_audit_log;
mod project_denies;
mod read_tool;
mod startup_failures;
pub(crate) mod test_server;
mod tls;
mod tokens;
mod tools;

//! The server as a process of its own, over its own sockets.

mod doctor;
mod documented_settings;
mod server_addresses;
mod missing_record;
mod memory_use;
mod project_denies;
mod startup_failures;
mod lifecycle;
pub(crate) mod test_server;
mod tls;
mod tokens;

//! The server as a process, over its sockets.

mod doctor;
mod documented_settings;
mod lifecycle;
mod memory_use;
mod missing_record;
mod project_denies;
mod reading;
mod server_addresses;
mod startup_failures;
pub(crate) mod test_server;
mod tls;
mod tokens;

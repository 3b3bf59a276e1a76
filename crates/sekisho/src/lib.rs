//! The wiring of the checkpoint: where the gate's ports meet this machine.
//!
//! The gate may not know the host and the host may not know the gate; both are known here. The command line is the
//! binary's own.
#![forbid(unsafe_code)]

pub mod file_ports;
pub mod rule_publisher;
pub mod spool_import;

//! Connects the gate's ports to this machine.
//!
//! The gate and the host do not depend on each other; this crate depends on both. The command line is in the
//! binary.
#![forbid(unsafe_code)]

pub mod host_ports;
pub mod rule_publisher;
pub mod spool_import;

//! Shared code of the benchmarks: the workload, the engines, and allocation counters.

pub mod adversary;
#[cfg(feature = "gate")]
pub mod durable;
pub mod engines;
pub mod everyday;
pub mod memory;
pub mod spread;
pub mod table;
pub mod workload;

//! What the benchmarks share: the workload, the engines, and a count of what is allocated.

pub mod adversary;
#[cfg(feature = "gate")]
pub mod durable;
pub mod engines;
pub mod everyday;
pub mod memory;
pub mod spread;
pub mod table;
pub mod workload;

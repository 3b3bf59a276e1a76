//! What the benchmarks share: the workload, the engines, and a count of what is allocated.

pub mod adversary;
pub mod engines;
pub mod everyday;
pub mod memory;
pub mod table;
pub mod workload;

//! Shared code of the benchmarks: the workload, the engines, and allocation counters.

pub mod alloc_counter;
pub mod builtin_tools;
pub mod engines;
#[cfg(feature = "gate")]
pub mod ledger_throughput;
pub mod percentiles;
#[cfg(any(feature = "gate", feature = "pipelines"))]
pub mod postgres_server;
pub mod table;
pub mod workload;
pub mod worst_case;

//! A test kit for the gate: a manual clock, a ledger in memory, in-memory files, and [`conformance`], which
//! says what every store must do.
//!
//! Nothing here starts a thread, needs a runtime or waits for real time, except [`block_on`], which is for
//! tests without a runtime, [`write_executable`] and [`agent_fixture`]. So the same pieces serve plain tests, tokio tests and
//! an explorer of interleavings.
#![forbid(unsafe_code)]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a library for tests says what is wrong by panicking"
)]

pub mod agent_doubles;
pub mod agent_fixture;
mod block_on;
mod clock;
pub mod conformance;
mod executable_file;
pub mod fixtures;
mod in_memory_files;
pub mod inspect;
pub mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;

pub use block_on::block_on;
pub use clock::ManualClock;
pub use executable_file::write_executable;
pub use in_memory_files::FixedFiles;
pub use inspect::Inspect;
pub use memory::{MemoryAgents, MemoryLedger, MemoryPipelines, MemoryRuns};

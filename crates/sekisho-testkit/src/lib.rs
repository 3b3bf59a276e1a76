//! What tests of the gate stand on: a clock that is turned by hand, a ledger in memory, files that are only text, and
//! [`conformance`], which is what every ledger must do.
//!
//! Nothing here starts a thread, needs a runtime or waits for real time, with the exceptions of [`block_on`], which is for
//! tests that have no runtime, and [`script`]. So the same pieces serve plain tests, tokio tests and an explorer of interleavings.
#![forbid(unsafe_code)]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a library for tests says what is wrong by panicking"
)]

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
pub use memory::MemoryLedger;

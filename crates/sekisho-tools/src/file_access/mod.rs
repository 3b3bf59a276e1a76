//! How the tools that read open files: without waiting, and only what was judged.
//!
//! A call is judged by its path, and the file is opened later. In between, somebody can replace the file by a
//! link. So a path is opened first, without reading it, and then [`ReadGuard`] compares where the handle leads with
//! what the gate looked up and with the protected paths.

mod opened_path;
mod read_guard;
mod shown_bytes;
mod stop_signal;

pub(crate) use opened_path::{OpenedPath, is_on_kernel_file_system, is_regular, open_entry};
pub use read_guard::ReadGuard;
pub(crate) use read_guard::{AccessScope, SecretFiles};
pub(crate) use shown_bytes::{ShownLine, shown_os};
pub(crate) use stop_signal::{StopReason, StopSignal, StoppableReader, run_stoppable};

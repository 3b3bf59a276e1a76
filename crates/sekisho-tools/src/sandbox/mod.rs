//! The sandbox that programs run in.
//!
//! [`SandboxSettings`] say what a program may do. [`Sandbox`] is what this machine can enforce, found by
//! trying it. The helper `sekisho-sandbox`, a crate of its own, puts the limits on itself and then becomes the
//! program. [`HelperPlan`] is what it is told, as arguments.
//!
//! The layers, from the inside out:
//!
//! - no_new_privs, no capabilities, limits of processes and files, no inherited descriptors;
//! - Landlock: writes only in the writable directories, no reads of hidden paths and of devices, no TCP, no signals to and no tracing of processes
//!   outside;
//! - seccomp: no sockets, no tracing, no namespaces, no io_uring, no keys, no kernel administration;
//! - namespaces: everything else is mounted read-only, other processes are invisible, and all processes
//!   end with the first. bubblewrap makes them where it is installed, otherwise the helper itself.
//!
//! Files in the writable directories that tools outside run or take settings from stay read-only (`kept_files`), where
//! there are namespaces.
//!
//! Landlock cannot stop changes of mode, owner, times and extended attributes of files outside that belong
//! to the same user. The namespaces do.

mod detection;
mod error;
mod git_config;
mod kept_files;
mod level;
mod mounts;
mod named_by_config;
mod paths;
mod search_roots;
mod set_id_files;
mod settings;

pub use detection::Sandbox;
pub use error::SandboxError;
pub(crate) use kept_files::kept_name;
pub use level::SandboxLevel;
pub(crate) use named_by_config::ConfigNames;
pub use sekisho_sandbox::{Control, DirectoryId, HelperPlan, Isolation, PROXY_PORT, PlanError, PlannedDir};
pub use settings::{Links, Network, RequiredLevel, SandboxSettings, ToolSettings};

//! What this machine's files say.
//!
//! Policy is pure; this crate is where it meets a disk. It reads the config files that make up the layers, keeps the
//! record of which project files a human has trusted, edits config files without disturbing their comments, looks up the
//! facts about paths that judging asks for, and notices when a file changes.
//!
//! Where things lie ([`Locations`]) is handed in. Nothing here reads the environment or starts a process, and nothing
//! here takes a file on trust: whatever is not a readable, regular, well-formed file of sensible size makes verdicts
//! stricter, never looser.
#![forbid(unsafe_code)]

mod audit_key;
mod change;
mod compiled;
mod contents;
mod diff;
pub mod edit;
mod error;
mod facts;
mod file;
mod foreign;
mod git;
mod git_files;
mod glance;
mod globs;
mod ignore_files;
mod installation;
mod live;
mod load;
mod locations;
mod lock;
mod own;
mod published;
mod real_path;
mod search;
mod session;
mod spool;
mod stamp;
mod trust;
mod watch;

pub use audit_key::AuditKey;
pub use change::{Changed, change};
pub use compiled::{ForHook, policy_for_hook};
pub use diff::diff;
pub use error::HostError;
pub use facts::{Resolver, look_up};
pub use foreign::{Copies, Foreign};
pub use glance::{Glance, glance};
pub use installation::{FoundInstallation, Installation, Installations, Kept, Reach, Unattended};
pub use live::{LastGood, Live};
pub use load::{Loaded, Source, State, load};
pub use locations::{CONFIG_IN_PROJECT, Locations, Projects, Workspace};
pub use published::{KeptRules, Published};
pub use real_path::real_path;
pub use search::Bound;
pub use session::{HookSession, SaidBefore};
pub use spool::{Spool, Spools};
pub use trust::{Proposal, Trust, TrustState, Trusted};
pub use watch::Watch;

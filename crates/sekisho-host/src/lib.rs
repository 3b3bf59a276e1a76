//! Access to this machine's files.
//!
//! Policy is pure; this crate connects it to a disk. It reads the config files that make up the layers,
//! records which project files a human has trusted, edits config files without disturbing their comments,
//! looks up the facts about paths that judging asks for, and notices when a file changes.
//!
//! Where files are ([`Locations`]) is passed in. Nothing here reads the environment or starts a process, and
//! no file is taken on trust: anything but a readable, regular, well-formed file of sensible size makes
//! verdicts stricter, never looser.
#![forbid(unsafe_code)]

mod audit_key_file;
mod config_change;
mod compiled_policy;
mod secret_contents;
mod diff;
pub mod config_edit;
mod error;
mod facts;
mod file_io;
mod agent_settings;
mod git;
mod git_files;
mod file_preview;
mod option_globs;
mod ignore_files;
mod installation;
mod reloading_layers;
mod layer_files;
mod locations;
mod lock;
mod self_protection;
mod published_rules;
mod real_path;
mod bounded_file_tree;
mod hook_session;
mod spool;
mod stamp;
mod trust;
mod watch;

pub use audit_key_file::AuditKeyFile;
pub use config_change::{ChangedConfig, change_config};
pub use compiled_policy::{HookPolicy, policy_for_hook};
pub use diff::diff;
pub use error::HostError;
pub use facts::{FactResolver, look_up};
pub use agent_settings::{SettingsBackups, AgentSettingsFile};
pub use file_preview::{FilePreview, preview_file};
pub use installation::{FoundInstallation, Installation, Installations, RuleDatabase, InstallScope, UnattendedTimeout};
pub use reloading_layers::{LastGoodDenies, ReloadingLayers};
pub use layer_files::{LoadedLayers, LayerFile, LayerFileState, load_layers};
pub use locations::{PROJECT_CONFIG, Locations, ProjectFiles, Workspace};
pub use published_rules::{PublishedRules, PublishedRulesFile};
pub use real_path::real_path;
pub use bounded_file_tree::SearchLimit;
pub use hook_session::{HookSession, EarlierDecision};
pub use spool::{Spool, Spools};
pub use trust::{TrustCandidate, TrustStore, TrustState, TrustRecord};
pub use watch::Watch;

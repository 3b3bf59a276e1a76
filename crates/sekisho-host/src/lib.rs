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

mod agent_settings;
mod audit_key_file;
mod bounded_file_tree;
mod bounded_git_read;
pub mod config_rule_edit;
mod config_write;
mod diff;
mod error;
mod facts;
mod file_io;
mod file_preview;
mod git;
mod glob_option_names;
mod hex;
mod hook_installation;
mod hook_policy_cache;
mod hook_session;
mod ignore_files;
mod layer_files;
mod link_target;
mod locations;
mod lock;
mod named_directory;
mod published_rules;
mod real_path;
mod reloading_layers;
mod root_identity;
mod secret_contents;
mod self_protection;
mod spool;
mod stamp;
mod trust;
mod watch;

pub use agent_settings::{AgentSettingsFile, SettingsBackups};
pub use audit_key_file::AuditKeyFile;
pub use bounded_file_tree::SearchLimit;
pub use config_write::{ChangedConfig, change_config};
pub use diff::diff;
pub use error::HostError;
pub use facts::{FactResolver, look_up};
pub use file_preview::{FilePreview, preview_file};
pub use git::{GitIdentity, user_git_identity};
pub use hook_installation::{
    FoundInstallation, InstallScope, Installation, Installations, RuleDatabase, UnattendedTimeout,
};
pub use hook_policy_cache::{HookPolicy, policy_for_hook};
pub use hook_session::{EarlierDecision, HookSession};
pub use layer_files::{LayerFile, LayerFileState, LoadedLayers, load_layers};
pub use locations::{Locations, PROJECT_CONFIG, ProjectFiles, Workspace};
pub use published_rules::{PublishedRules, PublishedRulesFile};
pub use real_path::real_path;
pub use reloading_layers::{LastGoodDenies, ReloadingLayers};
pub use spool::{Spool, Spools};
pub use trust::{TrustCandidate, TrustRecord, TrustState, TrustStore};
pub use watch::Watch;

//! Stored rules, published as a file for hooks.
//!
//! A hook never opens a database. A process that changes stored rules withdraws the published file before the
//! change and publishes again after it, so that the file always agrees with the database. After a crash in
//! between there is no file, and nothing is allowed automatically until a server has read the database again.
//!
//! A database server can be changed from other machines. Rules published from it count only while a server
//! runs on this machine, which learns of those changes; the server holds a lock to show that it runs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sekisho_policy::{BrokenLayer, Effect, Layer, LayerKind, Layers, Rule};
use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::file_io;
use crate::hook_installation::RuleDatabase;
use crate::lock::lock_file;

/// The version of the file format.
const FORMAT: u32 = 1;
/// The largest file that is read, in bytes.
const LARGEST: usize = 64 << 20;
/// How long to wait for readers of the lock; if it is held longer, a server holds it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// The name of the layer, for people.
const DATABASE: &str = "database";

/// The stored rules at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRules {
    format: u32,
    /// Grows with every change.
    pub generation: u64,
    /// Whether other machines can change them.
    pub shared: bool,
    /// The rules that apply to every call.
    pub rules: Vec<(Effect, Rule)>,
    /// The runs and conversations that have session rules, which only the server knows.
    pub sessions: Vec<String>,
}

impl PublishedRules {
    /// Rules to publish.
    pub fn new(
        generation: u64,
        shared: bool,
        rules: Vec<(Effect, Rule)>,
        sessions: Vec<String>,
    ) -> PublishedRules {
        PublishedRules { format: FORMAT, generation, shared, rules, sessions }
    }
}

/// The published rules of a state directory.
#[derive(Clone, Debug)]
pub struct PublishedRulesFile {
    file: PathBuf,
    presence: PathBuf,
}

impl PublishedRulesFile {
    /// The published rules in a state directory.
    pub fn at(state: &Path) -> PublishedRulesFile {
        PublishedRulesFile {
            file: state.join("policy/kept.json"),
            presence: state.join("policy/serving.lock"),
        }
    }

    /// The path of the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Removes the published rules. When this returns, a crash cannot bring them back.
    pub fn withdraw(&self) -> Result<(), HostError> {
        match std::fs::remove_file(&self.file) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(HostError::io(&self.file, &error)),
        }
        let directory = self.file.parent().unwrap_or(&self.file);
        File::open(directory)
            .and_then(|directory| directory.sync_all())
            .map_err(|error| HostError::io(directory, &error))
    }

    /// Replaces the published rules.
    pub fn publish(&self, rules: &PublishedRules) -> Result<(), HostError> {
        let text =
            serde_json::to_string(rules).map_err(|error| HostError::file(&self.file, error.to_string()))?;
        file_io::replace(&self.file, &text, 0o600, 0o700)
    }

    /// The published rules; `None` if nothing is published.
    pub fn read(&self) -> Result<Option<PublishedRules>, HostError> {
        let Some(text) = file_io::read(&self.file, LARGEST)? else { return Ok(None) };
        let rules: PublishedRules = serde_json::from_str(&text)
            .map_err(|error| HostError::file(&self.file, format!("{error}; restart `sekisho serve`")))?;
        match rules.format {
            FORMAT => Ok(Some(rules)),
            other => Err(HostError::file(
                &self.file,
                format!(
                    "the file has version {other}, and this sekisho supports version {FORMAT}; restart `sekisho serve`"
                ),
            )),
        }
    }

    /// Marks that a server runs on this machine, until the returned file is dropped. `None` if another server
    /// does.
    pub fn lock_as_server(&self) -> Result<Option<File>, HostError> {
        let io = |error: std::io::Error| HostError::io(&self.presence, &error);
        file_io::make_directory(self.presence.parent().unwrap_or(&self.presence), 0o700)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let held = options.open(&self.presence).map_err(io)?;
        match lock_file(&held, &self.presence, LOCK_TIMEOUT) {
            Ok(()) => Ok(Some(held)),
            Err(HostError::Busy { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a server runs on this machine. Several readers do not disturb each other: only a server holds
    /// an exclusive lock.
    pub fn is_server_running(&self) -> bool {
        let Ok(file) = File::open(&self.presence) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Adds the stored rules to the file layers. Returns the published rules if they count.
    pub(crate) fn add_to(&self, layers: &mut Layers, database: &RuleDatabase) -> Option<PublishedRules> {
        let broken = |error: String| BrokenLayer { kind: LayerKind::Database, name: DATABASE.into(), error };
        let published = match self.read() {
            Ok(Some(published)) => published,
            Ok(None) if matches!(database, RuleDatabase::File(file) if file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)) =>
            {
                return None;
            }
            Ok(None) => {
                layers.broken.push(broken(
                    "the rules stored in the database are not published; start `sekisho serve`".into(),
                ));
                return None;
            }
            Err(error) => {
                layers.broken.push(broken(error.to_string()));
                return None;
            }
        };
        let layer = |rules| Layer::from_rules(LayerKind::Database, DATABASE, rules);
        match layer(published.rules.clone()) {
            Ok(layer) => layers.loaded.push(layer),
            // Each rule by itself: valid ones still count, and each invalid one marks the layer as broken.
            Err(_) => {
                for rule in &published.rules {
                    match layer(vec![rule.clone()]) {
                        Ok(layer) => layers.loaded.push(layer),
                        Err(error) => layers.broken.push(broken(error.to_string())),
                    }
                }
            }
        }
        Some(published)
    }
}

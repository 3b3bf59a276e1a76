//! Rules kept in a database, published for hooks.
//!
//! A hook never opens a database. Whoever changes kept rules withdraws what was published before the change and publishes
//! anew after it, so that what is there is what the database says; if something crashes in between, nothing is there, and
//! nothing is allowed automatically until a server has read the database again.
//!
//! A database on a server can be changed from other machines. What was published of it counts only while a server of this
//! machine runs, which hears of such changes; the server holds a lock to say so.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sekisho_policy::{BrokenLayer, Effect, Layer, LayerKind, Layers, Rule};
use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::file_io;
use crate::installation::RuleDatabase;
use crate::lock::lock_file;

/// The form of the file.
const FORMAT: u32 = 1;
/// The longest file that is read.
const LARGEST: usize = 64 << 20;
/// How long those who look are waited for; one who holds on longer is a server.
const PATIENCE: Duration = Duration::from_secs(1);
/// What people call the layer.
const DATABASE: &str = "database";

/// The kept rules at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRules {
    format: u32,
    /// Grows with every change.
    pub generation: u64,
    /// Others can change them without this machine's doing.
    pub shared: bool,
    /// Those that apply to every call.
    pub rules: Vec<(Effect, Rule)>,
    /// The runs and conversations that have rules of their own, which only the server knows.
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

/// The kept rules that were published in a state directory.
#[derive(Clone, Debug)]
pub struct PublishedRulesFile {
    file: PathBuf,
    presence: PathBuf,
}

impl PublishedRulesFile {
    /// Those of a state directory.
    pub fn at(state: &Path) -> PublishedRulesFile {
        PublishedRulesFile {
            file: state.join("policy/kept.json"),
            presence: state.join("policy/serving.lock"),
        }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Takes back what was published. When this returns, no crash brings it back.
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

    /// Puts rules in the place of what was published.
    pub fn publish(&self, rules: &PublishedRules) -> Result<(), HostError> {
        let text =
            serde_json::to_string(rules).map_err(|error| HostError::file(&self.file, error.to_string()))?;
        file_io::replace(&self.file, &text, 0o600, 0o700)
    }

    /// What is published; `None`: nothing is.
    pub fn read(&self) -> Result<Option<PublishedRules>, HostError> {
        let Some(text) = file_io::read(&self.file, LARGEST)? else { return Ok(None) };
        let rules: PublishedRules = serde_json::from_str(&text)
            .map_err(|error| HostError::file(&self.file, format!("{error}; start `sekisho serve` anew")))?;
        match rules.format {
            FORMAT => Ok(Some(rules)),
            other => Err(HostError::file(
                &self.file,
                format!("it is of form {other}, and this sekisho knows {FORMAT}; start `sekisho serve` anew"),
            )),
        }
    }

    /// Says that a server of this machine runs, until the file that is given is dropped. `None`: another one says so.
    pub fn lock_as_server(&self) -> Result<Option<File>, HostError> {
        let io = |error: std::io::Error| HostError::io(&self.presence, &error);
        file_io::make_directory(self.presence.parent().unwrap_or(&self.presence), 0o700)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let held = options.open(&self.presence).map_err(io)?;
        match lock_file(&held, &self.presence, PATIENCE) {
            Ok(()) => Ok(Some(held)),
            Err(HostError::Busy { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a server of this machine runs. Those who look do not get in each other's way: only a server holds the lock
    /// for itself.
    pub fn is_server_running(&self) -> bool {
        let Ok(file) = File::open(&self.presence) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Adds the kept rules to the layers of files. Gives the published form, where it counts.
    pub(crate) fn add_to(&self, layers: &mut Layers, database: &RuleDatabase) -> Option<PublishedRules> {
        let broken = |error: String| BrokenLayer { kind: LayerKind::Database, name: DATABASE.into(), error };
        let kept = match self.read() {
            Ok(Some(kept)) => kept,
            Ok(None) if matches!(database, RuleDatabase::File(file) if file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)) =>
            {
                return None;
            }
            Ok(None) => {
                layers.broken.push(broken(
                    "the rules kept in the database are not known here; start `sekisho serve`".into(),
                ));
                return None;
            }
            Err(error) => {
                layers.broken.push(broken(error.to_string()));
                return None;
            }
        };
        let layer = |rules| Layer::from_rules(LayerKind::Database, DATABASE, rules);
        match layer(kept.rules.clone()) {
            Ok(layer) => layers.loaded.push(layer),
            // Each by itself: those that hold still count, and each that does not makes the layer one that is not whole.
            Err(_) => {
                for rule in &kept.rules {
                    match layer(vec![rule.clone()]) {
                        Ok(layer) => layers.loaded.push(layer),
                        Err(error) => layers.broken.push(broken(error.to_string())),
                    }
                }
            }
        }
        Some(kept)
    }
}

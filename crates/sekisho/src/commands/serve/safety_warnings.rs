//! Finds what is unsafe about a configuration.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_host::{LayerFileState, LoadedLayers};
use sekisho_policy::lint::{FindingLevel, lint};
use sekisho_policy::{LayerKind, shipped_layers};
use sekisho_server::Warning;

use crate::settings::{Database, ServerConfig, Settings};
use crate::terminal::shorten_path;

/// A file or directory with its owner and mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileOwnership {
    /// The path for display.
    pub(crate) shown: String,
    pub(crate) uid: u32,
    pub(crate) mode: u32,
}

impl FileOwnership {
    /// Reads owner and mode; `None` if the file does not exist.
    pub(crate) fn look(path: &Path, home: Option<&Path>) -> Option<FileOwnership> {
        let metadata = path.metadata().ok()?;
        let shown = shorten_path(&path.to_string_lossy(), home);
        Some(FileOwnership { shown, uid: metadata.uid(), mode: metadata.mode() & 0o7777 })
    }
}

/// Whether anyone else can write to it: by its mode, or as its owner. Root can write anyway.
pub(crate) fn is_writable_by_others(owned: &FileOwnership, me: u32) -> bool {
    let foreign = owned.uid != me && owned.uid != 0;
    // In a directory like /tmp, the sticky bit keeps users from touching each other's files.
    let open = owned.mode & 0o022 != 0 && owned.mode & 0o1000 == 0;
    foreign || open
}

/// What the warnings are computed from.
#[derive(Clone, Debug)]
pub(super) struct SafetyInputs {
    pub(super) me: u32,
    /// Directories that only we may write: of the state and of the socket.
    pub(super) directories: Vec<FileOwnership>,
    /// Files that only we may write.
    pub(super) configs: Vec<FileOwnership>,
    /// Files that only we may read.
    pub(super) private: Vec<FileOwnership>,
    /// Lint findings at danger level, and files that do not load.
    pub(super) policy: Vec<Warning>,
}

impl SafetyInputs {
    /// Collects the inputs from this machine.
    pub(super) fn look(settings: &Settings, serving: &ServerConfig, loaded: &[LoadedLayers]) -> SafetyInputs {
        let home = settings.locations.home.as_deref();
        let owned =
            |paths: Vec<PathBuf>| paths.iter().filter_map(|path| FileOwnership::look(path, home)).collect();
        let beside = serving.socket.iter().filter_map(|socket| Some(socket.parent()?.to_path_buf()));
        let mut directories: Vec<PathBuf> =
            std::iter::once(settings.locations.state.clone()).chain(beside).collect();
        directories.dedup();
        let mut private: Vec<PathBuf> = serving.tls.iter().map(|tls| tls.key.clone()).collect();
        if matches!(settings.database, Database::Postgres(_)) {
            // It contains the database URL with its password.
            private.push(settings.server_config_path.clone());
        }
        SafetyInputs {
            me: rustix::process::geteuid().as_raw(),
            directories: owned(directories),
            configs: owned(vec![settings.locations.global.clone(), settings.server_config_path.clone()]),
            private: owned(private),
            policy: loaded.iter().flat_map(|loaded| of_policy(loaded, home)).collect(),
        }
    }
}

/// The warnings. `somebody_answers`: there is a token or a link of somebody who can answer.
pub(super) fn safety_warnings(
    serving: &ServerConfig,
    seen: &SafetyInputs,
    somebody_answers: bool,
) -> Vec<Warning> {
    let mut found = Vec::new();
    if !serving.asks {
        found.push(Warning::QuestionsOff);
    }
    if !serving.listen.is_loopback() && !serving.is_https() {
        found.push(Warning::NoTls { address: serving.listen.to_string() });
    }
    if serving.no_approvers {
        found.push(Warning::NoApprovers);
    } else if !somebody_answers {
        found.push(Warning::NobodyAnswers);
    }
    if seen.me == 0 {
        found.push(Warning::RunsAsRoot);
    }
    for directory in seen.directories.iter().filter(|directory| is_writable_by_others(directory, seen.me)) {
        found.push(Warning::DirectoryWritable { path: directory.shown.clone() });
    }
    for config in seen.configs.iter().filter(|config| is_writable_by_others(config, seen.me)) {
        found.push(Warning::ConfigWritable { path: config.shown.clone() });
    }
    for file in seen.private.iter().filter(|file| file.mode & 0o077 != 0) {
        found.push(Warning::SecretReadable { path: file.shown.clone() });
    }
    found.extend(seen.policy.iter().cloned());
    let mut distinct: Vec<Warning> = Vec::new();
    for one in found {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// Files that do not load, and rules that allow too much.
fn of_policy(loaded: &LoadedLayers, home: Option<&Path>) -> Vec<Warning> {
    let mut found = Vec::new();
    for source in &loaded.sources {
        if let LayerFileState::Broken(error) = &source.state {
            let error = error.to_string();
            found.push(match source.kind {
                LayerKind::Project => Warning::ProjectBroken { error },
                _ => Warning::ConfigBroken { error },
            });
        }
    }
    found.extend(loaded.problems.iter().map(|problem| Warning::Other { message: problem.clone() }));
    let mut layers = loaded.layers.loaded.clone();
    layers.extend(shipped_layers(&loaded.layers.loaded));
    for finding in
        lint(&layers, Timestamp::now()).iter().filter(|finding| finding.level == FindingLevel::Danger)
    {
        let place = format!("{}:{}", shorten_path(&finding.at.source, home), finding.at.line);
        found.push(Warning::WideRule { place, message: finding.message.to_string() });
    }
    found
}

#[cfg(test)]
mod tests;

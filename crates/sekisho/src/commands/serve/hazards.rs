//! What is unsafe about a configuration.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_host::{Loaded, State};
use sekisho_policy::lint::{Level, lint};
use sekisho_policy::{Builtin, LayerKind, built_in};
use sekisho_server::Warning;

use crate::settings::{Database, Serving, Settings};
use crate::terminal::short;

/// A file or directory and who may do what with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owned {
    /// As people read it.
    pub(crate) shown: String,
    pub(crate) uid: u32,
    pub(crate) mode: u32,
}

impl Owned {
    /// Looks at one; `None` where there is none.
    pub(crate) fn look(path: &Path, home: Option<&Path>) -> Option<Owned> {
        let metadata = path.metadata().ok()?;
        let shown = short(&path.to_string_lossy(), home);
        Some(Owned { shown, uid: metadata.uid(), mode: metadata.mode() & 0o7777 })
    }
}

/// Whether others than its owner, or an owner who is not us, may write it. Root may do anything anyway.
pub(crate) fn may_others_write(owned: &Owned, me: u32) -> bool {
    let foreign = owned.uid != me && owned.uid != 0;
    // A directory like /tmp, where nobody may touch what belongs to another, is as good as one of our own.
    let open = owned.mode & 0o022 != 0 && owned.mode & 0o1000 == 0;
    foreign || open
}

/// What there is to look at.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) me: u32,
    /// Directories that must be ours alone: of the state, of the socket.
    pub(super) directories: Vec<Owned>,
    /// Files that only we may write.
    pub(super) configs: Vec<Owned>,
    /// Files that only we may read.
    pub(super) private: Vec<Owned>,
    /// What lint calls a danger, and which files do not load.
    pub(super) policy: Vec<Warning>,
}

impl Seen {
    /// Looks at this machine.
    pub(super) fn look(settings: &Settings, serving: &Serving, loaded: &[Loaded]) -> Seen {
        let home = settings.locations.home.as_deref();
        let owned = |paths: Vec<PathBuf>| paths.iter().filter_map(|path| Owned::look(path, home)).collect();
        let beside = serving.socket.iter().filter_map(|socket| Some(socket.parent()?.to_path_buf()));
        let mut directories: Vec<PathBuf> =
            std::iter::once(settings.locations.state.clone()).chain(beside).collect();
        directories.dedup();
        let mut private: Vec<PathBuf> = serving.tls.iter().map(|tls| tls.key.clone()).collect();
        if matches!(settings.database, Database::Postgres(_)) {
            // The address of a database is there, with its password.
            private.push(settings.server_config.clone());
        }
        Seen {
            me: rustix::process::geteuid().as_raw(),
            directories: owned(directories),
            configs: owned(vec![settings.locations.global.clone(), settings.server_config.clone()]),
            private: owned(private),
            policy: loaded.iter().flat_map(|loaded| of_policy(loaded, home)).collect(),
        }
    }
}

/// What is unsafe. `somebody_answers`: there is a token, or a link, of somebody who could.
pub(super) fn hazards(serving: &Serving, seen: &Seen, somebody_answers: bool) -> Vec<Warning> {
    let mut found = Vec::new();
    if !serving.asks {
        found.push(Warning::QuestionsOff);
    }
    if !serving.listen.is_loopback() && !serving.secure() {
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
    for directory in seen.directories.iter().filter(|directory| may_others_write(directory, seen.me)) {
        found.push(Warning::DirectoryWritable { path: directory.shown.clone() });
    }
    for config in seen.configs.iter().filter(|config| may_others_write(config, seen.me)) {
        found.push(Warning::ConfigWritable { path: config.shown.clone() });
    }
    for file in seen.private.iter().filter(|file| file.mode & 0o077 != 0) {
        found.push(Warning::SecretReadable { path: file.shown.clone() });
    }
    found.extend(seen.policy.iter().cloned());
    let mut told: Vec<Warning> = Vec::new();
    for one in found {
        if !told.contains(&one) {
            told.push(one);
        }
    }
    told
}

/// Files that do not load, and rules that allow what nobody can oversee.
fn of_policy(loaded: &Loaded, home: Option<&Path>) -> Vec<Warning> {
    let mut found = Vec::new();
    for source in &loaded.sources {
        if let State::Broken(error) = &source.state {
            let error = error.to_string();
            found.push(match source.kind {
                LayerKind::Project => Warning::ProjectBroken { error },
                _ => Warning::ConfigBroken { error },
            });
        }
    }
    found.extend(loaded.problems.iter().map(|problem| Warning::Other { message: problem.clone() }));
    let mut layers = loaded.layers.loaded.clone();
    let builtin = layers.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or(Builtin::Full);
    layers.extend(built_in(builtin));
    for finding in lint(&layers, Timestamp::now()).iter().filter(|finding| finding.level == Level::Danger) {
        let place = format!("{}:{}", short(&finding.at.source, home), finding.at.line);
        found.push(Warning::WideRule { place, message: finding.message.to_string() });
    }
    found
}

#[cfg(test)]
mod tests;

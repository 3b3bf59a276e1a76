//! What is unsafe about a configuration, one sentence each with the way out.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_host::{Loaded, State};
use sekisho_policy::lint::{Level, lint};
use sekisho_policy::{Builtin, LayerKind, built_in};

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

/// Whether others than its owner, or an owner who is not us, may write it. Root may everything anyway.
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
    pub(super) policy: Vec<String>,
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
pub(super) fn hazards(serving: &Serving, seen: &Seen, somebody_answers: bool) -> Vec<String> {
    let mut found = Vec::new();
    if !serving.asks {
        found.push(
            "questions are off (`TOOL_APPROVAL_ENABLED` is `false`): what would be asked runs; set it to `true`".to_owned(),
        );
    }
    if !serving.listen.is_loopback() && !serving.secure() {
        found.push(format!(
            "{} can be reached from other machines without TLS: tokens and questions can be read on the way; give `--tls-cert` and `--tls-key`, or `--public-url https://…` of a proxy",
            serving.listen
        ));
    }
    if serving.no_approvers {
        found.push("nobody can answer (`--no-approvers`): every question is a no".to_owned());
    } else if !somebody_answers {
        found.push("nobody can answer: every question is a no; run `sekisho token link --role approver --name phone`".to_owned());
    }
    if seen.me == 0 {
        found.push(
            "it runs as root: whoever breaks it has the machine; start it as a user of its own".to_owned(),
        );
    }
    for directory in seen.directories.iter().filter(|directory| may_others_write(directory, seen.me)) {
        found.push(format!(
            "others may write in {0}: they could replace what lies there; `chmod 700 {0}`",
            directory.shown
        ));
    }
    for config in seen.configs.iter().filter(|config| may_others_write(config, seen.me)) {
        found.push(format!(
            "others may write {0}, and so decide what is allowed; `chmod 600 {0}`",
            config.shown
        ));
    }
    for file in seen.private.iter().filter(|file| file.mode & 0o077 != 0) {
        found.push(format!("others may read {0}, and a secret is in it; `chmod 600 {0}`", file.shown));
    }
    found.extend(seen.policy.iter().cloned());
    let mut told = std::collections::BTreeSet::new();
    found.retain(|one| told.insert(one.clone()));
    found
}

/// Files that do not load, and rules that allow what nobody can oversee.
fn of_policy(loaded: &Loaded, home: Option<&Path>) -> Vec<String> {
    let mut found = Vec::new();
    for source in &loaded.sources {
        if let State::Broken(error) = &source.state {
            let then = match source.kind {
                LayerKind::Project => "every call in that project is asked about",
                _ => "everything is denied",
            };
            found.push(format!("{error}: until that is put right, {then}"));
        }
    }
    found.extend(loaded.problems.iter().cloned());
    let mut layers = loaded.layers.loaded.clone();
    let builtin = layers.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or(Builtin::Full);
    layers.extend(built_in(builtin));
    for finding in lint(&layers, Timestamp::now()).iter().filter(|finding| finding.level == Level::Danger) {
        let place = format!("{}:{}", short(&finding.at.source, home), finding.at.line);
        found.push(format!("{place}: {}; see `sekisho rules lint`", finding.message));
    }
    found
}

#[cfg(test)]
mod tests;

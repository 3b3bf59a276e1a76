//! Config and environment that keep git from running other programs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::arguments::GitAction;
use super::pattern_files::PatternFiles;

/// The largest number of drivers and hooks in a config.
const MAX_DRIVERS: usize = 256;
/// A file that is empty and cannot be executed.
const NOTHING: &str = "/dev/null";

/// Config that takes precedence over the repository's.
const CONFIG: &[(&str, &str)] = &[
    // Programs.
    ("core.alternateRefsCommand", ""),
    ("core.askPass", NOTHING),
    ("core.editor", NOTHING),
    ("core.fsmonitor", "false"),
    ("core.gitProxy", ""),
    ("core.hooksPath", NOTHING),
    ("core.pager", "cat"),
    ("core.sshCommand", NOTHING),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("gpg.format", "openpgp"),
    ("gpg.program", NOTHING),
    ("gpg.openpgp.program", NOTHING),
    ("gpg.ssh.defaultKeyCommand", ""),
    ("gpg.ssh.program", NOTHING),
    ("gpg.x509.program", NOTHING),
    ("sequence.editor", NOTHING),
    // What would start them, or another git.
    ("branch.sort", "refname"),
    ("checkout.workers", "1"),
    ("commit.gpgSign", "false"),
    ("core.untrackedCache", "false"),
    ("diff.autoRefreshIndex", "false"),
    ("diff.ignoreSubmodules", "dirty"),
    ("diff.submodule", "short"),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("log.diffMerges", "separate"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("merge.verifySignatures", "false"),
    ("protocol.allow", "never"),
    ("protocol.ext.allow", "never"),
    ("protocol.file.allow", "never"),
    ("rerere.enabled", "false"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("tag.gpgSign", "false"),
    ("tag.sort", "refname"),
    // No author is made up from the names of user and machine.
    ("user.useConfigOnly", "true"),
    // Files elsewhere.
    ("commit.template", NOTHING),
    ("diff.orderFile", NOTHING),
    ("mailmap.file", NOTHING),
    // Otherwise git sets the set-group-ID bit of new directories, which the sandbox refuses. They inherit it anyway.
    ("core.sharedRepository", "umask"),
    // Names in the work tree that another system reads as `.git`.
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    // A form of output that does not depend on the config.
    ("advice.detachedHead", "false"),
    ("color.ui", "false"),
    ("column.ui", "never"),
    ("commit.cleanup", "whitespace"),
    ("commit.status", "false"),
    ("commit.verbose", "false"),
    ("core.quotePath", "false"),
    ("format.pretty", "medium"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
];

/// The whole environment, without config and directories.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ASKPASS", NOTHING),
    ("GIT_CONFIG_GLOBAL", NOTHING),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_EDITOR", NOTHING),
    // Git starts itself for submodules, lazy fetches and maintenance. Here it cannot find itself.
    ("GIT_EXEC_PATH", NOTHING),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_SSH_COMMAND", NOTHING),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
    ("PATH", NOTHING),
    ("SSH_ASKPASS", NOTHING),
];

/// The environment of every invocation.
pub(super) fn environment(writes: bool) -> Vec<(OsString, OsString)> {
    let pair = |(name, value): &(&str, &str)| (OsString::from(*name), OsString::from(*value));
    let mut all: Vec<_> = ENVIRONMENT.iter().map(pair).collect();
    if !writes {
        all.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
    }
    all
}

/// The drivers and hooks that a repository's config defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Drivers {
    filters: BTreeSet<Vec<u8>>,
    merges: BTreeSet<Vec<u8>>,
    hooks: BTreeSet<Vec<u8>>,
}

impl Drivers {
    /// Reads the names of all config keys, each ending with a NUL, as git itself lists them. `filters`: those that git
    /// does not list. `None` if there are too many, or a name cannot be given to git.
    pub(super) fn read(listed: &[u8], filters: &BTreeSet<Vec<u8>>) -> Option<Drivers> {
        let mut drivers = Drivers { filters: filters.clone(), ..Drivers::default() };
        // Usually defined in the user's config, which may be one that is not known here.
        drivers.filters.insert(b"lfs".to_vec());
        for key in listed.split(|byte| *byte == 0).filter(|key| !key.is_empty()) {
            let (section, name) = match between_dots(key) {
                Some(parts) => parts,
                None => continue,
            };
            let names = match section {
                b"filter" => &mut drivers.filters,
                b"merge" => &mut drivers.merges,
                b"hook" => &mut drivers.hooks,
                _ => continue,
            };
            if name.contains(&b'\n') {
                return None;
            }
            names.insert(name.to_vec());
        }
        let count = drivers.filters.len() + drivers.merges.len() + drivers.hooks.len();
        (count <= MAX_DRIVERS).then_some(drivers)
    }
}

/// Section and subsection of a key with three parts.
fn between_dots(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = key.iter().position(|byte| *byte == b'.')?;
    let last = key.iter().rposition(|byte| *byte == b'.')?;
    Some((key.get(..first)?, key.get(first + 1..last)?))
}

/// Config as environment variables. A name may contain any character there, even `=`.
pub(super) fn config(
    action: &GitAction,
    drivers: &Drivers,
    patterns: &PatternFiles,
) -> Vec<(OsString, OsString)> {
    let mut keys: Vec<(Vec<u8>, OsString)> =
        CONFIG.iter().map(|(key, value)| (key.as_bytes().to_vec(), OsString::from(value))).collect();
    for (key, file) in
        [("core.attributesFile", &patterns.attributes), ("core.excludesFile", &patterns.excludes)]
    {
        let file = file.as_ref().map_or_else(|| OsString::from(NOTHING), |file| file.clone().into());
        keys.push((key.as_bytes().to_vec(), file));
    }
    let mut add = |section: &str, name: &[u8], variable: &str, value: &str| {
        keys.push(([section.as_bytes(), b".", name, b".", variable.as_bytes()].concat(), value.into()));
    };
    for name in &drivers.filters {
        for variable in ["clean", "smudge", "process"] {
            add("filter", name, variable, "");
        }
        // A required filter without a program makes git fail instead of storing unfiltered contents.
        let stores = matches!(action, GitAction::Add { .. });
        add("filter", name, "required", if stores { "true" } else { "false" });
    }
    drivers.merges.iter().for_each(|name| add("merge", name, "driver", ""));
    drivers.hooks.iter().for_each(|name| add("hook", name, "enabled", "false"));
    let mut pairs = vec![("GIT_CONFIG_COUNT".into(), keys.len().to_string().into())];
    for (at, (key, value)) in keys.into_iter().enumerate() {
        pairs.push((format!("GIT_CONFIG_KEY_{at}").into(), OsString::from_vec(key)));
        pairs.push((format!("GIT_CONFIG_VALUE_{at}").into(), value));
    }
    pairs
}

//! Whether an opened file is the one that was judged, and which files below a directory are secret.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use sekisho_policy::{
    ContentCheck, Facts, FileSecrecy, MAX_CHECKED_BYTES, Policy, ProtectedNameFilter, Protection,
    text_secrecy,
};

use super::opened_path::OpenedPath;
use super::shown_bytes::shown_os;
use crate::input_fields::shown;
use crate::permitted_call::PermittedCall;
use crate::tool_result::ToolResult;

/// Which files a call may read.
#[derive(Clone, Copy)]
pub struct ReadGuard<'a> {
    /// The policy in force; it has the protected paths.
    pub policy: &'a Policy,
    /// The home directory, for patterns that begin with `~`.
    pub home: Option<&'a str>,
    /// A human approved this call with exactly this input.
    pub approved_by_human: bool,
    /// What the gate looked up about the call's paths.
    pub judged: &'a Facts,
}

impl<'a> ReadGuard<'a> {
    /// The guard of a permitted call.
    pub(crate) fn new(call: &'a PermittedCall, policy: &'a Policy, home: Option<&'a Path>) -> ReadGuard<'a> {
        ReadGuard {
            policy,
            home: home.and_then(Path::to_str),
            approved_by_human: call.approval().is_some(),
            judged: call.facts(),
        }
    }

    /// Checks that an opened path is the one that was judged, and that it is not protected unless a human
    /// approved just that. `file` has its contents, if it is a file.
    pub(crate) fn admit(
        &self,
        root: &'a Path,
        named: &Path,
        opened: &OpenedPath,
        file: Option<&File>,
    ) -> Result<AccessScope<'a>, ToolResult> {
        let real = opened.real_path();
        let judged = named.to_str().and_then(|named| self.judged.resolved(named));
        if judged.is_some_and(|judged| Path::new(judged) != real) {
            return Err(ToolResult::error(format!(
                "'{}' leads to another file than when the call was judged. Try again.",
                shown_os(named.as_os_str())
            )));
        }
        let scope =
            AccessScope { policy: self.policy, home: self.home, root: text_of(root), granted: Vec::new() };
        let mut granted = Vec::new();
        for path in [named, real] {
            let path = path.to_string_lossy();
            for protection in self.policy.protections(&path, Some(&scope.root), self.home) {
                if is_harmless(&protection, file, Caller::NamesTheFile) {
                    continue;
                }
                if !self.approved_by_human || judged.is_none() {
                    return Err(refused(named, &protection));
                }
                granted.push(protection.pattern.to_owned());
            }
        }
        Ok(AccessScope { granted, ..scope })
    }
}

fn refused(named: &Path, protection: &Protection<'_>) -> ToolResult {
    ToolResult::error(format!(
        "Path '{}' is protected ({}) and needs the approval of a human.",
        shown_os(named.as_os_str()),
        shown(protection.pattern)
    ))
}

/// A directory as text, without links if it exists.
fn text_of(root: &Path) -> String {
    root.canonicalize().as_deref().unwrap_or(root).to_string_lossy().into_owned()
}

/// What a call may read below the path that it names.
pub(crate) struct AccessScope<'a> {
    policy: &'a Policy,
    home: Option<&'a str>,
    root: String,
    /// The patterns that protect the path itself. A human approved reading it, so they do not count below.
    granted: Vec<String>,
}

impl AccessScope<'_> {
    /// The check of the files below. Each thread has its own.
    pub(crate) fn secret_files(&self) -> SecretFiles<'_> {
        SecretFiles { scope: self, names: self.policy.protected_names() }
    }
}

/// Finds secret files among those of a search.
pub(crate) struct SecretFiles<'a> {
    scope: &'a AccessScope<'a>,
    names: ProtectedNameFilter<'a>,
}

impl SecretFiles<'_> {
    /// Whether everything below a directory is secret. `path` is below `start`, in a directory that is not secret.
    pub(crate) fn has_directory(&self, start: &Path, path: &Path, name: &OsStr) -> bool {
        self.protects(start, path, name, |one| one.is_secret() && one.contents() == ContentCheck::NotNeeded)
    }

    /// Whether a file is secret. `path` is below `start`, in a directory that is not secret.
    pub(crate) fn has_file(&self, start: &Path, path: &Path, name: &OsStr, file: &File) -> bool {
        self.protects(start, path, name, |one| !is_harmless(one, Some(file), Caller::Searches))
    }

    fn protects(
        &self,
        start: &Path,
        path: &Path,
        name: &OsStr,
        counts: impl Fn(&Protection<'_>) -> bool,
    ) -> bool {
        if !self.names.may_protect(&name.to_string_lossy()) {
            return false;
        }
        let AccessScope { policy, home, root, granted } = self.scope;
        let mut found = policy.protections(&start.join(path).to_string_lossy(), Some(root), *home);
        found.any(|one| counts(&one) && !granted.iter().any(|granted| granted == one.pattern))
    }
}

/// How a file is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    NamesTheFile,
    Searches,
}

/// Whether a protection does not stand, because of what the file contains or how it is reached.
fn is_harmless(protection: &Protection<'_>, file: Option<&File>, caller: Caller) -> bool {
    match (protection.contents(), caller) {
        (ContentCheck::NotNeeded, Caller::NamesTheFile) => false,
        // Files that only control what runs may be shown by a search.
        (ContentCheck::NotNeeded, Caller::Searches) => !protection.is_secret(),
        (ContentCheck::CredentialsInSearch, Caller::NamesTheFile) => false,
        (contents, _) => file
            .and_then(beginning)
            .is_some_and(|text| text_secrecy(&text, contents) == FileSecrecy::NoSecret),
    }
}

/// The whole text of a file that is small enough to be checked. The file's position stays.
fn beginning(file: &File) -> Option<String> {
    let limit = usize::try_from(MAX_CHECKED_BYTES).ok()?;
    let mut bytes = vec![0; limit + 1];
    let mut length = 0;
    loop {
        let read = file.read_at(bytes.get_mut(length..)?, length as u64).ok()?;
        if read == 0 {
            break;
        }
        length += read;
        if length > limit {
            return None;
        }
    }
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}

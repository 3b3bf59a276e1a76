//! The policy that counts for a hook: compiled once, read by every start that follows.
//!
//! A hook lives for a fraction of a millisecond, and reading and compiling every layer would be most of it. So whoever
//! compiles a policy keeps it, together with the stamps of every file it was made of and of every file that was not there;
//! a start that finds the same stamps takes it as it is. Anything else is compiled anew.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_policy::{Layers, Policy};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::file_io;
use crate::installation::{Installation, RuleDatabase};
use crate::layer_files::load_layers;
use crate::locations::{ProjectFiles, Workspace};
use crate::published_rules::PublishedRulesFile;
use crate::stamp::{Stamp, stamp};

/// A file whose stamp is younger than this, in seconds, could change once more without its stamp changing.
const TOO_YOUNG: i64 = 2;

/// The policy for a hook's call.
pub struct HookPolicy {
    /// Ready to judge.
    pub policy: Policy,
    /// The generation of the kept rules in it; 0: there are none.
    pub generation: u64,
    /// Its kept rules can be changed from other machines.
    pub shared: bool,
    /// The runs and conversations that have rules of their own, which only the server knows.
    pub sessions: Vec<String>,
    /// It was compiled before, and nothing has changed since.
    pub from_cache: bool,
}

/// What stands behind the policy in its file, with its own length at the very end: so the policy is used where it was read.
#[derive(Serialize, Deserialize)]
struct CacheTrailer {
    stamps: Vec<Option<[i64; 6]>>,
    generation: u64,
    shared: bool,
    sessions: Vec<String>,
}

/// The policy that counts in a workspace, as the installation of a hook pins it.
pub fn policy_for_hook(installation: &Installation, workspace: &Workspace) -> HookPolicy {
    let published = PublishedRulesFile::at(&installation.locations.state);
    let files = files(installation, workspace, &published);
    // Stamped before they are read: what changes in between does not count as read.
    let stamps: Vec<Option<[i64; 6]>> = files.iter().map(|file| written(&stamp(file))).collect();
    let place = cache_path(installation, &files);
    if let Some(found) = read(&place, &stamps) {
        return found;
    }
    let mut layers: Layers = load_layers(&installation.locations, workspace).layers;
    let kept = published.add_to(&mut layers, &installation.database);
    let whole = layers.broken.is_empty();
    let made = HookPolicy {
        policy: Policy::compile(layers),
        generation: kept.as_ref().map_or(0, |kept| kept.generation),
        shared: kept.as_ref().is_some_and(|kept| kept.shared),
        sessions: kept.map(|kept| kept.sessions).unwrap_or_default(),
        from_cache: false,
    };
    if whole && !stamps.iter().flatten().any(is_young) {
        // Only speed is lost where it cannot be kept.
        let _ = write_cache(&place, stamps, &made);
    }
    made
}

/// Every file the policy depends on, whether it is there or not.
fn files(installation: &Installation, workspace: &Workspace, published: &PublishedRulesFile) -> Vec<PathBuf> {
    let mut files = installation.locations.files();
    files.extend(ProjectFiles::of(workspace).files().iter().cloned());
    files.push(published.file().to_path_buf());
    if let RuleDatabase::File(database) = &installation.database {
        // While nothing is published it matters whether there is a database; afterwards its every write would not.
        if stamp(published.file()).is_err() {
            files.push(database.clone());
        }
    }
    files
}

/// Where the policy made of these files is kept.
fn cache_path(installation: &Installation, files: &[PathBuf]) -> PathBuf {
    let mut hash = Sha256::new();
    for path in files {
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update([0]);
    }
    for door in &installation.locations.doors {
        hash.update(door);
        hash.update([0]);
    }
    hash.update([u8::from(installation.locations.global_is_named)]);
    let name: String = hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    installation.locations.state.join("policy").join(format!("{name}.compiled"))
}

/// A stamp as it is kept. What is not there is nothing; what cannot be looked at is like no stamp that was ever kept.
fn written(stamp: &Stamp) -> Option<[i64; 6]> {
    match stamp {
        Ok(stamp) => Some(*stamp),
        Err(ErrorKind::NotFound) => None,
        Err(_) => Some([-1; 6]),
    }
}

fn is_young(stamp: &[i64; 6]) -> bool {
    let now = Timestamp::now().as_second();
    let [modified, _, changed, ..] = stamp;
    now.saturating_sub((*modified).max(*changed)) < TOO_YOUNG
}

fn read(place: &Path, stamps: &[Option<[i64; 6]>]) -> Option<HookPolicy> {
    let mut bytes = std::fs::read(place).ok()?;
    let (rest, length) = bytes.split_last_chunk::<4>()?;
    let start = rest.len().checked_sub(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let head: CacheTrailer = serde_json::from_slice(rest.get(start..)?).ok()?;
    if head.stamps != stamps {
        return None;
    }
    bytes.truncate(start);
    let policy = Policy::from_bytes(bytes).ok()?;
    Some(HookPolicy {
        policy,
        generation: head.generation,
        shared: head.shared,
        sessions: head.sessions,
        from_cache: true,
    })
}

fn write_cache(
    place: &Path,
    stamps: Vec<Option<[i64; 6]>>,
    made: &HookPolicy,
) -> Result<(), crate::HostError> {
    let head = CacheTrailer {
        stamps,
        generation: made.generation,
        shared: made.shared,
        sessions: made.sessions.clone(),
    };
    let fault = |error: String| crate::HostError::file(place, error);
    let head = serde_json::to_vec(&head).map_err(|error| fault(error.to_string()))?;
    let length = u32::try_from(head.len()).map_err(|error| fault(error.to_string()))?;
    let bytes = [made.policy.to_bytes(), head, length.to_le_bytes().to_vec()].concat();
    file_io::replace_unsynced(place, &bytes, 0o600, 0o700)
}

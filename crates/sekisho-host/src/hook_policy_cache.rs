//! The compiled policy for hooks, cached on disk.
//!
//! A hook runs for a fraction of a millisecond, and reading and compiling every layer would take most of it.
//! So the process that compiles a policy stores it, together with the stamps of all files it was made of and
//! of all files that did not exist. The next start uses it if the stamps are the same; otherwise it compiles
//! again.

use std::hash::{DefaultHasher, Hasher as _};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_policy::{Layers, Policy};
use serde::{Deserialize, Serialize};

use crate::file_io;
use crate::hook_installation::{Installation, RuleDatabase};
use crate::layer_files::load_layers;
use crate::locations::{ProjectFiles, Workspace};
use crate::published_rules::PublishedRulesFile;
use crate::stamp::{Stamp, stamp};

/// A file whose stamp is younger than this, in seconds, could change again without its stamp changing.
const TOO_YOUNG: i64 = 2;

/// The policy for a hook's call.
pub struct HookPolicy {
    /// The compiled policy.
    pub policy: Policy,
    /// The generation of the stored rules in it; 0 if there are none.
    pub generation: u64,
    /// Whether other machines can change the stored rules.
    pub shared: bool,
    /// The runs and conversations that have session rules, which only the server knows.
    pub sessions: Vec<String>,
    /// Whether it came from the cache.
    pub from_cache: bool,
}

/// The trailer of the cache file, followed by its own length at the very end, so that the policy can be used
/// in place. Between the two is what the policy depends on.
#[derive(Serialize, Deserialize)]
struct CacheTrailer {
    /// The length of the policy. The identity follows it.
    length: usize,
    stamps: Vec<Option<[i64; 6]>>,
    generation: u64,
    shared: bool,
    sessions: Vec<String>,
}

/// The policy that applies in a workspace, as pinned by the hook's installation.
pub fn policy_for_hook(installation: &Installation, workspace: &Workspace) -> HookPolicy {
    let published = PublishedRulesFile::at(&installation.locations.state);
    let files = files(installation, workspace, &published);
    // Stamped before they are read: a change in between does not count as read.
    let stamps: Vec<Option<[i64; 6]>> = files.iter().map(|file| written(&stamp(file))).collect();
    let identity = identity(installation, &files);
    let cache = cache_path(installation, &identity);
    if let Some(found) = read(&cache, &identity, &stamps) {
        return found;
    }
    let mut layers: Layers = load_layers(&installation.locations, workspace).layers;
    let stored = published.add_to(&mut layers, &installation.database);
    let complete = layers.broken.is_empty();
    let compiled = HookPolicy {
        policy: Policy::compile(layers),
        generation: stored.as_ref().map_or(0, |stored| stored.generation),
        shared: stored.as_ref().is_some_and(|stored| stored.shared),
        sessions: stored.map(|stored| stored.sessions).unwrap_or_default(),
        from_cache: false,
    };
    if complete && !stamps.iter().flatten().any(is_young) {
        // If the cache cannot be written, only speed is lost.
        let _ = write_cache(&cache, &identity, stamps, &compiled);
    }
    compiled
}

/// Every file the policy depends on, whether it exists or not.
fn files(installation: &Installation, workspace: &Workspace, published: &PublishedRulesFile) -> Vec<PathBuf> {
    let mut files = installation.locations.files();
    files.extend(ProjectFiles::of(workspace).files().iter().cloned());
    files.push(published.file().to_path_buf());
    if let RuleDatabase::File(database) = &installation.database {
        // Before anything is published it matters whether there is a database; afterwards every write to it
        // would change the stamp.
        if stamp(published.file()).is_err() {
            files.push(database.clone());
        }
    }
    files
}

/// What a cached policy depends on besides the contents of files: their paths, and settings of the installation.
fn identity(installation: &Installation, files: &[PathBuf]) -> Vec<u8> {
    let mut identity = vec![u8::from(installation.locations.global_is_named)];
    let paths = files.iter().map(|path| path.as_os_str().as_encoded_bytes());
    let doors = installation.locations.doors.iter().map(String::as_bytes);
    // An empty text separates the two: no path is empty.
    for text in paths.chain([&[][..]]).chain(doors) {
        identity.extend_from_slice(text);
        identity.push(0);
    }
    identity
}

/// The path of the cache file for an identity. Its hash is quick rather than strong: the file contains the identity,
/// so that another one with the same hash only costs a compilation.
fn cache_path(installation: &Installation, identity: &[u8]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    hasher.write(identity);
    let name = format!("{:016x}.compiled", hasher.finish());
    installation.locations.state.join("policy").join(name)
}

/// A stamp as it is stored. `None` for a file that does not exist; a file that cannot be read gets a stamp
/// that never matches.
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

fn read(path: &Path, identity: &[u8], stamps: &[Option<[i64; 6]>]) -> Option<HookPolicy> {
    let mut bytes = std::fs::read(path).ok()?;
    let (rest, length) = bytes.split_last_chunk::<4>()?;
    let start = rest.len().checked_sub(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let head: CacheTrailer = serde_json::from_slice(rest.get(start..)?).ok()?;
    let policy = rest.get(..start)?.strip_suffix(identity).filter(|policy| policy.len() == head.length)?;
    if head.stamps != stamps {
        return None;
    }
    let length = policy.len();
    bytes.truncate(length);
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
    path: &Path,
    identity: &[u8],
    stamps: Vec<Option<[i64; 6]>>,
    policy: &HookPolicy,
) -> Result<(), crate::HostError> {
    let body = policy.policy.to_bytes();
    let head = CacheTrailer {
        length: body.len(),
        stamps,
        generation: policy.generation,
        shared: policy.shared,
        sessions: policy.sessions.clone(),
    };
    let failed = |error: String| crate::HostError::file(path, error);
    let head = serde_json::to_vec(&head).map_err(|error| failed(error.to_string()))?;
    let length = u32::try_from(head.len()).map_err(|error| failed(error.to_string()))?;
    let bytes = [body.as_slice(), identity, &head, &length.to_le_bytes()].concat();
    file_io::replace_unsynced(path, &bytes, 0o600, 0o700)
}

//! Which files of a folder make up the page.
//!
//! `index.html`, other files next to it, and those in `assets`; `<file>.br` and `<file>.gz` are compressed
//! forms of a file. Links and names with a leading dot are skipped. Anything else is an error, because it
//! would be missing silently.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::content_types;

/// The page itself.
pub(crate) const INDEX: &str = "index.html";
/// The only subfolder.
const ASSETS: &str = "assets";

/// A file of the page.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name, including `assets/`.
    pub(crate) name: String,
    /// Its path.
    pub(crate) plain: PathBuf,
    /// The path of its Brotli form, if that is smaller.
    pub(crate) brotli: Option<PathBuf>,
    /// The path of its gzip form, if that is smaller.
    pub(crate) gzip: Option<PathBuf>,
    /// Its content type.
    pub(crate) kind: &'static str,
    /// Its `ETag`. It is weak: the same file in another coding is the same file.
    pub(crate) tag: String,
    /// Whether the file never changes under this name.
    pub(crate) lasting: bool,
}

/// Whether the page was built into this folder.
pub(crate) fn is_built(dist: &Path) -> bool {
    dist.join(INDEX).symlink_metadata().is_ok_and(|found| found.is_file())
}

/// The paths that cargo watches to notice that the page was built.
///
/// Cargo treats a missing path as changed each time, and would rebuild everything that depends on this crate
/// again and again. So before the first build it watches the folder in which the page will appear.
pub(crate) fn watched(dist: &Path) -> Vec<PathBuf> {
    if !dist.is_dir() {
        let above = dist.parent().filter(|above| above.is_dir());
        return vec![above.unwrap_or(dist).to_owned()];
    }
    let mut paths = vec![dist.to_owned()];
    for folder in [dist.to_owned(), dist.join(ASSETS)] {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        paths.extend(entries.map(|entry| entry.path()).filter(|path| path.is_file()));
    }
    paths
}

/// The files of a folder, by name.
pub(crate) fn read(folder: &Path) -> Result<Vec<Entry>, String> {
    let mut files = BTreeMap::new();
    collect(folder, "", &mut files)?;
    if !files.contains_key(INDEX) {
        return Err(format!("{} has no {INDEX}", folder.display()));
    }
    let names = files.keys().filter(|name| !is_compressed(name));
    names.map(|name| entry(name, &files)).collect()
}

fn collect(folder: &Path, before: &str, files: &mut BTreeMap<String, PathBuf>) -> Result<(), String> {
    let unread = |error: io::Error| format!("cannot read {}: {error}", folder.display());
    for found in folder.read_dir().map_err(unread)? {
        let found = found.map_err(unread)?;
        let (path, kind) = (found.path(), found.file_type().map_err(unread)?);
        let name = found.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || kind.is_symlink() {
            continue;
        }
        let odd = |why: &str| Err(format!("{}: {why}", path.display()));
        if kind.is_dir() {
            if !before.is_empty() || name != ASSETS {
                return odd(
                    "files of the page must be in its folder or in `assets`; no other folder is served",
                );
            }
            collect(&path, "assets/", files)?;
        } else if !kind.is_file() {
            return odd("not a regular file");
        } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
            return odd("file names may contain letters, digits, `.`, `_` and `-` only; rename it");
        } else {
            files.insert(format!("{before}{name}"), path);
        }
    }
    Ok(())
}

fn is_compressed(name: &str) -> bool {
    name.ends_with(".br") || name.ends_with(".gz")
}

fn entry(name: &str, files: &BTreeMap<String, PathBuf>) -> Result<Entry, String> {
    let Some(plain) = files.get(name) else { return Err(format!("{name} is gone")) };
    let bytes = fs::read(plain).map_err(|error| format!("cannot read {}: {error}", plain.display()))?;
    let hash: String = Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let smaller = |ending: &str| {
        let path = files.get(&format!("{name}.{ending}"))?;
        let length = path.metadata().ok()?.len();
        (1..bytes.len() as u64).contains(&length).then(|| path.clone())
    };
    Ok(Entry {
        name: name.to_owned(),
        plain: plain.clone(),
        brotli: smaller("br"),
        gzip: smaller("gz"),
        kind: content_types::content_type(name),
        tag: format!("W/\"{hash}\""),
        lasting: content_types::has_content_hash(name),
    })
}

//! Which files of a folder make up the page.
//!
//! `index.html`, other files beside it, and those in `assets`; `<file>.br` and `<file>.gz` are the same file, compressed.
//! Links and names with a dot in front are left out. Anything else would be missing without a word, so it is an error.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::content_types;

/// The page itself.
pub(crate) const INDEX: &str = "index.html";
/// The one folder there is.
const ASSETS: &str = "assets";

/// A file of the page.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name, `assets/` included.
    pub(crate) name: String,
    /// Where it lies.
    pub(crate) plain: PathBuf,
    /// Where it lies compressed, if that is smaller.
    pub(crate) brotli: Option<PathBuf>,
    /// The same, for those who only know gzip.
    pub(crate) gzip: Option<PathBuf>,
    /// Its content type.
    pub(crate) kind: &'static str,
    /// Its entity tag. A weak one: the same file in another coding is the same file.
    pub(crate) tag: String,
    /// Whether the name never means anything else.
    pub(crate) lasting: bool,
}

/// Whether the page was built into this folder.
pub(crate) fn is_built(dist: &Path) -> bool {
    dist.join(INDEX).symlink_metadata().is_ok_and(|found| found.is_file())
}

/// What to look at to notice that the page was built, or built anew.
///
/// Cargo takes a path that is not there as changed each time, and would build everything above again and again; so
/// before the first build it is told to look at the folder in which the page will appear.
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

/// The files, by name.
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
    let unread = |error: io::Error| format!("{} cannot be read: {error}", folder.display());
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
                return odd("files of the page lie in its folder or in `assets`, no other folder is served");
            }
            collect(&path, "assets/", files)?;
        } else if !kind.is_file() {
            return odd("this is no file");
        } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
            return odd("a name of the page is made of letters, digits, `.`, `_` and `-`; rename it");
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
    let bytes = fs::read(plain).map_err(|error| format!("{} cannot be read: {error}", plain.display()))?;
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

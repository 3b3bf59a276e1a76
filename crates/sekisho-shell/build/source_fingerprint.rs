//! Hashes the sources of a crate, for build scripts.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

/// Every file below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Sets a compile-time variable of this name to a hash of all files below the folders and of the version.
pub(crate) fn emit_fingerprint(variable: &str, folders: &[&Path]) -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    hasher.write(env!("CARGO_PKG_VERSION").as_bytes());
    for folder in folders {
        println!("cargo::rerun-if-changed={}", folder.display());
        for path in files_below(folder)? {
            let (name, text) = (path.strip_prefix(folder).unwrap_or(&path), fs::read(&path)?);
            for part in [name.as_os_str().as_encoded_bytes(), &text] {
                hasher.write_usize(part.len());
                hasher.write(part);
            }
        }
    }
    println!("cargo::rustc-env={variable}={:016x}", hasher.finish());
    Ok(())
}

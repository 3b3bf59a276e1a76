//! A file as it is now, for display, with a hash to recognise it later.
//!
//! The path comes from an agent, so anything may be there. Only regular files are opened, and opening never
//! blocks.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::file_io;
use crate::hex::hex;

/// The longest text that is shown, in bytes.
const SHOWN: u64 = 1 << 20;
/// The largest file that is hashed, in bytes.
const HASHED: u64 = 64 << 20;

/// What was found at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePreview {
    /// Nothing.
    Absent,
    /// A text file.
    Text {
        /// SHA-256 of its bytes, in hexadecimal.
        sha256: String,
        /// Its text.
        text: String,
    },
    /// Something that is not shown.
    NotShown {
        /// SHA-256 of its bytes, in hexadecimal, if they were read to the end.
        sha256: Option<String>,
        /// Why it is not shown.
        why: String,
    },
}

/// Reads the file at an absolute path; a link is followed, as writing to it would.
pub fn preview_file(path: &Path) -> FilePreview {
    if !path.is_absolute() {
        return unshown(None, "the path is not absolute");
    }
    // Opening a device can already have an effect, so check the type first. Opening checks again.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return unshown(None, "not a regular file");
    }
    match file_io::open(path) {
        Ok(None) => FilePreview::Absent,
        Ok(Some((file, metadata))) if metadata.len() > HASHED => {
            drop(file);
            unshown(None, format!("the file has {} bytes, more than the limit of {HASHED}", metadata.len()))
        }
        Ok(Some((file, _))) => read(file),
        Err(HostError::File { fault, .. }) => unshown(None, fault),
        Err(error) => unshown(None, error.to_string()),
    }
}

fn unshown(sha256: Option<String>, why: impl Into<String>) -> FilePreview {
    FilePreview::NotShown { sha256, why: why.into() }
}

/// Reads to the end and keeps what can be shown.
fn read(file: std::fs::File) -> FilePreview {
    let mut hash = Sha256::new();
    let mut shown = Vec::new();
    let mut length: u64 = 0;
    let mut chunk = vec![0_u8; 1 << 16];
    let mut file = file.take(HASHED + 1);
    loop {
        let read = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => chunk.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return unshown(None, crate::error::plain(&error)),
        };
        length += u64::try_from(read.len()).unwrap_or(u64::MAX);
        hash.update(read);
        if length <= SHOWN {
            shown.extend_from_slice(read);
        }
    }
    if length > HASHED {
        return unshown(None, format!("the file has more than {HASHED} bytes"));
    }
    let sha256 = hex(hash.finalize());
    if length > SHOWN {
        return unshown(
            Some(sha256),
            format!("the file has {length} bytes, more than the {SHOWN} that are shown"),
        );
    }
    match String::from_utf8(shown) {
        Ok(text) => FilePreview::Text { sha256, text },
        Err(_) => unshown(Some(sha256), "the file is not UTF-8"),
    }
}

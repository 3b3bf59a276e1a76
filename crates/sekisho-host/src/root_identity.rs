//! Reads the files of a project below its root, which is known by device and inode.
//!
//! A path can lead to another project at each use: another program may exchange a directory on the way. Then the rules
//! of one project would decide about the files of another. So the root is opened once for each reading of the rules, it
//! must be the directory that is meant, and every file is looked up from there.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::HostError;

/// A directory that need not be readable.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::empty();

/// Which directory the root of a project must be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RootIdentity {
    pub(crate) path: PathBuf,
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// The root, open.
pub(crate) struct OpenRoot<'i> {
    identity: &'i RootIdentity,
    dir: File,
}

impl RootIdentity {
    /// Opens the root. Fails if its path leads to another directory now.
    pub(crate) fn open(&self) -> Result<OpenRoot<'_>, HostError> {
        let flags = i32::try_from((OFlags::DIRECTORY | OFlags::NOFOLLOW | SEARCH).bits()).unwrap_or_default();
        let opened = File::options().read(true).custom_flags(flags).open(&self.path);
        let found = opened.and_then(|dir| Ok((dir.metadata()?, dir)));
        let (found, dir) = found.map_err(|error| HostError::io(&self.path, &error))?;
        if (found.dev(), found.ino()) == (self.device, self.inode) {
            return Ok(OpenRoot { identity: self, dir });
        }
        Err(HostError::file(
            &self.path,
            "it was exchanged for another directory; try again, and start the server again if one is running",
        ))
    }
}

impl OpenRoot<'_> {
    /// A path for a file at, below or above the root that leads through the open directory. Other paths stay.
    pub(crate) fn path_of(&self, file: &Path) -> PathBuf {
        if !cfg!(target_os = "linux") {
            return file.to_owned();
        }
        let opened = PathBuf::from(format!("/proc/self/fd/{}", self.dir.as_raw_fd()));
        let root = &self.identity.path;
        if let Ok(below) = file.strip_prefix(root) {
            return opened.join(below);
        }
        let from = |(steps, above): (usize, &Path)| {
            let below = file.strip_prefix(above).ok()?;
            let up: PathBuf = std::iter::repeat_n("..", steps).collect();
            Some(opened.join(up).join(below))
        };
        root.ancestors().enumerate().find_map(from).unwrap_or_else(|| file.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_those_of_the_root_that_is_meant() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for (name, text) in [("above/p", "own"), ("other/p", "other")] {
            fs::create_dir_all(top.join(name)).unwrap();
            fs::write(top.join(name).join("rules"), text).unwrap();
            fs::write(top.join(name).with_file_name("rules"), format!("above {text}")).unwrap();
        }
        let path = top.join("above/p");
        let found = fs::metadata(&path).unwrap();
        let identity = RootIdentity { path: path.clone(), device: found.dev(), inode: found.ino() };
        let root = identity.open().unwrap();
        let exchange = || {
            fs::rename(top.join("above"), top.join("aside")).unwrap();
            fs::rename(top.join("other"), top.join("above")).unwrap();
            fs::rename(top.join("aside"), top.join("other")).unwrap();
        };
        exchange();
        let read = |file: PathBuf| fs::read_to_string(root.path_of(&file)).unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(read(path.join("rules")), "own");
            assert_eq!(read(top.join("above/rules")), "above own");
        }
        assert_eq!(root.path_of(Path::new("relative")), Path::new("relative"));
        let error = identity.open().err().unwrap().to_string();
        assert!(error.contains("exchanged for another directory"), "{error}");
        exchange();
        assert!(identity.open().is_ok());
    }
}

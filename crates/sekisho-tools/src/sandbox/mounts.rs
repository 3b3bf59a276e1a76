//! The other paths at which a file or directory is mounted.
//!
//! A home directory may be mounted from a data disk, or a container may show the whole machine as `/host`. What is
//! hidden at one path could be read at the other.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A line of `/proc/self/mountinfo`.
#[derive(Debug)]
pub(super) struct Mount {
    /// Major and minor number.
    device: Vec<u8>,
    /// The directory of the file system that is mounted.
    root: PathBuf,
    /// Where it is mounted.
    point: PathBuf,
}

/// Reads `/proc/self/mountinfo`.
pub(super) fn parse(text: &[u8]) -> Vec<Mount> {
    let lines = text.split(|byte| *byte == b'\n');
    let mount = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(2);
        let (device, root, point) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Mount { device: device.to_vec(), root: unescaped(root), point: unescaped(point) })
    };
    lines.filter_map(mount).collect()
}

/// A path as the kernel prints it: blanks, line ends and backslashes as three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.first_chunk::<3>().filter(|_| *first == b'\\');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    PathBuf::from(OsString::from_vec(path))
}

/// The other paths of a file or directory, and of what lies in it, by the mounts alone. Another mount may cover them.
pub(super) fn other_paths(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    // Of several mounts at one place, the last one is on top.
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    let Some(own) = above.max_by_key(|mount| mount.point.components().count()) else { return Vec::new() };
    let Ok(below) = path.strip_prefix(&own.point) else { return Vec::new() };
    let inside = joined(&own.root, below);
    let other = |mount: &Mount| match inside.strip_prefix(&mount.root) {
        Ok(below) => Some(joined(&mount.point, below)),
        Err(_) => mount.root.starts_with(&inside).then(|| mount.point.clone()),
    };
    let same_device = mounts.iter().filter(|mount| mount.device == own.device);
    same_device.filter_map(other).filter(|found| found != path).collect()
}

/// Without a slash at the end, which would mean a directory.
fn joined(path: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { path.to_owned() } else { path.join(below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 8:2 / /data rw - ext4 /dev/sdb1 rw
31 22 8:2 /home /home rw - ext4 /dev/sdb1 rw
32 22 8:2 /home/ann/state/keys /mnt/the\\040keys rw - ext4 /dev/sdb1 rw
33 22 8:1 / /host rw - ext4 /dev/sda1 rw
34 22 0:5 / /home/ann/cache rw - tmpfs none rw
";

    fn check(path: &str, expected: &[&str]) {
        let mut found = other_paths(Path::new(path), &parse(MOUNTS.as_bytes()));
        found.sort();
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{path}");
    }

    #[test]
    fn every_mount_of_a_directory_is_found() {
        check("/home/ann/state", &["/data/home/ann/state", "/mnt/the keys"]);
        check("/home/ann/state/keys", &["/data/home/ann/state/keys", "/mnt/the keys"]);
        check("/home/ann/state/keys/a", &["/data/home/ann/state/keys/a", "/mnt/the keys/a"]);
        check("/data/home/bob", &["/home/bob"]);
        check("/root/.state", &["/host/root/.state"]);
        check("/home/ann/cache/x", &[]);
    }
}

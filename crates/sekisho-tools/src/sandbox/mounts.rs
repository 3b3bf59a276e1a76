//! The other paths at which a file or directory is mounted.
//!
//! A home directory may be mounted from a data disk, or a container may show the whole machine as `/host`. What is
//! hidden at one path could be read at the other.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sekisho_sandbox::Mount;

/// The other paths of a file or directory, and of what lies in it or is mounted there, by the mounts alone. Another
/// mount may cover them.
pub(super) fn other_paths(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let holding = holding(path, mounts);
    if holding.is_empty() {
        // In a directory that became the root, the list does not say where the path is: everything of its device counts.
        let device = device_of(path);
        let same = mounts.iter().filter(|mount| Some(&mount.device) == device.as_ref());
        found.extend(same.map(|mount| mount.point.clone()));
    }
    for mount in holding {
        if let Ok(below) = path.strip_prefix(&mount.point) {
            let inside = joined(&mount.root, below);
            found.extend(paths_of(&mount.device, &inside, mounts));
            let below_layer = inside.strip_prefix("/").unwrap_or(&inside);
            found.extend(mount.layers.iter().map(|layer| joined(layer, below_layer)));
        }
    }
    // A single file may be mounted in a directory, such as a key from another place.
    for mount in mounts.iter().filter(|mount| mount.point != path && mount.point.starts_with(path)) {
        found.extend(paths_of(&mount.device, &mount.root, mounts));
    }
    found.retain(|found| !found.starts_with(path));
    found
}

/// The device of a path, or of the nearest directory above it that exists, as the list of mounts writes it.
fn device_of(path: &Path) -> Option<Vec<u8>> {
    let device = path.ancestors().find_map(|path| std::fs::metadata(path).ok())?.dev();
    Some(format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device)).into_bytes())
}

/// The mount that a path leads to: the last one of those entered on the way. A later mount may cover one with a longer
/// path. All that could be meant, if the list does not begin at the root.
fn holding<'m>(path: &Path, mounts: &'m [Mount]) -> Vec<&'m Mount> {
    let above = || mounts.iter().filter(|mount| path.starts_with(&mount.point));
    let is_first = |mount: &&Mount| mount.point == Path::new("/") && !has_parent(mount, mounts);
    let Some(mut current) = mounts.iter().find(is_first) else { return above().collect() };
    let mut prefixes: Vec<&Path> = path.ancestors().collect();
    prefixes.reverse();
    for prefix in prefixes {
        let on_top = |current: &Mount| {
            let is_on = |mount: &&Mount| mount.parent == current.id && mount.id != current.id;
            above().filter(is_on).rfind(|mount| mount.point == prefix)
        };
        while let Some(entered) = on_top(current) {
            current = entered;
        }
    }
    vec![current]
}

fn has_parent(mount: &Mount, mounts: &[Mount]) -> bool {
    mounts.iter().any(|other| other.id == mount.parent && other.id != mount.id)
}

/// Where a place in the file system of a device can be found.
fn paths_of(device: &[u8], inside: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let path = |mount: &Mount| match inside.strip_prefix(&mount.root) {
        Ok(below) => Some(joined(&mount.point, below)),
        Err(_) => mount.root.starts_with(inside).then(|| mount.point.clone()),
    };
    mounts.iter().filter(|mount| mount.device == device).filter_map(path).collect()
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
34 31 0:5 / /home/ann/cache rw - tmpfs none rw
";

    fn check_in(mounts: &str, path: &str, expected: &[&str]) {
        let mut found = other_paths(Path::new(path), &Mount::parse(mounts.as_bytes()));
        found.sort();
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{path}");
    }

    fn check(path: &str, expected: &[&str]) {
        check_in(MOUNTS, path, expected);
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

    /// A home directory that is mounted over one that had mounts in it.
    #[test]
    fn covered_mount_does_not_hold_the_directory() {
        let mounts = "\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:9 / /home/ann/.local rw - tmpfs none rw
31 22 8:1 /disk /home/ann rw - ext4 /dev/sda1 rw
32 22 8:1 /disk /alias rw - ext4 /dev/sda1 rw
33 31 8:1 /new /home/ann rw - ext4 /dev/sda1 rw
";
        check_in(mounts, "/home/ann/.local/state", &["/new/.local/state"]);
        let without_the_last: String = mounts.lines().take(4).flat_map(|line| [line, "\n"]).collect();
        let expected = ["/alias/.local/state", "/disk/.local/state"];
        check_in(&without_the_last, "/home/ann/.local/state", &expected);
        // Where the list does not begin at the root, every mount above counts.
        let without_the_root = without_the_last.replace(" / / rw", " / /top rw");
        let expected = ["/alias/.local/state", "/top/disk/.local/state"];
        check_in(&without_the_root, "/home/ann/.local/state", &expected);
    }

    #[test]
    fn layers_of_an_overlay_are_found() {
        let mounts = "\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:40 / /home rw - overlay overlay rw,lowerdir=/a:/b,upperdir=/up\\040per,workdir=/work
";
        check_in(mounts, "/home/ann/state", &["/a/ann/state", "/b/ann/state", "/up per/ann/state"]);
    }

    /// As in a directory that became the root, and is no mount itself.
    #[test]
    fn without_a_mount_above_everything_of_the_device_counts() {
        let device = String::from_utf8(device_of(Path::new("/")).unwrap()).unwrap();
        let mounts = format!(
            "30 22 {device} /jail/home /alias rw - ext4 /dev/sda1 rw\n31 22 0:5 / /proc rw - proc none rw\n"
        );
        check_in(&mounts, "/home/ann/state", &["/alias"]);
    }

    #[test]
    fn file_that_is_mounted_in_the_directory_is_found() {
        let mounts = "\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 8:1 /secrets/key /home/ann/state/audit.key rw - ext4 /dev/sda1 rw
31 22 8:2 /keys /home/ann/state/more rw - ext4 /dev/sdb1 rw
32 22 8:2 / /mnt rw - ext4 /dev/sdb1 rw
33 22 8:2 /keys/one /one rw - ext4 /dev/sdb1 rw
";
        check_in(mounts, "/home/ann/state", &["/mnt/keys", "/one", "/secrets/key"]);
    }
}

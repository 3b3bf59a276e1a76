//! Programs that run with the rights of their owner or group.
//!
//! The kernel removes these rights when somebody writes a file, but not when a shared mapping of it is changed. A command in
//! the sandbox could put its own code there, and whoever runs the file outside would run that with the owner's rights.

use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt;

/// Set-user-ID and set-group-ID.
const SET_ID: u32 = 0o6000;

/// Whether a file that is listed in a directory has such rights. One that cannot be looked at counts as having them.
pub(super) fn has_set_id(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if !kind.is_file() => false,
        _ => entry.metadata().map_or(true, |found| found.mode() & SET_ID != 0),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use crate::sandbox::kept_files::find;

    #[test]
    fn programs_with_rights_of_their_owner_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b/c/d")).unwrap();
        let mut expected = Vec::new();
        for (name, mode, is_kept) in [
            ("user", 0o4755, true),
            ("a/group", 0o2755, true),
            ("a/b/c/both", 0o6711, true),
            ("plain", 0o755, false),
            ("a/b/c/d/too-deep", 0o4755, false),
        ] {
            fs::write(root.join(name), "x").unwrap();
            fs::set_permissions(root.join(name), Permissions::from_mode(mode)).unwrap();
            expected.extend(is_kept.then(|| root.join(name)));
        }
        // Files in such a directory only get its group.
        fs::set_permissions(root.join("a/b"), Permissions::from_mode(0o2755)).unwrap();
        expected.sort();
        let mut found = find(&[root.into()]).unwrap().read_only;
        found.sort();
        assert_eq!(found, expected);
    }
}

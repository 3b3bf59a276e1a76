//! Resolves paths that may not exist entirely.

use std::path::{Component, Path, PathBuf};

/// The longest path the kernel accepts. Nothing exists at a longer one.
pub(crate) const LONGEST: usize = 4096;

/// Where an absolute path leads: links are followed as far as it exists, and in the rest `..` removes the
/// name before it. `/work/missing/../project` is `/work/project`, though no program could open that path.
#[must_use]
pub fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let follow = path.as_os_str().len() < LONGEST;
    let mut real = PathBuf::new();
    // How many of its last names do not exist: nothing exists below them.
    let mut missing = 0usize;
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => real.push(component),
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
                missing = missing.saturating_sub(1);
            }
            Component::Normal(name) => {
                real.push(name);
                let found = if follow && missing == 0 { real.canonicalize().ok() } else { None };
                match found {
                    Some(found) => real = found,
                    None => missing += 1,
                }
            }
        }
    }
    // It was too long to resolve; without `..` it may not be.
    if !follow && real.as_os_str().len() < LONGEST { real_path(&real) } else { real }
}

#[cfg(test)]
mod tests {
    use std::fs::create_dir_all;
    use std::os::unix::fs::symlink;

    use super::{LONGEST, real_path};

    #[test]
    fn missing_names_do_not_change_where_a_path_leads() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        create_dir_all(home.join("project/src")).unwrap();
        create_dir_all(home.join("far/away")).unwrap();
        symlink(home.join("project"), home.join("link")).unwrap();
        symlink(home.join("far/away"), home.join("project/out")).unwrap();
        for (path, leads_to) in [
            ("project/src", "project/src"),
            ("link", "project"),
            ("missing/../project", "project"),
            ("a/b/../../project/src", "project/src"),
            ("link/missing/../src", "project/src"),
            ("missing/../link/src/missing", "project/src/missing"),
            ("project/out/missing/..", "far/away"),
            ("project/out/missing/../..", "far"),
            ("missing/link/../../link", "project"),
            ("project/./missing", "project/missing"),
        ] {
            assert_eq!(real_path(&home.join(path)), home.join(leads_to), "{path}");
        }
        // A path that is too long leads where it does without its detours.
        let long = home.join("missing/../".repeat(LONGEST / 10)).join("link");
        assert_eq!(real_path(&long), home.join("project"));
    }
}

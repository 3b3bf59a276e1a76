//! Where a path leads, also where not all of it exists.

use std::path::{Component, Path, PathBuf};

/// The longest path the kernel takes. Nothing lies at a longer one.
pub(crate) const LONGEST: usize = 4096;

/// Where an absolute path leads: links are followed as far as it exists, and of the rest `..` takes off the name before it.
/// `/work/missing/../project` is `/work/project`, though no program could go there by that name.
#[must_use]
pub fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let follow = path.as_os_str().len() < LONGEST;
    let mut real = PathBuf::new();
    // How many of its last names do not exist: below them nothing does.
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
    // Too long to be followed before; without its detours it may not be.
    if !follow && real.as_os_str().len() < LONGEST { real_path(&real) } else { real }
}

#[cfg(test)]
mod tests {
    use std::fs::create_dir_all;
    use std::os::unix::fs::symlink;

    use super::{LONGEST, real_path};

    #[test]
    fn names_that_do_not_exist_lead_nowhere_else() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap();
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
        // A path longer than any that exists leads where it does without its detours.
        let long = home.join("missing/../".repeat(LONGEST / 10)).join("link");
        assert_eq!(real_path(&long), home.join("project"));
    }
}

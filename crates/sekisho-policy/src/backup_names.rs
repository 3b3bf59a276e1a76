//! Names of backup copies, such as `.netrc~` and `id_rsa.bak`.

use smallvec::SmallVec;

/// Endings of the names of backup copies, folded.
const BACKUP_ENDINGS: &[&str] = &[
    "bak", "bkp", "old", "orig", "save", "backup", "lock", "swp", "swo", "copy", "tmp", "new", "dpkg",
    "rpmsave", "rpmnew",
];

/// The paths of the files that this one may be a copy of, if a name in it is that of a backup.
pub(crate) fn backed_up_paths(path: &str) -> SmallVec<[String; 2]> {
    let mut paths = SmallVec::new();
    let names: Vec<&str> = path.split('/').map(backed_up_name).collect();
    let original = names.join("/");
    if original.len() == path.len() {
        return paths;
    }
    paths.push(original);
    // An editor's swap file has another dot before the name.
    if let Some((last, directories)) = names.split_last()
        && let Some(name) = last.strip_prefix('.')
    {
        paths.push(format!("{}/{name}", directories.join("/")));
    }
    paths
}

/// A name without what marks it as a copy.
pub(crate) fn backed_up_name(mut name: &str) -> &str {
    loop {
        let bare = name.trim_end_matches(['~', '#']);
        let bare = if bare.len() < name.len() || bare.starts_with(".#") {
            bare.trim_start_matches(".#").trim_start_matches('#')
        } else {
            bare
        };
        let shorter = match bare.rsplit_once(['.', '-', '_']) {
            Some((rest, ending)) if !rest.is_empty() && is_backup_ending(ending) => rest,
            _ => bare,
        };
        if shorter.len() == name.len() || shorter.is_empty() {
            return name;
        }
        name = shorter;
    }
}

fn is_backup_ending(ending: &str) -> bool {
    let is_number = !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_digit());
    is_number || BACKUP_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::backed_up_name;

    #[test]
    fn marks_of_copies_are_removed() {
        for (name, original) in [
            ("a~", "a"),
            ("#a#", "a"),
            (".#a", "a"),
            ("#a", "#a"),
            ("a.bak", "a"),
            ("a.BAK.2", "a"),
            ("a-old~", "a"),
            ("a.rs", "a.rs"),
            (".bak", ".bak"),
            ("~", "~"),
        ] {
            assert_eq!(backed_up_name(name), original, "{name}");
        }
    }
}

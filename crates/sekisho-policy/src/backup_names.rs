//! Names of backup copies, such as `.netrc~` and `id_rsa.bak`.

use smallvec::SmallVec;

/// Endings of the names of backup copies, folded. A number may follow.
const BACKUP_ENDINGS: &[&str] = &[
    "7z", "b64", "backup", "bak", "base64", "bk", "bkp", "bz2", "copy", "disabled", "dpkg", "gz", "jb",
    "lock", "lz4", "new", "old", "orig", "original", "pacnew", "pacsave", "prev", "previous", "rar",
    "rpmnew", "rpmsave", "sav", "save", "saved", "swn", "swo", "swp", "swx", "tar", "tgz", "tmp", "txt",
    "ucf", "un", "xz", "zip", "zst",
];
/// What precedes the name of a copy, folded.
const BACKUP_BEGINNINGS: &[&str] = &["copy of ", "backup of ", "old", "bak", "backup"];

/// The paths of the files that this one may be a copy of, if a name in it is that of a backup.
pub(crate) fn backed_up_paths(path: &str) -> SmallVec<[String; 2]> {
    let mut paths = SmallVec::new();
    let is_shorter = |name: &str| backed_up_name(name).len() < name.len();
    if !path.split('/').any(is_shorter) {
        return paths;
    }
    let names: Vec<&str> = path.split('/').map(backed_up_name).collect();
    paths.push(names.join("/"));
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
        // A package's own version beside the changed file. `.env.dist` is an example.
        let name_and_mark =
            name.strip_suffix("-dist").filter(|it| it.ends_with(".dpkg") || it.ends_with(".ucf"));
        // The version control system RCS appends `,v`.
        let bare = name_and_mark.or_else(|| name.strip_suffix(",v")).unwrap_or(name);
        let bare = bare.trim_end_matches(['~', '#', '_', ')', ' ', '-']);
        let bare = if bare.len() < name.len() || bare.starts_with(".#") {
            bare.trim_start_matches(".#").trim_start_matches('#')
        } else {
            bare
        };
        let shorter = match bare.rsplit_once(['.', '-', '_', ' ', '(']) {
            Some((rest, ending)) if !rest.is_empty() && is_backup_ending(ending) => rest,
            _ => without_beginning(bare),
        };
        if shorter.len() == name.len() || shorter.is_empty() {
            return name;
        }
        name = shorter;
    }
}

/// A name without `Copy of ` or `old` before a dot.
fn without_beginning(name: &str) -> &str {
    let rest = BACKUP_BEGINNINGS.iter().find_map(|known| {
        let beginning = name.get(..known.len()).filter(|it| it.eq_ignore_ascii_case(known))?;
        let rest = name.get(beginning.len()..)?;
        (known.ends_with(' ') || rest.starts_with('.')).then_some(rest)
    });
    rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
}

fn is_backup_ending(ending: &str) -> bool {
    let ending = ending.trim_start_matches('~');
    let letters = ending.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_number = letters.is_empty() && !ending.is_empty();
    let is_known = |text: &str| BACKUP_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(text));
    is_number || is_known(ending) || is_known(letters)
}

#[cfg(test)]
mod tests {
    use super::{backed_up_name, backed_up_paths};

    #[test]
    fn copies_are_known_by_their_names() {
        for copy in [
            ".netrc~",
            ".netrc.bak",
            ".netrc.~1~",
            ".netrc.bak2",
            ".netrc.backup1",
            ".netrc.bak.gz",
            ".netrc copy",
            ".netrc (1)",
            ".netrc (copy)",
            "Copy of .netrc",
            "old.netrc",
            ".netrc.dpkg-dist",
            ".netrc.ucf-old",
            ".netrc___jb_tmp___",
            "#.netrc#",
            ".#.netrc",
            ".netrc.pacsave",
            ".netrc.prev",
            ".netrc - Copy",
            ".netrc - Copy (2)",
            "Backup of .netrc",
            ".netrc.txt",
            ".netrc-",
            ".netrc,v",
            ".netrc.bk",
            ".netrc.tar.gz",
            ".netrc-2026-11-17",
            ".netrc.saved",
        ] {
            assert_eq!(backed_up_name(copy), ".netrc", "{copy}");
        }
        for swap in ["/h/..netrc.swp", "/h/..netrc.un~", "/h/..netrc.swn"] {
            assert!(backed_up_paths(swap).contains(&"/h/.netrc".to_owned()), "{swap}");
        }
        for other in ["main.rs", "old_names.rs", ".env.example", "a_b", "f(x)y", "bakery", "older.rs"] {
            assert_eq!(backed_up_name(other), other);
        }
    }

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

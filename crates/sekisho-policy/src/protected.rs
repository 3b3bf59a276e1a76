//! Paths that no rule opens: they are read and written on a human's answer only.

use std::sync::{Arc, OnceLock};

use crate::fit::Fit;
use crate::names::{Names, Strings};
use crate::paths::{PathGlob, fold};
use crate::shell::COMPUTED;
use crate::stored::{Reader, Rows, Stored, Writer};
use crate::stretch::Stretch;

/// What is protected unless managed or global config takes it off the list.
pub const PROTECTED: &[&str] = &[
    // sekisho's own config and state
    ".sekisho",
    "**/.config/sekisho",
    "**/.local/state/sekisho",
    "**/.local/share/sekisho",
    "/etc/sekisho",
    // what git runs or obeys
    "**/.git/config",
    "**/.git/config.worktree",
    "**/.git/hooks",
    "**/.git/info/attributes",
    "**/.git/commondir",
    "**/.git/modules",
    "**/.git/worktrees",
    // shell start-up files
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    "**/.config/fish",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/bash.bashrc",
    "/etc/environment",
    // agents' own settings
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    "**/.config/opencode",
    "**/.local/share/opencode",
    ".mcp.json",
    ".cursor",
    ".vscode",
    ".envrc",
    // credentials
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "**/.config/git/credentials",
    ".bash_history",
    ".zsh_history",
    ".vault-token",
    ".terraform.d",
    ".my.cnf",
    ".password-store",
    ".mozilla",
    "**/.m2/settings.xml",
    "**/.local/share/keyrings",
    "**/.config/op",
    "**/.config/rclone",
    "**/.config/containers",
    "/run/secrets",
    "/var/run/secrets",
    "/etc/ssl/private",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    "**/.docker/config.json",
    "**/.config/gh",
    "**/.config/gcloud",
    "**/.cargo/credentials*",
    ".env*",
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/sudoers",
    "/etc/sudoers.d",
    // what the kernel tells of processes
    "/proc/**/environ",
    "/proc/**/mem",
    "/proc/**/fd",
    "/proc/**/root",
    "/proc/**/cwd",
    "/proc/kcore",
    // devices that never end, or are the disk or the memory itself
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/sd*",
    "/dev/nvme*",
    "/dev/vd*",
    "/dev/tty*",
    "/dev/input",
];

/// The list in force.
#[derive(Clone, Debug, Default)]
pub(crate) struct Protected {
    /// Plain names, protected in every directory; looked up rather than matched.
    names: Names,
    /// The globs as they were written.
    entries: Strings,
    /// The globs, each read when a path is first held against it.
    globs: Vec<OnceLock<PathGlob>>,
    /// Folded segments of globs.
    segments: Names,
    /// The globs by one folded segment that every path they match has: its number, and the glob's. Sorted.
    filed: Rows<(u32, u32), 8>,
    /// The globs that every path is matched against.
    unfiled: Rows<u32, 4>,
    /// Every plain segment of an entry: what a wildcard in a path would have to become to reach it.
    samples: Strings,
}

/// How files that begin like `.env` end.
const USUAL_ENDINGS: &[&str] =
    &[".local", ".production", ".development", ".staging", ".test", ".prod", ".dev"];

/// More wildcard segments than this in one path are not followed: such a path counts as protected.
const MOST_WILDCARDS: usize = 3;

impl Protected {
    pub(crate) fn new<'a>(entries: impl Iterator<Item = &'a str>) -> Protected {
        let mut list = Protected::default();
        let (mut filed, mut unfiled) = (Vec::new(), Vec::new());
        let mut samples: Vec<String> = Vec::new();
        for entry in entries {
            // A wildcard is not taken to mean a plain name such as `opencode.json`: then `*` would mean it too.
            if entry.contains('/') || entry.starts_with('.') {
                let segments = entry.split('/').map(|segment| segment.replace('*', ""));
                samples.extend(segments.filter(|segment| !segment.is_empty()));
            }
            if entry.contains(['/', '*', '?', '[', '\\', '~']) {
                // Entries were checked when their layer was read.
                if let Ok(glob) = PathGlob::new(entry, true) {
                    let at = list.entries.len();
                    match plain_segment(entry) {
                        Some(segment) => filed.push((list.segments.intern(&fold(segment)), at)),
                        None => unfiled.push(at),
                    }
                    list.entries.push(entry);
                    list.globs.push(glob.into());
                }
            } else {
                list.names.intern(&fold(entry));
            }
        }
        filed.sort_unstable();
        (list.filed, list.unfiled) = (filed.into(), unfiled.into());
        samples.sort_unstable();
        samples.dedup();
        samples.iter().for_each(|sample| list.samples.push(sample));
        list
    }

    /// The entry a path with wildcards could reach: `base` is an absolute directory, `rest` the segments below it, with
    /// `*` and `?`. As in bash, a wildcard does not match a leading dot.
    pub(crate) fn reached_by(
        &self,
        base: &str,
        rest: &[String],
        root: Option<&str>,
        home: Option<&str>,
    ) -> Option<&str> {
        let wild = |segment: &String| segment.contains(['*', '?']);
        let Some(at) = rest.iter().position(wild) else {
            return self.entry(&format!("{base}/{}", rest.join("/")), root, home);
        };
        if rest.iter().filter(|segment| wild(segment)).count() > MOST_WILDCARDS {
            return Some("*");
        }
        let (before, after) = rest.split_at_checked(at)?;
        let (segment, after) = after.split_first()?;
        let base =
            std::iter::once(base).chain(before.iter().map(String::as_str)).collect::<Vec<_>>().join("/");
        let reaches = |sample: &&str| {
            (!sample.starts_with('.') || segment.starts_with('.'))
                && crate::shell::glob_matches(&fold(segment), sample)
        };
        let plain = std::iter::once("*");
        let names = self.samples.iter().filter(reaches).chain(plain);
        names.filter_map(|name| self.reached_by(&format!("{base}/{name}"), after, root, home)).next()
    }

    /// The entry a path could reach of which pieces are computed (`COMPUTED` in the text): each may become anything.
    pub(crate) fn reached_by_computed(
        &self,
        text: &str,
        root: Option<&str>,
        home: Option<&str>,
    ) -> Option<&str> {
        let filled = |text: &str| format!("/{}", text.replace(COMPUTED, "x"));
        if let Some(entry) = self.entry(&filled(text), root, home) {
            return Some(entry);
        }
        let segments: Vec<&str> = text.split('/').collect();
        segments.iter().enumerate().filter(|(_, segment)| says_part(segment)).find_map(|(at, segment)| {
            let pattern = fold(segment).replace(COMPUTED, "*");
            let meant = self.samples.iter().filter(|sample| crate::shell::glob_matches(&pattern, sample));
            meant
                .filter_map(|sample| {
                    let mut path = segments.clone();
                    *path.get_mut(at)? = sample;
                    self.entry(&filled(&path.join("/")), root, home)
                })
                .next()
        })
    }

    /// The entry that protects an absolute path, if one does.
    pub(crate) fn entry(&self, path: &str, root: Option<&str>, home: Option<&str>) -> Option<&str> {
        let folded = fold(path);
        let name = folded.split('/').find_map(|segment| self.names.get(segment));
        name.map(|name| self.names.name(name)).or_else(|| {
            let filed = folded.split('/').flat_map(|segment| self.filed_under(segment));
            let globs = filed.chain(self.unfiled.iter()).filter_map(|at| Some((at, self.glob(at)?)));
            let fitting = globs.filter(|(_, glob)| glob.fit(path, root, home) != Fit::No);
            fitting.map(|(at, _)| at).min().map(|at| self.entries.get(at))
        })
    }

    /// Whether a pattern over the names of files, whose wildcards also stand for a leading dot, may name something protected.
    pub(crate) fn named_by(&self, pattern: &str) -> bool {
        without_classes(&fold(pattern))
            .is_none_or(|patterns| patterns.iter().any(|one| self.named_by_plain(one)))
    }

    fn named_by_plain(&self, pattern: &str) -> bool {
        let fits = |name: &str| crate::shell::glob_matches(pattern, &fold(name));
        if !pattern.contains(['*', '?']) {
            return self.samples.iter().any(fits) || self.entry(&format!("/{pattern}"), None, None).is_some();
        }
        let usual = USUAL_ENDINGS.iter().map(|ending| format!(".env{ending}"));
        let protected = |name: &String| self.entry(&format!("/{name}"), None, None).is_some();
        pattern.starts_with('.')
            || self.samples.iter().any(fits)
            || (0..self.names.len()).any(|at| fits(self.names.name(at)))
            || usual.into_iter().any(|name| fits(&name) && protected(&name))
    }

    /// The globs filed under a folded segment.
    fn filed_under(&self, segment: &str) -> impl Iterator<Item = u32> {
        let segment = self.segments.get(segment);
        let first = self.filed.partition_point(|(filed, _)| Some(filed) < segment);
        let filed = (first..).map_while(|at| self.filed.get(at));
        filed.take_while(move |(filed, _)| Some(*filed) == segment).map(|(_, at)| at)
    }

    fn glob(&self, at: u32) -> Option<&PathGlob> {
        let read = || PathGlob::new(self.entries.get(at), true).unwrap_or_else(|_| PathGlob::everything());
        self.globs.get(at as usize).map(|glob| glob.get_or_init(read))
    }
}

impl Stored for Protected {
    fn write(&self, to: &mut Writer) {
        self.names.write(to);
        self.entries.write(to);
        self.segments.write(to);
        self.filed.write(to);
        self.unfiled.write(to);
        self.samples.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Protected> {
        let (names, entries) = (Names::read(from)?, Strings::read(from)?);
        let mut globs = Vec::new();
        globs.resize_with(entries.len() as usize, OnceLock::new);
        Some(Protected {
            names,
            entries,
            globs,
            segments: Names::read(from)?,
            filed: Rows::read(from)?,
            unfiled: Rows::read(from)?,
            samples: Strings::read(from)?,
        })
    }
}

/// The list of a policy: shared, and decoded when a path is first held against it.
#[derive(Clone, Debug)]
pub(crate) struct ProtectedPaths {
    list: OnceLock<Arc<Protected>>,
    stored: Stretch,
}

impl From<Protected> for ProtectedPaths {
    fn from(list: Protected) -> ProtectedPaths {
        ProtectedPaths { list: Arc::new(list).into(), stored: Stretch::default() }
    }
}

impl ProtectedPaths {
    /// A list that was encoded.
    pub(crate) fn stored(stored: Stretch) -> ProtectedPaths {
        ProtectedPaths { list: OnceLock::new(), stored }
    }
}

impl std::ops::Deref for ProtectedPaths {
    type Target = Protected;

    fn deref(&self) -> &Protected {
        // It is as it was written, or else the whole was not read. Still: without a list every path is protected.
        let everything = || Protected::new(std::iter::once("/"));
        let read = || Protected::read(&mut Reader::new(&self.stored));
        self.list.get_or_init(|| Arc::new(read().unwrap_or_else(everything)))
    }
}

/// A pattern with its first class of characters written out, or with `?` in its place; none where something is escaped or a
/// class is not closed.
fn without_classes(pattern: &str) -> Option<Vec<String>> {
    let Some((before, class)) = pattern.split_once('[') else {
        return (!pattern.contains('\\')).then(|| vec![pattern.to_owned()]);
    };
    let (inside, after) = class.split_once(']')?;
    // `[]a]`, `[[:alpha:]]`
    if inside.is_empty() || matches!(inside, "!" | "^") || inside.contains('[') {
        return None;
    }
    let plain = inside.chars().all(char::is_alphanumeric) && !after.contains('[');
    if plain {
        return Some(inside.chars().map(|c| format!("{before}{c}{after}")).collect());
    }
    without_classes(&format!("{before}?{after}"))
}

/// Whether a computed segment has known text in it; one without could be any name at all.
fn says_part(segment: &str) -> bool {
    segment.contains(COMPUTED) && segment.chars().any(|c| !matches!(c, COMPUTED | '*' | '?'))
}

/// A segment without wildcards: whatever the glob matches has it in full. None where that is not plain to see (a class may
/// hold a slash), and none for a glob below home or workspace, which may be unknown and then protects every path.
fn plain_segment(entry: &str) -> Option<&str> {
    let rooted = entry.starts_with('/') || entry.starts_with("**/");
    if !rooted || entry.contains(['[', '\\']) {
        return None;
    }
    entry.split('/').find(|segment| !segment.is_empty() && !segment.contains(['*', '?']))
}

#[cfg(test)]
mod tests {
    use super::{PROTECTED, Protected};
    use crate::fit::Fit;
    use crate::paths::PathGlob;
    use proptest::prelude::*;

    #[test]
    fn the_shipped_list_is_well_formed_and_needs_no_anchor() {
        for entry in PROTECTED {
            PathGlob::new(entry, true).unwrap();
            assert!(entry.starts_with('/') || entry.starts_with("**/") || !entry.contains('/'), "{entry}");
        }
    }

    #[test]
    fn protected_names_count_in_every_directory_and_case() {
        let list = Protected::new(PROTECTED.iter().copied());
        for path in [
            "/home/u/.ssh/id_ed25519",
            "/w/.ENV",
            "/w/sub/.env.local",
            "/w/.git/hooks/pre-commit",
            "/w/.Git/Config",
            "/proc/self/environ",
            "/etc/shadow",
            "/w/a/.claude/settings.json",
            "/root/.config/sekisho/config.json",
        ] {
            assert!(list.entry(path, None, None).is_some(), "{path}");
        }
        for path in ["/w/src/main.rs", "/w/.git/HEAD", "/w/environment.ts", "/etc/hosts", "/w/ssh/config"] {
            assert_eq!(list.entry(path, None, None), None, "{path}");
        }
    }

    proptest! {
        #[test]
        fn filing_by_segment_loses_no_path(
            entry in r"(\*\*/|/|~/|)([ab.*?]{1,3}|\*\*|\[!?a/?b\]|\\a)(/([ab.*?]{1,3}|\*\*|a\[!?a/b\]b)){0,2}/?",
            path in "(/[abAB.]{1,3}){1,4}",
            root in proptest::option::of(Just("/a")),
        ) {
            // Entries that are no globs are refused when a layer is read.
            let glob = PathGlob::new(&entry, true).ok();
            let expected = glob.as_ref().is_some_and(|glob| glob.fit(&path, root, root) != Fit::No);
            let list = Protected::new(glob.iter().map(|_| entry.as_str()));
            prop_assert_eq!(list.entry(&path, root, root).is_some(), expected);
        }
    }
}

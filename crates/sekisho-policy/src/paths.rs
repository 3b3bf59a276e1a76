//! Paths without a file system: normalising them, and matching them against gitignore-style globs.

use fast_glob::glob_match;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::error::RuleError;
use crate::match_result::MatchResult;

/// The longest path the kernel accepts, and more names than any real path has. Longer paths are unknown:
/// matching them against globs would cost many times their length.
pub const MAX_PATH_LENGTH: usize = 4096;
const MAX_NAMES: usize = 256;

/// Whether a path contains `..`, which leads elsewhere than its text if it follows a link.
pub fn climbs(path: &str) -> bool {
    path.split('/').any(|segment| segment == "..")
}

/// An absolute path without `.`, `..` and repeated slashes, by text alone. `None` for a relative path, and
/// for one that is too long.
pub fn normalise_lexically(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/').filter(|path| path.len() < MAX_PATH_LENGTH)?;
    let mut kept: SmallVec<[&str; 16]> = SmallVec::new();
    for segment in rest.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            name => kept.push(name),
        }
    }
    if kept.len() > MAX_NAMES {
        return None;
    }
    let mut path = String::with_capacity(path.len());
    for name in kept {
        path.push('/');
        path.push_str(name);
    }
    if path.is_empty() {
        path.push('/');
    }
    Some(path)
}

/// `path` relative to `base`; an absolute path is itself. `None` if it is relative and the base is unknown.
pub fn join(base: Option<&str>, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.into());
    }
    let base = base.filter(|base| base.starts_with('/'))?;
    Some([base.trim_end_matches('/'), "/", path].concat())
}

/// Whether an absolute, normalised path is `directory` or below it.
pub fn is_within(path: &str, directory: &str) -> bool {
    relative_to(path, directory).is_some()
}

/// The part of `path` below `directory`, without a leading slash; empty for the directory itself.
pub(crate) fn relative_to<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory.trim_end_matches('/'))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Lower case, character by character. A non-ASCII letter whose lower case is ASCII stays as it is.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else if c.to_lowercase().any(|lower| lower.is_ascii()) {
            folded.push(c);
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

/// What a glob is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Anchor {
    /// `/etc/*`: the file system's root.
    Absolute,
    /// `~/.ssh`: the home directory.
    Home,
    /// `src/*.rs`: the workspace root.
    Workspace,
    /// `*.pem`: any directory.
    Anywhere,
}

impl Anchor {
    /// The anchor of a glob as written.
    pub(crate) fn of(text: &str) -> Anchor {
        if text.starts_with("~/") {
            Anchor::Home
        } else if text.starts_with('/') {
            Anchor::Absolute
        } else if text.trim_end_matches('/').contains('/') && !text.starts_with("**/") {
            Anchor::Workspace
        } else {
            Anchor::Anywhere
        }
    }
}

/// A gitignore-style glob over absolute paths. A glob that matches a directory matches everything below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathGlob {
    anchor: Anchor,
    /// Matches the files below: the glob of the path itself, then `/**`.
    beneath: Box<str>,
    /// Whether it also matches the path itself; not for `build/`, which matches only what is below.
    itself: bool,
    ignore_case: bool,
}

impl PathGlob {
    /// Parses a glob. With `ignore_case`, which deny and confirm rules use, letters match in either case.
    pub fn new(text: &str, ignore_case: bool) -> Result<PathGlob, RuleError> {
        let fault = |message: &str| RuleError::new("path", format!("`{text}` {message}"));
        if text.starts_with('!') {
            return Err(fault("is negated").hint("write a rule of the opposite effect instead"));
        }
        if text.chars().any(char::is_control) {
            return Err(fault("contains a control character"));
        }
        let anchor = Anchor::of(text);
        let body = match anchor {
            Anchor::Home => text.strip_prefix("~/"),
            Anchor::Absolute => text.strip_prefix('/'),
            Anchor::Workspace | Anchor::Anywhere => Some(text),
        };
        let body = body.unwrap_or(text);
        let directory = body.ends_with('/');
        let body = body.trim_end_matches('/');
        let relative = body.split('/').any(|segment| matches!(segment, "." | ".." | ""));
        if relative && !(body.is_empty() && anchor != Anchor::Anywhere && anchor != Anchor::Workspace) {
            return Err(fault("has an empty, `.` or `..` segment").hint("write the path without it"));
        }
        // gitignore has no braces; fast-glob does.
        let mut body = body.replace('{', "\\{").replace('}', "\\}");
        if ignore_case {
            body = fold(&body);
        }
        if anchor == Anchor::Anywhere && !body.starts_with("**/") {
            body = format!("**/{body}");
        }
        fast_glob::validate(&body).map_err(|error| fault(&format!("is not a glob: {error}")))?;
        let itself = !directory || body.is_empty();
        body.push_str(if body.is_empty() { "**" } else { "/**" });
        Ok(PathGlob { anchor, beneath: body.into(), itself, ignore_case })
    }

    /// The glob that matches every path.
    pub(crate) fn everything() -> PathGlob {
        PathGlob { anchor: Anchor::Absolute, beneath: "**".into(), itself: true, ignore_case: true }
    }

    /// The glob of the path itself.
    fn itself(&self) -> Option<&str> {
        let body = self.beneath.strip_suffix("**").filter(|_| self.itself)?;
        Some(body.strip_suffix('/').unwrap_or(body))
    }

    /// Whether an absolute, normalised path matches. `root` is what the glob is relative to.
    pub fn matches(&self, path: &str, root: Option<&str>) -> bool {
        self.fit(path, root, None) == MatchResult::Yes
    }

    /// Whether an absolute, normalised path matches.
    pub(crate) fn fit(&self, path: &str, root: Option<&str>, home: Option<&str>) -> MatchResult {
        let rest = match self.anchor {
            Anchor::Absolute | Anchor::Anywhere => path.strip_prefix('/'),
            Anchor::Home | Anchor::Workspace => {
                let base = if self.anchor == Anchor::Home { home } else { root };
                let Some(base) = base else { return MatchResult::Unknown };
                relative_to(path, base)
            }
        };
        let Some(rest) = rest else { return MatchResult::No };
        let matches = |rest: &str| {
            self.itself().is_some_and(|glob| glob_match(glob, rest)) || glob_match(&*self.beneath, rest)
        };
        MatchResult::of(if self.ignore_case { matches(&fold(rest)) } else { matches(rest) })
    }
}

#[cfg(test)]
mod tests {
    use super::{MatchResult, PathGlob, is_within, join, normalise_lexically};

    #[test]
    fn paths_are_normalised_by_text() {
        for (path, expected) in [
            ("/a/b", "/a/b"),
            ("/a//b/./c/", "/a/b/c"),
            ("/a/../b", "/b"),
            ("/../../x", "/x"),
            ("/", "/"),
            ("/a/b/..", "/a"),
        ] {
            assert_eq!(normalise_lexically(path).as_deref(), Some(expected), "{path}");
        }
        assert_eq!(normalise_lexically("a/b"), None);
        assert_eq!(join(Some("/w"), "a").as_deref(), Some("/w/a"));
        assert_eq!(join(Some("/"), "a").as_deref(), Some("/a"));
        assert_eq!(join(None, "a"), None);
        assert_eq!(join(Some("relative"), "a"), None);
        assert!(is_within("/w/a", "/w") && is_within("/w", "/w") && is_within("/w/a", "/w/"));
        assert!(!is_within("/work", "/w"));
        assert!(is_within("/anything", "/"));
    }

    #[track_caller]
    fn check(glob: &str, path: &str, expected: bool) {
        let fit = PathGlob::new(glob, false).unwrap().fit(path, Some("/w"), Some("/home/u"));
        assert_eq!(fit, MatchResult::of(expected), "{glob} on {path}");
    }

    #[test]
    fn globs_match_like_gitignore() {
        check("*.pem", "/etc/ssl/a.pem", true);
        check("*.pem", "/a.pem", true);
        check("*.pem", "/a.pem/inside", true);
        check("*.pem", "/a.pems", false);
        check(".env*", "/w/.env.local", true);
        check("src/**", "/w/src/a/b.rs", true);
        check("src/**", "/other/src/a.rs", false);
        check("src/*.rs", "/w/src/a.rs", true);
        check("src/*.rs", "/w/src/x/a.rs", false);
        check("src", "/w/a/src/b", true);
        check("build/", "/w/build/x", true);
        check("build/", "/w/build", false);
        check("/etc/shadow", "/etc/shadow", true);
        check("/etc", "/etc/passwd", true);
        check("/etc", "/etcetera", false);
        check("~/.ssh", "/home/u/.ssh/id_ed25519", true);
        check("~/.ssh", "/root/.ssh/id", false);
        check("**/secret/*.txt", "/w/a/secret/b.txt", true);
        check("a?c", "/w/abc", true);
        check("[ab].txt", "/w/b.txt", true);
        check("[!ab].txt", "/w/b.txt", false);
        check("{a,b}", "/w/a", false);
        check("{a,b}", "/w/{a,b}", true);
        check("/", "/anything/at/all", true);
        check("~/", "/home/u/x", true);
        check("日本*", "/w/日本語.txt", true);
    }

    #[test]
    fn case_is_ignored_only_where_asked() {
        let fit = |ignore| PathGlob::new(".env", ignore).unwrap().fit("/w/.ENV", None, None);
        assert_eq!(fit(true), MatchResult::Yes);
        assert_eq!(fit(false), MatchResult::No);
    }

    #[test]
    fn unknown_anchor_gives_unknown() {
        assert_eq!(PathGlob::new("src/x", false).unwrap().fit("/w/src/x", None, None), MatchResult::Unknown);
        assert_eq!(PathGlob::new("~/x", false).unwrap().fit("/w/src/x", None, None), MatchResult::Unknown);
    }

    #[test]
    fn invalid_globs_are_refused() {
        for glob in ["!a", "a/../b", "a//b", "./a", "a\u{0}b", "[a", "a\\"] {
            assert!(PathGlob::new(glob, false).is_err(), "{glob:?}");
        }
    }
}

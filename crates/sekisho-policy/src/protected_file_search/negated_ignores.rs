//! Hidden files that ignore files re-include.

use crate::name_glob::{LeadingDot, NameGlob};
use crate::paths::is_within;

/// What one `!pattern` line re-includes.
pub(super) struct NegatedIgnore {
    /// Only files below this directory.
    within: Option<String>,
    /// Files whose name it matches, in whichever directory the pattern requires.
    name: NameGlob,
}

impl NegatedIgnore {
    /// A pattern of a file at a location where programs disagree about what it is relative to.
    pub(super) fn anywhere(pattern: &str) -> NegatedIgnore {
        let pattern = pattern.trim_end();
        // Some programs read braces as alternatives, and a lone `**` is everything below.
        let is_all = pattern.is_empty() || pattern.ends_with("**") || pattern.contains(['{', '}']);
        let last = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or(pattern);
        let name = NameGlob::new(if is_all || last.is_empty() { "*" } else { last });
        NegatedIgnore { within: None, name }
    }

    /// A pattern of a file in a directory that is searched.
    pub(super) fn below(pattern: &str, directory: &str) -> NegatedIgnore {
        let named = pattern.trim_end().strip_suffix("/**").map(|named| named.trim_start_matches('/'));
        let is_plain = |named: &&str| !named.is_empty() && !named.contains(['*', '?', '[', '\\', '{', '}']);
        let within =
            named.filter(is_plain).map(|named| format!("{}/{named}", directory.trim_end_matches('/')));
        NegatedIgnore { within, ..NegatedIgnore::anywhere(pattern) }
    }

    /// Whether it re-includes a name in a directory.
    pub(super) fn brings_back(&self, directory: &str, name: &str) -> bool {
        self.within.as_ref().is_none_or(|within| is_within(directory, within))
            && (!self.name.is_exact() || self.name.matches(name, LeadingDot::Wild))
    }
}

#[cfg(test)]
mod tests {
    use super::NegatedIgnore;

    fn brought_back(pattern: &str, directory: &str, name: &str) -> bool {
        NegatedIgnore::below(pattern, "/w").brings_back(directory, name)
    }

    #[test]
    fn directories_are_reincluded() {
        for pattern in ["sub/**", "/sub/**", "**/sub/**", "/**", "", "**", "*", "s*/**", "{sub,x}/**"] {
            assert!(brought_back(pattern, "/w/sub", ".env"), "{pattern}");
            assert!(NegatedIgnore::anywhere(pattern).brings_back("/w/sub", ".env"), "{pattern}");
        }
        assert!(brought_back("sub/**", "/w/sub/deep", ".env"));
        assert!(!brought_back("sub/**", "/w", ".env") && !brought_back("/a/b/**", "/w/a", ".env"));
    }

    #[test]
    fn names_are_reincluded() {
        for pattern in [".env", "sub/.env", ".e*", "{.env}", "/{a,.env}", ".env/", ".env \u{3000}", "*@(x)"] {
            assert!(brought_back(pattern, "/w/x", ".env"), "{pattern}");
        }
        for pattern in [".envrc", "env", "sub/x", ".github"] {
            assert!(!brought_back(pattern, "/w/x", ".env"), "{pattern}");
        }
    }
}

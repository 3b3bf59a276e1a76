//! Hidden files that ignore files bring back.

use crate::name_glob::{LeadingDot, NameGlob};
use crate::paths::is_within;

/// What one line brings back.
pub(super) struct NegatedIgnore {
    /// Only below this directory.
    within: Option<String>,
    /// Files whose name it matches, wherever the pattern says that they lie.
    name: NameGlob,
}

impl NegatedIgnore {
    /// A pattern of a file that lies where programs do not agree what it counts from.
    pub(super) fn anywhere(pattern: &str) -> NegatedIgnore {
        let pattern = pattern.trim_end();
        // Braces are alternatives to some, and nothing but `**` is everything below.
        let is_all = pattern.is_empty() || pattern.ends_with("**") || pattern.contains(['{', '}']);
        let last = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or(pattern);
        let name = NameGlob::new(if is_all || last.is_empty() { "*" } else { last });
        NegatedIgnore { within: None, name }
    }

    /// A pattern of a file in a directory that is walked through.
    pub(super) fn below(pattern: &str, directory: &str) -> NegatedIgnore {
        let named = pattern.trim_end().strip_suffix("/**").map(|named| named.trim_start_matches('/'));
        let is_plain = |named: &&str| !named.is_empty() && !named.contains(['*', '?', '[', '\\', '{', '}']);
        let within =
            named.filter(is_plain).map(|named| format!("{}/{named}", directory.trim_end_matches('/')));
        NegatedIgnore { within, ..NegatedIgnore::anywhere(pattern) }
    }

    /// Whether it brings a name in a directory back.
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
    fn whole_directories_come_back() {
        for pattern in ["sub/**", "/sub/**", "**/sub/**", "/**", "", "**", "*", "s*/**", "{sub,x}/**"] {
            assert!(brought_back(pattern, "/w/sub", ".env"), "{pattern}");
            assert!(NegatedIgnore::anywhere(pattern).brings_back("/w/sub", ".env"), "{pattern}");
        }
        assert!(brought_back("sub/**", "/w/sub/deep", ".env"));
        assert!(!brought_back("sub/**", "/w", ".env") && !brought_back("/a/b/**", "/w/a", ".env"));
    }

    #[test]
    fn names_come_back() {
        for pattern in [".env", "sub/.env", ".e*", "{.env}", "/{a,.env}", ".env/", ".env \u{3000}", "*@(x)"] {
            assert!(brought_back(pattern, "/w/x", ".env"), "{pattern}");
        }
        for pattern in [".envrc", "env", "sub/x", ".github"] {
            assert!(!brought_back(pattern, "/w/x", ".env"), "{pattern}");
        }
    }
}

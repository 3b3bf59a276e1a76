//! Converts other agents' path patterns to our `path`.
//!
//! In our rules `/x` is absolute, `~/x` is under the home directory, `a/b` is below the workspace root, and a
//! name without a slash matches anywhere. So an allow for a name anywhere *in the workspace* needs two globs:
//! one for files in some directory, and one for files at the root, where a character class with a slash in it
//! anchors the glob (`README.m[d/]`).

use sekisho_policy::{Effect, Rule};

use super::conversion::tool;

/// Everything in the workspace, except the workspace itself.
pub(super) const WORKSPACE: &str = "*[!/]";

/// A rule for a file tool and matching paths.
pub(super) fn on(name: &str, path: &str) -> Rule {
    Rule { path: Some(path.into()), ..tool(name) }
}

/// A gitignore-style pattern below the workspace root, as our globs.
pub(super) fn in_workspace(effect: Effect, pattern: &str) -> Vec<String> {
    let name = pattern.strip_prefix("**/").unwrap_or(pattern);
    let anchored = name.trim_end_matches('/').contains('/');
    if effect != Effect::Allow || (anchored && name == pattern) {
        return vec![pattern.into()];
    }
    if name.chars().all(|c| c == '*') {
        return vec![WORKSPACE.into()];
    }
    let below = format!("*/**/{name}");
    // A name that contains a slash is anchored already.
    let at_root = if anchored { Some(name.to_owned()) } else { at_root(name) };
    at_root.into_iter().chain([below]).collect()
}

/// A name at the workspace root and nowhere else.
pub(super) fn at_root(name: &str) -> Option<String> {
    let last = name.chars().next_back()?;
    match last {
        '*' => Some(format!("{name}[!/]")),
        last if last.is_alphanumeric() => {
            let kept = name.strip_suffix(last)?;
            // A character class cannot be extended.
            let open = kept.rfind('[') > kept.rfind(']');
            (!open).then(|| format!("{kept}[{last}/]"))
        }
        _ => None,
    }
}

/// The longest literal piece that every matching path contains.
pub(super) fn core(pattern: &str) -> Option<&str> {
    let pieces = pattern.split(['/', '*', '?', '~']);
    let pieces =
        pieces.filter(|piece| !piece.contains(['[', ']', '\\', '!']) && *piece != "." && *piece != "..");
    pieces.filter(|piece| piece.len() > 1).max_by_key(|piece| piece.len())
}

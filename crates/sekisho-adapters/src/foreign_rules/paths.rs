//! What other agents say of paths, as our `path`.
//!
//! Ours: `/x` is absolute, `~/x` is at home, `a/b` is below the workspace root, and a name without a slash is that name
//! anywhere. An allow for names anywhere *in the workspace* is therefore two: one for what is in some directory, one for
//! what lies at the root, where a class with a slash in it keeps the glob at the root (`README.m[d/]`).

use sekisho_policy::{Effect, Rule};

use super::conversion::tool;

/// Everything in the workspace, the workspace itself left out.
pub(super) const WORKSPACE: &str = "*[!/]";

/// A file tool, for paths that match.
pub(super) fn on(name: &str, path: &str) -> Rule {
    Rule { path: Some(path.into()), ..tool(name) }
}

/// A gitignore-style pattern below the workspace root, in our globs.
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
    // With a slash of its own a name is anchored as it is.
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
            // Inside a class nothing more can be said.
            let open = kept.rfind('[') > kept.rfind(']');
            (!open).then(|| format!("{kept}[{last}/]"))
        }
        _ => None,
    }
}

/// The longest piece of a pattern that every matching path holds as it is.
pub(super) fn core(pattern: &str) -> Option<&str> {
    let pieces = pattern.split(['/', '*', '?', '~']);
    let pieces =
        pieces.filter(|piece| !piece.contains(['[', ']', '\\', '!']) && *piece != "." && *piece != "..");
    pieces.filter(|piece| piece.len() > 1).max_by_key(|piece| piece.len())
}

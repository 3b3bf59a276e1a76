//! Sekisho's own files, wherever they lie.
//!
//! The built-in list protects the usual places by name. Where the environment puts config or state elsewhere, the places
//! themselves are protected: an agent that could write the record of trust could trust itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sekisho_policy::{Broken, Layer, LayerKind};
use serde_json::json;

use crate::locations::Locations;

/// Tools that write.
const WRITERS: [&str; 3] = ["write", "edit", "delete"];

/// A layer that guards the files of these locations. Broken where a place cannot be named in a rule.
pub(crate) fn layer(locations: &Locations) -> Result<Layer, Broken> {
    let state = places(&locations.state);
    let note = "an agent may not write the state of its own checkpoint";
    let guard = |place: &String| WRITERS.map(|tool| json!({ "tool": tool, "path": place, "note": note }));
    let denies: Vec<_> = state.iter().flat_map(guard).collect();
    let protected: Vec<_> =
        state.iter().cloned().chain(places(&locations.global)).chain(places(&locations.managed)).collect();
    let config = json!({
        "version": 1,
        "permissions": { "deny": denies },
        "protected_paths": { "add": protected },
    });
    Layer::parse(LayerKind::BuiltIn, "built-in", &config.to_string()).map_err(|error| {
        let error =
            format!("{}: its place cannot be protected: {}", locations.state.display(), error.message);
        Broken { kind: LayerKind::Managed, name: "built-in".into(), error }
    })
}

/// A place as globs: as it is named, and where links lead.
fn places(path: &Path) -> BTreeSet<String> {
    let resolved: Option<PathBuf> = path
        .ancestors()
        .find_map(|there| Some(there.canonicalize().ok()?.join(path.strip_prefix(there).ok()?)));
    [Some(path.to_path_buf()), resolved].into_iter().flatten().map(|path| glob(&path)).collect()
}

/// A path as a glob that matches nothing else.
fn glob(path: &Path) -> String {
    let mut glob = String::new();
    for c in path.to_string_lossy().chars() {
        if "*?[]\\!".contains(c) {
            glob.push('\\');
        }
        glob.push(c);
    }
    // What joining an empty rest leaves behind would speak of what is below only.
    glob.trim_end_matches('/').into()
}

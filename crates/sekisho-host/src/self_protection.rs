//! Sekisho's own files, programs and door, wherever they are, and what makes agents start its hooks.
//!
//! The built-in list protects the usual places by name. Where the environment puts config or state elsewhere, the places
//! themselves are protected: an agent that could write the record of trust could trust itself. No agent has business with
//! the server either: what asks for it does so by itself, and whoever could reach it could try to answer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sekisho_policy::{BrokenLayer, Layer, LayerKind};
use serde_json::json;

use crate::installation::{InstallScope, Installation, Installations};
use crate::locations::Locations;

/// A layer that guards the files of these locations. Broken where a place cannot be named in a rule.
pub(crate) fn self_protection_layer(locations: &Locations) -> Result<Layer, BrokenLayer> {
    let state = path_globs(&locations.state);
    let installed = installed(locations);
    let mut denies = Vec::new();
    for place in &state {
        for tool in ["write", "edit", "delete"] {
            let note = "an agent may not write the state of its own checkpoint";
            denies.push(format!(r#"{{ "tool": "{tool}", "path": {}, "note": "{note}" }}"#, json!(place)));
        }
    }
    let programs: BTreeSet<String> = programs(&installed).iter().flat_map(|path| path_globs(path)).collect();
    for program in &programs {
        for tool in ["write", "edit", "delete"] {
            let note = "an agent may not replace its own checkpoint";
            denies.push(format!(r#"{{ "tool": "{tool}", "path": {}, "note": "{note}" }}"#, json!(program)));
        }
    }
    for door in &locations.doors {
        let note = "an agent may not call its own checkpoint";
        let glob = json!(format!("*{}*", command_glob(door)));
        denies.push(format!(r#"{{ "tool": "bash", "command_glob": {glob}, "note": "{note}" }}"#));
    }
    let protected: Vec<_> = state
        .iter()
        .cloned()
        .chain(path_globs(&locations.global))
        .chain(path_globs(&locations.managed))
        .collect();
    let hooked = installed.iter().flat_map(|installation| path_globs(&settings_of(installation)));
    let protected: Vec<_> = protected.into_iter().chain(programs).chain(hooked).collect();
    let config = format!(
        r#"{{ "version": 1, "permissions": {{ "deny": [{}] }}, "protected_paths": {{ "add": {} }} }}"#,
        denies.join(", "),
        json!(protected)
    );
    Layer::parse(LayerKind::BuiltIn, "built-in", &config).map_err(|error| {
        let error =
            format!("{}: its place cannot be protected: {}", locations.state.display(), error.message);
        BrokenLayer { kind: LayerKind::Managed, name: "built-in".into(), error }
    })
}

/// The hooks that are installed. One that cannot be read guards nothing, and does not start either.
fn installed(locations: &Locations) -> Vec<Installation> {
    let all = Installations::at(&locations.state).all().unwrap_or_default();
    all.into_iter().filter_map(|(_, installation)| installation.ok()).collect()
}

/// The programs the checkpoint consists of: each hook, and what lies beside it.
fn programs(installed: &[Installation]) -> BTreeSet<PathBuf> {
    let beside = |installation: &Installation| {
        [installation.hook.clone(), installation.hook.with_file_name("sekisho")]
    };
    installed.iter().flat_map(beside).collect()
}

/// What makes an agent start its hook: the directory of its settings, which may hold plugins as well; of a project's only
/// the file, since it lies among everything else.
fn settings_of(installation: &Installation) -> PathBuf {
    let file = &installation.settings;
    let directory =
        file.parent().filter(|directory| Some(*directory) != installation.locations.home.as_deref());
    match (&installation.reach, directory) {
        (InstallScope::Global, Some(directory)) => directory.to_path_buf(),
        _ => file.clone(),
    }
}

/// Places that the built-in list protects by name.
const USUAL: [&str; 3] = [".local/state/sekisho", ".config/sekisho/config.json", "/etc/sekisho/config.json"];

/// A place as globs: as it is named, and where links lead.
fn path_globs(path: &Path) -> BTreeSet<String> {
    let resolved: Option<PathBuf> = path
        .ancestors()
        .find_map(|there| Some(there.canonicalize().ok()?.join(path.strip_prefix(there).ok()?)));
    let unusual = |path: &PathBuf| !USUAL.iter().any(|usual| path.ends_with(usual));
    [Some(path.to_path_buf()), resolved]
        .into_iter()
        .flatten()
        .filter(unusual)
        .map(|path| glob(&path))
        .collect()
}

/// A text as it can stand in a `command_glob`, which knows no escapes: what is special there becomes any one character,
/// and blanks are folded as those of a command are.
fn command_glob(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('*', "?")
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

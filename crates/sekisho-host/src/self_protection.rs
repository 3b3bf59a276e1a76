//! The built-in layer that protects sekisho's own files, programs and server, and the settings that start its
//! hooks.
//!
//! The built-in list protects the usual paths by name. If config or state is elsewhere, those paths are
//! protected here: an agent that could write the trust records could trust itself. Agents must not call the
//! server either: hooks do that for them, and an agent that could reach the server could try to answer its
//! own questions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sekisho_policy::{BrokenLayer, Layer, LayerKind};
use serde_json::json;

use crate::hook_installation::{InstallScope, Installation, Installations};
use crate::locations::Locations;

/// A layer that protects the files of these locations. Broken if a path cannot be written in a rule.
pub(crate) fn self_protection_layer(locations: &Locations) -> Result<Layer, BrokenLayer> {
    let state = path_globs(&locations.state);
    let installed = installed(locations);
    let mut denies = Vec::new();
    for glob in &state {
        for tool in ["write", "edit", "delete"] {
            let note = "an agent may not write the state of its own checkpoint";
            denies.push(format!(r#"{{ "tool": "{tool}", "path": {}, "note": "{note}" }}"#, json!(glob)));
        }
    }
    let programs: BTreeSet<String> = programs(&installed).iter().flat_map(|path| path_globs(path)).collect();
    let own: BTreeSet<String> = own_programs().iter().flat_map(|path| path_globs(path)).collect();
    for program in programs.union(&own) {
        for tool in ["write", "edit", "delete"] {
            let note = "an agent may not replace its own checkpoint";
            denies.push(format!(r#"{{ "tool": "{tool}", "path": {}, "note": "{note}" }}"#, json!(program)));
        }
    }
    for address in &locations.doors {
        let note = "an agent may not call its own checkpoint";
        let glob = json!(format!("*{}*", command_glob(address)));
        denies.push(format!(r#"{{ "tool": "bash", "command_glob": {glob}, "note": "{note}" }}"#));
    }
    let protected: Vec<_> = state
        .iter()
        .cloned()
        .chain(path_globs(&locations.global))
        .chain(path_globs(&locations.global.with_file_name("server.json")))
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
            format!("{}: this path cannot be protected: {}", locations.state.display(), error.message);
        BrokenLayer { kind: LayerKind::Managed, name: "built-in".into(), error }
    })
}

/// The installed hooks. An unreadable installation protects nothing, and its hook does not start either.
fn installed(locations: &Locations) -> Vec<Installation> {
    let all = Installations::at(&locations.state).all().unwrap_or_default();
    all.into_iter().filter_map(|(_, installation)| installation.ok()).collect()
}

/// The programs of the checkpoint, which are installed in one directory.
const PROGRAMS: [&str; 3] = ["sekisho", "sekisho-hook", "sekisho-sandbox"];

/// The programs of the checkpoint where hooks are installed: each hook, and the others in the same directory.
fn programs(installed: &[Installation]) -> BTreeSet<PathBuf> {
    installed.iter().flat_map(|installation| with_others(&installation.hook)).collect()
}

/// This program, and the others in the same directory. They may be read: a person may work on sekisho itself.
fn own_programs() -> Vec<PathBuf> {
    std::env::current_exe().map(|own| with_others(&own)).unwrap_or_default()
}

fn with_others(program: &Path) -> Vec<PathBuf> {
    let others = PROGRAMS.iter().map(|name| program.with_file_name(name));
    others.chain([program.to_path_buf()]).collect()
}

/// What makes an agent start its hook: the directory of its settings, which may hold plugins as well. In a
/// project only the file, because other files are in the same directory.
fn settings_of(installation: &Installation) -> PathBuf {
    let file = &installation.settings;
    let directory =
        file.parent().filter(|directory| Some(*directory) != installation.locations.home.as_deref());
    match (&installation.reach, directory) {
        (InstallScope::Global, Some(directory)) => directory.to_path_buf(),
        _ => file.clone(),
    }
}

/// Paths that the built-in list protects by name.
const USUAL: [&str; 3] = [".local/state/sekisho", ".config/sekisho/config.json", "/etc/sekisho/config.json"];

/// A path as globs: as it is named, and where links lead.
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

/// A text for use in a `command_glob`, which has no escapes: special characters become `?`, and blanks are
/// folded as in a command.
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
    // A trailing slash, left by joining an empty rest, would match only what is below.
    glob.trim_end_matches('/').into()
}

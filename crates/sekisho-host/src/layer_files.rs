//! Reads all layers that are files.

use std::path::{Path, PathBuf};

use sekisho_policy::{BrokenLayer, Layer, LayerKind, LayerTrust, Layers, MAX_CONFIG_BYTES};

use crate::error::HostError;
use crate::file_io;
use crate::locations::{Locations, ProjectFiles, Workspace};
use crate::self_protection;
use crate::trust::{TrustRecords, TrustStore, sha256};

/// The file layers, and what was found in each file.
#[derive(Clone, Debug)]
pub struct LoadedLayers {
    /// What a policy is compiled from.
    pub layers: Layers,
    /// Every file that was looked for, in the order of the layers.
    pub sources: Vec<LayerFile>,
    /// Other problems for people, such as unreadable trust records.
    pub problems: Vec<String>,
}

/// A file that a layer can come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerFile {
    /// The layer.
    pub kind: LayerKind,
    /// Its path.
    pub path: PathBuf,
    /// What was found.
    pub state: LayerFileState,
    /// SHA-256 of the text, if it loads.
    pub sha256: Option<String>,
}

/// What was found in a layer file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerFileState {
    /// There is no file, so the layer has no rules.
    Absent,
    /// All its rules apply.
    Active,
    /// It can only tighten until somebody trusts it.
    NotTrusted,
    /// It can only tighten, because it is not the file at the workspace root.
    OnlyTightens,
    /// It does not load.
    Broken(String),
}

/// Reads the managed, global and project files. Never fails: a file that does not load becomes a broken
/// layer.
pub fn load_layers(locations: &Locations, workspace: &Workspace) -> LoadedLayers {
    load_projects(locations, &ProjectFiles::of(workspace))
}

pub(crate) fn load_projects(locations: &Locations, projects: &ProjectFiles) -> LoadedLayers {
    let mut loaded = LoadedLayers { layers: Layers::default(), sources: Vec::new(), problems: Vec::new() };
    match self_protection::self_protection_layer(locations) {
        Ok(layer) => loaded.layers.loaded.push(layer),
        Err(broken) => loaded.layers.broken.push(broken),
    }
    loaded.take(LayerKind::Managed, &locations.managed, LayerTrust::Full, read(&locations.managed));
    let global = read(&locations.global).and_then(|text| match text {
        None if locations.global_is_named => Err(HostError::file(
            &locations.global,
            "the named config file does not exist; create it, or name another",
        )),
        text => Ok(text),
    });
    loaded.take(LayerKind::Global, &locations.global, LayerTrust::Full, global);

    let records = TrustStore::at(&locations.state).records().unwrap_or_else(|error| {
        loaded.problems.push(format!("{error}; no project file is trusted until this is fixed"));
        TrustRecords::default()
    });
    let root = projects.root_identity().map(|root| root.open()).transpose();
    for path in projects.files() {
        let text = match &root {
            Ok(Some(root)) => read_as(&root.path_of(path), path),
            Ok(None) => read(path),
            Err(error) => Err(HostError::file(path, error.to_string())),
        };
        let trusted =
            text.as_ref().is_ok_and(|text| text.as_ref().is_some_and(|text| records.covers(path, text)));
        let trust = match (projects.can_loosen(path), trusted) {
            (true, true) => LayerTrust::Full,
            (true, false) => LayerTrust::Untrusted,
            (false, _) => LayerTrust::OutsideRoot,
        };
        loaded.take(LayerKind::Project, path, trust, text);
    }
    loaded
}

fn read(path: &Path) -> Result<Option<String>, HostError> {
    file_io::read(path, MAX_CONFIG_BYTES)
}

/// Reads a file through another path to it, which errors do not mention.
fn read_as(opened: &Path, path: &Path) -> Result<Option<String>, HostError> {
    read(opened).map_err(|error| match error {
        HostError::File { fault, .. } => HostError::file(path, fault),
        other => other,
    })
}

impl LoadedLayers {
    fn take(
        &mut self,
        kind: LayerKind,
        path: &Path,
        trust: LayerTrust,
        text: Result<Option<String>, HostError>,
    ) {
        let name = path.to_string_lossy();
        let parsed = text.and_then(|text| {
            text.map(|text| Layer::parse(kind, &name, &text).map_err(HostError::from)).transpose()
        });
        let (state, sha256) = match parsed {
            Ok(None) => (LayerFileState::Absent, None),
            Ok(Some(mut layer)) => {
                layer.trust = trust;
                let sha256 = sha256(&layer.text);
                self.layers.loaded.push(layer);
                let state = match trust {
                    LayerTrust::Full => LayerFileState::Active,
                    LayerTrust::Untrusted => LayerFileState::NotTrusted,
                    LayerTrust::OutsideRoot => LayerFileState::OnlyTightens,
                };
                (state, Some(sha256))
            }
            Err(error) => {
                let error = error.to_string();
                self.layers.broken.push(BrokenLayer { kind, name: name.to_string(), error: error.clone() });
                (LayerFileState::Broken(error), None)
            }
        };
        self.sources.push(LayerFile { kind, path: path.to_path_buf(), state, sha256 });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;
    use crate::locations::PROJECT_CONFIG;

    /// A link on the way leads to a project without rules.
    #[test]
    fn rules_of_another_directory_do_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["a/project/.sekisho", "other/project"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        let root = top.join("a/project");
        fs::write(root.join(PROJECT_CONFIG), r#"{ "version": 1 }"#).unwrap();
        let locations = Locations {
            managed: top.join("managed"),
            global: top.join("global"),
            global_is_named: false,
            state: top.join("state"),
            home: None,
            doors: Vec::new(),
        };
        let found = fs::metadata(&root).unwrap();
        let projects = ProjectFiles::restrict_only([root.as_path()]);
        let projects = projects.with_root_identity(&root, found.dev(), found.ino());
        let state = || {
            let loaded = load_projects(&locations, &projects);
            loaded.sources.into_iter().find(|file| file.path == root.join(PROJECT_CONFIG)).unwrap().state
        };
        assert_eq!(state(), LayerFileState::OnlyTightens);
        fs::rename(top.join("a"), top.join("b")).unwrap();
        symlink("other", top.join("a")).unwrap();
        assert!(matches!(state(), LayerFileState::Broken(why) if why.contains("exchanged")));
        fs::remove_file(top.join("a")).unwrap();
        fs::rename(top.join("b"), top.join("a")).unwrap();
        assert_eq!(state(), LayerFileState::OnlyTightens);
    }
}

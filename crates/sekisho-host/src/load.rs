//! Reading every layer that is a file.

use std::path::{Path, PathBuf};

use sekisho_policy::{Broken, LARGEST_CONFIG, Layer, LayerKind, Layers, Standing};

use crate::error::HostError;
use crate::file;
use crate::locations::{Locations, Projects, Workspace};
use crate::own;
use crate::trust::{Records, Trust, sha256};

/// The layers that are files, and what was found where.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What a policy is compiled from.
    pub layers: Layers,
    /// Every place that was looked at, in the order of the layers.
    pub sources: Vec<Source>,
    /// What else a person should know, such as a record of trust that cannot be read.
    pub problems: Vec<String>,
}

/// One place a layer can come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Which layer.
    pub kind: LayerKind,
    /// The file.
    pub path: PathBuf,
    /// What was found.
    pub state: State,
    /// SHA-256 of the text, where it loads.
    pub sha256: Option<String>,
}

/// What was found at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// No file: the layer says nothing.
    Absent,
    /// All its rules count.
    Counts,
    /// It can only tighten until somebody trusts it.
    NotTrusted,
    /// It can only tighten: it is not the file at the workspace root.
    OnlyTightens,
    /// It does not load.
    Broken(String),
}

/// Reads the managed, global and project files. Never fails: what does not load is among the layers as broken.
pub fn load(locations: &Locations, workspace: &Workspace) -> Loaded {
    load_projects(locations, &Projects::of(workspace))
}

pub(crate) fn load_projects(locations: &Locations, projects: &Projects) -> Loaded {
    let mut loaded = Loaded { layers: Layers::default(), sources: Vec::new(), problems: Vec::new() };
    match own::layer(locations) {
        Ok(layer) => loaded.layers.loaded.push(layer),
        Err(broken) => loaded.layers.broken.push(broken),
    }
    loaded.take(LayerKind::Managed, &locations.managed, Standing::Full, read(&locations.managed));
    let global = read(&locations.global).and_then(|text| match text {
        None if locations.global_is_named => Err(HostError::file(
            &locations.global,
            "the config that was named is not there; create it, or name another",
        )),
        text => Ok(text),
    });
    loaded.take(LayerKind::Global, &locations.global, Standing::Full, global);

    let records = Trust::at(&locations.state).records().unwrap_or_else(|error| {
        loaded.problems.push(format!("{error}; until then no project file is trusted"));
        Records::default()
    });
    for path in projects.files() {
        let text = read(path);
        let trusted =
            text.as_ref().is_ok_and(|text| text.as_ref().is_some_and(|text| records.covers(path, text)));
        let standing = match (projects.can_loosen(path), trusted) {
            (true, true) => Standing::Full,
            (true, false) => Standing::Untrusted,
            (false, _) => Standing::OutsideRoot,
        };
        loaded.take(LayerKind::Project, path, standing, text);
    }
    loaded
}

fn read(path: &Path) -> Result<Option<String>, HostError> {
    file::read(path, LARGEST_CONFIG)
}

impl Loaded {
    fn take(
        &mut self,
        kind: LayerKind,
        path: &Path,
        standing: Standing,
        text: Result<Option<String>, HostError>,
    ) {
        let name = path.to_string_lossy();
        let parsed = text.and_then(|text| {
            text.map(|text| Layer::parse(kind, &name, &text).map_err(HostError::from)).transpose()
        });
        let (state, sha256) = match parsed {
            Ok(None) => (State::Absent, None),
            Ok(Some(mut layer)) => {
                layer.standing = standing;
                let sha256 = sha256(&layer.text);
                self.layers.loaded.push(layer);
                let state = match standing {
                    Standing::Full => State::Counts,
                    Standing::Untrusted => State::NotTrusted,
                    Standing::OutsideRoot => State::OnlyTightens,
                };
                (state, Some(sha256))
            }
            Err(error) => {
                let error = error.to_string();
                self.layers.broken.push(Broken { kind, name: name.to_string(), error: error.clone() });
                (State::Broken(error), None)
            }
        };
        self.sources.push(Source { kind, path: path.to_path_buf(), state, sha256 });
    }
}

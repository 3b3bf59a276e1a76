//! File layers that are read again when a file changes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sekisho_policy::{Layer, Layers};

use crate::layer_files::{LayerFile, LayerFileState, LoadedLayers, load_projects};
use crate::locations::{Locations, ProjectFiles};
use crate::stamp::{Stamp, stamp};

/// The denies of each file when it last loaded. Shared by all [`ReloadingLayers`] of a process, so that they
/// outlive any of them.
#[derive(Clone, Debug, Default)]
pub struct LastGoodDenies(Arc<Mutex<HashMap<PathBuf, Layer>>>);

impl LastGoodDenies {
    /// Keeps the denies of a file in force while it does not load.
    fn keep_denies(&self, layers: &mut Layers, sources: &[LayerFile]) {
        let mut denies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for layer in &layers.loaded {
            denies.insert(PathBuf::from(&*layer.name), layer.clone().denies_only());
        }
        for source in sources {
            let name = PathBuf::from(&*source.path.to_string_lossy());
            match source.state {
                LayerFileState::Absent => drop(denies.remove(&name)),
                LayerFileState::Broken(_) => layers.loaded.extend(denies.get(&name).cloned()),
                LayerFileState::Active | LayerFileState::NotTrusted | LayerFileState::OnlyTightens => {}
            }
        }
    }
}

/// The layers for one workspace, as they were last read.
#[derive(Debug)]
pub struct ReloadingLayers {
    locations: Locations,
    projects: ProjectFiles,
    last_good: LastGoodDenies,
    files: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    loaded: LoadedLayers,
}

impl ReloadingLayers {
    /// Reads them for the first time.
    pub fn read(locations: Locations, projects: ProjectFiles, last_good: LastGoodDenies) -> ReloadingLayers {
        let files = locations.files().into_iter().chain(projects.files().iter().cloned()).collect::<Vec<_>>();
        // Stamped before they are read: a change in between is read again.
        let stamps = files.iter().map(|file| stamp(file)).collect();
        let mut loaded = load_projects(&locations, &projects);
        last_good.keep_denies(&mut loaded.layers, &loaded.sources);
        ReloadingLayers { locations, projects, last_good, files, stamps, loaded }
    }

    /// Reads again if a file's stamp has changed. Returns whether anything changed.
    pub fn reload_if_changed(&mut self) -> bool {
        let unchanged = self.files.iter().zip(&self.stamps).all(|(file, before)| stamp(file) == *before);
        !unchanged && self.reload()
    }

    /// Reads again. Returns whether anything changed.
    pub fn reload(&mut self) -> bool {
        self.stamps = self.files.iter().map(|file| stamp(file)).collect();
        let mut next = load_projects(&self.locations, &self.projects);
        if next.sources == self.loaded.sources && next.problems == self.loaded.problems {
            return false;
        }
        self.last_good.keep_denies(&mut next.layers, &next.sources);
        self.loaded = next;
        true
    }

    /// The layers, with the last good denies of files that do not load.
    pub fn loaded(&self) -> &LoadedLayers {
        &self.loaded
    }
}

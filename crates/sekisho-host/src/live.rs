//! The policy in force, swapped whole when a file changes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use sekisho_policy::{Layer, Layers, Policy};

use crate::load::{Loaded, Source, State, load};
use crate::locations::{Locations, Workspace};

/// One policy, and what it was made of.
pub struct Current {
    /// Ready to judge.
    pub policy: Policy,
    /// Counts up with every swap, from 1.
    pub generation: u64,
    /// What was read.
    pub sources: Vec<Source>,
    /// What else a person should know.
    pub problems: Vec<String>,
}

/// Holds the policy in force. A judgement takes it once and sees one whole policy to its end.
pub struct Live {
    current: RwLock<Arc<Current>>,
}

impl Live {
    fn new(current: Current) -> Live {
        Live { current: RwLock::new(Arc::new(current)) }
    }

    /// The policy in force.
    pub fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn swap(&self, next: Current) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }
}

/// Reads the files again and again, remembering the last good text of each.
pub(crate) struct Reloader {
    locations: Locations,
    workspace: Workspace,
    last_good: HashMap<PathBuf, Layer>,
}

impl Reloader {
    /// Reads for the first time.
    pub(crate) fn start(locations: Locations, workspace: Workspace) -> (Reloader, Live) {
        let mut reloader = Reloader { locations, workspace, last_good: HashMap::new() };
        let loaded = load(&reloader.locations, &reloader.workspace);
        let live = Live::new(reloader.compile(loaded, 1));
        (reloader, live)
    }

    /// Reads again, and swaps if anything is different.
    pub(crate) fn reload(&mut self, live: &Live) {
        let loaded = load(&self.locations, &self.workspace);
        let current = live.current();
        if loaded.sources != current.sources || loaded.problems != current.problems {
            live.swap(self.compile(loaded, current.generation + 1));
        }
    }

    fn compile(&mut self, loaded: Loaded, generation: u64) -> Current {
        let Loaded { mut layers, sources, problems } = loaded;
        self.keep_denies(&mut layers, &sources);
        Current { policy: Policy::compile(layers), generation, sources, problems }
    }

    /// What a file forbade stays forbidden while it does not load.
    fn keep_denies(&mut self, layers: &mut Layers, sources: &[Source]) {
        for layer in &layers.loaded {
            self.last_good.insert(PathBuf::from(&*layer.name), layer.clone());
        }
        for source in sources {
            let name = PathBuf::from(&*source.path.to_string_lossy());
            match source.state {
                State::Absent => drop(self.last_good.remove(&name)),
                State::Broken(_) => {
                    layers.loaded.extend(self.last_good.get(&name).cloned().map(Layer::denies_only));
                }
                State::Counts | State::NotTrusted | State::OnlyTightens => {}
            }
        }
    }
}

//! This machine's files, as the gate asks for them.
//!
//! Every judgement looks at the stamps of the files that count at its place, so that a change counts at once, told of or
//! not. Watching adds what a look at one place cannot give: those who wait hear of changes that nobody asks about. What
//! sekisho writes itself is read again before writing returns.
//!
//! Only roots that were registered have a project file that can loosen. Any other root is something a request claims, and
//! what is claimed can only tighten.

mod places;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sekisho_gate::answer::Scope;
use sekisho_gate::display::{FileNote, Layout, visible};
use sekisho_gate::premises::{FileLayers, FileNow, Files, Keep, KeepError, Preview, RuleEdit, RuleEditError};
use sekisho_host::{Glance, HostError, Locations, Projects, Watch, Workspace, edit};
use sekisho_policy::{Effect, Facts, Layer, LayerKind, Need, Policy, Rule};
use tokio::sync::watch;

use places::Places;

/// The files of this machine.
pub struct Premises {
    places: Arc<Places>,
    /// Dropped with the premises: then nobody listens any more.
    watches: Mutex<Vec<Watch>>,
}

impl Premises {
    /// Reads the files that count everywhere and begins to watch them.
    pub fn new(locations: Locations) -> Result<Premises, HostError> {
        let files = locations.files();
        let state = locations.state.clone();
        let premises = Premises { places: Arc::new(Places::new(locations)), watches: Mutex::default() };
        premises.watch(files, &state)?;
        premises.places.pin(Projects::default());
        Ok(premises)
    }

    /// Lets the project file at a root loosen, while it is trusted, and begins to watch it. Gives the root as calls have
    /// to name it: resolved.
    pub fn register(&self, root: &Path) -> Result<String, HostError> {
        let workspace = Workspace::find(Some(root), None, root)?;
        let Some(name) = workspace.root.to_str().map(str::to_owned) else {
            return Err(HostError::File {
                path: workspace.root,
                fault: "its name is not UTF-8; rename it".into(),
            });
        };
        if !self.places.is_registered(&workspace.root) {
            self.watch(workspace.configs(), &workspace.root)?;
            self.places.register(&workspace.root);
            self.places.pin(self.places.projects(Some(&name), None));
            self.places.tell();
        }
        Ok(name)
    }

    fn watch(&self, files: Vec<PathBuf>, about: &Path) -> Result<(), HostError> {
        let places = Arc::clone(&self.places);
        let watch = Watch::start(files, move || places.reload()).map_err(|error| HostError::File {
            path: about.into(),
            fault: format!("it cannot be watched: {error}"),
        })?;
        self.watches.lock().unwrap_or_else(PoisonError::into_inner).push(watch);
        Ok(())
    }

    /// The file that rules of a scope are written to.
    fn target(&self, keep: &Keep) -> Result<(LayerKind, PathBuf), KeepError> {
        let failed = |fault: String| Err(KeepError::Failed(fault));
        match (keep.scope, &keep.root) {
            (Scope::Global, _) => Ok((LayerKind::Global, self.places.locations().global.clone())),
            (Scope::Project, Some(root)) if self.places.is_registered(Path::new(root)) => {
                Ok((LayerKind::Project, Path::new(root).join(sekisho_host::CONFIG_IN_PROJECT)))
            }
            (Scope::Project, Some(root)) => failed(format!(
                "`{root}` is not registered as a project here; register it, or choose session or global"
            )),
            (Scope::Project, None) => {
                failed("the call belongs to no project; choose session or global".into())
            }
            (Scope::Session, _) => failed("rules of a session are not kept in files".into()),
        }
    }
}

impl Files for Premises {
    fn layers(&self, root: Option<&str>, cwd: Option<&str>) -> FileLayers {
        let (layers, generation) =
            self.places.at(root, cwd, |live, mark| (live.loaded().layers.clone(), mark));
        FileLayers { layers, generation }
    }

    fn generation_at(&self, root: Option<&str>, cwd: Option<&str>) -> u64 {
        self.places.at(root, cwd, |_, mark| mark)
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.places.generation()
    }

    fn remember(&self, keep: Keep) -> Result<(), KeepError> {
        let (kind, path) = self.target(&keep)?;
        let changed = sekisho_host::change(self.places.locations(), kind, &path, &keep.by, keep.at, |text| {
            with_rules(kind, &path, text, keep.effect, &keep.rules)
        });
        // Also after a failure: the file may have been written and only the record of trust not.
        self.places.reload();
        match changed {
            Ok(_) => Ok(()),
            Err(HostError::NotTrusted { path, diff }) => {
                Err(KeepError::NotTrusted { path: path.to_string_lossy().into_owned(), diff })
            }
            Err(error) => Err(KeepError::Failed(error.to_string())),
        }
    }

    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        let locations = self.places.locations();
        let (path, kind) = (&locations.global, LayerKind::Global);
        let mut moved = false;
        let changed = sekisho_host::change(locations, kind, path, &edit.by, edit.at, |text| {
            let text = text.unwrap_or("");
            let layer = Layer::parse(kind, &path.to_string_lossy(), text).ok();
            let stands = |layer: &Layer| edit::as_shown(layer, edit.line, edit.effect, &edit.rule);
            match (layer.as_ref().and_then(stands), &edit.into) {
                (Some(position), Some((effect, rule))) => edit::replace(text, position, *effect, rule),
                (Some(position), None) => edit::remove(text, position),
                (None, _) => {
                    moved = true;
                    Err(HostError::File { path: path.clone(), fault: "the file changed just now".into() })
                }
            }
        });
        self.places.reload();
        match changed {
            Ok(_) => Ok(()),
            Err(_) if moved => Err(RuleEditError::Moved),
            Err(error) => Err(RuleEditError::Failed(error.to_string())),
        }
    }
}

/// A config text with those rules added that it does not have yet.
fn with_rules(
    kind: LayerKind,
    path: &Path,
    text: Option<&str>,
    effect: Effect,
    rules: &[Rule],
) -> Result<String, HostError> {
    let mut there: Vec<Rule> = Vec::new();
    if let Some(text) = text {
        let layer = Layer::parse(kind, &path.to_string_lossy(), text)?;
        let same_effect = layer.rules.into_iter().filter(|stated| stated.effect == effect);
        there.extend(same_effect.map(|stated| Rule { id: None, ..stated.rule }));
    }
    let mut written = text.map(str::to_owned);
    for rule in rules {
        let bare = Rule { id: None, ..rule.clone() };
        if !there.contains(&bare) {
            written = Some(edit::add(written.as_deref(), effect, rule)?);
            there.push(bare);
        }
    }
    written.ok_or_else(|| HostError::File { path: path.into(), fault: "there is no rule to write".into() })
}

impl Preview for Premises {
    fn facts(&self, policy: &Policy, needs: &[Need], root: Option<&str>, home: Option<&str>) -> Facts {
        sekisho_host::look_up(policy, needs, root, home.map(Path::new))
    }

    fn file(&self, path: &str) -> FileNow {
        match sekisho_host::glance(Path::new(path)) {
            Glance::Absent => FileNow::Absent,
            Glance::Text { sha256, text } => FileNow::Text { sha256, text },
            Glance::Unshown { sha256, why } => {
                let why = FileNote::Unshown { why: visible(&why, Layout::Line).into_owned() };
                FileNow::Unshown { sha256, why }
            }
        }
    }
}

//! Implements the gate's file ports over this machine's files.
//!
//! Every judgement checks the stamps of the files that apply to the call, so a change counts at once, with or
//! without a notification. Watching adds notifications of changes that no call has checked. Files that
//! sekisho writes itself are read again before the write returns.
//!
//! Only the project file of a registered root can allow calls. Any other root is a claim of the request, and
//! its file can only restrict.

mod layer_cache;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sekisho_gate::answer::RuleScope;
use sekisho_gate::display::{FileNote, Layout, visible};
use sekisho_gate::host_ports::{
    CurrentFile, FileLayers, HostLookup, PolicyFiles, RuleEdit, RuleEditError, RuleWrite, RuleWriteError,
};
use sekisho_host::{FilePreview, HostError, Locations, ProjectFiles, Watch, Workspace, config_rule_edit};
use sekisho_policy::{Effect, FactQuery, Facts, Layer, LayerKind, Policy, Rule};
use tokio::sync::watch;

use layer_cache::LayerCache;

/// The files of this machine.
pub struct HostFiles {
    places: Arc<LayerCache>,
    /// Watching ends when this is dropped.
    watches: Mutex<Vec<Watch>>,
}

impl HostFiles {
    /// Reads the files that apply everywhere, and starts to watch them.
    pub fn new(locations: Locations) -> Result<HostFiles, HostError> {
        let files = locations.files();
        let state = locations.state.clone();
        let host_files =
            HostFiles { places: Arc::new(LayerCache::new(locations)), watches: Mutex::default() };
        host_files.watch(files, &state)?;
        host_files.places.pin(ProjectFiles::default());
        Ok(host_files)
    }

    /// Registers a project root: its project file can allow calls while it is trusted, and is watched.
    /// Returns the resolved root, as calls have to name it.
    pub fn register(&self, root: &Path) -> Result<String, HostError> {
        let workspace = Workspace::find(Some(root), None, root)?;
        let Some(name) = workspace.root.to_str().map(str::to_owned) else {
            return Err(HostError::File {
                path: workspace.root,
                fault: "the path is not UTF-8; rename it".into(),
            });
        };
        if !self.places.is_registered(&workspace.root) {
            let found = workspace.root.symlink_metadata();
            let found = found.map_err(|error| HostError::File {
                path: workspace.root.clone(),
                fault: error.to_string().to_lowercase(),
            })?;
            self.identify_root(&workspace.root, found.dev(), found.ino());
            self.watch(workspace.configs(), &workspace.root)?;
            self.places.register(&workspace.root);
            self.places.pin(self.places.projects(Some(&name), None));
            self.places.notify_changed();
        }
        Ok(name)
    }

    /// Reads the rules of a root only while it is this directory, by the numbers of its device and inode.
    pub fn identify_root(&self, root: &Path, device: u64, inode: u64) {
        self.places.identify(root, device, inode);
    }

    fn watch(&self, files: Vec<PathBuf>, about: &Path) -> Result<(), HostError> {
        let places = Arc::clone(&self.places);
        let watch = Watch::start(files, move || places.reload()).map_err(|error| HostError::File {
            path: about.into(),
            fault: format!("cannot watch it: {error}"),
        })?;
        self.watches.lock().unwrap_or_else(PoisonError::into_inner).push(watch);
        Ok(())
    }

    /// The file that rules of a scope are written to.
    fn target(&self, keep: &RuleWrite) -> Result<(LayerKind, PathBuf), RuleWriteError> {
        let failed = |fault: String| Err(RuleWriteError::Failed(fault));
        match (keep.scope, &keep.root) {
            (RuleScope::Global, _) => Ok((LayerKind::Global, self.places.locations().global.clone())),
            (RuleScope::Project, Some(root)) if self.places.is_registered(Path::new(root)) => {
                Ok((LayerKind::Project, Path::new(root).join(sekisho_host::PROJECT_CONFIG)))
            }
            (RuleScope::Project, Some(root)) => failed(format!(
                "`{root}` is not registered as a project here; register it, or choose session or global"
            )),
            (RuleScope::Project, None) => {
                failed("the call belongs to no project; choose session or global".into())
            }
            (RuleScope::Session, _) => failed("session rules are not stored in files".into()),
        }
    }
}

impl PolicyFiles for HostFiles {
    fn layers(&self, root: Option<&str>, cwd: Option<&str>) -> FileLayers {
        let (layers, generation) =
            self.places.with_layers(root, cwd, |live, mark| (live.loaded().layers.clone(), mark));
        FileLayers { layers, generation }
    }

    fn generation_at(&self, root: Option<&str>, cwd: Option<&str>) -> u64 {
        self.places.with_layers(root, cwd, |_, mark| mark)
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.places.generation()
    }

    fn remember(&self, keep: RuleWrite) -> Result<(), RuleWriteError> {
        let (kind, path) = self.target(&keep)?;
        let changed =
            sekisho_host::change_config(self.places.locations(), kind, &path, &keep.by, keep.at, |text| {
                with_rules(kind, &path, text, keep.effect, &keep.rules)
            });
        // Also after a failure: the config may have been written even if the trust file was not.
        self.places.reload();
        match changed {
            Ok(_) => Ok(()),
            Err(HostError::NotTrusted { path, diff }) => {
                Err(RuleWriteError::NotTrusted { path: path.to_string_lossy().into_owned(), diff })
            }
            Err(error) => Err(RuleWriteError::Failed(error.to_string())),
        }
    }

    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        let locations = self.places.locations();
        let (path, kind) = (&locations.global, LayerKind::Global);
        let mut moved = false;
        let changed = sekisho_host::change_config(locations, kind, path, &edit.by, edit.at, |text| {
            let text = text.unwrap_or("");
            let layer = Layer::parse(kind, &path.to_string_lossy(), text).ok();
            let stands =
                |layer: &Layer| config_rule_edit::as_shown(layer, edit.line, edit.effect, &edit.rule);
            match (layer.as_ref().and_then(stands), &edit.into) {
                (Some(position), Some((effect, rule))) => {
                    config_rule_edit::replace(text, position, *effect, rule)
                }
                (Some(position), None) => config_rule_edit::remove(text, position),
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

/// The config text with the rules that it does not have yet.
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
        let same_effect = layer.rules.into_iter().filter(|layer_rule| layer_rule.effect == effect);
        there.extend(same_effect.map(|layer_rule| Rule { id: None, ..layer_rule.rule }));
    }
    let mut written = text.map(str::to_owned);
    for rule in rules {
        let bare = Rule { id: None, ..rule.clone() };
        if !there.contains(&bare) {
            written = Some(config_rule_edit::add(written.as_deref(), effect, rule)?);
            there.push(bare);
        }
    }
    written.ok_or_else(|| HostError::File { path: path.into(), fault: "there is no rule to write".into() })
}

impl HostLookup for HostFiles {
    fn facts(&self, policy: &Policy, needs: &[FactQuery], root: Option<&str>, home: Option<&str>) -> Facts {
        sekisho_host::look_up(policy, needs, root, home.map(Path::new))
    }

    fn file(&self, path: &str) -> CurrentFile {
        match sekisho_host::preview_file(Path::new(path)) {
            FilePreview::Absent => CurrentFile::Absent,
            FilePreview::Text { sha256, text } => CurrentFile::Text { sha256, text },
            FilePreview::NotShown { sha256, why } => {
                let why = FileNote::Unshown { why: visible(&why, Layout::Line).into_owned() };
                CurrentFile::NotShowable { sha256, why }
            }
        }
    }
}

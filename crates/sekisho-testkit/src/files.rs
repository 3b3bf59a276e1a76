//! Files that are only text: the host's ports without a disk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sekisho_gate::answer::Scope;
use sekisho_gate::premises::{FileLayers, FileNow, Files, Keep, KeepError, Preview, RuleEdit, RuleEditError};
use sekisho_policy::{
    Broken, Effect, Fact, Facts, FilesFound, Layer, LayerKind, Layers, Need, Policy, Rule, Standing,
};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

/// The files of a machine that has none. Clones are handles of the same files.
#[derive(Clone)]
pub struct FixedFiles(Arc<Inner>);

struct Inner {
    shelf: Mutex<Shelf>,
    generation: watch::Sender<u64>,
}

#[derive(Default)]
struct Shelf {
    configs: BTreeMap<LayerKind, String>,
    remembered: Vec<Keep>,
    /// What everyone who wants to write is told.
    refusal: Option<KeepError>,
    project_is_untrusted: bool,
    facts: BTreeMap<Need, Fact>,
    files: BTreeMap<String, FileNow>,
}

impl Default for FixedFiles {
    fn default() -> FixedFiles {
        FixedFiles::new()
    }
}

impl FixedFiles {
    /// No files at all.
    pub fn new() -> FixedFiles {
        FixedFiles(Arc::new(Inner { shelf: Mutex::default(), generation: watch::Sender::new(1) }))
    }

    /// Puts a config text in the place of a layer's file. One that does not load is a broken layer, as on a disk. What was
    /// remembered in that layer is gone with the text it was in.
    pub fn set(&self, kind: LayerKind, text: impl Into<String>) {
        self.change(|shelf| {
            shelf.remembered.retain(|keep| layer_of(keep.scope) != Some(kind));
            shelf.configs.insert(kind, text.into());
        });
    }

    /// Takes a layer's file away.
    pub fn unset(&self, kind: LayerKind) {
        self.change(|shelf| {
            shelf.remembered.retain(|keep| layer_of(keep.scope) != Some(kind));
            shelf.configs.remove(&kind);
        });
    }

    /// Whether the project's file is trusted as it is: if not it only tightens, and nothing is remembered in it.
    pub fn trust_project(&self, trusted: bool) {
        self.change(|shelf| shelf.project_is_untrusted = !trusted);
    }

    /// From now on nothing can be remembered, for this reason; or it can again.
    pub fn refuse(&self, refusal: Option<KeepError>) {
        self.shelf().refusal = refusal;
    }

    /// Everything that was remembered and counts.
    pub fn remembered(&self) -> Vec<Keep> {
        self.shelf().remembered.clone()
    }

    /// Makes a fact known.
    pub fn know(&self, need: Need, fact: Fact) {
        self.shelf().facts.insert(need, fact);
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        let sha256 = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        self.put(path, FileNow::Text { sha256, text: text.into() });
    }

    /// Puts anything at a path, such as a file that cannot be shown; [`FileNow::Absent`] removes it.
    pub fn put(&self, path: &str, file: FileNow) {
        self.shelf().files.insert(path.into(), file);
    }

    fn change(&self, change: impl FnOnce(&mut Shelf)) {
        change(&mut self.shelf());
        self.0.generation.send_modify(|generation| *generation += 1);
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for FixedFiles {
    fn layers(&self, _root: Option<&str>, _cwd: Option<&str>) -> FileLayers {
        // Read before the files are: a change in between is then seen as one.
        let generation = *self.0.generation.borrow();
        FileLayers { layers: self.shelf().layers(), generation }
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.0.generation.subscribe()
    }

    fn remember(&self, keep: Keep) -> Result<(), KeepError> {
        let Some(kind) = layer_of(keep.scope) else {
            return Err(KeepError::Failed("a session has no file to remember rules in".into()));
        };
        {
            let shelf = self.shelf();
            if let Some(refusal) = &shelf.refusal {
                return Err(refusal.clone());
            }
            if kind == LayerKind::Project && shelf.project_is_untrusted {
                let diff = shelf.configs.get(&kind).cloned().unwrap_or_default();
                return Err(KeepError::NotTrusted { path: name_of(kind).into(), diff });
            }
        }
        Layer::of_rules(kind, name_of(kind), stated(&keep))
            .map_err(|error| KeepError::Failed(format!("{}: {}", name_of(kind), error.message)))?;
        self.change(|shelf| shelf.remembered.push(keep));
        Ok(())
    }

    /// The file is written anew, a line for each rule: what else it says is not kept.
    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        if let Some(KeepError::Failed(why)) = &self.shelf().refusal {
            return Err(RuleEditError::Failed(why.clone()));
        }
        let mut rules: Vec<(u32, Effect, Rule)> = Vec::new();
        for layer in self.shelf().layers().loaded.into_iter().filter(|layer| layer.kind == LayerKind::Global)
        {
            rules.extend(layer.rules.into_iter().map(|stated| (stated.line, stated.effect, stated.rule)));
        }
        let shown = (edit.line, edit.effect, edit.rule);
        let at = rules.iter().position(|rule| *rule == shown).ok_or(RuleEditError::Moved)?;
        match edit.into {
            Some((effect, rule)) => rules[at] = (edit.line, effect, rule),
            None => drop(rules.remove(at)),
        }
        let list = |of: Effect| {
            let rules = rules.iter().filter(|(_, effect, _)| *effect == of);
            let lines = rules.map(|(.., rule)| serde_json::to_string(rule).expect("a rule as JSON"));
            format!("\"{of}\": [\n{}\n]", lines.collect::<Vec<_>>().join(",\n"))
        };
        let lists = [Effect::Allow, Effect::Confirm, Effect::Deny].map(list).join(",\n");
        self.set(LayerKind::Global, format!("{{ \"version\": 1, \"permissions\": {{\n{lists}\n}} }}"));
        Ok(())
    }
}

impl Shelf {
    fn layers(&self) -> Layers {
        let mut layers = Layers::default();
        for (kind, text) in &self.configs {
            match Layer::parse(*kind, name_of(*kind), text) {
                Ok(layer) => layers.loaded.push(self.standing(layer)),
                Err(error) => layers.broken.push(Broken {
                    kind: *kind,
                    name: name_of(*kind).into(),
                    error: error.to_string(),
                }),
            }
        }
        for kind in [LayerKind::Global, LayerKind::Project] {
            let kept = self.remembered.iter().filter(|keep| layer_of(keep.scope) == Some(kind));
            let rules: Vec<(Effect, Rule)> = kept.flat_map(stated).collect();
            if !rules.is_empty() {
                let layer = Layer::of_rules(kind, name_of(kind), rules).expect("rules that were checked");
                layers.loaded.push(self.standing(layer));
            }
        }
        layers
    }

    fn standing(&self, mut layer: Layer) -> Layer {
        let untrusted = layer.kind == LayerKind::Project && self.project_is_untrusted;
        layer.standing = if untrusted { Standing::Untrusted } else { Standing::Full };
        layer
    }
}

impl Preview for FixedFiles {
    fn facts(&self, _: &Policy, needs: &[Need], _root: Option<&str>, _home: Option<&str>) -> Facts {
        let shelf = self.shelf();
        // No search comes by anything that is protected, unless a test says so.
        let told = |need: &Need| match need {
            Need::Files(_) => {
                let nothing = || Fact::Files(FilesFound::Protected(Vec::new()));
                Some(shelf.facts.get(need).cloned().unwrap_or_else(nothing))
            }
            _ => shelf.facts.get(need).cloned(),
        };
        let known = needs.iter().filter_map(|need| Some((need.clone(), told(need)?)));
        Facts::from(known.collect::<Vec<_>>())
    }

    fn file(&self, path: &str) -> FileNow {
        self.shelf().files.get(path).cloned().unwrap_or(FileNow::Absent)
    }
}

fn stated(keep: &Keep) -> Vec<(Effect, Rule)> {
    keep.rules.iter().map(|rule| (keep.effect, rule.clone())).collect()
}

fn layer_of(scope: Scope) -> Option<LayerKind> {
    match scope {
        Scope::Session => None,
        Scope::Project => Some(LayerKind::Project),
        Scope::Global => Some(LayerKind::Global),
    }
}

fn name_of(kind: LayerKind) -> &'static str {
    match kind {
        LayerKind::Managed => "managed.json",
        LayerKind::Global => "config.json",
        LayerKind::Project => ".sekisho/config.json",
        LayerKind::BuiltIn | LayerKind::Database | LayerKind::Session => "rules",
    }
}

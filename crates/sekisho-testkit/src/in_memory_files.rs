//! In-memory files: the host's ports without a disk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sekisho_gate::answer::RuleScope;
use sekisho_gate::host_ports::{
    CurrentFile, FileLayers, HostLookup, PolicyFiles, RuleEdit, RuleEditError, RuleWrite, RuleWriteError,
};
use sekisho_policy::{
    BrokenLayer, Effect, Fact, FactQuery, Facts, FileSearchOutcome, Layer, LayerKind, LayerTrust, Layers,
    Policy, Rule,
};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

/// Files in memory. Clones are handles to the same files.
#[derive(Clone)]
pub struct FixedFiles(Arc<Inner>);

struct Inner {
    shelf: Mutex<FileState>,
    generation: watch::Sender<u64>,
}

#[derive(Default)]
struct FileState {
    configs: BTreeMap<LayerKind, String>,
    remembered: Vec<RuleWrite>,
    /// The error that every write gets.
    refusal: Option<RuleWriteError>,
    project_is_untrusted: bool,
    facts: BTreeMap<FactQuery, Fact>,
    files: BTreeMap<String, CurrentFile>,
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

    /// Sets the config text of a layer's file. A text that does not load is a broken layer, as on a disk.
    /// Rules remembered in that layer are lost with the old text.
    pub fn set(&self, kind: LayerKind, text: impl Into<String>) {
        self.change(|shelf| {
            shelf.remembered.retain(|keep| layer_of(keep.scope) != Some(kind));
            shelf.configs.insert(kind, text.into());
        });
    }

    /// Removes a layer's file.
    pub fn unset(&self, kind: LayerKind) {
        self.change(|shelf| {
            shelf.remembered.retain(|keep| layer_of(keep.scope) != Some(kind));
            shelf.configs.remove(&kind);
        });
    }

    /// Sets whether the project's file is trusted. If not, it only tightens and no rule is remembered in it.
    pub fn trust_project(&self, trusted: bool) {
        self.change(|shelf| shelf.project_is_untrusted = !trusted);
    }

    /// Makes remembering rules fail with this error, or work again.
    pub fn fail_writes(&self, refusal: Option<RuleWriteError>) {
        self.shelf().refusal = refusal;
    }

    /// Every rule that was remembered and is in force.
    pub fn remembered(&self) -> Vec<RuleWrite> {
        self.shelf().remembered.clone()
    }

    /// Sets a fact.
    pub fn set_fact(&self, need: FactQuery, fact: Fact) {
        self.shelf().facts.insert(need, fact);
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        let sha256 = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        self.set_file(path, CurrentFile::Text { sha256, text: text.into() });
    }

    /// Sets what is at a path, such as a file that cannot be displayed. [`CurrentFile::Absent`] removes it.
    pub fn set_file(&self, path: &str, file: CurrentFile) {
        self.shelf().files.insert(path.into(), file);
    }

    fn change(&self, change: impl FnOnce(&mut FileState)) {
        change(&mut self.shelf());
        self.0.generation.send_modify(|generation| *generation += 1);
    }

    fn shelf(&self) -> MutexGuard<'_, FileState> {
        self.0.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PolicyFiles for FixedFiles {
    fn layers(&self, _root: Option<&str>, _cwd: Option<&str>) -> FileLayers {
        // Read before the files, so that a change in between is noticed.
        let generation = *self.0.generation.borrow();
        FileLayers { layers: self.shelf().layers(), generation }
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.0.generation.subscribe()
    }

    fn remember(&self, keep: RuleWrite) -> Result<(), RuleWriteError> {
        let Some(kind) = layer_of(keep.scope) else {
            return Err(RuleWriteError::Failed("a session has no file to remember rules in".into()));
        };
        {
            let shelf = self.shelf();
            if let Some(refusal) = &shelf.refusal {
                return Err(refusal.clone());
            }
            if kind == LayerKind::Project && shelf.project_is_untrusted {
                let diff = shelf.configs.get(&kind).cloned().unwrap_or_default();
                return Err(RuleWriteError::NotTrusted { path: name_of(kind).into(), diff });
            }
        }
        Layer::from_rules(kind, name_of(kind), stated(&keep))
            .map_err(|error| RuleWriteError::Failed(format!("{}: {}", name_of(kind), error.message)))?;
        self.change(|shelf| shelf.remembered.push(keep));
        Ok(())
    }

    /// The file is written anew, a line for each rule: what else it says is not kept.
    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        if let Some(RuleWriteError::Failed(why)) = &self.shelf().refusal {
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

impl FileState {
    fn layers(&self) -> Layers {
        let mut layers = Layers::default();
        for (kind, text) in &self.configs {
            match Layer::parse(*kind, name_of(*kind), text) {
                Ok(layer) => layers.loaded.push(self.standing(layer)),
                Err(error) => layers.broken.push(BrokenLayer {
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
                let layer = Layer::from_rules(kind, name_of(kind), rules).expect("rules that were checked");
                layers.loaded.push(self.standing(layer));
            }
        }
        layers
    }

    fn standing(&self, mut layer: Layer) -> Layer {
        let untrusted = layer.kind == LayerKind::Project && self.project_is_untrusted;
        layer.trust = if untrusted { LayerTrust::Untrusted } else { LayerTrust::Full };
        layer
    }
}

impl HostLookup for FixedFiles {
    fn facts(&self, _: &Policy, needs: &[FactQuery], _root: Option<&str>, _home: Option<&str>) -> Facts {
        let shelf = self.shelf();
        // A search finds nothing protected, unless a test says so.
        let told = |need: &FactQuery| match need {
            FactQuery::Files(_) => {
                let nothing = || Fact::Files(FileSearchOutcome::Protected(Vec::new()));
                Some(shelf.facts.get(need).cloned().unwrap_or_else(nothing))
            }
            _ => shelf.facts.get(need).cloned(),
        };
        let known = needs.iter().filter_map(|need| Some((need.clone(), told(need)?)));
        Facts::from(known.collect::<Vec<_>>())
    }

    fn file(&self, path: &str) -> CurrentFile {
        self.shelf().files.get(path).cloned().unwrap_or(CurrentFile::Absent)
    }
}

fn stated(keep: &RuleWrite) -> Vec<(Effect, Rule)> {
    keep.rules.iter().map(|rule| (keep.effect, rule.clone())).collect()
}

fn layer_of(scope: RuleScope) -> Option<LayerKind> {
    match scope {
        RuleScope::Session => None,
        RuleScope::Project => Some(LayerKind::Project),
        RuleScope::Global => Some(LayerKind::Global),
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

//! The stored rules as policy layers.

use std::collections::{BTreeMap, HashMap};

use sekisho_policy::{BrokenLayer, Effect, Layer, LayerKind, Layers, Rule, RuleError};
use uuid::Uuid;

use crate::caller::Session;
use crate::ledger::LedgerError;
use crate::rule_store::StoredRule;

/// The display names of the two layers.
const DATABASE: &str = "database";
const SESSION: &str = "session";

/// All stored rules. Immutable; replaced as a whole.
#[derive(Clone, Debug)]
pub(super) struct StoredLayers {
    /// Counts replacements, from 1.
    pub(super) generation: u64,
    /// The rules as last read.
    pub(super) rules: Vec<StoredRule>,
    /// Why they could not be read, if so.
    pub(super) unread: Option<String>,
    database: StoredLayer,
    sessions: HashMap<Session, StoredLayer>,
}

/// The rules of one layer: the valid ones, and what is wrong with the others.
#[derive(Clone, Debug, Default)]
struct StoredLayer {
    layer: Option<Layer>,
    broken: Vec<BrokenLayer>,
}

impl StoredLayers {
    /// The state before the first read.
    pub(super) fn nothing_yet() -> StoredLayers {
        StoredLayers {
            generation: 1,
            rules: Vec::new(),
            unread: Some("the stored rules have not been read yet".into()),
            database: StoredLayer::default(),
            sessions: HashMap::new(),
        }
    }

    /// The state after a read; `before` is the previous state.
    pub(super) fn read(rules: Vec<StoredRule>, before: &StoredLayers) -> StoredLayers {
        let mut by_session: BTreeMap<Option<&Session>, Vec<&StoredRule>> = BTreeMap::new();
        for stored in &rules {
            by_session.entry(stored.session.as_ref()).or_default().push(stored);
        }
        let mut database = StoredLayer::default();
        let mut sessions = HashMap::new();
        for (session, group) in by_session {
            match session {
                None => database = StoredLayer::of(LayerKind::Database, DATABASE, &group, &before.database),
                Some(session) => {
                    let nothing = StoredLayer::default();
                    let last = before.sessions.get(session).unwrap_or(&nothing);
                    sessions
                        .insert(session.clone(), StoredLayer::of(LayerKind::Session, SESSION, &group, last));
                }
            }
        }
        StoredLayers { generation: before.generation + 1, rules, unread: None, database, sessions }
    }

    /// The state when the rules can no longer be read: only their denies remain.
    pub(super) fn unreadable_after(before: &StoredLayers, error: &LedgerError) -> StoredLayers {
        let sessions =
            before.sessions.iter().map(|(session, share)| (session.clone(), share.denies())).collect();
        StoredLayers {
            generation: before.generation + 1,
            rules: before.rules.clone(),
            unread: Some(format!("the stored rules cannot be read: {error}")),
            database: before.database.denies(),
            sessions,
        }
    }

    /// Whether the rules of both are equal.
    pub(super) fn same_rules(&self, other: &StoredLayers) -> bool {
        self.unread == other.unread && self.rules == other.rules
    }

    /// Whether a session has rules of its own.
    pub(super) fn has_session(&self, session: &Session) -> bool {
        self.sessions.contains_key(session)
    }

    /// Adds the stored layers to those of files.
    pub(super) fn add_to(&self, layers: &mut Layers, session: Option<&Session>) {
        layers.broken.extend(self.unreadable());
        let session = session.and_then(|session| self.sessions.get(session));
        for share in [Some(&self.database), session].into_iter().flatten() {
            layers.loaded.extend(share.layer.clone());
            layers.broken.extend(share.broken.iter().cloned());
        }
    }

    /// What is wrong, in all layers.
    pub(super) fn faults(&self) -> Vec<BrokenLayer> {
        let shares = std::iter::once(&self.database).chain(self.sessions.values());
        self.unreadable().into_iter().chain(shares.flat_map(|share| share.broken.iter().cloned())).collect()
    }

    fn unreadable(&self) -> Option<BrokenLayer> {
        let error = self.unread.clone()?;
        Some(BrokenLayer { kind: LayerKind::Database, name: DATABASE.into(), error })
    }
}

impl StoredLayer {
    fn of(kind: LayerKind, name: &str, rules: &[&StoredRule], last: &StoredLayer) -> StoredLayer {
        let all: Vec<(Effect, Rule)> = rules.iter().map(|stored| layer_rule(stored)).collect();
        if let Ok(layer) = Layer::from_rules(kind, name, all) {
            return StoredLayer { layer: Some(layer), broken: Vec::new() };
        }
        // Each rule is checked on its own: valid ones still apply, and each invalid one is named.
        let mut good = Vec::new();
        let mut broken = Vec::new();
        for stored in rules {
            match check(stored.effect, &stored.rule) {
                Ok(()) => good.push(layer_rule(stored)),
                Err(error) => {
                    let error = format!("rule {}: {error}; correct or remove the rule", stored.id);
                    broken.push(BrokenLayer { kind, name: name.into(), error });
                    good.extend(last.deny(stored.id));
                }
            }
        }
        StoredLayer { layer: Layer::from_rules(kind, name, good).ok(), broken }
    }

    /// What a rule denied while it was valid.
    fn deny(&self, id: Uuid) -> Option<(Effect, Rule)> {
        let rules = self.layer.iter().flat_map(|layer| &layer.rules);
        rules
            .filter(|layer_rule| layer_rule.effect == Effect::Deny && layer_rule.rule.id == Some(id))
            .map(|layer_rule| (layer_rule.effect, layer_rule.rule.clone()))
            .next()
    }

    fn denies(&self) -> StoredLayer {
        StoredLayer { layer: self.layer.clone().map(Layer::denies_only), broken: self.broken.clone() }
    }
}

/// A stored rule as layers hold it, with its id.
fn layer_rule(stored: &StoredRule) -> (Effect, Rule) {
    (stored.effect, Rule { id: Some(stored.id), ..stored.rule.clone() })
}

/// Checks one rule and its examples.
pub(super) fn check(effect: Effect, rule: &Rule) -> Result<(), RuleError> {
    Layer::from_rules(LayerKind::Database, DATABASE, vec![(effect, rule.clone())]).map(|_| ())
}

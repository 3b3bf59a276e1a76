//! The audit record kinds that components registered, with the JSON Schema of each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::input_schema::InputSchema;
use crate::record_kind::RecordKind;

/// The kinds of one component, by the part of their names after the dot. The part before it is the area, such
/// as `agent` in `agent.run_started`.
pub(crate) type Kinds = Arc<BTreeMap<String, Registration>>;

/// A registered kind.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) kind: RecordKind,
    pub(crate) schema: InputSchema,
    pub(crate) announced: bool,
}

/// The kinds of all components, by area.
#[derive(Default)]
pub(crate) struct ComponentKinds(Mutex<BTreeMap<String, Kinds>>);

impl ComponentKinds {
    /// Adds an area. Returns `false` if it is already registered.
    pub(crate) fn add(&self, area: &str, kinds: Kinds) -> bool {
        let mut areas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !areas.contains_key(area);
        if is_new {
            areas.insert(area.to_owned(), kinds);
        }
        is_new
    }

    /// All kinds by name, with the schemas of their bodies.
    pub(crate) fn all(&self) -> Vec<(RecordKind, Value)> {
        let areas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kinds = areas.values().flat_map(|kinds| kinds.values());
        kinds.map(|one| (one.kind.clone(), one.schema.schema().clone())).collect()
    }
}

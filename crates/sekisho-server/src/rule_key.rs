//! What a rule is known by, in lists and in counts.

use sekisho_policy::{Effect, LayerKind, Rule};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// What a rule is known by: its id, or where it stands and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RuleKey {
    /// By its id.
    Id(Uuid),
    /// By a digest of its place and text.
    Location(String),
}

impl RuleKey {
    pub(crate) fn of(
        id: Option<Uuid>,
        layer: LayerKind,
        source: &str,
        line: u32,
        effect: Effect,
        rule: &Rule,
    ) -> RuleKey {
        id.map_or_else(
            || {
                let text = serde_json::to_string(rule).unwrap_or_default();
                RuleKey::Location(digest(&format!("{layer}\n{source}\n{line}\n{effect}\n{text}")))
            },
            RuleKey::Id,
        )
    }

    /// As callers name it.
    pub(crate) fn name(&self) -> String {
        match self {
            RuleKey::Id(id) => id.to_string(),
            RuleKey::Location(digest) => digest.clone(),
        }
    }
}

/// A name made of a text.
fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

//! The key that identifies a rule in lists and counts.

use sekisho_policy::{Effect, LayerKind, Rule};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Identifies a rule: by its id, or by its position and text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RuleKey {
    /// The id of a stored rule.
    Id(Uuid),
    /// A digest of its layer, position and text.
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

    /// The key as callers write it.
    pub(crate) fn name(&self) -> String {
        match self {
            RuleKey::Id(id) => id.to_string(),
            RuleKey::Location(digest) => digest.clone(),
        }
    }
}

/// The first 16 bytes of the SHA-256 digest, in hexadecimal.
fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

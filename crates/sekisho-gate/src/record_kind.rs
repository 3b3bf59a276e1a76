//! Kinds of audit records.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// The kind of an audit record. The gate's own kinds have simple names. Components bring theirs, named
/// `area.kind` ([`Gate::register`](crate::Gate::register)). Kinds of a newer version are kept as they
/// are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RecordKind {
    /// A call was judged, and ran or was refused without an approval.
    Verdict,
    /// An approval was opened.
    Question,
    /// An approval was answered, expired or was aborted.
    Outcome,
    /// An answer was taken.
    Claim,
    /// A tool finished.
    Execution,
    /// Rules changed.
    Rules,
    /// Trust in a project file changed.
    Trust,
    /// A token or link was created, used or revoked.
    Token,
    /// Maintenance of the audit log: a new key, or rows or raw inputs removed by age.
    Upkeep,
    /// The heads of all chains of the log.
    Checkpoint,
    /// A kind of a component, or of another version.
    Other(ExtensionKind),
}

/// The name of a kind that is not the gate's own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensionKind(String);

/// The maximum length of a name, in bytes.
const MAX_LENGTH: usize = 64;
/// What the names of component kinds look like.
const PATTERN: &str = r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$";

impl RecordKind {
    /// The gate's own kinds.
    pub const BUILTIN: [RecordKind; 10] = [
        RecordKind::Verdict,
        RecordKind::Question,
        RecordKind::Outcome,
        RecordKind::Claim,
        RecordKind::Execution,
        RecordKind::Rules,
        RecordKind::Trust,
        RecordKind::Token,
        RecordKind::Upkeep,
        RecordKind::Checkpoint,
    ];

    /// The name in the store and on the wire.
    pub fn name(&self) -> &str {
        match self {
            RecordKind::Verdict => "verdict",
            RecordKind::Question => "question",
            RecordKind::Outcome => "outcome",
            RecordKind::Claim => "claim",
            RecordKind::Execution => "execution",
            RecordKind::Rules => "rules",
            RecordKind::Trust => "trust",
            RecordKind::Token => "token",
            RecordKind::Upkeep => "upkeep",
            RecordKind::Checkpoint => "checkpoint",
            RecordKind::Other(other) => &other.0,
        }
    }

    /// The kind with this name. None if the name is invalid.
    pub fn from_name(name: &str) -> Option<RecordKind> {
        let own = RecordKind::BUILTIN.into_iter().find(|kind| kind.name() == name);
        own.or_else(|| is_name(name).then(|| RecordKind::Other(ExtensionKind(name.to_owned()))))
    }

    /// The kind `area.kind` of a component. None if either is not a lowercase word.
    pub(crate) fn of_component(area: &str, kind: &str) -> Option<RecordKind> {
        (is_word(area) && is_word(kind)).then(|| RecordKind::from_name(&format!("{area}.{kind}")))?
    }
}

/// Reads a stored kind, which may be of a newer version.
pub(crate) fn deserialize_stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RecordKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    RecordKind::from_name(&name).ok_or_else(|| D::Error::custom("`kind` is not a valid kind name"))
}

fn is_name(name: &str) -> bool {
    let (area, kind) = name.split_once('.').unwrap_or((name, name));
    name.len() <= MAX_LENGTH && is_word(area) && is_word(kind)
}

fn is_word(word: &str) -> bool {
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(rest)
}

impl fmt::Debug for ExtensionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<RecordKind> for String {
    fn from(kind: RecordKind) -> String {
        kind.name().to_owned()
    }
}

impl TryFrom<String> for RecordKind {
    type Error = String;

    /// Parses a kind that a user names. A simple name that is not one of the gate's kinds is an error.
    fn try_from(name: String) -> Result<RecordKind, String> {
        let kind = RecordKind::from_name(&name);
        kind.filter(|kind| !matches!(kind, RecordKind::Other(_)) || name.contains('.')).ok_or_else(|| {
            let own: Vec<&str> = RecordKind::BUILTIN.iter().map(RecordKind::name).collect();
            let shown = crate::display::visible(&name, crate::display::Layout::Line);
            format!("unknown kind `{shown}`: use one of {}, or `area.kind`", own.join(", "))
        })
    }
}

impl JsonSchema for RecordKind {
    fn schema_name() -> Cow<'static, str> {
        "RecordKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let own = RecordKind::BUILTIN.iter().map(|kind| json!({ "type": "string", "const": kind.name() }));
        let of_parts = json!({ "type": "string", "pattern": PATTERN, "maxLength": MAX_LENGTH });
        json_schema!({
            "description": "The kind of record: one of the gate's own kinds, or `area.kind` of a component.",
            "oneOf": own.chain([of_parts]).collect::<Vec<Value>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_names_round_trip() {
        for kind in RecordKind::BUILTIN {
            assert_eq!(RecordKind::from_name(kind.name()), Some(kind));
        }
        for name in ["agent.run_started", "quota", "a1.b_2"] {
            let kind = RecordKind::from_name(name).unwrap();
            assert_eq!(kind.name(), name);
            assert_eq!(serde_json::to_value(&kind).unwrap(), name);
            assert_eq!(deserialize_stored(Value::from(name)).unwrap(), kind);
            assert_eq!(serde_json::from_value::<RecordKind>(name.into()).is_ok(), name.contains('.'));
        }
        let long = "a".repeat(MAX_LENGTH + 1);
        for bad in ["", ".", "a.", ".b", "a.b.c", "A.b", "a-b.c", "a.b ", "é.b", "1a.b", "a.b\n", &long] {
            assert_eq!(RecordKind::from_name(bad), None, "{bad:?}");
            assert!(
                deserialize_stored(Value::from(bad)).is_err()
                    && serde_json::from_value::<RecordKind>(bad.into()).is_err()
            );
        }
    }

    #[test]
    fn component_cannot_use_gate_kinds() {
        assert_eq!(RecordKind::of_component("agent", "run"), RecordKind::from_name("agent.run"));
        for (area, kind) in [("", "checkpoint"), ("checkpoint", ""), ("a.b", "c"), ("a", "b.c"), ("A", "b")] {
            assert_eq!(RecordKind::of_component(area, kind), None);
        }
    }
}

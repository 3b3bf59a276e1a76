//! What kind of thing a line of the record tells of.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// What kind of thing happened. The gate's own kinds have plain names. Other parts of the program bring theirs, named
/// `area.kind` ([`Gate::register`](crate::Gate::register)); those of a newer version are kept as they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RecordKind {
    /// A call was judged, and ran or was turned back without a question.
    Verdict,
    /// A question was asked.
    Question,
    /// It was answered, expired or was aborted.
    Outcome,
    /// The answer was taken.
    Claim,
    /// A tool finished.
    Execution,
    /// Rules changed.
    Rules,
    /// Trust in a project file changed.
    Trust,
    /// A token was made or revoked.
    Token,
    /// The record itself was looked after: a new key, rows or raw inputs removed by age.
    Upkeep,
    /// The heads of all chains of the log.
    Checkpoint,
    /// A kind of another part, or of another version.
    Other(ExtensionKind),
}

/// The name of a kind that is not the gate's own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensionKind(String);

/// No name is longer.
const LONGEST: usize = 64;
/// The names of parts' kinds.
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

    /// Its name, in the store and on the wire.
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

    /// The kind with a name; none where that is no name for a kind.
    pub fn from_name(name: &str) -> Option<RecordKind> {
        let own = RecordKind::BUILTIN.into_iter().find(|kind| kind.name() == name);
        own.or_else(|| is_name(name).then(|| RecordKind::Other(ExtensionKind(name.to_owned()))))
    }

    /// The kind of a part: `area.kind`. None where either is no lowercase word.
    pub(crate) fn of_component(area: &str, kind: &str) -> Option<RecordKind> {
        (is_word(area) && is_word(kind)).then(|| RecordKind::from_name(&format!("{area}.{kind}")))?
    }
}

/// A kind as a line has it, which may be one of a newer version.
pub(crate) fn deserialize_stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RecordKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    RecordKind::from_name(&name).ok_or_else(|| D::Error::custom("`kind` is no name of a kind"))
}

fn is_name(name: &str) -> bool {
    let (area, kind) = name.split_once('.').unwrap_or((name, name));
    name.len() <= LONGEST && is_word(area) && is_word(kind)
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

    /// A kind that somebody names: a word that is none of the gate's own is a mistake.
    fn try_from(name: String) -> Result<RecordKind, String> {
        let kind = RecordKind::from_name(&name);
        kind.filter(|kind| !matches!(kind, RecordKind::Other(_)) || name.contains('.')).ok_or_else(|| {
            let own: Vec<&str> = RecordKind::BUILTIN.iter().map(RecordKind::name).collect();
            let shown = crate::display::visible(&name, crate::display::Layout::Line);
            format!("`{shown}` is no kind: it is one of {}, or `area.kind`", own.join(", "))
        })
    }
}

impl JsonSchema for RecordKind {
    fn schema_name() -> Cow<'static, str> {
        "RecordKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let own = RecordKind::BUILTIN.iter().map(|kind| json!({ "type": "string", "const": kind.name() }));
        let of_parts = json!({ "type": "string", "pattern": PATTERN, "maxLength": LONGEST });
        json_schema!({
            "description": "What kind of thing happened: one of the gate's own kinds, or `area.kind` of another part.",
            "oneOf": own.chain([of_parts]).collect::<Vec<Value>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_kind_and_back() {
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
        let long = "a".repeat(LONGEST + 1);
        for bad in ["", ".", "a.", ".b", "a.b.c", "A.b", "a-b.c", "a.b ", "é.b", "1a.b", "a.b\n", &long] {
            assert_eq!(RecordKind::from_name(bad), None, "{bad:?}");
            assert!(deserialize_stored(Value::from(bad)).is_err() && serde_json::from_value::<RecordKind>(bad.into()).is_err());
        }
    }

    #[test]
    fn a_part_has_no_kind_of_the_gate() {
        assert_eq!(RecordKind::of_component("agent", "run"), RecordKind::from_name("agent.run"));
        for (area, kind) in [("", "checkpoint"), ("checkpoint", ""), ("a.b", "c"), ("a", "b.c"), ("A", "b")] {
            assert_eq!(RecordKind::of_component(area, kind), None);
        }
    }
}

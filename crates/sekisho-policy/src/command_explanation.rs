//! Why a command is not known to be harmless, or why it is unknown what it runs.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

pub use sekisho_shell::programs::Detail;

/// Why a command is not known to be harmless, or why it is unknown what it runs. The sentence is built on
/// demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Wire", into = "Wire")]
#[schemars(with = "Wire")]
pub struct Explanation(Known);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    Detail {
        detail: Detail,
        name: Option<Box<str>>,
    },
    /// A sentence stored by a version that had no details, or other details.
    Sentence(Box<str>),
}

impl Explanation {
    /// A detail with the name to insert.
    pub(crate) fn naming(detail: Detail, name: Option<&str>) -> Explanation {
        Explanation(Known::Detail { detail, name: name.map(Into::into) })
    }

    /// The detail. `None` if it was stored by another version.
    pub fn detail(&self) -> Option<Detail> {
        match &self.0 {
            Known::Detail { detail, .. } => Some(*detail),
            Known::Sentence(_) => None,
        }
    }

    /// The sentence for people.
    pub fn sentence(&self) -> Cow<'_, str> {
        match &self.0 {
            Known::Detail { detail, name } => detail.sentence(name.as_deref()),
            Known::Sentence(sentence) => Cow::Borrowed(sentence),
        }
    }
}

impl From<Detail> for Explanation {
    fn from(detail: Detail) -> Explanation {
        Explanation::naming(detail, None)
    }
}

/// The wire form. It is flattened into the fields of a reason.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Wire {
    /// Why, for people. The text may change; programs read the detail.
    why: String,
    /// Why. Absent in records from before details existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<DetailSchema>")]
    detail: Option<String>,
    /// The name in the sentence: a program or an option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Box<str>>,
}

impl From<Explanation> for Wire {
    fn from(why: Explanation) -> Wire {
        let sentence = why.sentence().into_owned();
        match why.0 {
            Known::Detail { detail, name } => {
                Wire { why: sentence, detail: Some(detail.name().into()), name }
            }
            Known::Sentence(_) => Wire { why: sentence, detail: None, name: None },
        }
    }
}

impl From<Wire> for Explanation {
    fn from(wire: Wire) -> Explanation {
        Explanation(match wire.detail.as_deref().and_then(Detail::named) {
            Some(detail) => Known::Detail { detail, name: wire.name },
            None => Known::Sentence(wire.why.into()),
        })
    }
}

/// The schema of a [`Detail`].
struct DetailSchema;

impl JsonSchema for DetailSchema {
    fn schema_name() -> Cow<'static, str> {
        "ReasonDetail".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Detail::ALL.iter().map(|detail| detail.name()).collect();
        json_schema!({
            "description": "Why a command is not known to be harmless, or why it is unknown what it runs.",
            "type": "string",
            "enum": names,
        })
    }
}

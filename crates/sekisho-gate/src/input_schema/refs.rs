//! Whether a schema's references lead where they say, how deep it is nested and how many patterns it has: looked at before
//! anything else reads it.

use serde_json::{Map, Value};

use super::SchemaError;

/// No schema is nested deeper than this. What compiles and checks schemas calls itself at each level.
pub const DEEPEST: usize = 48;

/// No schema has more patterns: each takes memory of its own.
pub const MOST_PATTERNS: usize = 64;

/// The drafts that are known, as `$schema` names them.
const DRAFTS: [&str; 4] = [
    "json-schema.org/draft-06/schema",
    "json-schema.org/draft-07/schema",
    "json-schema.org/draft/2019-09/schema",
    "json-schema.org/draft/2020-12/schema",
];

/// Keywords by which a reference leads elsewhere than it says.
const ELSEWHERE: [&str; 2] = ["$dynamicRef", "$recursiveRef"];
/// The same, except in the schema itself, where they change nothing.
const BELOW: [&str; 2] = ["$id", "$schema"];

/// Refuses a schema that is nested too deep, has too many patterns, or whose references cannot be followed by what they say.
pub(super) fn check(schema: &Value) -> Result<(), SchemaError> {
    if let Some(draft) = schema.get("$schema") {
        let known = |draft: &str| {
            let bare = draft.trim_end_matches('#');
            bare.split_once("://").is_some_and(|(_, name)| DRAFTS.contains(&name))
        };
        if !draft.as_str().is_some_and(known) {
            return Err(SchemaError::Draft(draft.as_str().unwrap_or_default().to_owned()));
        }
    }
    let (mut open, mut patterns) = (vec![(schema, 0)], 0);
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return Err(SchemaError::TooDeep);
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                // A property of such a name has a schema, and no text.
                let text = |name: &str| fields.get(name).and_then(Value::as_str);
                if let Some(reference) = text("$ref").filter(|to| target(schema, to).is_none()) {
                    return Err(SchemaError::Reference(reference.to_owned()));
                }
                let below = BELOW.iter().filter(|_| depth > 0);
                if let Some(keyword) = ELSEWHERE.iter().chain(below).find(|name| text(name).is_some()) {
                    return Err(SchemaError::Keyword(*keyword));
                }
                patterns += usize::from(text("pattern").is_some());
                let by_name = fields.get("patternProperties").and_then(Value::as_object);
                patterns += by_name.map_or(0, Map::len);
                if patterns > MOST_PATTERNS {
                    return Err(SchemaError::TooManyPatterns);
                }
                open.extend(fields.values().map(|value| (value, depth + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

/// What a reference leads to: the schema itself or a place in it. Escapes of URIs are not read.
pub(super) fn target<'s>(schema: &'s Value, reference: &str) -> Option<&'s Value> {
    let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'))?;
    schema.pointer(pointer)
}

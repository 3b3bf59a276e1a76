//! Checks the references of a schema, its depth and the number of its patterns, before anything else reads
//! it.

use serde_json::{Map, Value};

use super::schema_error::{MAX_DEPTH, MAX_PATTERNS, SchemaError};

/// The supported drafts, as `$schema` names them without the URL scheme.
const DRAFTS: [&str; 4] = [
    "json-schema.org/draft-06/schema",
    "json-schema.org/draft-07/schema",
    "json-schema.org/draft/2019-09/schema",
    "json-schema.org/draft/2020-12/schema",
];

/// Reference keywords whose target depends on more than the reference itself.
const REDIRECTING: [&str; 2] = ["$dynamicRef", "$recursiveRef"];
/// Keywords that change the target of references. Harmless at the root of the schema.
const REDIRECTING_BELOW_ROOT: [&str; 2] = ["$id", "$schema"];

/// Keywords that the validator compiles again at every level and behind every reference, which takes
/// exponential time and unlimited recursion.
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// Rejects a schema that is nested too deep, has too many patterns or an unsupported draft, or has
/// references that do not simply point into it.
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
        if depth > MAX_DEPTH {
            return Err(SchemaError::TooDeep);
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                // Under `properties`, a key of such a name has a schema as its value, not a string.
                let text = |name: &str| fields.get(name).and_then(Value::as_str);
                if let Some(reference) = text("$ref").filter(|to| target(schema, to).is_none()) {
                    return Err(SchemaError::Reference(reference.to_owned()));
                }
                let below = REDIRECTING_BELOW_ROOT.iter().filter(|_| depth > 0);
                if let Some(keyword) = REDIRECTING.iter().chain(below).find(|name| text(name).is_some()) {
                    return Err(SchemaError::Keyword(keyword));
                }
                if let Some(keyword) = UNEVALUATED.iter().find(|name| fields.contains_key(**name)) {
                    return Err(SchemaError::Unevaluated(keyword));
                }
                patterns += usize::from(text("pattern").is_some());
                let by_name = fields.get("patternProperties").and_then(Value::as_object);
                patterns += by_name.map_or(0, Map::len);
                if patterns > MAX_PATTERNS {
                    return Err(SchemaError::TooManyPatterns);
                }
                open.extend(fields.values().map(|value| (value, depth + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

/// The target of a reference: the schema itself or a path in it. References with percent-encoding are not
/// supported.
pub(super) fn target<'s>(schema: &'s Value, reference: &str) -> Option<&'s Value> {
    let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'))?;
    schema.pointer(pointer)
}

//! Names of fields that some readers of JSON take for each other.

use serde_json::Value;

use crate::tools::{TargetField, Tool};

/// Whether two names differ, and are one to readers that do not tell capitals from small letters.
pub(crate) fn are_alike(name: &str, other: &str) -> bool {
    // `ſ` is a small letter of `S`.
    let folded = |name: &'_ str| -> Vec<char> {
        name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
    };
    name != other && folded(name) == folded(other)
}

/// A field whose name is like that of a tool's place.
pub(crate) struct SimilarField<'a> {
    pub(crate) key: &'a str,
    pub(crate) place: &'static TargetField,
    pub(crate) value: &'a Value,
}

/// What stands in fields of an input whose names are like those of a tool's places, but written otherwise.
pub(crate) fn similar_fields<'a>(tool: &Tool, input: &'a Value) -> Vec<SimilarField<'a>> {
    let fields = input.as_object().into_iter().flatten();
    let others = fields.filter(|(key, _)| !tool.target_fields.iter().any(|place| place.field() == *key));
    let like = |key: &str| tool.target_fields.iter().find(|place| are_alike(place.field(), key));
    others.filter_map(|(key, value)| Some(SimilarField { key, place: like(key)?, value })).collect()
}

#[cfg(test)]
mod tests {
    use super::are_alike;

    #[test]
    fn names_are_alike_that_differ_in_capitals() {
        for (name, other) in [("url", "URL"), ("skill", "\u{17f}kill"), ("skill", "s\u{212a}ill")] {
            assert!(are_alike(name, other), "{name} {other}");
        }
        for (name, other) in [("url", "url"), ("url", "uri"), ("url", "url ")] {
            assert!(!are_alike(name, other), "{name} {other}");
        }
    }
}

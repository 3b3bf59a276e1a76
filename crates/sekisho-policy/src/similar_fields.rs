//! Field names that some JSON parsers treat as the same.

use serde_json::Value;

use crate::tools::{TargetField, Tool};

/// Whether two different names are equal to parsers that ignore case.
pub(crate) fn are_alike(name: &str, other: &str) -> bool {
    if name == other {
        return false;
    }
    if name.is_ascii() && other.is_ascii() {
        return name.eq_ignore_ascii_case(other);
    }
    folded(name).eq(folded(other))
}

/// The characters of a name without case. `ſ` is a lower-case form of `S`.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// A field whose name resembles a target field of the tool.
pub(crate) struct SimilarField<'a> {
    pub(crate) key: &'a str,
    pub(crate) place: &'static TargetField,
    pub(crate) value: &'a Value,
}

/// The fields of an input whose names equal a tool's target fields only when case is ignored.
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
    fn names_that_differ_only_in_case_are_alike() {
        for (name, other) in
            [("url", "URL"), ("filePath", "filepath"), ("skill", "\u{17f}kill"), ("skill", "s\u{212a}ill")]
        {
            assert!(are_alike(name, other), "{name} {other}");
        }
        for (name, other) in [("url", "url"), ("url", "uri"), ("url", "url ")] {
            assert!(!are_alike(name, other), "{name} {other}");
        }
    }
}

//! Values beside the path of a setting: `{"path": ["db", "password"], "value": "…"}`,
//! `{"op": "replace", "path": "/db/password", "value": "…"}`.

use serde_json::{Map, Value};

use super::secret_name;

/// Fields that say where the value beside them goes. Those of [`super::json_fields`] may hold a list too.
const PATHS: [&str; 12] = [
    "path",
    "pointer",
    "keypath",
    "key_path",
    "jsonpath",
    "json_path",
    "property",
    "propertypath",
    "key",
    "keys",
    "name",
    "field",
];
/// Fields that hold the value.
const VALUES: [&str; 6] = ["value", "val", "newvalue", "new_value", "oldvalue", "old_value"];

/// Whether the object has a path that ends in the name of a secret.
pub(super) fn is_in(fields: &Map<String, Value>) -> bool {
    fields.iter().any(|(field, value)| is_any(field, &PATHS) && last_name(value).is_some_and(is_secret))
}

/// Whether this field holds what is written to the path.
pub(super) fn is_value(field: &str) -> bool {
    is_any(field, &VALUES)
}

/// The last part of a list, of a JSON pointer or of a dotted path.
fn last_name(path: &Value) -> Option<&str> {
    let last = match path {
        Value::String(path) => path,
        Value::Array(parts) => parts.last()?.as_str()?,
        _ => return None,
    };
    last.trim_end_matches(['/', '\'', '"', ']']).rsplit(['/', '.', '\'', '"', '[']).next()
}

fn is_secret(name: &str) -> bool {
    secret_name::secret(name.as_bytes())
}

fn is_any(field: &str, known: &[&str]) -> bool {
    known.iter().any(|known| field.eq_ignore_ascii_case(known))
}

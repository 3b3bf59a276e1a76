//! Estimates of size: the bytes a value has as JSON, counted without writing it, and the memory its
//! structure takes.

use std::io::{Error, Result, Write};

use serde::Serialize;
use serde_json::Value;

/// Memory of a list element, in a list that grew while it was read.
const ELEMENT: usize = 2 * size_of::<Value>();
/// Memory of a non-empty object, which allocates space for several fields at once.
const OBJECT: usize = 640;
/// Approximate memory of a field.
const FIELD: usize = 2 * (size_of::<String>() + size_of::<Value>());

/// The memory that a value's lists and objects take besides its text. For small elements, many times
/// the size of the JSON.
pub(crate) fn structure_size(value: &Value) -> usize {
    let mut bytes = 0usize;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        bytes = bytes.saturating_add(match value {
            Value::Array(items) => items.len().saturating_mul(ELEMENT),
            Value::Object(fields) if !fields.is_empty() => {
                fields.len().saturating_mul(FIELD).saturating_add(OBJECT)
            }
            _ => 0,
        });
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    bytes
}

/// The size of a value as JSON. Counting stops above `most`, so a larger value gives some number above
/// `most`.
pub(crate) fn json_size(what: &impl Serialize, most: usize) -> usize {
    let mut scale = ByteCounter { most, weighed: 0 };
    match serde_json::to_writer(&mut scale, what) {
        Ok(()) => scale.weighed,
        // Too large, or not serializable. Both count as too large.
        Err(_) => most.saturating_add(1),
    }
}

struct ByteCounter {
    most: usize,
    weighed: usize,
}

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.weighed = self.weighed.saturating_add(bytes.len());
        match self.weighed > self.most {
            true => Err(Error::other("too heavy")),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{json_size, structure_size};
    use serde_json::json;

    #[test]
    fn json_size_is_exact_up_to_the_limit() {
        for what in [json!({}), json!({ "a": [1, "b\n", null] }), json!("日本")] {
            let text = what.to_string();
            assert_eq!(json_size(&what, 100), text.len(), "{text}");
            assert_eq!(json_size(&what, text.len()), text.len(), "{text}");
            assert_eq!(json_size(&what, text.len() - 1), text.len(), "{text}");
        }
        assert_eq!(json_size(&"x".repeat(1000), 10), 11);
    }

    #[test]
    fn small_objects_take_many_times_their_json_size() {
        let dense = json!({ "a": vec![json!({ "": 0 }); 1000] });
        assert!(structure_size(&dense) > 50 * json_size(&dense, usize::MAX - 1));
        assert!(structure_size(&json!({ "a": "x".repeat(10_000) })) < 1000);
        assert_eq!(structure_size(&json!([{}, []])), structure_size(&json!([1, 2])));
    }
}

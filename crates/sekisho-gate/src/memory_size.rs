//! How much something weighs: the bytes it would be as JSON, counted without writing them, and what its values take besides.

use std::io::{Error, Result, Write};

use serde::Serialize;
use serde_json::Value;

/// What a value takes in a list that grew as it was read.
const ELEMENT: usize = 2 * size_of::<Value>();
/// What an object takes that is not empty: room for several fields is taken with the first.
const OBJECT: usize = 640;
/// What each field takes, about.
const FIELD: usize = 2 * (size_of::<String>() + size_of::<Value>());

/// The memory that the lists and objects of a value take besides its texts: many times its JSON, where they are small.
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

/// What something weighs. What weighs more than `most` weighs more than `most`: how much more is not counted.
pub(crate) fn json_size(what: &impl Serialize, most: usize) -> usize {
    let mut scale = ByteCounter { most, weighed: 0 };
    match serde_json::to_writer(&mut scale, what) {
        Ok(()) => scale.weighed,
        // Too heavy, or nothing that could be written: both are to be handled with care.
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
    use super::{structure_size, json_size};
    use serde_json::json;

    #[test]
    fn a_thing_weighs_what_it_is_as_json_up_to_the_most() {
        for what in [json!({}), json!({ "a": [1, "b\n", null] }), json!("日本")] {
            let text = what.to_string();
            assert_eq!(json_size(&what, 100), text.len(), "{text}");
            assert_eq!(json_size(&what, text.len()), text.len(), "{text}");
            assert_eq!(json_size(&what, text.len() - 1), text.len(), "{text}");
        }
        assert_eq!(json_size(&"x".repeat(1000), 10), 11);
    }

    #[test]
    fn small_objects_take_many_times_their_json() {
        let dense = json!({ "a": vec![json!({ "": 0 }); 1000] });
        assert!(structure_size(&dense) > 50 * json_size(&dense, usize::MAX - 1));
        assert!(structure_size(&json!({ "a": "x".repeat(10_000) })) < 1000);
        assert_eq!(structure_size(&json!([{}, []])), structure_size(&json!([1, 2])));
    }
}

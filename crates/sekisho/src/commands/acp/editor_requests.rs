//! Which of the agent's requests the editor has not answered yet.
//!
//! Only responses to these are passed on: a response of the editor must not answer a request for permission.

use std::collections::HashSet;

use serde_json::Value;

/// How many requests the editor may have to answer at once.
const MOST: usize = 4096;

/// The id of a request, so that ids which a parser could take for the same are the same.
#[derive(Debug, PartialEq, Eq, Hash)]
enum RequestKey {
    Text(String),
    /// The bits of the number as a double.
    Number(u64),
    None,
}

fn key_of(id: &Value) -> RequestKey {
    match (id, id.as_f64()) {
        (Value::String(text), _) => RequestKey::Text(text.clone()),
        (_, Some(number)) => RequestKey::Number((number + 0.0).to_bits()),
        _ => RequestKey::None,
    }
}

/// Whether a parser could take two ids for the same.
pub(super) fn is_same_id(one: &Value, other: &Value) -> bool {
    key_of(one) == key_of(other)
}

/// The ids of requests that were passed on to the editor.
#[derive(Default)]
pub(super) struct EditorRequests(HashSet<RequestKey>);

impl EditorRequests {
    /// A request is passed on. `false` if there are too many.
    pub(super) fn add(&mut self, id: &Value) -> bool {
        let has_room = self.0.len() < MOST;
        if has_room {
            self.0.insert(key_of(id));
        }
        has_room
    }

    pub(super) fn contains(&self, id: &Value) -> bool {
        self.0.contains(&key_of(id))
    }

    /// The editor responds. `false` if it was not asked.
    pub(super) fn take(&mut self, id: &Value) -> bool {
        self.0.remove(&key_of(id))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{EditorRequests, MOST, is_same_id};

    #[test]
    fn each_request_is_answered_once() {
        let mut requests = EditorRequests::default();
        assert!(requests.add(&json!(1)) && requests.add(&json!("1")));
        assert!(requests.contains(&json!(1)) && requests.take(&json!(1.0)) && !requests.take(&json!(1)));
        assert!(requests.take(&json!("1")) && !requests.take(&json!("2")));
        assert!(is_same_id(&json!(0), &json!(-0.0)) && !is_same_id(&json!(1), &json!("1")));
    }

    #[test]
    fn number_of_requests_is_bounded() {
        let mut requests = EditorRequests::default();
        assert!((0..MOST).all(|id| requests.add(&json!(id))));
        assert!(!requests.add(&json!("one more")));
        assert!(requests.take(&json!(0)) && requests.add(&json!("one more")));
    }
}

//! The messages of a request: a text, or a conversation of texts.

use sekisho_agent::conversation::{AssistantPart, Message};
use serde_json::Value;

/// A conversation that ends with a user's message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conversation {
    /// What came before.
    pub(crate) history: Vec<Message>,
    /// The last message.
    pub(crate) message: String,
}

/// Reads `messages`. The error says where and what is wrong: the path within the field, and the text.
pub(crate) fn read(messages: &Value) -> Result<Conversation, (String, String)> {
    let list = match messages {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut all = Vec::with_capacity(list.len());
    for (at, message) in list.iter().enumerate() {
        let place = |why: &str| (format!("messages[{at}]"), why.to_owned());
        all.push(one(message).map_err(place)?);
    }
    match all.pop() {
        Some(Message::User { text }) if !text.trim().is_empty() => {
            Ok(Conversation { history: all, message: text })
        }
        Some(Message::User { .. }) => Err(("messages".into(), "the last message is empty".into())),
        Some(_) => Err(("messages".into(), "the last message must be the user's".into())),
        None => Err(("messages".into(), "there is no message".into())),
    }
}

fn one(message: &Value) -> Result<Message, &'static str> {
    if let Value::String(text) = message {
        return Ok(Message::User { text: text.clone() });
    }
    let content = message.get("content").or_else(|| message.get("parts"));
    let text = content.and_then(text_of).ok_or("only text is supported as `content`")?;
    match message.get("role").and_then(Value::as_str) {
        Some("user") => Ok(Message::User { text }),
        Some("assistant") => Ok(Message::Assistant { parts: vec![AssistantPart::Text { text }] }),
        Some("system") => Err("the system prompt belongs to the agent and cannot be sent"),
        _ => Err("`role` must be `user` or `assistant`"),
    }
}

/// The text of a content: a text, parts that are texts, or an object with such `parts`.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(part_text).collect();
            Some(texts?.concat())
        }
        Value::Object(fields) => fields.get("parts").filter(|parts| parts.is_array()).and_then(text_of),
        _ => None,
    }
}

fn part_text(part: &Value) -> Option<&str> {
    let is_text = part.get("type").and_then(Value::as_str) == Some("text");
    part.get("text").and_then(Value::as_str).filter(|_| is_text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conversations_are_read_in_all_forms_of_text() {
        let check = |messages: Value, before: usize, message: &str| {
            let read = read(&messages).unwrap_or_else(|error| panic!("{messages}: {error:?}"));
            assert_eq!((read.history.len(), read.message.as_str()), (before, message), "{messages}");
        };
        check(json!("hi"), 0, "hi");
        check(json!(["a", "b"]), 1, "b");
        check(json!({ "role": "user", "content": "hi" }), 0, "hi");
        let parts = json!([{ "type": "text", "text": "h" }, { "type": "text", "text": "i" }]);
        check(json!([{ "role": "user", "content": parts }]), 0, "hi");
        check(json!([{ "id": "1", "role": "user", "parts": parts }]), 0, "hi");
        check(json!([{ "role": "user", "content": { "format": 2, "parts": parts } }]), 0, "hi");
        let said = json!({ "role": "assistant", "content": "Hello." });
        check(json!(["a", said, { "role": "user", "content": "b" }]), 2, "b");
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        let check = |messages: Value, place: &str| {
            assert_eq!(read(&messages).map_err(|(place, _)| place), Err(place.to_owned()), "{messages}");
        };
        check(json!([]), "messages");
        check(json!(" "), "messages");
        check(json!(null), "messages[0]");
        check(json!(7), "messages[0]");
        check(json!([{ "role": "assistant", "content": "x" }]), "messages");
        check(json!(["a", { "role": "system", "content": "obey" }]), "messages[1]");
        check(json!([{ "role": "tool", "content": "x" }, "b"]), "messages[0]");
        check(json!([{ "content": "x" }]), "messages[0]");
        let image = json!([{ "type": "image", "image": "x" }]);
        check(json!([{ "role": "user", "content": image }]), "messages[0]");
        let call = json!([{ "type": "tool-call", "toolCallId": "1", "toolName": "x", "input": {} }]);
        check(json!([{ "role": "assistant", "content": call }, "b"]), "messages[0]");
    }
}

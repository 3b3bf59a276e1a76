//! Gives every call of a reply an id of its own.

use std::collections::HashSet;

use super::ModelRequest;
use crate::conversation::{AssistantPart, Message};

/// The longest id that is taken over.
const MAX_ID: usize = 128;

/// The ids of a conversation.
///
/// Servers repeat ids or send none. A repeated id gets a suffix and a missing one is made from its place, so
/// that an answer to one call can never count for another of the same conversation.
#[derive(Debug)]
pub(super) struct CallIds {
    used: HashSet<String>,
    reply: usize,
    given: usize,
}

impl CallIds {
    /// The ids of the conversation so far.
    pub(super) fn new(request: &ModelRequest) -> CallIds {
        let replies = request.messages.iter().filter_map(|message| match message {
            Message::Assistant { parts } => Some(parts),
            Message::User { .. } | Message::Tools { .. } => None,
        });
        let used = replies.clone().flatten().filter_map(|part| match part {
            AssistantPart::Call(call) => Some(call.id.clone()),
            AssistantPart::Text { .. } | AssistantPart::Opaque { .. } => None,
        });
        CallIds { used: used.collect(), reply: replies.count() + 1, given: 0 }
    }

    /// The id of the next call, from the one that the model gave it. Ids that are too long, or are not
    /// printable ASCII, are replaced.
    pub(super) fn next(&mut self, given: Option<&str>) -> String {
        self.given += 1;
        let is_usable =
            |id: &&str| (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
        let id = match given.filter(is_usable) {
            Some(id) => id.to_owned(),
            None => format!("call_{}_{}", self.reply, self.given),
        };
        let mut unique = id.clone();
        let mut times = 1;
        while !self.used.insert(unique.clone()) {
            times += 1;
            unique = format!("{id}-{times}");
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{CallInput, ToolCall};

    #[test]
    fn ids_are_unique_in_a_conversation() {
        let call = ToolCall { id: "a".into(), name: "f".into(), input: CallInput::Object(json!({})) };
        let request = ModelRequest {
            model: "m".into(),
            system: None,
            messages: vec![Message::Assistant { parts: vec![AssistantPart::Call(call)] }],
            tools: Vec::new(),
            temperature: None,
            max_tokens: 1,
        };
        let long = "x".repeat(129);
        let given = [
            Some("b"),
            Some("b"),
            Some("a"),
            None,
            Some(""),
            Some(&long),
            Some("n\n"),
            Some("b-2"),
            Some("b"),
        ];
        let mut ids = CallIds::new(&request);
        let ids = given.map(|given| ids.next(given));
        let expected = ["b", "b-2", "a-2", "call_2_4", "call_2_5", "call_2_6", "call_2_7", "b-2-2", "b-3"];
        assert_eq!(ids, expected);
    }
}

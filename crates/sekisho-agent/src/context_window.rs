//! Keeps a conversation within the window of its model: results of older calls are sent as references.
//!
//! How many messages are folded is stored with the run, and changes only when the conversation nears the window. So the
//! beginning of the conversation stays the same for many requests, which providers cache.

use sekisho_tools::output_cache::OutputCache;
use uuid::Uuid;

use crate::conversation::{AssistantPart, CallInput, Message};

/// Results with fewer bytes stay as they are.
const SMALLEST: usize = 1024;
/// How many of the last messages are never folded: the last reply and its results.
const KEPT: usize = 2;
/// Roughly how many bytes a token has. Code and other languages have fewer, so this is not the average of English.
const BYTES_PER_TOKEN: u64 = 3;
/// The tokens that a message has besides its text.
const PER_MESSAGE: u64 = 16;
/// The bytes that a call or a result has besides its text, such as its id and the name of the tool.
const PER_CALL: usize = 96;

/// What fits into the window of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The tokens that the conversation may have.
    pub(crate) tokens: u64,
}

impl Window {
    /// What is left of a window for the conversation, after the reply, the system prompt and the tools.
    pub(crate) fn of(context_tokens: u32, reply: u32, other_bytes: usize) -> Window {
        let reserved = u64::from(reply).saturating_add(tokens_of(other_bytes));
        Window { tokens: u64::from(context_tokens).saturating_sub(reserved) }
    }

    /// How many messages are to be folded, if more than now: at four fifths of the window, down to half of it.
    pub(crate) fn to_fold(self, run: Uuid, messages: &[Message], folded: usize) -> Option<usize> {
        let sizes: Vec<(u64, u64)> = messages.iter().map(|message| sizes(run, message)).collect();
        let total = |folded: usize| {
            sizes.iter().enumerate().fold(0_u64, |sum, (at, (whole, short))| {
                sum.saturating_add(if at < folded { *short } else { *whole })
            })
        };
        if total(folded) <= self.tokens / 5 * 4 {
            return None;
        }
        let most = messages.len().saturating_sub(KEPT);
        let enough = (folded..=most).find(|folded| total(*folded) <= self.tokens / 2);
        enough.or(Some(most)).filter(|wanted| *wanted > folded)
    }
}

/// An estimate of the tokens of a request: its messages, as they are sent, and what it has besides.
pub(crate) fn estimated_tokens(messages: &[Message], other_bytes: usize) -> u64 {
    let tokens = |message| tokens_of(length(message)).saturating_add(PER_MESSAGE);
    messages.iter().map(tokens).fold(tokens_of(other_bytes), u64::saturating_add)
}

/// The bytes of a message.
fn length(message: &Message) -> usize {
    match message {
        Message::User { text } => text.len(),
        Message::Assistant { parts } => parts.iter().map(part_length).sum(),
        Message::Tools { results } => results.iter().map(|result| result.content.len() + PER_CALL).sum(),
    }
}

/// The tokens of a message, whole and folded.
fn sizes(run: Uuid, message: &Message) -> (u64, u64) {
    let whole = length(message);
    let folded = match message {
        Message::Tools { results } => results
            .iter()
            .map(|result| reference(run, &result.content).map_or(result.content.len(), |text| text.len()))
            .map(|bytes| bytes + PER_CALL)
            .sum(),
        Message::User { .. } | Message::Assistant { .. } => whole,
    };
    (tokens_of(whole).saturating_add(PER_MESSAGE), tokens_of(folded).saturating_add(PER_MESSAGE))
}

fn part_length(part: &AssistantPart) -> usize {
    match part {
        AssistantPart::Text { text } => text.len(),
        AssistantPart::Call(call) => match &call.input {
            CallInput::Object(input) => input.to_string().len() + PER_CALL,
            CallInput::Unreadable(text) => text.len() + PER_CALL,
        },
        AssistantPart::Opaque { value, .. } => value.to_string().len(),
    }
}

fn tokens_of(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

/// What stands for a result that is folded. None if it is too short for that.
fn reference(run: Uuid, content: &str) -> Option<String> {
    (content.len() >= SMALLEST).then(|| OutputCache::reference(run, content))
}

/// Replaces the results of the first messages by references.
pub(crate) fn fold(run: Uuid, messages: &mut [Message], folded: usize) {
    for message in messages.iter_mut().take(folded) {
        let Message::Tools { results } = message else { continue };
        for result in results {
            if let Some(short) = reference(run, &result.content) {
                result.content = short;
            }
        }
    }
}

/// The results that folding these messages replaces.
pub(crate) fn replaced(messages: &[Message], from: usize, to: usize) -> impl Iterator<Item = &str> {
    let range = messages.get(from..to).unwrap_or_default();
    let results = range.iter().filter_map(|message| match message {
        Message::Tools { results } => Some(results),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    results.flatten().map(|result| result.content.as_str()).filter(|content| content.len() >= SMALLEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::CallResult;

    const RUN: Uuid = Uuid::nil();

    /// A conversation with results of this many bytes.
    fn conversation(results: &[usize]) -> Vec<Message> {
        let mut messages = vec![Message::User { text: "go".into() }];
        for bytes in results {
            messages.push(Message::Assistant { parts: vec![AssistantPart::Text { text: "x".into() }] });
            let result = CallResult {
                call_id: "c".into(),
                name: "read".into(),
                content: "r".repeat(*bytes),
                is_error: false,
            };
            messages.push(Message::Tools { results: vec![result] });
        }
        messages
    }

    fn tokens(messages: &[Message]) -> u64 {
        messages.iter().map(|message| sizes(RUN, message).0).sum()
    }

    #[test]
    fn nothing_is_folded_while_there_is_room() {
        let messages = conversation(&[3000; 5]);
        assert_eq!(Window { tokens: 10_000 }.to_fold(RUN, &messages, 0), None);
    }

    #[test]
    fn oldest_results_are_folded_down_to_half_of_the_window() {
        let mut messages = conversation(&[3000; 20]);
        let window = Window { tokens: 10_000 };
        let folded = window.to_fold(RUN, &messages, 0).unwrap();
        assert_eq!(replaced(&messages, 0, folded).count(), folded / 2);
        fold(RUN, &mut messages, folded);
        assert!(tokens(&messages) <= 5000, "{}", tokens(&messages));
        assert!(tokens(&messages) > 3500, "no more than needed: {}", tokens(&messages));
    }

    #[test]
    fn folding_does_not_change_until_the_window_is_near_again() {
        let window = Window { tokens: 10_000 };
        let mut changes = Vec::new();
        let mut folded = 0;
        for steps in 1..=40 {
            let messages = conversation(&vec![3000; steps]);
            if let Some(more) = window.to_fold(RUN, &messages, folded) {
                changes.push(steps);
                folded = more;
            }
        }
        assert!((4..=20).contains(&changes.len()), "{changes:?}");
    }

    #[test]
    fn last_results_and_short_ones_are_never_folded() {
        let mut messages = conversation(&[100, 50_000]);
        let window = Window { tokens: 1000 };
        let folded = window.to_fold(RUN, &messages, 0);
        let before = messages.clone();
        fold(RUN, &mut messages, folded.unwrap_or_default());
        assert_eq!(messages, before);
        let folded = folded.unwrap_or_default();
        assert_eq!(window.to_fold(RUN, &messages, folded), None, "it is asked all the same");
    }
}

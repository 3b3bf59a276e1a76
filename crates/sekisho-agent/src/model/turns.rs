//! A conversation as providers want it: turns alternate, and every call has its result in the next turn.

use crate::conversation::{AssistantPart, CallResult, Message};

/// The result of a call that has none, because its reply was cut or the run was continued without it.
const NOT_RUN: &str = "This call was not run.";
/// Providers refuse empty messages.
const EMPTY: &str = "(empty message)";

/// One side's part of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Turn {
    /// Results of all calls of the turn before it, in their order; then texts.
    User { results: Vec<CallResult>, texts: Vec<String> },
    /// One or more replies.
    Assistant(Vec<AssistantPart>),
}

/// Merges neighbours and completes the results. Results of unknown calls are left out.
pub(super) fn turns(messages: &[Message]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        match (message, turns.last_mut()) {
            (Message::User { text }, Some(Turn::User { texts, .. })) => texts.push(filled(text)),
            (Message::User { text }, _) => {
                turns.push(Turn::User { results: Vec::new(), texts: vec![filled(text)] });
            }
            (Message::Tools { results: more }, Some(Turn::User { results, .. })) => {
                results.extend_from_slice(more);
            }
            (Message::Tools { results }, _) => {
                turns.push(Turn::User { results: results.clone(), texts: Vec::new() });
            }
            (Message::Assistant { parts: more }, Some(Turn::Assistant(parts))) => {
                parts.extend_from_slice(more);
            }
            (Message::Assistant { parts }, _) => turns.push(Turn::Assistant(parts.clone())),
        }
    }
    completed(turns)
}

fn filled(text: &str) -> String {
    if text.trim().is_empty() { EMPTY.into() } else { text.to_owned() }
}

fn completed(turns: Vec<Turn>) -> Vec<Turn> {
    let mut complete = Vec::with_capacity(turns.len() + 1);
    let mut turns = turns.into_iter().peekable();
    while let Some(turn) = turns.next() {
        let Turn::Assistant(parts) = turn else {
            complete.extend(answer(turn, &[]));
            continue;
        };
        let next = turns.next_if(|turn| matches!(turn, Turn::User { .. }));
        let next = next.unwrap_or(Turn::User { results: Vec::new(), texts: Vec::new() });
        let answer = answer(next, &parts);
        complete.push(Turn::Assistant(parts));
        complete.extend(answer);
    }
    complete
}

/// A user's turn after a reply, with one result for each call. `None` if nothing is in it.
fn answer(turn: Turn, reply: &[AssistantPart]) -> Option<Turn> {
    let Turn::User { results: mut found, texts } = turn else { return Some(turn) };
    let results: Vec<CallResult> = reply.iter().filter_map(|part| result(part, &mut found)).collect();
    (!results.is_empty() || !texts.is_empty()).then_some(Turn::User { results, texts })
}

/// The result of a call.
fn result(part: &AssistantPart, found: &mut Vec<CallResult>) -> Option<CallResult> {
    let AssistantPart::Call(call) = part else { return None };
    let place = found.iter().position(|result| result.call_id == call.id);
    Some(place.map(|place| found.remove(place)).unwrap_or_else(|| CallResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: NOT_RUN.into(),
        is_error: true,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{CallInput, ToolCall};

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn reply(ids: &[&str]) -> Message {
        Message::Assistant { parts: parts(ids) }
    }

    fn parts(ids: &[&str]) -> Vec<AssistantPart> {
        let input = CallInput::Object(json!({}));
        let call = |id: &&str| ToolCall { id: (*id).into(), name: "f".into(), input: input.clone() };
        ids.iter().map(|id| AssistantPart::Call(call(id))).collect()
    }

    fn result(id: &str, content: &str) -> CallResult {
        let is_error = content == NOT_RUN;
        CallResult { call_id: id.into(), name: "f".into(), content: content.into(), is_error }
    }

    fn tools(ids: &[&str]) -> Message {
        Message::Tools { results: ids.iter().map(|id| result(id, "ok")).collect() }
    }

    fn answer(results: &[(&str, &str)], texts: &[&str]) -> Turn {
        let results = results.iter().map(|(id, content)| result(id, content)).collect();
        Turn::User { results, texts: texts.iter().map(|text| (*text).into()).collect() }
    }

    #[track_caller]
    fn check(messages: &[Message], expected: &[Turn]) {
        assert_eq!(turns(messages), expected);
    }

    #[test]
    fn neighbours_are_merged_with_results_first() {
        check(&[user("a"), user(" ")], &[answer(&[], &["a", EMPTY])]);
        check(
            &[reply(&["1"]), user("a"), tools(&["1"])],
            &[Turn::Assistant(parts(&["1"])), answer(&[("1", "ok")], &["a"])],
        );
        check(
            &[user("a"), reply(&["1"]), reply(&["2"]), tools(&["2", "1"])],
            &[
                answer(&[], &["a"]),
                Turn::Assistant(parts(&["1", "2"])),
                answer(&[("1", "ok"), ("2", "ok")], &[]),
            ],
        );
    }

    #[test]
    fn every_call_has_one_result() {
        check(
            &[reply(&["1", "2"]), tools(&["2"]), reply(&[]), user("a")],
            &[
                Turn::Assistant(parts(&["1", "2"])),
                answer(&[("1", NOT_RUN), ("2", "ok")], &[]),
                Turn::Assistant(Vec::new()),
                answer(&[], &["a"]),
            ],
        );
        check(&[reply(&["1"])], &[Turn::Assistant(parts(&["1"])), answer(&[("1", NOT_RUN)], &[])]);
        check(&[tools(&["1"]), reply(&[]), tools(&["2"])], &[Turn::Assistant(Vec::new())]);
    }
}

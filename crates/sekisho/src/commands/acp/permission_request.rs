//! The agent's request for permission, and the answers to it.

use sekisho_policy::exact_json::read_within;
use serde_json::{Value, json};

use super::call_fields::RequestedCall;
use super::raw_fields::{fields_of, text_in};

/// The method of requests for permission.
pub(super) const METHOD: &str = "session/request_permission";
/// How much memory the options may take, in bytes.
const MOST_MEMORY: usize = 256 << 10;

/// A request that can be answered.
#[derive(Debug, PartialEq)]
pub(super) struct PermissionRequest {
    pub(super) id: Value,
    pub(super) session: String,
    /// The id of the call in its session.
    pub(super) call: String,
    /// The options to allow and to reject the call once, if each is the only one.
    allow_once: Option<String>,
    reject_once: Option<String>,
}

/// What the agent is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    AllowOnce,
    RejectOnce,
    Cancelled,
}

impl PermissionRequest {
    /// Reads the parameters of a request. More may have been said about its call before. The error says what is wrong.
    pub(super) fn read(
        id: Value,
        params: &str,
    ) -> Result<(PermissionRequest, RequestedCall<'_>), &'static str> {
        let names = ["sessionId", "toolCall", "options", "_meta"];
        let [session, call, options, _] =
            fields_of(params, names).ok_or("`params` is not an object, or not a clear one")?;
        let session = session.and_then(text_in).ok_or("`sessionId` is not a text")?.into_owned();
        let options = match options.map(|options| read_within(options, MOST_MEMORY)) {
            Some(Ok(Value::Array(options))) => options,
            _ => return Err("`options` is not a list that can be read"),
        };
        let call = RequestedCall::read(call, params)?;
        let (allow_once, reject_once) =
            (only_option(&options, "allow_once"), only_option(&options, "reject_once"));
        Ok((PermissionRequest { id, session, call: call.id.clone(), allow_once, reject_once }, call))
    }

    /// Whether the agent offers an option for this outcome.
    pub(super) fn offers(&self, outcome: Outcome) -> bool {
        outcome == Outcome::Cancelled || self.option(outcome).is_some()
    }

    /// The response. An outcome without an option is `cancelled`.
    pub(super) fn response(&self, outcome: Outcome) -> Vec<u8> {
        let outcome = self.option(outcome).map_or_else(
            || json!({ "outcome": "cancelled" }),
            |option| json!({ "outcome": "selected", "optionId": option }),
        );
        line(&json!({ "jsonrpc": "2.0", "id": self.id, "result": { "outcome": outcome } }))
    }

    /// The id of the option for an outcome.
    fn option(&self, outcome: Outcome) -> Option<&str> {
        match outcome {
            Outcome::AllowOnce => self.allow_once.as_deref(),
            Outcome::RejectOnce => self.reject_once.as_deref(),
            Outcome::Cancelled => None,
        }
    }
}

/// The id of the option of a kind, if no other option has the same kind or the same id: a choice between two would be
/// one that nobody has seen.
fn only_option(options: &[Value], kind: &str) -> Option<String> {
    let has =
        |option: &Value, field: &str, value: &str| option.get(field).and_then(Value::as_str) == Some(value);
    let mut of_kind = options.iter().filter(|option| has(option, "kind", kind));
    let (found, None) = (of_kind.next()?, of_kind.next()) else { return None };
    let id = found.get("optionId").and_then(Value::as_str)?;
    let same = options.iter().filter(|option| has(option, "optionId", id));
    (same.count() == 1).then(|| id.to_owned())
}

/// The response to a request that cannot be read. It permits nothing.
pub(super) fn error_response(id: &Value, message: &str) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32602, "message": message } }))
}

/// Tells the agent to end what a session is doing.
pub(super) fn cancel_notification(session: &str) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }))
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::{Outcome, PermissionRequest};
    use serde_json::{Value, json};

    fn answer(options: Value, outcome: Outcome) -> Value {
        let params = json!({ "sessionId": "s", "toolCall": { "toolCallId": "c" }, "options": options });
        let params = params.to_string();
        let (request, _) = PermissionRequest::read(7.into(), &params).unwrap();
        let response: Value = serde_json::from_slice(&request.response(outcome)).unwrap();
        assert_eq!(response["id"], 7);
        response["result"]["outcome"].clone()
    }

    #[test]
    fn only_options_for_one_time_are_chosen() {
        let option = |id: &str, kind: &str| json!({ "optionId": id, "name": id, "kind": kind });
        let all = json!([
            option("1", "allow_always"),
            option("2", "allow_once"),
            option("3", "reject_always"),
            option("4", "reject_once"),
        ]);
        let selected = |id: &str| json!({ "outcome": "selected", "optionId": id });
        let cancelled = json!({ "outcome": "cancelled" });
        assert_eq!(answer(all.clone(), Outcome::AllowOnce), selected("2"));
        assert_eq!(answer(all.clone(), Outcome::RejectOnce), selected("4"));
        assert_eq!(answer(all, Outcome::Cancelled), cancelled);
        let always =
            json!([option("1", "allow_always"), option("3", "reject_always"), 3, { "kind": "allow_once" }]);
        assert_eq!(answer(always.clone(), Outcome::AllowOnce), cancelled);
        assert_eq!(answer(always, Outcome::RejectOnce), cancelled);
        let twice = json!([option("1", "reject_once"), option("1", "allow_once")]);
        assert_eq!(answer(twice.clone(), Outcome::RejectOnce), cancelled);
        assert_eq!(answer(twice, Outcome::AllowOnce), cancelled);
        let two = json!([option("1", "allow_once"), option("2", "allow_once"), option("3", "reject_once")]);
        assert_eq!(answer(two.clone(), Outcome::AllowOnce), cancelled);
        assert_eq!(answer(two, Outcome::RejectOnce), selected("3"));
    }

    #[test]
    fn unreadable_requests_are_refused() {
        let later =
            r#"{ "sessionId": "s", "options": [], "subject": { "type": "command", "command": "ls" } }"#;
        for params in [
            "{}",
            r#"{ "sessionId": "s" }"#,
            r#"{ "sessionId": 1, "options": [], "toolCall": { "toolCallId": "c" } }"#,
            r#"{ "sessionId": "s", "options": [], "toolCall": {} }"#,
            r#"{ "sessionId": "s", "options": [], "toolCall": { "toolCallId": "c", "toolCallId": "d" } }"#,
            r#"{ "sessionId": "s", "options": [{ "kind": "a", "kind": "b" }], "toolCall": { "toolCallId": "c" } }"#,
            r#"{ "sessionId": "s", "sessionId": "t", "options": [], "toolCall": { "toolCallId": "c" } }"#,
            later,
        ] {
            assert!(PermissionRequest::read(1.into(), params).is_err(), "{params}");
        }
    }
}

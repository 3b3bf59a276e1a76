//! The bodies of requests. Options that would change what the agent does, and that are not supported, are refused:
//! ignoring them would do something else than was asked for.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::messages::{self, Conversation};

/// A field of a body, and what is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Issue {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// A body.
pub(crate) type Body = Map<String, Value>;

/// Options that change nothing here.
const IGNORED: [&str; 6] =
    ["requestContext", "tracingOptions", "telemetry", "savePerStep", "returnScorerData", "versions"];

/// A request for a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StartRequest {
    pub(crate) conversation: Conversation,
    pub(crate) run: Option<Uuid>,
    pub(crate) max_steps: Option<u32>,
    pub(crate) active_tools: Option<Vec<String>>,
    pub(crate) requires_approval: bool,
}

/// An answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AnswerRequest {
    pub(crate) run: String,
    pub(crate) call: Option<String>,
    pub(crate) reason: Option<String>,
    /// The answer, where the body has it: `resumeData`.
    pub(crate) approved: Option<bool>,
}

/// Reads a request for a run.
pub(crate) fn start(body: &Body) -> Result<StartRequest, Vec<Issue>> {
    let mut fields =
        Fields::new(body, &["messages", "runId", "maxSteps", "activeTools", "requireToolApproval"]);
    let conversation = match body.get("messages").map(messages::read) {
        Some(Ok(conversation)) => Some(conversation),
        Some(Err((field, message))) => fields.issue(&field, &message),
        None => fields.issue("messages", "it is missing"),
    };
    let run = fields.read("runId", "must be a UUID", |value| value.as_str()?.parse().ok());
    let max_steps = fields.read("maxSteps", "must be a whole number from 1 on", |value| {
        u32::try_from(value.as_u64()?).ok().filter(|steps| *steps > 0)
    });
    let active_tools = fields.read("activeTools", "must be a list of names", |value| {
        value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    });
    let requires = fields.read("requireToolApproval", "must be true or false", Value::as_bool);
    let requires_approval = requires.unwrap_or(false);
    match (conversation, fields.issues) {
        (Some(conversation), issues) if issues.is_empty() => {
            Ok(StartRequest { conversation, run, max_steps, active_tools, requires_approval })
        }
        (_, issues) => Err(issues),
    }
}

/// Reads an answer to a call. `resumes`: the body says in `resumeData` what the answer is.
pub(crate) fn answer(body: &Body, resumes: bool) -> Result<AnswerRequest, Vec<Issue>> {
    let known: &[&str] = if resumes {
        &["runId", "toolCallId", "resumeData"]
    } else {
        &["runId", "toolCallId", "reason", "info"]
    };
    let mut fields = Fields::new(body, known);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let run = match body.contains_key("runId") {
        true => fields.read("runId", "must be text", text),
        false => fields.issue("runId", "it is missing"),
    };
    let call = fields.read("toolCallId", "must be text", text);
    let reason = fields.read("reason", "must be text", text);
    let info = fields.read("info", "must be text", text);
    let data = body.get("resumeData").filter(|_| resumes);
    let approved = data.and_then(|data| data.get("approved")).and_then(Value::as_bool);
    let given = data.and_then(|data| data.get("reason")).and_then(text);
    if resumes && approved.is_none() {
        fields.issue::<()>("resumeData", "`approved` must be true or false");
    }
    match run {
        Some(run) if fields.issues.is_empty() => {
            Ok(AnswerRequest { run, call, reason: reason.or(info).or(given), approved })
        }
        _ => Err(fields.issues),
    }
}

/// Reads which run to join. Mastra counts the chunks from which to go on; here a client sends the id of the last one.
pub(crate) fn observe(body: &Body) -> Result<String, Vec<Issue>> {
    let mut fields = Fields::new(body, &["runId", "offset"]);
    let run = fields.read("runId", "must be text", |value| value.as_str().map(str::to_owned));
    if !matches!(body.get("offset"), None | Some(Value::Null)) && body.get("offset") != Some(&Value::from(0))
    {
        fields.issue::<()>("offset", "send the id of the last event as `Last-Event-ID` instead");
    }
    match run {
        Some(run) if fields.issues.is_empty() => Ok(run),
        Some(_) => Err(fields.issues),
        None => {
            fields.issue::<()>("runId", "it is missing");
            Err(fields.issues)
        }
    }
}

/// The fields of a body, and what is wrong with them.
struct Fields<'a> {
    body: &'a Body,
    issues: Vec<Issue>,
}

impl<'a> Fields<'a> {
    fn new(body: &'a Body, known: &[&str]) -> Fields<'a> {
        let mut fields = Fields { body, issues: Vec::new() };
        for (name, value) in body {
            let is_known = known.contains(&name.as_str()) || IGNORED.contains(&name.as_str());
            let says_nothing = match value {
                Value::Null => true,
                Value::Object(object) => object.is_empty(),
                Value::Array(list) => list.is_empty(),
                _ => name == "format" && value == "mastra",
            };
            if !is_known && !says_nothing {
                fields.issue::<()>(name, "this server does not support it");
            }
        }
        fields
    }

    fn issue<T>(&mut self, field: &str, message: &str) -> Option<T> {
        self.issues.push(Issue { field: field.to_owned(), message: message.to_owned() });
        None
    }

    fn read<T>(&mut self, name: &str, wrong: &str, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        match self.body.get(name) {
            None | Some(Value::Null) => None,
            Some(value) => read(value).or_else(|| self.issue(name, wrong)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: &Value) -> Body {
        value.as_object().unwrap().clone()
    }

    fn places(issues: Vec<Issue>) -> Vec<String> {
        issues.into_iter().map(|issue| issue.field).collect()
    }

    #[test]
    fn options_that_would_change_something_are_refused() {
        let check = |options: Value, expected: &[&str]| {
            let mut request = options.clone();
            request["messages"] = json!("hi");
            let found = start(&body(&request)).map_err(places);
            assert_eq!(found.err().unwrap_or_default(), expected, "{options}");
        };
        check(json!({}), &[]);
        check(
            json!({ "clientTools": {}, "toolsets": null, "format": "mastra", "requestContext": { "a": 1 } }),
            &[],
        );
        check(json!({ "maxSteps": 3, "activeTools": ["a"], "requireToolApproval": true }), &[]);
        check(json!({ "memory": { "thread": "t" } }), &["memory"]);
        check(json!({ "instructions": "x", "tools": { "a": 1 } }), &["instructions", "tools"]);
        check(json!({ "clientTools": { "a": {} }, "format": "aisdk" }), &["clientTools", "format"]);
        check(
            json!({ "runId": "x", "maxSteps": 0, "activeTools": "a" }),
            &["runId", "maxSteps", "activeTools"],
        );
        check(json!({ "requireToolApproval": "yes" }), &["requireToolApproval"]);
    }

    #[test]
    fn answers_are_read_and_never_guessed() {
        let read = |value: Value, resumes| answer(&body(&value), resumes).map_err(places);
        let given =
            read(json!({ "runId": "r", "toolCallId": "c", "info": "i", "reason": "r" }), false).unwrap();
        assert_eq!((given.run.as_str(), given.reason.as_deref()), ("r", Some("r")));
        let info = read(json!({ "runId": "r", "info": "i" }), false).unwrap();
        assert_eq!((info.call, info.reason.as_deref()), (None, Some("i")));
        assert_eq!(read(json!({}), false), Err(vec!["runId".into()]));
        assert_eq!(read(json!({ "runId": "r", "toolCallId": 7 }), false), Err(vec!["toolCallId".into()]));
        assert_eq!(
            read(json!({ "runId": "r", "resumeData": { "approved": true } }), false),
            Err(vec!["resumeData".into()])
        );
        for data in [json!({}), json!({ "approved": "yes" }), json!(true), json!(null)] {
            let given = read(json!({ "runId": "r", "resumeData": data }), true);
            assert_eq!(given, Err(vec!["resumeData".into()]), "{data}");
        }
        let resumed =
            read(json!({ "runId": "r", "resumeData": { "approved": false, "reason": "no" } }), true);
        assert_eq!(resumed.unwrap().reason.as_deref(), Some("no"));
    }
}

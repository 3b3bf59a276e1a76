//! What an agent says about a tool call, as it is written: values are read only to judge them.

use sekisho_policy::exact_json::{ExactJsonError, read_within};
use serde_json::{Map, Value};

use super::raw_fields::{fields_besides, fields_of, text_in};

/// Fields that say what a call does, and its title.
const FIELDS: [&str; 6] = ["kind", "title", "name", "content", "locations", "rawInput"];
/// The title is shown to people, and says nothing that is judged.
const TITLE: &str = "title";
/// The other fields that a call has in a request for permission, and the parameters of one.
const OTHER_FIELDS: [&str; 4] = ["toolCallId", "status", "rawOutput", "_meta"];
const PARAMETERS: [&str; 4] = ["sessionId", "toolCall", "options", "_meta"];
/// Where fields are shown that ACP does not have.
pub(super) const UNKNOWN_FIELDS: &str = "otherFields";
/// How much memory the values of a call may take, in bytes. Their text has a limit of its own.
const MOST_MEMORY: usize = 2 << 20;
/// The longest id of a call, in bytes.
const LONGEST_ID: usize = 1024;

const UNREADABLE: &str = "its tool call cannot be read";
const TOO_LARGE: &str = "its tool call has too many values";

/// The fields of a call in one message, without those that are `null`.
pub(super) type FieldTexts<'a> = [Option<&'a str>; FIELDS.len()];

/// Everything that was said about a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallFields([Option<SaidField>; FIELDS.len()]);

#[derive(Clone, Debug, PartialEq)]
struct SaidField {
    text: Box<str>,
    /// An update said so, not only a request for permission.
    in_update: bool,
    /// It was part of a request for permission already.
    is_used: bool,
}

/// A message of the agent about a call.
#[derive(Debug, PartialEq)]
pub(super) struct CallUpdate<'a> {
    pub(super) session: String,
    pub(super) call: String,
    /// The call begins.
    pub(super) is_new: bool,
    /// The call ended; whether it failed.
    pub(super) ended: Option<bool>,
    pub(super) fields: FieldTexts<'a>,
}

/// The tool call of a request for permission.
#[derive(Debug, PartialEq)]
pub(super) struct RequestedCall<'a> {
    pub(super) id: String,
    pub(super) fields: FieldTexts<'a>,
    call: &'a str,
    params: &'a str,
}

/// An update that says nothing clear.
#[derive(Debug, PartialEq)]
pub(super) struct UnclearUpdate;

fn without_nulls(fields: FieldTexts<'_>) -> FieldTexts<'_> {
    fields.map(|field| field.filter(|text| *text != "null"))
}

fn short_text(value: Option<&str>) -> Option<String> {
    value.and_then(text_in).filter(|text| text.len() <= LONGEST_ID).map(String::from)
}

impl<'a> CallUpdate<'a> {
    /// Reads the parameters of `session/update`. `None` if it is not about a call.
    pub(super) fn read(params: Option<&'a str>) -> Result<Option<CallUpdate<'a>>, UnclearUpdate> {
        let [session, update] =
            params.and_then(|params| fields_of(params, ["sessionId", "update"])).ok_or(UnclearUpdate)?;
        let names = ["sessionUpdate", "toolCallId", "status"];
        let [about, call, status] =
            update.and_then(|update| fields_of(update, names)).ok_or(UnclearUpdate)?;
        let about = about.and_then(text_in).ok_or(UnclearUpdate)?;
        if !matches!(&*about, "tool_call" | "tool_call_update") {
            return Ok(None);
        }
        let fields = update.and_then(|update| fields_of(update, FIELDS)).ok_or(UnclearUpdate)?;
        let (Some(session), Some(call)) = (short_text(session), short_text(call)) else {
            return Err(UnclearUpdate);
        };
        let ended = match status.and_then(text_in).as_deref() {
            Some("completed") => Some(false),
            Some("failed") => Some(true),
            _ => None,
        };
        let is_new = about == "tool_call";
        Ok(Some(CallUpdate { session, call, is_new, ended, fields: without_nulls(fields) }))
    }
}

impl<'a> RequestedCall<'a> {
    /// Reads `toolCall` of the parameters of a request.
    pub(super) fn read(call: Option<&'a str>, params: &'a str) -> Result<RequestedCall<'a>, &'static str> {
        let call = call.filter(|call| call.starts_with('{')).ok_or("`toolCall` is not an object")?;
        let fields = fields_of(call, FIELDS).ok_or(UNREADABLE)?;
        let [id, ..] = fields_of(call, OTHER_FIELDS).ok_or(UNREADABLE)?;
        let id = short_text(id).ok_or("its tool call has no `toolCallId`, or a long one")?;
        Ok(RequestedCall { id, fields: without_nulls(fields), call, params })
    }

    /// The fields of the call and of the parameters that ACP does not have.
    fn others(&self) -> Option<Vec<(String, &'a str)>> {
        let known = [FIELDS.as_slice(), OTHER_FIELDS.as_slice()].concat();
        let mut others = fields_besides(self.call, &known)?;
        others.extend(fields_besides(self.params, &PARAMETERS)?);
        Some(others)
    }
}

fn value_of(text: &str, most: usize) -> Result<Value, &'static str> {
    read_within(text, most).map_err(|error| match error {
        ExactJsonError::TooLarge => TOO_LARGE,
        ExactJsonError::Invalid(_) => UNREADABLE,
    })
}

/// Whether two texts are the same value, perhaps spaced or ordered differently.
fn is_same_value(one: &str, other: &str) -> bool {
    let value = |text| value_of(text, MOST_MEMORY).ok();
    value(one).is_some_and(|one| value(other) == Some(one))
}

/// An object with these fields.
fn object_text<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let fields: Vec<String> = fields.map(|(name, value)| format!("{}:{value}", Value::from(name))).collect();
    format!("{{{}}}", fields.join(","))
}

impl CallFields {
    /// Replaces the fields that an update has.
    pub(super) fn update(&mut self, fields: &FieldTexts<'_>) {
        for (said, text) in self.0.iter_mut().zip(fields) {
            if let Some(text) = text {
                *said = Some(SaidField { text: (*text).into(), in_update: true, is_used: false });
            }
        }
    }

    /// Completes a request with what updates have said since the request before. `false` if they have said something before
    /// that one which this request does not repeat.
    pub(super) fn complete(&mut self, fields: &FieldTexts<'_>) -> bool {
        let is_needed = |name: &str, said: &SaidField| name != TITLE && said.is_used && said.in_update;
        let all = FIELDS.iter().zip(&self.0).zip(fields);
        for ((name, said), new) in all {
            if new.is_none() && said.as_ref().is_some_and(|said| is_needed(name, said)) {
                return false;
            }
        }
        for (said, new) in self.0.iter_mut().zip(fields) {
            let before = said.take();
            *said = match new {
                Some(text) => {
                    let in_update = before.is_some_and(|said| said.in_update);
                    Some(SaidField { text: (*text).into(), in_update, is_used: false })
                }
                None => before.filter(|said| !said.is_used),
            };
        }
        true
    }

    /// A request has these fields now.
    pub(super) fn mark_used(&mut self) {
        self.0.iter_mut().flatten().for_each(|said| said.is_used = true);
    }

    /// Whether a message says something else about what the call does.
    pub(super) fn differs_from(&self, fields: &FieldTexts<'_>) -> bool {
        let is_same = |said: &Option<SaidField>, new: &str| {
            said.as_ref().is_some_and(|said| *said.text == *new || is_same_value(&said.text, new))
        };
        let all = FIELDS.iter().zip(&self.0).zip(fields);
        let mut judged = all.filter(|((name, _), _)| **name != TITLE);
        judged.any(|((_, said), new)| new.is_some_and(|new| !is_same(said, new)))
    }

    /// Whether updates have said anything. Otherwise a request says everything itself.
    pub(super) fn are_from_updates(&self) -> bool {
        self.0.iter().flatten().any(|said| said.in_update)
    }

    /// The values of the fields, and of those of a request that ACP does not have. They are read as one text, so that they
    /// share one limit.
    pub(super) fn values(&self, request: &RequestedCall<'_>) -> Result<Map<String, Value>, &'static str> {
        let said = FIELDS.iter().zip(&self.0).filter_map(|(name, said)| Some((*name, &*said.as_ref()?.text)));
        let others = request.others().ok_or(UNREADABLE)?;
        let others_text = object_text(others.iter().map(|(name, value)| (name.as_str(), *value)));
        let others = (!others.is_empty()).then_some((UNKNOWN_FIELDS, others_text.as_str()));
        let text = object_text(said.chain(others));
        match value_of(&text, MOST_MEMORY)? {
            Value::Object(values) => Ok(values),
            _ => Err(UNREADABLE),
        }
    }

    /// Bytes of JSON.
    pub(super) fn size(&self) -> usize {
        self.0.iter().flatten().map(|said| said.text.len()).sum()
    }
}

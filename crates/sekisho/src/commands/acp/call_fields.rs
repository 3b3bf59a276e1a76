//! What an agent says about a tool call, as it is written: values are read only to judge them.

use std::collections::BTreeMap;

use sekisho_policy::exact_json::{ExactJsonError, read_within};
use serde_json::{Map, Value};

use super::raw_fields::{fields_besides, fields_of, text_in};

/// Fields that say what a call does, and its title.
const FIELDS: [&str; 6] = ["kind", "title", "name", "content", "locations", "rawInput"];
/// The title is shown to people, and says nothing that is judged.
const TITLE: &str = "title";
/// Those of them that tell which command the call runs.
const COMMAND_FIELDS: [&str; 2] = ["kind", "rawInput"];
/// The other fields that a call has in a request for permission, and the parameters of one.
const OTHER_FIELDS: [&str; 4] = ["toolCallId", "status", "rawOutput", "_meta"];
const PARAMETERS: [&str; 4] = ["sessionId", "toolCall", "options", "_meta"];
/// The other fields of an update, and its parameters.
const UPDATE_FIELDS: [&str; 5] = ["sessionUpdate", "toolCallId", "status", "rawOutput", "_meta"];
const UPDATE_PARAMETERS: [&str; 3] = ["sessionId", "update", "_meta"];
/// Where fields are shown that ACP does not have.
pub(super) const UNKNOWN_FIELDS: &str = "otherFields";
/// How much memory the values of a call may take, in bytes. Their text has a limit of its own.
const MOST_MEMORY: usize = 2 << 20;
/// What a remembered field takes besides its text, in bytes.
const FIELD_SIZE: usize = 128;
/// The longest id of a call, in bytes.
const LONGEST_ID: usize = 1024;

const UNREADABLE: &str = "its tool call cannot be read";
const TOO_LARGE: &str = "its tool call has too many values";

/// The fields of a call in one message, by name, without those that are `null`.
pub(super) type FieldTexts<'a> = BTreeMap<String, &'a str>;

/// Everything that was said about a call, by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallFields(BTreeMap<String, SaidField>);

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
}

/// An update that says nothing clear.
#[derive(Debug, PartialEq)]
pub(super) struct UnclearUpdate {
    /// Its session, if that is clear.
    pub(super) session: Option<String>,
}

/// The fields of a call and of the parameters around it, without those that ACP has for other things. `None` if a field is
/// there twice.
fn all_fields<'a>(
    call: &'a str,
    not_call: &[&str],
    params: &'a str,
    not_params: &[&str],
) -> Option<FieldTexts<'a>> {
    let mut all = FieldTexts::new();
    // More than ACP has are bounded, and those that it has are not counted among them.
    let known = FIELDS.into_iter().zip(fields_of(call, FIELDS)?);
    let known = known.filter_map(|(name, text)| Some((name.to_owned(), text?)));
    let besides = fields_besides(call, &[FIELDS.as_slice(), not_call].concat())?;
    let around = fields_besides(params, not_params)?;
    for (name, text) in known.chain(besides).chain(around).filter(|(_, text)| *text != "null") {
        if all.insert(name, text).is_some() {
            return None;
        }
    }
    Some(all)
}

fn short_text(value: Option<&str>) -> Option<String> {
    value.and_then(text_in).filter(|text| text.len() <= LONGEST_ID).map(String::from)
}

impl<'a> CallUpdate<'a> {
    /// Reads the parameters of `session/update`. `None` if it is not about a call.
    pub(super) fn read(params: Option<&'a str>) -> Result<Option<CallUpdate<'a>>, UnclearUpdate> {
        let params = params.ok_or(UnclearUpdate { session: None })?;
        let [session, update] =
            fields_of(params, ["sessionId", "update"]).ok_or(UnclearUpdate { session: None })?;
        let session = short_text(session);
        let unclear = || UnclearUpdate { session: session.clone() };
        let update = update.ok_or_else(unclear)?;
        let [about, call, status] =
            fields_of(update, ["sessionUpdate", "toolCallId", "status"]).ok_or_else(unclear)?;
        let about = about.and_then(text_in).ok_or_else(unclear)?;
        if !matches!(&*about, "tool_call" | "tool_call_update") {
            return Ok(None);
        }
        let fields = all_fields(update, &UPDATE_FIELDS, params, &UPDATE_PARAMETERS).ok_or_else(unclear)?;
        let call = short_text(call).ok_or_else(unclear)?;
        let session = session.ok_or(UnclearUpdate { session: None })?;
        let ended = match status.and_then(text_in).as_deref() {
            Some("completed") => Some(false),
            Some("failed") => Some(true),
            _ => None,
        };
        Ok(Some(CallUpdate { session, call, is_new: about == "tool_call", ended, fields }))
    }
}

impl<'a> RequestedCall<'a> {
    /// Reads `toolCall` of the parameters of a request.
    pub(super) fn read(call: Option<&'a str>, params: &'a str) -> Result<RequestedCall<'a>, &'static str> {
        let call = call.filter(|call| call.starts_with('{')).ok_or("`toolCall` is not an object")?;
        let fields = all_fields(call, &OTHER_FIELDS, params, &PARAMETERS).ok_or(UNREADABLE)?;
        let [id, ..] = fields_of(call, OTHER_FIELDS).ok_or(UNREADABLE)?;
        let id = short_text(id).ok_or("its tool call has no `toolCallId`, or a long one")?;
        Ok(RequestedCall { id, fields })
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

/// Whether an input has the text of a command, without reading it.
fn may_have_command(raw: &str) -> bool {
    let is_there = |found: [Option<&str>; 2]| found.iter().any(Option::is_some);
    raw.starts_with('{') && fields_of(raw, ["command", "cmd"]).is_none_or(is_there)
}

/// An object with these fields.
fn object_text<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let fields: Vec<String> = fields.map(|(name, value)| format!("{}:{value}", Value::from(name))).collect();
    format!("{{{}}}", fields.join(","))
}

impl CallFields {
    /// Replaces the fields that an update has.
    pub(super) fn update(&mut self, fields: &FieldTexts<'_>) {
        for (name, text) in fields {
            let said = SaidField { text: (*text).into(), in_update: true, is_used: false };
            self.0.insert(name.clone(), said);
        }
    }

    /// Completes a request with what updates have said since the request before. `false` if they have said something before
    /// that one which this request does not repeat.
    pub(super) fn complete(&mut self, fields: &FieldTexts<'_>) -> bool {
        let is_needed = |name: &str, said: &SaidField| name != TITLE && said.is_used && said.in_update;
        if self.0.iter().any(|(name, said)| is_needed(name, said) && !fields.contains_key(name)) {
            return false;
        }
        self.0.retain(|name, said| !said.is_used || fields.contains_key(name));
        for (name, text) in fields {
            let in_update = self.0.get(name).is_some_and(|said| said.in_update);
            self.0.insert(name.clone(), SaidField { text: (*text).into(), in_update, is_used: false });
        }
        true
    }

    /// Whether a request was about it.
    pub(super) fn is_used(&self) -> bool {
        self.0.values().any(|said| said.is_used)
    }

    /// A request has these fields now.
    pub(super) fn mark_used(&mut self) {
        self.0.values_mut().for_each(|said| said.is_used = true);
    }

    /// Whether a message says something else about what the call does.
    pub(super) fn differs_from(&self, fields: &FieldTexts<'_>) -> bool {
        let is_same = |name: &str, new: &str| {
            let said = self.0.get(name);
            said.is_some_and(|said| *said.text == *new || is_same_value(&said.text, new))
        };
        fields.iter().any(|(name, new)| name != TITLE && !is_same(name, new))
    }

    /// Whether a message says something else about which command the call runs.
    pub(super) fn command_differs_from(&self, fields: &FieldTexts<'_>) -> bool {
        let command =
            COMMAND_FIELDS.iter().filter_map(|name| Some(((*name).to_owned(), *fields.get(*name)?)));
        self.differs_from(&command.collect())
    }

    /// The fields that tell which command the call runs, after an update.
    pub(super) fn command_fields(&self, update: &FieldTexts<'_>, is_new: bool) -> CallFields {
        let said = |name: &str| self.0.get(name).filter(|_| !is_new).map(|said| &*said.text);
        let fields = COMMAND_FIELDS.iter().filter_map(|&name| {
            let text = update.get(name).copied().or_else(|| said(name))?;
            // Nobody reads more than that.
            let text = match text.len() <= MOST_MEMORY {
                true => text,
                false if may_have_command(text) => "{",
                false => "{}",
            };
            let said = SaidField { text: text.into(), in_update: true, is_used: false };
            Some((name.to_owned(), said))
        });
        CallFields(fields.collect())
    }

    /// The values of the fields that tell which command the call runs: none if there is none. The error says that there may
    /// be one, which cannot be read.
    pub(super) fn command_values(&self) -> Result<Map<String, Value>, &'static str> {
        let text = |name: &str| self.0.get(name).map(|said| &*said.text);
        let is_execute = text("kind").and_then(text_in).is_some_and(|kind| kind == "execute");
        let may_have_one = |raw: &str| may_have_command(raw) || is_execute && raw.starts_with('{');
        if text("rawInput").is_none_or(|raw| !may_have_one(raw)) {
            return Ok(Map::new());
        }
        let fields = COMMAND_FIELDS.iter().filter_map(|name| Some((*name, text(name)?)));
        match value_of(&object_text(fields), MOST_MEMORY)? {
            Value::Object(values) => Ok(values),
            _ => Err(UNREADABLE),
        }
    }

    /// Whether updates have said anything. Otherwise a request says everything itself.
    pub(super) fn are_from_updates(&self) -> bool {
        self.0.values().any(|said| said.in_update)
    }

    /// The values of the fields; of those that ACP does not have, in [`UNKNOWN_FIELDS`]. They are read as one text, so that
    /// they share one limit.
    pub(super) fn values(&self) -> Result<Map<String, Value>, &'static str> {
        let all = self.0.iter().map(|(name, said)| (name.as_str(), &*said.text));
        let (known, others): (Vec<_>, Vec<_>) = all.partition(|(name, _)| FIELDS.contains(name));
        let others_text = object_text(others.iter().copied());
        let others = (!others.is_empty()).then_some((UNKNOWN_FIELDS, others_text.as_str()));
        let text = object_text(known.into_iter().chain(others));
        match value_of(&text, MOST_MEMORY)? {
            Value::Object(values) => Ok(values),
            _ => Err(UNREADABLE),
        }
    }

    /// Bytes of JSON, and of what the fields take besides.
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(|(name, said)| name.len() + said.text.len() + FIELD_SIZE).sum()
    }
}

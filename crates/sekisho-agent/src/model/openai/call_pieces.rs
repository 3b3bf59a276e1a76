//! Puts the pieces of tool calls together, as different servers send them.

use serde_json::Value;

use crate::conversation::ToolCall;
use crate::model::ReplyPiece;
use crate::model::call_ids::CallIds;
use crate::model::call_input::InputReader;
use crate::model::failure::Failure;
use crate::model::reply_limits::check_call;

/// The calls of a reply that is being received.
///
/// A piece continues the call at its index. A new id at a used index is a new call, because some servers give
/// every call the same index. A name that changes is an error: a guess could run the wrong tool.
#[derive(Debug)]
pub(super) struct CallPieces {
    ids: CallIds,
    calls: Vec<PartialCall>,
}

#[derive(Debug)]
struct PartialCall {
    index: Option<u64>,
    /// The id as the server gave it.
    given_id: Option<String>,
    id: String,
    name: String,
    arguments: String,
}

impl CallPieces {
    pub(super) fn new(ids: CallIds) -> CallPieces {
        CallPieces { ids, calls: Vec::new() }
    }

    /// Takes an entry of `tool_calls`.
    pub(super) fn take(&mut self, entry: &Value, pieces: &mut Vec<ReplyPiece>) -> Result<(), Failure> {
        let index = entry.get("index").and_then(Value::as_u64);
        let filled =
            |pointer: &str| entry.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (id, name) = (filled("/id"), filled("/function/name"));
        let place = match self.place(index, id, name) {
            Some(place) => place,
            None => self.start(index, id, name, pieces)?,
        };
        let Some(call) = self.calls.get_mut(place) else { return Ok(()) };
        if name.is_some_and(|name| name != call.name) {
            return Err(Failure::bad_reply("the name of a tool call changes"));
        }
        let text = match entry.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            // Some servers send the object itself instead of its text.
            Some(value) => value.to_string(),
        };
        if !text.is_empty() {
            call.arguments.push_str(&text);
            pieces.push(ReplyPiece::CallInput { id: call.id.clone(), text });
        }
        Ok(())
    }

    /// Which call a piece continues. `None` if it starts one.
    fn place(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let latest = |matches: &dyn Fn(&PartialCall) -> bool| self.calls.iter().rposition(matches);
        match (index, id) {
            (_, Some(id)) => {
                let same = latest(&|call| call.index == index && call.given_id.as_deref() == Some(id));
                // An id that comes late belongs to a call that has none yet.
                same.or_else(|| {
                    let place = latest(&|call| index.is_some() && call.index == index)?;
                    let call = self.calls.get(place)?;
                    (call.given_id.is_none() && name.is_none()).then_some(place)
                })
            }
            (Some(_), None) => latest(&|call| call.index == index),
            (None, None) if name.is_some() => None,
            (None, None) => self.calls.len().checked_sub(1),
        }
    }

    fn start(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        name: Option<&str>,
        pieces: &mut Vec<ReplyPiece>,
    ) -> Result<usize, Failure> {
        let Some(name) = name else { return Err(Failure::bad_reply("a tool call has no name")) };
        check_call(name, id)?;
        let call = PartialCall {
            index,
            given_id: id.map(str::to_owned),
            id: self.ids.next(id),
            name: name.to_owned(),
            arguments: String::new(),
        };
        pieces.push(ReplyPiece::CallStarted { id: call.id.clone(), name: call.name.clone() });
        self.calls.push(call);
        Ok(self.calls.len() - 1)
    }

    /// The calls, in the order in which they began.
    pub(super) fn finish(self) -> impl Iterator<Item = ToolCall> {
        let mut inputs = InputReader::default();
        self.calls.into_iter().map(move |call| {
            let input = inputs.read(&call.arguments);
            ToolCall { id: call.id, name: call.name, input }
        })
    }
}

//! What the messages that pass by say about sessions and their tool calls.
//!
//! A request for permission may leave out what the agent has said before: the directory of its session, and fields of the
//! tool call. Everything kept here is bounded; what was forgotten is unknown, and a call in an unknown session is rejected.

use std::collections::VecDeque;

use serde_json::{Map, Value};

/// How many sessions, requests for sessions and tool calls are remembered.
const MOST: usize = 256;
/// How many bytes of messages about tool calls are remembered.
const MOST_BYTES: usize = 16 << 20;
/// Fields of a tool call that are needed later.
const CALL_FIELDS: &[&str] = &["kind", "title", "name", "content", "locations", "rawInput"];

/// The newest entries, by key.
struct Recent<K, V> {
    /// Key, value and size in bytes; the oldest first.
    entries: VecDeque<(K, V, usize)>,
}

impl<K: PartialEq, V> Recent<K, V> {
    fn new() -> Recent<K, V> {
        Recent { entries: VecDeque::new() }
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.entries.iter().find(|(known, ..)| known == key).map(|(_, value, _)| value)
    }

    fn take(&mut self, key: &K) -> Option<(V, usize)> {
        let at = self.entries.iter().position(|(known, ..)| known == key)?;
        self.entries.remove(at).map(|(_, value, size)| (value, size))
    }

    fn put(&mut self, key: K, value: V, size: usize) {
        self.take(&key);
        self.entries.push_back((key, value, size));
        while self.entries.len() > MOST
            || self.entries.iter().map(|(.., size)| size).sum::<usize>() > MOST_BYTES
        {
            self.entries.pop_front();
        }
    }
}

/// A tool call: its session, and its id there.
pub(super) type CallKey = (String, String);

/// Sessions and tool calls.
pub(super) struct KnownCalls {
    /// The directories of requested sessions, by the id of the request.
    requested: Recent<Value, String>,
    /// The directories of sessions.
    directories: Recent<String, String>,
    calls: Recent<CallKey, Map<String, Value>>,
    /// The executions of allowed calls that have not ended.
    executions: Recent<CallKey, String>,
}

/// The longest id of a session that the agent may choose, in bytes.
const LONGEST_ID: usize = 512;

/// An allowed call that has ended.
#[derive(Debug, PartialEq)]
pub(super) struct EndedCall {
    pub(super) execution: String,
    pub(super) is_error: bool,
}

impl KnownCalls {
    pub(super) fn new() -> KnownCalls {
        KnownCalls {
            requested: Recent::new(),
            directories: Recent::new(),
            calls: Recent::new(),
            executions: Recent::new(),
        }
    }

    /// The editor asks for a session. One that is loaded or resumed has its id already.
    pub(super) fn session_requested(&mut self, method: &str, id: Option<Value>, params: &Map<String, Value>) {
        let text = |field: &str| params.get(field).and_then(Value::as_str).map(str::to_owned);
        if !matches!(method, "session/new" | "session/fork" | "session/load" | "session/resume") {
            return;
        }
        let Some(cwd) = text("cwd").filter(|cwd| cwd.starts_with('/')) else { return };
        let is_there = matches!(method, "session/load" | "session/resume");
        match (text("sessionId").filter(|_| is_there), id) {
            (Some(session), _) => {
                let size = session.len();
                self.directories.put(session, cwd, size);
            }
            (None, Some(id)) => self.requested.put(id, cwd, 0),
            (None, None) => {}
        }
    }

    /// Whether a response to this id would tell the id of a session.
    pub(super) fn awaits(&self, id: &Value) -> bool {
        self.requested.get(id).is_some()
    }

    /// The agent responds to a request for a session.
    pub(super) fn session_started(&mut self, id: &Value, result: Option<&Map<String, Value>>) {
        let Some((cwd, _)) = self.requested.take(id) else { return };
        let session = result.and_then(|result| result.get("sessionId")).and_then(Value::as_str);
        let Some(session) = session.filter(|id| id.len() <= LONGEST_ID).map(str::to_owned) else { return };
        // The agent must not move a session to another project: then none is known, for good.
        let is_moved = self.directories.get(&session).is_some_and(|known| *known != cwd);
        let size = session.len();
        self.directories.put(session, if is_moved { String::new() } else { cwd }, size);
    }

    pub(super) fn directory_of(&self, session: &str) -> Option<String> {
        self.directories.get(&session.to_owned()).filter(|cwd| !cwd.is_empty()).cloned()
    }

    /// The agent says something about its session, in a message of `size` bytes. Returns an allowed call that has ended
    /// by it.
    pub(super) fn session_updated(&mut self, params: &Map<String, Value>, size: usize) -> Option<EndedCall> {
        let session = params.get("sessionId").and_then(Value::as_str)?;
        let update = params.get("update").and_then(Value::as_object)?;
        let text = |field: &str| update.get(field).and_then(Value::as_str);
        if !matches!(text("sessionUpdate"), Some("tool_call" | "tool_call_update")) {
            return None;
        }
        let key = (session.to_owned(), text("toolCallId")?.to_owned());
        let is_error = match text("status") {
            Some("completed") => false,
            Some("failed") => true,
            _ => {
                let known =
                    self.calls.take(&key).filter(|_| text("sessionUpdate") == Some("tool_call_update"));
                let (call, before) = known.unwrap_or_default();
                self.calls.put(key, merge(call, update), before + size);
                return None;
            }
        };
        self.calls.take(&key);
        let (execution, _) = self.executions.take(&key)?;
        Some(EndedCall { execution, is_error })
    }

    /// A tool call with what was said about it before. That is forgotten now: an agent that uses the id again must say
    /// again what the call is.
    pub(super) fn complete(&mut self, session: &str, call: &Map<String, Value>) -> Map<String, Value> {
        let id = call.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
        let before = self.calls.take(&(session.to_owned(), id.to_owned()));
        merge(before.unwrap_or_default().0, call)
    }

    /// Forgets what was said about calls.
    pub(super) fn forget_calls(&mut self) {
        self.calls.entries.clear();
    }

    /// A call was allowed.
    pub(super) fn call_allowed(&mut self, key: CallKey, execution: String) {
        let size = key.0.len() + key.1.len();
        self.executions.put(key, execution, size);
    }
}

/// Replaces the fields that an update has. An absent field and `null` leave it as it is.
fn merge(mut call: Map<String, Value>, update: &Map<String, Value>) -> Map<String, Value> {
    for field in CALL_FIELDS {
        if let Some(value) = update.get(*field).filter(|value| !value.is_null()) {
            call.insert((*field).to_owned(), value.clone());
        }
    }
    call
}

#[cfg(test)]
mod tests {
    use super::{EndedCall, KnownCalls, MOST, MOST_BYTES};
    use serde_json::{Map, Value, json};

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn update(known: &mut KnownCalls, id: &str, fields: Value) -> Option<EndedCall> {
        let mut update = object(json!({ "sessionUpdate": "tool_call_update", "toolCallId": id }));
        update.extend(object(fields));
        known.session_updated(&object(json!({ "sessionId": "s", "update": update })), 100)
    }

    #[test]
    fn session_has_the_directory_that_the_editor_asked_for() {
        let mut known = KnownCalls::new();
        let new = "session/new";
        known.session_requested(new, Some(1.into()), &object(json!({ "cwd": "/a" })));
        known.session_requested(new, Some(2.into()), &object(json!({ "cwd": "relative" })));
        let loaded = object(json!({ "cwd": "/c", "sessionId": "loaded" }));
        known.session_requested("session/load", Some(3.into()), &loaded);
        assert!(known.awaits(&1.into()) && !known.awaits(&2.into()) && !known.awaits(&3.into()));
        known.session_started(&1.into(), Some(&object(json!({ "sessionId": "new" }))));
        known.session_started(&2.into(), Some(&object(json!({ "sessionId": "other" }))));
        assert_eq!(known.directory_of("new").as_deref(), Some("/a"));
        assert_eq!(known.directory_of("loaded").as_deref(), Some("/c"));
        assert_eq!(known.directory_of("other"), None);
        // A fork is another session; the one it is made from keeps its directory.
        let fork = object(json!({ "cwd": "/d", "sessionId": "loaded" }));
        known.session_requested("session/fork", Some(4.into()), &fork);
        known.session_started(&4.into(), Some(&object(json!({ "sessionId": "fork" }))));
        assert_eq!(known.directory_of("fork").as_deref(), Some("/d"));
        assert_eq!(known.directory_of("loaded").as_deref(), Some("/c"));
        // A response that gives a session another directory makes it unknown.
        known.session_requested(new, Some(5.into()), &object(json!({ "cwd": "/tmp" })));
        known.session_started(&5.into(), Some(&object(json!({ "sessionId": "new" }))));
        assert_eq!(known.directory_of("new"), None);
        // For good, and other requests with a directory make no session.
        known.session_requested(new, Some(6.into()), &object(json!({ "cwd": "/tmp" })));
        known.session_started(&6.into(), Some(&object(json!({ "sessionId": "new" }))));
        assert_eq!(known.directory_of("new"), None);
        known.session_requested("session/list", Some(7.into()), &object(json!({ "cwd": "/tmp" })));
        assert!(!known.awaits(&7.into()));
    }

    #[test]
    fn request_is_completed_by_earlier_messages() {
        let mut known = KnownCalls::new();
        update(&mut known, "c", json!({ "kind": "execute", "title": "t", "rawInput": { "command": "ls" } }));
        update(&mut known, "c", json!({ "title": null, "rawInput": { "command": "rm" } }));
        let call = known.complete("s", &object(json!({ "toolCallId": "c", "title": "u" })));
        assert_eq!(
            Value::Object(call),
            json!({ "kind": "execute", "title": "u", "rawInput": { "command": "rm" } })
        );
        // Said once, it counts for one request.
        assert!(known.complete("s", &object(json!({ "toolCallId": "c" }))).is_empty());
        update(&mut known, "c", json!({ "kind": "execute", "rawInput": { "command": "ls" } }));
        assert!(known.complete("t", &object(json!({ "toolCallId": "c" }))).is_empty());
        // A new call with the id of another has nothing of it.
        update(&mut known, "c", json!({ "sessionUpdate": "tool_call", "title": "new" }));
        let call = known.complete("s", &object(json!({ "toolCallId": "c" })));
        assert_eq!(Value::Object(call), json!({ "title": "new" }));
    }

    #[test]
    fn end_of_an_allowed_call_is_noticed_once() {
        let mut known = KnownCalls::new();
        known.call_allowed(("s".into(), "c".into()), "e".into());
        assert_eq!(update(&mut known, "c", json!({ "status": "in_progress" })), None);
        let ended = Some(EndedCall { execution: "e".into(), is_error: true });
        assert_eq!(update(&mut known, "c", json!({ "status": "failed" })), ended);
        assert_eq!(update(&mut known, "c", json!({ "status": "failed" })), None);
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = KnownCalls::new();
        for id in 0..=MOST {
            update(&mut known, &id.to_string(), json!({ "title": "t" }));
        }
        assert!(known.complete("s", &object(json!({ "toolCallId": "0" }))).is_empty());
        assert!(!known.complete("s", &object(json!({ "toolCallId": "1" }))).is_empty());
        let big = json!({ "sessionUpdate": "tool_call", "toolCallId": "big", "title": "t" });
        known.session_updated(&object(json!({ "sessionId": "s", "update": big })), MOST_BYTES + 1);
        assert!(known.calls.entries.is_empty());
    }
}

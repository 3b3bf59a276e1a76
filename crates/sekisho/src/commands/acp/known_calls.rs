//! What the messages that pass by say about sessions and their tool calls.
//!
//! A request for permission may leave out what the agent has said before: the directory of its session, and fields of the
//! tool call. Everything kept here is bounded. What was forgotten could matter, so a request that relies on it is
//! rejected: one of an unknown session, and one of a call about which more was said.

mod recent;
mod unasked_calls;

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use serde_json::Value;

use self::recent::Recent;
use self::unasked_calls::UnaskedCalls;
pub(super) use self::unasked_calls::{CallKey, UnaskedCall, include_running};
use super::call_fields::{CallFields, CallUpdate, RequestedCall};
use super::raw_fields::{field_of, fields_of, text_in};
use super::shell_directories::ShellDirectories;

/// The longest id of a session and the longest directory that are remembered, in bytes.
const LONGEST_ID: usize = 512;
const LONGEST_DIRECTORY: usize = 16 << 10;
/// The most that is remembered of one call, in bytes of JSON.
const LARGEST_CALL: usize = 1 << 20;
/// How many calls are known to be forgotten. After more, any call could be one.
const MOST_FORGOTTEN: usize = 64 << 10;

const FORGOTTEN: &str = "what the agent said about the call before is no longer known";
const NOT_REPEATED: &str = "what the agent said about the call before an earlier request is not in this one";

/// Sessions and tool calls.
pub(super) struct KnownCalls {
    /// Requested sessions, by the id of the request.
    requested: Recent<Value, RequestedSession>,
    /// The directories of sessions.
    directories: Recent<String, SessionDirectory>,
    /// The sessions of prompts, by the id of the request.
    prompts: Recent<Value, String>,
    calls: Recent<CallKey, CallFields>,
    forgotten: ForgottenCalls,
    /// The executions of allowed calls that have not ended.
    executions: Recent<CallKey, Execution>,
    unasked: UnaskedCalls,
}

/// An allowed call that has not ended.
struct Execution {
    id: String,
    /// The agent has told that the call begins.
    has_begun: bool,
}

/// What an update means for the shell: with what was said about the command of its call.
#[derive(Debug, PartialEq)]
pub(super) enum ShellNews {
    /// A call about which nobody was asked has begun, or is another now.
    Begun(CallFields),
    /// A call that was allowed is another now, or begins again.
    Changed(CallFields),
    /// A call has ended about which nobody was asked. One that failed may have moved the shell, too.
    Ended(CallFields),
}

/// A session that the editor asked for.
struct RequestedSession {
    cwd: String,
    /// The session that it loads, or from which it comes.
    from: Option<String>,
    /// It is that session.
    is_loaded: bool,
}

/// Where the calls of a session run.
struct SessionDirectory {
    /// Empty if none is known, for good.
    cwd: String,
    shell: ShellDirectories,
}

/// Calls about which something was said that is no longer known.
#[derive(Default)]
struct ForgottenCalls {
    hasher: RandomState,
    hashes: HashSet<u64>,
    /// Sessions in which any call that is not known may be one.
    sessions: HashSet<u64>,
    /// Any call that is not known may be one.
    may_be_any: bool,
}

/// An allowed call that has ended.
#[derive(Debug, PartialEq)]
pub(super) struct EndedCall {
    pub(super) execution: String,
    pub(super) is_error: bool,
}

impl ForgottenCalls {
    fn add(&mut self, key: &CallKey) {
        self.hashes.insert(self.hasher.hash_one(key));
        self.bound();
    }

    fn add_session(&mut self, session: &str) {
        self.sessions.insert(self.hasher.hash_one(session));
        self.bound();
    }

    fn bound(&mut self) {
        if self.hashes.len() > MOST_FORGOTTEN || self.sessions.len() > MOST_FORGOTTEN {
            self.add_all();
        }
    }

    fn add_all(&mut self) {
        self.hashes.clear();
        self.sessions.clear();
        self.may_be_any = true;
    }

    fn contains(&self, key: &CallKey) -> bool {
        self.may_be_any
            || self.hashes.contains(&self.hasher.hash_one(key))
            || self.sessions.contains(&self.hasher.hash_one(key.0.as_str()))
    }

    fn remove(&mut self, key: &CallKey) {
        self.hashes.remove(&self.hasher.hash_one(key));
    }
}

impl KnownCalls {
    pub(super) fn new() -> KnownCalls {
        KnownCalls {
            requested: Recent::new(),
            directories: Recent::new(),
            prompts: Recent::new(),
            calls: Recent::new(),
            forgotten: ForgottenCalls::default(),
            executions: Recent::new(),
            unasked: UnaskedCalls::default(),
        }
    }

    /// The editor asks for a session. It counts once the agent has it.
    pub(super) fn session_requested(&mut self, method: &str, id: Option<Value>, params: &str) {
        if !matches!(method, "session/new" | "session/fork" | "session/load" | "session/resume") {
            return;
        }
        let Some([cwd, session]) = fields_of(params, ["cwd", "sessionId"]) else { return };
        let is_usable = |cwd: &String| cwd.starts_with('/') && cwd.len() <= LONGEST_DIRECTORY;
        let cwd = cwd.and_then(text_in).map(String::from).filter(is_usable);
        let is_loaded = matches!(method, "session/load" | "session/resume");
        let from = session.and_then(text_in).map(String::from).filter(|session| session.len() <= LONGEST_ID);
        if let (Some(cwd), Some(id)) = (cwd, id) {
            let size = cwd.len() + from.as_deref().map_or(0, str::len) + id.as_str().map_or(0, str::len);
            self.requested.put(id, RequestedSession { cwd, from, is_loaded }, size);
        }
    }

    /// Where the calls of a session run. Its shell may be where that of the session was from which it comes.
    fn put_directory(&mut self, session: String, cwd: String, from: Option<&String>) {
        let size = session.len() + cwd.len();
        // A session that is loaded again may still have its shell, where it was.
        let own = self.directories.take(&session).map(|(known, _)| (known.cwd, known.shell));
        let from = from.and_then(|from| self.directories.get(from));
        let from = from.map(|known| (known.cwd.clone(), known.shell.clone()));
        let shell = own.or(from).map(|(before, mut shell)| {
            shell.add(&cwd, before);
            shell
        });
        let shell = shell.unwrap_or_default();
        self.directories.put(session, SessionDirectory { cwd, shell }, size);
    }

    /// Whether a response to this id would tell the id of a session.
    pub(super) fn awaits(&mut self, id: &Value) -> bool {
        self.requested.get(id).is_some()
    }

    /// The agent responds to a request for a session.
    pub(super) fn session_started(&mut self, id: &Value, result: Option<&str>) {
        let Some((RequestedSession { cwd, from, is_loaded }, _)) = self.requested.take(id) else { return };
        let Some(result) = result else { return };
        if let Some(session) = from.clone().filter(|_| is_loaded) {
            return self.put_directory(session, cwd, None);
        }
        let session = field_of(result, "sessionId").and_then(text_in);
        let Some(session) = session.filter(|id| id.len() <= LONGEST_ID).map(String::from) else { return };
        // The agent must not move a session to another project: then none is known, for good.
        let is_moved = self.directories.get(&session).is_some_and(|known| known.cwd != cwd);
        self.put_directory(session, if is_moved { String::new() } else { cwd }, from.as_ref());
    }

    /// The directory of a session, and where its shell may be.
    pub(super) fn directory_of(&mut self, session: &str) -> Option<(&str, &ShellDirectories)> {
        let known = self.directories.get(&session.to_owned()).filter(|known| !known.cwd.is_empty())?;
        Some((&known.cwd, &known.shell))
    }

    /// The shell of a session may also be in these directories.
    pub(super) fn shell_led_to(&mut self, session: &str, added: &ShellDirectories) {
        if let Some(known) = self.directories.get(&session.to_owned()) {
            known.shell.extend(&known.cwd, added);
        }
    }

    /// The directory of a session, and where its shell may be: also where calls lead it about which nobody was asked.
    pub(super) fn places_of(&mut self, session: &str) -> Option<(&str, Vec<&ShellDirectories>)> {
        let KnownCalls { directories, unasked, .. } = self;
        let known = directories.get(&session.to_owned()).filter(|known| !known.cwd.is_empty())?;
        let running = unasked.of_session(session).map(|(_, call)| &call.leads_to);
        Some((&known.cwd, std::iter::once(&known.shell).chain(running).collect()))
    }

    /// Calls of a session that have not ended and may move its shell, and about which nobody was asked. Without the call with
    /// this id.
    pub(super) fn unasked(&self, session: &str, but: Option<&str>) -> Vec<UnaskedCall> {
        let others = self.unasked.of_session(session).filter(|(id, _)| Some(*id) != but);
        others.map(|(_, call)| call.clone()).collect()
    }

    /// A call has begun about which nobody was asked. One that is forgotten counts as if it had ended.
    pub(super) fn unasked_began(&mut self, key: CallKey, call: UnaskedCall) {
        if let Some(((session, _), forgotten)) = self.unasked.add(key, call) {
            self.shell_led_to(&session, &forgotten.leads_to);
        }
    }

    /// The call has ended, or is asked about.
    pub(super) fn take_unasked(&mut self, key: &CallKey) -> Option<UnaskedCall> {
        self.unasked.take(key)
    }

    /// The editor sends a prompt.
    pub(super) fn prompted(&mut self, id: Value, session: String) {
        // The newest sessions are those in which something happens.
        self.directories.get(&session);
        let size = session.len() + id.as_str().map_or(0, str::len);
        self.prompts.put(id, session, size);
    }

    /// The session of a prompt, by the id of its request.
    pub(super) fn session_of_prompt(&mut self, id: &Value) -> Option<&str> {
        self.prompts.get(id).map(|session| session.as_str())
    }

    /// The agent says something about a call. Returns the end of an allowed one.
    pub(super) fn call_updated(&mut self, update: &CallUpdate<'_>) -> Option<EndedCall> {
        let key = (update.session.clone(), update.call.clone());
        let known = self.calls.take(&key).map(|(call, _)| call);
        if let Some(is_error) = update.ended {
            self.forgotten.remove(&key);
            let (Execution { id, .. }, _) = self.executions.take(&key)?;
            return Some(EndedCall { execution: id, is_error });
        }
        if update.is_new {
            self.forgotten.remove(&key);
        } else if known.is_none() && self.forgotten.contains(&key) {
            return None;
        }
        let mut call = known.filter(|_| !update.is_new).unwrap_or_default();
        call.update(&update.fields);
        self.put_call(key, call);
        None
    }

    /// What an update means for the shell. To be asked before [`call_updated`](Self::call_updated).
    pub(super) fn shell_news(&mut self, update: &CallUpdate<'_>) -> Option<ShellNews> {
        let key = (update.session.clone(), update.call.clone());
        let unknown = CallFields::default();
        let said: &CallFields = self.calls.get(&key).map_or(&unknown, |said| &*said);
        let (changes, was_asked) = (said.command_differs_from(&update.fields), said.is_used());
        let call = said.command_fields(&update.fields, update.is_new);
        if let Some(execution) = self.executions.get(&key) {
            let is_again = update.is_new && std::mem::replace(&mut execution.has_begun, true);
            return (changes || is_again).then_some(ShellNews::Changed(call));
        }
        match update.ended {
            None => changes.then_some(ShellNews::Begun(call)),
            Some(_) if was_asked && !changes && !self.unasked.contains(&key) => None,
            Some(_) => Some(ShellNews::Ended(call)),
        }
    }

    fn put_call(&mut self, key: CallKey, call: CallFields) {
        let size = key.0.len() + key.1.len() + call.size();
        let evicted = match size > LARGEST_CALL {
            true => vec![(key, call)],
            false => self.calls.put(key, call, size),
        };
        for (key, _) in evicted.iter().filter(|(_, call)| call.are_from_updates()) {
            self.forgotten.add(key);
        }
    }

    /// A tool call with what was said about it before. That counts for one request: an agent that asks about the same call
    /// again must say again what it is. The error says why the call is not known.
    pub(super) fn complete(
        &mut self,
        session: &str,
        call: &RequestedCall<'_>,
    ) -> Result<CallFields, &'static str> {
        let key = (session.to_owned(), call.id.clone());
        let known = self.calls.take(&key).map(|(call, _)| call);
        if known.is_none() && self.forgotten.contains(&key) {
            return Err(FORGOTTEN);
        }
        let mut said = known.unwrap_or_default();
        let asked = if said.complete(&call.fields) { Ok(said.clone()) } else { Err(NOT_REPEATED) };
        said.mark_used();
        self.put_call(key, said);
        asked
    }

    /// The agent said something that cannot be read, perhaps about a call: of this session, or of any.
    pub(super) fn forget_calls(&mut self, session: Option<&str>) {
        match session {
            Some(session) => {
                self.calls.remove_if(|(of, _)| of == session);
                self.forgotten.add_session(session);
            }
            None => {
                self.calls.clear();
                self.forgotten.add_all();
            }
        }
    }

    /// A call was allowed.
    pub(super) fn call_allowed(&mut self, key: CallKey, execution: String) {
        let size = key.0.len() + key.1.len();
        let has_begun = self.calls.get(&key).is_some_and(|call| call.are_from_updates());
        self.executions.put(key, Execution { id: execution, has_begun }, size);
    }
}

#[cfg(test)]
mod tests;

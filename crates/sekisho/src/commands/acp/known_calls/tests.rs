use serde_json::{Value, json};

use super::recent::MOST;
use super::{EndedCall, FORGOTTEN, KnownCalls, LARGEST_CALL, MOST_FORGOTTEN, NOT_REPEATED, Updated};
use crate::commands::acp::call_fields::{CallUpdate, RequestedCall};

fn update_as(known: &mut KnownCalls, kind: &str, id: &str, fields: &Value) -> Updated {
    let mut update = json!({ "sessionUpdate": kind, "toolCallId": id });
    update.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let params = json!({ "sessionId": "s", "update": update }).to_string();
    known.call_updated(&CallUpdate::read(Some(&params)).unwrap().unwrap())
}

fn update(known: &mut KnownCalls, id: &str, fields: Value) -> Updated {
    update_as(known, "tool_call_update", id, &fields)
}

fn complete_in(known: &mut KnownCalls, session: &str, call: &Value) -> Result<Value, &'static str> {
    let text = call.to_string();
    let call = RequestedCall::read(Some(&text), "{}").unwrap();
    known.complete(session, &call).map(Value::Object)
}

fn complete(known: &mut KnownCalls, call: Value) -> Result<Value, &'static str> {
    complete_in(known, "s", &call)
}

#[test]
fn session_has_the_directory_that_the_editor_asked_for() {
    let mut known = KnownCalls::new();
    let new = "session/new";
    let started = |known: &mut KnownCalls, id: i64, session: &str| {
        let result = json!({ "sessionId": session }).to_string();
        known.session_started(&id.into(), Some(&result));
    };
    known.session_requested(new, Some(1.into()), r#"{"cwd":"/a"}"#);
    known.session_requested(new, Some(2.into()), r#"{"cwd":"relative"}"#);
    known.session_requested("session/load", Some(3.into()), r#"{"cwd":"/c","sessionId":"loaded"}"#);
    assert!(known.awaits(&1.into()) && !known.awaits(&2.into()) && !known.awaits(&3.into()));
    started(&mut known, 1, "new");
    started(&mut known, 2, "other");
    assert_eq!(known.directory_of("new").as_deref(), Some("/a"));
    assert_eq!(known.directory_of("loaded").as_deref(), Some("/c"));
    assert_eq!(known.directory_of("other"), None);
    // A fork is another session; the one it is made from keeps its directory.
    known.session_requested("session/fork", Some(4.into()), r#"{"cwd":"/d","sessionId":"loaded"}"#);
    started(&mut known, 4, "fork");
    assert_eq!(known.directory_of("fork").as_deref(), Some("/d"));
    assert_eq!(known.directory_of("loaded").as_deref(), Some("/c"));
    // A response that gives a session another directory makes it unknown.
    known.session_requested(new, Some(5.into()), r#"{"cwd":"/tmp"}"#);
    started(&mut known, 5, "new");
    assert_eq!(known.directory_of("new"), None);
    // For good, and other requests with a directory make no session.
    known.session_requested(new, Some(6.into()), r#"{"cwd":"/tmp"}"#);
    started(&mut known, 6, "new");
    assert_eq!(known.directory_of("new"), None);
    known.session_requested("session/list", Some(7.into()), r#"{"cwd":"/tmp"}"#);
    assert!(!known.awaits(&7.into()));
}

#[test]
fn request_is_completed_by_earlier_messages() {
    let mut known = KnownCalls::new();
    update(&mut known, "c", json!({ "kind": "execute", "title": "t", "rawInput": { "command": "ls" } }));
    update(&mut known, "c", json!({ "title": null, "rawInput": { "command": "rm" } }));
    let call = complete(&mut known, json!({ "toolCallId": "c", "title": "u" }));
    assert_eq!(call, Ok(json!({ "kind": "execute", "title": "u", "rawInput": { "command": "rm" } })));
    // It counts for one request: the next one must say it again.
    assert_eq!(complete(&mut known, json!({ "toolCallId": "c" })), Err(NOT_REPEATED));
    let half = json!({ "toolCallId": "c", "rawInput": { "command": "ls" } });
    assert_eq!(complete(&mut known, half.clone()), Err(NOT_REPEATED));
    let whole = json!({ "kind": "execute", "rawInput": { "command": "ls" } });
    let mut again = whole.clone();
    again["toolCallId"] = "c".into();
    assert_eq!(complete(&mut known, again), Ok(whole));
    assert_eq!(complete_in(&mut known, "t", &json!({ "toolCallId": "c" })), Ok(json!({})));
    // A new call with the id of another has nothing of it.
    update_as(&mut known, "tool_call", "c", &json!({ "title": "new" }));
    assert_eq!(complete(&mut known, json!({ "toolCallId": "c" })), Ok(json!({ "title": "new" })));
    // What only a request said is that of this request.
    assert!(complete(&mut known, json!({ "toolCallId": "d", "kind": "edit" })).is_ok());
    assert_eq!(complete(&mut known, half.clone()), Ok(json!({ "rawInput": { "command": "ls" } })));
    let other = json!({ "toolCallId": "d", "rawInput": 1 });
    assert_eq!(complete(&mut known, other), Ok(json!({ "rawInput": 1 })));
}

#[test]
fn update_that_says_the_same_changes_nothing() {
    let mut known = KnownCalls::new();
    let call = json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } });
    complete(&mut known, call).unwrap();
    assert!(!update(&mut known, "c", json!({ "status": "pending" })).is_changed);
    assert!(!update(&mut known, "c", json!({ "rawInput": { "command": "ls" } })).is_changed);
    assert!(!update_as(&mut known, "tool_call", "c", &json!({ "kind": "execute" })).is_changed);
    assert!(update(&mut known, "c", json!({ "rawInput": { "command": "ls " } })).is_changed);
    assert!(update(&mut known, "c", json!({ "status": "failed" })).is_changed);
}

#[test]
fn unknown_fields_of_a_request_are_kept() {
    let mut known = KnownCalls::new();
    let call = json!({ "toolCallId": "c", "kind": "execute", "_meta": {}, "input": { "command": "rm" } });
    let others = json!({ "input": { "command": "rm" } });
    assert_eq!(complete(&mut known, call), Ok(json!({ "kind": "execute", "otherFields": others })));
}

#[test]
fn end_of_an_allowed_call_is_noticed_once() {
    let mut known = KnownCalls::new();
    known.call_allowed(("s".into(), "c".into()), "e".into());
    assert_eq!(update(&mut known, "c", json!({ "status": "in_progress" })).ended, None);
    let ended = Some(EndedCall { execution: "e".into(), is_error: true });
    assert_eq!(update(&mut known, "c", json!({ "status": "failed" })).ended, ended);
    assert_eq!(update(&mut known, "c", json!({ "status": "failed" })).ended, None);
}

#[test]
fn forgotten_calls_are_not_judged() {
    let mut known = KnownCalls::new();
    let call = |id: &str| json!({ "toolCallId": id, "kind": "execute", "rawInput": { "command": "ls" } });
    for id in 0..=MOST {
        update(&mut known, &id.to_string(), json!({ "title": "t" }));
    }
    assert_eq!(complete(&mut known, call("0")), Err(FORGOTTEN));
    assert!(complete(&mut known, call("1")).is_ok());
    // Only the beginning of a call says everything about it.
    update(&mut known, "0", json!({ "title": "t" }));
    assert_eq!(complete(&mut known, call("0")), Err(FORGOTTEN));
    update_as(&mut known, "tool_call", "0", &json!({ "title": "t" }));
    assert!(complete(&mut known, call("0")).is_ok());
    let big = json!({ "rawInput": "x".repeat(LARGEST_CALL) });
    update_as(&mut known, "tool_call", "big", &big);
    assert_eq!(complete(&mut known, call("big")), Err(FORGOTTEN));
    // A call that was only asked about says everything itself.
    for id in 0..=MOST {
        assert!(complete(&mut known, call(&format!("asked {id}"))).is_ok());
    }
    assert!(complete(&mut known, call("asked 0")).is_ok());
    known.forget_calls();
    assert_eq!(complete(&mut known, call("never seen")), Err(FORGOTTEN));
}

#[test]
fn number_of_forgotten_calls_is_bounded() {
    let mut known = KnownCalls::new();
    for id in 0..=MOST_FORGOTTEN + MOST {
        update(&mut known, &id.to_string(), json!({ "title": "t" }));
    }
    assert!(known.forgotten.hashes.is_empty());
    assert_eq!(complete(&mut known, json!({ "toolCallId": "never seen" })), Err(FORGOTTEN));
}

#[test]
fn large_values_are_not_read() {
    let mut known = KnownCalls::new();
    let dense = format!("[{}0]", r#"{"":0},"#.repeat(20_000));
    let text = format!(r#"{{"toolCallId":"c","rawInput":{dense}}}"#);
    let call = RequestedCall::read(Some(&text), "{}").unwrap();
    assert!(known.complete("s", &call).is_err());
}

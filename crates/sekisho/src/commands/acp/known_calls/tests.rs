use super::super::shell_directories::{ShellCommand, ShellDirectories};
use serde_json::{Value, json};

use super::recent::MOST;
use super::{
    EndedCall, FORGOTTEN, KnownCalls, LARGEST_CALL, MOST_FORGOTTEN, NOT_REPEATED, ShellNews, UnaskedCall,
};
use crate::commands::acp::call_fields::{CallUpdate, RequestedCall, UnclearUpdate};

fn update_as(known: &mut KnownCalls, kind: &str, id: &str, fields: &Value) -> Option<EndedCall> {
    let params = update_params(kind, id, fields);
    known.call_updated(&CallUpdate::read(Some(&params)).unwrap().unwrap())
}

fn update_params(kind: &str, id: &str, fields: &Value) -> String {
    let mut update = json!({ "sessionUpdate": kind, "toolCallId": id });
    update.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({ "sessionId": "s", "update": update }).to_string()
}

fn update(known: &mut KnownCalls, id: &str, fields: Value) -> Option<EndedCall> {
    update_as(known, "tool_call_update", id, &fields)
}

fn complete_in(known: &mut KnownCalls, session: &str, call: &Value) -> Result<Value, &'static str> {
    let text = call.to_string();
    let call = RequestedCall::read(Some(&text), "{}").unwrap();
    known.complete(session, &call)?.values().map(Value::Object)
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
    let directory =
        |known: &mut KnownCalls, session: &str| known.directory_of(session).map(|(cwd, _)| cwd.to_owned());
    known.session_requested(new, Some(1.into()), r#"{"cwd":"/a"}"#);
    known.session_requested(new, Some(2.into()), r#"{"cwd":"relative"}"#);
    known.session_requested("session/load", Some(3.into()), r#"{"cwd":"/c","sessionId":"loaded"}"#);
    assert!(known.awaits(&1.into()) && !known.awaits(&2.into()) && known.awaits(&3.into()));
    started(&mut known, 1, "new");
    started(&mut known, 2, "other");
    assert_eq!(directory(&mut known, "loaded"), None);
    known.session_started(&3.into(), Some("null"));
    assert_eq!(directory(&mut known, "new"), Some("/a".to_owned()));
    assert_eq!(directory(&mut known, "loaded"), Some("/c".to_owned()));
    assert!(known.directory_of("other").is_none());
    // A fork is another session; the one it is made from keeps its directory.
    known.session_requested("session/fork", Some(4.into()), r#"{"cwd":"/d","sessionId":"loaded"}"#);
    started(&mut known, 4, "fork");
    assert_eq!(directory(&mut known, "fork"), Some("/d".to_owned()));
    assert_eq!(directory(&mut known, "loaded"), Some("/c".to_owned()));
    // One that could not be loaded stays where it is.
    known.session_requested("session/load", Some(8.into()), r#"{"cwd":"/tmp","sessionId":"loaded"}"#);
    known.session_started(&8.into(), None);
    assert_eq!(directory(&mut known, "loaded"), Some("/c".to_owned()));
    // A response that gives a session another directory makes it unknown.
    known.session_requested(new, Some(5.into()), r#"{"cwd":"/tmp"}"#);
    started(&mut known, 5, "new");
    assert_eq!(directory(&mut known, "new"), None);
    // For good, and other requests with a directory make no session.
    known.session_requested(new, Some(6.into()), r#"{"cwd":"/tmp"}"#);
    started(&mut known, 6, "new");
    assert_eq!(directory(&mut known, "new"), None);
    known.session_requested("session/list", Some(7.into()), r#"{"cwd":"/tmp"}"#);
    assert!(!known.awaits(&7.into()));
}

#[test]
fn fork_begins_where_its_session_is() {
    let mut known = KnownCalls::new();
    known.session_requested("session/new", Some(1.into()), r#"{"cwd":"/a"}"#);
    known.session_started(&1.into(), Some(r#"{"sessionId":"first"}"#));
    let added = ShellDirectories::default().added_by("/a", &ShellCommand::Text("cd sub".into()));
    known.shell_led_to("first", &added);
    known.session_requested("session/fork", Some(2.into()), r#"{"cwd":"/a","sessionId":"first"}"#);
    known.session_started(&2.into(), Some(r#"{"sessionId":"fork"}"#));
    let (cwd, shell) = known.directory_of("fork").unwrap();
    assert_eq!(shell.within(cwd, "ls"), ["/a", "/a/sub"]);
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
    let request = |call: Value| call.to_string();
    let text = request(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
    let asked = known.complete("s", &RequestedCall::read(Some(&text), "{}").unwrap()).unwrap();
    let is_changed = |fields: Value| {
        let params = update_params("tool_call_update", "c", &fields);
        asked.differs_from(&CallUpdate::read(Some(&params)).unwrap().unwrap().fields)
    };
    assert!(!is_changed(json!({ "status": "pending", "title": "t", "_meta": {}, "input": null })));
    assert!(!is_changed(json!({ "kind": "execute", "rawInput": { "command": "ls" } })));
    assert!(is_changed(json!({ "rawInput": { "command": "ls " } })));
    assert!(is_changed(json!({ "host": "prod" })));
    // Another request for the same call is about something else.
    let text = request(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "rm" } }));
    known.complete("s", &RequestedCall::read(Some(&text), "{}").unwrap()).unwrap();
    assert!(is_changed(json!({ "rawInput": { "command": "rm" } })));
}

#[test]
fn unknown_fields_of_updates_are_kept() {
    let mut known = KnownCalls::new();
    let call = json!({ "kind": "execute", "rawInput": { "command": "ls" }, "host": "test" });
    update_as(&mut known, "tool_call", "c", &call);
    update(&mut known, "c", json!({ "host": "prod", "otherFields": 1 }));
    let others = json!({ "host": "prod", "input": 2, "otherFields": 1 });
    let all = json!({ "kind": "execute", "rawInput": { "command": "ls" }, "otherFields": others });
    assert_eq!(complete(&mut known, json!({ "toolCallId": "c", "input": 2 })), Ok(all));
    // They must be repeated as well.
    let again = json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } });
    assert_eq!(complete(&mut known, again), Err(NOT_REPEATED));
    // Beside the update, and very many of them.
    let read = |params: &str| CallUpdate::read(Some(params)).map(|update| update.unwrap().fields.len());
    let update = r#"{"sessionUpdate":"tool_call","toolCallId":"c"}"#;
    assert_eq!(read(&format!(r#"{{"sessionId":"s","host":"prod","update":{update}}}"#)), Ok(1));
    let many: Value =
        (0..100).map(|number| (number.to_string(), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let params = update_params("tool_call", "c", &many);
    assert_eq!(read(&params), Err(UnclearUpdate { session: Some("s".into()) }));
}

#[test]
fn unreadable_update_is_about_its_session() {
    let mut known = KnownCalls::new();
    let call = |id: &str| json!({ "toolCallId": id, "kind": "execute", "rawInput": { "command": "ls" } });
    known.forget_calls(Some("s"));
    assert_eq!(complete(&mut known, call("c")), Err(FORGOTTEN));
    assert!(complete_in(&mut known, "t", &call("c")).is_ok());
    update_as(&mut known, "tool_call", "c", &call("c"));
    assert!(complete(&mut known, call("c")).is_ok());
    let session = |params: &str| CallUpdate::read(Some(params)).unwrap_err().session;
    assert_eq!(session(r#"{"sessionId":"s","update":1}"#).as_deref(), Some("s"));
    assert_eq!(session(r#"{"sessionId":"s","sessionId":"t","update":{}}"#), None);
}

#[test]
fn session_in_use_is_not_forgotten() {
    let mut known = KnownCalls::new();
    let load = |known: &mut KnownCalls, session: &str| {
        let params = json!({ "cwd": "/c", "sessionId": session }).to_string();
        known.session_requested("session/load", Some(1.into()), &params);
        known.session_started(&1.into(), Some("{}"));
    };
    for session in ["asked", "prompted", "unused"] {
        load(&mut known, session);
    }
    for session in 0..MOST {
        assert!(known.directory_of("asked").is_some());
        known.prompted(1.into(), "prompted".into());
        load(&mut known, &session.to_string());
    }
    assert!(known.directory_of("prompted").is_some() && known.directory_of("asked").is_some());
    assert!(known.directory_of("unused").is_none());
    assert_eq!(known.session_of_prompt(&1.into()), Some("prompted"));
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
    assert_eq!(update(&mut known, "c", json!({ "status": "in_progress" })), None);
    let ended = Some(EndedCall { execution: "e".into(), is_error: true });
    assert_eq!(update(&mut known, "c", json!({ "status": "failed" })), ended);
    assert_eq!(update(&mut known, "c", json!({ "status": "failed" })), None);
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
    known.forget_calls(None);
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
    assert!(known.complete("s", &call).unwrap().values().is_err());
}

fn news_as(known: &mut KnownCalls, kind: &str, id: &str, fields: &Value) -> Option<ShellNews> {
    let params = update_params(kind, id, fields);
    let update = CallUpdate::read(Some(&params)).unwrap().unwrap();
    let news = known.shell_news(&update);
    known.call_updated(&update);
    news
}

#[test]
fn updates_tell_what_may_move_the_shell() {
    let mut known = KnownCalls::new();
    let cd = json!({ "kind": "execute", "rawInput": { "command": "cd x" } });
    let ended = json!({ "status": "completed" });
    let news = |known: &mut KnownCalls, fields: &Value| news_as(known, "tool_call_update", "c", fields);
    assert!(matches!(news(&mut known, &cd), Some(ShellNews::Begun(_))));
    assert_eq!(news(&mut known, &json!({ "status": "in_progress", "content": [] })), None);
    assert!(matches!(news(&mut known, &ended), Some(ShellNews::Ended(_))));
    // One that was asked about and denied.
    let mut request = cd.clone();
    request["toolCallId"] = "c".into();
    complete(&mut known, request.clone()).unwrap();
    assert_eq!(news(&mut known, &ended), None);
    // One that was allowed, and is another then.
    complete(&mut known, request).unwrap();
    known.call_allowed(("s".into(), "c".into()), "e".into());
    assert_eq!(news_as(&mut known, "tool_call", "c", &cd), None);
    assert_eq!(news(&mut known, &cd), None);
    let other = json!({ "rawInput": { "command": "cd y" } });
    assert!(matches!(news(&mut known, &other), Some(ShellNews::Changed(_))));
    assert!(matches!(news_as(&mut known, "tool_call", "c", &cd), Some(ShellNews::Changed(_))));
}

#[test]
fn calls_that_nobody_was_asked_about_are_bounded() {
    let mut known = KnownCalls::new();
    known.session_requested("session/load", Some(1.into()), r#"{"cwd":"/p","sessionId":"s"}"#);
    known.session_started(&1.into(), Some("{}"));
    for number in 0..40 {
        let command = ShellCommand::Text(format!("cd d{number}"));
        let leads_to = ShellDirectories::default().added_by("/p", &command);
        known.unasked_began(("s".into(), number.to_string()), UnaskedCall { command, leads_to });
    }
    assert_eq!(known.unasked("s", Some("39")).len(), 31);
    // Those that are forgotten count as if they had ended.
    let (cwd, places) = known.places_of("s").unwrap();
    let first = ShellDirectories::default().added_by(cwd, &ShellCommand::Text("cd d0".into()));
    assert!(places.iter().any(|place| place.covers(cwd, &first)));
    assert!(known.unasked("t", None).is_empty());
}

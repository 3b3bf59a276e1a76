//! Calls that a human decides.

use sekisho_host::UnattendedTimeout;
use serde_json::{Value, json};

use crate::harness::{HookHarness, HookOutput, answer, yes};

/// The hook's answer to a call that needs approval, when the server answers `says`.
fn asked(place: &HookHarness, says: Option<String>) -> (HookOutput, Value) {
    let told = place.server(vec![says]);
    let spoken = place.bash("frobnicate --all");
    let (path, question) = told.recv().unwrap();
    assert_eq!(path, "/api/can-use-tool");
    (spoken, question)
}

#[test]
fn server_answer_allows_or_denies() {
    let place = HookHarness::new();
    let (spoken, question) = asked(&place, yes());
    assert_eq!(spoken.decision(), "allow");
    assert_eq!(question["input"]["command"], "frobnicate --all");
    assert_eq!((&question["toolUseId"], &question["runId"]), (&json!("toolu_1"), &json!("s1")));
    assert_eq!((&question["agentId"], &question["alwaysAsk"]), (&json!("claude-code"), &json!(true)));
    assert_eq!(question["projectRoot"], json!(place.project()));
    let (spoken, _) = asked(&place, answer(200, &json!({ "behavior": "deny", "message": "not today" })));
    assert_eq!((spoken.decision(), spoken.reason()), ("deny".into(), "not today".into()));
}

#[test]
fn disconnected_server_is_asked_again() {
    let place = HookHarness::new();
    let told = place.server(vec![Some(String::new()), answer(503, &json!({})), yes()]);
    assert_eq!(place.bash("frobnicate --all").decision(), "allow");
    let ids: Vec<Value> = (0..3).map(|_| told.recv().unwrap().1["toolUseId"].clone()).collect();
    assert_eq!(ids, ["toolu_1", "toolu_1", "toolu_1"], "the question that is open is joined");
}

#[test]
fn edited_input_runs() {
    let edited =
        json!({ "behavior": "allow", "executionId": "x", "updatedInput": { "command": "frobnicate --one" } });
    let (spoken, _) = asked(&HookHarness::new(), answer(200, &edited));
    let response: Value = serde_json::from_str(&spoken.out).unwrap();
    assert_eq!(response["hookSpecificOutput"]["updatedInput"], json!({ "command": "frobnicate --one" }));
}

#[test]
fn only_a_clear_allow_from_the_server_allows() {
    let allow = json!({ "behavior": "allow", "executionId": "x" });
    for says in [
        answer(500, &allow),
        answer(202, &allow),
        answer(404, &json!({ "error": { "code": "NotFound", "message": "no such thing" } })),
        answer(200, &json!({ "behavior": "allow" })),
        answer(200, &json!({ "behavior": "Allow", "executionId": "x" })),
        answer(200, &json!([])),
        Some("HTTP/1.1 200 OK\r\n\r\n{\"behavior\":\"allow\",\"executionId\":\"x\"}".into()),
        Some(
            "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"behavior\":\"allow\",\"executionId\":\"x\"}"
                .into(),
        ),
        Some("\u{0}\u{1}\u{2}".into()),
    ] {
        let (spoken, _) = asked(&HookHarness::new(), says.clone());
        assert_eq!(spoken.decision(), "deny", "{says:?}");
    }
}

#[test]
fn without_a_server_the_agent_prompt_decides_if_a_user_is_present() {
    let place = HookHarness::new();
    let headless = place.bash("frobnicate");
    assert_eq!(headless.decision(), "deny");
    assert!(headless.reason().contains("sekisho serve"), "{headless:?}");
    let place = place.attended(true);
    assert_eq!(place.bash("frobnicate").decision(), "ask");
    let record = place.record();
    assert_eq!(record.last().unwrap()["body"]["outcome"], "handed_back");
    // Claude Code asks again before it shows its prompt, and gets no decision.
    let mut permission = place.before("frobnicate", "");
    permission["hook_event_name"] = json!("PermissionRequest");
    permission.as_object_mut().unwrap().remove("tool_use_id");
    let left = place.send(&permission.to_string());
    assert_eq!(left.code, 0, "{left:?}");
    assert!(!left.out.contains("allow"), "{left:?}");
}

#[test]
fn timeout_is_answered_as_the_agent_supports() {
    let mut place = HookHarness::new();
    place.wait_seconds(1);
    let (spoken, question) = asked(&place, None);
    assert_eq!(spoken.decision(), "defer", "headless: the run can be resumed");
    assert_eq!((&question["onTimeout"], &question["timeoutMs"]), (&json!("park"), &Value::Null));
    assert_eq!(place.record().last().unwrap()["body"]["outcome"], "put_off");

    place.installation.unattended = UnattendedTimeout::Deny;
    let (spoken, question) = asked(&place, None);
    assert_eq!(spoken.decision(), "deny");
    assert!(spoken.reason().contains("nobody answered"), "{spoken:?}");
    assert_eq!(question["onTimeout"], "deny");

    let place = place.attended(true);
    let (spoken, question) = asked(&place, None);
    assert_eq!(spoken.decision(), "ask");
    assert_eq!(question["onTimeout"], "deny", "what is handed back does not stay in the inbox");
}

#[test]
fn allow_also_answers_the_permission_request() {
    let place = HookHarness::new();
    let (spoken, _) = asked(&place, yes());
    assert_eq!(spoken.decision(), "allow");
    let permission = |command: &str| {
        let mut told = place.before(command, "");
        told["hook_event_name"] = json!("PermissionRequest");
        told.as_object_mut().unwrap().remove("tool_use_id");
        let spoken = place.send(&told.to_string());
        let response: Value = serde_json::from_str(&spoken.out).unwrap_or_default();
        response["hookSpecificOutput"]["decision"]["behavior"].as_str().map(str::to_owned)
    };
    std::fs::remove_file(place.installation.socket.as_ref().unwrap()).unwrap();
    assert_eq!(permission("frobnicate --all").as_deref(), Some("allow"));
    assert_eq!(permission("frobnicate --other").as_deref(), Some("deny"), "another call is another question");
}

#[test]
fn end_of_an_allowed_call_is_reported_to_the_server() {
    let place = HookHarness::new();
    asked(&place, yes());
    let told = place.server(vec![Some("HTTP/1.1 204 No Content\r\n\r\n".into())]);
    let mut after = place.before("frobnicate --all", "toolu_1");
    after["hook_event_name"] = json!("PostToolUse");
    after["tool_response"] = json!({ "stdout": "" });
    after["duration_ms"] = json!(7);
    assert_eq!(place.send(&after.to_string()).code, 0);
    let (path, body) = told.recv().unwrap();
    assert_eq!(path, "/api/executions/0197a000-0000-7000-8000-000000000001");
    assert_eq!(body["durationMs"], 7);
}

//! The other agents, in their own formats.

use serde_json::{Value, json};

use crate::harness::{HookHarness, yes};

fn place(agent: &str) -> HookHarness {
    let mut place = HookHarness::new();
    place.installation.agent = agent.into();
    place
}

/// Each agent's request before it runs a command.
fn before(place: &HookHarness, command: &str) -> Value {
    let cwd = place.project();
    match place.installation.agent.as_str() {
        "codex" => json!({
            "session_id": "s1", "turn_id": "t1", "transcript_path": null, "cwd": cwd, "hook_event_name": "PreToolUse",
            "model": "m", "permission_mode": "bypassPermissions", "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_use_id": "call_1",
        }),
        "gemini-cli" => json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": cwd, "hook_event_name": "BeforeTool",
            "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "run_shell_command", "tool_input": { "command": command },
        }),
        _ => json!({
            "event": "before", "tool": "bash", "sessionID": "s1", "callID": "c1", "args": { "command": command },
            "directory": cwd, "servers": [],
        }),
    }
}

/// Whether the agent would run the call.
fn runs(place: &HookHarness, command: &str) -> bool {
    let spoken = place.send(&before(place, command).to_string());
    let response: Value = serde_json::from_str(&spoken.out).unwrap_or_default();
    assert!(spoken.code == 0 || spoken.is_block(), "{spoken:?}");
    match place.installation.agent.as_str() {
        "codex" => spoken.code == 0 && response["hookSpecificOutput"]["permissionDecision"] != "deny",
        _ => spoken.code == 0 && response["decision"] == "allow",
    }
}

#[test]
fn every_agent_gets_a_response_it_understands() {
    for agent in ["codex", "gemini-cli", "opencode"] {
        let place = place(agent);
        assert!(runs(&place, "make test"), "{agent}");
        assert!(!runs(&place, "rm -rf /"), "{agent}");
        assert!(!runs(&place, "frobnicate"), "{agent}: nobody can be asked");
        let asked = place.server(vec![yes()]);
        assert!(runs(&place, "frobnicate"), "{agent}");
        assert_eq!(asked.recv().unwrap().1["agentId"], agent);
        let told: Vec<Value> = place.record().iter().map(|line| line["agent"].clone()).collect();
        assert_eq!(told, [json!(agent), json!(agent), json!(agent)]);
    }
}

#[test]
fn equal_calls_without_an_id_are_separate_approvals() {
    let place = place("gemini-cli");
    let asked = place.server(vec![yes(), yes()]);
    assert!(runs(&place, "frobnicate") && runs(&place, "frobnicate"));
    let ids: Vec<Value> = (0..2).map(|_| asked.recv().unwrap().1["toolUseId"].clone()).collect();
    assert_ne!(ids[0], ids[1], "a yes to one is no yes to the next");
}

#[test]
fn leaving_codex_sandbox_always_needs_a_human() {
    let place = place("codex");
    let permission = |command: &str| {
        let mut told = before(&place, command);
        told["hook_event_name"] = json!("PermissionRequest");
        told["tool_input"]["description"] = json!("it wants the network");
        told.as_object_mut().unwrap().remove("tool_use_id");
        let spoken = place.send(&told.to_string());
        assert_eq!(spoken.code, 0, "{spoken:?}");
        let response: Value = serde_json::from_str(&spoken.out).unwrap_or_default();
        response["hookSpecificOutput"]["decision"]["behavior"].as_str().map(str::to_owned)
    };
    assert!(runs(&place, "make test"), "a rule allows it");
    assert_eq!(permission("make test"), None, "nobody can be asked, so Codex's own prompt comes up");
    let told = place.server(vec![yes(), yes()]);
    assert!(runs(&place, "frobnicate"));
    assert_eq!(permission("frobnicate").as_deref(), Some("allow"));
    let asked: Vec<Value> = (0..2).map(|_| told.recv().unwrap().1["input"].clone()).collect();
    assert_eq!(
        asked[1]["sandbox_permissions"], "require_escalated",
        "and whoever is asked sees it: {asked:?}"
    );

    // A file change that a rule allows inside the sandbox: the server would allow it by the same rule, so it
    // is not asked.
    place.write("config.json", r#"{ "version": 1, "permissions": { "allow": [{ "tool": "edit" }] } }"#);
    let patch = format!("*** Begin Patch\n*** Add File: {}/a\n+x\n*** End Patch", place.project().display());
    let mut told = before(&place, &patch);
    told["tool_name"] = json!("apply_patch");
    let patched = |told: &Value| place.send(&told.to_string());
    let first = patched(&told);
    assert!(first.out.is_empty(), "before the call the rule counts: {first:?}");
    let asked = place.server(vec![yes()]);
    told["hook_event_name"] = json!("PermissionRequest");
    told.as_object_mut().unwrap().remove("tool_use_id");
    let spoken = patched(&told);
    assert!(spoken.code == 0 && spoken.out.is_empty(), "{spoken:?}");
    assert!(asked.try_recv().is_err(), "Codex's own prompt comes up");
}

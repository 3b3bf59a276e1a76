//! Other agents, in their own words.

use serde_json::{Value, json};

use crate::place::{Place, yes};

fn place(agent: &str) -> Place {
    let mut place = Place::new();
    place.installation.agent = agent.into();
    place
}

/// What each agent says before it runs a command.
fn before(place: &Place, command: &str) -> Value {
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
fn runs(place: &Place, command: &str) -> bool {
    let spoken = place.tell(&before(place, command).to_string());
    let said: Value = serde_json::from_str(&spoken.out).unwrap_or_default();
    assert!(spoken.code == 0 || spoken.is_block(), "{spoken:?}");
    match place.installation.agent.as_str() {
        "codex" => spoken.code == 0 && said["hookSpecificOutput"]["permissionDecision"] != "deny",
        _ => spoken.code == 0 && said["decision"] == "allow",
    }
}

#[test]
fn every_agent_is_told_in_a_way_it_understands() {
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
fn equal_calls_without_an_id_are_questions_of_their_own() {
    let place = place("gemini-cli");
    let asked = place.server(vec![yes(), yes()]);
    assert!(runs(&place, "frobnicate") && runs(&place, "frobnicate"));
    let ids: Vec<Value> = (0..2).map(|_| asked.recv().unwrap().1["toolUseId"].clone()).collect();
    assert_ne!(ids[0], ids[1], "a yes to one is no yes to the next");
}

#[test]
fn codex_asks_for_permission_with_a_reason_and_means_the_same_call() {
    let place = place("codex");
    let told = place.server(vec![yes()]);
    assert!(runs(&place, "frobnicate"));
    told.recv().unwrap();
    let mut permission = before(&place, "frobnicate");
    permission["hook_event_name"] = json!("PermissionRequest");
    permission["tool_input"]["description"] = json!("it wants the network");
    permission.as_object_mut().unwrap().remove("tool_use_id");
    std::fs::remove_file(place.installation.socket.as_ref().unwrap()).unwrap();
    let spoken = place.tell(&permission.to_string());
    let said: Value = serde_json::from_str(&spoken.out).unwrap_or_else(|_| panic!("{spoken:?}"));
    assert_eq!(said["hookSpecificOutput"]["decision"]["behavior"], "allow");
}

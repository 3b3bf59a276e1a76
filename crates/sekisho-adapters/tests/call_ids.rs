//! Ids for calls whose protocol has none.

use std::collections::BTreeSet;

use sekisho_adapters::{Agent, HookRequest, derive_call_id};
use serde_json::json;

use crate::sample_requests::{BARE, hook, read_in};

fn asked(agent: Agent, change: impl Fn(&mut serde_json::Value)) -> HookRequest {
    let mut told = hook("PermissionRequest");
    change(&mut told);
    read_in(agent, &told.to_string(), BARE).unwrap()
}

#[test]
fn different_call_gets_a_different_id() {
    let calls = [
        asked(Agent::ClaudeCode, |_| {}),
        asked(Agent::Codex, |_| {}),
        asked(Agent::ClaudeCode, |told| told["session_id"] = json!("s2")),
        asked(Agent::ClaudeCode, |told| told["agent_id"] = json!("a1")),
        asked(Agent::ClaudeCode, |told| told["agent_id"] = json!("a2")),
        asked(Agent::ClaudeCode, |told| told["tool_input"]["command"] = json!("echo ho")),
        asked(Agent::ClaudeCode, |told| told["tool_name"] = json!("Read")),
        asked(Agent::ClaudeCode, |told| told["tool_name"] = json!("mcp__gate__Bash")),
        asked(Agent::ClaudeCode, |told| told["cwd"] = json!("/w/sub")),
        // A session and a sub-agent whose concatenation is ambiguous.
        asked(Agent::ClaudeCode, |told| {
            told["session_id"] = json!("sa");
            told["agent_id"] = json!("1");
        }),
    ];
    let ids: BTreeSet<String> =
        calls.iter().flat_map(|call| (0..3).map(|ordinal| derive_call_id(call, ordinal).unwrap())).collect();
    assert_eq!(ids.len(), calls.len() * 3);
    assert!(ids.iter().all(|id| id.len() == 37 && id.starts_with("made-")), "{ids:?}");
}

#[test]
fn equal_call_keeps_its_id() {
    let one = asked(Agent::ClaudeCode, |_| {});
    let same = asked(Agent::ClaudeCode, |told| {
        told["tool_use_id"] = json!("other");
        told["permission_mode"] = json!("plan");
        told["tool_input"] = json!({ "description": "say hi", "command": "echo hi" });
    });
    assert_eq!(derive_call_id(&one, 4).unwrap(), derive_call_id(&same, 4).unwrap());
}

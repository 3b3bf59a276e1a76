//! What is read from an agent's request, and what is rejected.

use jiff::Timestamp;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use sekisho_adapters::{Agent, HookEvent, HookRequest, UserPresence};
use sekisho_policy::{
    Decision, Fact, FactQuery, JudgeContext, Layer, LayerKind, Layers, Policy, judge, required_facts,
};
use serde_json::{Map, Value, json};

use crate::sample_requests::{ATTENDED, BARE, PRINTING, hook, plugin, read_in, requests};

fn with(mut told: Value, field: &str, value: Value) -> Value {
    told[field] = value;
    told
}

fn read(agent: Agent, told: &Value) -> Result<HookRequest, String> {
    read_in(agent, &told.to_string(), BARE)
}

/// Server and tool of a call, as `TOOL` or `TOOL on SERVER`.
fn named(asked: &HookRequest) -> String {
    match &asked.call.server {
        Some(server) => {
            assert!(!server.proven);
            format!("{} on {}", asked.call.tool, server.id)
        }
        None => asked.call.tool.clone(),
    }
}

#[test]
fn unusable_request_is_named() {
    let pre = || hook("PreToolUse");
    for (agent, told, why) in [
        (Agent::ClaudeCode, with(pre(), "hook_event_name", json!("Stop")), "unsupported event `Stop`"),
        (Agent::ClaudeCode, with(pre(), "hook_event_name", json!(null)), "`hook_event_name` is missing"),
        (Agent::ClaudeCode, with(pre(), "tool_name", json!("")), "`tool_name` is missing or empty"),
        (Agent::ClaudeCode, with(pre(), "tool_name", json!(7)), "`tool_name` is not a string"),
        (Agent::ClaudeCode, with(pre(), "tool_input", json!("ls")), "`tool_input` is not an object"),
        (Agent::ClaudeCode, with(pre(), "tool_input", json!(null)), "`tool_input` is missing"),
        (Agent::ClaudeCode, with(pre(), "cwd", json!("w/sub")), "`cwd` is not an absolute path"),
        (Agent::ClaudeCode, with(pre(), "cwd", json!(["/w"])), "`cwd` is not a string"),
        (Agent::ClaudeCode, with(pre(), "session_id", json!(null)), "`session_id` is missing"),
        (Agent::ClaudeCode, with(pre(), "mcp_server", json!("gate")), "`mcp_server` is not an object"),
        (
            Agent::ClaudeCode,
            with(pre(), "tool_name", json!("mcp__a__b__c")),
            "several tools of several servers",
        ),
        (Agent::Codex, with(pre(), "tool_name", json!("mcp__a__b__c")), "several tools of several servers"),
        (Agent::Codex, with(pre(), "tool_input", json!(7)), "`tool_input` is not an object"),
        (Agent::Codex, with(pre(), "hook_event_name", json!("PostToolUseFailure")), "unsupported event"),
        (
            Agent::Codex,
            json!({ "method": "item/commandExecution/requestApproval" }),
            "`id` is not a request id",
        ),
        (Agent::Codex, json!({ "id": 1, "method": "x", "params": {} }), "unsupported approval request `x`"),
        (
            Agent::Codex,
            with(requests()[0].clone(), "params", json!({ "itemId": "i" })),
            "`command` is missing",
        ),
        (Agent::GeminiCli, hook("PreToolUse"), "unsupported event `PreToolUse`"),
        (
            Agent::GeminiCli,
            with(hook("BeforeTool"), "tool_name", json!("mcp_a_b")),
            "`mcp_context` is missing",
        ),
        (Agent::OpenCode, with(plugin("before", "bash"), "args", json!("ls")), "`args` is not an object"),
        (Agent::OpenCode, with(plugin("before", "bash"), "servers", json!([1])), "`servers` is not a list"),
        (
            Agent::OpenCode,
            with(plugin("before", "bash"), "directory", json!(".")),
            "`directory` is not an absolute",
        ),
        (Agent::OpenCode, plugin("during", "bash"), "unsupported event `during`"),
    ] {
        let error = read(agent, &told).unwrap_err();
        assert!(error.contains(why) && error.contains(agent.title()), "{told}\n{error}");
    }
    for text in ["", "null", "[]", "{", r#"{"a":1,"a":2}"#, r#"{"n":9007199254740993}"#] {
        for agent in Agent::ALL {
            assert!(read_in(agent, text, BARE).is_err(), "{text}");
        }
    }
}

#[test]
fn nested_duplicate_key_is_rejected() {
    let text =
        hook("PreToolUse").to_string().replace(r#""command":"echo hi""#, r#""command":"ls","command":"rm""#);
    assert!(read_in(Agent::ClaudeCode, &text, BARE).unwrap_err().contains("twice"));
}

#[test]
fn server_of_a_tool() {
    let claude = |name: &str| with(hook("PreToolUse"), "tool_name", json!(name));
    let server = |name: &str| json!({ "name": name, "source": "project" });
    let gemini = |name: &str| with(hook("BeforeTool"), "tool_name", json!(name));
    let context = json!({ "server_name": "my gate", "tool_name": "read" });
    for (agent, told, expected) in [
        (Agent::ClaudeCode, claude("Bash"), "Bash"),
        (Agent::ClaudeCode, claude("mcp__gate__read"), "read on gate"),
        (Agent::ClaudeCode, with(claude("mcp__a__b__c"), "mcp_server", server("a__b")), "c on a__b"),
        (Agent::ClaudeCode, with(claude("read"), "mcp_server", server("gate")), "read on gate"),
        (Agent::Codex, claude("mcp__gate__danger"), "danger on gate"),
        (Agent::GeminiCli, gemini("run_shell_command"), "run_shell_command"),
        (Agent::GeminiCli, with(gemini("mcp_my_gate_read"), "mcp_context", context), "read on my_gate"),
        // Not its own: it only shares its name with another agent's tool.
        (Agent::GeminiCli, gemini("todo_write"), "todo_write on unknown"),
        (Agent::GeminiCli, gemini("frobnicate"), "frobnicate"),
        (Agent::OpenCode, plugin("before", "bash"), "bash"),
        (Agent::OpenCode, plugin("before", "gate_read"), "read on gate"),
        (Agent::OpenCode, plugin("before", "my_server_get_user"), "get_user on my_server"),
        (Agent::OpenCode, plugin("before", "todo_write"), "todo_write on unknown"),
        (Agent::OpenCode, plugin("before", "apply_patch"), "apply_patch"),
    ] {
        assert_eq!(named(&read(agent, &told).unwrap()), expected, "{told}");
    }
    for servers in [json!(["my", "my_server"]), json!(["apply"])] {
        for tool in ["my_server_x", "apply_patch"] {
            let told = with(plugin("before", tool), "servers", servers.clone());
            let two = read(Agent::OpenCode, &told).err();
            let expected = (servers == json!(["apply"])) == (tool == "apply_patch");
            assert_eq!(two.is_some_and(|error| error.contains("several tools")), expected, "{told}");
        }
    }
}

#[test]
fn ambiguous_name_is_accepted_after_a_call() {
    for (agent, told) in [
        (Agent::ClaudeCode, with(hook("PostToolUse"), "tool_name", json!("mcp__a__b__c"))),
        (Agent::Codex, with(hook("PostToolUse"), "tool_name", json!("mcp__a__b__c"))),
        (Agent::OpenCode, with(plugin("after", "my_server_x"), "servers", json!(["my", "my_server"]))),
    ] {
        assert!(matches!(read(agent, &told).unwrap().event, HookEvent::AfterCall(_)), "{told}");
    }
    let failed = with(hook("AfterTool"), "tool_response", json!({ "error": { "message": "x" } }));
    let HookEvent::AfterCall(ending) = read(Agent::GeminiCli, &failed).unwrap().event else {
        panic!("{failed}")
    };
    assert!(ending.is_error);
}

#[test]
fn user_is_present_only_if_the_agent_says_so() {
    let in_mode = |mode: &str, environment| {
        let told = with(hook("PreToolUse"), "permission_mode", json!(mode)).to_string();
        let asked = read_in(Agent::ClaudeCode, &told, environment).unwrap();
        (asked.attendance, asked.can_defer)
    };
    assert_eq!(in_mode("default", ATTENDED), (UserPresence::Present, false));
    assert_eq!(in_mode("auto", ATTENDED), (UserPresence::Present, false));
    let permission = with(hook("PermissionRequest"), "permission_mode", json!("auto")).to_string();
    let asked = read_in(Agent::ClaudeCode, &permission, ATTENDED).unwrap();
    assert_eq!(asked.attendance, UserPresence::Headless);
    assert_eq!(in_mode("dontAsk", ATTENDED), (UserPresence::Headless, false));
    assert_eq!(in_mode("default", PRINTING), (UserPresence::Headless, true));
    assert_eq!(in_mode("default", BARE), (UserPresence::Headless, false));
    assert_eq!(in_mode("default", &[("CLAUDE_CODE_ENTRYPOINT", "cli")]), (UserPresence::Present, false));
    assert_eq!(in_mode("default", &[("CLAUDE_CODE_ENTRYPOINT", "sdk-ts")]), (UserPresence::Headless, false));
    assert_eq!(
        in_mode("default", &[("CLAUDE_CODE_SESSION_ATTENDED", "yes")]),
        (UserPresence::Headless, false)
    );
    let sub_agent = with(hook("PreToolUse"), "agent_id", json!("a1")).to_string();
    assert!(!read_in(Agent::ClaudeCode, &sub_agent, PRINTING).unwrap().can_defer);
}

#[test]
fn request_without_its_changes_is_never_allowed() {
    let all = r#"{ "version": 1, "permissions": { "allow": [
        { "tool": "edit" }, { "tool": "edit", "path": "/w/**" }, { "tool_pattern": "*", "priority": 3 }
    ] } }"#;
    let layer = Layer::parse(LayerKind::Global, "test", all).unwrap();
    let policy = Policy::compile(Layers::from(vec![layer]));
    // Every path resolves to itself.
    let decide = |told: &Value| {
        let call = read(Agent::Codex, told).unwrap().call;
        let mut around = JudgeContext { root: Some("/w".into()), ..JudgeContext::at(Timestamp::UNIX_EPOCH) };
        for need in required_facts(&policy, &call) {
            if let FactQuery::Resolve(path) = &need {
                around.facts.insert(need.clone(), Fact::Resolved(path.clone()));
            }
        }
        judge(&policy, &call, &around).decision
    };
    let method = "item/fileChange/requestApproval";
    let mut changes = requests().into_iter().find(|told| told["method"] == method).unwrap();
    assert_eq!(decide(&changes), Decision::Confirm);
    changes["params"]["grantRoot"] = json!(null);
    assert_eq!(decide(&changes), Decision::Confirm);
    // A request that does name it is allowed by that policy.
    let mut patch = with(hook("PreToolUse"), "tool_name", json!("apply_patch"));
    patch["tool_input"] = json!({ "command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch" });
    assert_eq!(decide(&patch), Decision::Allow);
}

/// Names of fields that are read.
const KEYS: &str = "hook_event_name tool_name tool_input tool_use_id session_id cwd agent_id mcp_server mcp_context name \
    server_name tool_response error event tool sessionID callID args directory servers method id params \
    threadId itemId approvalId command permissions kind availableDecisions duration_ms";

/// Meaningful texts, including the empty one.
const WORDS: &str = "PreToolUse\n\
    PermissionRequest\n\
    PostToolUse\n\
    BeforeTool\n\
    AfterTool\n\
    before\n\
    after\n\
    Bash\n\
    mcp__a__b\n\
    mcp__\n\
    mcp__a___b\n\
    mcp_a_b\n\
    a_b\n\
    /w\n\
    \n\
    item/fileChange/requestApproval\n\
    item/commandExecution/requestApproval\n\
    item/permissions/requestApproval";

/// JSON that resembles what agents send.
fn nearly() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(WORDS.lines().collect::<Vec<_>>()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 64, 24, move |inner| {
        let key = prop_oneof![
            prop::sample::select(KEYS.split_whitespace().collect::<Vec<_>>()).prop_map(str::to_owned),
            any::<String>()
        ];
        let object = prop::collection::btree_map(key, inner.clone(), 0..24)
            .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()));
        prop_oneof![3 => object, 1 => prop::collection::vec(inner, 0..4).prop_map(Value::Array)]
    })
}

proptest! {
    #[test]
    fn reading_never_panics_and_keeps_the_input_whole(told in nearly()) {
        for agent in Agent::ALL {
            if let Ok(asked) = read(agent, &told) {
                assert!(asked.call.input.is_object() && asked.call.run_id.is_some());
                assert!(asked.call.cwd.is_none_or(|cwd| cwd.starts_with('/')));
            }
        }
    }

    #[test]
    fn request_with_one_changed_field_is_read_or_rejected(field in any::<prop::sample::Index>(), value in nearly()) {
        let told = [
            (Agent::ClaudeCode, hook("PreToolUse")), (Agent::Codex, hook("PermissionRequest")),
            (Agent::Codex, requests()[0].clone()), (Agent::GeminiCli, hook("BeforeTool")),
            (Agent::OpenCode, plugin("before", "bash")),
        ];
        for (agent, mut told) in told {
            let fields = told.as_object_mut().unwrap();
            let keys: Vec<String> = fields.keys().cloned().collect();
            fields.insert(field.get(&keys).clone(), value.clone());
            if let Ok(asked) = read(agent, &told) {
                assert!(!asked.call.tool.is_empty());
            }
        }
    }

    #[test]
    fn text_that_is_not_json_is_rejected(text in any::<String>()) {
        for agent in Agent::ALL {
            assert!(read_in(agent, &text, BARE).is_err());
        }
    }
}

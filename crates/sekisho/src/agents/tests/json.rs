use snapbox::{assert_data_eq, file};

use super::*;

#[test]
fn new_file_has_the_expected_text() {
    assert_data_eq!(added(Agent::ClaudeCode, ""), file!["new/claude-code.json": Text]);
    assert_data_eq!(added(Agent::GeminiCli, ""), file!["new/gemini-cli.json": Text]);
    assert_data_eq!(added(Agent::OpenCode, ""), file!["new/opencode.json": Text]);
    for agent in [Agent::ClaudeCode, Agent::GeminiCli, Agent::OpenCode] {
        assert_eq!(removed(agent, &added(agent, "")).trim(), "{}");
    }
}

/// Strict JSON, for all agents.
const STRICT: &[&str] = &[
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"model\": \"opus\"\n}",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"env\": {\"A\": \"1\"}\r\n}\r\n",
    "{\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]\n            }\n        ]\n    },\n    \"model\": \"opus\"\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"/usr/bin/other\" }] }\n    ],\n    \"BeforeTool\": [\n      { \"matcher\": \"x\", \"hooks\": [{ \"type\": \"command\", \"command\": \"/usr/bin/other\" }] }\n    ]\n  }\n}\n",
    "\u{feff}{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"plugin\": [\"a\", \"b\"]\n}\n",
    "{\n  \"plugin\": [\n    \"a\",\n    \"b\"\n  ],\n  \"x\": 1\n}\n",
];

/// One-line JSON is spread over several lines; uninstalling restores it from a backup.
const TIGHT: &[&str] = &[
    "{\"model\":\"opus\"}",
    "{ \"model\": \"opus\", \"permissions\": { \"allow\": [\"Bash(ls:*)\"] } }\n",
    "{\"hooks\":{}}",
    "{\"hooks\":{\"PreToolUse\":[],\"BeforeTool\":[]},\"plugin\":[]}",
    "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}",
];

#[test]
fn one_line_json_keeps_its_meaning() {
    let empty = |value: &Value| match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    };
    // Empty containers mean nothing.
    fn pruned(value: &Value, empty: &dyn Fn(&Value) -> bool) -> Value {
        let Value::Object(fields) = value else { return value.clone() };
        let fields = fields.iter().map(|(name, value)| (name.clone(), pruned(value, empty)));
        Value::Object(fields.filter(|(_, value)| !empty(value)).collect())
    }
    for text in TIGHT {
        for agent in [Agent::ClaudeCode, Agent::GeminiCli, Agent::OpenCode] {
            let with = added(agent, text);
            let mut found = events(agent, &with);
            found.sort();
            assert_eq!(found, all_events(agent), "{agent}: {with}");
            assert_eq!(added(agent, &with), with);
            let left: Value = serde_json::from_str(&removed(agent, &with)).unwrap();
            let before: Value = serde_json::from_str(text).unwrap();
            assert_eq!(pruned(&left, &empty), pruned(&before, &empty), "{agent}: {with}");
        }
    }
}

/// With comments, for agents that accept them.
const COMMENTED: &[&str] = &[
    "// mine\n{\n  // the model\n  \"model\": \"opus\", // good\n  /* and */ \"x\": [1, 2] // last\n}\n// end\n",
    "{\n  \"hooks\": { // ours\n    \"BeforeTool\": [ // first\n      { \"hooks\": [] } // none\n    ]\n  }\n}\n",
    "{\n  \"plugin\": [ // mine\n    \"a\" // keep\n  ]\n}\n",
];

#[test]
fn everything_else_is_unchanged() {
    for text in STRICT {
        for agent in [Agent::ClaudeCode, Agent::GeminiCli, Agent::OpenCode] {
            add_and_remove(agent, text);
            renewed(agent, text);
        }
    }
    for text in COMMENTED {
        for agent in [Agent::GeminiCli, Agent::OpenCode] {
            add_and_remove(agent, text);
            renewed(agent, text);
        }
    }
    add_and_remove(Agent::OpenCode, "{\n  \"plugin\": [\n    \"a\",\n  ],\n}\n");
}

#[test]
fn other_handlers_in_our_group_stay() {
    let with = added(Agent::ClaudeCode, "{}");
    let shared = with.replacen(
        "\"onFailure\": \"block\"\n          }",
        "\"onFailure\": \"block\"\n          },\n          { \"type\": \"command\", \"command\": \"other\" }",
        1,
    );
    assert_ne!(shared, with);
    let again = added(Agent::ClaudeCode, &shared);
    let settings: Value = serde_json::from_str(&again).unwrap();
    let groups = settings["hooks"]["PreToolUse"].as_array().unwrap();
    assert_eq!(groups.len(), 2, "{again}");
    assert_eq!(groups[0]["hooks"], serde_json::json!([{ "type": "command", "command": "other" }]));
    let left: Value = serde_json::from_str(&removed(Agent::ClaudeCode, &again)).unwrap();
    let other = serde_json::json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": "other" }] }]);
    assert_eq!(left, serde_json::json!({ "hooks": { "PreToolUse": other } }));
}

#[test]
fn entries_of_a_moved_hook_are_ours() {
    for agent in [Agent::ClaudeCode, Agent::GeminiCli, Agent::Codex] {
        let old = HookEntry {
            hook: "/old/place/sekisho-hook".into(),
            installation: "/old/state/sekisho/hooks/x.json".into(),
            ..entry(agent)
        };
        let with = hook_settings(agent).add("", &old).unwrap();
        let now = added(agent, &with);
        assert!(!now.contains("/old/"), "{now}");
        assert_eq!(now, added(agent, ""));
        assert_eq!(events(agent, &removed(agent, &with)), Vec::<String>::new());
    }
    let old =
        HookEntry { installation: "/old/sekisho/hooks/opencode-9.json".into(), ..entry(Agent::OpenCode) };
    let with = hook_settings(Agent::OpenCode).add("", &old).unwrap();
    assert_eq!(added(Agent::OpenCode, &with), added(Agent::OpenCode, ""));
}

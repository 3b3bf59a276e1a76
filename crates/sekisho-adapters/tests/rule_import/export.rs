//! Our rules exported to Claude Code's format, and imported again.

use sekisho_adapters::foreign_rules::{Exactness, ImportSource, export};
use sekisho_policy::{Effect, Rule};
use serde_json::json;

use crate::harness::carried;

fn rule(value: serde_json::Value) -> Rule {
    serde_json::from_value(value).unwrap()
}

#[test]
fn rules_export_to_claude_code() {
    use Effect::{Allow, Confirm, Deny};
    for (effect, ours, entries, how) in [
        (
            Allow,
            json!({ "tool": "bash", "command": "git status" }),
            vec!["Bash(git status:*)"],
            Exactness::Exact,
        ),
        (Allow, json!({ "tool": "bash" }), vec![], Exactness::Dropped),
        (Deny, json!({ "tool": "bash" }), vec!["Bash"], Exactness::Exact),
        (Allow, json!({ "tool": "bash", "command_glob": "git log *" }), vec![], Exactness::Dropped),
        (Allow, json!({ "tool": "bash", "command_glob": "git lo?" }), vec![], Exactness::Dropped),
        (Deny, json!({ "tool": "bash", "command_glob": "git lo?" }), vec!["Bash(git lo*)"], Exactness::Wider),
        (Deny, json!({ "tool": "bash", "command_glob": "curl*|*sh" }), vec![], Exactness::Dropped),
        (
            Confirm,
            json!({ "tool": "bash", "command": "git push" }),
            vec!["Bash(git push:*)"],
            Exactness::Exact,
        ),
        (Deny, json!({ "tool": "read", "path": "*.pem" }), vec!["Read(//**/*.pem)"], Exactness::Exact),
        (Deny, json!({ "tool": "write", "path": "/etc/**" }), vec!["Edit(//etc/**)"], Exactness::Wider),
        (Allow, json!({ "tool": "edit", "path": "src/**" }), vec![], Exactness::Dropped),
        (
            Allow,
            json!({ "tool": "web_fetch", "host": "x.com" }),
            vec!["WebFetch(domain:x.com)"],
            Exactness::Exact,
        ),
        (Allow, json!({ "server": "github", "tool": "get" }), vec!["mcp__github__get"], Exactness::Exact),
        (Deny, json!({ "server": "git hub" }), vec!["mcp__git_hub"], Exactness::Exact),
        (Allow, json!({ "server": "git hub" }), vec![], Exactness::Dropped),
        (
            Deny,
            json!({ "server": "github", "tool_pattern": "delete_*" }),
            vec!["mcp__github__delete_*"],
            Exactness::Narrower,
        ),
        (Allow, json!({ "tool_pattern": "get_*" }), vec![], Exactness::Dropped),
        (Deny, json!({ "tool_pattern": "*" }), vec!["*"], Exactness::Exact),
        (Allow, json!({ "tool": "run_shell_command" }), vec![], Exactness::Dropped),
        (Allow, json!({ "tool": "bash", "command": "x", "agent": "codex" }), vec![], Exactness::Dropped),
        (
            Allow,
            json!({ "tool": "bash", "command": "x", "expires_at": "2099-01-01T00:00:00Z" }),
            vec![],
            Exactness::Dropped,
        ),
    ] {
        let done = &export(&[(effect, rule(ours.clone()))])[0];
        assert_eq!(
            (done.entries.clone(), done.how),
            (entries.iter().map(|e| (*e).to_owned()).collect(), how),
            "{ours}"
        );
        assert_eq!(
            done.loses_restriction(),
            effect != Effect::Allow && matches!(how, Exactness::Dropped | Exactness::Narrower),
            "{ours}"
        );
    }
}

#[test]
fn protected_paths_are_exported_as_ask() {
    let path = json!({ "tool": "read", "path": "src/**" });
    let done = export(&[(Effect::Allow, rule(path))]);
    assert_eq!(done[0].entries, ["Read(src/**)"]);
    assert!(done[1].list == "ask" && done[1].entries.contains(&"Read(//**/.ssh)".to_owned()), "{done:?}");
    assert!(done[1].entries.contains(&"Read(//etc/sekisho)".to_owned()));
}

#[test]
fn exact_rules_come_back_as_they_went() {
    let settings = json!({ "permissions": {
        "allow": ["Bash(npm run test:*)", "Bash(git * main)", "Bash(npm run build)", "Edit(src/**)", "Edit(//opt/x/**)",
                  "WebFetch(domain:*.x.com)", "mcp__github", "mcp__github__get", "Skill(review)", "WebSearch"],
        "ask": ["Bash(git push:*)", "mcp__jira"],
        "deny": ["Bash(rm:*)", "Bash(dd if=*)", "WebFetch(domain:evil.com)", "Agent"],
    } });
    let first = carried(ImportSource::ClaudeCode, &settings.to_string());
    assert!(first.iter().all(|entry| entry.exactness == Exactness::Exact), "{first:#?}");
    let rules: Vec<(Effect, Rule)> = first.iter().flat_map(|entry| entry.rules.clone()).collect();
    let done = export(&rules);
    let list = |name: &str| {
        done.iter().filter(|one| one.list == name).flat_map(|one| one.entries.clone()).collect::<Vec<_>>()
    };
    let again = json!({ "permissions": { "allow": list("allow"), "deny": list("deny"), "ask": ["Bash(git push:*)", "mcp__jira"] } });
    assert!(
        list("ask").contains(&"Bash(git push:*)".to_owned()) && list("ask").contains(&"mcp__jira".to_owned())
    );
    let said = |entries: &[sekisho_adapters::foreign_rules::ImportedEntry]| {
        let mut said: Vec<String> = entries
            .iter()
            .flat_map(|entry| &entry.rules)
            .map(|(effect, rule)| format!("{effect} {}", json!(Rule { note: None, ..rule.clone() })))
            .collect();
        said.sort();
        said.dedup();
        said
    };
    let second = carried(ImportSource::ClaudeCode, &again.to_string());
    assert_eq!(said(&second), said(&first));
}

//! Our rules in Claude Code's words, and back.

use sekisho_adapters::carry::{How, Source, export};
use sekisho_policy::{Effect, Rule};
use serde_json::json;

use crate::house::carried;

fn rule(value: serde_json::Value) -> Rule {
    serde_json::from_value(value).unwrap()
}

#[test]
fn rules_in_claude_codes_words() {
    use Effect::{Allow, Confirm, Deny};
    for (effect, ours, entries, how) in [
        (Allow, json!({ "tool": "bash", "command": "git status" }), vec!["Bash(git status:*)"], How::Exact),
        (Allow, json!({ "tool": "bash" }), vec![], How::Dropped),
        (Deny, json!({ "tool": "bash" }), vec!["Bash"], How::Exact),
        (Allow, json!({ "tool": "bash", "command_glob": "git log *" }), vec![], How::Dropped),
        (Allow, json!({ "tool": "bash", "command_glob": "git lo?" }), vec![], How::Dropped),
        (Deny, json!({ "tool": "bash", "command_glob": "git lo?" }), vec!["Bash(git lo*)"], How::Wider),
        (Deny, json!({ "tool": "bash", "command_glob": "curl*|*sh" }), vec![], How::Dropped),
        (Confirm, json!({ "tool": "bash", "command": "git push" }), vec!["Bash(git push:*)"], How::Exact),
        (Deny, json!({ "tool": "read", "path": "*.pem" }), vec!["Read(//**/*.pem)"], How::Exact),
        (Deny, json!({ "tool": "write", "path": "/etc/**" }), vec!["Edit(//etc/**)"], How::Wider),
        (Allow, json!({ "tool": "edit", "path": "src/**" }), vec![], How::Dropped),
        (Allow, json!({ "tool": "web_fetch", "host": "x.com" }), vec!["WebFetch(domain:x.com)"], How::Exact),
        (Allow, json!({ "server": "github", "tool": "get" }), vec!["mcp__github__get"], How::Exact),
        (Deny, json!({ "server": "git hub" }), vec!["mcp__git_hub"], How::Exact),
        (Allow, json!({ "server": "git hub" }), vec![], How::Dropped),
        (
            Deny,
            json!({ "server": "github", "tool_pattern": "delete_*" }),
            vec!["mcp__github__delete_*"],
            How::Narrower,
        ),
        (Allow, json!({ "tool_pattern": "get_*" }), vec![], How::Dropped),
        (Deny, json!({ "tool_pattern": "*" }), vec!["*"], How::Exact),
        (Allow, json!({ "tool": "run_shell_command" }), vec![], How::Dropped),
        (Allow, json!({ "tool": "bash", "command": "x", "agent": "codex" }), vec![], How::Dropped),
        (
            Allow,
            json!({ "tool": "bash", "command": "x", "expires_at": "2099-01-01T00:00:00Z" }),
            vec![],
            How::Dropped,
        ),
    ] {
        let done = &export(&[(effect, rule(ours.clone()))])[0];
        assert_eq!(
            (done.entries.clone(), done.how),
            (entries.iter().map(|e| (*e).to_owned()).collect(), how),
            "{ours}"
        );
        assert_eq!(
            done.is_lost(),
            effect != Effect::Allow && matches!(how, How::Dropped | How::Narrower),
            "{ours}"
        );
    }
}

#[test]
fn what_is_protected_here_is_asked_about_there() {
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
    let first = carried(Source::ClaudeCode, &settings.to_string());
    assert!(first.iter().all(|entry| entry.how == How::Exact), "{first:#?}");
    let rules: Vec<(Effect, Rule)> = first.iter().flat_map(|entry| entry.rules.clone()).collect();
    let done = export(&rules);
    let list = |name: &str| {
        done.iter().filter(|one| one.list == name).flat_map(|one| one.entries.clone()).collect::<Vec<_>>()
    };
    let again = json!({ "permissions": { "allow": list("allow"), "deny": list("deny"), "ask": ["Bash(git push:*)", "mcp__jira"] } });
    assert!(
        list("ask").contains(&"Bash(git push:*)".to_owned()) && list("ask").contains(&"mcp__jira".to_owned())
    );
    let said = |entries: &[sekisho_adapters::carry::Entry]| {
        let mut said: Vec<String> = entries
            .iter()
            .flat_map(|entry| &entry.rules)
            .map(|(effect, rule)| format!("{effect} {}", json!(Rule { note: None, ..rule.clone() })))
            .collect();
        said.sort();
        said.dedup();
        said
    };
    let second = carried(Source::ClaudeCode, &again.to_string());
    assert_eq!(said(&second), said(&first));
}

//! Edits of agents' settings: ours in, everything else as it was; ours out, everything as it was.

mod codex;
mod hazards;
mod json;
mod edge_cases;

use std::path::Path;

use sekisho_adapters::Agent;
use serde_json::Value;

use super::*;

/// An installation as the tests have it.
fn entry(agent: Agent) -> HookEntry {
    HookEntry {
        hook: "/opt/sekisho/sekisho-hook".into(),
        installation: format!("/home/u/.local/state/sekisho/hooks/{agent}-1.json").into(),
        limit_s: 600,
        settings: "/home/u/.codex/config.toml".into(),
    }
}

#[track_caller]
fn added(agent: Agent, text: &str) -> String {
    hook_settings(agent).add(text, &entry(agent)).unwrap_or_else(|fault| panic!("{}", fault.with_path(Path::new("x"))))
}

#[track_caller]
fn removed(agent: Agent, text: &str) -> String {
    hook_settings(agent).remove(text, &entry(agent)).unwrap_or_else(|fault| panic!("{}", fault.with_path(Path::new("x"))))
}

#[track_caller]
fn fault(agent: Agent, text: &str) -> String {
    hook_settings(agent).add(text, &entry(agent)).unwrap_err().with_path(Path::new("settings"))
}

fn events(agent: Agent, text: &str) -> Vec<String> {
    let wired = hook_settings(agent).installed_hooks(text, &entry(agent).installation).unwrap();
    wired.into_iter().map(|wired| wired.event).collect()
}

fn all_events(agent: Agent) -> Vec<&'static str> {
    match agent {
        Agent::ClaudeCode => vec!["PermissionRequest", "PostToolUse", "PostToolUseFailure", "PreToolUse"],
        Agent::Codex => vec!["PermissionRequest", "PostToolUse", "PreToolUse"],
        Agent::GeminiCli => vec!["AfterTool", "BeforeTool"],
        Agent::OpenCode => vec!["tool.execute.before"],
    }
}

/// Puts us in and takes us out again: both do what they should, and doing it again changes nothing.
#[track_caller]
fn there_and_back(agent: Agent, text: &str) {
    let with = added(agent, text);
    let mut found = events(agent, &with);
    found.sort();
    assert_eq!(found, all_events(agent), "{agent}: {with}");
    assert_eq!(added(agent, &with), with, "{agent}: again");
    let without = removed(agent, &with);
    assert_eq!(events(agent, &without), Vec::<String>::new());
    assert_eq!(removed(agent, &without), without);
    assert_eq!(without, text, "{agent}: with us it was\n{with}");
}

/// Another wait: our entries change, nothing is added, and taking us out gives the same.
#[track_caller]
fn renewed(agent: Agent, text: &str) {
    let with = added(agent, text);
    let other = HookEntry { limit_s: 3600, hook: "/usr/bin/sekisho-hook".into(), ..entry(agent) };
    let renewed = hook_settings(agent).add(&with, &other).unwrap();
    if agent != Agent::OpenCode {
        assert_ne!(renewed, with);
    }
    assert_eq!(renewed, hook_settings(agent).add(text, &other).unwrap(), "{agent}: as if it had been so at once");
    assert_eq!(removed(agent, &renewed), removed(agent, &with));
}

//! Edits of agents' settings: adding and removing our entries changes nothing else.

mod codex;
mod hazards;
mod json;
mod unusual_settings;

use std::path::Path;

use sekisho_adapters::Agent;
use serde_json::Value;

use super::*;

/// The installation of the tests.
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
    hook_settings(agent)
        .add(text, &entry(agent))
        .unwrap_or_else(|fault| panic!("{}", fault.with_path(Path::new("x"))))
}

#[track_caller]
fn removed(agent: Agent, text: &str) -> String {
    hook_settings(agent)
        .remove(text, &entry(agent))
        .unwrap_or_else(|fault| panic!("{}", fault.with_path(Path::new("x"))))
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

/// Adds our entries and removes them again. Both have the right result, and repeating them changes nothing.
#[track_caller]
fn add_and_remove(agent: Agent, text: &str) {
    let with = added(agent, text);
    let mut found = events(agent, &with);
    found.sort();
    assert_eq!(found, all_events(agent), "{agent}: {with}");
    assert_eq!(added(agent, &with), with, "{agent}: again");
    let without = removed(agent, &with);
    assert_eq!(events(agent, &without), Vec::<String>::new());
    assert_eq!(removed(agent, &without), without);
    assert_eq!(without, text, "{agent}: with our entries it was\n{with}");
}

/// With another timeout our entries change, nothing is added, and removing them gives the original text.
#[track_caller]
fn renewed(agent: Agent, text: &str) {
    let with = added(agent, text);
    let other = HookEntry { limit_s: 3600, hook: "/usr/bin/sekisho-hook".into(), ..entry(agent) };
    let renewed = hook_settings(agent).add(&with, &other).unwrap();
    if agent != Agent::OpenCode {
        assert_ne!(renewed, with);
    }
    assert_eq!(
        renewed,
        hook_settings(agent).add(text, &other).unwrap(),
        "{agent}: the same as a fresh installation"
    );
    assert_eq!(removed(agent, &renewed), removed(agent, &with));
}

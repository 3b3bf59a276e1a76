//! Claude Code: hooks in `settings.json`, which must be strict JSON. Claude Code silently drops a file with a
//! comment or with a field of the wrong type, and all hooks of an event if one of them is invalid.

use std::path::{Path, PathBuf};

use sekisho_host::InstallScope;
use sekisho_policy::jsonc;
use serde_json::{Value, json};

use super::hook_entry::HookEntry;
use super::hook_groups::{self, HookGroup};
use super::hook_hazard::{HookHazard, other_hook};
use super::hook_invocation::{self, InstalledHook};
use super::hook_output::{HookOutput, deny_reason, exit_two_reason};
use super::hook_settings::{CANARY, CANARY_ID, HazardContext, HookSettings};
use super::json_settings::{self, JsonDialect};
use super::settings_error::AgentSettingsError;
use super::settings_file::read_settings_text;
use crate::failure::Failure;
use crate::settings::AgentHomes;

pub(super) struct ClaudeCode;

const DIALECT: JsonDialect = JsonDialect {
    form: jsonc::Dialect::JSON,
    rejection: "Claude Code reads strict JSON only and silently drops the whole file",
};

/// The events, and whether a failing hook must block.
const EVENTS: [(&str, bool); 4] = [
    ("PreToolUse", true),
    ("PermissionRequest", true),
    ("PostToolUse", false),
    ("PostToolUseFailure", false),
];

/// The kinds of hooks, with the field that each requires.
const KINDS: [(&str, &str); 5] = [
    ("command", "command"),
    ("http", "url"),
    ("mcp_tool", "tool"),
    ("prompt", "prompt"),
    ("agent", "prompt"),
];

impl HookSettings for ClaudeCode {
    fn settings_path(&self, homes: &AgentHomes, reach: &InstallScope) -> Result<PathBuf, Failure> {
        Ok(match reach {
            InstallScope::Global => homes.claude.join("settings.json"),
            InstallScope::Project(root) => root.join(".claude/settings.local.json"),
        })
    }

    fn config_directory<'a>(&self, homes: &'a AgentHomes) -> &'a Path {
        &homes.claude
    }

    fn add(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError> {
        json_settings::add(DIALECT, text, &wanted(entry), &|handler| is_ours(handler, &entry.installation))
    }

    fn remove(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError> {
        json_settings::remove(DIALECT, text, &|handler| is_ours(handler, &entry.installation))
    }

    fn installed_hooks(
        &self,
        text: &str,
        installation: &Path,
    ) -> Result<Vec<InstalledHook>, AgentSettingsError> {
        Ok(hook_groups::installed_hooks(&DIALECT.value(text)?, &|handler| is_ours(handler, installation)))
    }

    fn decision_event(&self) -> &'static str {
        "PreToolUse"
    }

    fn canary_input(&self, cwd: &Path) -> Value {
        json!({
            "session_id": CANARY_ID, "transcript_path": cwd.join("canary.jsonl"), "cwd": cwd, "prompt_id": CANARY_ID,
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": CANARY, "description": "is the gate in the path?" }, "tool_use_id": CANARY_ID,
        })
    }

    fn block_reason(&self, answered: &HookOutput) -> Option<String> {
        exit_two_reason(answered).or_else(|| deny_reason(answered))
    }

    fn hazards(&self, look: &HazardContext<'_>) -> Vec<HookHazard> {
        let managed = &look.homes.claude_managed;
        let files = [
            look.homes.claude.join("settings.json"),
            look.project.join(".claude/settings.json"),
            look.project.join(".claude/settings.local.json"),
            managed.clone(),
        ];
        let mut read: Vec<(&Path, Value)> = Vec::new();
        for file in files.iter().map(PathBuf::as_path).chain([look.entry.settings.as_path()]) {
            let value = read_settings_text(file).and_then(|text| DIALECT.value(&text).ok());
            if let Some(value) = value.filter(|_| !read.iter().any(|(other, _)| *other == file)) {
                read.push((file, value));
            }
        }
        let mut found = Vec::new();
        let own = read.iter().find(|(file, _)| *file == look.entry.settings);
        if let Some((file, settings)) = own {
            found.extend(dropped(settings, file));
        }
        for (file, settings) in &read {
            found.extend(switched_off(settings, file));
            if *file == managed {
                found.extend(managed_only(settings, file));
            }
            let ours = |handler: &Value| is_ours(handler, &look.entry.installation);
            found.extend(
                hook_groups::other_commands(settings, "PreToolUse", &ours)
                    .iter()
                    .map(|other| other_hook(other, file)),
            );
            found.extend(own.and_then(|(_, own)| bypassed(settings, own, file, &ours)));
        }
        for name in look.homes.switches(&["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"]) {
            found.push(HookHazard::bypass(
                format!("the variable `{name}` is set: Claude Code started here skips hooks"),
                format!("unset `{name}`"),
            ));
        }
        found
    }
}

fn is_ours(handler: &Value, installation: &Path) -> bool {
    hook_invocation::is_ours(&hook_groups::command_words(handler), installation)
}

fn wanted(entry: &HookEntry) -> Vec<HookGroup> {
    let group = |(event, blocks): (&'static str, bool)| {
        let mut handler = vec![
            ("type", json!("command")),
            ("command", json!(entry.hook.to_string_lossy())),
            ("args", json!(["claude-code", "--installation", entry.installation.to_string_lossy()])),
            ("timeout", json!(entry.limit_s)),
        ];
        if blocks {
            handler.push(("onFailure", json!("block")));
        }
        HookGroup { event, matcher: Some("*"), handler }
    };
    EVENTS.into_iter().map(group).collect()
}

/// Whether a value has the right type.
type Fits = fn(&Value) -> bool;

/// What makes Claude Code drop the file with our hook, or its hooks.
fn dropped(settings: &Value, file: &Path) -> Vec<HookHazard> {
    let mut found = Vec::new();
    let types: [(&str, Fits); 8] = [
        ("/model", Value::is_string),
        ("/env", Value::is_object),
        ("/permissions", Value::is_object),
        ("/permissions/allow", is_strings),
        ("/permissions/deny", is_strings),
        ("/permissions/ask", is_strings),
        ("/permissions/defaultMode", Value::is_string),
        ("/hooks", Value::is_object),
    ];
    for (name, fits) in types {
        if settings.pointer(name).is_some_and(|value| !fits(value)) {
            let name = name.trim_start_matches('/').replace('/', ".");
            found.push(HookHazard::bypass(
                format!("{}: `{name}` has the wrong type: Claude Code drops the whole file", file.display()),
                "fix it",
            ));
        }
    }
    let makes_sense = |group: &Value| {
        let list = group.get("hooks").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().all(is_hook)) && group.get("matcher").is_none_or(Value::is_string)
    };
    if !hook_groups::groups(settings, "PreToolUse").iter().all(makes_sense) {
        found.push(HookHazard::bypass(
            format!("{}: an entry of `PreToolUse` is invalid: Claude Code drops all of them", file.display()),
            "fix it, or remove it",
        ));
    }
    found
}

fn is_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn is_hook(handler: &Value) -> bool {
    let kind = handler.get("type").and_then(Value::as_str);
    let needs = KINDS.iter().find(|(name, _)| Some(*name) == kind);
    needs.is_some_and(|(_, needs)| handler.get(*needs).is_some_and(Value::is_string))
}

fn switched_off(settings: &Value, file: &Path) -> Option<HookHazard> {
    (settings.get("disableAllHooks") == Some(&Value::Bool(true))).then(|| {
        HookHazard::bypass(
            format!("{}: `disableAllHooks` switches every hook off", file.display()),
            "remove it, or set it to `false`",
        )
    })
}

fn managed_only(settings: &Value, file: &Path) -> Option<HookHazard> {
    (settings.get("allowManagedHooksOnly") == Some(&Value::Bool(true))).then(|| {
        HookHazard::bypass(
            format!("{}: `allowManagedHooksOnly` makes Claude Code skip our hook", file.display()),
            "ask the administrator to add the hook there, or to remove that setting",
        )
    })
}

/// In `bypassPermissions` mode, Claude Code runs the call if the hook fails, unless the hook is set to block
/// on failure.
fn bypassed(
    settings: &Value,
    own: &Value,
    file: &Path,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Option<HookHazard> {
    let bypasses = settings.pointer("/permissions/defaultMode") == Some(&json!("bypassPermissions"));
    let handlers = hook_groups::groups(own, "PreToolUse").iter().flat_map(hook_groups::handlers);
    let mut ours = handlers.filter(|handler| is_ours(handler));
    let open = ours.any(|handler| handler.get("onFailure") != Some(&json!("block")));
    (bypasses && open).then(|| {
        HookHazard::bypass(
            format!("{}: `bypassPermissions` is on, and our hook lacks `\"onFailure\": \"block\"`: if it fails, the call runs", file.display()),
            "run `sekisho install claude-code`",
        )
    })
}

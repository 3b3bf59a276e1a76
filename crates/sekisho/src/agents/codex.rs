//! Codex: hooks in `config.toml`, and beside them the hash by which Codex knows that they are trusted. Codex
//! silently skips a hook without a hash, or with another one.
//!
//! The hash covers the entry, not the program it starts. Hashes are matched by the entry's position in the
//! list, so removing our entry moves the positions of those after it.

use std::path::{Path, PathBuf};

use sekisho_host::InstallScope;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::hook_entry::HookEntry;
use super::hook_groups::{self, HandlerPosition, HookGroup};
use super::hook_hazard::{HookHazard, other_hook};
use super::hook_invocation::{InstalledHook, is_ours};
use super::hook_output::{HookOutput, deny_reason, exit_two_reason};
use super::hook_settings::{CANARY, CANARY_ID, HazardContext, HookSettings};
use super::settings_error::AgentSettingsError;
use super::settings_file::read_settings_text;
use super::shell_line;
use super::toml_settings::{self, Tables};
use crate::failure::Failure;
use crate::settings::AgentHomes;

pub(super) struct Codex;

/// The events, and their names in the trust keys.
const EVENTS: [(&str, &str); 3] = [
    ("PreToolUse", "pre_tool_use"),
    ("PermissionRequest", "permission_request"),
    ("PostToolUse", "post_tool_use"),
];

impl HookSettings for Codex {
    fn settings_path(&self, homes: &AgentHomes, reach: &InstallScope) -> Result<PathBuf, Failure> {
        match reach {
            InstallScope::Global => Ok(homes.codex.join("config.toml")),
            InstallScope::Project(_) => Err(Failure::usage(
                "Codex runs project hooks only in projects it trusts and silently skips them elsewhere; install the hook with `--global`",
            )),
        }
    }

    fn config_directory<'a>(&self, homes: &'a AgentHomes) -> &'a Path {
        &homes.codex
    }

    fn add(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError> {
        let ours = |handler: &Value| is_ours(&hook_groups::command_words(handler), &entry.installation);
        let wanted = wanted(entry);
        let settings = toml_settings::value(text)?;
        let in_place = wanted.iter().all(|group| hook_groups::is_up_to_date(&settings, group, &ours));
        if in_place && untrusted(&settings, entry).is_empty() {
            return Ok(text.to_owned());
        }
        let mut document = toml_settings::document(text)?;
        for (group, (_, label)) in wanted.iter().zip(EVENTS) {
            put_in(&mut document, group, label, entry, &ours)?;
        }
        let settings = toml_settings::value(&document.to_string())?;
        let states =
            toml_settings::subtable(toml_settings::subtable(document.as_table_mut(), "hooks")?, "state")?;
        for (group, (_, label)) in wanted.iter().zip(EVENTS) {
            for place in hook_groups::handler_positions(&settings, group.event, &ours) {
                trust(states, &key(&entry.settings, label, place), &trusted_hash(label, group));
            }
        }
        let after = document.to_string();
        match untrusted(&toml_settings::value(&after)?, entry).as_slice() {
            [] => Ok(after),
            _ => Err(AgentSettingsError::new(
                "cannot change its `hooks`; write them as `[[hooks.PreToolUse]]`",
            )),
        }
    }

    fn remove(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError> {
        let ours = |handler: &Value| is_ours(&hook_groups::command_words(handler), &entry.installation);
        let settings = toml_settings::value(text)?;
        let events = EVENTS
            .iter()
            .filter(|(event, _)| !hook_groups::handler_positions(&settings, event, &ours).is_empty());
        let events: Vec<_> = events.collect();
        if events.is_empty() {
            return Ok(text.to_owned());
        }
        let mut document = toml_settings::document(text)?;
        for (event, label) in events {
            take_out(&mut document, event, label, entry, &ours)?;
        }
        let top = document.as_table_mut();
        let hooks = toml_settings::subtable(top, "hooks")?;
        if hooks.get("state").and_then(Item::as_table_like).is_some_and(TableLike::is_empty) {
            hooks.remove("state");
        }
        if hooks.is_empty() {
            top.remove("hooks");
        }
        Ok(document.to_string())
    }

    fn installed_hooks(
        &self,
        text: &str,
        installation: &Path,
    ) -> Result<Vec<InstalledHook>, AgentSettingsError> {
        let ours = |handler: &Value| is_ours(&hook_groups::command_words(handler), installation);
        Ok(hook_groups::installed_hooks(&toml_settings::value(text)?, &ours))
    }

    fn decision_event(&self) -> &'static str {
        "PreToolUse"
    }

    fn canary_input(&self, cwd: &Path) -> Value {
        json!({
            "session_id": CANARY_ID, "turn_id": CANARY_ID, "transcript_path": null, "cwd": cwd,
            "hook_event_name": "PreToolUse", "model": CANARY_ID, "permission_mode": "bypassPermissions",
            "tool_name": "Bash", "tool_input": { "command": CANARY }, "tool_use_id": CANARY_ID,
        })
    }

    fn block_reason(&self, answered: &HookOutput) -> Option<String> {
        exit_two_reason(answered).or_else(|| deny_reason(answered))
    }

    fn hazards(&self, look: &HazardContext<'_>) -> Vec<HookHazard> {
        let mut found = Vec::new();
        let home = &look.homes.codex;
        let settings =
            read_settings_text(&look.entry.settings).and_then(|text| toml_settings::value(&text).ok());
        if let Some(settings) = &settings {
            found.extend(untrusted(settings, look.entry));
            found.extend(unguarded(settings, &look.entry.settings));
            let ours =
                |handler: &Value| is_ours(&hook_groups::command_words(handler), &look.entry.installation);
            for other in hook_groups::other_commands(settings, "PreToolUse", &ours) {
                found.push(other_hook(&other, &look.entry.settings));
            }
        }
        let mut files = vec![home.join("config.toml"), look.project.join(".codex/config.toml")];
        let profiles = home.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        files.extend(profiles.filter(|path| path.to_string_lossy().ends_with(".config.toml")));
        for file in files {
            let settings = read_settings_text(&file).and_then(|text| toml_settings::value(&text).ok());
            found.extend(settings.and_then(|settings| switched_off(&settings, &file)));
        }
        let managed = &look.homes.codex_managed;
        let text = read_settings_text(managed).and_then(|text| toml_settings::value(&text).ok());
        if text.is_some_and(|text| text.get("allow_managed_hooks_only") == Some(&Value::Bool(true))) {
            found.push(HookHazard::bypass(
                format!("{}: `allow_managed_hooks_only` makes Codex skip our hook", managed.display()),
                "ask the administrator to add the hook there, or to remove that setting",
            ));
        }
        found
    }
}

fn wanted(entry: &HookEntry) -> Vec<HookGroup> {
    let words =
        [&entry.hook.to_string_lossy(), "codex", "--installation", &entry.installation.to_string_lossy()];
    let line = shell_line::fail_closed_line(&words.map(str::to_owned));
    let handler =
        vec![("type", json!("command")), ("command", json!(line)), ("timeout", json!(entry.limit_s))];
    EVENTS.iter().map(|(event, _)| HookGroup { event, matcher: None, handler: handler.clone() }).collect()
}

/// The hash by which Codex knows a trusted entry: over its fields as JSON, with sorted keys and without
/// spaces.
fn trusted_hash(label: &str, group: &HookGroup) -> String {
    let mut handler = group.handler_value();
    if let Some(fields) = handler.as_object_mut() {
        fields.insert("async".into(), false.into());
    }
    let mut identity = json!({ "event_name": label, "hooks": [handler] });
    if let (Some(matcher), Some(fields)) = (group.matcher, identity.as_object_mut()) {
        fields.insert("matcher".into(), matcher.into());
    }
    let hash = Sha256::digest(identity.to_string());
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn key(settings: &Path, label: &str, place: HandlerPosition) -> String {
    format!("{}:{label}:{}:{}", settings.display(), place.group, place.handler)
}

fn put_in(
    document: &mut DocumentMut,
    wanted: &HookGroup,
    label: &str,
    entry: &HookEntry,
    ours: &dyn Fn(&Value) -> bool,
) -> Result<(), AgentSettingsError> {
    let settings = toml_settings::value(&document.to_string())?;
    if hook_groups::is_up_to_date(&settings, wanted, ours) {
        return Ok(());
    }
    let hooks = toml_settings::subtable(document.as_table_mut(), "hooks")?;
    if let [HandlerPosition { group, alone: true, .. }] =
        hook_groups::handler_positions(&settings, wanted.event, ours)[..]
        && let Some(mut groups) = Tables::of(hooks, wanted.event)?
        && let Some(table) = groups.get(group)
    {
        // Keep its position: the trust of the entries after it depends on it.
        table.remove("matcher");
        if let Some(mut handlers) = Tables::of(table, "hooks")?
            && let Some(handler) = handlers.get(0)
        {
            handler.clear();
            toml_settings::set_handler_fields(handler, wanted);
            return Ok(());
        }
    }
    take_out(document, wanted.event, label, entry, ours)?;
    let top = document.as_table_mut();
    let in_one_line = top.get("hooks").is_some_and(Item::is_inline_table);
    let hooks = toml_settings::subtable(top, "hooks")?;
    if Tables::of(hooks, wanted.event)?.is_none() {
        toml_settings::make_list(hooks, wanted.event, in_one_line);
    }
    if let Some(mut groups) = Tables::of(hooks, wanted.event)? {
        groups.append(wanted);
    }
    Ok(())
}

/// Removes our handlers from an event, with their trust, and moves the trust of those after them.
fn take_out(
    document: &mut DocumentMut,
    event: &str,
    label: &str,
    entry: &HookEntry,
    ours: &dyn Fn(&Value) -> bool,
) -> Result<(), AgentSettingsError> {
    // From the end, so that the remaining ones keep their positions.
    let places = hook_groups::handler_positions(&toml_settings::value(&document.to_string())?, event, ours);
    let hooks = toml_settings::subtable(document.as_table_mut(), "hooks")?;
    for place in places.into_iter().rev() {
        let Some(mut groups) = Tables::of(hooks, event)? else { break };
        let Some(group) = groups.get(place.group) else { break };
        let Some(mut handlers) = Tables::of(group, "hooks")? else { break };
        handlers.remove(place.handler);
        let whole = handlers.len() == 0;
        if whole {
            groups.remove(place.group);
        }
        let nothing_left = groups.len() == 0;
        if nothing_left {
            hooks.remove(event);
        }
        if let Some(states) = hooks.get_mut("state").and_then(Item::as_table_like_mut) {
            move_trust(states, &format!("{}:{label}:", entry.settings.display()), place, whole);
        }
    }
    Ok(())
}

/// Removes the trust of the handler at a position, and moves the trust of those after it.
fn move_trust(states: &mut dyn TableLike, begins: &str, gone: HandlerPosition, whole: bool) {
    let keys: Vec<String> = states.iter().map(|(key, _)| key.to_owned()).collect();
    let mut at: Vec<(usize, usize, String)> = keys
        .into_iter()
        .filter_map(|key| {
            let (group, handler) = key.strip_prefix(begins)?.split_once(':')?;
            Some((group.parse().ok()?, handler.parse().ok()?, key))
        })
        .collect();
    at.sort();
    for (group, handler, key) in at {
        let moved = match whole {
            true if group > gone.group => (group - 1, handler),
            false if group == gone.group && handler > gone.handler => (group, handler - 1),
            _ if (group, handler) == (gone.group, gone.handler) => {
                states.remove(&key);
                continue;
            }
            _ => continue,
        };
        if let Some(state) = states.remove(&key) {
            states.insert(&format!("{begins}{}:{}", moved.0, moved.1), state);
        }
    }
}

/// Marks the entry of this key as trusted.
fn trust(states: &mut dyn TableLike, key: &str, hash: &str) {
    let in_one_line = states.iter().any(|(_, state)| state.is_inline_table());
    if let Some(state) = states.get_mut(key).and_then(Item::as_table_like_mut) {
        state.insert("trusted_hash", toml_edit::value(hash));
        state.remove("enabled");
        return;
    }
    let mut state = Table::new();
    state.insert("trusted_hash", toml_edit::value(hash));
    let state = if in_one_line { Item::Value(state.into_inline_table().into()) } else { Item::Table(state) };
    states.insert(key, state);
}

/// Our entries that Codex would skip.
fn untrusted(settings: &Value, entry: &HookEntry) -> Vec<HookHazard> {
    let ours = |handler: &Value| is_ours(&hook_groups::command_words(handler), &entry.installation);
    let again = "run `sekisho install codex`";
    let mut found = Vec::new();
    for (group, (event, label)) in wanted(entry).iter().zip(EVENTS) {
        for place in hook_groups::handler_positions(settings, event, &ours) {
            let state =
                settings.pointer("/hooks/state").and_then(|all| all.get(key(&entry.settings, label, place)));
            let hash = state.and_then(|state| state.get("trusted_hash")?.as_str());
            let off = state.is_some_and(|state| state.get("enabled") == Some(&Value::Bool(false)));
            let problem = match hash {
                _ if off => "is switched off",
                Some(hash) if hash == trusted_hash(label, group) => continue,
                Some(_) => "is trusted with a different hash",
                None => "is not trusted",
            };
            found.push(HookHazard::bypass(
                format!("the hook for {event} {problem}: Codex silently skips it"),
                again,
            ));
        }
    }
    found
}

/// `features.hooks = false`, under its new or its old name.
fn switched_off(settings: &Value, file: &Path) -> Option<HookHazard> {
    let off = |name: &&str| settings.pointer(&format!("/features/{name}")) == Some(&Value::Bool(false));
    let name = ["hooks", "codex_hooks"].into_iter().find(|name| off(name))?;
    Some(HookHazard::bypass(
        format!("{}: `features.{name} = false` switches hooks off", file.display()),
        "remove that line",
    ))
}

/// Codex neither asks nor uses a sandbox: only the hook restricts it.
fn unguarded(settings: &Value, file: &Path) -> Option<HookHazard> {
    let is = |name: &str, value: &str| settings.get(name).and_then(Value::as_str) == Some(value);
    (is("approval_policy", "never") && is("sandbox_mode", "danger-full-access")).then(|| {
        HookHazard::caution(
            format!(
                "{}: Codex neither asks nor uses a sandbox, so only the hook restricts it",
                file.display()
            ),
            "set `sandbox_mode = \"workspace-write\"`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hashes that Codex 0.166 itself printed.
    #[test]
    fn hashes_match_those_of_codex() {
        for (label, matcher, command, timeout, hash) in [
            (
                "pre_tool_use",
                None,
                "six",
                7,
                "83e8b3bd4c4f58d93aea9e8fc6381f53b98c5cde7902ccc1fa0a4e0054bb8c32",
            ),
            (
                "pre_tool_use",
                None,
                "/opt/a b/sekisho-hook codex \"q\" é \u{1} <&>",
                3600,
                "3c2f6eddfbf4b5057ec5fd1f9287ebc27b48db90243e98a73563b10c0ac1f71f",
            ),
            (
                "pre_tool_use",
                Some("*"),
                "one",
                600,
                "f8a563dd93d5599a64b21ec66b34b0151f37bf730f5f2123943d9c8720110c1d",
            ),
            (
                "permission_request",
                Some("Bash"),
                "three",
                99_999_999,
                "05ed680d63395f807694eecc2436aae7e764383a7284edc12f12e4602fa77b24",
            ),
        ] {
            let handler =
                vec![("type", json!("command")), ("command", json!(command)), ("timeout", json!(timeout))];
            let group = HookGroup { event: "PreToolUse", matcher, handler };
            assert_eq!(trusted_hash(label, &group), format!("sha256:{hash}"), "{command}");
        }
    }
}

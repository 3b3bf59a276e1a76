//! Gemini CLI: hooks in `settings.json`, started by a shell. Its timeouts are in milliseconds.
//!
//! Gemini CLI loads the `.env` or `.gemini/.env` of a trusted project into its own environment, and starts
//! the shell with it. `advanced.excludedEnvVars` does not help: it does not apply to `.gemini/.env`, and a
//! project can override it. A project cannot override the `env` of a hook.

use std::path::{Path, PathBuf};

use sekisho_host::InstallScope;
use sekisho_policy::jsonc;
use serde_json::{Value, json};

use super::hook_entry::HookEntry;
use super::hook_groups::{self, HookGroup};
use super::hook_hazard::{HookHazard, other_hook};
use super::hook_invocation::{self, InstalledHook};
use super::hook_output::{HookOutput, exit_two_reason, json_output};
use super::hook_settings::{CANARY, CANARY_ID, HazardContext, HookSettings};
use super::json_settings::{self, JsonDialect};
use super::settings_error::AgentSettingsError;
use super::settings_file::read_settings_text;
use super::{dotenv, shell_line};
use crate::failure::Failure;
use crate::settings::AgentHomes;

pub(super) struct GeminiCli;

const DIALECT: JsonDialect = JsonDialect {
    form: jsonc::Dialect { comments: true, trailing_commas: false },
    rejection: "Gemini CLI does not accept the file",
};

/// The name of our hook in the settings.
const NAME: &str = "sekisho";

/// The shell script of the hook line. It blocks if the hook fails in any way, or if the shell itself has
/// already printed something that would make the answer unreadable. Gemini CLI replaces `$0`, `$word` and
/// `${word}` in its settings, so the script uses none of them.
const GUARD: &str = r#"[ -z "${LD_SHOW_AUXV+x}" ] && "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2"#;

impl HookSettings for GeminiCli {
    fn settings_path(&self, homes: &AgentHomes, reach: &InstallScope) -> Result<PathBuf, Failure> {
        Ok(match reach {
            InstallScope::Global => homes.gemini.join("settings.json"),
            InstallScope::Project(root) => root.join(".gemini/settings.json"),
        })
    }

    fn config_directory<'a>(&self, homes: &'a AgentHomes) -> &'a Path {
        &homes.gemini
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
        "BeforeTool"
    }

    fn canary_input(&self, cwd: &Path) -> Value {
        json!({
            "session_id": CANARY_ID, "transcript_path": cwd.join("canary.json"), "cwd": cwd,
            "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00.000Z",
            "tool_name": "run_shell_command", "tool_input": { "command": CANARY }, "tool_use_id": CANARY_ID,
        })
    }

    fn block_reason(&self, answered: &HookOutput) -> Option<String> {
        exit_two_reason(answered).or_else(|| {
            let output = json_output(answered)?;
            let denied = matches!(output.get("decision")?.as_str()?, "deny" | "block");
            denied.then(|| output.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned())
        })
    }

    fn hazards(&self, look: &HazardContext<'_>) -> Vec<HookHazard> {
        let files = [
            look.homes.gemini.join("settings.json"),
            look.project.join(".gemini/settings.json"),
            look.homes.gemini_managed.clone(),
        ];
        let mut found = dotenv::hazards(look.project, &look.homes.gemini);
        for file in files {
            let Some(settings) = read_settings_text(&file).and_then(|text| DIALECT.value(&text).ok()) else {
                continue;
            };
            found.extend(switched_off(&settings, &file));
            let ours = |handler: &Value| is_ours(handler, &look.entry.installation);
            let others = hook_groups::other_commands(&settings, "BeforeTool", &ours);
            found.extend(others.iter().map(|other| other_hook(other, &file)));
        }
        found
    }
}

fn is_ours(handler: &Value, installation: &Path) -> bool {
    hook_invocation::is_ours(&hook_groups::command_words(handler), installation)
}

fn wanted(entry: &HookEntry) -> Vec<HookGroup> {
    let (hook, installation) = (entry.hook.to_string_lossy(), entry.installation.to_string_lossy());
    let line = ["/bin/sh", "-c", GUARD, NAME, &hook, "gemini-cli", "--installation", &installation];
    let emptied = dotenv::EMPTIED.map(|name| (name.to_owned(), json!("")));
    let handler = vec![
        ("name", json!(NAME)),
        ("type", json!("command")),
        ("command", json!(shell_line::line(line.into_iter()))),
        ("env", Value::Object(emptied.into_iter().collect())),
        ("timeout", json!(u64::from(entry.limit_s) * 1000)),
    ];
    let group = |event| HookGroup { event, matcher: Some("*"), handler: handler.clone() };
    ["BeforeTool", "AfterTool"].map(group).to_vec()
}

/// All hooks are off, or ours is off by name.
fn switched_off(settings: &Value, file: &Path) -> Option<HookHazard> {
    let off = settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false));
    let names = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    let named = names.is_some_and(|names| names.iter().any(|name| name == NAME));
    let name = match (off, named) {
        (true, _) => "hooksConfig.enabled",
        (_, true) => "hooksConfig.disabled",
        _ => return None,
    };
    Some(HookHazard::bypass(
        format!("{}: `{name}` switches our hook off", file.display()),
        format!("remove it from `{name}`, or use `/hooks` in Gemini CLI"),
    ))
}

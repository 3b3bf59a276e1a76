//! opencode: it loads plugins instead of starting hooks. Our plugin is a file in our state directory, listed
//! under `plugin`. It calls the hook and throws unless the hook allows the call.

use std::path::{Path, PathBuf};

use sekisho_host::InstallScope;
use sekisho_policy::jsonc;
use serde_json::{Value, json};

use super::hook_entry::HookEntry;
use super::hook_hazard::HookHazard;
use super::hook_invocation::{HookInvocation, InstalledHook};
use super::hook_output::{HookOutput, json_output};
use super::hook_settings::{CANARY, CANARY_ID, HazardContext, HookSettings};
use super::json_settings::{self, JsonDialect};
use super::opencode_plugin::opencode_plugin;
use super::settings_error::AgentSettingsError;
use super::settings_file::read_settings_text;
use crate::failure::Failure;
use crate::settings::AgentHomes;

pub(super) struct OpenCode;

const DIALECT: JsonDialect =
    JsonDialect { form: jsonc::Dialect::JSONC, rejection: "opencode does not accept the file" };

/// The list of plugins.
const LIST: &str = "plugin";

impl HookSettings for OpenCode {
    fn settings_path(&self, homes: &AgentHomes, reach: &InstallScope) -> Result<PathBuf, Failure> {
        let directory = match reach {
            InstallScope::Global => &homes.opencode,
            InstallScope::Project(root) => root,
        };
        let names = ["opencode.json", "opencode.jsonc"].map(|name| directory.join(name));
        let there = names.iter().find(|path| path.symlink_metadata().is_ok());
        Ok(there.unwrap_or(&directory.join("opencode.json")).clone())
    }

    fn config_directory<'a>(&self, homes: &'a AgentHomes) -> &'a Path {
        &homes.opencode
    }

    fn add(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError> {
        let wanted = address(&opencode_plugin(entry).0);
        let settings = DIALECT.value(text)?;
        if named(&settings, &entry.installation) == [wanted.as_str()] {
            return Ok(text.to_owned());
        }
        let ours = |address: &str| is_ours(address, &entry.installation);
        let after = json_settings::change_strings(DIALECT, text, LIST, &ours, Some(&wanted))?;
        match named(&DIALECT.value(&after)?, &entry.installation).as_slice() {
            [_] => Ok(after),
            _ => Err(AgentSettingsError::new("`plugin` is there twice, and only the last one counts")),
        }
    }

    fn remove(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError> {
        json_settings::change_strings(
            DIALECT,
            text,
            LIST,
            &|address| is_ours(address, &entry.installation),
            None,
        )
    }

    fn installed_hooks(
        &self,
        text: &str,
        installation: &Path,
    ) -> Result<Vec<InstalledHook>, AgentSettingsError> {
        let settings = DIALECT.value(text)?;
        let files = named(&settings, installation).into_iter().filter_map(file_of);
        let wired = |file| InstalledHook {
            event: self.decision_event().to_owned(),
            start: HookInvocation::Plugin(file),
        };
        Ok(files.map(wired).collect())
    }

    fn decision_event(&self) -> &'static str {
        "tool.execute.before"
    }

    fn canary_input(&self, cwd: &Path) -> Value {
        json!({
            "event": "before", "tool": "bash", "sessionID": CANARY_ID, "callID": CANARY_ID,
            "args": { "command": CANARY }, "directory": cwd, "servers": [],
        })
    }

    fn block_reason(&self, answered: &HookOutput) -> Option<String> {
        // The plugin throws unless the hook exits with 0 and allows the call.
        if answered.code != Some(0) {
            return Some(answered.stderr.trim().to_owned());
        }
        match json_output(answered) {
            Some(output) if output.get("decision") == Some(&json!("allow")) => None,
            Some(output) => Some(output.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned()),
            None => Some(String::new()),
        }
    }

    fn hazards(&self, look: &HazardContext<'_>) -> Vec<HookHazard> {
        let mut found = Vec::new();
        let (file, text) = opencode_plugin(look.entry);
        let again = "run `sekisho install opencode`";
        match read_settings_text(&file) {
            None => found.push(HookHazard::bypass(
                format!("the plugin {} does not exist: opencode continues without it", file.display()),
                again,
            )),
            Some(there) if there != text => {
                found.push(HookHazard::bypass(format!("the plugin {} was changed", file.display()), again))
            }
            Some(_) => {}
        }
        for name in look.homes.switches(&["OPENCODE_PURE"]) {
            found.push(HookHazard::bypass(
                format!("the variable `{name}` is set: opencode started here has no plugins"),
                format!("unset `{name}`"),
            ));
        }
        found
    }
}

/// Our plugins in the list.
fn named<'a>(settings: &'a Value, installation: &Path) -> Vec<&'a str> {
    let list = settings.get(LIST).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).filter(|address| is_ours(address, installation)).collect()
}

/// Whether a plugin is ours: of this installation, or of one whose state directory has moved since.
fn is_ours(address: &str, installation: &Path) -> bool {
    file_of(address).is_some_and(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let moved = name.starts_with("opencode-")
            && file.parent().is_some_and(|above| above.ends_with("sekisho/hooks"));
        file == installation.with_extension("js") || moved
    })
}

fn address(file: &Path) -> String {
    url::Url::from_file_path(file).map(String::from).unwrap_or_default()
}

fn file_of(address: &str) -> Option<PathBuf> {
    let url = url::Url::parse(address).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

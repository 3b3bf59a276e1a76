//! Our plugin for opencode: its path, its text, and how it starts the hook.

use std::path::PathBuf;

use sekisho_adapters::opencode_plugin as plugin_text;

use super::hook_entry::HookEntry;

/// The path and the text of the plugin for an installation.
pub(crate) fn opencode_plugin(entry: &HookEntry) -> (PathBuf, String) {
    let (hook, installation) = (entry.hook.to_string_lossy(), entry.installation.to_string_lossy());
    (entry.installation.with_extension("js"), plugin_text(&hook, &installation))
}

/// How a plugin starts the hook, read from its text.
pub(super) fn hook_command(text: &str) -> Option<Vec<String>> {
    let constant = |name: &str| {
        let begins = format!("const {name} = ");
        let line = text.lines().find_map(|line| line.strip_prefix(&begins))?;
        serde_json::from_str::<String>(line.trim()).ok()
    };
    let (_, rest) = text.split_once("spawn(HOOK, [")?;
    let (list, _) = rest.split_once(']')?;
    let argument = |item: &str| match item.trim() {
        "INSTALLATION" => constant("INSTALLATION"),
        quoted => serde_json::from_str(quoted).ok(),
    };
    let arguments: Option<Vec<String>> = list.split(',').map(argument).collect();
    Some(std::iter::once(constant("HOOK")?).chain(arguments?).collect())
}

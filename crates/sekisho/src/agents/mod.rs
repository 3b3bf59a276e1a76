//! How each agent is made to call the hook, and what keeps it from doing so. Everything about one agent's
//! settings is in one file; [`HookSettings`] is their common trait.
//!
//! The edits are pure functions from text to text. The commands read and write the files and ask for
//! confirmation.

mod claude_code;
mod codex;
mod dotenv;
mod gemini_cli;
mod hook_entry;
mod hook_groups;
mod hook_hazard;
mod hook_invocation;
mod hook_output;
mod hook_settings;
mod json_settings;
mod opencode;
mod opencode_plugin;
mod settings_error;
mod settings_file;
mod shell_line;
#[cfg(test)]
mod tests;
mod toml_settings;

use sekisho_adapters::Agent;

pub(crate) use hook_entry::HookEntry;
pub(crate) use hook_hazard::HookHazard;
pub(crate) use hook_output::HookOutput;
pub(crate) use hook_settings::{HazardContext, HookSettings};
pub(crate) use opencode_plugin::opencode_plugin;
pub(crate) use settings_error::AgentSettingsError;

pub(crate) fn hook_settings(agent: Agent) -> &'static dyn HookSettings {
    match agent {
        Agent::ClaudeCode => &claude_code::ClaudeCode,
        Agent::Codex => &codex::Codex,
        Agent::GeminiCli => &gemini_cli::GeminiCli,
        Agent::OpenCode => &opencode::OpenCode,
    }
}

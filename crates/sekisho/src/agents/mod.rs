//! How each agent is told to call the hook, and what keeps it from doing so. All that is known about the settings of one
//! agent stands in its one file; what every agent has to say is [`Wiring`].
//!
//! Everything here is text to text: what is read and written, and who is asked first, is the commands' business.

mod hook_output;
mod claude_code;
mod codex;
mod dotenv;
mod hook_entry;
mod settings_error;
mod settings_file;
mod gemini_cli;
mod hook_hazard;
mod hook_groups;
mod json_settings;
mod opencode;
mod opencode_plugin;
mod shell_line;
mod hook_invocation;
#[cfg(test)]
mod tests;
mod toml_settings;
mod hook_settings;

use sekisho_adapters::Agent;

pub(crate) use hook_output::HookOutput;
pub(crate) use hook_entry::HookEntry;
pub(crate) use settings_error::AgentSettingsError;
pub(crate) use hook_hazard::HookHazard;
pub(crate) use opencode_plugin::opencode_plugin;
pub(crate) use hook_settings::{HazardContext, HookSettings};

/// The settings of an agent.
pub(crate) fn hook_settings(agent: Agent) -> &'static dyn HookSettings {
    match agent {
        Agent::ClaudeCode => &claude_code::ClaudeCode,
        Agent::Codex => &codex::Codex,
        Agent::GeminiCli => &gemini_cli::GeminiCli,
        Agent::OpenCode => &opencode::OpenCode,
    }
}

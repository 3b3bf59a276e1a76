//! How each agent is told to call the hook, and what keeps it from doing so. All that is known about the settings of one
//! agent stands in its one file; what every agent has to say is [`Wiring`].
//!
//! Everything here is text to text: what is read and written, and who is asked first, is the commands' business.

mod answer;
mod claude_code;
mod codex;
mod dotenv;
mod entry;
mod fault;
mod file;
mod gemini_cli;
mod hazard;
mod hooks;
mod json;
mod opencode;
mod plugin;
mod shell;
mod start;
#[cfg(test)]
mod tests;
mod toml;
mod wiring;

use sekisho_adapters::Agent;

pub(crate) use answer::Answered;
pub(crate) use entry::Entry;
pub(crate) use fault::Fault;
pub(crate) use hazard::Hazard;
pub(crate) use plugin::plugin;
pub(crate) use wiring::{Look, Wiring};

/// The settings of an agent.
pub(crate) fn wiring(agent: Agent) -> &'static dyn Wiring {
    match agent {
        Agent::ClaudeCode => &claude_code::ClaudeCode,
        Agent::Codex => &codex::Codex,
        Agent::GeminiCli => &gemini_cli::GeminiCli,
        Agent::OpenCode => &opencode::OpenCode,
    }
}

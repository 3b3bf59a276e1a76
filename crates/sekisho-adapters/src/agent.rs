//! The supported agents.

use std::fmt;
use std::str::FromStr;

/// An agent whose hook protocol is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
    /// Google's Gemini CLI.
    GeminiCli,
    /// opencode.
    OpenCode,
}

impl Agent {
    /// All supported agents.
    pub const ALL: [Agent; 4] = [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli, Agent::OpenCode];

    /// Its name on command lines, in rules and in the audit log.
    pub fn name(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::GeminiCli => "gemini-cli",
            Agent::OpenCode => "opencode",
        }
    }

    /// Its name as its vendor writes it.
    pub fn title(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "Claude Code",
            Agent::Codex => "Codex",
            Agent::GeminiCli => "Gemini CLI",
            Agent::OpenCode => "opencode",
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Agent {
    type Err = String;

    fn from_str(name: &str) -> Result<Agent, String> {
        Agent::ALL.into_iter().find(|agent| agent.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.name()).collect();
            format!("unknown agent `{name}`; known agents: {}", known.join(", "))
        })
    }
}

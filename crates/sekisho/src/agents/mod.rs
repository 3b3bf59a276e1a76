//! How each agent is told to call the hook, and what keeps it from doing so. All that is known about the settings of one
//! agent stands in its one file.
//!
//! Everything here is text to text: what is read and written, and who is asked first, is the commands' business.

mod claude_code;
mod codex;
mod dotenv;
mod fault;
mod gemini_cli;
mod hooks;
mod json;
mod opencode;
mod shell;
#[cfg(test)]
mod tests;
mod toml;

use std::path::{Path, PathBuf};

use sekisho_adapters::Agent;
use sekisho_host::Reach;
use serde_json::Value;

use crate::failure::Failure;
use crate::settings::Homes;

pub(crate) use fault::Fault;
pub(crate) use opencode::plugin;

/// What the settings of an agent are to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The hook.
    pub(crate) hook: PathBuf,
    /// The file that says how it was installed.
    pub(crate) installation: PathBuf,
    /// How many seconds the agent waits for it.
    pub(crate) limit_s: u32,
    /// The settings, as the agent itself names them.
    pub(crate) settings: PathBuf,
}

/// A call of our hook as it stands in the settings of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wired {
    /// At which moment.
    pub(crate) event: String,
    pub(crate) start: Start,
}

/// How an agent starts its hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A program and its arguments; no shell reads them.
    Program(Vec<String>),
    /// A line for the shell.
    Shell(String),
    /// A file of JavaScript in the agent's own process.
    Plugin(PathBuf),
}

/// What a hook said, as its agent sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None`: it was killed.
    pub(crate) code: Option<i32>,
}

/// Something in the settings or the environment of an agent that keeps it from asking, or that should be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hazard {
    /// The hook is not asked, or its word does not count.
    pub(crate) is_open: bool,
    /// One sentence.
    pub(crate) found: String,
    /// The way out.
    pub(crate) fix: String,
}

impl Hazard {
    fn open(found: impl Into<String>, fix: impl Into<String>) -> Hazard {
        Hazard { is_open: true, found: found.into(), fix: fix.into() }
    }

    fn care(found: impl Into<String>, fix: impl Into<String>) -> Hazard {
        Hazard { is_open: false, found: found.into(), fix: fix.into() }
    }
}

/// Where to look for what keeps an agent from asking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) homes: &'a Homes,
    /// The project one is in.
    pub(crate) project: &'a Path,
    /// How the hook is installed.
    pub(crate) entry: &'a Entry,
}

/// The settings of one agent.
pub(crate) trait Wiring: Sync {
    /// The file that calls the hook.
    fn settings(&self, homes: &Homes, reach: &Reach) -> Result<PathBuf, Failure>;

    /// The directory that is there where the agent is used.
    fn home<'a>(&self, homes: &'a Homes) -> &'a Path;

    /// The text with our entries as they should be, and everything else as it was.
    fn add(&self, text: &str, entry: &Entry) -> Result<String, Fault>;

    /// The text without our entries.
    fn remove(&self, text: &str, entry: &Entry) -> Result<String, Fault>;

    /// Our entries, read as the agent reads them.
    fn wired(&self, text: &str, installation: &Path) -> Result<Vec<Wired>, Fault>;

    /// The event at which a call is decided.
    fn deciding(&self) -> &'static str;

    /// What the agent would tell its hook about a call that is always refused.
    fn canary(&self, cwd: &Path) -> Value;

    /// Why the agent would not run the call, if what the hook said keeps it from that.
    fn blocked(&self, answered: &Answered) -> Option<String>;

    /// What keeps the agent from asking.
    fn hazards(&self, look: &Look<'_>) -> Vec<Hazard>;
}

/// The settings of an agent.
pub(crate) fn wiring(agent: Agent) -> &'static dyn Wiring {
    match agent {
        Agent::ClaudeCode => &claude_code::ClaudeCode,
        Agent::Codex => &codex::Codex,
        Agent::GeminiCli => &gemini_cli::GeminiCli,
        Agent::OpenCode => &opencode::OpenCode,
    }
}

impl Start {
    /// A program and its arguments, so that it can be started as the agent would.
    pub(crate) fn words(&self) -> Option<Vec<String>> {
        match self {
            Start::Program(words) => Some(words.clone()),
            Start::Shell(line) => Some(["/bin/sh", "-c", line].map(str::to_owned).to_vec()),
            Start::Plugin(file) => opencode::started_by(&text_of(file)?),
        }
    }
}

/// What every canary wants to run: no rule can allow it.
pub(crate) const CANARY: &str = "sekisho approvals approve sekisho-canary";
/// The id its call has, so that the record can tell it from a real one.
pub(crate) const CANARY_ID: &str = "sekisho-canary";

/// Whether the words of a command are a call of our hook: with this installation, or one of a hook that has moved since.
fn is_ours(words: &[String], installation: &Path) -> bool {
    let mut pairs = words.iter().zip(words.iter().skip(1));
    let named = pairs.find(|(flag, _)| *flag == "--installation").map(|(_, file)| Path::new(file));
    let by_name =
        words.iter().any(|word| Path::new(word).file_name().is_some_and(|name| name == "sekisho-hook"));
    named.is_some_and(|file| file == installation || by_name)
}

/// What JSON a hook wrote, for an agent that reads it only from one that ended well.
fn said_json(answered: &Answered) -> Option<Value> {
    if answered.code != Some(0) {
        return None;
    }
    serde_json::from_str(answered.stdout.trim()).ok()
}

/// The reason of a hook that blocks by its exit code.
fn said_two(answered: &Answered) -> Option<String> {
    let reason = answered.stderr.trim();
    (answered.code == Some(2) && !reason.is_empty()).then(|| reason.to_owned())
}

/// The text of a settings file, where there is one that can be read.
fn text_of(path: &Path) -> Option<String> {
    sekisho_host::Foreign::read(path).ok()?.text().map(str::to_owned)
}

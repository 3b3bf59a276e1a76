//! A hook call in an agent's settings, and how the agent starts it.

use std::path::{Path, PathBuf};

use super::opencode_plugin::hook_command;
use super::settings_file::read_settings_text;

/// A call of our hook in an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstalledHook {
    pub(crate) event: String,
    pub(crate) start: HookInvocation,
}

/// How an agent starts its hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookInvocation {
    /// A program and its arguments, without a shell.
    Program(Vec<String>),
    /// A line for the shell.
    Shell(String),
    /// A JavaScript file in the agent's own process.
    Plugin(PathBuf),
}

impl HookInvocation {
    /// The program and its arguments, to start it as the agent would.
    pub(crate) fn command_line(&self) -> Option<Vec<String>> {
        match self {
            HookInvocation::Program(words) => Some(words.clone()),
            HookInvocation::Shell(line) => Some(["/bin/sh", "-c", line].map(str::to_owned).to_vec()),
            HookInvocation::Plugin(file) => hook_command(&read_settings_text(file)?),
        }
    }
}

/// Whether these words call our hook: with this installation, or from a hook that has moved since.
pub(super) fn is_ours(words: &[String], installation: &Path) -> bool {
    let mut pairs = words.iter().zip(words.iter().skip(1));
    let named = pairs.find(|(flag, _)| *flag == "--installation").map(|(_, file)| Path::new(file));
    let by_name =
        words.iter().any(|word| Path::new(word).file_name().is_some_and(|name| name == "sekisho-hook"));
    named.is_some_and(|file| file == installation || by_name)
}

//! What no rule and no human can permit to the built-in tools.
//!
//! These functions are pure. They answer before anyone is asked, and again after an input was edited. A command
//! that is computed, or text that cannot be analysed, is not forbidden by itself: it is the policy's to judge.
//! Programs in other languages are searched for commands that are written out.

mod argument_zero;
mod bare_words;
mod budget;
mod command;
mod command_escapes;
mod containers;
mod curl_paths;
mod dry_run;
mod environment_listing;
mod expansion_operators;
mod git_config_text;
mod git_push;
mod git_settings;
mod inert_text;
mod option_commands;
mod prefix_lists;
mod printed_words;
mod proc_environ;
mod proc_readers;
mod program_text;
mod python_comments;
mod renamed_programs;
mod resolved_arguments;
mod script_files;
mod shell_options;
mod shell_text;
mod system_directory;
mod text_sources;
mod unresolved_words;
mod written_documents;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use command::forbidden_command;
pub use git_push::forbidden_git;
pub use system_directory::forbidden_path;

use sekisho_policy::say;

/// Why something is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForbiddenCode {
    /// `rm` with recursive and force.
    RecursiveDelete,
    /// `rmdir`.
    RemoveDirectory,
    /// `git push` and what does the same.
    GitPush,
    /// An option of `git_ops` that forces something.
    GitForce,
    /// `env` and `printenv`.
    EnvironmentProgram,
    /// `export`, `declare -x` and what does the same.
    ExportVariable,
    /// `set` or `declare` without operands, `print(os.environ)`: all variables are printed.
    ListVariables,
    /// A path to a process's environment below `/proc`.
    EnvironmentFile,
    /// A file in a directory of the system.
    SystemDirectory,
    /// A command that would take too long to search.
    TooLargeToCheck,
}

impl ForbiddenCode {
    /// A sentence for people.
    pub fn sentence(self) -> Cow<'static, str> {
        say(match self {
            ForbiddenCode::RecursiveDelete => {
                "Forbidden: `rm` with both recursive and force. Remove files by name, without `-f`."
            }
            ForbiddenCode::RemoveDirectory => "Forbidden: `rmdir`. Leave empty directories in place.",
            ForbiddenCode::GitPush => "Forbidden: pushing with git. Commit, and let a person push.",
            ForbiddenCode::GitForce => {
                "Forbidden: forcing with git (`-f`, `--force`). Name a branch or a commit, and commit your changes first."
            }
            ForbiddenCode::EnvironmentProgram => {
                "Forbidden: `env` and `printenv`. To set a variable for one command, write `NAME=value command`."
            }
            ForbiddenCode::ExportVariable => {
                "Forbidden: exporting variables. To set one for one command, write `NAME=value command`."
            }
            ForbiddenCode::ListVariables => "Forbidden: listing all variables. Name the one you need.",
            ForbiddenCode::EnvironmentFile => "Forbidden: reading the environment of a process from /proc.",
            ForbiddenCode::SystemDirectory => {
                "Forbidden: writing to a system directory. Write below the project instead."
            }
            ForbiddenCode::TooLargeToCheck => {
                "Forbidden: the command is too large to check. Run it in smaller parts, or from a script file."
            }
        })
    }
}

//! The built-in tools.

use std::path::Path;

use sekisho_host::user_git_identity;
use sekisho_tools::edit::Edit;
use sekisho_tools::file_write::FileWrite;
use sekisho_tools::git_ops::{GitOps, GitSettings, Identity};
use sekisho_tools::shell_exec::ShellExec;
use sekisho_tools::{Tool, ToolRegistry};

use crate::failure::Failure;
use crate::settings;

/// Where git is looked for. Directories of an agent are never searched.
const GIT: &[&str] = &["/usr/bin/git", "/usr/local/bin/git", "/bin/git"];

/// The built-in tools. `home` has the user's git config.
pub(super) fn registry(home: Option<&Path>) -> Result<ToolRegistry, Failure> {
    let mut registry = ToolRegistry::new();
    let mut shell = ShellExec::new();
    if let Some(path) = settings::search_path() {
        shell = shell.with_search_path(path);
    }
    let tools: [Box<dyn Tool>; 4] =
        [Box::new(shell), Box::new(FileWrite), Box::new(Edit), Box::new(GitOps::new(git_settings(home)))];
    for tool in tools {
        registry.register(tool).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(registry)
}

/// The git of the system. Commits get the author that the user's own config names, unless the repository's does.
fn git_settings(home: Option<&Path>) -> GitSettings {
    let found = GIT.iter().map(Path::new).find(|path| path.is_file());
    let author = home.and_then(user_git_identity);
    let identity = author.map(|author| Identity { name: author.name, email: author.email });
    GitSettings { program: found.unwrap_or(Path::new("/usr/bin/git")).to_owned(), identity }
}

/// A tool that does not exist.
pub(super) fn unknown_tool(name: &str, registry: &ToolRegistry) -> Failure {
    Failure::usage(format!("unknown tool `{name}`; the tools are {}", registry.names().join(", ")))
}

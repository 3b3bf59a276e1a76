//! The built-in tools.

use sekisho_tools::ToolRegistry;
use sekisho_tools::shell_exec::ShellExec;

use crate::failure::Failure;
use crate::settings;

/// The built-in tools.
pub(super) fn registry() -> Result<ToolRegistry, Failure> {
    let mut registry = ToolRegistry::new();
    let mut shell = ShellExec::new();
    if let Some(path) = settings::search_path() {
        shell = shell.with_search_path(path);
    }
    registry.register(Box::new(shell)).map_err(|error| Failure::new(error.to_string()))?;
    Ok(registry)
}

/// A tool that does not exist.
pub(super) fn unknown_tool(name: &str, registry: &ToolRegistry) -> Failure {
    Failure::usage(format!("unknown tool `{name}`; the tools are {}", registry.names().join(", ")))
}

//! The built-in tools.

use std::path::Path;

use sekisho_host::user_git_identity;
use sekisho_server::wire::tool::{BuiltInTool, BuiltInToolDefinition};
use sekisho_tools::done::Done;
use sekisho_tools::edit::Edit;
use sekisho_tools::file_write::FileWrite;
use sekisho_tools::git_ops::{GitOps, GitSettings, Identity};
use sekisho_tools::glob_search::GlobSearch;
use sekisho_tools::grep::Grep;
use sekisho_tools::output_cache::{ToolOutputCache, ToolOutputCacheGrep};
use sekisho_tools::read::Read;
use sekisho_tools::self_eval::SelfEval;
use sekisho_tools::shell_exec::ShellExec;
use sekisho_tools::skill_load::SkillLoad;
use sekisho_tools::sub_agents::{CreateSubAgent, ExecuteSubAgent, GetSubAgentResult};
use sekisho_tools::todo::{TodoRead, TodoWrite};
use sekisho_tools::web_fetch::WebFetch;
use sekisho_tools::web_search::WebSearch;
use sekisho_tools::{Tool, ToolRegistry};

use crate::failure::Failure;
use crate::settings::{self, Settings};

/// Where git is looked for. Directories of an agent are never searched.
const GIT: &[&str] = &["/usr/bin/git", "/usr/local/bin/git", "/bin/git"];

/// The built-in tools, to be listed and shown.
pub(crate) fn registry_without_settings() -> Result<ToolRegistry, Failure> {
    let search = WebSearch::new(None).map_err(|error| Failure::new(error.to_string()))?;
    registry(None, search)
}

/// The built-in tools, to be run.
pub(crate) fn registry_with(settings: &Settings) -> Result<ToolRegistry, Failure> {
    registry(settings.locations.home.as_deref(), settings.web_search()?)
}

/// The built-in tools. `home` has the user's git config.
fn registry(home: Option<&Path>, search: WebSearch) -> Result<ToolRegistry, Failure> {
    let mut registry = ToolRegistry::new();
    let (mut shell, mut self_eval) = (ShellExec::new(), SelfEval::new());
    if let Some(path) = settings::search_path() {
        self_eval = self_eval.with_search_path(path.clone());
        shell = shell.with_search_path(path);
    }
    let tools: Vec<Box<dyn Tool>> = vec![
        Box::new(shell),
        Box::new(FileWrite),
        Box::new(Edit),
        Box::new(GitOps::new(git_settings(home))),
        Box::new(Read),
        Box::new(Grep),
        Box::new(GlobSearch),
        Box::new(self_eval),
        Box::new(TodoRead),
        Box::new(TodoWrite),
        Box::new(ToolOutputCache),
        Box::new(ToolOutputCacheGrep),
        Box::new(SkillLoad),
        Box::new(Done),
        Box::new(WebFetch::new()),
        Box::new(search),
        Box::new(CreateSubAgent),
        Box::new(ExecuteSubAgent),
        Box::new(GetSubAgentResult),
    ];
    for tool in tools {
        registry.register(tool).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(registry)
}

/// The tools as the API lists them.
pub(crate) fn listed(registry: &ToolRegistry) -> Vec<BuiltInTool> {
    let tools = registry.tools().map(|tool| {
        let definition = tool.definition();
        BuiltInTool {
            name: tool.name().to_owned(),
            category: format!("{:?}", tool.category()),
            definition: BuiltInToolDefinition {
                name: definition.name,
                description: definition.description,
                input_schema: definition.input_schema,
            },
        }
    });
    tools.collect()
}

/// The git of the system. Commits get the author that the user's own config names, unless the repository's does.
fn git_settings(home: Option<&Path>) -> GitSettings {
    let found = GIT.iter().map(Path::new).find(|path| path.is_file());
    let author = home.and_then(user_git_identity);
    let identity = author.map(|author| Identity { name: author.name, email: author.email });
    GitSettings { program: found.unwrap_or(Path::new("/usr/bin/git")).to_owned(), identity }
}

/// A tool that does not exist.
pub(crate) fn unknown_tool(name: &str, registry: &ToolRegistry) -> Failure {
    Failure::usage(format!("unknown tool `{name}`; the tools are {}", registry.names().join(", ")))
}

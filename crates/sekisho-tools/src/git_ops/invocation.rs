//! The invocations of git for one call.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::arguments::GitAction;
use super::checkout_paths::Target;
use super::overrides::{Drivers, config, environment};
use super::pattern_files::PatternFiles;
use super::readable_files::readable_by_git;
use super::repository_paths::RepositoryPaths;
use crate::input_fields::shown;
use crate::sandbox::PlannedDir;
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// The error for a commit that would have no author.
const NO_AUTHOR: &str = "git commit failed:\nno author is configured; run `git config --global user.name NAME` and \
    `git config --global user.email ADDRESS`";

/// What the program that runs git decides.
#[derive(Clone, Debug)]
pub struct GitSettings {
    /// The git program, absolute: the invocation's `PATH` has no programs.
    pub program: PathBuf,
    /// Who commits if the repository's config does not say it. The user's own config is not read by git here.
    pub identity: Option<Identity>,
}

/// An author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Their name.
    pub name: String,
    /// Their e-mail address.
    pub email: String,
}

/// One start of git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitInvocation {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub working_dir: PlannedDir,
    /// What it may write to.
    pub writable: Writable,
    /// Whether it may write and remove files of the work tree, besides those of git.
    pub writes_files: bool,
    /// Where it may read files: directories, and single files.
    pub readable: Vec<PlannedDir>,
}

/// What an invocation may write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writable {
    /// Nothing.
    Nothing,
    /// The directories of the repository.
    Repository(RepositoryPaths),
}

/// A checked call, to be run as three invocations: [`list_config`](Self::list_config),
/// [`list_index`](Self::list_index), and [`invocation`](Self::invocation) with what the first one printed.
#[derive(Clone, Debug)]
pub struct GitCall {
    action: GitAction,
    settings: GitSettings,
    working_dir: PlannedDir,
    repository: RepositoryPaths,
    patterns: PatternFiles,
}

impl GitCall {
    /// Checks input and permission, and finds the repository. Refuses to add files while it is unknown which of them
    /// git would filter or ignore.
    pub fn new(input: &Value, context: &ToolContext, settings: GitSettings) -> Result<GitCall, ToolResult> {
        let action = super::read(input, context.git_permission)?;
        if !settings.program.is_absolute() {
            return Err(ToolResult::error("Failed to run git: its path is not absolute"));
        }
        let failed = |problem: &dyn std::fmt::Display| {
            ToolResult::error(format!("git {} failed:\n{problem}", summary(&action)))
        };
        let repository = RepositoryPaths::find(&context.root, context.root_id, action.writes());
        let repository = repository.map_err(|problem| failed(&problem))?;
        let patterns = PatternFiles::find(&repository, &settings.program, context.home.as_deref());
        let patterns = patterns.map_err(|problem| failed(&problem))?;
        if let (GitAction::Add { .. }, Some(problem)) = (&action, &patterns.problem) {
            let why = "so it is unknown which files have a filter or are ignored, and none is added";
            return Err(failed(&format!("{problem}, {why}")));
        }
        let working_dir = PlannedDir { path: context.root.clone(), id: context.root_id };
        Ok(GitCall { action, settings, working_dir, repository, patterns })
    }

    /// The checked action.
    pub fn action(&self) -> &GitAction {
        &self.action
    }

    /// Lists the names of all config keys. It runs nothing and changes nothing. If it fails, so does the call.
    pub fn list_config(&self) -> GitInvocation {
        let arguments = ["config", "--null", "--name-only", "--list"].map(OsString::from);
        let mut invocation = self.build(arguments.into(), false);
        invocation.env.extend(config(&self.action, &Drivers::default(), &self.patterns));
        invocation
    }

    /// Lists the names in the index. Git opens whatever they name, so [`check_index`](Self::check_index) must
    /// accept what this prints before the action runs.
    pub fn list_index(&self) -> GitInvocation {
        let arguments = ["ls-files", "-z", "--cached", "--full-name", "--"].map(OsString::from);
        let mut invocation = self.build(arguments.into(), false);
        invocation.env.extend(config(&self.action, &Drivers::default(), &self.patterns));
        invocation.working_dir.clone_from(&self.repository.work_tree);
        invocation
    }

    /// Where the work tree is.
    pub(super) fn work_tree(&self) -> &Path {
        &self.repository.work_tree.path
    }

    /// A git command that changes nothing and runs nothing, in the work tree.
    pub(super) fn look(&self, arguments: &[&str]) -> GitInvocation {
        let mut invocation = self.build(arguments.iter().map(OsString::from).collect(), false);
        invocation.env.extend(config(&self.action, &Drivers::default(), &self.patterns));
        invocation.working_dir.clone_from(&self.repository.work_tree);
        invocation
    }

    /// The error for a call that a human has to approve.
    pub(super) fn refuse(&self, why: &str) -> ToolResult {
        ToolResult::error(format!("git {} failed:\n{why}", summary(&self.action)))
    }

    /// Refuses an index with a name outside the work tree. `listed` is the output of
    /// [`list_index`](Self::list_index).
    pub fn check_index(&self, listed: &[u8]) -> Result<(), ToolResult> {
        let leads_out = |name: &&[u8]| {
            name.starts_with(b"/") || name.split(|byte| *byte == b'/').any(|part| part == b"..")
        };
        match listed.split(|byte| *byte == 0).find(leads_out) {
            None => Ok(()),
            Some(name) => Err(ToolResult::error(format!(
                "git {} failed:\nthe index names a file outside the work tree: {}",
                summary(&self.action),
                shown(&String::from_utf8_lossy(name))
            ))),
        }
    }

    /// The action itself. `listed` is the output of [`list_config`](Self::list_config).
    pub fn invocation(&self, listed: &[u8]) -> Result<GitInvocation, ToolResult> {
        let drivers = Drivers::read(listed, &self.patterns.filters).ok_or_else(|| {
            let action = summary(&self.action);
            ToolResult::error(format!("git {action} failed:\nthe config defines too many drivers"))
        })?;
        let mut invocation = self.build(template(&self.action), self.action.writes());
        invocation.env.extend(config(&self.action, &drivers, &self.patterns));
        if matches!(self.action, GitAction::Commit { .. }) {
            invocation.env.extend(self.author(listed)?);
        }
        Ok(invocation)
    }

    /// The variables that name the author, unless the repository's config does.
    fn author(&self, listed: &[u8]) -> Result<Vec<(OsString, OsString)>, ToolResult> {
        let is_set = |key: &[u8]| listed.split(|byte| *byte == 0).any(|listed| listed == key);
        if is_set(b"user.name") && is_set(b"user.email") {
            return Ok(Vec::new());
        }
        let Some(Identity { name, email }) = &self.settings.identity else {
            return Err(ToolResult::error(NO_AUTHOR));
        };
        let variable = |role: &str, part: &str, value: &String| {
            (OsString::from(format!("GIT_{role}_{part}")), OsString::from(value))
        };
        let roles = ["AUTHOR", "COMMITTER"].into_iter();
        Ok(roles.flat_map(|role| [variable(role, "NAME", name), variable(role, "EMAIL", email)]).collect())
    }

    fn build(&self, arguments: Vec<OsString>, writes: bool) -> GitInvocation {
        let RepositoryPaths { work_tree, git_dir, common_dir } = &self.repository;
        let mut argv = vec![self.settings.program.clone().into_os_string(), "--no-pager".into()];
        argv.extend(arguments);
        let mut env = environment(writes);
        env.push(("GIT_DIR".into(), git_dir.path.clone().into()));
        env.push(("GIT_WORK_TREE".into(), work_tree.path.clone().into()));
        env.push(("GIT_COMMON_DIR".into(), common_dir.path.clone().into()));
        let writable = if writes { Writable::Repository(self.repository.clone()) } else { Writable::Nothing };
        let mut readable = readable_by_git(&self.settings.program, &self.repository);
        let PatternFiles { attributes, excludes, .. } = &self.patterns;
        readable.extend([attributes, excludes].into_iter().flatten().cloned().map(PlannedDir::from));
        let writes_files = writes && Target::of(&self.action) != Target::None;
        GitInvocation { argv, env, working_dir: self.working_dir.clone(), writable, writes_files, readable }
    }

    /// The result for the model. Blanks at the start of a line of `status` have a meaning and are kept.
    pub fn result(&self, succeeded: bool, stdout: &[u8], stderr: &[u8]) -> ToolResult {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if succeeded {
            ToolResult::ok(json!({ "output": text(stdout), "success": true }).to_string())
        } else {
            ToolResult::error(format!("git {} failed:\n{}", summary(&self.action), text(stderr)))
        }
    }
}

/// The arguments of git. Every value that a caller chose is one word behind `--end-of-options` or `--`, or the value
/// of an option in the same word. `add` and `status` of git 2.47 take `--end-of-options` for a path or keep the `--`
/// after it as one, so they get `--` alone. `checkout` of git 2.39 does not know it either; a name there never begins
/// with a dash.
fn template(action: &GitAction) -> Vec<OsString> {
    let fixed: &[&str] = match action {
        GitAction::Status => {
            &["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty", "--"]
        }
        GitAction::Diff => &[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=dirty",
            "--submodule=short",
            "--",
        ],
        GitAction::Log { .. } => &["log", "--oneline", "--decorate", "--no-color", "--no-show-signature"],
        GitAction::Show { .. } => &[
            "show",
            "--stat",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-show-signature",
            "--pretty=medium",
            "--submodule=short",
            "--end-of-options",
        ],
        GitAction::BranchList => {
            &["branch", "--all", "--list", "--no-color", "--no-column", "--sort=refname"]
        }
        GitAction::Add { .. } => &["add", "--"],
        GitAction::Commit { .. } => {
            &["commit", "--no-verify", "--no-gpg-sign", "--no-edit", "--no-status", "--cleanup=whitespace"]
        }
        // Otherwise git deletes ignored files where the other branch has one.
        GitAction::BranchCreate { .. } => {
            &["checkout", "--no-overwrite-ignore", "--no-recurse-submodules", "-b"]
        }
        GitAction::Checkout { .. } => &["checkout", "--no-overwrite-ignore", "--no-recurse-submodules"],
    };
    let mut arguments: Vec<OsString> = fixed.iter().map(OsString::from).collect();
    match action {
        GitAction::Status | GitAction::Diff | GitAction::BranchList => {}
        GitAction::Log { max_count } => {
            arguments.extend([format!("--max-count={max_count}").into(), "--".into()])
        }
        GitAction::Show { revision: name }
        | GitAction::BranchCreate { name }
        | GitAction::Checkout { name } => {
            arguments.extend([name.into(), "--".into()]);
        }
        GitAction::Add { files } => arguments.extend(files.iter().map(OsString::from)),
        GitAction::Commit { message } => arguments.push(format!("--message={message}").into()),
    }
    arguments
}

/// The command as people write it, for messages.
fn summary(action: &GitAction) -> String {
    shown(&match action {
        GitAction::Status => "status --porcelain".into(),
        GitAction::Diff => "diff".into(),
        GitAction::Log { max_count } => format!("log --max-count={max_count} --oneline --decorate"),
        GitAction::Show { revision } => format!("show --stat {revision}"),
        GitAction::BranchList => "branch -a".into(),
        GitAction::Add { files } => format!("add {}", files.join(" ")),
        GitAction::Commit { message } => format!("commit -m {message}"),
        GitAction::BranchCreate { name } => format!("checkout -b {name}"),
        GitAction::Checkout { name } => format!("checkout {name}"),
    })
}

//! Runs git in the sandbox.

use std::path::Path;

use sekisho_gate::ledger::BoxFuture;
use serde_json::Value;

use super::checkout_paths::{Target, changed_paths, left_out_paths, needs_human, object_id};
use super::invocation::{GitCall, GitInvocation, GitSettings, Writable};
use super::repository_paths::RepositoryPaths;
use super::{NAME, check, definition};
use crate::input_fields::shown_path;
use crate::output_limit::STREAM_LIMIT;
use crate::permitted_call::PermittedCall;
use crate::process::{self, ProgramEnd, ProgramOutcome, ProgramRequest};
use crate::sandbox::{Links, Network, ToolSettings};
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::{NoOutput, ToolContext};
use crate::tool_result::{ProcessEnd, ToolResult};
use crate::write_guard::WriteGuard;

/// How much config git may list, in bytes.
const CONFIG_LIMIT: usize = 1 << 20;
/// How many bytes of names the index may have.
const INDEX_LIMIT: usize = 64 << 20;

/// Runs git actions.
#[derive(Clone, Debug)]
pub struct GitOps {
    settings: GitSettings,
}

impl GitOps {
    /// A tool that runs this git.
    pub fn new(settings: GitSettings) -> GitOps {
        GitOps { settings }
    }

    async fn run(&self, permitted: &PermittedCall, ctx: &ToolContext) -> Result<ToolResult, ToolResult> {
        let call = GitCall::new(permitted.input(), ctx, self.settings.clone())?;
        let listed = start(call.list_config(), CONFIG_LIMIT, ctx).await?;
        if !succeeded(&listed)? {
            return Err(call.result(false, &[], listed.stderr.into_text().as_bytes()));
        }
        let listed = listed.stdout.into_bytes();
        let listed =
            listed.ok_or_else(|| ToolResult::error("git failed: the repository's config is too large"))?;
        let index = start(call.list_index(), INDEX_LIMIT, ctx).await?;
        if !succeeded(&index)? {
            return Err(call.result(false, &[], index.stderr.into_text().as_bytes()));
        }
        let index = index.stdout.into_bytes();
        call.check_index(&index.ok_or_else(|| ToolResult::error("git failed: the index is too large"))?)?;
        if permitted.approval().is_none() {
            check_changes(&call, ctx).await?;
        }
        let outcome = start(call.invocation(&listed)?, STREAM_LIMIT, ctx).await?;
        let (succeeded, level) = (succeeded(&outcome)?, outcome.level);
        let exit = match outcome.end {
            ProgramEnd::Ended(end) => Some(end),
            ProgramEnd::TimedOut | ProgramEnd::Cancelled | ProgramEnd::Killed(_) => None,
        };
        let (stdout, stderr) = (outcome.stdout.into_text(), outcome.stderr.into_text());
        Ok(call.result(succeeded, stdout.as_bytes(), stderr.as_bytes()).of_process(exit, level))
    }
}

impl Tool for GitOps {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::VersionControl
    }

    fn definition(&self) -> ToolDefinition {
        definition()
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        check(input, ctx).map_err(|refused| refused.content)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { self.run(&call, ctx).await.unwrap_or_else(|failed| failed) })
    }
}

/// Refuses an action that would write or remove a file that needs a human.
async fn check_changes(call: &GitCall, ctx: &ToolContext) -> Result<(), ToolResult> {
    let unknown =
        || call.refuse("it is not known which files it would change, so it needs the approval of a human");
    let found = match Target::of(call.action()) {
        Target::None => return Ok(()),
        Target::Unknown => return Err(unknown()),
        Target::Current => match look(call, &["rev-parse", "--verify", "--quiet", "HEAD"], ctx).await? {
            // There is no commit yet.
            None => return Ok(()),
            found => found,
        },
        Target::Named(name) => {
            // Git takes a branch of this name first, and other commands a tag.
            let branch = format!("refs/heads/{name}");
            match look(call, &["show-ref", "--verify", "--hash", &branch], ctx).await? {
                None => look(call, &["rev-parse", "--verify", "--quiet", name], ctx).await?,
                found => found,
            }
        }
    };
    let commit = found.as_deref().and_then(object_id).ok_or_else(unknown)?;
    let arguments = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", &commit, "--"];
    let changed = look(call, &arguments, ctx).await?.ok_or_else(unknown)?;
    let mut paths = changed_paths(&changed).ok_or_else(unknown)?;
    let marked = look(call, &["ls-files", "-z", "-t", "--cached", "--full-name", "--"], ctx).await?;
    let sparse = look(call, &["config", "--type=bool", "--get", "core.sparseCheckout"], ctx).await?;
    let is_sparse = sparse.is_some_and(|printed| printed.trim_ascii() != b"false");
    paths.extend(left_out_paths(&marked.ok_or_else(unknown)?, is_sparse));
    let home = ctx.home.as_deref().and_then(Path::to_str);
    let guard = WriteGuard { policy: &ctx.policy, home, approved_by_human: false };
    match needs_human(&paths, call.work_tree(), guard) {
        None => Ok(()),
        Some((path, why)) => Err(call.refuse(&format!(
            "it would change '{}', which is protected ({why}) and needs the approval of a human",
            shown_path(path)
        ))),
    }
}

/// What git prints. None if it fails.
async fn look(call: &GitCall, arguments: &[&str], ctx: &ToolContext) -> Result<Option<Vec<u8>>, ToolResult> {
    let outcome = start(call.look(arguments), INDEX_LIMIT, ctx).await?;
    if !succeeded(&outcome)? {
        return Ok(None);
    }
    let printed = outcome.stdout.into_bytes();
    printed.map(Some).ok_or_else(|| call.refuse("the list of files is too large"))
}

/// Starts git once. It may write only what the invocation says, and never reaches the network.
async fn start(
    invocation: GitInvocation,
    output_limit: usize,
    ctx: &ToolContext,
) -> Result<ProgramOutcome, ToolResult> {
    let mut settings = ctx.sandbox_settings(Vec::new());
    if let Writable::Repository(RepositoryPaths { work_tree, git_dir, common_dir }) = invocation.writable {
        settings.writable = vec![work_tree, git_dir, common_dir];
        // Git opens files by their paths, so a command that runs at the same time could lead it elsewhere.
        settings.links = if invocation.writes_files { Links::Ignored } else { Links::IgnoredIfPossible };
    }
    settings.network = Network::Off;
    settings.readable = invocation.readable;
    // Git itself writes the config when it makes a branch that follows another one.
    settings.tool_settings = ToolSettings::Writable;
    settings.single_process = true;
    let request = ProgramRequest {
        command: invocation.argv,
        working_dir: invocation.working_dir.path,
        working_dir_id: invocation.working_dir.id,
        environment: invocation.env,
        home: None,
        search_path: "/dev/null".into(),
        settings,
        timeout: ctx.time_left(ctx.shell_timeout),
        output_limit,
    };
    let outcome = process::run(&ctx.sandbox, request, &ctx.cancellation, &NoOutput).await;
    outcome.map_err(|error| ToolResult::error(format!("Failed to run git: {error}")))
}

/// Whether git exited with 0.
fn succeeded(outcome: &ProgramOutcome) -> Result<bool, ToolResult> {
    match &outcome.end {
        ProgramEnd::Ended(end) => Ok(*end == ProcessEnd::Exited(0)),
        ProgramEnd::TimedOut => Err(ToolResult::error("Failed to run git: its time was up")),
        ProgramEnd::Killed(why) => {
            Err(ToolResult::error(format!("git ran and failed: {why}")).of_process(None, outcome.level))
        }
        ProgramEnd::Cancelled => Err(ToolResult::error("Failed to run git: it was aborted")),
    }
}

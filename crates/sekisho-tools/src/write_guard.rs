//! What `file_write` and `edit` check before they touch a file.

use std::path::Path;

use sekisho_policy::Policy;
use serde_json::Value;

use crate::contained_write::{Location, WriteError, WriteRoots, WriteStep};
use crate::forbidden::forbidden_path;
use crate::input_fields::{shown, shown_path};
use crate::permitted_call::PermittedCall;
use crate::repository_files::{repository_file, repository_file_in};
use crate::run_by_tools::run_by_tools;
use crate::sandbox::ConfigNames;
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// Which paths need a human's answer, and whether there is one.
#[derive(Clone, Copy)]
pub struct WriteGuard<'a> {
    /// The policy in force; it has the protected paths.
    pub policy: &'a Policy,
    /// The home directory, for patterns that begin with `~`.
    pub home: Option<&'a str>,
    /// A human approved this call with exactly this input.
    pub approved_by_human: bool,
}

impl WriteGuard<'_> {
    /// Why writing an absolute path needs the approval of a human, whether or not there is one.
    pub(crate) fn protection(&self, path: &Path, working_dir: &Path) -> Option<String> {
        let named = ConfigNames::above(path.parent().unwrap_or(path));
        self.protection_besides_config(path, working_dir).or_else(|| named.reason(path).map(Into::into))
    }

    /// The same, without what the configs of repositories name.
    pub(crate) fn protection_besides_config(&self, path: &Path, working_dir: &Path) -> Option<String> {
        let root = working_dir.to_string_lossy();
        let protection = self.policy.protections(&path.to_string_lossy(), Some(&root), self.home).next();
        let what = repository_file(path).or_else(|| run_by_tools(path)).map(Into::into);
        what.or_else(|| protection.map(|protection| shown(protection.pattern)))
    }

    /// Refuses a protected path, unless a human approved the call.
    fn protect(&self, location: &Location<'_>, working_dir: &Path) -> Result<(), ToolResult> {
        if self.approved_by_human {
            return Ok(());
        }
        let path = location.path();
        self.protection(path, working_dir).map_or(Ok(()), |what| Err(protected(path, &what)))
    }
}

fn protected(path: &Path, what: &str) -> ToolResult {
    let path = shown_path(path);
    ToolResult::error(format!("Path '{path}' is protected ({what}) and needs the approval of a human."))
}

/// What a tool does with a file after the checks of [`WriteGuard`].
type Write = fn(&Value, &ToolContext, &WriteRoots, WriteGuard<'_>) -> ToolResult;

/// Runs a permitted call on a thread that may wait for the disk.
pub(crate) async fn write_permitted(write: Write, call: PermittedCall, ctx: &ToolContext) -> ToolResult {
    let ctx = ctx.clone();
    let written = tokio::task::spawn_blocking(move || {
        let roots = match open_roots(&ctx) {
            Ok(roots) => roots,
            Err(refused) => return refused,
        };
        let home = ctx.home.as_deref().and_then(Path::to_str);
        let approved_by_human = call.approval().is_some();
        let guard = WriteGuard { policy: &ctx.policy, home, approved_by_human };
        write(call.input(), &ctx, &roots, guard)
    });
    written.await.unwrap_or_else(|error| ToolResult::error(format!("Failed to write file: {error}")))
}

/// Everything that can be checked without touching the file system.
fn check_path(path: &str, context: &ToolContext) -> Result<(), ToolResult> {
    if let Some(code) = forbidden_path(Path::new(path)) {
        return Err(ToolResult::error(code.sentence()));
    }
    let Some(whole) = crate::contained_write::absolute(&context.root, Path::new(path)) else {
        let reason = match path {
            "" => "it is empty",
            path if path.contains('\0') => "it contains a NUL character",
            _ => "it is too long, or the working directory is not absolute",
        };
        return Err(ToolResult::error(format!("Failed to resolve path '{}': {reason}", shown(path))));
    };
    if let Some(code) = forbidden_path(&whole) {
        return Err(ToolResult::error(code.sentence()));
    }
    if path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..") {
        let whole = shown_path(&whole);
        return Err(ToolResult::error(format!("Failed to resolve path '{whole}': it names a directory")));
    }
    if context.allowed_write_dirs.is_empty() {
        return Err(ToolResult::error("File writing is disabled. No allowed write directories configured."));
    }
    Ok(())
}

/// Everything that can be checked before anyone is asked. Nothing is created.
pub(crate) fn check_before_asking(path: &str, context: &ToolContext) -> Result<(), ToolResult> {
    check_path(path, context)?;
    let roots = open_roots(context)?;
    locate(path, context, &roots).map(drop)
}

fn open_roots(context: &ToolContext) -> Result<WriteRoots, ToolResult> {
    context.check_root().map_err(|error| ToolResult::error(format!("Failed to write file: {error}")))?;
    WriteRoots::open(&context.root, &context.allowed_write_dirs)
        .map_err(|error| ToolResult::error(format!("Failed to open an allowed directory: {error}")))
}

/// The place of a path, after all checks.
pub(crate) fn permitted<'r>(
    path: &str,
    context: &ToolContext,
    roots: &'r WriteRoots,
    guard: WriteGuard<'_>,
) -> Result<Location<'r>, ToolResult> {
    check_path(path, context)?;
    let location = locate(path, context, roots)?;
    guard.protect(&location, &context.root)?;
    match guard.approved_by_human {
        true => Ok(location),
        false => Ok(location.protected_by(repository_file_in)),
    }
}

/// The place of a path in an allowed directory that is no system directory.
fn locate<'r>(path: &str, context: &ToolContext, roots: &'r WriteRoots) -> Result<Location<'r>, ToolResult> {
    let outside = |whole: &Path| {
        ToolResult::error(format!(
            "Path '{}' is not within any allowed write directory. Allowed: {:?}",
            shown_path(whole),
            context.allowed_write_dirs
        ))
    };
    let whole = roots.absolute(path).ok_or_else(|| outside(Path::new(path)))?;
    let location = roots.locate(&whole).ok_or_else(|| outside(&whole))?;
    if let Some(code) = forbidden_path(location.path()) {
        return Err(ToolResult::error(code.sentence()));
    }
    if context.sandbox.is_own_program(location.path()) {
        let path = shown_path(location.path());
        return Err(ToolResult::error(format!(
            "Path '{path}' is a program of sekisho, which no tool may write."
        )));
    }
    Ok(location)
}

/// The message for a file that was not written.
pub(crate) fn failure(path: &Path, error: &WriteError, appends: bool) -> ToolResult {
    if let WriteError::Protected(what) = error {
        return protected(path, what);
    }
    let path = shown_path(path);
    ToolResult::error(match error {
        WriteError::Exists => format!("File already exists: {path}. Use 'overwrite' mode to replace."),
        WriteError::NotFound => format!("File not found: {path}"),
        WriteError::Io(WriteStep::CreateDirectory, error) => format!("Failed to create directory: {error}"),
        WriteError::NotADirectory | WriteError::MissingDirectory | WriteError::Io(WriteStep::Resolve, _) => {
            format!("Failed to resolve path '{path}': {error}")
        }
        WriteError::NotRegular(_) | WriteError::TooLarge | WriteError::Io(WriteStep::Open, _) => {
            format!("Failed to open file: {error} ({path})")
        }
        _ if appends => format!("Failed to append to file: {error} ({path})"),
        _ => format!("Failed to write file: {error} ({path})"),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::contained_write::WriteMode;
    use crate::sandbox::{Isolation, Sandbox};

    /// A command may exchange the directory between the check and the write.
    #[test]
    fn plain_directory_exchanged_for_a_repository_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["doc/plain", "doc/bare"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in ["doc/bare/HEAD", "doc/bare/config"] {
            fs::write(root.join(name), "old").unwrap();
        }
        let sandbox = Sandbox::at_level(Path::new("/nonexistent"), Isolation::None);
        let context = ToolContext::new(root.clone(), Arc::new(sandbox));
        let roots = open_roots(&context).unwrap();
        let found = |path: &str, approved_by_human: bool| {
            let guard = WriteGuard { policy: &context.policy, home: None, approved_by_human };
            permitted(path, &context, &roots, guard).unwrap()
        };
        let (checked, approved) = (found("doc/plain/config", false), found("doc/plain/config", true));
        fs::remove_dir(root.join("doc/plain")).unwrap();
        fs::rename(root.join("doc/bare"), root.join("doc/plain")).unwrap();
        let written = checked.write(b"evil", WriteMode::Overwrite);
        assert!(matches!(written, Err(WriteError::Protected(_))), "{written:?}");
        assert!(checked.rewrite(|_| Ok::<_, ()>(b"evil".to_vec())).is_err());
        assert_eq!(fs::read_to_string(root.join("doc/plain/config")).unwrap(), "old");
        assert!(approved.write(b"new", WriteMode::Overwrite).is_ok());
        assert_eq!(fs::read_to_string(root.join("doc/plain/config")).unwrap(), "new");
    }

    #[test]
    fn plain_directory_exchanged_for_hooks_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["doc/a", "doc/b/hooks"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("doc/b/HEAD"), "").unwrap();
        let sandbox = Sandbox::at_level(Path::new("/nonexistent"), Isolation::None);
        let context = ToolContext::new(root.clone(), Arc::new(sandbox));
        let roots = open_roots(&context).unwrap();
        let guard = WriteGuard { policy: &context.policy, home: None, approved_by_human: false };
        let location = permitted("doc/a/hooks/x", &context, &roots, guard).unwrap();
        fs::remove_dir(root.join("doc/a")).unwrap();
        fs::rename(root.join("doc/b"), root.join("doc/a")).unwrap();
        assert!(matches!(location.write(b"evil", WriteMode::Create), Err(WriteError::Protected(_))));
        assert!(!root.join("doc/a/hooks/x").exists());
    }
}

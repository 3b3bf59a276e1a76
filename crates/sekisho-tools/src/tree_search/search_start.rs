//! The file or directory that a search starts from.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use crate::contained_write::absolute;
use crate::file_access::{AccessScope, OpenedPath, ReadGuard, shown_os};
use crate::input_fields::shown;
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// A path of the input, relative to `root`, made absolute and without `..`. An error if it cannot be a path.
pub(crate) fn checked_path(path: &str, root: &Path) -> Result<PathBuf, ToolResult> {
    let wrong = |why: &str| ToolResult::error(format!("Failed to resolve path '{}': {why}", shown(path)));
    if path == "~" || path.starts_with("~/") {
        return Err(wrong("'~' is not expanded; write the whole path"));
    }
    absolute(root, Path::new(path)).ok_or_else(|| {
        wrong(match path {
            "" => "it is empty",
            path if path.contains('\0') => "it contains a NUL character",
            _ => "it is too long, or the working directory is not absolute",
        })
    })
}

/// What a search starts from.
pub(crate) struct SearchStart<'a> {
    /// Without links.
    pub(crate) real: PathBuf,
    /// Before the paths of results: empty, or ends with a slash.
    prefix: String,
    pub(crate) workspace: PathBuf,
    pub(crate) device: rustix::fs::Dev,
    pub(crate) scope: AccessScope<'a>,
    pub(crate) handle: Started,
}

/// The open start of a search.
pub(crate) enum Started {
    Directory(OwnedFd),
    File(std::fs::File),
}

impl<'a> SearchStart<'a> {
    /// Opens the start of a search and checks that it is what was judged.
    pub(crate) fn open(
        named: &Path,
        ctx: &'a ToolContext,
        guard: ReadGuard<'a>,
    ) -> Result<SearchStart<'a>, ToolResult> {
        let name = || shown_os(named.as_os_str());
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => ToolResult::error(format!("No such file or directory: {}", name())),
            _ => ToolResult::error(format!("Failed to open '{}': {error}", name())),
        };
        let opened = OpenedPath::open(named).map_err(failed)?;
        if let Some(why) = opened.refusal() {
            return Err(ToolResult::error(format!("Failed to search '{}': {why}.", name())));
        }
        let workspace = ctx.root.canonicalize().unwrap_or_else(|_| ctx.root.clone());
        let handle = match opened.is_directory() {
            true => Started::Directory(opened.list().map_err(failed)?),
            false => Started::File(opened.read().map_err(failed)?),
        };
        let file = match &handle {
            Started::File(file) => Some(file),
            Started::Directory(_) => None,
        };
        let scope = guard.admit(&ctx.root, named, &opened, file)?;
        let real = opened.real_path().to_owned();
        // Names below the workspace as it is named, and as it is without links.
        let shown = named.strip_prefix(&ctx.root).or_else(|_| real.strip_prefix(&workspace)).unwrap_or(named);
        let prefix = match shown.as_os_str().is_empty() {
            true => String::new(),
            false => format!("{}/", shown_os(shown.as_os_str()).trim_end_matches('/')),
        };
        Ok(SearchStart { real, prefix, workspace, device: opened.stat().st_dev, scope, handle })
    }

    /// The path of a result for people and models: relative to the workspace, or absolute outside of it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.as_os_str().is_empty() {
            true => self.prefix.trim_end_matches('/').to_owned(),
            false => format!("{}{}", self.prefix, shown_os(path.as_os_str())),
        }
    }
}

//! Bash commands in the sandbox: what is refused beforehand, and how one is started.

mod allowed_programs;
mod assigning_builtins;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::forbidden::forbidden_command;
use crate::process::{self, ProgramRequest};
use crate::sandbox::PlannedDir;
use crate::tool_context::ToolContext;

/// The longest command in bytes: a little below what the kernel takes as one argument (128 KiB).
pub(crate) const MAX_COMMAND_BYTES: usize = 128_000;

/// Where bash is looked for before `PATH`.
const BASH: &[&str] = &["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// A command with its working directory, time limit and output limit.
pub(crate) struct BashCommand<'a> {
    pub(crate) text: &'a str,
    /// It must be known by its id, so that no other directory takes its place.
    pub(crate) working_dir: PlannedDir,
    /// The `PATH` to search, from which directories in the workspace are removed. `None` means the system's default.
    pub(crate) search_path: Option<&'a OsStr>,
    pub(crate) timeout: Duration,
    /// How much of each stream is kept, in bytes.
    pub(crate) output_limit: usize,
}

/// Fails if a command can never run in this context. The message does not name the field; [`BashError::in_field`] adds it.
pub(crate) fn check(text: &str, ctx: &ToolContext) -> Result<(), BashError> {
    if text.trim().is_empty() {
        return Err(BashError::Text("it is empty".into()));
    }
    if text.contains('\0') {
        return Err(BashError::Text("it contains a NUL character".into()));
    }
    if text.len() > MAX_COMMAND_BYTES {
        return Err(BashError::Text(format!("it is longer than {MAX_COMMAND_BYTES} bytes")));
    }
    if let Some(code) = forbidden_command(text) {
        return Err(BashError::Refused(code.sentence().into()));
    }
    match &ctx.allowed_commands {
        Some(allowed) => allowed_programs::check(text, allowed).map_err(BashError::Refused),
        None => Ok(()),
    }
}

/// Why a command can never run.
pub(crate) enum BashError {
    /// The text is not a command. This is the second half of a sentence; `in_field` puts the field's name before it.
    Text(String),
    /// A whole sentence.
    Refused(String),
}

impl BashError {
    /// The message for the field that contains the command.
    pub(crate) fn in_field(self, field: &str) -> String {
        match self {
            BashError::Text(why) => format!("Invalid '{field}' parameter: {why}"),
            BashError::Refused(sentence) => sentence,
        }
    }
}

impl BashCommand<'_> {
    /// The program to run. It may write to the context's writable directories. Fails if the workspace was exchanged.
    pub(crate) fn request(self, ctx: &ToolContext) -> Result<ProgramRequest, String> {
        let bash = BASH.iter().find(|path| Path::new(path).is_file()).unwrap_or(&"bash");
        let writable = ctx.write_dirs()?;
        let path = self.search_path.unwrap_or(OsStr::new(process::SEARCH_PATH));
        let roots: Vec<PathBuf> = ctx.allowed_write_dirs.iter().map(|dir| ctx.root.join(dir)).collect();
        let search_path = process::search_path(path, roots.iter().chain([&ctx.root]).map(PathBuf::as_path));
        let words = [*bash, "--noprofile", "--norc", "-c", "--", self.text];
        Ok(ProgramRequest {
            command: words.map(OsString::from).into(),
            working_dir: self.working_dir.path,
            working_dir_id: self.working_dir.id,
            environment: Vec::new(),
            home: ctx.home.clone(),
            search_path,
            settings: ctx.sandbox_settings(writable),
            timeout: ctx.time_left(self.timeout),
            output_limit: self.output_limit,
        })
    }
}

//! What a tool may do, and where.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use sekisho_policy::{Layers, Policy};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::contained_write::{absolute, directory_id, open_directory_beneath, open_without_links};
use crate::delegation::Delegation;
use crate::project_check::ProjectCheck;
use crate::run_storage::CurrentRun;
use crate::sandbox::{DirectoryId, Network, PlannedDir, RequiredLevel, Sandbox, SandboxSettings};

/// The default time limit of a command.
pub const SHELL_TIMEOUT: Duration = Duration::from_secs(60);
/// The default time limit of a web request.
pub const HTTP_TIMEOUT: Duration = Duration::from_secs(30);

/// What `git_ops` may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GitPermission {
    /// Nothing.
    Disabled,
    /// `status`, `diff`, `log`, `show` and `branch_list`.
    #[default]
    ReadOnly,
    /// Also `add`, `commit`, `branch_create` and `checkout`.
    ReadWrite,
}

/// A stream of a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Receives output while a program runs. The bytes can be anything, and a character can be split between
/// two chunks. It must not block.
pub trait OutputSink: Send + Sync {
    /// Takes the next bytes of a stream.
    fn write(&self, stream: OutputStream, bytes: &[u8]);
}

/// A sink that drops everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOutput;

impl OutputSink for NoOutput {
    fn write(&self, _stream: OutputStream, _bytes: &[u8]) {}
}

/// What a tool may do, and where.
#[derive(Clone)]
pub struct ToolContext {
    /// The root of the workspace, absolute. Tools work inside it. Empty without a workspace.
    pub root: PathBuf,
    /// Which directory the root was when the context was made. None if its path led through a link.
    pub root_id: Option<DirectoryId>,
    /// Where files may be written. Relative directories are below the root.
    pub allowed_write_dirs: Vec<PathBuf>,
    /// The programs that commands may start. None leaves it to the policy.
    pub allowed_commands: Option<Vec<String>>,
    /// What `git_ops` may do.
    pub git_permission: GitPermission,
    /// The commands of `self_eval`, instead of those of the project.
    pub checks: BTreeMap<ProjectCheck, String>,
    /// Directories with skills that an administrator listed.
    pub skills: Vec<PathBuf>,
    /// The run that the call belongs to, if it belongs to one.
    pub run: Option<CurrentRun>,
    /// What the agent of the run may hand on to sub-agents. None if it may have none.
    pub delegation: Option<Arc<dyn Delegation>>,
    /// The hosts that `web_fetch` may reach, as `name` or `name:port`. None for every public host.
    pub allowed_hosts: Option<Vec<String>>,
    /// The addresses of sekisho's own server, as `host`, `host:port` or a URL. Never fetched.
    pub own_addresses: Vec<String>,
    /// Whether `web_fetch` leaves out what a site's robots.txt excludes.
    pub respect_robots: bool,
    /// The policy in force, for its protected paths and for redirects.
    pub policy: Arc<Policy>,
    /// The time limit of a web request.
    pub http_timeout: Duration,
    /// The time limit of a command.
    pub shell_timeout: Duration,
    /// `HOME` of programs. None if they have no home directory.
    pub home: Option<PathBuf>,
    /// The sandbox that programs run in.
    pub sandbox: Arc<Sandbox>,
    /// Which hosts programs may reach.
    pub network: Network,
    /// Whether programs may run where the kernel cannot enforce every limit.
    pub required_level: RequiredLevel,
    /// Ends the tool when cancelled.
    pub cancellation: CancellationToken,
    /// When the tool must have ended, whatever its own time limit.
    pub deadline: Option<Instant>,
    /// Receives output while programs run.
    pub output: Arc<dyn OutputSink>,
}

impl ToolContext {
    /// A context with defaults: writes below `doc/`, any command the policy allows, git read-only, the
    /// shipped protected paths, no network.
    pub fn new(root: impl Into<PathBuf>, sandbox: Arc<Sandbox>) -> ToolContext {
        let root = root.into();
        ToolContext {
            root_id: directory_id(&root).ok(),
            root,
            allowed_write_dirs: vec![PathBuf::from("doc")],
            allowed_commands: None,
            git_permission: GitPermission::default(),
            checks: BTreeMap::new(),
            skills: Vec::new(),
            run: None,
            delegation: None,
            allowed_hosts: None,
            own_addresses: Vec::new(),
            respect_robots: false,
            policy: Arc::new(Policy::compile(Layers::default())),
            http_timeout: HTTP_TIMEOUT,
            shell_timeout: SHELL_TIMEOUT,
            home: None,
            sandbox,
            network: Network::Off,
            required_level: RequiredLevel::Required,
            cancellation: CancellationToken::new(),
            deadline: None,
            output: Arc::new(NoOutput),
        }
    }

    /// Sets the root, and remembers which directory it is.
    pub fn set_root(&mut self, root: impl Into<PathBuf>) {
        self.root = root.into();
        self.root_id = directory_id(&self.root).ok();
    }

    /// The root, or why it cannot be used: it must still be the directory that it was when the context was made.
    pub fn real_root(&self) -> Result<PathBuf, String> {
        self.open_root().map(|_| self.root.clone())
    }

    /// Fails if the root was exchanged for another directory since the context was made. Rules are read by the root's
    /// path, so call it after they were loaded: they may be those of another project.
    pub fn check_root(&self) -> Result<(), String> {
        if self.root_id.is_some() { self.open_root().map(drop) } else { Ok(()) }
    }

    fn open_root(&self) -> Result<OwnedFd, String> {
        let root = self.root.display();
        let opened = open_without_links(&self.root).and_then(|opened| {
            let opened = File::from(opened);
            Ok((DirectoryId::of(&opened.metadata()?), OwnedFd::from(opened)))
        });
        match opened {
            Ok((id, opened)) if Some(id) == self.root_id => Ok(opened),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(format!("the workspace `{root}` cannot be opened: it does not exist"))
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(format!("the workspace `{root}` cannot be opened: permission denied"))
            }
            _ => Err(format!(
                "the workspace `{root}` is reached through a link, or was exchanged for another directory; \
                name the directory itself and try again"
            )),
        }
    }

    /// A directory in the workspace, known by its id. `path` is absolute. No link is followed.
    pub fn directory_inside(&self, path: &Path) -> Result<PlannedDir, String> {
        let unusable = |why: &dyn std::fmt::Display| format!("`{}` cannot be opened: {why}", path.display());
        let below = path.strip_prefix(&self.root).map_err(|_| unusable(&"it is outside the workspace"))?;
        let opened = open_directory_beneath(self.open_root()?.as_fd(), below);
        identified(path, opened).map_err(|error| unusable(&error.to_string().to_lowercase()))
    }

    /// The directories that may be written and exist, known by their ids. One that is a link, or that is reached
    /// through a link below the workspace or anywhere in an absolute path, is left out: a program may have made the
    /// link. Fails if the workspace was exchanged for another directory.
    pub fn write_dirs(&self) -> Result<Vec<PlannedDir>, String> {
        let root = self.open_root()?;
        let mut found = Vec::new();
        for path in self.allowed_write_dirs.iter().filter_map(|dir| absolute(&self.root, dir)) {
            let opened = match path.strip_prefix(&self.root) {
                Ok(below) => open_directory_beneath(root.as_fd(), below),
                Err(_) => open_without_links(&path),
            };
            match identified(&path, opened) {
                Ok(dir) => found.push(dir),
                Err(error) if is_left_out(&error) => {}
                Err(error) => {
                    let why = error.to_string().to_lowercase();
                    return Err(format!(
                        "the writable directory `{}` cannot be opened: {why}",
                        path.display()
                    ));
                }
            }
        }
        Ok(found)
    }

    /// The sandbox of a program that may write these directories.
    pub fn sandbox_settings(&self, writable: Vec<PlannedDir>) -> SandboxSettings {
        SandboxSettings {
            writable,
            network: self.network.clone(),
            level: self.required_level,
            ..SandboxSettings::default()
        }
    }

    /// How long a program with this time limit may run from now on.
    pub fn time_left(&self, limit: Duration) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(limit, |left| left.min(limit))
    }
}

fn identified(path: &Path, opened: io::Result<OwnedFd>) -> io::Result<PlannedDir> {
    let found = File::from(opened?).metadata()?;
    Ok(PlannedDir { path: path.to_owned(), id: Some(DirectoryId::of(&found)) })
}

/// Whether a directory does not exist, is something else, or is reached through a link.
fn is_left_out(error: &io::Error) -> bool {
    let left_out = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::XDEV];
    error.raw_os_error().is_some_and(|number| left_out.iter().any(|known| known.raw_os_error() == number))
}

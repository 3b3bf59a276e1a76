//! What a tool may do, and where.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sekisho_policy::{Layers, Policy};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::contained_write::directory_id;
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

    /// The root without links, or why it cannot be used.
    pub fn real_root(&self) -> Result<PathBuf, String> {
        self.root.canonicalize().map_err(|error| {
            let why = error.to_string().to_lowercase();
            format!("the workspace `{}` cannot be opened: {why}", self.root.display())
        })
    }

    /// The directories that may be written, absolute. One that is a link, or that is reached through a link below
    /// the workspace or anywhere in an absolute path, is left out: a program may have made the link.
    pub fn write_dirs(&self) -> impl Iterator<Item = PathBuf> {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        self.allowed_write_dirs.iter().filter_map(move |dir| {
            let path = root.join(dir);
            let is_linked = path.canonicalize().is_ok_and(|real| real != path);
            (!is_linked).then_some(path)
        })
    }

    /// The sandbox of a program that may write these directories. Those that do not exist are left out.
    pub fn sandbox_settings(&self, writable: impl IntoIterator<Item = PathBuf>) -> SandboxSettings {
        SandboxSettings {
            writable: writable.into_iter().filter(|dir| dir.is_dir()).map(PlannedDir::from).collect(),
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

//! What a program may do in the sandbox.

use sekisho_sandbox::PlannedDir;

/// The network of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// None: not even sockets.
    #[default]
    Off,
    /// These hosts, by name, through a proxy. Needs namespaces.
    Hosts(Vec<String>),
}

/// What happens where the kernel cannot enforce every limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequiredLevel {
    /// The program does not start.
    #[default]
    Required,
    /// It starts with the limits that there are.
    Degraded,
}

/// What a program may do to files that tools run or take settings from: hooks and config of git, rules of sekisho,
/// settings of agents and editors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSettings {
    /// They stay read-only. Needs namespaces.
    #[default]
    ReadOnly,
    /// They are like all other files.
    Writable,
}

/// Whether a program reaches files through symbolic links in its writable directories. Another program could exchange a
/// directory for a link while this one writes there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// It does.
    #[default]
    Followed,
    /// It does not, where there are namespaces.
    IgnoredIfPossible,
    /// It does not. Without namespaces it does not start, unless every limit is optional.
    Ignored,
}

/// What a program may do in the sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// The directories it may write, with everything below. They must exist.
    pub writable: Vec<PlannedDir>,
    /// Where it may read files, besides the writable directories. Everywhere if empty. What does not exist is ignored,
    /// unless it has an id.
    pub readable: Vec<PlannedDir>,
    /// What it may do to the settings of repositories and tools in the writable directories.
    pub tool_settings: ToolSettings,
    /// Whether it reaches files through links.
    pub links: Links,
    /// Whether it may start no process. Threads are possible.
    pub single_process: bool,
    /// The network.
    pub network: Network,
    /// What happens where the kernel cannot enforce every limit.
    pub level: RequiredLevel,
}

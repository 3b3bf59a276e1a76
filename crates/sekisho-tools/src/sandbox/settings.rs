//! What a program may do in the sandbox.

use std::path::PathBuf;

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

/// What a program may do in the sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// The directories it may write, with everything below. They must exist.
    pub writable: Vec<PathBuf>,
    /// Where it may read files, besides the writable directories. Everywhere if empty. What does not exist is ignored.
    pub readable: Vec<PathBuf>,
    /// The network.
    pub network: Network,
    /// What happens where the kernel cannot enforce every limit.
    pub level: RequiredLevel,
}

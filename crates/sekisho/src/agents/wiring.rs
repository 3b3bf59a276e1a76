//! What has to be known of the settings of every agent.

use std::path::{Path, PathBuf};

use sekisho_host::Reach;
use serde_json::Value;

use super::answer::Answered;
use super::entry::Entry;
use super::fault::Fault;
use super::hazard::Hazard;
use super::start::Wired;
use crate::failure::Failure;
use crate::settings::Homes;

/// What every canary wants to run: no rule can allow it.
pub(super) const CANARY: &str = "sekisho approvals approve sekisho-canary";
/// The id its call has, so that the record can tell it from a real one.
pub(super) const CANARY_ID: &str = "sekisho-canary";

/// Where to look for what keeps an agent from asking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) homes: &'a Homes,
    /// The project one is in.
    pub(crate) project: &'a Path,
    /// How the hook is installed.
    pub(crate) entry: &'a Entry,
}

/// The settings of one agent.
pub(crate) trait Wiring: Sync {
    /// The file that calls the hook.
    fn settings(&self, homes: &Homes, reach: &Reach) -> Result<PathBuf, Failure>;

    /// The directory that is there where the agent is used.
    fn home<'a>(&self, homes: &'a Homes) -> &'a Path;

    /// The text with our entries as they should be, and everything else as it was.
    fn add(&self, text: &str, entry: &Entry) -> Result<String, Fault>;

    /// The text without our entries.
    fn remove(&self, text: &str, entry: &Entry) -> Result<String, Fault>;

    /// Our entries, read as the agent reads them.
    fn wired(&self, text: &str, installation: &Path) -> Result<Vec<Wired>, Fault>;

    /// The event at which a call is decided.
    fn deciding(&self) -> &'static str;

    /// What the agent would tell its hook about a call that is always refused.
    fn canary(&self, cwd: &Path) -> Value;

    /// Why the agent would not run the call, if what the hook said keeps it from that.
    fn blocked(&self, answered: &Answered) -> Option<String>;

    /// What keeps the agent from asking.
    fn hazards(&self, look: &Look<'_>) -> Vec<Hazard>;
}

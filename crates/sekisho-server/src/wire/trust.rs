//! Trust in project files, on the wire.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The registered projects.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectList {
    /// Each with its file.
    pub projects: Vec<Project>,
}

/// A registered project and its file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its root.
    pub root: String,
    /// Its file.
    pub path: String,
    /// How the file stands to what was trusted.
    pub state: ProjectState,
    /// SHA-256 of the bytes that were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What changed since it was last trusted, line by line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How many of its rules allow something; without trust they do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allows: Option<usize>,
    /// When it was last trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<Timestamp>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_by: Option<String>,
    /// Why it does not load, or cannot be trusted here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How a project file stands to what was trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    /// It is what was trusted: its allows count.
    Trusted,
    /// It is not what was trusted any more.
    Changed,
    /// Nobody ever trusted it.
    Never,
    /// There is none.
    Absent,
    /// It does not load.
    Broken,
}

/// Trust in exactly these bytes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustBody {
    /// The project's root, as it is listed.
    pub root: String,
    /// SHA-256 of the bytes that were read and are trusted, in hexadecimal.
    #[schemars(length(min = 64, max = 64))]
    pub sha256: String,
}

/// Trust to take away.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DistrustBody {
    /// The project's root, as it is listed.
    pub root: String,
}

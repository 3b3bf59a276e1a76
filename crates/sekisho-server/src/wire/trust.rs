//! Trust in project files, on the wire.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The registered projects.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectList {
    /// Each project with its file.
    pub projects: Vec<Project>,
}

/// A registered project and its file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The project's root.
    pub root: String,
    /// The path of its file.
    pub path: String,
    /// How the file compares with what was trusted.
    pub state: ProjectState,
    /// SHA-256 of the file's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The text of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What changed since it was last trusted, as a line diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How many of its rules allow something; they apply only if the file is trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allows: Option<usize>,
    /// When it was last trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<Timestamp>,
    /// Who trusted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_by: Option<String>,
    /// Why it does not load, or cannot be trusted here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How a project file compares with what was trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    /// It is unchanged since it was trusted: its allow rules apply.
    Trusted,
    /// It changed since it was trusted.
    Changed,
    /// It was never trusted.
    Never,
    /// There is no file.
    Absent,
    /// It does not load.
    Broken,
}

/// A request to trust exactly these bytes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustBody {
    /// The project's root, as listed.
    pub root: String,
    /// SHA-256 of the bytes that were read and are trusted, in hexadecimal.
    #[schemars(length(min = 64, max = 64))]
    pub sha256: String,
}

/// A request to withdraw trust.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DistrustBody {
    /// The project's root, as listed.
    pub root: String,
}

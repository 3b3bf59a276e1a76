//! The checks of a project.

use serde::{Deserialize, Serialize};

/// A check of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectCheck {
    /// Builds it.
    Build,
    /// Looks for likely mistakes.
    Lint,
    /// Checks its types.
    TypeCheck,
    /// Runs its tests.
    Test,
}

impl ProjectCheck {
    /// All checks.
    pub const ALL: [ProjectCheck; 4] =
        [ProjectCheck::Build, ProjectCheck::Lint, ProjectCheck::TypeCheck, ProjectCheck::Test];
    /// Those that run if none is named.
    pub const DEFAULT: [ProjectCheck; 3] = [ProjectCheck::Build, ProjectCheck::Lint, ProjectCheck::TypeCheck];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ProjectCheck::Build => "build",
            ProjectCheck::Lint => "lint",
            ProjectCheck::TypeCheck => "type_check",
            ProjectCheck::Test => "test",
        }
    }

    /// The check with this name.
    pub fn by_name(name: &str) -> Option<ProjectCheck> {
        ProjectCheck::ALL.into_iter().find(|check| check.name() == name)
    }
}

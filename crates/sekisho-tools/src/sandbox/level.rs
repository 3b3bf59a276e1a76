//! How much of the sandbox a program runs in.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much of the sandbox a program runs in. A later level includes the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SandboxLevel {
    /// No sandbox.
    #[serde(rename = "none")]
    None,
    /// What an old kernel can enforce.
    #[serde(rename = "partial")]
    Partial,
    /// Landlock and seccomp.
    #[serde(rename = "landlock+seccomp")]
    Landlock,
    /// Also namespaces made by the helper.
    #[serde(rename = "landlock+seccomp+namespaces")]
    Namespaces,
    /// Also namespaces made by bubblewrap.
    #[serde(rename = "landlock+seccomp+bubblewrap")]
    Bubblewrap,
}

impl SandboxLevel {
    /// The name in results and records.
    pub fn name(self) -> &'static str {
        match self {
            SandboxLevel::None => "none",
            SandboxLevel::Partial => "partial",
            SandboxLevel::Landlock => "landlock+seccomp",
            SandboxLevel::Namespaces => "landlock+seccomp+namespaces",
            SandboxLevel::Bubblewrap => "landlock+seccomp+bubblewrap",
        }
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

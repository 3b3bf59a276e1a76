//! The code that a row, a head or a key is known by.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A message authentication code.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code(pub [u8; 32]);

impl Code {
    /// What the first row of a chain comes after.
    pub const NOTHING: Code = Code([0; 32]);
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}

impl From<Code> for String {
    fn from(code: Code) -> String {
        code.to_string()
    }
}

impl TryFrom<String> for Code {
    type Error = String;
    fn try_from(text: String) -> Result<Code, String> {
        text.parse()
    }
}

impl std::str::FromStr for Code {
    type Err = String;
    fn from_str(text: &str) -> Result<Code, String> {
        text.parse::<crate::Digest>().map(|digest| Code(digest.0))
    }
}

//! The message authentication code of a row, head or key.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A message authentication code.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Mac(pub [u8; 32]);

impl Mac {
    /// The code that the first row of a chain follows.
    pub const ZERO: Mac = Mac([0; 32]);
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}

impl From<Mac> for String {
    fn from(code: Mac) -> String {
        code.to_string()
    }
}

impl TryFrom<String> for Mac {
    type Error = String;
    fn try_from(text: String) -> Result<Mac, String> {
        text.parse()
    }
}

impl std::str::FromStr for Mac {
    type Err = String;
    fn from_str(text: &str) -> Result<Mac, String> {
        text.parse::<crate::Digest>().map(|digest| Mac(digest.0))
    }
}

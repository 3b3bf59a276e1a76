//! The rules that remembering an answer would write.

use sekisho_policy::Rule;
use serde::{Deserialize, Serialize};

/// Rules that would settle the question from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The rules; a compound command needs one for each part.
    pub rules: Vec<Rule>,
    /// What they would also allow, in plain words.
    pub also: String,
}

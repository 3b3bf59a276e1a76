//! What judging knows besides the policy and the call: time, workspace, home, facts. Judging looks nothing up
//! itself.

use jiff::Timestamp;

use crate::facts::Facts;

/// Everything a verdict depends on besides the policy and the call.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeContext {
    /// The current time, for the expiry of rules.
    pub now: Timestamp,
    /// The workspace root, absolute and resolved. If unknown, no path is inside it.
    pub root: Option<String>,
    /// The user's home directory, for `~/` in paths.
    pub home: Option<String>,
    /// Whether anyone can answer an approval. If not, confirm becomes deny.
    pub can_confirm: bool,
    /// Whether the call needs a confirmation even where a rule allows it. Never loosens a verdict.
    pub requires_approval: bool,
    /// The facts that were looked up because [`required_facts`](crate::required_facts) listed them.
    pub facts: Facts,
}

impl JudgeContext {
    /// A context at a given time, with no facts and with someone to answer.
    pub fn at(now: Timestamp) -> JudgeContext {
        JudgeContext {
            now,
            root: None,
            home: None,
            can_confirm: true,
            requires_approval: false,
            facts: Facts::default(),
        }
    }
}

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

pub fn propose(
    _: &sekisho_policy::Policy,
    call: &sekisho_policy::Call,
    _: &sekisho_policy::Surroundings,
    _: &sekisho_policy::Verdict,
    _: &crate::display::Shown,
) -> Vec<Proposal> {
    vec![Proposal {
        rules: vec![Rule { tool: Some(call.tool.clone()), ..Rule::default() }],
        also: String::new(),
    }]
}
pub fn no_wider(
    rule: &Rule,
    _: sekisho_policy::Effect,
    proposals: &[Proposal],
    _: &sekisho_policy::Call,
    _: &sekisho_policy::Surroundings,
) -> bool {
    proposals.iter().any(|p| p.rules.contains(rule))
}

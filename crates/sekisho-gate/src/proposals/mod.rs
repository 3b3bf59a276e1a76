//! The rules that remembering an answer would store.
//!
//! They are proposed with the approval, so that a person sees what they would allow before choosing
//! them. The narrowest come first, and each set is proven by judging: with its rules stored, this call
//! would be allowed. If that cannot be shown, or if the person did not see everything, nothing is
//! proposed.

mod also_allowed;
mod candidates;
mod secret_rules;
#[cfg(test)]
mod tests;

pub use also_allowed::{AlsoAllowed, PathAccess};

use schemars::JsonSchema;
use sekisho_policy::{
    BuiltinLevel, Call, Decision, Effect, JudgeContext, Layer, LayerKind, Layers, Policy, Rule, RuleOutcome,
    Verdict, judge_and_trace, judge_with_extra_rules, lint,
};
use serde::{Deserialize, Serialize};

use crate::display::{CallView, Form};
use crate::display_notes::known_codes;

/// Rules that would allow such calls in future.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The rules. A compound command needs one for each part.
    pub rules: Vec<Rule>,
    /// What they would also allow, as a sentence.
    pub also: String,
    /// The same as codes. Empty in proposals stored before codes existed.
    #[serde(
        default,
        rename = "alsoCodes",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known_codes"
    )]
    pub also_codes: Vec<AlsoAllowed>,
}

impl Proposal {
    fn of(rules: Vec<Rule>) -> Proposal {
        let also_codes = also_allowed::of(&rules);
        Proposal { rules, also: also_allowed::sentence(&also_codes), also_codes }
    }
}

/// The proposals for a call, narrowest first, without rules that would store a secret. None for a call that was
/// not shown whole or that hides text.
pub fn propose(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
    verdict: &Verdict,
    shown: &CallView,
) -> Vec<Proposal> {
    // A misleading space in a file's contents does not matter to a rule. In a command it may.
    let command = matches!(shown.form, Form::Command { .. });
    let disguised = shown.hidden.iter().any(|hidden| command || hidden.hiding.deceives());
    if verdict.decision != Decision::Confirm || !shown.whole || disguised {
        return Vec::new();
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    for rules in candidates::sets(call, context, verdict) {
        let known = proposals.iter().any(|proposal| proposal.rules == rules);
        let is_useful = !rules.is_empty() && !known && !rules.iter().any(secret_rules::holds_secret);
        if is_useful && would_allow(policy, call, context, &rules) {
            proposals.push(Proposal::of(rules));
        }
    }
    proposals
}

/// A rule for all calls of a server's tool, where no allow can be proposed because the server's
/// identity is only claimed. A deny rule for it still works.
pub fn server_tool_proposal(call: &Call) -> Option<Proposal> {
    Some(Proposal::of(vec![candidates::of_server(call)?]))
}

/// Whether the call would be allowed with these rules stored.
fn would_allow(policy: &Policy, call: &Call, context: &JudgeContext, rules: &[Rule]) -> bool {
    let verdict = judge_with_extra_rules(policy, call, context, Effect::Allow, rules);
    matches!(verdict, Ok(Some(verdict)) if verdict.decision == Decision::Allow)
}

/// Whether a rule that an approver wants to store matches the call and is neither wider nor stronger
/// than a proposal. In doubt it counts as wider.
pub fn is_narrow_enough(
    rule: &Rule,
    effect: Effect,
    proposals: &[Proposal],
    call: &Call,
    context: &JudgeContext,
) -> bool {
    let proposed = proposals.iter().flat_map(|proposal| &proposal.rules);
    let within = proposed.into_iter().any(|proposed| {
        rule.priority <= proposed.priority && !rule.unrestricted && lint::is_no_wider(effect, rule, proposed)
    });
    within && matches(rule, effect, call, context)
}

/// Whether a rule matches the call or a part of it.
fn matches(rule: &Rule, effect: Effect, call: &Call, context: &JudgeContext) -> bool {
    let Ok(mut layer) = Layer::from_rules(LayerKind::Session, "kept", vec![(effect, rule.clone())]) else {
        return false;
    };
    layer.settings.builtin = Some(BuiltinLevel::None);
    let (_, considered) = judge_and_trace(&Policy::compile(Layers::from(vec![layer])), call, context);
    considered.iter().any(|considered| {
        considered.rule.layer() == LayerKind::Session
            && matches!(
                considered.outcome,
                RuleOutcome::Decided | RuleOutcome::Limited | RuleOutcome::Outranked
            )
    })
}

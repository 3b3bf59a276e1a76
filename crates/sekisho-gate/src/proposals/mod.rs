//! The rules that remembering an answer would write.
//!
//! They are proposed with the question, so that a person sees what would be let through from now on before saying so. The
//! narrowest come first, and each set is proven by judging: with its rules remembered this very call would be allowed.
//! Where that cannot be shown, or where the person did not see everything, there is nothing to propose.

mod also_allowed;
mod candidates;
#[cfg(test)]
mod tests;

pub use also_allowed::{AlsoAllowed, PathAccess};
pub(crate) use candidates::is_one_host;

use schemars::JsonSchema;
use sekisho_policy::{
    BuiltinLevel, Call, Decision, Effect, Layer, LayerKind, Layers, RuleOutcome, Policy, Rule, JudgeContext, Verdict,
    judge_and_trace, judge_with_extra_rules, lint,
};
use serde::{Deserialize, Serialize};

use crate::display::{Form, CallView};
use crate::display_notes::known_codes;

/// Rules that would settle the question from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The rules; a compound command needs one for each part.
    pub rules: Vec<Rule>,
    /// What they would also allow, in plain words.
    pub also: String,
    /// The same as codes; empty in what was kept before there were codes.
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

/// What may be remembered of a call, narrowest first. Nothing for a call that was not shown whole or that hides text.
pub fn propose(
    policy: &Policy,
    call: &Call,
    around: &JudgeContext,
    verdict: &Verdict,
    shown: &CallView,
) -> Vec<Proposal> {
    // An odd blank in a file's contents disguises nothing that a rule would speak of; in a command any may.
    let command = matches!(shown.form, Form::Command { .. });
    let disguised = shown.hidden.iter().any(|hidden| command || hidden.hiding.deceives());
    if verdict.decision != Decision::Confirm || !shown.whole || disguised {
        return Vec::new();
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    for rules in candidates::sets(call, around, verdict) {
        let known = proposals.iter().any(|proposal| proposal.rules == rules);
        if !rules.is_empty() && !known && suffice(policy, call, around, &rules) {
            proposals.push(Proposal::of(rules));
        }
    }
    proposals
}

/// What speaks for all calls like one that no allow can be proposed for: the tool of a server that is only claimed to be
/// itself. A deny of it counts all the same.
pub fn server_tool_proposal(call: &Call) -> Option<Proposal> {
    Some(Proposal::of(vec![candidates::of_server(call)?]))
}

/// Whether the call would be allowed with these rules remembered.
fn suffice(policy: &Policy, call: &Call, around: &JudgeContext, rules: &[Rule]) -> bool {
    let verdict = judge_with_extra_rules(policy, call, around, Effect::Allow, rules);
    matches!(verdict, Ok(Some(verdict)) if verdict.decision == Decision::Allow)
}

/// Whether a rule that an approver wants to keep matches the call and is no wider than a proposal, nor stronger. In doubt
/// it is wider.
pub fn is_narrow_enough(
    rule: &Rule,
    effect: Effect,
    proposals: &[Proposal],
    call: &Call,
    around: &JudgeContext,
) -> bool {
    let proposed = proposals.iter().flat_map(|proposal| &proposal.rules);
    let within = proposed.into_iter().any(|proposed| {
        rule.priority <= proposed.priority && !rule.unrestricted && lint::is_no_wider(effect, rule, proposed)
    });
    within && matches(rule, effect, call, around)
}

/// Whether a rule has to do with the call, or with a part of it.
fn matches(rule: &Rule, effect: Effect, call: &Call, around: &JudgeContext) -> bool {
    let Ok(mut layer) = Layer::from_rules(LayerKind::Session, "kept", vec![(effect, rule.clone())]) else {
        return false;
    };
    layer.settings.builtin = Some(BuiltinLevel::None);
    let (_, considered) = judge_and_trace(&Policy::compile(Layers::from(vec![layer])), call, around);
    considered.iter().any(|considered| {
        considered.rule.layer() == LayerKind::Session
            && matches!(considered.outcome, RuleOutcome::Decided | RuleOutcome::Limited | RuleOutcome::Outranked)
    })
}

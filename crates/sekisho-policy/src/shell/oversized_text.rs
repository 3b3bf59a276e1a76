//! Texts that are too large to judge: always confirm, unless something in them is denied.
//!
//! The structure is unknown, so rules are matched against the bare text. Quotes and backslashes are removed,
//! everything that may separate commands or words does, and a deny is found wherever its words occur. It
//! finds too much rather than too little. Every search here makes a single pass over the text, however large
//! it is.

use super::bare_words::RawText;
use super::command_match::CommandSubject;
use crate::call_targets::CallTargets;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::rule::Effect;
use crate::rule_ref::RuleRef;
use crate::rule_search::{NO_RULE, RuleSearchOutcome, search};
use crate::trace::{RuleOutcome, TraceSink};
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision, Verdict};
use smallvec::smallvec;

/// The strongest rule that matches the bare words of a text, or all texts.
pub(crate) fn find_in_bare_words<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    text: &str,
    sink: &mut S,
) -> RuleSearchOutcome {
    search(policy, view, CommandSubject::Raw(&RawText::new(text)), sink)
}

/// Judges a text by its bare words.
pub(super) fn judge_oversized<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    text: &str,
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let found = find_in_bare_words(policy, view, text, sink);
    let denied = policy
        .rules
        .get(found.best as usize)
        .filter(|rule| found.best != NO_RULE && rule.effect == Effect::Deny);
    verdict.parts = Vec::new();
    verdict.danger = Danger::new(DangerLevel::Danger, DangerCode::TooLargeToJudge);
    match denied {
        Some(_) => {
            sink.rule_seen(found.best, RuleOutcome::Decided);
            verdict.decision = Decision::Deny;
            verdict.reasons = smallvec![Reason::Rule { rule: 0 }, Reason::TooMuch];
            verdict.rules = smallvec![RuleRef::new(&policy.table, found.best)];
        }
        None => {
            verdict.decision = Decision::Confirm;
            verdict.reasons = smallvec![Reason::TooMuch];
            verdict.rules = smallvec![];
        }
    }
}

//! A text that is too large to judge: always a question, unless something in it is denied.
//!
//! Nobody has read its structure, so rules are held against the bare text. Quotes and backslashes are taken out, whatever
//! divides commands or words divides, and a deny is found wherever its words stand. It errs on the side of finding too much.
//! Every search here passes over the text once, however large it is.

use super::command::Asked;
use super::raw_text::RawText;
use crate::cite::RuleRef;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::rule::Effect;
use crate::search::{Found, NONE, View, search};
use crate::trace::{Outcome, Sink};
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision, Verdict};
use smallvec::smallvec;

/// The strongest rule that speaks of the bare words of a text, or of all texts.
pub(crate) fn find_in_bare_words<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    text: &str,
    sink: &mut S,
) -> Found {
    search(policy, view, Asked::Raw(&RawText::new(text)), sink)
}

/// Judges a text by its bare words.
pub(super) fn judge<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    text: &str,
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let found = find_in_bare_words(policy, view, text, sink);
    let denied = policy
        .rules
        .get(found.best as usize)
        .filter(|rule| found.best != NONE && rule.effect == Effect::Deny);
    verdict.parts = Vec::new();
    verdict.danger = Danger::new(DangerLevel::Danger, DangerCode::TooLargeToJudge);
    match denied {
        Some(_) => {
            sink.saw(found.best, Outcome::Decided);
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

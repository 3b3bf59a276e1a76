//! What would be decided if some more rules were remembered.
//!
//! A policy is compiled once and never changed, and compiling a large one again for a single question would be slow. But a
//! verdict depends on no rule that has nothing to do with the call; so the rules that have, as the trace lists them, are
//! compiled anew together with the further ones.

use crate::call::Call;
use crate::error::RuleError;
use crate::judge::{judge, judge_collecting};
use crate::judge_context::JudgeContext;
use crate::layer::{Layer, LayerRule, LayerSettings, LayerTrust};
use crate::policy::Policy;
use crate::rule::{Effect, LayerKind, Rule};
use crate::trace::RuleOutcome;
use crate::verdict::{Decision, Verdict};

/// The verdict on a call if these rules were remembered for the session besides all rules of the policy.
///
/// # Errors
/// A rule that may not be written as it is. And where what has to do with the call is too much to be listed, or depends
/// on rules that the trace does not name, there is no verdict: that is `Ok(None)`, to be read as "it would still be asked".
pub fn judge_with_extra_rules(
    policy: &Policy,
    call: &Call,
    around: &JudgeContext,
    effect: Effect,
    rules: &[Rule],
) -> Result<Option<Verdict>, RuleError> {
    let further = rules.iter().map(|rule| (effect, rule.clone())).collect();
    let remembered = Layer::from_rules(LayerKind::Session, "remembered", further)?;
    let (verdict, listening) = judge_collecting(policy, call, around);
    if verdict.decision == Decision::Deny || listening.is_incomplete() {
        return Ok(None);
    }
    let mut layers = vec![remembered];
    for considered in listening.finish(&policy.table) {
        let Some(rule) = considered.rule.rule() else { return Ok(None) };
        // It drops limits by looking at every deny there is.
        if rule.unrestricted {
            return Ok(None);
        }
        if considered.outcome == RuleOutcome::CannotLoosen {
            continue;
        }
        let cited = &considered.rule;
        let text: std::sync::Arc<str> = cited.text().into();
        let range = (0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        let stated = LayerRule { effect: cited.effect(), rule, range, line: cited.line(), column: 1 };
        layers.push(Layer {
            kind: cited.layer(),
            name: cited.source().into(),
            text,
            rules: vec![stated],
            settings: LayerSettings::default(),
            trust: LayerTrust::Full,
        });
    }
    // Only the built-in rules that the policy itself has count; they are among those that are listed.
    let layers: Vec<&Layer> = layers.iter().collect();
    let mut small = Policy::compile_exactly(&layers, policy.protected.clone());
    small.strict_redirects = policy.strict_redirects;
    small.broken.clone_from(&policy.broken);
    Ok(Some(judge(&small, call, around)))
}

//! The verdict if some more rules were added.
//!
//! A policy is compiled once and never changed, and compiling a large one again for a single approval would
//! be slow. But a verdict depends only on the rules that concern the call. So the rules listed in the trace
//! are compiled together with the additional ones.

use crate::call::Call;
use crate::error::RuleError;
use crate::judge::{judge, judge_collecting};
use crate::judge_context::JudgeContext;
use crate::layer::{Layer, LayerRule, LayerSettings, LayerTrust};
use crate::policy::Policy;
use crate::rule::{Effect, LayerKind, Rule};
use crate::trace::RuleOutcome;
use crate::verdict::{Decision, Verdict};

/// The verdict on a call if these rules were added for the session.
///
/// # Errors
///
/// A rule that is not valid. `Ok(None)` means there is no verdict, because too many rules concern the call or
/// it depends on rules that the trace does not list. Treat it as confirm.
pub fn judge_with_extra_rules(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
    effect: Effect,
    rules: &[Rule],
) -> Result<Option<Verdict>, RuleError> {
    let further = rules.iter().map(|rule| (effect, rule.clone())).collect();
    let remembered = Layer::from_rules(LayerKind::Session, "remembered", further)?;
    let (verdict, listening) = judge_collecting(policy, call, context);
    if verdict.decision == Decision::Deny || listening.is_incomplete() {
        return Ok(None);
    }
    let mut layers = vec![remembered];
    for considered in listening.finish(&policy.table) {
        let Some(rule) = considered.rule.rule() else { return Ok(None) };
        // An unrestricted rule lifts limits only after checking every deny.
        if rule.unrestricted {
            return Ok(None);
        }
        if considered.outcome == RuleOutcome::CannotLoosen {
            continue;
        }
        let cited = &considered.rule;
        let text: std::sync::Arc<str> = cited.text().into();
        let range = (0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        let layer_rule = LayerRule { effect: cited.effect(), rule, range, line: cited.line(), column: 1 };
        layers.push(Layer {
            kind: cited.layer(),
            name: cited.source().into(),
            text,
            rules: vec![layer_rule],
            settings: LayerSettings::default(),
            trust: LayerTrust::Full,
        });
    }
    // Only the built-in rules of the policy itself count; they are in the trace.
    let layers: Vec<&Layer> = layers.iter().collect();
    let mut small = Policy::compile_exactly(&layers, policy.protected.clone());
    small.strict_redirects = policy.strict_redirects;
    small.local_work = policy.local_work;
    small.reads = policy.reads;
    small.broken.clone_from(&policy.broken);
    Ok(Some(judge(&small, call, context)))
}

//! The strictest of several verdicts on one call, with a trace of the rules.

use std::marker::PhantomData;

use crate::danger::worse;
use crate::reason::Reason;
use crate::rule::Effect;
use crate::trace::{RuleOutcome, TraceSink};
use crate::verdict::{Decision, Verdict};

/// Keeps the strictest of several verdicts.
pub(crate) struct StrictestVerdict<S> {
    best: Verdict,
    /// The trace of the strictest verdict.
    decisive: TraceBuffer<S>,
    /// The trace of the others.
    others: TraceBuffer<S>,
}

/// Buffers trace events for another sink.
pub(crate) struct TraceBuffer<S> {
    seen: Vec<(u32, RuleOutcome)>,
    gave_up: bool,
    sink: PhantomData<S>,
}

impl<S> Default for TraceBuffer<S> {
    fn default() -> TraceBuffer<S> {
        TraceBuffer { seen: Vec::new(), gave_up: false, sink: PhantomData }
    }
}

impl<S: TraceSink> TraceSink for TraceBuffer<S> {
    const ALL: bool = S::ALL;
    fn rule_seen(&mut self, rank: u32, outcome: RuleOutcome) {
        if S::ALL {
            self.seen.push((rank, outcome));
        }
    }
    fn work_limit_reached(&mut self) {
        self.gave_up = true;
    }
}

impl<S: TraceSink> StrictestVerdict<S> {
    /// Starts with the first verdict.
    pub(crate) fn of(judge: impl FnOnce(&mut TraceBuffer<S>) -> Verdict) -> StrictestVerdict<S> {
        let mut decisive = TraceBuffer::default();
        StrictestVerdict { best: judge(&mut decisive), decisive, others: TraceBuffer::default() }
    }

    /// Adds a verdict.
    pub(crate) fn and(&mut self, judge: impl FnOnce(&mut TraceBuffer<S>) -> Verdict) {
        let mut notes = TraceBuffer::default();
        let verdict = judge(&mut notes);
        self.merge(verdict, notes);
    }

    /// Adds a verdict that counts only if a rule denies or confirms.
    pub(crate) fn and_if_ruled(&mut self, judge: impl FnOnce(&mut TraceBuffer<S>) -> Verdict) {
        let mut notes = TraceBuffer::default();
        let verdict = judge(&mut notes);
        let by_rule = verdict.reasons.iter().any(|reason| matches!(reason, Reason::Rule { .. }));
        if by_rule && verdict.rules.first().is_some_and(|rule| rule.effect() != Effect::Allow) {
            self.merge(verdict, notes);
        } else {
            self.others.merge(notes);
        }
    }

    fn merge(&mut self, mut other: Verdict, mut notes: TraceBuffer<S>) {
        if weight(&other) > weight(&self.best) {
            std::mem::swap(&mut self.best, &mut other);
            std::mem::swap(&mut self.decisive, &mut notes);
        }
        self.others.merge(notes);
        let danger = worse(Some(self.best.danger.clone()), Some(other.danger.clone()));
        self.best.danger = danger.unwrap_or_else(|| self.best.danger.clone());
        if other.decision == Decision::Confirm && self.best.decision == Decision::Confirm {
            cite_rules(&mut self.best, &other);
        }
        self.best.parts.extend(other.parts);
    }

    /// The strictest verdict. The trace marks its deciding rule as decided and the others as outranked.
    pub(crate) fn finish(self, sink: &mut S) -> Verdict {
        for (rank, outcome) in self.decisive.seen {
            sink.rule_seen(rank, outcome);
        }
        for (rank, outcome) in self.others.seen {
            sink.rule_seen(
                rank,
                if outcome == RuleOutcome::Decided { RuleOutcome::Outranked } else { outcome },
            );
        }
        if self.decisive.gave_up || self.others.gave_up {
            sink.work_limit_reached();
        }
        self.best
    }
}

impl<S> TraceBuffer<S> {
    fn merge(&mut self, other: TraceBuffer<S>) {
        self.seen.extend(other.seen);
        self.gave_up |= other.gave_up;
    }
}

/// Adds the confirm rules that `other` cites to `best`, so that a caller's claim about its tool cannot hide
/// them.
fn cite_rules(best: &mut Verdict, other: &Verdict) {
    for reason in &other.reasons {
        let (rule, matched) = match reason {
            Reason::Rule { rule } => (*rule, true),
            Reason::NotEvaluated { rule } => (*rule, false),
            _ => continue,
        };
        let Some(cited) = other.rules.get(rule).filter(|rule| rule.effect() != Effect::Allow) else {
            continue;
        };
        if !best.rules.contains(cited) {
            let rule = best.rules.len();
            best.reasons.push(if matched { Reason::Rule { rule } } else { Reason::NotEvaluated { rule } });
            best.rules.push(cited.clone());
        }
    }
}

/// How strict a verdict is; for equally strict ones, how specific its reasons are.
fn weight(verdict: &Verdict) -> (Decision, u8) {
    let tells = |reason: &Reason| match reason {
        Reason::NoRule | Reason::NobodyCanConfirm => 0,
        Reason::FieldMissing { .. } | Reason::FieldUnreadable { .. } => 2,
        _ => 1,
    };
    (verdict.decision, verdict.reasons.iter().map(tells).max().unwrap_or(0))
}

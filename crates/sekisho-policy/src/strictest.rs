//! The strictest of several verdicts on one call, and which rules had to do with them.

use std::marker::PhantomData;

use crate::danger::worse;
use crate::reason::Reason;
use crate::rule::Effect;
use crate::trace::{Outcome, Sink};
use crate::verdict::{Decision, Verdict};

/// Verdicts, while they are gathered.
pub(crate) struct Strictest<S> {
    best: Verdict,
    /// What was seen on the way to the best one.
    decisive: Notes<S>,
    /// What was seen on the way to the others.
    others: Notes<S>,
}

/// What a sink would have been told.
pub(crate) struct Notes<S> {
    seen: Vec<(u32, Outcome)>,
    gave_up: bool,
    sink: PhantomData<S>,
}

impl<S> Default for Notes<S> {
    fn default() -> Notes<S> {
        Notes { seen: Vec::new(), gave_up: false, sink: PhantomData }
    }
}

impl<S: Sink> Sink for Notes<S> {
    const ALL: bool = S::ALL;
    fn saw(&mut self, rank: u32, outcome: Outcome) {
        if S::ALL {
            self.seen.push((rank, outcome));
        }
    }
    fn gives_up(&mut self) {
        self.gave_up = true;
    }
}

impl<S: Sink> Strictest<S> {
    /// The first verdict.
    pub(crate) fn of(judge: impl FnOnce(&mut Notes<S>) -> Verdict) -> Strictest<S> {
        let mut decisive = Notes::default();
        Strictest { best: judge(&mut decisive), decisive, others: Notes::default() }
    }

    /// A further verdict.
    pub(crate) fn and(&mut self, judge: impl FnOnce(&mut Notes<S>) -> Verdict) {
        let mut notes = Notes::default();
        let verdict = judge(&mut notes);
        self.take_in(verdict, notes);
    }

    /// A further verdict that counts only where a rule denies or asks.
    pub(crate) fn and_if_ruled(&mut self, judge: impl FnOnce(&mut Notes<S>) -> Verdict) {
        let mut notes = Notes::default();
        let verdict = judge(&mut notes);
        let by_rule = verdict.reasons.iter().any(|reason| matches!(reason, Reason::Rule { .. }));
        if by_rule && verdict.rules.first().is_some_and(|rule| rule.effect() != Effect::Allow) {
            self.take_in(verdict, notes);
        } else {
            self.others.take_in(notes);
        }
    }

    fn take_in(&mut self, mut other: Verdict, mut notes: Notes<S>) {
        if weight(&other) > weight(&self.best) {
            std::mem::swap(&mut self.best, &mut other);
            std::mem::swap(&mut self.decisive, &mut notes);
        }
        self.others.take_in(notes);
        let danger = worse(Some(self.best.danger.clone()), Some(other.danger.clone()));
        self.best.danger = danger.unwrap_or_else(|| self.best.danger.clone());
        if other.decision == Decision::Confirm && self.best.decision == Decision::Confirm {
            cite_rules(&mut self.best, &other);
        }
        self.best.parts.extend(other.parts);
    }

    /// The strictest, told to a sink: the rule that decided it decided, the others were outranked.
    pub(crate) fn finish(self, sink: &mut S) -> Verdict {
        for (rank, outcome) in self.decisive.seen {
            sink.saw(rank, outcome);
        }
        for (rank, outcome) in self.others.seen {
            sink.saw(rank, if outcome == Outcome::Decided { Outcome::Outranked } else { outcome });
        }
        if self.decisive.gave_up || self.others.gave_up {
            sink.gives_up();
        }
        self.best
    }
}

impl<S> Notes<S> {
    fn take_in(&mut self, other: Notes<S>) {
        self.seen.extend(other.seen);
        self.gave_up |= other.gave_up;
    }
}

/// Gives a question the rules that another about the same call was asked by: what a caller claims of its tool hides none.
fn cite_rules(best: &mut Verdict, other: &Verdict) {
    for reason in &other.reasons {
        let (rule, surely) = match reason {
            Reason::Rule { rule } => (*rule, true),
            Reason::NotEvaluated { rule } => (*rule, false),
            _ => continue,
        };
        let Some(cited) = other.rules.get(rule).filter(|rule| rule.effect() != Effect::Allow) else {
            continue;
        };
        if !best.rules.contains(cited) {
            let rule = best.rules.len();
            best.reasons.push(if surely { Reason::Rule { rule } } else { Reason::NotEvaluated { rule } });
            best.rules.push(cited.clone());
        }
    }
}

/// How strict a verdict is; of two equally strict ones, how much its reasons tell.
fn weight(verdict: &Verdict) -> (Decision, u8) {
    let tells = |reason: &Reason| match reason {
        Reason::NoRule | Reason::NobodyCanConfirm => 0,
        Reason::FieldMissing { .. } | Reason::FieldUnreadable { .. } => 2,
        _ => 1,
    };
    (verdict.decision, verdict.reasons.iter().map(tells).max().unwrap_or(0))
}

//! What else matched, and why it did not decide.
//!
//! The trace is filled by the very code that judges, run with a sink that listens; there is no second evaluation.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::rule_ref::{RuleRef, RuleTable};

/// Listens while a call is judged.
pub(crate) trait TraceSink {
    /// Whether to look at rules that can no longer change the decision.
    const ALL: bool;
    /// A rule was looked at and something came of it.
    fn rule_seen(&mut self, rank: u32, outcome: RuleOutcome);
    /// Rules were passed over because looking at them would cost too much.
    fn work_limit_reached(&mut self) {}
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleOutcome {
    /// It decided.
    Decided,
    /// It allows, but not this: no allow covers what the call does.
    Limited,
    /// It matched, and a stronger rule decided.
    Outranked,
    /// It would match, but what it asks about is unknown.
    NotEvaluated,
    /// It names a server or an agent that is only claimed.
    Unproven,
    /// It would allow, but its file cannot loosen: not trusted, or not at the workspace root.
    CannotLoosen,
    /// It would match, but has expired.
    Expired,
}

/// One rule that had to do with a call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConsideredRule {
    /// The rule.
    pub rule: RuleRef,
    /// What became of it.
    pub outcome: RuleOutcome,
}

/// Judging without listening.
pub(crate) struct NoTrace;

impl TraceSink for NoTrace {
    const ALL: bool = false;
    fn rule_seen(&mut self, _: u32, _: RuleOutcome) {}
}

/// Judging with every rule that had to do with the call written down.
#[derive(Default)]
pub(crate) struct TraceCollector {
    seen: Vec<(u32, RuleOutcome)>,
    gave_up: bool,
}

impl TraceSink for TraceCollector {
    const ALL: bool = true;
    fn rule_seen(&mut self, rank: u32, outcome: RuleOutcome) {
        self.seen.push((rank, outcome));
    }
    fn work_limit_reached(&mut self) {
        self.gave_up = true;
    }
}

impl TraceCollector {
    /// Whether some rules were not looked at, so that the trace may lack some.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.gave_up
    }

    /// The rules, strongest first, each once.
    pub(crate) fn finish(mut self, table: &Arc<RuleTable>) -> Vec<ConsideredRule> {
        self.seen.sort_unstable();
        self.seen.dedup_by_key(|(rank, _)| *rank);
        self.seen
            .iter()
            .map(|(rank, outcome)| ConsideredRule { rule: RuleRef::new(table, *rank), outcome: *outcome })
            .collect()
    }
}

//! Which other rules matched, and why they did not decide.
//!
//! The code that judges also fills the trace, through a [`TraceSink`]; there is no second evaluation.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::rule_ref::{RuleRef, RuleTable};

/// Receives the outcome of each rule while a call is judged.
pub(crate) trait TraceSink {
    /// Whether to check rules that can no longer change the decision.
    const ALL: bool;
    /// A rule was checked, with this outcome.
    fn rule_seen(&mut self, rank: u32, outcome: RuleOutcome);
    /// Rules were skipped because checking them would cost too much.
    fn work_limit_reached(&mut self) {}
}

/// What happened to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Outcome")]
pub enum RuleOutcome {
    /// It decided.
    Decided,
    /// It allows the call, but a limit that no allow rule lifts applies.
    Limited,
    /// It matched, and a stronger rule decided.
    Outranked,
    /// It might match, but a fact it depends on is unknown.
    NotEvaluated,
    /// It names a server or an agent that is only claimed.
    Unproven,
    /// It would allow, but its file can only tighten: not trusted, or not at the workspace root.
    CannotLoosen,
    /// It would match, but has expired.
    Expired,
}

/// One rule that concerns a call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Considered")]
pub struct ConsideredRule {
    /// The rule.
    pub rule: RuleRef,
    /// What happened to it.
    pub outcome: RuleOutcome,
}

/// A sink that discards everything.
pub(crate) struct NoTrace;

impl TraceSink for NoTrace {
    const ALL: bool = false;
    fn rule_seen(&mut self, _: u32, _: RuleOutcome) {}
}

/// A sink that keeps every rule that concerns the call.
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
    /// Whether some rules were not checked, so that the trace may lack some.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.gave_up
    }

    /// The rules, strongest first, without duplicates.
    pub(crate) fn finish(mut self, table: &Arc<RuleTable>) -> Vec<ConsideredRule> {
        self.seen.sort_unstable();
        self.seen.dedup_by_key(|(rank, _)| *rank);
        self.seen
            .iter()
            .map(|(rank, outcome)| ConsideredRule { rule: RuleRef::new(table, *rank), outcome: *outcome })
            .collect()
    }
}

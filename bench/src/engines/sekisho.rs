//! sekisho itself: from the text of a config to verdicts.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use sekisho_policy::{
    Call, Decision, JudgeContext, Layer, LayerKind, Layers, Policy, Reason, Verdict, judge,
};

use super::{Answer, Engine, Failure, Loaded, timed};
use crate::alloc_counter::{allocations, bytes_held};
use crate::workload::Workload;

/// sekisho with its rules loaded.
pub struct Sekisho {
    policy: Policy,
    calls: Vec<Call>,
    context: JudgeContext,
    /// Position of the rule on each line of the config.
    by_line: Vec<Option<usize>>,
}

/// A policy from the text of one config file.
pub fn load(text: &str) -> Result<Policy, Failure> {
    let layer = Layer::parse(LayerKind::Global, "bench.json", text)?;
    Ok(Policy::compile(Layers::from(vec![layer])))
}

impl Sekisho {
    /// Loads the workload's rules. The bytes held exclude those of a policy without rules.
    pub fn load(workload: &Workload) -> Result<Loaded, Failure> {
        let text = workload.config();
        let (empty, base) = bytes_held(|| load("{ \"version\": 1 }"));
        empty?;
        let start = Instant::now();
        let (policy, held) = bytes_held(|| load(&text));
        let load = start.elapsed();
        let engine = Box::new(Sekisho::new(policy?, workload));
        Ok(Loaded { engine, load, held: held.saturating_sub(base) })
    }

    fn new(policy: Policy, workload: &Workload) -> Sekisho {
        let calls = workload.calls.iter().map(|call| {
            let tool = Call::new(call.tool.clone(), serde_json::Value::Null);
            match &call.server {
                Some(server) => tool.on_server(server.clone()),
                None => tool,
            }
        });
        let lines = workload.lines();
        let mut by_line = vec![None; lines.iter().max().map_or(0, |last| *last as usize + 1)];
        for (rule, line) in lines.iter().enumerate() {
            by_line[*line as usize] = Some(rule);
        }
        let context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        Sekisho { policy, calls: calls.collect(), context, by_line }
    }

    /// The engine without measurements.
    pub fn of(workload: &Workload) -> Result<Sekisho, Failure> {
        Ok(Sekisho::new(load(&workload.config())?, workload))
    }

    /// The verdict on the call at a position.
    pub fn judge(&self, call: usize) -> Verdict {
        judge(&self.policy, &self.calls[call], &self.context)
    }

    /// Allocations per decision: the mean of all calls, and the maximum of any allowed call.
    pub fn allocations(&self) -> (f64, usize) {
        let each: Vec<(usize, Decision)> = (0..self.calls.len())
            .map(|call| {
                let mut decision = Decision::Deny;
                let made = allocations(|| decision = black_box(self.judge(call)).decision);
                (made, decision)
            })
            .collect();
        let all: usize = each.iter().map(|(made, _)| made).sum();
        let allowed = each.iter().filter(|(_, decision)| *decision == Decision::Allow);
        (all as f64 / each.len() as f64, allowed.map(|(made, _)| *made).max().unwrap_or(0))
    }
}

impl Engine for Sekisho {
    fn answer(&self, call: usize) -> Answer {
        let verdict = self.judge(call);
        let by_rule = matches!(verdict.reasons.first(), Some(Reason::Rule { .. }));
        let line = verdict.rules.first().filter(|_| by_rule).map(|rule| rule.line() as usize);
        Answer::Rule(line.and_then(|line| self.by_line.get(line).copied().flatten()))
    }

    fn pass(&self, calls: Range<usize>) -> Duration {
        timed(calls, |call| {
            let _ = black_box(self.judge(black_box(call)));
        })
    }
}

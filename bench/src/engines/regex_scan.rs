//! A scan in order of strength over regular expressions compiled once: the straightforward solution.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use regex::Regex;
use serde::Deserialize;

use super::{Answer, Engine, Failure, Loaded, timed};
use crate::alloc_counter::bytes_held;
use crate::workload::{Call, Workload};

/// The scan.
pub struct RegexScan {
    rules: Vec<Scanned>,
    calls: Vec<Call>,
}

struct Scanned {
    server: Option<String>,
    tool: Option<String>,
    pattern: Option<Regex>,
}

/// A rule as written for this engine.
#[derive(Deserialize)]
struct Written {
    server: Option<String>,
    tool: Option<String>,
    pattern: Option<String>,
}

impl RegexScan {
    /// Loads the workload's rules from JSON.
    pub fn load(workload: &Workload) -> Result<Loaded, Failure> {
        let text = serde_json::to_string(&workload.rules)?;
        let start = Instant::now();
        let (rules, held) = bytes_held(|| scanned(&text));
        let load = start.elapsed();
        let engine = Box::new(RegexScan { rules: rules?, calls: workload.calls.clone() });
        Ok(Loaded { engine, load, held })
    }

    fn decide(&self, call: usize) -> Option<usize> {
        let call = &self.calls[call];
        self.rules.iter().position(|rule| {
            (rule.server.is_none() || rule.server == call.server)
                && (rule.tool.as_deref() == Some(call.tool.as_str())
                    || rule.pattern.as_ref().is_some_and(|pattern| pattern.is_match(&call.tool)))
        })
    }
}

fn scanned(text: &str) -> Result<Vec<Scanned>, Failure> {
    let written: Vec<Written> = serde_json::from_str(text)?;
    let compile = |pattern: String| {
        let body: Vec<String> = pattern.split('*').map(regex::escape).collect();
        Regex::new(&format!("(?is)^{}$", body.join(".*")))
    };
    let rules = written.into_iter().map(|rule| {
        Ok(Scanned { server: rule.server, tool: rule.tool, pattern: rule.pattern.map(compile).transpose()? })
    });
    rules.collect()
}

impl Engine for RegexScan {
    fn answer(&self, call: usize) -> Answer {
        Answer::Rule(self.decide(call))
    }

    fn pass(&self, calls: Range<usize>) -> Duration {
        timed(calls, |call| {
            black_box(self.decide(black_box(call)));
        })
    }
}

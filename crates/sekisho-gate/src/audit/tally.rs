//! From rows to numbers. A store may count verdicts and questions itself, since they are many; outcomes are read one by
//! one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::chain::Row;
use super::port::{Asked, Hour, Outcomes, Spread, Stats};
use crate::record::Kind;

const HOUR_US: i64 = 3_600_000_000;
/// How many tools are told of.
const TOOLS: usize = 20;

/// Numbers in the making.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    hours: BTreeMap<i64, Counts>,
    tools: BTreeMap<String, Counts>,
    waited: Vec<u64>,
    outcomes: Outcomes,
}

/// Allowed, asked and denied; of a tool: approved, asked and nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    allowed: u64,
    asked: u64,
    denied: u64,
}

impl Tally {
    /// Verdicts without a question, of one hour.
    pub fn judged(&mut self, at_us: i64, decision: Option<&str>, times: u64) {
        let hour = self.hour(at_us);
        match decision {
            Some("allow") => hour.allowed += times,
            Some("deny") => hour.denied += times,
            _ => {}
        }
    }

    /// Questions about one tool, of one hour.
    pub fn asked(&mut self, at_us: i64, tool: Option<&str>, times: u64) {
        self.hour(at_us).asked += times;
        self.tool(tool).asked += times;
    }

    /// How one question ended.
    pub fn ended(&mut self, tool: Option<&str>, body: &str) {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let about = body.get("about").unwrap_or(&body);
        let counted = match about.get("state").and_then(Value::as_str) {
            Some("approved") => {
                self.tool(tool).allowed += 1;
                &mut self.outcomes.approved
            }
            Some("denied") => &mut self.outcomes.denied,
            Some("expired") => &mut self.outcomes.expired,
            Some("aborted") => &mut self.outcomes.aborted,
            _ => return,
        };
        *counted += 1;
        // A rule that settles a question did not take its time over it.
        let by_person = body.get("by").is_some_and(|by| by.get("person").is_some());
        let waited = about.get("waitedMs").and_then(Value::as_u64).filter(|_| by_person);
        self.waited.extend(waited);
    }

    /// Any row.
    pub fn row(&mut self, row: &Row) {
        let (kind, tool) = (row.kind.as_str(), row.tool.as_deref());
        if kind == Kind::Verdict.name() {
            self.judged(row.at_us, row.decision.as_deref(), 1);
        } else if kind == Kind::Question.name() {
            self.asked(row.at_us, tool, 1);
        } else if kind == Kind::Outcome.name() {
            self.ended(tool, &row.body);
        }
    }

    /// The numbers, with the size of the whole log.
    pub fn stats(mut self, rows: u64, bytes: u64) -> Stats {
        self.waited.sort_unstable();
        let spread = |hundredths: usize| {
            let rank = (self.waited.len() * hundredths).div_ceil(100);
            self.waited.get(rank.saturating_sub(1)).copied()
        };
        let answer_ms = match (spread(50), spread(90), spread(99)) {
            (Some(p50), Some(p90), Some(p99)) => Some(Spread { p50, p90, p99 }),
            _ => None,
        };
        let hours = self.hours.into_iter().filter_map(|(hour, counts)| {
            let at = Timestamp::from_microsecond(hour.checked_mul(HOUR_US)?).ok()?;
            Some(Hour { at, allowed: counts.allowed, asked: counts.asked, denied: counts.denied })
        });
        let tools = self.tools.into_iter().filter(|(_, counts)| counts.asked > 0);
        let mut asked: Vec<Asked> = tools
            .map(|(tool, counts)| Asked { tool, times: counts.asked, approved: counts.allowed })
            .collect();
        asked.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.tool.cmp(&b.tool)));
        asked.truncate(TOOLS);
        Stats { hours: hours.collect(), asked, answer_ms, outcomes: self.outcomes, rows, bytes }
    }

    fn hour(&mut self, at_us: i64) -> &mut Counts {
        self.hours.entry(at_us.div_euclid(HOUR_US)).or_default()
    }

    fn tool(&mut self, tool: Option<&str>) -> &mut Counts {
        self.tools.entry(tool.unwrap_or_default().to_owned()).or_default()
    }
}

//! Counts rows into statistics. A store may count verdicts and approvals itself, since there are many.
//! Outcomes are read one by one, and so are the latest approvals, for their commands.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::asked_commands::CommandCounter;
use super::audit_log::{AnswerBucket, AskedTool, HourStats, OutcomeCounts, Percentiles, Stats};
use super::chain_row::ChainRow;
use crate::record::RecordKind;

const HOUR_US: i64 = 3_600_000_000;
/// How many tools are listed.
const TOOLS: usize = 20;
/// The bounds of the histogram of answer times, in milliseconds.
const BOUNDS: [u64; 10] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 900_000, 3_600_000];

/// Statistics while they are collected.
#[derive(Clone, Debug, Default)]
pub struct StatsBuilder {
    hours: BTreeMap<i64, Counts>,
    tools: BTreeMap<String, ToolCounts>,
    commands: CommandCounter,
    outcomes: OutcomeCounts,
}

/// Statistics of an hour while they are collected.
#[derive(Clone, Debug, Default)]
struct Counts {
    allowed: u64,
    asked: u64,
    denied: u64,
    approved: u64,
    rejected: u64,
    /// How long people took to answer, in milliseconds.
    waited: Vec<u64>,
}

/// Counts of a tool while they are collected.
#[derive(Clone, Copy, Debug, Default)]
struct ToolCounts {
    asked: u64,
    approved: u64,
    denied: u64,
    expired: u64,
}

impl StatsBuilder {
    /// The maximum number of approvals read for their commands: the latest of a range.
    pub const QUESTIONS: u32 = 20_000;

    /// Counts verdicts without an approval, in one hour.
    pub fn judged(&mut self, at_us: i64, decision: Option<&str>, times: u64) {
        let hour = self.hour(at_us);
        match decision {
            Some("allow") => hour.allowed += times,
            Some("deny") => hour.denied += times,
            _ => {}
        }
    }

    /// Counts approvals of one tool, in one hour.
    pub fn asked(&mut self, at_us: i64, tool: Option<&str>, times: u64) {
        self.hour(at_us).asked += times;
        self.tool(tool).asked += times;
    }

    /// Counts the commands of one approval.
    pub fn asked_about(&mut self, approval: Option<Uuid>, tool: Option<&str>, body: &str) {
        self.commands.asked(approval, tool.unwrap_or_default(), body);
    }

    /// Counts the outcome of one approval.
    pub fn ended(&mut self, at_us: i64, approval: Option<Uuid>, tool: Option<&str>, body: &str) {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let about = body.get("about").unwrap_or(&body);
        // An approval decided by a rule has no answer time.
        let by_person = body.get("by").is_some_and(|by| by.get("person").is_some());
        match about.get("state").and_then(Value::as_str) {
            Some("approved") => {
                self.outcomes.approved += 1;
                self.tool(tool).approved += 1;
                self.commands.answered(approval, true);
                if by_person {
                    self.hour(at_us).approved += 1;
                }
            }
            Some("denied") => {
                self.outcomes.denied += 1;
                self.tool(tool).denied += 1;
                self.commands.answered(approval, false);
                if by_person {
                    self.hour(at_us).rejected += 1;
                }
            }
            Some("expired") => {
                self.outcomes.expired += 1;
                self.tool(tool).expired += 1;
            }
            Some("aborted") => self.outcomes.aborted += 1,
            _ => return,
        }
        if let Some(waited) = about.get("waitedMs").and_then(Value::as_u64).filter(|_| by_person) {
            self.hour(at_us).waited.push(waited);
        }
    }

    /// Counts any row.
    pub fn row(&mut self, row: &ChainRow) {
        let (kind, tool) = (row.kind.as_str(), row.tool.as_deref());
        if kind == RecordKind::Verdict.name() {
            self.judged(row.at_us, row.decision.as_deref(), 1);
        } else if kind == RecordKind::Question.name() {
            self.asked(row.at_us, tool, 1);
            self.asked_about(row.approval, tool, &row.body);
        } else if kind == RecordKind::Outcome.name() {
            self.ended(row.at_us, row.approval, tool, &row.body);
        }
    }

    /// The statistics, with the size of the whole log.
    pub fn stats(mut self, rows: u64, bytes: u64) -> Stats {
        let mut waited: Vec<u64> = Vec::new();
        let mut hours = Vec::with_capacity(self.hours.len());
        for (hour, counts) in &mut self.hours {
            waited.extend(&counts.waited);
            counts.waited.sort_unstable();
            let at = hour.checked_mul(HOUR_US).and_then(|at| Timestamp::from_microsecond(at).ok());
            hours.extend(at.map(|at| counts.hour(at)));
        }
        waited.sort_unstable();
        let spread = |hundredths: usize| below(&waited, hundredths);
        let answer_ms = match (spread(50), spread(90), spread(99)) {
            (Some(p50), Some(p90), Some(p99)) => Some(Percentiles { p50, p90, p99 }),
            _ => None,
        };
        let (answers, outcomes) = (buckets(&waited), self.outcomes);
        let asked = most_asked(self.tools);
        Stats { hours, asked, commands: self.commands.most(), answer_ms, answers, outcomes, rows, bytes }
    }

    fn hour(&mut self, at_us: i64) -> &mut Counts {
        self.hours.entry(at_us.div_euclid(HOUR_US)).or_default()
    }

    fn tool(&mut self, tool: Option<&str>) -> &mut ToolCounts {
        self.tools.entry(tool.unwrap_or_default().to_owned()).or_default()
    }
}

impl Counts {
    /// The statistics of an hour, with its answer times sorted.
    fn hour(&self, at: Timestamp) -> HourStats {
        HourStats {
            at,
            allowed: self.allowed,
            asked: self.asked,
            denied: self.denied,
            approved: self.approved,
            rejected: self.rejected,
            answer_p50_ms: below(&self.waited, 50),
        }
    }
}

fn most_asked(tools: BTreeMap<String, ToolCounts>) -> Vec<AskedTool> {
    let tools = tools.into_iter().filter(|(_, ends)| ends.asked > 0);
    let tools = tools.map(|(tool, ToolCounts { asked, approved, denied, expired })| AskedTool {
        tool,
        times: asked,
        approved,
        denied,
        expired,
    });
    let mut asked: Vec<AskedTool> = tools.collect();
    asked.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.tool.cmp(&b.tool)));
    asked.truncate(TOOLS);
    asked
}

/// The given percentile of sorted values.
fn below(sorted: &[u64], hundredths: usize) -> Option<u64> {
    let rank = (sorted.len() * hundredths).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

/// The histogram of sorted values.
fn buckets(sorted: &[u64]) -> Vec<AnswerBucket> {
    let mut counted = 0;
    let bounds = BOUNDS.into_iter().map(Some).chain([None]);
    let bucket = |up_to_ms: Option<u64>| {
        let to = up_to_ms.map_or(sorted.len(), |bound| sorted.partition_point(|value| *value <= bound));
        let times = (to - std::mem::replace(&mut counted, to)) as u64;
        AnswerBucket { up_to_ms, times }
    };
    bounds.map(bucket).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::audit::AskedCommand;

    const SECOND: i64 = 1_000_000;

    fn id(number: u128) -> Option<Uuid> {
        Some(Uuid::from_u128(number))
    }

    fn question(builder: &mut StatsBuilder, number: u128, tool: &str, body: &Value) {
        builder.asked(0, Some(tool), 1);
        builder.asked_about(id(number), Some(tool), &body.to_string());
    }

    fn answer(builder: &mut StatsBuilder, number: u128, at: i64, state: &str, waited: u64) {
        let body = json!({ "by": { "person": {} }, "about": { "state": state, "waitedMs": waited } });
        builder.ended(at, id(number), Some("Bash"), &body.to_string());
    }

    #[test]
    fn commands_are_counted_with_their_answers() {
        let mut builder = StatsBuilder::default();
        // An answer may be read before its approval.
        answer(&mut builder, 1, 0, "approved", 10);
        question(&mut builder, 1, "Bash", &json!({ "commands": ["git push", "rm", "rm"] }));
        question(&mut builder, 2, "bash", &json!({ "commands": ["git push"], "message": "bash: rm x" }));
        answer(&mut builder, 2, 0, "denied", 10);
        question(&mut builder, 3, "bash", &json!({ "commands": ["rm"] }));
        answer(&mut builder, 3, 0, "expired", 10);
        question(&mut builder, 4, "bash", &json!({ "commands": [] }));
        question(&mut builder, 5, "deploy", &json!({ "commands": ["not a shell"] }));
        question(&mut builder, 6, "bash", &json!("no body"));
        // A row with a descriptor lists commands only if the tool is proven to be a shell, whatever its
        // name.
        let described = json!({ "tool": { "kind": "shell", "commands": ["/a"] }, "by": "registry" });
        question(&mut builder, 8, "my_exec", &json!({ "commands": ["git push"], "descriptor": described }));
        question(&mut builder, 9, "my_exec", &json!({ "message": "my_exec: rm x", "descriptor": described }));
        // A row from before commands were listed.
        question(&mut builder, 7, "Bash", &json!({ "message": "Bash: cd /w && npm run build -- x && rm y" }));
        answer(&mut builder, 7, 0, "approved", 10);
        let command = |command: &str, times, approved, denied| AskedCommand {
            command: command.into(),
            tool: "bash".into(),
            times,
            approved,
            denied,
        };
        assert_eq!(
            builder.stats(0, 0).commands,
            [command("git push", 3, 1, 1), command("rm", 2, 1, 0), command("npm run build", 1, 1, 0)]
        );
    }

    #[test]
    fn only_the_most_frequent_are_listed() {
        let mut builder = StatsBuilder::default();
        for number in 0..60 {
            question(
                &mut builder,
                number,
                "bash",
                &json!({ "commands": [format!("tool{:02}", number % 30)] }),
            );
        }
        question(&mut builder, 99, "bash", &json!({ "commands": ["tool29"] }));
        let commands = builder.stats(0, 0).commands;
        assert_eq!((commands.len(), commands[0].command.as_str(), commands[0].times), (20, "tool29", 3));
        assert_eq!(commands[1].command, "tool00");
    }

    #[test]
    fn answers_are_counted_by_hour_and_by_duration() {
        let mut builder = StatsBuilder::default();
        for (at, state, waited) in [
            (0, "approved", 0),
            (1, "approved", 1_000),
            (2, "denied", 1_001),
            (3599, "expired", 120_000),
            (3600, "denied", 3_600_000),
            (3601, "approved", 3_600_001),
            (3602, "denied", 59_000),
        ] {
            answer(&mut builder, 1, at * SECOND, state, waited);
        }
        // An answer by a rule is not counted as a person's.
        let by_rule = json!({ "by": { "rule": "x" }, "about": { "state": "approved", "waitedMs": 5 } });
        builder.ended(7200 * SECOND, id(2), Some("Bash"), &by_rule.to_string());
        builder.asked(0, Some("Bash"), 8);
        let stats = builder.stats(0, 0);
        let hours: Vec<_> =
            stats.hours.iter().map(|hour| (hour.approved, hour.rejected, hour.answer_p50_ms)).collect();
        assert_eq!(hours, [(2, 1, Some(1_000)), (1, 2, Some(3_600_000))]);
        let times: Vec<u64> = stats.answers.iter().map(|bucket| bucket.times).collect();
        assert_eq!(times, [2, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(stats.answers.last().unwrap().up_to_ms, None);
        let asked = &stats.asked[0];
        assert_eq!((asked.times, asked.approved, asked.denied, asked.expired), (8, 4, 3, 1));
        let nothing = StatsBuilder::default().stats(0, 0);
        assert_eq!((nothing.answers.len(), nothing.answer_ms), (11, None));
    }
}

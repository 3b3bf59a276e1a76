//! The entries of a month: verdicts, executions, and now and then an approval, its answer and its claim. Each
//! is made by the gate's own functions; only ids, times and names are filled in.

use jiff::{SignedDuration, Timestamp};
use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::workload::SeededRng;
use sekisho_gate::answer::{Actor, Answer, Approver, Role};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim};
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::record::{AuditEntry, Record, RecordKind, execution_record, step_records};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::{Call, Effect};
use sekisho_testkit::fixtures;
use serde_json::json;

pub(crate) const TOOLS: usize = 40;
pub(crate) const AGENTS: usize = 12;
pub(crate) const APPROVERS: usize = 8;
/// The time range of an audit log of any size.
pub(crate) const DAYS: i64 = 30;

pub(crate) fn tool(number: usize) -> String {
    format!("mcp__server-{}__tool-{number}", number % 7)
}

pub(crate) fn agent(number: usize) -> String {
    format!("agent-{number}")
}

pub(crate) fn approver(number: usize) -> String {
    format!("Person {number}")
}

/// The time this many microseconds after the start of the log.
pub(crate) fn time_after_start(micros: i64) -> Timestamp {
    fixtures::seconds_after_start(0) + SignedDuration::from_micros(micros)
}

/// The entries of one tool.
struct Templates {
    allowed: AuditEntry,
    denied: AuditEntry,
    executed: AuditEntry,
    opening: AuditEntry,
    outcomes: Vec<AuditEntry>,
    claim: AuditEntry,
}

/// Generates the entries of an audit log.
pub(crate) struct SampleLines {
    tools: Vec<Templates>,
    rng: SeededRng,
    /// Microseconds between two entries.
    interval_us: i64,
    next: i64,
}

impl SampleLines {
    pub(crate) fn new(rows: u64) -> Result<SampleLines, Failure> {
        let tools = (0..TOOLS).map(templates_of_tool).collect::<Result<_, _>>()?;
        let interval_us = DAYS * 86_400_000_000 / i64::try_from(rows)?.max(1);
        Ok(SampleLines { tools, rng: SeededRng(1), interval_us, next: 0 })
    }

    /// The next `count` entries. They announce no events, because nobody subscribes.
    pub(crate) fn take(&mut self, count: u64) -> Vec<Record> {
        (0..count).map(|_| Record { entry: self.next_entry(), event: None }).collect()
    }

    fn next_entry(&mut self) -> AuditEntry {
        let at = time_after_start(self.next * self.interval_us);
        self.next += 1;
        let templates = &self.tools[self.rng.below(TOOLS)];
        let template = match self.rng.below(20) {
            0..9 => &templates.allowed,
            9 => &templates.denied,
            10..17 => &templates.executed,
            17 => &templates.opening,
            18 => &templates.outcomes[self.rng.below(templates.outcomes.len())],
            _ => &templates.claim,
        };
        AuditEntry {
            at,
            call: Some(CallId::new(at)),
            approval: template.approval.map(|_| ApprovalId::new(at)),
            execution: template.execution.map(|_| ExecutionId::new(at)),
            agent: Some(agent(self.rng.below(AGENTS))),
            ..template.clone()
        }
    }
}

fn templates_of_tool(number: usize) -> Result<Templates, Failure> {
    let at = fixtures::seconds_after_start(0);
    let input = json!({ "path": format!("src/part-{number}/file.rs"), "limit": 200, "note": "as requested" });
    let call = Call { input, tool: tool(number), ..fixtures::call("1") };
    let verdict_entry =
        |effect| fixtures::admission(call.clone(), fixtures::caller(), at, effect).record.entry;
    let approval = fixtures::pending_approval(call.clone(), fixtures::caller(), at, Some(3600));
    let mut outcomes = Vec::new();
    let mut claim = None;
    for person in 0..APPROVERS {
        let answer = if person % 4 == 0 { Answer::deny().with_reason("not now") } else { Answer::approve() };
        let by = Approver { name: approver(person), ..fixtures::approver(Role::Approver) };
        let later = at + SignedDuration::from_millis(700 + 900 * i64::try_from(person + number)?);
        let answered = approval
            .step(&ApprovalTrigger::Answered { answer, by: by.clone(), edited: None }, later)
            .approval;
        let run = ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(later)));
        claim = claim.or_else(|| {
            step_records(&answered, &answered.step(&run, later).approval, later)
                .pop()
                .filter(|_| person % 4 != 0)
        });
        let mut entry = step_records(&approval, &answered, later).pop().ok_or("no outcome")?.entry;
        entry.by = Some(Actor::Person(by));
        outcomes.push(entry);
    }
    let allowed = verdict_entry(Effect::Allow);
    let outcome = ExecutionOutcome { at, is_error: false, output: None, duration_ms: Some(120), exit: None };
    let about = AuditEntry { decision: None, body: json!(null), ..allowed.clone() };
    Ok(Templates {
        denied: verdict_entry(Effect::Deny),
        executed: AuditEntry {
            kind: RecordKind::Execution,
            ..execution_record(ExecutionId::new(at), &outcome, about).entry
        },
        allowed,
        opening: sekisho_gate::record::opening_record(&approval).entry,
        outcomes,
        claim: claim.ok_or("no claim")?.entry,
    })
}

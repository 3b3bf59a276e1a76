//! The entries of a month: verdicts, executions, and now and then an approval, its answer and its claim. Each
//! is made by the gate's own functions; only ids, times and names are filled in.

use jiff::{SignedDuration, Timestamp};
use sekisho_bench::durable::Failure;
use sekisho_bench::workload::Dice;
use sekisho_gate::answer::{Answer, Approver, By, Role};
use sekisho_gate::ledger::Ending;
use sekisho_gate::machine::{Claim, Happening};
use sekisho_gate::record::{Entry, Kind, Record, finished, stepped};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::{Call, Effect};
use sekisho_testkit::fixtures;
use serde_json::json;

pub(crate) const TOOLS: usize = 40;
pub(crate) const AGENTS: usize = 12;
pub(crate) const APPROVERS: usize = 8;
/// The time span of an audit log of any size.
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

/// This many microseconds after the beginning.
pub(crate) fn moment(micros: i64) -> Timestamp {
    fixtures::after(0) + SignedDuration::from_micros(micros)
}

/// The entries of one tool.
struct Templates {
    allowed: Entry,
    denied: Entry,
    executed: Entry,
    question: Entry,
    outcomes: Vec<Entry>,
    claim: Entry,
}

pub(crate) struct Lines {
    tools: Vec<Templates>,
    dice: Dice,
    /// Microseconds between two entries.
    apart: i64,
    next: i64,
}

impl Lines {
    pub(crate) fn new(rows: u64) -> Result<Lines, Failure> {
        let tools = (0..TOOLS).map(templates).collect::<Result<_, _>>()?;
        let apart = DAYS * 86_400_000_000 / i64::try_from(rows)?.max(1);
        Ok(Lines { tools, dice: Dice(1), apart, next: 0 })
    }

    /// The next `count` entries. They announce no events, because nobody listens.
    pub(crate) fn take(&mut self, count: u64) -> Vec<Record> {
        (0..count).map(|_| Record { entry: self.line(), change: None }).collect()
    }

    fn line(&mut self) -> Entry {
        let at = moment(self.next * self.apart);
        self.next += 1;
        let templates = &self.tools[self.dice.below(TOOLS)];
        let like = match self.dice.below(20) {
            0..9 => &templates.allowed,
            9 => &templates.denied,
            10..17 => &templates.executed,
            17 => &templates.question,
            18 => &templates.outcomes[self.dice.below(templates.outcomes.len())],
            _ => &templates.claim,
        };
        Entry {
            at,
            call: Some(CallId::new(at)),
            approval: like.approval.map(|_| ApprovalId::new(at)),
            execution: like.execution.map(|_| ExecutionId::new(at)),
            agent: Some(agent(self.dice.below(AGENTS))),
            ..like.clone()
        }
    }
}

fn templates(number: usize) -> Result<Templates, Failure> {
    let at = fixtures::after(0);
    let input = json!({ "path": format!("src/part-{number}/file.rs"), "limit": 200, "note": "as was asked" });
    let call = Call { input, tool: tool(number), ..fixtures::call("1") };
    let judged = |effect| fixtures::admission(call.clone(), fixtures::asker(), at, effect).record.entry;
    let question = fixtures::question(call.clone(), fixtures::asker(), at, Some(3600));
    let mut outcomes = Vec::new();
    let mut claim = None;
    for person in 0..APPROVERS {
        let answer = if person % 4 == 0 { Answer::deny().because("not now") } else { Answer::approve() };
        let by = Approver { name: approver(person), ..fixtures::approver(Role::Approver) };
        let later = at + SignedDuration::from_millis(700 + 900 * i64::try_from(person + number)?);
        let answered =
            question.step(&Happening::Answered { answer, by: by.clone(), edited: None }, later).approval;
        let run = Happening::Claimed(Claim::Run(ExecutionId::new(later)));
        claim = claim.or_else(|| {
            stepped(&answered, &answered.step(&run, later).approval, later).pop().filter(|_| person % 4 != 0)
        });
        let mut entry = stepped(&question, &answered, later).pop().ok_or("no outcome")?.entry;
        entry.by = Some(By::Person(by));
        outcomes.push(entry);
    }
    let allowed = judged(Effect::Allow);
    let ending = Ending { at, is_error: false, output: None, duration_ms: Some(120) };
    let about = Entry { decision: None, body: json!(null), ..allowed.clone() };
    Ok(Templates {
        denied: judged(Effect::Deny),
        executed: Entry { kind: Kind::Execution, ..finished(ExecutionId::new(at), &ending, about).entry },
        allowed,
        question: sekisho_gate::record::opened(&question).entry,
        outcomes,
        claim: claim.ok_or("no claim")?.entry,
    })
}

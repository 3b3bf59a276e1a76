use std::io::Write;

use anstyle::Style;
use jiff::Timestamp;
use sekisho_gate::audit::{CallOutcome, CallRecords, CallSummary, ChainRow, search_calls};
use sekisho_policy::tools::by_name;
use serde_json::{Value, json};

use super::blocking_store::{BlockingStore, PAGE};
use super::filter::FilterArgs;
use super::row_json;
use super::row_table::{decision_style, ensure_visible, row_reference};
use super::time_format::{HumanDuration, TimeFormatter};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input_fields::{field_name, input_fields, truncate_fields};
use crate::settings::Settings;
use crate::terminal::{self, StyledStdout, columns, style, truncate, visible};

/// List calls and what became of them, newest first
///
/// One line for each call: when, what it was, how it was decided, by whom and how long that took. A call is listed if
/// one of its records matches all filters.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Words of the command or of another record of the call, in any order, ignoring case
    text: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Maximum number of calls
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Show the records of each call below it
    #[arg(long)]
    events: bool,
    /// Print each call with its records as one line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit calls 'npm test'
  sekisho audit calls --decision deny --from 24h --events
  sekisho audit calls --approver ada --json | jq -r .message";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let mut query = args.filter.query(args.text.as_deref(), Timestamp::now())?;
    let store = BlockingStore::open_for_reading(&settings)?;
    let mut out = terminal::stdout();
    let lines = CallLines {
        clock: TimeFormatter::of_stdout(),
        width: terminal::width(),
        user: settings.user.clone(),
        events: args.events,
    };
    let mut left = usize::try_from(args.limit).unwrap_or(usize::MAX);
    while left > 0 {
        query.limit = left.min(PAGE);
        let page = store.block_on_ledger(Box::pin(search_calls(store.audit(), query.clone())))?;
        for call in &page.calls {
            match args.json {
                true => row_json::write_json_line(&mut out, &call_json(call))?,
                false => lines.write(&mut out, call)?,
            }
        }
        left -= page.calls.len().min(left);
        if page.next.is_none() {
            break;
        }
        query.before = page.next;
    }
    Ok(Exit::Ok)
}

fn call_json(call: &CallRecords) -> Value {
    let rows: Vec<Value> = call.rows.iter().map(row_json::row_json).collect();
    let summary = call.summary();
    let mut value = json!({
        "outcome": summary.as_ref().map(|call| call.outcome),
        "message": summary.as_ref().map(|call| &call.message),
        "by": summary.as_ref().map(|call| &call.by),
        "answeredAfterMs": summary.as_ref().map(|call| call.answered_after_ms),
        "failed": summary.as_ref().map(|call| call.failed),
        "ranMs": summary.as_ref().map(|call| call.ran_ms),
        "rows": rows,
    });
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

struct CallLines {
    clock: TimeFormatter,
    width: Option<usize>,
    /// The name of the person at the terminal.
    user: String,
    /// Whether records are listed below their call.
    events: bool,
}

impl CallLines {
    fn write(&self, out: &mut StyledStdout, call: &CallRecords) -> Result<(), Failure> {
        let Some(last) = call.rows.last() else { return Ok(()) };
        let faint = style::FAINT;
        let time = self.clock.column(last.at(), self.width.is_some_and(|width| width < 110));
        let (what, colour, became) = match call.summary() {
            Some(summary) => {
                let (colour, became) = outcome_text(&summary, &self.user);
                (call_text(call, &summary), colour, format!("→ {became}"))
            }
            None => (record_text(last), Style::new(), String::new()),
        };
        let room = self.width.map(|width| width.saturating_sub(columns(&time) + 2));
        let what = match room {
            Some(room) => {
                let became = if became.is_empty() { 0 } else { columns(&became) + 1 };
                truncate_fields(&what, room.saturating_sub(became).max(16)).into_owned()
            }
            None => what,
        };
        let line = format!("{faint}{time}{faint:#}  {what} {colour}{became}{colour:#}");
        writeln!(out, "{}", line.trim_end())?;
        if self.events && (call.rows.len() > 1 || !became.is_empty()) {
            call.rows.iter().try_for_each(|row| self.event(out, call, row))?;
        }
        Ok(())
    }

    /// A record below its call.
    fn event(&self, out: &mut StyledStdout, call: &CallRecords, row: &ChainRow) -> Result<(), Failure> {
        let first = call.rows.first().map_or(row.at(), ChainRow::at);
        let later = u64::try_from(row.at().duration_since(first).as_millis()).unwrap_or(0);
        let later = if later == 0 { String::new() } else { format!("+{}", HumanDuration(later)) };
        let (faint, colour) = (style::FAINT, decision_style(row));
        let (kind, named) = (ensure_visible(&row.kind).into_owned(), row_reference(row));
        let used = 14 + columns(&kind) + columns(&named) + 4;
        let text = ensure_visible(&row.text);
        let text = match self.width {
            Some(width) => truncate(&text, width.saturating_sub(used).max(16)),
            None => text,
        };
        Ok(writeln!(out, "{later:>12}  {colour}{kind}{colour:#} {text}  {faint}{named}{faint:#}")?)
    }
}

/// The tool of a call with its server, then what the call does: its command, path or address, or the fields of its input.
fn call_text(call: &CallRecords, summary: &CallSummary) -> String {
    let Some(first) = call.rows.first() else { return String::new() };
    let tool = first.tool.as_deref().unwrap_or("");
    let name = match &first.server {
        Some(server) => format!("{server}/{tool}"),
        None => tool.to_owned(),
    };
    // As messages name it.
    let recorded = visible(&name);
    let shown = match &first.server {
        Some(server) => format!("{}/{}", name_part(server), name_part(tool)),
        None => name_part(tool),
    };
    let Some(message) = summary.message.as_deref().filter(|message| *message != recorded) else {
        return shown;
    };
    let main = message.strip_prefix(&format!("{recorded}: ")).unwrap_or(message);
    match recorded_fields(tool, main, summary) {
        Some(fields) => format!("{shown}: {fields}"),
        None => format!("{shown}: {}", ensure_visible(&main.replace(['\n', '\t'], " "))),
    }
}

/// A tool or a server. It has quotes if it could be mistaken for both, or for a tool and its input.
fn name_part(name: &str) -> String {
    match name.contains(['/', ':']) {
        true => visible(&Value::from(name).to_string()).into_owned(),
        false => field_name(name),
    }
}

/// The fields of an input that was recorded as JSON. None if the text may be something else: the path or the command
/// of a tool that is known, JSON that was cut, or JSON whose hidden characters were escaped.
fn recorded_fields(tool: &str, main: &str, summary: &CallSummary) -> Option<String> {
    if summary.is_described || by_name(tool).is_some() || main.contains(r"\u{") {
        return None;
    }
    input_fields(&serde_json::from_str::<Value>(main).ok()?)
}

/// A record that is not about a call.
fn record_text(row: &ChainRow) -> String {
    let by = row.approver.as_deref().map(|by| format!(" by {}", ensure_visible(by))).unwrap_or_default();
    format!("{}: {}{by}", ensure_visible(&row.kind), ensure_visible(&row.text))
}

/// How a call was decided, by whom, and how long that took.
fn outcome_text(summary: &CallSummary, user: &str) -> (Style, String) {
    let by = match summary.by.as_deref() {
        Some(by) if !user.is_empty() && (by == user || by == format!("terminal of {user}")) => {
            " by you".into()
        }
        Some(by) => format!(" by {}", ensure_visible(by)),
        None => String::new(),
    };
    let after = summary.answered_after_ms.map(|ms| format!(" in {}", roughly(ms))).unwrap_or_default();
    let (colour, text) = match summary.outcome {
        CallOutcome::Allowed => (style::ALLOW, "allowed by a rule".into()),
        CallOutcome::DeniedByRule => (style::DENY, "denied by a rule".into()),
        CallOutcome::Waiting => (style::CONFIRM, "waits for an answer".into()),
        CallOutcome::Approved => (style::ALLOW, format!("approved{by}{after}")),
        CallOutcome::TurnedBack => (style::DENY, format!("approved{by}{after}, then refused")),
        CallOutcome::Denied => (style::DENY, format!("denied{by}{after}")),
        CallOutcome::Expired => (style::FAINT, format!("expired{}", after.replace(" in ", " after "))),
        CallOutcome::Aborted => (style::FAINT, format!("withdrawn{}", after.replace(" in ", " after "))),
    };
    let failed = if summary.failed == Some(true) { ", failed" } else { "" };
    (colour, format!("{text}{failed}"))
}

/// A duration without fractions of a second that nobody notices.
fn roughly(ms: u64) -> String {
    match ms {
        10_000..60_000 => format!("{} s", ms / 1_000),
        ms => HumanDuration(ms).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use sekisho_gate::audit::{Mac, WriterId};
    use sekisho_policy::{Call, IdClaim};

    use super::*;

    /// The line of a call that was recorded with the message of the gate.
    fn text_of(tool: &str, server: Option<&str>, input: Value) -> String {
        let mut call = Call::new(tool, input);
        call.server = server.map(|server| IdClaim::claimed(server.to_owned()));
        let row = ChainRow {
            writer: WriterId(uuid::Uuid::nil()),
            seq: 1,
            key: 1,
            at_us: 0,
            kind: "verdict".into(),
            call: None,
            approval: None,
            execution: None,
            tool: Some(tool.into()),
            server: server.map(str::to_owned),
            agent: None,
            credential: None,
            decision: Some("allow".into()),
            approver: None,
            text: String::new(),
            body: json!({ "message": sekisho_gate::display::message(&call) }).to_string(),
            previous: Mac([0; 32]),
            code: Mac([0; 32]),
        };
        let call = CallRecords { rows: vec![row] };
        call_text(&call, &call.summary().unwrap())
    }

    #[test]
    fn call_names_its_tool() {
        let calls = [
            ("bash", None, json!({ "command": "git status" }), "bash: git status"),
            ("bash", None, json!({ "command": "write: a.txt" }), "bash: write: a.txt"),
            ("write", None, json!({ "path": "git status", "content": "x" }), "write: git status"),
            ("read", None, json!({ "path": "a.txt" }), "read: a.txt"),
            ("write", None, json!({ "path": "a.txt", "content": "x" }), "write: a.txt"),
            ("delete", None, json!({ "path": "a.txt" }), "delete: a.txt"),
            ("read", None, json!({ "path": r#"{"a":1}"# }), r#"read: {"a":1}"#),
            ("wipe_all", Some("crm"), json!({ "a": 1 }), "crm/wipe_all: a 1"),
            ("wipe_all", Some("crm"), json!({ "a": "\u{200b}" }), r#"crm/wipe_all: {"a":"\u{200b}"}"#),
            ("wipe_all", Some("crm"), json!({}), "crm/wipe_all"),
            ("crm/wipe_all", None, json!({}), r#""crm/wipe_all""#),
            ("wipe: a 1", None, json!({}), r#""wipe: a 1""#),
            ("wipe", None, json!({ "a": 1 }), "wipe: a 1"),
        ];
        let mut lines = BTreeSet::new();
        for (tool, server, input, expected) in calls {
            let line = text_of(tool, server, input);
            assert_eq!(line, expected);
            assert!(lines.insert(line));
        }
        let long = text_of("wipe_all", Some("crm"), json!({ "a": "x ".repeat(3000) }));
        assert!(long.starts_with(r#"crm/wipe_all: {"a":"x x"#) && long.ends_with(" more bytes"), "{long}");
    }

    fn summary(outcome: CallOutcome) -> CallSummary {
        CallSummary {
            message: None,
            is_described: false,
            outcome,
            by: Some("ada".into()),
            answered_after_ms: Some(13_000),
            failed: None,
            ran_ms: None,
        }
    }

    #[test]
    fn outcome_says_who_and_how_long() {
        for (outcome, expected) in [
            (CallOutcome::Approved, "approved by ada in 13 s"),
            (CallOutcome::Denied, "denied by ada in 13 s"),
            (CallOutcome::TurnedBack, "approved by ada in 13 s, then refused"),
            (CallOutcome::Expired, "expired after 13 s"),
            (CallOutcome::Aborted, "withdrawn after 13 s"),
            (CallOutcome::Allowed, "allowed by a rule"),
            (CallOutcome::DeniedByRule, "denied by a rule"),
            (CallOutcome::Waiting, "waits for an answer"),
        ] {
            assert_eq!(outcome_text(&summary(outcome), "grace").1, expected);
        }
        assert_eq!(outcome_text(&summary(CallOutcome::Approved), "ada").1, "approved by you in 13 s");
        let failed = CallSummary { failed: Some(true), ..summary(CallOutcome::Approved) };
        assert_eq!(outcome_text(&failed, "grace").1, "approved by ada in 13 s, failed");
    }
}

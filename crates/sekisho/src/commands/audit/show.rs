use std::io::Write;

use sekisho_gate::ApprovalId;
use sekisho_gate::audit::{AuditQuery, ChainRow, START_CURSOR, WriterId};
use serde_json::Value;

use super::blocking_store::{BlockingStore, PAGE};
use super::row_json;
use super::row_table::{decision_style, ensure_visible, row_reference};
use super::time_format::{HumanDuration, TimeFormatter};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, StyledStdout, style};

/// Show one record in full, or all records about one question
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A record, as in the second column of `audit search`, or a question id
    what: ShowTarget,
    /// Print as JSON, one record per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit show 5d2a91c0:17
  sekisho audit show 019a4b7e-7c1e-7f6a-9a52-3f0c5d2a91c0";

#[derive(Clone, Debug)]
enum ShowTarget {
    /// A record: the end of its writer's id, and its number.
    Row(String, u64),
    Question(ApprovalId),
}

impl std::str::FromStr for ShowTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<ShowTarget, String> {
        let nonsense = || "expected WRITER:NUMBER as printed by `sekisho audit search`, or a question id";
        match text.split_once(':') {
            Some((writer, seq)) => {
                let hexadecimal =
                    writer.len() >= 4 && writer.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
                let seq = seq.parse().ok().filter(|_| hexadecimal);
                seq.map(|seq| ShowTarget::Row(writer.to_ascii_lowercase(), seq))
                    .ok_or_else(|| nonsense().into())
            }
            None => text.parse().map(ShowTarget::Question).map_err(|_| nonsense().into()),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let store = BlockingStore::open_for_reading(&settings)?;
    let rows = match &args.what {
        ShowTarget::Row(writer, seq) => vec![one(&store, writer, *seq)?],
        ShowTarget::Question(id) => story(&store, *id)?,
    };
    let mut out = terminal::stdout();
    if args.json {
        rows.iter().try_for_each(|row| row_json::write_json_line(&mut out, &row_json::row_json(row)))?;
        return Ok(Exit::Ok);
    }
    match (&args.what, rows.as_slice()) {
        (ShowTarget::Row(..), [row]) => row_in_full(&mut out, row)?,
        _ => write_story(&mut out, &rows)?,
    }
    Ok(Exit::Ok)
}

/// The record with this name, which must match exactly one writer.
fn one(store: &BlockingStore, writer: &str, seq: u64) -> Result<ChainRow, Failure> {
    let heads = store.block_on_ledger(store.audit().heads())?;
    let fitting: Vec<WriterId> =
        heads.iter().map(|head| head.writer).filter(|id| id.to_string().ends_with(writer)).collect();
    let id = match fitting.as_slice() {
        [] => return Err(Failure::new(format!("no writer id ends with `{writer}`"))),
        [id] => *id,
        several => {
            let names: Vec<String> = several.iter().map(|id| format!("`{id}:{seq}`")).collect();
            let names = names.join(" or ");
            return Err(Failure::new(format!("several writer ids end with `{writer}`; give {names}")));
        }
    };
    store.block_on_ledger(store.audit().row(id, seq))?.ok_or_else(|| {
        Failure::new(format!("writer `{id}` has no record {seq}: it was never written, or was pruned"))
    })
}

/// All records about a question, in the order they happened.
fn story(store: &BlockingStore, id: ApprovalId) -> Result<Vec<ChainRow>, Failure> {
    let query =
        AuditQuery { approval: Some(id), after: Some(START_CURSOR), limit: PAGE, ..AuditQuery::default() };
    let rows = store.block_on_ledger(store.audit().search(query))?;
    if rows.is_empty() {
        return Err(Failure::new(format!("the audit log has no question `{id}`; it may have been pruned")));
    }
    Ok(rows)
}

fn write_story(out: &mut StyledStdout, rows: &[ChainRow]) -> Result<(), Failure> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let Some(first) = rows.first() else { return Ok(()) };
    let about = ensure_visible(first.tool.as_deref().unwrap_or("nothing"));
    let agent = first
        .agent
        .as_deref()
        .map(|agent| format!(" asked by {}", ensure_visible(agent)))
        .unwrap_or_default();
    writeln!(out, "{strong}{about}{strong:#}{agent}, {}", TimeFormatter::of_stdout().exact(first.at()))?;
    for row in rows {
        let later = u64::try_from(row.at().duration_since(first.at()).as_millis()).unwrap_or(0);
        let later = if later == 0 { String::new() } else { format!("+{}", HumanDuration(later)) };
        let colour = decision_style(row);
        writeln!(
            out,
            "\n{later:>12}  {colour}{}{colour:#} {}  {faint}{}{faint:#}",
            ensure_visible(&row.kind),
            ensure_visible(&row.text),
            row_reference(row)
        )?;
        body(out, row, 14)?;
    }
    Ok(())
}

fn row_in_full(out: &mut StyledStdout, row: &ChainRow) -> Result<(), Failure> {
    let colour = decision_style(row);
    let faint = style::FAINT;
    let id = |id: &Option<uuid::Uuid>| id.map(|id| id.to_string());
    let fields = [
        ("row", Some(format!("{}:{}", row.writer, row.seq))),
        ("when", Some(TimeFormatter::of_stdout().exact(row.at()))),
        ("kind", Some(ensure_visible(&row.kind).into_owned())),
        (
            "decision",
            row.decision.as_ref().map(|decision| format!("{colour}{}{colour:#}", ensure_visible(decision))),
        ),
        ("text", Some(ensure_visible(&row.text).into_owned())),
        ("tool", row.tool.as_deref().map(|text| ensure_visible(text).into_owned())),
        ("server", row.server.as_deref().map(|text| ensure_visible(text).into_owned())),
        ("agent", row.agent.as_deref().map(|text| ensure_visible(text).into_owned())),
        ("credential", row.credential.as_deref().map(|text| ensure_visible(text).into_owned())),
        ("decided by", row.approver.as_deref().map(|text| ensure_visible(text).into_owned())),
        ("question", id(&row.approval)),
        ("call", id(&row.call)),
        ("execution", id(&row.execution)),
        ("signed by", Some(format!("key {}", row.key))),
        ("code", Some(row.code.to_string())),
        ("after", Some(row.previous.to_string())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            writeln!(out, "{faint}{name:<11}{faint:#} {value}")?;
        }
    }
    writeln!(out)?;
    body(out, row, 0)
}

/// The other fields, one line for each that has a value.
fn body(out: &mut StyledStdout, row: &ChainRow, indent: usize) -> Result<(), Failure> {
    let body: Value = serde_json::from_str(&row.body).unwrap_or_else(|_| Value::String(row.body.clone()));
    let Value::Object(fields) = &body else {
        return match body {
            Value::Null => Ok(()),
            other => Ok(writeln!(out, "{:indent$}{}", "", plain(&other))?),
        };
    };
    // The person who decided is stored beside what the record is about.
    let about = fields.get("about").and_then(Value::as_object);
    let own = fields.iter().filter(|(name, _)| about.is_none() || *name != "about");
    let shown: Vec<(&String, String)> = own
        .chain(about.into_iter().flatten())
        .filter(|(_, value)| !says_nothing(value))
        .map(|(name, value)| (name, if name == "by" { person(value) } else { plain(value) }))
        .collect();
    let width = shown.iter().map(|(name, _)| terminal::columns(name)).max().unwrap_or(0);
    let faint = style::FAINT;
    for (name, value) in shown {
        let name = terminal::padded(&ensure_visible(name), width);
        writeln!(out, "{:indent$}{faint}{name}{faint:#} {value}", "")?;
    }
    Ok(())
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => ensure_visible(text).into_owned(),
        other => ensure_visible(&other.to_string()).into_owned(),
    }
}

/// Who decided, from where and how.
fn person(by: &Value) -> String {
    let Some(person) = by.get("person") else { return plain(by) };
    let field = |name: &str| person.get(name).and_then(Value::as_str).map(ensure_visible);
    let parts = [
        field("name").map(|name| name.into_owned()),
        field("device").map(|device| format!("on {device}")),
        field("how").map(|how| format!("by {how}")),
        field("role").map(|role| format!("as {role}")),
        field("credential").map(|credential| format!("with {credential}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

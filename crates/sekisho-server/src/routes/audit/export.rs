//! The record as a stream: however many rows there are, few are in memory at once.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::ApprovalId;
use sekisho_gate::audit::{Audit, BEGINNING, Exact, Query as Wanted, Row, csv};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::record::Kind;
use sekisho_policy::Decision;
use serde::Deserialize;

use super::filter::Search;
use crate::app::App;
use crate::auth::Identity;
use crate::body::Query;
use crate::error::Fault;

/// Rows that are in memory at once.
const PAGE: usize = 1024;

/// Everything given must fit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AuditExportQuery")]
pub(super) struct Export {
    /// How to write them; `jsonl` unless told.
    #[serde(default)]
    format: Option<Format>,
    /// Not before.
    #[serde(default)]
    from: Option<Timestamp>,
    /// Before; now unless told.
    #[serde(default)]
    to: Option<Timestamp>,
    /// The tool, exactly.
    #[serde(default)]
    tool: Option<String>,
    /// What was decided.
    #[serde(default)]
    decision: Option<Decision>,
    /// What kind of thing happened.
    #[serde(default)]
    kind: Option<Kind>,
    /// The agent, exactly.
    #[serde(default)]
    agent: Option<String>,
    /// Who decided, by name.
    #[serde(default)]
    approver: Option<String>,
    /// The question.
    #[serde(default)]
    approval: Option<ApprovalId>,
    /// Text that is in a row, ignoring case.
    #[serde(default)]
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AuditFormat")]
enum Format {
    /// One JSON object on each line.
    #[default]
    Jsonl,
    /// Comma-separated values with a first line of names.
    Csv,
}

pub(super) async fn export(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Query(export): Query<Export>,
) -> Result<Response, Fault> {
    let format = export.format.unwrap_or_default();
    let now = app.now();
    let search = Search {
        from: export.from,
        to: export.to,
        tool: export.tool,
        decision: export.decision,
        kind: export.kind,
        agent: export.agent,
        approver: export.approver,
        approval: export.approval,
        text: export.text,
        ..Search::default()
    };
    let mut wanted = search.query()?;
    // A whole record has its checkpoints, and it ends: others may write faster than this is read.
    wanted.checkpoints = true;
    wanted.to = wanted.to.or_else(|| now.checked_add(jiff::SignedDuration::from_micros(1)).ok());
    wanted.after = Some(BEGINNING);
    wanted.limit = PAGE;
    let audit = Arc::clone(&app.inner.parts.audit);
    let mut reading = Reading { app, who, audit, wanted, format, over: false };
    // The first page before the answer begins: a record that cannot be read is an error and not an empty file.
    let first = reading.page().await?.unwrap_or_default();
    let head = match format {
        Format::Csv => {
            let mut names = Vec::new();
            csv::names(&mut names).map_err(unwritten)?;
            names
        }
        Format::Jsonl => Vec::new(),
    };
    let begun = stream::iter([Ok(Bytes::from(head)), Ok(first)]);
    let rest = stream::try_unfold(reading, |mut reading| async {
        Ok::<_, LedgerError>(reading.page().await?.map(|page| (page, reading)))
    });
    let (media, ending) = match format {
        Format::Jsonl => ("application/x-ndjson", "jsonl"),
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
    };
    let name = format!("attachment; filename=\"sekisho-audit-{}.{ending}\"", now.strftime("%Y%m%dT%H%M%SZ"));
    let headers = [(header::CONTENT_TYPE, media.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, Body::from_stream(futures_util::StreamExt::chain(begun, rest))).into_response())
}

struct Reading {
    app: App,
    who: Identity,
    audit: Arc<dyn Audit>,
    wanted: Wanted,
    format: Format,
    over: bool,
}

impl Reading {
    /// The next rows, written; none: there are no more.
    async fn page(&mut self) -> Result<Option<Bytes>, LedgerError> {
        if self.over {
            return Ok(None);
        }
        // Whoever is sent away in the middle gets no more of it.
        let known = self.app.still_knows(&self.who).await;
        known.map_err(|fault| LedgerError::lasting(fault.message))?;
        let rows = self.audit.search(self.wanted.clone()).await?;
        match rows.last().filter(|_| rows.len() >= PAGE) {
            Some(last) => self.wanted.after = Some((last.at(), last.writer, last.seq)),
            None => self.over = true,
        }
        let mut page = Vec::new();
        for row in &rows {
            self.write(&mut page, row).map_err(|error| LedgerError::lasting(error.to_string()))?;
        }
        Ok(Some(page.into()))
    }

    fn write(&self, page: &mut Vec<u8>, row: &Row) -> std::io::Result<()> {
        match self.format {
            Format::Csv => csv::row(page, row),
            Format::Jsonl => {
                serde_json::to_writer(&mut *page, &Exact::of(row))?;
                page.push(b'\n');
                Ok(())
            }
        }
    }
}

fn unwritten(error: std::io::Error) -> Fault {
    Fault::from(LedgerError::lasting(error.to_string()))
}

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
use sekisho_gate::audit::{AuditQuery as Wanted, ChainRow, ExportedRow, START_CURSOR, csv};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::record::RecordKind;
use sekisho_policy::Decision;
use serde::Deserialize;

use super::filter::AuditSearchQuery;
use crate::app::App;
use crate::auth::Identity;
use crate::concurrency_limit::ConcurrencySlot;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::fair_queue::QueueSlot;
use crate::json_body::QueryParams;

/// Rows that are in memory at once.
const PAGE: usize = 1024;
/// Exports of one credential at once: each has a page in memory.
const EXPORTS: usize = 8;

/// Everything given must fit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AuditExportQuery")]
pub(super) struct AuditExportQuery {
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
    kind: Option<RecordKind>,
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
    QueryParams(export): QueryParams<AuditExportQuery>,
) -> Result<Response, ApiError> {
    let format = export.format.unwrap_or_default();
    let now = app.now();
    let search = AuditSearchQuery {
        from: export.from,
        to: export.to,
        tool: export.tool,
        decision: export.decision,
        kind: export.kind,
        agent: export.agent,
        approver: export.approver,
        approval: export.approval,
        text: export.text,
        ..AuditSearchQuery::default()
    };
    let mut wanted = search.query()?;
    // A whole record has its checkpoints, and it ends: others may write faster than this is read.
    wanted.checkpoints = true;
    wanted.to = wanted.to.or_else(|| now.checked_add(jiff::SignedDuration::from_micros(1)).ok());
    wanted.after = Some(START_CURSOR);
    wanted.limit = PAGE;
    let one = app.inner.exports.acquire(&who.credential, EXPORTS);
    let one =
        one.ok_or_else(|| ApiError::rate_limited(format!("`{}` exports {EXPORTS} times already", who.name)))?;
    let turn = app.inner.audit_searches.acquire(&who.credential).await?;
    let mut reading = ExportReader { app, who, wanted, format, over: false, _one: one };
    // The first page before the answer begins: a record that cannot be read is an error and not an empty file.
    let first = reading.page(turn).await?.unwrap_or_default();
    let head = match format {
        Format::Csv => {
            let mut names = Vec::new();
            csv::header(&mut names).map_err(unwritten)?;
            names
        }
        Format::Jsonl => Vec::new(),
    };
    let begun = stream::iter([Ok(Bytes::from(head)), Ok(first)]);
    let rest = stream::try_unfold(reading, |mut reading| async {
        let next = reading.next().await.map_err(|fault| LedgerError::permanent(fault.message))?;
        Ok::<_, LedgerError>(next.map(|page| (page, reading)))
    });
    let (media, ending) = match format {
        Format::Jsonl => ("application/x-ndjson", "jsonl"),
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
    };
    let name = format!("attachment; filename=\"sekisho-audit-{}.{ending}\"", now.strftime("%Y%m%dT%H%M%SZ"));
    let headers = [(header::CONTENT_TYPE, media.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, Body::from_stream(futures_util::StreamExt::chain(begun, rest))).into_response())
}

struct ExportReader {
    app: App,
    who: Identity,
    wanted: Wanted,
    format: Format,
    over: bool,
    _one: ConcurrencySlot,
}

impl ExportReader {
    /// The next rows, written, when it is its turn: whoever is slow to take them delays nobody. None: there are no more.
    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        if self.over {
            return Ok(None);
        }
        let turn = self.app.inner.audit_searches.acquire_uncapped(&self.who.credential).await?;
        self.page(turn).await
    }

    async fn page(&mut self, turn: QueueSlot) -> Result<Option<Bytes>, ApiError> {
        // Whoever is sent away in the middle gets no more of it.
        self.app.ensure_token_valid(&self.who).await?;
        let (audit, wanted) = (Arc::clone(&self.app.inner.parts.audit), self.wanted.clone());
        let (rows, turn) = turn.hold_during(async move { audit.search(wanted).await }).await?;
        match rows.last().filter(|_| rows.len() >= PAGE) {
            Some(last) => self.wanted.after = Some((last.at(), last.writer, last.seq)),
            None => self.over = true,
        }
        let format = self.format;
        let page = run_blocking(move || {
            let _turn = turn;
            let mut page = Vec::new();
            rows.iter().try_for_each(|row| write(format, &mut page, row)).map(|()| page)
        });
        Ok(Some(page.await?.map_err(unwritten)?.into()))
    }
}

fn write(format: Format, page: &mut Vec<u8>, row: &ChainRow) -> std::io::Result<()> {
    match format {
        Format::Csv => csv::row(page, row),
        Format::Jsonl => {
            serde_json::to_writer(&mut *page, &ExportedRow::of(row))?;
            page.push(b'\n');
            Ok(())
        }
    }
}

fn unwritten(error: std::io::Error) -> ApiError {
    ApiError::from(LedgerError::permanent(error.to_string()))
}

//! Exports the audit log as a stream: only one page of records is in memory at once.

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
use crate::json_body::QueryParams;
use crate::request_queue::RequestSlot;

/// Records in memory at once.
const PAGE: usize = 1024;
/// Exports of one credential at once: each has a page in memory.
const EXPORTS: usize = 8;

/// Records must match every given field.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AuditExportQuery")]
pub(super) struct AuditExportQuery {
    /// The format; default `jsonl`.
    #[serde(default)]
    format: Option<Format>,
    /// Start of the span.
    #[serde(default)]
    from: Option<Timestamp>,
    /// End of the span, exclusive; default now.
    #[serde(default)]
    to: Option<Timestamp>,
    /// The exact tool name.
    #[serde(default)]
    tool: Option<String>,
    /// The decision.
    #[serde(default)]
    decision: Option<Decision>,
    /// The kind of record.
    #[serde(default)]
    kind: Option<RecordKind>,
    /// The exact agent id.
    #[serde(default)]
    agent: Option<String>,
    /// The name of who decided.
    #[serde(default)]
    approver: Option<String>,
    /// The approval.
    #[serde(default)]
    approval: Option<ApprovalId>,
    /// Words that a record contains, in any order, ignoring case.
    #[serde(default)]
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AuditFormat")]
enum Format {
    /// One JSON object per line.
    #[default]
    Jsonl,
    /// Comma-separated values with a header line.
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
    // A complete export includes the checkpoints. It also has an end, because others may write faster than it
    // is read.
    wanted.checkpoints = true;
    wanted.to = wanted.to.or_else(|| now.checked_add(jiff::SignedDuration::from_micros(1)).ok());
    wanted.after = Some(START_CURSOR);
    wanted.limit = PAGE;
    let export_slot = app.inner.exports.acquire(&who.credential, EXPORTS);
    let export_slot = export_slot.ok_or_else(|| {
        ApiError::rate_limited(format!("`{}` has {EXPORTS} exports in progress already", who.name))
    })?;
    let slot = app.inner.audit_searches.acquire(&who.credential).await?;
    let mut reader = ExportReader { app, who, wanted, format, over: false, _one: export_slot };
    // Read the first page before the response begins, so that an unreadable log is an error and not an empty
    // file.
    let first = reader.page(slot).await?.unwrap_or_default();
    let head = match format {
        Format::Csv => {
            let mut names = Vec::new();
            csv::header(&mut names).map_err(unwritten)?;
            names
        }
        Format::Jsonl => Vec::new(),
    };
    let beginning = stream::iter([Ok(Bytes::from(head)), Ok(first)]);
    let rest = stream::try_unfold(reader, |mut reader| async {
        let next = reader.next().await.map_err(|fault| LedgerError::permanent(fault.message))?;
        Ok::<_, LedgerError>(next.map(|page| (page, reader)))
    });
    let (media, ending) = match format {
        Format::Jsonl => ("application/x-ndjson", "jsonl"),
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
    };
    let name = format!("attachment; filename=\"sekisho-audit-{}.{ending}\"", now.strftime("%Y%m%dT%H%M%SZ"));
    let headers = [(header::CONTENT_TYPE, media.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, Body::from_stream(futures_util::StreamExt::chain(beginning, rest))).into_response())
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
    /// The next records, written when a queue slot is free: a slow reader delays nobody else. `None` at the
    /// end.
    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        if self.over {
            return Ok(None);
        }
        let slot = self.app.inner.audit_searches.acquire_uncapped(&self.who.credential).await?;
        self.page(slot).await
    }

    async fn page(&mut self, slot: RequestSlot) -> Result<Option<Bytes>, ApiError> {
        // A caller whose token was revoked meanwhile gets nothing more.
        self.app.ensure_token_valid(&self.who).await?;
        let (audit, wanted) = (Arc::clone(&self.app.inner.parts.audit), self.wanted.clone());
        let (rows, slot) = slot.hold_during(async move { audit.search(wanted).await }).await?;
        match rows.last().filter(|_| !self.wanted.is_end(&rows)) {
            Some(last) => self.wanted.after = Some((last.at(), last.writer, last.seq)),
            None => self.over = true,
        }
        let format = self.format;
        let page = run_blocking(move || {
            let _slot = slot;
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

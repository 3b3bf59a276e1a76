//! Routes for the audit log: search, statistics, export, verification.

mod export;
mod filter;
mod verify;

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use sekisho_gate::audit::{WriterId, search_calls};
use serde::Deserialize;
use uuid::Uuid;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonResponse, QueryParams, respond_with_json};
use crate::route::Route;
use crate::wire::audit::{
    AuditCall, AuditCalls, AuditChain, AuditKind, AuditKinds, AuditRow, AuditRowInChain, AuditRows,
    AuditStats, AuditVerified, SignatureState, cursor, cursor_at,
};

/// The longest span for statistics.
const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);
/// The default span for statistics.
const USUAL: SignedDuration = SignedDuration::from_hours(24);

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/audit", Access::READ, "searchAudit", search)
            .summary("Searches the audit log, newest records first")
            .notes("A page ends when its records reach 8 MiB, even before `limit`: follow `next` until it is absent.")
            .query::<filter::AuditSearchQuery>()
            .response::<AuditRows>(200),
        Route::new(Method::GET, "/api/audit/calls", Access::READ, "searchAuditCalls", search_by_call)
            .summary("Searches the audit log by call, newest first")
            .notes("A call is found if one of its records matches, and has all its records. `limit` counts calls. A page ends when its records reach 8 MiB, even before `limit`: follow `next` until it is absent.")
            .query::<filter::AuditSearchQuery>()
            .response::<AuditCalls>(200),
        Route::new(Method::GET, "/api/audit/kinds", Access::READ, "auditKinds", kinds)
            .summary("Lists all kinds of records: the values of `kind`")
            .response::<AuditKinds>(200),
        Route::new(Method::GET, "/api/audit/stats", Access::READ, "auditStats", stats)
            .summary("Statistics for a span of time; default the last day")
            .query::<StatsQuery>()
            .response::<AuditStats>(200),
        Route::new(Method::GET, "/api/audit/export", Access::READ, "exportAudit", export::export)
            .summary("Exports the audit log, oldest records first")
            .notes("JSON lines contain every byte of each record, including its signature. In CSV, a cell that a spreadsheet would read as a formula is prefixed with an apostrophe. A response that breaks off is not complete.")
            .query::<export::AuditExportQuery>()
            .media_response(200, "application/x-ndjson")
            .media_response(200, "text/csv"),
        Route::new(Method::GET, "/api/audit/rows/{writer}/{seq}", Access::READ, "getAuditRow", row)
            .summary("Gets a record and its place in its chain")
            .response::<AuditRowInChain>(200)
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/audit/verify", Access::READ, "verifyAudit", verify::verify)
            .summary("Verifies that the audit log is complete and unchanged")
            .notes("Only one verification runs at a time. The response is 200 even if problems were found.")
            .response::<AuditVerified>(200)
            .error_statuses(&[409]),
    ]
}

async fn search(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(search): QueryParams<filter::AuditSearchQuery>,
) -> Result<Response, ApiError> {
    let query = search.query()?;
    let slot = app.inner.audit_searches.acquire(&who.credential).await?;
    let audit = Arc::clone(&app.inner.parts.audit);
    let search = query.clone();
    let (rows, slot) = slot.hold_during(async move { audit.search(search).await }).await?;
    respond_with_json(slot, move || {
        let next = rows.last().filter(|_| !query.is_end(&rows)).map(cursor);
        AuditRows { rows: rows.into_iter().map(AuditRow::from).collect(), next }
    })
    .await
}

async fn search_by_call(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(search): QueryParams<filter::AuditSearchQuery>,
) -> Result<Response, ApiError> {
    let query = search.query()?;
    let slot = app.inner.audit_searches.acquire(&who.credential).await?;
    let audit = Arc::clone(&app.inner.parts.audit);
    let (page, slot) = slot.hold_during(async move { search_calls(audit.as_ref(), query).await }).await?;
    respond_with_json(slot, move || AuditCalls {
        calls: page.calls.into_iter().map(AuditCall::from).collect(),
        next: page.next.map(cursor_at),
    })
    .await
}

async fn kinds(State(app): State<App>) -> JsonResponse<AuditKinds> {
    let kinds = app.gate().kinds().into_iter();
    JsonResponse(AuditKinds {
        kinds: kinds.map(|known| AuditKind { name: known.kind, schema: known.schema }).collect(),
    })
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AuditSpan")]
struct StatsQuery {
    /// Start of the span; default one day before `to`.
    #[serde(default)]
    from: Option<Timestamp>,
    /// End of the span, exclusive; default now.
    #[serde(default)]
    to: Option<Timestamp>,
}

async fn stats(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(span): QueryParams<StatsQuery>,
) -> Result<JsonResponse<AuditStats>, ApiError> {
    let to = span.to.unwrap_or_else(|| app.now());
    let from = span.from.unwrap_or_else(|| to.saturating_sub(USUAL).unwrap_or(to));
    filter::in_order(Some(from), Some(to))?;
    if to.duration_since(from) > LONGEST {
        return Err(ApiError::invalid("`from` and `to` are more than 366 days apart"));
    }
    let slot = app.inner.audit_searches.acquire(&who.credential).await?;
    let audit = Arc::clone(&app.inner.parts.audit);
    let (stats, _slot) = slot.hold_during(async move { audit.stats(from, to).await }).await?;
    Ok(JsonResponse(AuditStats { from, to, stats }))
}

async fn row(
    State(app): State<App>,
    Path((writer, seq)): Path<(String, String)>,
) -> Result<JsonResponse<AuditRowInChain>, ApiError> {
    let unknown = || ApiError::not_found(format!("writer `{writer}` has no record {seq}"));
    let id = WriterId(Uuid::try_parse(&writer).map_err(|_| unknown())?);
    let number: u64 = seq.parse().map_err(|_| unknown())?;
    // Stores use signed numbers.
    i64::try_from(number).map_err(|_| unknown())?;
    let audit = &app.inner.parts.audit;
    let row = audit.row(id, number).await?.ok_or_else(unknown)?;
    let last = audit.heads().await?.into_iter().find(|head| head.writer == id).map(|head| head.seq);
    let cut = audit.cuts().await?.into_iter().find(|cut| cut.head.writer == id);
    let signature = match row.expected_mac(&app.inner.parts.keys) {
        None => SignatureState::UnknownKey,
        Some(code) if code == row.code => SignatureState::Holds,
        Some(_) => SignatureState::Changed,
    };
    let last = last.unwrap_or(row.seq).max(row.seq);
    let chain = AuditChain { last, removed_to: cut.map(|cut| cut.head.seq), signature };
    Ok(JsonResponse(AuditRowInChain { row: AuditRow::from(row), chain }))
}

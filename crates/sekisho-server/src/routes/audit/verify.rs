//! Verifying the record, while everybody goes on.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use sekisho_gate::audit::{IntegrityErrorKind, WriterId, verify_log};
use tokio::runtime::Handle;

use crate::app::App;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::json_body::JsonResponse;
use crate::wire::audit::{AuditProblem, AuditVerified};

pub(super) async fn verify(State(app): State<App>) -> Result<JsonResponse<AuditVerified>, ApiError> {
    let keys = Arc::clone(&app.inner.parts.keys);
    if keys.signing().is_none() {
        let message = "there is no key of the record here, and without it nothing can be verified";
        return Err(ApiError::new(StatusCode::CONFLICT, "NoKey", message)
            .with_hint("put back the copy of the key file that belongs to this record"));
    }
    let place = app.inner.exclusive_jobs.audit_verification.try_start()?;
    let audit = Arc::clone(&app.inner.parts.audit);
    let runtime = Handle::current();
    // Computing every code takes a processor for itself. Whoever asked may go away; it is still only one at a time.
    let found = run_blocking(move || {
        let _place = place;
        runtime.block_on(verify_log(&*audit, &keys, &[], &mut |_| {}))
    })
    .await??;
    match found {
        Ok(report) => {
            let chains = Some(report.heads.len());
            Ok(JsonResponse(AuditVerified { ok: true, rows: report.rows, chains, problems: Vec::new() }))
        }
        Err(unsound) => {
            let message = unsound.to_string();
            let (writer, seq) = match unsound.why {
                IntegrityErrorKind::Chain(bad) => (bad.writer, Some(bad.seq)),
                IntegrityErrorKind::Unlisted(writer) => (writer, None),
                // No chain is at fault: all of them may be gone.
                IntegrityErrorKind::BeginsLate { .. } => (WriterId(uuid::Uuid::nil()), None),
                IntegrityErrorKind::Pruned => {
                    return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message));
                }
            };
            let problems = vec![AuditProblem { writer: writer.0, seq, message }];
            Ok(JsonResponse(AuditVerified { ok: false, rows: unsound.rows, chains: None, problems }))
        }
    }
}

//! Verifying the audit log, without blocking other requests.

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
        let message = "the audit log's key is missing, so nothing can be verified";
        return Err(ApiError::new(StatusCode::CONFLICT, "NoKey", message)
            .with_hint("restore the key file of this audit log from a backup"));
    }
    let permit = app.inner.exclusive_jobs.audit_verification.try_start()?;
    let audit = Arc::clone(&app.inner.parts.audit);
    let runtime = Handle::current();
    // Computing every code keeps one core busy. If the caller goes away, the job still counts as running.
    let found = run_blocking(move || {
        let _permit = permit;
        runtime.block_on(verify_log(&*audit, &keys, &[], &mut |_| {}))
    })
    .await??;
    match found {
        Ok(report) => {
            let chains = Some(report.heads.len());
            Ok(JsonResponse(AuditVerified { ok: true, rows: report.rows, chains, problems: Vec::new() }))
        }
        Err(error) => {
            let message = error.to_string();
            let (writer, seq) = match error.why {
                IntegrityErrorKind::Chain(chain_error) => (chain_error.writer, Some(chain_error.seq)),
                IntegrityErrorKind::Unlisted(writer) => (writer, None),
                // No particular chain is wrong: all of them may be gone.
                IntegrityErrorKind::BeginsLate { .. } => (WriterId(uuid::Uuid::nil()), None),
                IntegrityErrorKind::Pruned => {
                    return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message));
                }
            };
            let problems = vec![AuditProblem { writer: writer.0, seq, message }];
            Ok(JsonResponse(AuditVerified { ok: false, rows: error.rows, chains: None, problems }))
        }
    }
}

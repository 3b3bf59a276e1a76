//! Verifying the record, while everybody goes on.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use sekisho_gate::audit::{Why, WriterId, check};
use tokio::runtime::Handle;

use crate::app::App;
use crate::body::Json;
use crate::errands::aside;
use crate::error::Fault;
use crate::wire::audit::{AuditProblem, AuditVerified};

pub(super) async fn verify(State(app): State<App>) -> Result<Json<AuditVerified>, Fault> {
    let keys = Arc::clone(&app.inner.parts.keys);
    if keys.signing().is_none() {
        let message = "there is no key of the record here, and without it nothing can be verified";
        return Err(Fault::new(StatusCode::CONFLICT, "NoKey", message)
            .hint("put back the copy of the key file that belongs to this record"));
    }
    let place = app.inner.errands.verifying.begin()?;
    let audit = Arc::clone(&app.inner.parts.audit);
    let runtime = Handle::current();
    // Computing every code takes a processor for itself. Whoever asked may go away; it is still only one at a time.
    let found = aside(move || {
        let _place = place;
        runtime.block_on(check(&*audit, &keys, &[], &mut |_| {}))
    })
    .await??;
    match found {
        Ok(report) => {
            let chains = Some(report.heads.len());
            Ok(Json(AuditVerified { ok: true, rows: report.rows, chains, problems: Vec::new() }))
        }
        Err(unsound) => {
            let message = unsound.to_string();
            let (writer, seq) = match unsound.why {
                Why::Bad(bad) => (bad.writer, Some(bad.seq)),
                Why::Unlisted(writer) => (writer, None),
                // No chain is at fault: all of them may be gone.
                Why::BeginsLate { .. } => (WriterId(uuid::Uuid::nil()), None),
                Why::Pruned => return Err(Fault::new(StatusCode::CONFLICT, "Conflict", message)),
            };
            let problems = vec![AuditProblem { writer: writer.0, seq, message }];
            Ok(Json(AuditVerified { ok: false, rows: unsound.rows, chains: None, problems }))
        }
    }
}

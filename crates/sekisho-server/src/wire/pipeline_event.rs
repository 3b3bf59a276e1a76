//! The events of a run of a pipeline: `{type, pipelineRunId, payload}`.

use sekisho_agent::pipelines::machine::{PipelineChunk, PipelineEnd, StageFailure};
use serde_json::{Value, json};
use uuid::Uuid;

use super::run::PendingCallView;
use super::usage::UsageView;

/// An event as text. `id` is its number, if it is stored.
pub(crate) fn frame(run: Uuid, id: Option<u64>, (kind, payload): &(&'static str, Value)) -> String {
    let body = json!({ "type": kind, "pipelineRunId": run, "payload": payload });
    match id {
        Some(id) => format!("id: {id}\ndata: {body}\n\n"),
        None => format!("data: {body}\n\n"),
    }
}

/// The event of a stored chunk.
pub(crate) fn event_of(chunk: &PipelineChunk) -> (&'static str, Value) {
    match chunk {
        PipelineChunk::StageStarted { stage, attempt, run_id, at } => {
            ("stage-start", json!({ "stage": stage, "attempt": attempt, "runId": run_id, "at": at }))
        }
        PipelineChunk::StageCompleted { stage, attempt, run_id, usage, at } => {
            let usage = UsageView::of(*usage, None);
            let payload =
                json!({ "stage": stage, "attempt": attempt, "runId": run_id, "usage": usage, "at": at });
            ("stage-finish", payload)
        }
        PipelineChunk::StageFailed { stage, attempt, run_id, failure, usage, at } => {
            let (usage, StageFailure { code, detail }) = (UsageView::of(*usage, None), failure);
            let payload = json!({
                "stage": stage, "attempt": attempt, "runId": run_id, "failure": code.name(), "error": detail,
                "usage": usage, "at": at,
            });
            ("stage-error", payload)
        }
        PipelineChunk::Finished { end, usage, at } => {
            let (usage, at) = (UsageView::of(*usage, None), at);
            let payload = match end {
                PipelineEnd::Completed => json!({ "status": "completed", "usage": usage, "at": at }),
                PipelineEnd::Failed { stage, failure } => json!({
                    "status": "failed", "stage": stage, "failure": failure.code.name(), "error": failure.detail,
                    "usage": usage, "at": at,
                }),
                PipelineEnd::Aborted { why } => {
                    json!({ "status": "aborted", "error": why, "usage": usage, "at": at })
                }
            };
            ("finish", payload)
        }
    }
}

/// The event for what the stage that is under way waits for. It is not stored.
pub(crate) fn pending_event(run: Uuid, pending: &[PendingCallView]) -> (&'static str, Value) {
    ("stage-pending", json!({ "runId": run, "pending": pending }))
}

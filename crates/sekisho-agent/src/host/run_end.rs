//! The audit record of the end of a run.

use sekisho_gate::registered_records::{CheckedRecord, ComponentRecord, Recorder};
use serde_json::json;

use crate::run_summary::finish_reason;
use crate::runs::StoredRun;

/// The record of the end of a run: why it ended, and what it used and cost so far.
pub(super) fn record(recorder: &Recorder, run: &StoredRun) -> Option<CheckedRecord> {
    let (id, usage) = (run.id, run.state.usage);
    let reason = finish_reason(&run.state)?;
    let mut body = json!({
        "agent": run.settings.agent,
        "run": id,
        "reason": reason,
        "replies": run.state.replies,
        "usage": {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cache_read_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
    });
    if let (Some(cost), Some(fields)) = (run.cost(), body.as_object_mut()) {
        fields.insert("cost_usd".into(), json!(cost));
    }
    let line = ComponentRecord {
        text: format!("run `{id}` ended: {reason}"),
        body,
        agent: Some(run.settings.agent_name.clone()),
        credential: Some(run.settings.credential.clone()),
        ..ComponentRecord::default()
    };
    // The kind is registered, and the body is as its schema says.
    recorder.check("run_ended", line).ok()
}

//! Shows a run of a pipeline in the terminal while it goes on, and how it ended.

use std::io::Write;

use sekisho_server::wire::pipeline::{PipelineRunView, PipelineStageView};
use sekisho_server::wire::run::RunStatusName;
use serde_json::Value;
use tokio::sync::mpsc;

use super::pipelines_client::{PipelinesClient, run_title};
use crate::client::{StreamUpdate, follow_events};
use crate::commands::runs::run_view::status_name;
use crate::commands::server_connection::short_id;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{StyledStdout, ensure_visible_lines, style, visible};

/// Follows a run until it has ended, and writes its output. The run goes on if this is interrupted.
pub(super) fn follow(
    pipelines: &PipelinesClient,
    out: &mut StyledStdout,
    run: &PipelineRunView,
) -> Result<Exit, Failure> {
    let (sender, mut updates) = mpsc::channel(16);
    let path = format!("/api/pipeline-runs/{}/events", run.id);
    let client = pipelines.server.client.clone();
    pipelines.server.runtime.spawn(follow_events(client, path, sender));
    loop {
        match pipelines.server.block_on(updates.recv()) {
            Some(StreamUpdate::Done) | None => break,
            Some(StreamUpdate::Event { data, .. }) => write_event(out, run, &data)?,
            Some(StreamUpdate::Refused(error)) => return Err(error.into()),
            // It connects again, and nothing is missed.
            Some(StreamUpdate::Connected | StreamUpdate::Disconnected { .. }) => {}
        }
        out.flush()?;
    }
    write_end(out, &pipelines.run(run.id)?)
}

fn write_event(out: &mut StyledStdout, run: &PipelineRunView, event: &Value) -> Result<(), Failure> {
    let payload = event.get("payload").unwrap_or(&Value::Null);
    let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let stage = payload.get("stage").and_then(Value::as_u64).and_then(|stage| usize::try_from(stage).ok());
    let label = stage.map(|stage| stage_label(run, stage)).unwrap_or_default();
    let (faint, confirm) = (style::FAINT, style::CONFIRM);
    match event.get("type").and_then(Value::as_str).unwrap_or_default() {
        "stage-start" => {
            let attempt = payload.get("attempt").and_then(Value::as_u64).filter(|attempt| *attempt > 1);
            let again = attempt.map(|attempt| format!(", attempt {attempt}")).unwrap_or_default();
            writeln!(out, "{label}  started{again}  {faint}run {}{faint:#}", short(text("runId")))?;
        }
        "stage-pending" => {
            let run_id = short(text("runId"));
            for call in payload.get("pending").and_then(Value::as_array).into_iter().flatten() {
                let of = |name: &str| call.get(name).cloned().unwrap_or_default();
                let (tool, args) = (of("toolName"), of("args").to_string());
                writeln!(
                    out,
                    "{confirm}waits for an approval{confirm:#}  {} {}  {faint}`sekisho runs resume {run_id} --approve`, or the inbox{faint:#}",
                    visible(tool.as_str().unwrap_or_default()),
                    visible(&args)
                )?;
            }
        }
        "stage-finish" => writeln!(out, "{label}  {}completed{:#}", style::ALLOW, style::ALLOW)?,
        "stage-error" => {
            let deny = style::DENY;
            let why = failure_text(Some(text("failure")), payload.get("error").and_then(Value::as_str));
            writeln!(out, "{label}  {deny}failed{deny:#}  {why}")?;
        }
        _ => {}
    }
    Ok(())
}

/// `[1/3] search`.
fn stage_label(run: &PipelineRunView, stage: usize) -> String {
    let name = run.stages.get(stage).map(|stage| visible(&stage.name).into_owned()).unwrap_or_default();
    format!("[{}/{}] {name}", stage.saturating_add(1), run.stages.len())
}

/// The end of an id, for people.
fn short(id: &str) -> String {
    id.parse().map_or_else(|_| visible(id).into_owned(), short_id)
}

/// Why something failed.
fn failure_text(code: Option<&str>, detail: Option<&str>) -> String {
    let parts = [code, detail].into_iter().flatten().filter(|part| !part.is_empty());
    parts.map(|part| visible(part).into_owned()).collect::<Vec<_>>().join(": ")
}

/// Writes how a run ended, and its output.
pub(super) fn write_end(out: &mut StyledStdout, run: &PipelineRunView) -> Result<Exit, Failure> {
    let (status, colour) = status_name(run.status);
    let why = failure_text(run.failure.as_deref(), run.error.as_deref());
    let line = format!("pipeline run {}: {colour}{status}{colour:#}  {why}", run_title(run));
    writeln!(out, "{}", line.trim_end())?;
    if run.status == RunStatusName::Completed
        && let Some(output) = run.output.as_deref().filter(|output| !output.is_empty())
    {
        writeln!(out, "{}", ensure_visible_lines(output))?;
    }
    if run.failed_stage.is_some() {
        let faint = style::FAINT;
        let id = short_id(run.id);
        writeln!(out, "{faint}`sekisho pipeline retry {id}` tries the stage again{faint:#}")?;
    }
    Ok(exit_of(run.status))
}

/// Writes the stages of a run and what they wait for.
pub(super) fn write_stages(out: &mut StyledStdout, run: &PipelineRunView) -> Result<(), Failure> {
    for (at, stage) in run.stages.iter().enumerate() {
        write_stage(out, run, at, stage)?;
    }
    Ok(())
}

fn write_stage(
    out: &mut StyledStdout,
    run: &PipelineRunView,
    at: usize,
    stage: &PipelineStageView,
) -> Result<(), Failure> {
    let (faint, confirm) = (style::FAINT, style::CONFIRM);
    let label = stage_label(run, at);
    let Some(status) = stage.status else {
        writeln!(out, "{label}  {faint}not begun{faint:#}")?;
        return Ok(());
    };
    let (status, colour) = status_name(status);
    writeln!(out, "{label}  {colour}{status}{colour:#}  {faint}{}{faint:#}", visible(&stage.agent_name))?;
    for attempt in &stage.attempts {
        let why = failure_text(attempt.failure.as_deref(), attempt.error.as_deref());
        let line = format!("  {faint}run {}{faint:#}  {why}", short_id(attempt.run_id));
        writeln!(out, "{}", line.trim_end())?;
    }
    for call in &stage.pending {
        let (name, args) = (visible(&call.tool_name), call.args.to_string());
        writeln!(out, "  {confirm}waits for an approval{confirm:#}  {name} {}", visible(&args))?;
    }
    Ok(())
}

/// The exit code for a run that is as far as this.
pub(super) fn exit_of(status: RunStatusName) -> Exit {
    match status {
        RunStatusName::Running | RunStatusName::Completed => Exit::Ok,
        RunStatusName::Suspended => Exit::NeedsConfirmation,
        RunStatusName::Failed | RunStatusName::Aborted => Exit::Failure,
    }
}

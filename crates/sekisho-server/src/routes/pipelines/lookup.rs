//! Finds pipelines and their runs for their routes.

use sekisho_agent::pipelines::stored_pipelines::Pipeline;
use sekisho_agent::pipelines::stored_runs::StoredPipelineRun;
use sekisho_agent::run_summary::PendingCall;
use sekisho_gate::answer::Role;
use uuid::Uuid;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::wire::pipeline::{Detail, PipelineRunView};

/// The pipeline with this id.
pub(super) async fn find_pipeline(app: &App, id: &str) -> Result<Pipeline, ApiError> {
    let unknown = || ApiError::not_found(format!("there is no pipeline `{id}`"));
    let parsed: Uuid = id.parse().map_err(|_| unknown())?;
    app.pipelines().pipelines().pipeline(parsed).await?.ok_or_else(unknown)
}

/// A run that the caller may see. Agents see the runs that they started; others are reported as not found.
pub(super) async fn find_run(app: &App, who: &Identity, id: &str) -> Result<StoredPipelineRun, ApiError> {
    let unknown = || ApiError::not_found(format!("there is no pipeline run `{id}`"));
    let parsed: Uuid = id.parse().map_err(|_| unknown())?;
    let run = app.pipelines().runs().pipeline_run(parsed).await?;
    let may_see =
        |run: &StoredPipelineRun| who.role > Role::Agent || run.settings.credential == who.credential;
    run.filter(may_see).ok_or_else(unknown)
}

/// What the stage of a run waits for.
pub(super) async fn pending(app: &App, run: &StoredPipelineRun) -> Result<Vec<PendingCall>, ApiError> {
    let Some(stage_run) = run.state.current_run() else { return Ok(Vec::new()) };
    let Some(stage_run) = app.agents().runs().run(stage_run).await? else { return Ok(Vec::new()) };
    Ok(app.agents().pending(&stage_run).await?)
}

/// A run with everything.
pub(super) async fn view(app: &App, run: &StoredPipelineRun) -> Result<PipelineRunView, ApiError> {
    Ok(PipelineRunView::of(run, pending(app, run).await?, Detail::Whole))
}

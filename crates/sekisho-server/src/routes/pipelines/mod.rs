//! Routes for pipelines, and for their runs: start, list, show, follow, try again, abort.

mod definitions;
mod follow;
mod list;
mod lookup;
mod requests;
mod start;

use axum::http::Method;

use crate::access::Access;
use crate::route::Route;
use crate::wire::pipeline::{
    PipelineBody, PipelineList, PipelineRunList, PipelineRunView, PipelineView, RunPipelineBody,
    StartPipelineRunBody,
};
use crate::wire::run::AbortBody;

pub(super) fn routes() -> Vec<Route> {
    [definition_routes(), run_routes()].concat()
}

fn definition_routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/pipelines", Access::READ, "listPipelines", definitions::list)
            .summary("Lists the pipelines, in order of creation")
            .response::<PipelineList>(200),
        Route::new(Method::POST, "/api/pipelines", Access::ADMIN, "createPipeline", definitions::create)
            .summary("Creates a pipeline")
            .notes("Its agents and tools must exist. An error names the field, such as `stages[1].prompt`.")
            .request_body::<PipelineBody>()
            .response::<PipelineView>(201)
            .error_statuses(&[409]),
        Route::new(Method::GET, "/api/pipelines/{id}", Access::READ, "getPipeline", definitions::show)
            .summary("Gets a pipeline")
            .response::<PipelineView>(200)
            .error_statuses(&[404]),
        Route::new(Method::PUT, "/api/pipelines/{id}", Access::ADMIN, "replacePipeline", definitions::replace)
            .summary("Replaces the definition of a pipeline")
            .notes("Send all of it: omitted settings get their defaults. Runs keep the definition that they were started with.")
            .request_body::<PipelineBody>()
            .response::<PipelineView>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::DELETE, "/api/pipelines/{id}", Access::ADMIN, "deletePipeline", definitions::delete)
            .summary("Deletes a pipeline; its runs stay, and go on")
            .media_response(204, "")
            .error_statuses(&[404]),
    ]
}

fn run_routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/pipelines/{id}/run", Access::START, "runPipeline", start::run_stored)
            .summary("Starts a run of a pipeline, and waits for it")
            .notes("Returns when the run has ended, or when its stage only waits for approvals (`status: \"suspended\"`). With `wait=true` it also waits for the approvals, with `wait=false` for nothing. The run goes on if the connection closes. Each stage is a run of its agent, in `/api/runs`; stages only narrow what their agents have: more is 403 `ToolPermissionDenied`. If an agent cannot run at all, it is 500 `ToolExecutionFailed`.")
            .query::<start::PipelineWaitQuery>()
            .request_body::<RunPipelineBody>()
            .response::<PipelineRunView>(200)
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/pipeline-runs", Access::START, "startPipelineRun", start::run_unstored)
            .summary("Starts a run of a pipeline that is not stored, and waits for it")
            .notes("As `runPipeline`. It can do no more than its agents, which admins define.")
            .query::<start::PipelineWaitQuery>()
            .request_body::<StartPipelineRunBody>()
            .response::<PipelineRunView>(200),
        Route::new(Method::GET, "/api/pipeline-runs", Access::ANY_ROLE, "listPipelineRuns", list::list)
            .summary("Lists runs of pipelines, newest first; an agent sees its own")
            .query::<list::PipelineRunsQuery>()
            .response::<PipelineRunList>(200),
        Route::new(Method::GET, "/api/pipeline-runs/{id}", Access::ANY_ROLE, "getPipelineRun", list::show)
            .summary("Gets a run of a pipeline, with its stages and their runs")
            .response::<PipelineRunView>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/pipeline-runs/{id}/events", Access::ANY_ROLE, "followPipelineRun", follow::follow)
            .summary("Follows a run of a pipeline as server-sent events")
            .notes("Each event is `{type, pipelineRunId, payload}`; the types are `stage-start`, `stage-pending`, `stage-finish`, `stage-error` and `finish`. Stored events have an `id`; `Last-Event-ID` continues after it. `stage-pending` says which calls of the stage wait for approvals; it is not stored. The stream ends with `[DONE]` when the run has ended. Follow the runs of the stages for what their models say.")
            .query::<follow::FollowPipelineQuery>()
            .media_response(200, "text/event-stream")
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/pipeline-runs/{id}/retry", Access::START, "retryPipelineStage", requests::retry)
            .summary("Tries the failed stage of a run again, from its start")
            .notes("The stages before it are not repeated. A run that did not fail is 409; a stage can be tried 100 times.")
            .query::<start::PipelineWaitQuery>()
            .response::<PipelineRunView>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::POST, "/api/pipeline-runs/{id}/abort", Access::ANSWER, "abortPipelineRun", requests::abort)
            .summary("Ends a run of a pipeline, and the run of its stage with its tools and questions")
            .request_body::<AbortBody>()
            .response::<PipelineRunView>(200)
            .error_statuses(&[404]),
    ]
}

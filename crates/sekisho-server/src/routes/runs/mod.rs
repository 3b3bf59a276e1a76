//! Routes for runs of agents: start, list, show, follow, send messages, approve and decline calls, interrupt, abort.

pub(super) mod execute;
mod follow;
pub(super) mod launch;
mod list;
mod requests;
pub(super) mod run_lookup;
pub(super) mod tool_calls;

use axum::http::Method;

use crate::access::Access;
use crate::route::Route;
use crate::wire::run::{
    AbortBody, ApproveToolCallBody, DeclineToolCallBody, ExecuteBody, ExecutionView, InterruptBody,
    MessageBody, RunList, RunMessages, RunView,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/execute-with-tools", Access::START, "executeWithTools", execute::execute)
            .summary("Starts a run of an agent, and waits for it")
            .notes("Returns when the run has ended, or when it only waits for approvals (`status: \"suspended\"`). With `wait=true` it also waits for the approvals, with `wait=false` for nothing. The run goes on if the connection closes. `enabled_tools` and `tool_config` only narrow what the agent has: more is 403 `ToolPermissionDenied`. If the agent cannot run at all, because its model has no key for example, it is 500 `ToolExecutionFailed`.")
            .query::<execute::WaitQuery>()
            .request_body::<ExecuteBody>()
            .response::<ExecutionView>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/runs", Access::ANY_ROLE, "listRuns", list::list)
            .summary("Lists runs, newest first; an agent sees its own")
            .query::<list::RunsQuery>()
            .response::<RunList>(200),
        Route::new(Method::GET, "/api/runs/{id}", Access::ANY_ROLE, "getRun", list::show)
            .summary("Gets a run")
            .response::<RunView>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/runs/{id}/messages", Access::ANY_ROLE, "getRunMessages", list::messages)
            .summary("Gets the conversation of a run")
            .response::<RunMessages>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/runs/{id}/events", Access::ANY_ROLE, "followRun", follow::follow)
            .summary("Follows a run as server-sent events")
            .notes("Each event is `{type, runId, from, payload}`; the types are `user-message`, `text-start`, `text-delta`, `text-end`, `tool-call`, `tool-call-approval`, `tool-result`, `tool-error`, `tool-output-denied`, `context-folded`, `step-finish` and `finish`. Stored events have an `id`; `Last-Event-ID` continues after it. Text is sent while it arrives; a second `text-start` without a `text-end` before it takes the text back. The stream ends with `[DONE]` when the run has ended, or with `until=suspended` when it only waits for approvals.")
            .query::<follow::FollowQuery>()
            .media_response(200, "text/event-stream")
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/runs/{id}/messages", Access::ANSWER, "sendRunMessage", requests::message)
            .summary("Sends a message to a run")
            .notes("While the run is busy or waits for approvals, the message is queued; it is never taken as an answer. It continues a run that has ended, unless the run was aborted: 409. It is refused with 409 if 100 messages or 4 MiB of them are queued.")
            .query::<execute::WaitQuery>()
            .request_body::<MessageBody>()
            .response::<RunView>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::POST, "/api/runs/{id}/interrupt", Access::ANSWER, "interruptRun", requests::interrupt)
            .summary("Ends the tools of a run that run now")
            .notes("The run goes on: its model reads that a human interrupted them. Calls that wait for an approval go on waiting. Nothing changes if no tool runs.")
            .request_body::<InterruptBody>()
            .response::<RunView>(200)
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/runs/{id}/abort", Access::ANSWER, "abortRun", requests::abort)
            .summary("Ends a run, its tools and its questions")
            .request_body::<AbortBody>()
            .response::<RunView>(200)
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/runs/{id}/approve-tool-call", Access::ANSWER, "approveToolCall", tool_calls::approve)
            .summary("Approves a call of a run")
            .notes("Returns when the run has ended or waits for approvals again, or as `wait` says. `toolCallId` may be left out only if exactly one call waits: otherwise 409. A call that does not wait, because it is unknown or was answered before, is 409 `AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED`; an unknown run is 404 `AGENT_RESUME_NO_SNAPSHOT_FOUND`.")
            .query::<execute::WaitQuery>()
            .request_body::<ApproveToolCallBody>()
            .response::<RunView>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::POST, "/api/runs/{id}/decline-tool-call", Access::ANSWER, "declineToolCall", tool_calls::decline)
            .summary("Declines a call of a run; the model reads the reason")
            .notes("As `approve-tool-call`. `reason` takes precedence over `info`.")
            .query::<execute::WaitQuery>()
            .request_body::<DeclineToolCallBody>()
            .response::<RunView>(200)
            .error_statuses(&[404, 409]),
    ]
}

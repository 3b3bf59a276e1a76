//! Routes of Mastra's server, for its own clients: `@mastra/client-js` with `baseUrl: "…/mastra"` works unchanged.
//!
//! They start, follow and answer the same runs as `/api/runs`, by the same rules.

mod agents;
mod answers;
mod error;
mod generate;
mod run_response;
mod start;
mod suspended_runs;

use axum::http::Method;

use crate::access::Access;
use crate::route::Route;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/mastra/api/agents", Access::READ, "mastraListAgents", agents::list)
            .summary("Lists the agents"),
        Route::new(Method::GET, "/mastra/api/agents/{id}", Access::READ, "mastraGetAgent", agents::show)
            .summary("Describes an agent"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/stream",
            Access::START,
            "mastraStream",
            start::stream,
        )
        .summary("Starts a run and streams it"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/generate",
            Access::START,
            "mastraGenerate",
            start::generate,
        )
        .summary("Starts a run and waits for it"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/observe",
            Access::ANY_ROLE,
            "mastraObserve",
            start::observe,
        )
        .summary("Joins the stream of a run"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/approve-tool-call",
            Access::ANSWER,
            "mastraApprove",
            answers::approve,
        )
        .summary("Approves a call and streams what follows"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/decline-tool-call",
            Access::ANSWER,
            "mastraDecline",
            answers::decline,
        )
        .summary("Declines a call and streams what follows"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/resume-stream",
            Access::ANSWER,
            "mastraResume",
            answers::resume,
        )
        .summary("Answers a call and streams what follows"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/approve-tool-call-generate",
            Access::ANSWER,
            "mastraApproveGenerate",
            answers::approve_generate,
        )
        .summary("Approves a call and waits"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/decline-tool-call-generate",
            Access::ANSWER,
            "mastraDeclineGenerate",
            answers::decline_generate,
        )
        .summary("Declines a call and waits"),
        Route::new(
            Method::GET,
            "/mastra/api/agents/{id}/suspended-runs",
            Access::ANY_ROLE,
            "mastraSuspendedRuns",
            suspended_runs::list,
        )
        .summary("Lists the runs of an agent that wait for approvals"),
    ]
}

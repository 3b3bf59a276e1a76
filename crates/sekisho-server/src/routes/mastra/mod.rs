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
    let mut routes = of_agents();
    routes.extend(of_runs());
    routes.extend(of_answers());
    routes
}

fn of_agents() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/mastra/api/agents", Access::READ, "mastraListAgents", agents::list)
            .summary("Lists the agents"),
        Route::new(Method::GET, "/mastra/api/agents/{id}", Access::READ, "mastraGetAgent", agents::show)
            .summary("Describes an agent"),
    ]
}

fn of_runs() -> Vec<Route> {
    let (start, see) = (Access::START, Access::ANY_ROLE);
    vec![
        Route::new(Method::POST, "/mastra/api/agents/{id}/stream", start, "mastraStream", start::stream)
            .summary("Starts a run and streams it"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/generate",
            start,
            "mastraGenerate",
            start::generate,
        )
        .summary("Starts a run and waits for it"),
        Route::new(Method::POST, "/mastra/api/agents/{id}/observe", see, "mastraObserve", start::observe)
            .summary("Joins the stream of a run"),
        Route::new(
            Method::GET,
            "/mastra/api/agents/{id}/suspended-runs",
            see,
            "mastraSuspendedRuns",
            suspended_runs::list,
        )
        .summary("Lists the runs of an agent that wait for approvals"),
    ]
}

fn of_answers() -> Vec<Route> {
    let may = Access::ANSWER;
    vec![
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/approve-tool-call",
            may,
            "mastraApprove",
            answers::approve,
        )
        .summary("Approves a call and streams what follows"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/decline-tool-call",
            may,
            "mastraDecline",
            answers::decline,
        )
        .summary("Declines a call and streams what follows"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/resume-stream",
            may,
            "mastraResume",
            answers::resume,
        )
        .summary("Answers a call and streams what follows"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/approve-tool-call-generate",
            may,
            "mastraApproveGenerate",
            answers::approve_generate,
        )
        .summary("Approves a call and waits"),
        Route::new(
            Method::POST,
            "/mastra/api/agents/{id}/decline-tool-call-generate",
            may,
            "mastraDeclineGenerate",
            answers::decline_generate,
        )
        .summary("Declines a call and waits"),
    ]
}

//! Questions: list, show, wait, answer, withdraw.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::Method;
use schemars::JsonSchema;
use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Role;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::ApprovalQuery;
use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::answer;
use crate::app::App;
use crate::auth::Identity;
use crate::body::{Body, Json, Query};
use crate::error::Fault;
use crate::route::Route;
use crate::wire::approval::{AnswerBody, AnswerTaken, QuestionState, SeenQuestion};

/// The longest a long poll takes.
const LONGEST_WAIT_MS: u64 = 60_000;
/// How many questions a page has at most.
const LARGEST_PAGE: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/approvals", Access::KNOWN, "listApprovals", list)
            .says("Questions, newest first; an agent sees its own")
            .query::<Listing>()
            .gives::<Questions>(200),
        Route::new(Method::GET, "/api/approvals/{id}", Access::KNOWN, "getApproval", show)
            .says("One question")
            .gives::<SeenQuestion>(200)
            .faults(&[404]),
        Route::new(Method::GET, "/api/approvals/{id}/wait", Access::KNOWN, "waitForApproval", wait)
            .says("Waits until a question has ended, or for a while")
            .notes("Gives the question as it is then, still pending if the time was up. Waiting is only looking: it takes no answer.")
            .query::<Wait>()
            .gives::<SeenQuestion>(200)
            .faults(&[404]),
        Route::new(Method::POST, "/api/approvals/{id}/answer", Access::ANSWER, "answerApproval", answer)
            .says("Answers a question; the first answer wins")
            .notes("The same answer again gives the same result, another one 409. After expiry or abort: 410. Saving rules that are wider than proposed needs an admin.")
            .takes::<AnswerBody>()
            .gives::<AnswerTaken>(200)
            .faults(&[404, 409, 410]),
        Route::new(Method::DELETE, "/api/approvals/{id}", Access::ANSWER_OR_OWN, "withdrawApproval", withdraw)
            .says("Withdraws a question; an agent its own")
            .gives::<SeenQuestion>(200)
            .faults(&[404]),
    ]
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Listing {
    /// Only those in this state.
    #[serde(default)]
    state: Option<QuestionState>,
    /// Only those asked before this one: the `next` of the page before.
    #[serde(default)]
    before: Option<ApprovalId>,
    /// How many at most; 100 unless told, 500 at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
}

/// A page of questions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Questions {
    /// The questions, newest first.
    approvals: Vec<SeenQuestion>,
    /// Where the next page begins; none: this is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<ApprovalId>,
}

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Query(listing): Query<Listing>,
) -> Result<Json<Questions>, Fault> {
    let limit = listing.limit.unwrap_or(100);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(Fault::invalid(format!("`limit` is {limit}; it has to be 1 to {LARGEST_PAGE}")));
    }
    if who.role == Role::Agent && !who.hears_of(&who.credential) {
        return Ok(Json(Questions { approvals: Vec::new(), next: None }));
    }
    let query = ApprovalQuery {
        state: listing.state.map(|state| state.name().into()),
        credential: (who.role == Role::Agent).then(|| who.credential.clone()),
        since: None,
        before: listing.before,
        limit,
    };
    let found = app.gate().ledger().approvals(query).await?;
    let next = found.last().filter(|_| found.len() == limit).map(|approval| approval.id);
    Ok(Json(Questions {
        approvals: found.iter().map(|approval| SeenQuestion::by(who.role, approval)).collect(),
        next,
    }))
}

/// A question that whoever asks may see. One that they may not see is not there.
async fn seen(app: &App, who: &Identity, id: &str) -> Result<Approval, Fault> {
    app.still_knows(who).await?;
    let unknown = || Fault::not_found(format!("there is no approval `{id}`"));
    let id: ApprovalId = id.parse().map_err(|_| unknown())?;
    let found = app.gate().ledger().approval(id).await?;
    found.filter(|approval| who.sees(approval)).ok_or_else(unknown)
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<Json<SeenQuestion>, Fault> {
    Ok(Json(SeenQuestion::by(who.role, &seen(&app, &who, &id).await?)))
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wait {
    /// How long at most, in milliseconds; 30 000 unless told.
    #[serde(default)]
    #[schemars(range(min = 0, max = 60_000))]
    timeout_ms: Option<u64>,
}

async fn wait(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    Query(wait): Query<Wait>,
) -> Result<Json<SeenQuestion>, Fault> {
    let ms = wait.timeout_ms.unwrap_or(30_000);
    if ms > LONGEST_WAIT_MS {
        return Err(Fault::invalid(format!("`timeoutMs` is {ms}; it has to be 0 to {LONGEST_WAIT_MS}")));
    }
    let over = tokio::time::sleep(Duration::from_millis(ms));
    tokio::pin!(over);
    loop {
        // Listening begins before looking: what ends in between is not missed.
        let approval = seen(&app, &who, &id).await?;
        let mut ends = app.inner.pending.ends(approval.id);
        let approval = seen(&app, &who, &id).await?;
        if !approval.is_pending() {
            return Ok(Json(SeenQuestion::by(who.role, &approval)));
        }
        tokio::select! {
            () = async { drop(ends.wait_for(|ended| *ended).await) } => {}
            () = &mut over => return Ok(Json(SeenQuestion::by(who.role, &seen(&app, &who, &id).await?))),
        }
    }
}

async fn answer(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    Body(body, _memory): Body<AnswerBody>,
) -> Result<Json<AnswerTaken>, Fault> {
    let id = id.parse().map_err(|_| Fault::not_found(format!("there is no approval `{id}`")))?;
    let taken = answer::take(&app, &who, id, body).await?;
    Ok(Json(taken))
}

async fn withdraw(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<Json<SeenQuestion>, Fault> {
    let approval = seen(&app, &who, &id).await?;
    let approval = app.gate().call_off(approval.id, &format!("withdrawn by {}", who.name)).await?;
    Ok(Json(SeenQuestion::by(who.role, &approval)))
}

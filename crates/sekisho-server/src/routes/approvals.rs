//! Routes for approvals: list, show, wait, answer, withdraw.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Role;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::ApprovalQuery;
use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::app::App;
use crate::approval_answer;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::json_body::{JsonBody, JsonResponse, QueryParams, length, respond_with_json};
use crate::middleware::NothingChanged;
use crate::request_queue::RequestSlot;
use crate::route::Route;
use crate::wire::approval::{AnswerBody, AnswerResponse, ApprovalByRole, ApprovalStatus};

/// The longest long poll, in milliseconds.
const LONGEST_WAIT_MS: u64 = 60_000;
/// The most approvals on a page.
const LARGEST_PAGE: usize = 500;
/// The most bytes of a page, as text or in memory, unless its first approval alone is larger.
const HEAVIEST_PAGE: usize = 8 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/approvals", Access::ANY_ROLE, "listApprovals", list)
            .summary("Lists approvals, newest first; an agent sees its own")
            .notes("A page ends when its approvals reach 8 MiB, even before `limit`: follow `next` until it is absent.")
            .query::<ApprovalsQuery>()
            .response::<ApprovalsPage>(200),
        Route::new(Method::GET, "/api/approvals/{id}", Access::ANY_ROLE, "getApproval", show)
            .summary("Gets an approval")
            .response::<ApprovalByRole>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/approvals/{id}/wait", Access::ANY_ROLE, "waitForApproval", wait)
            .summary("Waits until an approval has ended, or until a timeout")
            .notes("Returns the approval as it is then, still pending after a timeout. Waiting only reads: it does not take the answer.")
            .query::<Wait>()
            .response::<ApprovalByRole>(200)
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/approvals/{id}/answer", Access::ANSWER, "answerApproval", answer)
            .summary("Answers an approval; the first answer wins")
            .notes("Repeating the same answer gives the same result; a different answer gives 409. After expiry or abort: 410. Only an admin may store rules that are wider than proposed.")
            .request_body::<AnswerBody>()
            .response::<AnswerResponse>(200)
            .error_statuses(&[404, 409, 410]),
        Route::new(Method::DELETE, "/api/approvals/{id}", Access::ANSWER_OR_OWN, "withdrawApproval", withdraw)
            .summary("Withdraws an approval; an agent only its own")
            .response::<ApprovalByRole>(200)
            .error_statuses(&[404]),
    ]
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ApprovalsQuery {
    /// Only approvals in this state.
    #[serde(default)]
    state: Option<ApprovalStatus>,
    /// Only approvals asked before this one: the `next` of the previous page.
    #[serde(default)]
    before: Option<ApprovalId>,
    /// How many at most; default 100, maximum 500.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
}

/// A page of approvals.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Questions")]
struct ApprovalsPage {
    /// The approvals, newest first.
    approvals: Vec<ApprovalByRole>,
    /// What to send as `before` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<ApprovalId>,
}

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(listing): QueryParams<ApprovalsQuery>,
) -> Result<Response, ApiError> {
    let limit = listing.limit.unwrap_or(100);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(ApiError::invalid(format!("`limit` is {limit}; it must be 1 to {LARGEST_PAGE}")));
    }
    if who.role == Role::Agent && !who.may_hear_of(&who.credential) {
        return Ok(JsonResponse(ApprovalsPage { approvals: Vec::new(), next: None }).into_response());
    }
    let mut slot = app.inner.approval_reads.acquire(&who.credential).await?;
    let mut page =
        PageBuilder { role: who.role, approvals: Vec::new(), last: listing.before, bytes: 0, full: false };
    loop {
        let (step, left) = (limit - page.approvals.len(), HEAVIEST_PAGE.saturating_sub(page.bytes));
        let query = ApprovalQuery {
            state: listing.state.map(|state| state.name().into()),
            credential: (who.role == Role::Agent).then(|| who.credential.clone()),
            since: None,
            before: page.last,
            limit: step,
            max_bytes: Some(left),
        };
        let gate = app.gate().clone();
        let (found, same_slot) =
            slot.hold_during(async move { gate.ledger().approvals(query).await }).await?;
        slot = same_slot;
        let count = found.len();
        page = run_blocking(move || page.with(found)).await?;
        // If the page is over its byte limit, the store may have stopped reading because of that.
        let is_last = count == 0 || (count < step && page.bytes <= HEAVIEST_PAGE);
        if page.full || is_last || page.approvals.len() == limit {
            let next = page.last.filter(|_| page.full || !is_last);
            return respond_with_json(slot, move || ApprovalsPage { approvals: page.approvals, next }).await;
        }
    }
}

/// A page that is being read.
struct PageBuilder {
    role: Role,
    approvals: Vec<ApprovalByRole>,
    last: Option<ApprovalId>,
    bytes: usize,
    /// There are more approvals, for the next page.
    full: bool,
}

impl PageBuilder {
    /// Adds approvals up to the byte limit. The page gets at least one.
    fn with(mut self, found: Vec<Approval>) -> PageBuilder {
        for approval in found {
            let seen = ApprovalByRole::for_role(self.role, &approval);
            self.bytes = self.bytes.saturating_add(length(&seen).max(approval.asked.memory_size()));
            if self.bytes > HEAVIEST_PAGE && !self.approvals.is_empty() {
                self.full = true;
                break;
            }
            self.approvals.push(seen);
            self.last = Some(approval.id);
        }
        self
    }
}

/// An approval that the caller may see. Other approvals are reported as not found.
async fn find_visible(app: &App, who: &Identity, id: &str) -> Result<(Approval, RequestSlot), ApiError> {
    app.ensure_token_valid(who).await?;
    let unknown = || ApiError::not_found(format!("there is no approval `{id}`"));
    let id: ApprovalId = id.parse().map_err(|_| unknown())?;
    let slot = app.inner.approval_reads.acquire(&who.credential).await?;
    let gate = app.gate().clone();
    let (found, slot) = slot.hold_during(async move { gate.ledger().approval(id).await }).await?;
    let found = found.filter(|approval| who.may_see(approval)).ok_or_else(unknown)?;
    Ok((found, slot))
}

/// Writes an approval as the response.
async fn approval_response(
    who: &Identity,
    (approval, slot): (Approval, RequestSlot),
) -> Result<Response, ApiError> {
    let role = who.role;
    respond_with_json(slot, move || ApprovalByRole::for_role(role, &approval)).await
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    approval_response(&who, find_visible(&app, &who, &id).await?).await
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wait {
    /// How long to wait at most, in milliseconds; default 30 000.
    #[serde(default)]
    #[schemars(range(min = 0, max = 60_000))]
    timeout_ms: Option<u64>,
}

async fn wait(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(wait): QueryParams<Wait>,
) -> Result<Response, ApiError> {
    let ms = wait.timeout_ms.unwrap_or(30_000);
    if ms > LONGEST_WAIT_MS {
        return Err(ApiError::invalid(format!("`timeoutMs` is {ms}; it must be 0 to {LONGEST_WAIT_MS}")));
    }
    let over = tokio::time::sleep(Duration::from_millis(ms));
    tokio::pin!(over);
    loop {
        // Subscribe before reading, so that an end in between is not missed.
        let named = find_visible(&app, &who, &id).await?.0.id;
        let mut ends = app.inner.open_approvals.end_signal(named);
        let found = find_visible(&app, &who, &id).await?;
        if !found.0.is_pending() {
            return approval_response(&who, found).await;
        }
        // A waiting request holds no memory for the approval.
        drop(found);
        tokio::select! {
            () = async { drop(ends.wait_for(|ended| *ended).await) } => {}
            () = &mut over => return approval_response(&who, find_visible(&app, &who, &id).await?).await,
        }
    }
}

async fn answer(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<AnswerBody>,
) -> Result<Response, ApiError> {
    let id = id.parse().map_err(|_| ApiError::not_found(format!("there is no approval `{id}`")))?;
    let accepted = approval_answer::submit_answer(&app, &who, id, body).await?;
    let again = accepted.again;
    let response = JsonResponse(accepted).into_response();
    Ok(if again { unchanged(response) } else { response })
}

async fn withdraw(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let (found, slot) = find_visible(&app, &who, &id).await?;
    if !found.is_pending() {
        return Ok(unchanged(approval_response(&who, (found, slot)).await?));
    }
    let id = found.id;
    drop(found);
    let approval = app.gate().cancel(id, &format!("withdrawn by {}", who.name)).await?;
    approval_response(&who, (approval, slot)).await
}

/// Marks the response to a request that had been carried out before.
fn unchanged(mut response: Response) -> Response {
    response.extensions_mut().insert(NothingChanged);
    response
}

//! Creating, replacing and removing rules in the database and in the user's own file.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sekisho_gate::rule_store::StoredRule;
use sekisho_policy::validate;

use super::items::stored_rule_item;
use super::list::find;
use super::user_file::{self, InFile};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::wire::rule::{RuleBody, RuleItem, RuleSource, rule_error};

pub(super) async fn add(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<RuleBody>,
) -> Result<Response, ApiError> {
    let draft = body.draft()?;
    let stored = app.gate().rulebook().add(draft, &who.actor(), app.now()).await?;
    let location = (header::LOCATION, format!("/api/rules/{}", stored.id));
    Ok((StatusCode::CREATED, [location], JsonResponse(rule_item(&app, &stored).await)).into_response())
}

pub(super) async fn replace(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<RuleBody>,
) -> Result<JsonResponse<RuleItem>, ApiError> {
    let draft = body.draft()?;
    let stored = match find_editable(&app, &id).await? {
        Editable::Stored(stored) => stored,
        Editable::InFile(found) => {
            return user_file::replace(&app, &who, found, draft).await.map(JsonResponse);
        }
    };
    if stored.session.is_some() {
        // Only rules in the database may match everything.
        validate::matches_something(&draft.rule).map_err(|error| rule_error(&error))?;
    }
    let stored = app.gate().rulebook().replace(stored.id, draft, &who.actor(), app.now()).await?;
    Ok(JsonResponse(rule_item(&app, &stored).await))
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    match find_editable(&app, &id).await? {
        Editable::Stored(stored) => {
            app.gate().rulebook().remove(stored.id, &who.actor(), app.now()).await?;
        }
        Editable::InFile(found) => user_file::remove(&app, &who, found).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// The stored rule as an item. This must not fail: a caller that sees an error would store the rule again.
async fn rule_item(app: &App, stored: &StoredRule) -> RuleItem {
    stored_rule_item(stored, &*app.inner.rule_hits.cached().await, false, app.now())
}

/// A rule that can be changed here.
enum Editable {
    /// In the database.
    Stored(StoredRule),
    /// In the user's own file.
    InFile(InFile),
}

/// Finds a rule to change. A rule of another source must be changed there.
async fn find_editable(app: &App, id: &str) -> Result<Editable, ApiError> {
    let rulebook = app.gate().rulebook();
    // Another server may have stored it a moment ago.
    rulebook.refresh(app.now()).await?;
    if let Some(stored) = rulebook.stored().into_iter().find(|stored| stored.id.to_string() == id) {
        return Ok(Editable::Stored(stored));
    }
    if let Some(found) = user_file::find(app, id).await? {
        return Ok(Editable::InFile(found));
    }
    let item = find(app, id).await?;
    let message = format!("rule `{id}` cannot be changed here");
    let hint = match (item.source, &item.file, item.line) {
        (RuleSource::BuiltIn, _, _) => {
            "it is built in; a rule with a higher priority overrides it, and `builtin` in a config turns the list off"
                .to_owned()
        }
        (source, Some(file), Some(line)) => {
            format!("it is a {source} rule at {file}:{line}; change it there, or with `sekisho rules edit`")
        }
        (source, _, _) => format!("it is a {source} rule"),
    };
    Err(ApiError::new(StatusCode::CONFLICT, "NotEditable", message).with_hint(hint))
}

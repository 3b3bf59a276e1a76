//! Changing rules: those of the database, and those of the user's own file.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sekisho_gate::rules::StoredRule;
use sekisho_policy::validate;

use super::in_file::{self, InFile};
use super::layers::of_stored;
use super::listing::find;
use crate::app::App;
use crate::auth::Identity;
use crate::body::{Body, Json};
use crate::error::Fault;
use crate::wire::rule::{RuleBody, RuleItem, RuleSource, fault_of};

pub(super) async fn add(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Body(body, _memory): Body<RuleBody>,
) -> Result<Response, Fault> {
    let draft = body.draft()?;
    let stored = app.gate().rulebook().add(draft, &who.by(), app.now()).await?;
    let place = (header::LOCATION, format!("/api/rules/{}", stored.id));
    Ok((StatusCode::CREATED, [place], Json(told(&app, &stored).await)).into_response())
}

pub(super) async fn replace(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    Body(body, _memory): Body<RuleBody>,
) -> Result<Json<RuleItem>, Fault> {
    let draft = body.draft()?;
    let stored = match editable(&app, &id).await? {
        Editable::Kept(stored) => stored,
        Editable::InFile(stated) => return in_file::replace(&app, &who, stated, draft).await.map(Json),
    };
    if stored.session.is_some() {
        // Only the database takes a rule about everything.
        validate::matches_something(&draft.rule).map_err(|error| fault_of(&error))?;
    }
    let stored = app.gate().rulebook().replace(stored.id, draft, &who.by(), app.now()).await?;
    Ok(Json(told(&app, &stored).await))
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, Fault> {
    match editable(&app, &id).await? {
        Editable::Kept(stored) => {
            app.gate().rulebook().remove(stored.id, &who.by(), app.now()).await?;
        }
        Editable::InFile(stated) => in_file::remove(&app, &who, stated).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What was written, as it is told. Nothing may fail here: whoever hears of a failure writes it again.
async fn told(app: &App, stored: &StoredRule) -> RuleItem {
    of_stored(stored, &*app.inner.hits.known().await, false, app.now())
}

/// A rule that can be changed here.
enum Editable {
    /// In the database.
    Kept(StoredRule),
    /// In the user's own file.
    InFile(InFile),
}

/// Finds a rule to change. One that stands elsewhere is changed there.
async fn editable(app: &App, id: &str) -> Result<Editable, Fault> {
    let rulebook = app.gate().rulebook();
    // Another server may have kept it a moment ago.
    rulebook.refresh(app.now()).await?;
    if let Some(stored) = rulebook.stored().into_iter().find(|stored| stored.id.to_string() == id) {
        return Ok(Editable::Kept(stored));
    }
    if let Some(found) = in_file::find(app, id).await? {
        return Ok(Editable::InFile(found));
    }
    let item = find(app, id).await?;
    let message = format!("rule `{id}` cannot be changed here");
    let hint = match (item.source, &item.file, item.line) {
        (RuleSource::BuiltIn, _, _) => {
            "it is built in; a rule of a higher priority goes before it, and `builtin` in a config turns the list off"
                .to_owned()
        }
        (source, Some(file), Some(line)) => {
            format!("it is a {source} rule at {file}:{line}; change it there, or with `sekisho rules edit`")
        }
        (source, _, _) => format!("it is a {source} rule"),
    };
    Err(Fault::new(StatusCode::CONFLICT, "NotEditable", message).hint(hint))
}

//! Changing rules of the user's own file, which is also where an answer is remembered that counts everywhere.

use std::sync::Arc;

use axum::http::StatusCode;
use sekisho_gate::host_ports::RuleEdit;
use sekisho_gate::rulebook::{FileEditError, RuleDraft};
use sekisho_policy::{Effect, LayerKind, Rule};

use super::{items, list};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::wire::rule::{RuleItem, rule_error};

/// A rule of the user's own file, as it was found.
pub(super) struct InFile {
    file: String,
    line: u32,
    effect: Effect,
    rule: Rule,
}

/// The rule with a name; nothing where it stands elsewhere.
pub(super) async fn find(app: &App, id: &str) -> Result<Option<InFile>, ApiError> {
    let id = id.to_owned();
    Ok(stated(app).await?.into_iter().find_map(|(name, rule)| (name == id).then_some(rule)))
}

/// Every rule of the file, by name.
async fn stated(app: &App) -> Result<Vec<(String, InFile)>, ApiError> {
    let (files, roots) = (Arc::clone(&app.inner.parts.files), list::all_roots(app));
    run_blocking(move || {
        let layers = items::file_layers(&*files, &roots);
        let named = items::rules_with_ids(&layers).into_iter();
        let own = named.filter(|(_, layer, _)| layer.kind == LayerKind::Global);
        own.map(|(name, layer, stated)| {
            let (file, rule) = (layer.name.to_string(), stated.rule.clone());
            (name, InFile { file, line: stated.line, effect: stated.effect, rule })
        })
        .collect()
    })
    .await
}

/// Puts another rule in its place. Gives it as it stands then.
pub(super) async fn replace(
    app: &App,
    who: &Identity,
    stated: InFile,
    draft: RuleDraft,
) -> Result<RuleItem, ApiError> {
    // What people wrote to know it by stays.
    let rule = Rule { id: stated.rule.id, ..draft.rule };
    let near = stated.line;
    change(app, who, stated, Some((draft.effect, rule.clone()))).await?;
    let written = self::stated(app).await?.into_iter();
    let name = written
        .filter(|(_, found)| found.effect == draft.effect && found.rule == rule)
        .min_by_key(|(_, found)| found.line.abs_diff(near))
        .map(|(name, _)| name);
    list::find(app, &name.unwrap_or_default()).await
}

/// Takes it out of the file.
pub(super) async fn remove(app: &App, who: &Identity, stated: InFile) -> Result<(), ApiError> {
    change(app, who, stated, None).await
}

async fn change(
    app: &App,
    who: &Identity,
    stated: InFile,
    into: Option<(Effect, Rule)>,
) -> Result<(), ApiError> {
    let InFile { file, line, effect, rule } = stated;
    let by = who.actor();
    let edit = RuleEdit { line, effect, rule, into, by: by.to_string(), at: app.now() };
    app.gate().edit_rule_in_file(edit, &file, by).await.map_err(|error| match error {
        FileEditError::Rule(error) => rule_error(&error),
        FileEditError::Moved => ApiError::new(StatusCode::CONFLICT, "NotEditable", error.to_string())
            .with_hint("look at the rule again, then change it"),
        FileEditError::File(fault) => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "NotWritten", fault),
        FileEditError::Ledger(error) => ApiError::from(error),
    })
}

//! Looking at rules.

use std::sync::Arc;

use axum::extract::{Path, State};
use schemars::JsonSchema;
use sekisho_policy::Effect;
use serde::Deserialize;

use super::layers;
use crate::app::App;
use crate::body::{Json, Query};
use crate::errands::aside;
use crate::error::Fault;
use crate::wire::rule::{RuleItem, RuleList, RuleSource};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RuleQuery")]
pub(super) struct Listing {
    /// Only the files that count in this registered project; all registered ones unless told.
    #[serde(default)]
    project: Option<String>,
    /// Only rules from here.
    #[serde(default)]
    source: Option<RuleSource>,
    /// Only rules that do this.
    #[serde(default)]
    effect: Option<Effect>,
    /// Only rules with this text in a field or in the name of their file, ignoring case.
    #[serde(default)]
    text: Option<String>,
}

pub(super) async fn list(
    State(app): State<App>,
    Query(listing): Query<Listing>,
) -> Result<Json<RuleList>, Fault> {
    let mut all = all(&app, listing.project.as_deref()).await?;
    let text = listing.text.as_deref().filter(|text| !text.is_empty()).map(str::to_lowercase);
    all.rules.retain(|item| {
        listing.source.is_none_or(|source| item.source == source)
            && listing.effect.is_none_or(|effect| item.effect == effect)
            && text.as_deref().is_none_or(|text| says(item, text))
    });
    Ok(Json(all))
}

fn says(item: &RuleItem, text: &str) -> bool {
    let rule = serde_json::to_value(&item.rule).unwrap_or_default();
    let mut fields = rule.as_object().into_iter().flat_map(|fields| fields.values());
    fields.any(|field| match field.as_str() {
        Some(field) => field.to_lowercase().contains(text),
        None => field.to_string().to_lowercase().contains(text),
    }) || item.file.as_ref().is_some_and(|file| file.to_lowercase().contains(text))
        || item.id == text
}

/// Where there are files: everywhere, and in each registered project.
pub(super) fn every_root(app: &App) -> Vec<Option<String>> {
    std::iter::once(None).chain(app.settings().projects.iter().cloned().map(Some)).collect()
}

/// Every rule, of the files of one project or of all.
pub(super) async fn all(app: &App, project: Option<&str>) -> Result<RuleList, Fault> {
    let projects = &app.settings().projects;
    let roots: Vec<Option<String>> = match project {
        None => every_root(app),
        Some(project) if projects.iter().any(|known| known == project) => vec![Some(project.into())],
        Some(project) => {
            let known = if projects.is_empty() { "none is".into() } else { projects.join(", ") };
            let message = format!("`project` is `{project}`, which is not registered");
            return Err(Fault::invalid(message).hint(format!("registered: {known}")));
        }
    };
    let now = app.now();
    let counted = app.inner.hits.counted(&app.inner.parts.audit, now).await?;
    let (files, gate) = (Arc::clone(&app.inner.parts.files), app.gate().clone());
    aside(move || {
        let rulebook = gate.rulebook();
        let generation = rulebook.generation();
        let layers = layers::of_files(&*files, &roots);
        let mut rules = layers::stated(&layers, &counted, now);
        rules.extend(layers::kept(rulebook, &counted, now));
        let problems = layers::problems(layers.broken.into_iter().chain(rulebook.faults()).collect());
        RuleList { rules, problems, generation }
    })
    .await
}

pub(super) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Json<RuleItem>, Fault> {
    find(&app, &id).await.map(Json)
}

/// One rule, of whichever layer; a kept one before one of a file with the same id.
pub(super) async fn find(app: &App, id: &str) -> Result<RuleItem, Fault> {
    let all = all(app, None).await?;
    let found = all.rules.into_iter().filter(|item| item.id == id).max_by_key(|item| item.editable);
    found.ok_or_else(|| Fault::not_found(format!("there is no rule `{id}`")))
}

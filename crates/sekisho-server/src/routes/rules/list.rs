//! Listing rules.

use std::sync::Arc;

use axum::extract::{Path, State};
use schemars::JsonSchema;
use sekisho_policy::{Effect, preset_summaries};
use serde::Deserialize;

use super::items;
use crate::app::App;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::json_body::{JsonResponse, QueryParams};
use crate::wire::rule::{PresetItem, RuleItem, RuleList, RuleSource};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RuleQuery")]
pub(super) struct RulesQuery {
    /// Only the files that count in this registered project; default all registered projects.
    #[serde(default)]
    project: Option<String>,
    /// Only rules from this source.
    #[serde(default)]
    source: Option<RuleSource>,
    /// Only rules with this effect.
    #[serde(default)]
    effect: Option<Effect>,
    /// Only rules with this text in a field or in their file name, ignoring case.
    #[serde(default)]
    text: Option<String>,
}

pub(super) async fn list(
    State(app): State<App>,
    QueryParams(listing): QueryParams<RulesQuery>,
) -> Result<JsonResponse<RuleList>, ApiError> {
    let mut all = all(&app, listing.project.as_deref()).await?;
    let text = listing.text.as_deref().filter(|text| !text.is_empty()).map(str::to_lowercase);
    all.rules.retain(|item| {
        listing.source.is_none_or(|source| item.source == source)
            && listing.effect.is_none_or(|effect| item.effect == effect)
            && text.as_deref().is_none_or(|text| contains_text(item, text))
    });
    Ok(JsonResponse(all))
}

fn contains_text(item: &RuleItem, text: &str) -> bool {
    let rule = serde_json::to_value(&item.rule).unwrap_or_default();
    let mut fields = rule.as_object().into_iter().flat_map(|fields| fields.values());
    fields.any(|field| match field.as_str() {
        Some(field) => field.to_lowercase().contains(text),
        None => field.to_string().to_lowercase().contains(text),
    }) || item.file.as_ref().is_some_and(|file| file.to_lowercase().contains(text))
        || item.id == text
}

/// The roots whose files have rules: none, for the files that apply everywhere, and each registered project.
pub(super) fn all_roots(app: &App) -> Vec<Option<String>> {
    std::iter::once(None).chain(app.settings().projects.iter().cloned().map(Some)).collect()
}

/// Every rule, from the files of one project or of all.
pub(super) async fn all(app: &App, project: Option<&str>) -> Result<RuleList, ApiError> {
    let projects = &app.settings().projects;
    let roots: Vec<Option<String>> = match project {
        None => all_roots(app),
        Some(project) if projects.iter().any(|known| known == project) => vec![Some(project.into())],
        Some(project) => {
            let known = if projects.is_empty() { "none".into() } else { projects.join(", ") };
            let message = format!("`project` is `{project}`, which is not registered");
            return Err(ApiError::invalid(message).with_hint(format!("registered projects: {known}")));
        }
    };
    let now = app.now();
    let counted = app.inner.rule_hits.refresh(&app.inner.parts.audit, now).await?;
    let (files, gate) = (Arc::clone(&app.inner.parts.files), app.gate().clone());
    run_blocking(move || {
        let rulebook = gate.rulebook();
        let generation = rulebook.generation();
        let layers = items::file_layers(&*files, &roots);
        let summaries = preset_summaries().into_iter();
        let presets = summaries.map(|summary| PresetItem::new(summary, &layers.loaded)).collect();
        let mut rules = items::file_rule_items(&layers, &counted, now);
        rules.extend(items::stored_rule_items(rulebook, &counted, now));
        let problems = items::problems(layers.broken.into_iter().chain(rulebook.problems()).collect());
        RuleList { rules, problems, generation, presets }
    })
    .await
}

pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<JsonResponse<RuleItem>, ApiError> {
    find(&app, &id).await.map(JsonResponse)
}

/// One rule of any layer; a stored rule comes before a file's rule with the same id.
pub(super) async fn find(app: &App, id: &str) -> Result<RuleItem, ApiError> {
    let all = all(app, None).await?;
    let found = all.rules.into_iter().filter(|item| item.id == id).max_by_key(|item| item.editable);
    found.ok_or_else(|| ApiError::not_found(format!("there is no rule `{id}`")))
}

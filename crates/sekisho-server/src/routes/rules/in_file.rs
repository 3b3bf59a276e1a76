//! Changing rules of the user's own file, which is also where an answer is remembered that counts everywhere.

use std::sync::Arc;

use axum::http::StatusCode;
use sekisho_gate::premises::RuleEdit;
use sekisho_gate::rulebook::{Draft, FileEditError};
use sekisho_policy::{Effect, LayerKind, Rule};

use super::{layers, listing};
use crate::app::App;
use crate::auth::Identity;
use crate::errands::aside;
use crate::error::Fault;
use crate::wire::rule::{RuleItem, fault_of};

/// A rule of the user's own file, as it was found.
pub(super) struct InFile {
    file: String,
    line: u32,
    effect: Effect,
    rule: Rule,
}

/// The rule with a name; nothing where it stands elsewhere.
pub(super) async fn find(app: &App, id: &str) -> Result<Option<InFile>, Fault> {
    let id = id.to_owned();
    Ok(stated(app).await?.into_iter().find_map(|(name, rule)| (name == id).then_some(rule)))
}

/// Every rule of the file, by name.
async fn stated(app: &App) -> Result<Vec<(String, InFile)>, Fault> {
    let (files, roots) = (Arc::clone(&app.inner.parts.files), listing::every_root(app));
    aside(move || {
        let layers = layers::of_files(&*files, &roots);
        let named = layers::named(&layers).into_iter();
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
    draft: Draft,
) -> Result<RuleItem, Fault> {
    // What people wrote to know it by stays.
    let rule = Rule { id: stated.rule.id, ..draft.rule };
    let near = stated.line;
    change(app, who, stated, Some((draft.effect, rule.clone()))).await?;
    let written = self::stated(app).await?.into_iter();
    let name = written
        .filter(|(_, found)| found.effect == draft.effect && found.rule == rule)
        .min_by_key(|(_, found)| found.line.abs_diff(near))
        .map(|(name, _)| name);
    listing::find(app, &name.unwrap_or_default()).await
}

/// Takes it out of the file.
pub(super) async fn remove(app: &App, who: &Identity, stated: InFile) -> Result<(), Fault> {
    change(app, who, stated, None).await
}

async fn change(
    app: &App,
    who: &Identity,
    stated: InFile,
    into: Option<(Effect, Rule)>,
) -> Result<(), Fault> {
    let InFile { file, line, effect, rule } = stated;
    let by = who.by();
    let edit = RuleEdit { line, effect, rule, into, by: by.to_string(), at: app.now() };
    app.gate().edit_rule_in_file(edit, &file, by).await.map_err(|error| match error {
        FileEditError::Rule(error) => fault_of(&error),
        FileEditError::Moved => Fault::new(StatusCode::CONFLICT, "NotEditable", error.to_string())
            .hint("look at the rule again, then change it"),
        FileEditError::File(fault) => Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "NotWritten", fault),
        FileEditError::Ledger(error) => Fault::from(error),
    })
}

//! The rules of all layers as list items.

use std::collections::HashSet;

use jiff::Timestamp;
use sekisho_gate::host_ports::PolicyFiles;
use sekisho_gate::rule_store::StoredRule;
use sekisho_gate::rulebook::Rulebook;
use sekisho_policy::{
    BrokenLayer, Effect, Layer, LayerKind, LayerRule, LayerTrust, Layers, Rule, shipped_layers,
};

use crate::rule_hits::RuleHits;
use crate::rule_key::RuleKey;
use crate::wire::rule::{RuleFields, RuleItem, RuleProblem, RuleStatus};

/// The file layers for all these roots, each once, with the best trust it has in any of them.
pub(super) fn file_layers(files: &dyn PolicyFiles, roots: &[Option<String>]) -> Layers {
    let mut all = Layers::default();
    for root in roots {
        let mut layers = files.layers(root.as_deref(), None).layers;
        let shipped = shipped_layers(&layers.loaded);
        layers.loaded.extend(shipped);
        for layer in layers.loaded {
            let same = |other: &&mut Layer| {
                (other.kind, &other.name, &other.text) == (layer.kind, &layer.name, &layer.text)
            };
            match all.loaded.iter_mut().find(same) {
                Some(known) if rank(layer.trust) < rank(known.trust) => known.trust = layer.trust,
                Some(_) => {}
                None => all.loaded.push(layer),
            }
        }
        all.broken.extend(layers.broken);
    }
    all.loaded.sort_by_key(|layer| layer.kind);
    all
}

fn rank(trust: LayerTrust) -> u8 {
    match trust {
        LayerTrust::Full => 0,
        LayerTrust::Untrusted => 1,
        LayerTrust::OutsideRoot => 2,
    }
}

/// The items of file layers.
pub(super) fn file_rule_items(layers: &Layers, counted: &RuleHits, now: Timestamp) -> Vec<RuleItem> {
    let item = |(id, layer, layer_rule)| RuleItem { id, ..layer_rule_item(layer, layer_rule, counted, now) };
    rules_with_ids(layers).into_iter().map(item).collect()
}

/// The rules of file layers, each with its id.
pub(super) fn rules_with_ids(layers: &Layers) -> Vec<(String, &Layer, &LayerRule)> {
    // A file may contain the same rule twice on one line; the second then gets a number.
    let mut ids = HashSet::new();
    let rules =
        layers.loaded.iter().flat_map(|layer| layer.rules.iter().map(move |layer_rule| (layer, layer_rule)));
    let with_id = |(layer, layer_rule)| {
        let name = rule_key(layer, layer_rule).name();
        let (mut id, mut times) = (name.clone(), 1);
        while !ids.insert(id.clone()) {
            times += 1;
            id = format!("{name}-{times}");
        }
        (id, layer, layer_rule)
    };
    rules.map(with_id).collect()
}

fn rule_key(layer: &Layer, layer_rule: &LayerRule) -> RuleKey {
    RuleKey::of(
        layer_rule.rule.id,
        layer.kind,
        &layer.name,
        layer_rule.line,
        layer_rule.effect,
        &layer_rule.rule,
    )
}

fn layer_rule_item(layer: &Layer, layer_rule: &LayerRule, counted: &RuleHits, now: Timestamp) -> RuleItem {
    let key = rule_key(layer, layer_rule);
    let standing = match layer.trust {
        _ if layer_rule.effect != Effect::Allow => RuleStatus::Counts,
        LayerTrust::Full => RuleStatus::Counts,
        LayerTrust::Untrusted => RuleStatus::NotTrusted,
        LayerTrust::OutsideRoot => RuleStatus::OnlyTightens,
    };
    let is_file = layer.kind != LayerKind::BuiltIn;
    RuleItem {
        file: is_file.then(|| layer.name.to_string()),
        line: is_file.then_some(layer_rule.line),
        editable: layer.kind == LayerKind::Global,
        standing,
        ..item(key.name(), layer.kind, (layer_rule.effect, &layer_rule.rule), counted.of(&key, now), now)
    }
}

/// The items of stored rules.
pub(super) fn stored_rule_items(rulebook: &Rulebook, counted: &RuleHits, now: Timestamp) -> Vec<RuleItem> {
    let doubtful = !rulebook.problems().is_empty();
    let mut items: Vec<RuleItem> =
        rulebook.stored().iter().map(|stored| stored_rule_item(stored, counted, doubtful, now)).collect();
    items.sort_by_key(|item| item.source);
    items
}

/// The item of a stored rule. `doubtful`: some stored rule is invalid, so check whether this one is.
pub(super) fn stored_rule_item(
    stored: &StoredRule,
    counted: &RuleHits,
    doubtful: bool,
    now: Timestamp,
) -> RuleItem {
    let kind = if stored.session.is_some() { LayerKind::Session } else { LayerKind::Database };
    let key = RuleKey::Id(stored.id);
    let broken =
        doubtful && Layer::from_rules(kind, "kept", vec![(stored.effect, stored.rule.clone())]).is_err();
    RuleItem {
        editable: true,
        created_at: Some(stored.created_at),
        updated_at: Some(stored.updated_at),
        created_by: Some(stored.created_by.clone()),
        session: stored.session.as_ref().map(Into::into),
        standing: if broken { RuleStatus::Broken } else { RuleStatus::Counts },
        ..item(key.name(), kind, (stored.effect, &stored.rule), counted.of(&key, now), now)
    }
}

fn item(
    id: String,
    kind: LayerKind,
    (effect, rule): (Effect, &Rule),
    (hits, last_hit): (u64, Option<Timestamp>),
    now: Timestamp,
) -> RuleItem {
    RuleItem {
        id,
        source: kind.into(),
        file: None,
        line: None,
        editable: false,
        effect,
        rule: RuleFields::from(rule),
        server_id: rule.server.clone(),
        tool_name: rule.tool.clone(),
        tool_pattern: rule.tool_pattern.clone(),
        auto_approve: effect == Effect::Allow,
        priority: rule.priority,
        hits,
        last_hit,
        created_at: None,
        updated_at: None,
        created_by: None,
        session: None,
        standing: RuleStatus::Counts,
        expired: rule.expires_at.is_some_and(|end| end <= now),
    }
}

/// Broken layers as problems, without duplicates.
pub(super) fn problems(broken: Vec<BrokenLayer>) -> Vec<RuleProblem> {
    let mut problems: Vec<RuleProblem> = Vec::new();
    for broken in broken {
        let problem = RuleProblem { source: broken.kind.into(), file: broken.name, message: broken.error };
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

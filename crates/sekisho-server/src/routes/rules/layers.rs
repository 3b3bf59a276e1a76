//! Every rule of every layer, as items of a list.

use std::collections::HashSet;

use jiff::Timestamp;
use sekisho_gate::premises::Files;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::rules::StoredRule;
use sekisho_policy::{Broken, Effect, Layer, LayerKind, Layers, Rule, Standing, Stated, built_in};

use crate::rule_hits::Counted;
use crate::rule_key::RuleKey;
use crate::wire::rule::{RuleFields, RuleItem, RuleProblem, RuleStanding};

/// The layers that are files, for these roots together: each once, in the best standing it has in any of them.
pub(super) fn of_files(files: &dyn Files, roots: &[Option<String>]) -> Layers {
    let mut all = Layers::default();
    for root in roots {
        let mut layers = files.layers(root.as_deref(), None).layers;
        let builtin = layers.loaded.iter().filter_map(|layer| layer.settings.builtin).max();
        layers.loaded.extend(built_in(builtin.unwrap_or_default()));
        for layer in layers.loaded {
            let same = |other: &&mut Layer| {
                (other.kind, &other.name, &other.text) == (layer.kind, &layer.name, &layer.text)
            };
            match all.loaded.iter_mut().find(same) {
                Some(known) if rank(layer.standing) < rank(known.standing) => known.standing = layer.standing,
                Some(_) => {}
                None => all.loaded.push(layer),
            }
        }
        all.broken.extend(layers.broken);
    }
    all.loaded.sort_by_key(|layer| layer.kind);
    all
}

fn rank(standing: Standing) -> u8 {
    match standing {
        Standing::Full => 0,
        Standing::Untrusted => 1,
        Standing::OutsideRoot => 2,
    }
}

/// The items of the layers that are files.
pub(super) fn stated(layers: &Layers, counted: &Counted, now: Timestamp) -> Vec<RuleItem> {
    let item = |(id, layer, stated)| RuleItem { id, ..of_stated(layer, stated, counted, now) };
    named(layers).into_iter().map(item).collect()
}

/// The rules of the layers that are files, each with the name it is known by.
pub(super) fn named(layers: &Layers) -> Vec<(String, &Layer, &Stated)> {
    // A file may say the same twice on one line; then the second is told apart by its number.
    let mut names = HashSet::new();
    let rules = layers.loaded.iter().flat_map(|layer| layer.rules.iter().map(move |stated| (layer, stated)));
    let one = |(layer, stated)| {
        let name = key_of(layer, stated).name();
        let (mut id, mut times) = (name.clone(), 1);
        while !names.insert(id.clone()) {
            times += 1;
            id = format!("{name}-{times}");
        }
        (id, layer, stated)
    };
    rules.map(one).collect()
}

fn key_of(layer: &Layer, stated: &Stated) -> RuleKey {
    RuleKey::of(stated.rule.id, layer.kind, &layer.name, stated.line, stated.effect, &stated.rule)
}

fn of_stated(layer: &Layer, stated: &Stated, counted: &Counted, now: Timestamp) -> RuleItem {
    let key = key_of(layer, stated);
    let standing = match layer.standing {
        _ if stated.effect != Effect::Allow => RuleStanding::Counts,
        Standing::Full => RuleStanding::Counts,
        Standing::Untrusted => RuleStanding::NotTrusted,
        Standing::OutsideRoot => RuleStanding::OnlyTightens,
    };
    let is_file = layer.kind != LayerKind::BuiltIn;
    RuleItem {
        file: is_file.then(|| layer.name.to_string()),
        line: is_file.then_some(stated.line),
        editable: layer.kind == LayerKind::Global,
        standing,
        ..item(key.name(), layer.kind, (stated.effect, &stated.rule), counted.of(&key, now), now)
    }
}

/// The items of kept rules.
pub(super) fn kept(rulebook: &Rulebook, counted: &Counted, now: Timestamp) -> Vec<RuleItem> {
    let doubtful = !rulebook.faults().is_empty();
    let mut items: Vec<RuleItem> =
        rulebook.stored().iter().map(|stored| of_stored(stored, counted, doubtful, now)).collect();
    items.sort_by_key(|item| item.source);
    items
}

/// A kept rule. `doubtful`: some kept rule has a fault, so it is worth looking whether this one has.
pub(super) fn of_stored(stored: &StoredRule, counted: &Counted, doubtful: bool, now: Timestamp) -> RuleItem {
    let kind = if stored.session.is_some() { LayerKind::Session } else { LayerKind::Database };
    let key = RuleKey::Id(stored.id);
    let broken =
        doubtful && Layer::of_rules(kind, "kept", vec![(stored.effect, stored.rule.clone())]).is_err();
    RuleItem {
        editable: true,
        created_at: Some(stored.created_at),
        updated_at: Some(stored.updated_at),
        created_by: Some(stored.created_by.clone()),
        session: stored.session.as_ref().map(Into::into),
        standing: if broken { RuleStanding::Broken } else { RuleStanding::Counts },
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
        standing: RuleStanding::Counts,
        expired: rule.expires_at.is_some_and(|end| end <= now),
    }
}

/// What does not load, each once.
pub(super) fn problems(broken: Vec<Broken>) -> Vec<RuleProblem> {
    let mut problems: Vec<RuleProblem> = Vec::new();
    for broken in broken {
        let problem = RuleProblem { source: broken.kind.into(), file: broken.name, message: broken.error };
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

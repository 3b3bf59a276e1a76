//! A policy: all layers compiled into one immutable value.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::built_in_layers::shipped;
use crate::byte_encoding::{Blob, FixedRow, LazyText, Rows, pack, unpack};
use crate::conditions::{ConditionTable, Conditions};
use crate::index::{Index, IndexedRule, Selector};
use crate::layer::{BrokenLayer, Layer, LayerRule, LayerTrust, Preset, Reads};
use crate::presets::{active_presets, shipped_presets, switches_on};
use crate::protected_name_filter::ProtectedNameFilter;
use crate::protected_paths::{LazyProtectedList, ProtectedList, Protection};
use crate::rule::{Effect, LayerKind, Rule};
use crate::rule_ref::{CitedRuleRow, LayerSource, RuleTable};
use crate::tool_pattern::FoldedName;
use crate::tools;

/// All rules, indexed. Compiled once, shared freely, never changed.
pub struct Policy {
    pub(crate) table: Arc<RuleTable>,
    pub(crate) rules: Rows<CompiledRule, 16>,
    pub(crate) extras: ConditionTable,
    pub(crate) patterns: Blob,
    /// Ranks below this are denies.
    pub(crate) denies: u32,
    pub(crate) index: Index,
    /// The managed rules alone, if one of them is a confirm: it yields only to managed allows.
    pub(crate) managed: Option<Index>,
    /// Allow rules that do not apply. They are used only for explanations.
    pub(crate) inert: Index,
    pub(crate) protected: LazyProtectedList,
    pub(crate) strict_redirects: bool,
    pub(crate) reads: Reads,
    /// The preset `local-work` is on.
    pub(crate) local_work: bool,
    pub(crate) broken: Vec<BrokenLayer>,
    pub(crate) notices: Vec<PolicyNotice>,
}

/// A rule in the form that judging needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompiledRule {
    pub(crate) effect: Effect,
    pub(crate) layer: LayerKind,
    pub(crate) names_server: bool,
    /// Range in [`Policy::patterns`].
    pub(crate) pattern: (u32, u32),
    /// Position in [`Policy::extras`] plus one; 0 for a rule that depends on the name alone.
    pub(crate) extra: u32,
}

impl FixedRow<16> for CompiledRule {
    fn to_row(self) -> [u8; 16] {
        let kind = u32::from(self.effect.number())
            | u32::from(self.layer.number()) << 8
            | u32::from(self.names_server) << 16;
        pack([kind, self.pattern.0, self.pattern.1, self.extra])
    }

    #[inline]
    fn from_row(row: [u8; 16]) -> CompiledRule {
        let [kind, start, end, extra] = unpack(row);
        let [effect, layer, names_server, _] = kind.to_le_bytes();
        CompiledRule {
            effect: Effect::numbered(effect),
            layer: LayerKind::numbered(layer),
            names_server: names_server != 0,
            pattern: (start, end),
            extra,
        }
    }
}

/// A message about the policy that is not an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyNotice {
    /// The file it concerns.
    pub source: String,
    /// The message.
    pub message: String,
}

/// What a policy is compiled from.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The layers that were parsed, in any order. Compiling adds the built-in layers.
    pub loaded: Vec<Layer>,
    /// The layers that could not be parsed.
    pub broken: Vec<BrokenLayer>,
}

impl From<Vec<Layer>> for Layers {
    fn from(loaded: Vec<Layer>) -> Layers {
        Layers { loaded, broken: Vec::new() }
    }
}

impl Policy {
    /// Compiles the layers together with the built-in ones.
    pub fn compile(layers: Layers) -> Policy {
        let Layers { loaded, broken } = layers;
        let builtin = loaded.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or_default();
        let mut all: Vec<&Layer> = loaded.iter().collect();
        all.extend(shipped(builtin));
        let presets = active_presets(&loaded);
        all.extend(shipped_presets(&presets));
        let mut notices = Vec::new();
        let protected = protected_paths(&all, &mut notices);
        notices.extend(all.iter().flat_map(|layer| notice_of(layer)));
        let local_work = presets.contains(&Preset::LocalWork);
        Policy { broken, notices, local_work, ..Policy::compile_exactly(&all, protected.into()) }
    }

    /// Compiles exactly these layers, without the built-in ones.
    pub(crate) fn compile_exactly(loaded: &[&Layer], protected: LazyProtectedList) -> Policy {
        let mut counted: Vec<(usize, &LayerRule)> = Vec::new();
        let mut inert: Vec<(usize, &LayerRule)> = Vec::new();
        for (source, layer) in loaded.iter().enumerate() {
            let full = layer.trust == LayerTrust::Full;
            let loosens = |layer_rule: &&LayerRule| layer_rule.effect == Effect::Allow && !full;
            inert.extend(layer.rules.iter().filter(loosens).map(|layer_rule| (source, layer_rule)));
            counted.extend(
                layer
                    .rules
                    .iter()
                    .filter(|layer_rule| !loosens(layer_rule))
                    .map(|layer_rule| (source, layer_rule)),
            );
        }
        let layer = |source: usize| loaded.get(source).map_or(LayerKind::BuiltIn, |layer| layer.kind);
        counted.sort_by_key(|(source, layer_rule)| strength(layer(*source), layer_rule));
        let denies = counted.partition_point(|(_, layer_rule)| layer_rule.effect == Effect::Deny);

        let mut compiler = Compiler::default();
        for (source, layer_rule) in counted.iter().chain(&inert) {
            compiler.add(layer(*source), u32::try_from(*source).unwrap_or(u32::MAX), layer_rule);
        }
        let all: Vec<&LayerRule> = counted.iter().chain(&inert).map(|(_, layer_rule)| *layer_rule).collect();
        let managed =
            |rank: usize| compiler.rules.get(rank).is_some_and(|rule| rule.layer == LayerKind::Managed);
        let managed_confirms = (denies..counted.len()).any(|rank| {
            managed(rank) && all.get(rank).is_some_and(|layer_rule| layer_rule.effect == Effect::Confirm)
        });
        let index = compiler.index(&all, 0..counted.len());
        let inert = compiler.index(&all, counted.len()..all.len());
        let managed = managed_confirms
            .then(|| compiler.index(&all, (denies..counted.len()).filter(|rank| managed(*rank))));
        let sources = loaded
            .iter()
            .map(|layer| LayerSource {
                layer: layer.kind,
                name: LazyText::Own(Arc::clone(&layer.name)),
                text: LazyText::Own(Arc::clone(&layer.text)),
            })
            .collect();
        Policy {
            table: Arc::new(RuleTable { sources, cites: compiler.cites.into(), ids: compiler.ids.into() }),
            rules: compiler.rules.into(),
            extras: ConditionTable::Own(compiler.extras),
            patterns: compiler.patterns.into(),
            denies: u32::try_from(denies).unwrap_or(u32::MAX),
            index,
            managed,
            inert,
            protected,
            strict_redirects: loaded.iter().any(|layer| layer.settings.strict_redirects),
            reads: reads_of(loaded),
            local_work: false,
            broken: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// The number of rules, including built-in ones.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule at all, not even a built-in one.
    pub fn is_empty(&self) -> bool {
        self.rules.len() == 0
    }

    /// Messages about the policy.
    pub fn notices(&self) -> &[PolicyNotice] {
        &self.notices
    }

    /// Everything that protects an absolute, normalised path.
    pub fn protections<'a>(
        &'a self,
        path: &str,
        root: Option<&str>,
        home: Option<&str>,
    ) -> impl Iterator<Item = Protection<'a>> + use<'a> {
        self.protected.protections(path, root, home)
    }

    /// A fast check of file names, for tools that look at many files.
    pub fn protected_names(&self) -> ProtectedNameFilter<'_> {
        ProtectedNameFilter::new(&self.protected)
    }

    pub(crate) fn extra(&self, rule: &CompiledRule) -> Option<&Conditions> {
        rule.extra.checked_sub(1).and_then(|at| self.extras.get(at as usize))
    }

    pub(crate) fn pattern(&self, rule: &CompiledRule) -> &[u8] {
        self.patterns.all().get(rule.pattern.0 as usize..rule.pattern.1 as usize).unwrap_or_default()
    }
}

/// The order of strength: denies first, then by priority, a confirm before an allow; built-in rules come
/// last. The remaining keys only make the order deterministic.
fn strength(layer: LayerKind, layer_rule: &LayerRule) -> impl Ord {
    let deny = layer_rule.effect == Effect::Deny;
    let priority = if deny { 0 } else { i64::from(layer_rule.rule.priority) };
    let built_in = layer == LayerKind::BuiltIn;
    (
        !deny,
        built_in,
        -priority,
        std::cmp::Reverse(layer_rule.effect),
        layer,
        layer_rule.line,
        layer_rule.column,
    )
}

/// Which files the built-in list lets a call read. Any layer may limit reads to the workspace. Managed and
/// global layers may lift the limits of other layers, but not each other's.
fn reads_of(layers: &[&Layer]) -> Reads {
    let is_trusted = |kind: LayerKind| matches!(kind, LayerKind::Managed | LayerKind::Global);
    let strictest = |trusted: bool| {
        let counted = layers.iter().filter(move |layer| is_trusted(layer.kind) == trusted);
        counted.filter_map(|layer| layer.settings.reads).max()
    };
    strictest(true).or_else(|| strictest(false)).unwrap_or_default()
}

/// The list of protected paths. Any layer can add to it; only managed and global layers can remove from it.
fn protected_paths(layers: &[&Layer], notices: &mut Vec<PolicyNotice>) -> ProtectedList {
    let mut removed: Vec<&str> = Vec::new();
    for layer in layers.iter().filter(|layer| !layer.settings.unprotect.is_empty()) {
        if matches!(layer.kind, LayerKind::Managed | LayerKind::Global) {
            removed.extend(layer.settings.unprotect.iter().map(String::as_str));
        } else {
            let message =
                "protected_paths.remove is ignored: only managed and global config can remove paths".into();
            notices.push(PolicyNotice { source: layer.name.to_string(), message });
        }
    }
    let added = layers.iter().flat_map(|layer| layer.settings.protect.iter().map(String::as_str));
    ProtectedList::with_changes(&removed, added)
}

fn notice_of(layer: &Layer) -> Vec<PolicyNotice> {
    let mut notices = Vec::new();
    let mut note = |message: String| notices.push(PolicyNotice { source: layer.name.to_string(), message });
    let allows = layer.rules.iter().filter(|layer_rule| layer_rule.effect == Effect::Allow).count();
    match layer.trust {
        LayerTrust::Untrusted if allows > 0 => {
            note(format!(
                "{allows} allow rule(s) are ignored: the file is not trusted; review it, then run `sekisho trust`"
            ));
        }
        LayerTrust::OutsideRoot if allows > 0 => {
            note(format!(
                "{allows} allow rule(s) are ignored: only the file at the workspace root can allow"
            ));
        }
        _ => {}
    }
    let ignored = layer.settings.presets.iter().filter(|preset| !switches_on(layer, **preset)).count();
    if ignored > 0 {
        note(format!(
            "{ignored} preset(s) are ignored: the file is not trusted; review it, then run `sekisho trust`"
        ));
    }
    if layer.kind == LayerKind::Project && layer.settings.reads == Some(Reads::Anywhere) {
        note("`reads: anywhere` is ignored: only managed and global config can loosen `reads`".into());
    }
    if layer.kind == LayerKind::Project && layer.rules.iter().any(|layer_rule| layer_rule.rule.unrestricted) {
        note("`unrestricted` is ignored in a project file".into());
    }
    notices
}

#[derive(Default)]
struct Compiler {
    cites: Vec<CitedRuleRow>,
    ids: Vec<(u32, Uuid)>,
    rules: Vec<CompiledRule>,
    extras: Vec<Conditions>,
    patterns: Vec<u8>,
}

impl Compiler {
    fn add(&mut self, layer: LayerKind, source: u32, layer_rule: &LayerRule) {
        let rule = &layer_rule.rule;
        let start = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX);
        if let Some(pattern) = &rule.tool_pattern {
            self.patterns.extend_from_slice(FoldedName::new(pattern).bytes());
        }
        let end = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX);
        let extra = Conditions::of(layer, layer_rule.effect, rule).map_or(0, |extra| {
            self.extras.push(extra);
            u32::try_from(self.extras.len()).unwrap_or(u32::MAX)
        });
        if let Some(id) = rule.id {
            self.ids.push((u32::try_from(self.rules.len()).unwrap_or(u32::MAX), id));
        }
        self.rules.push(CompiledRule {
            effect: layer_rule.effect,
            layer,
            names_server: rule.server.is_some(),
            pattern: (start, end),
            extra,
        });
        self.cites.push(CitedRuleRow {
            source,
            range: layer_rule.range,
            line: layer_rule.line,
            priority: rule.priority,
            effect: layer_rule.effect,
        });
    }

    fn index(&self, rules: &[&LayerRule], ranks: impl Iterator<Item = usize>) -> Index {
        let ranks: Vec<usize> = ranks.collect();
        // Agents sanitise a server's name inside tool names. Denies and confirms are also indexed by that
        // spelling.
        let spelled = |rank: &usize| {
            let layer_rule = rules.get(*rank).filter(|layer_rule| layer_rule.effect.is_wide())?;
            let server = layer_rule.rule.server.as_deref()?;
            Some((*rank, tools::sanitised_name(server))).filter(|(_, spelled)| spelled != server)
        };
        let spelled: Vec<(usize, String)> = ranks.iter().filter_map(spelled).collect();
        let named = ranks.iter().map(|rank| (*rank, None));
        let named = named.chain(spelled.iter().map(|(rank, server)| (*rank, Some(server.as_str()))));
        let filed: Vec<IndexedRule<'_>> = named
            .filter_map(|(rank, spelled)| {
                let (layer_rule, compiled) = (rules.get(rank)?, self.rules.get(rank)?);
                let rule = &layer_rule.rule;
                let pattern = self.patterns.get(compiled.pattern.0 as usize..compiled.pattern.1 as usize);
                let program =
                    compiled.extra.checked_sub(1).and_then(|at| self.extras.get(at as usize)?.program());
                let selector = Selector {
                    pattern: pattern.filter(|_| rule.tool_pattern.is_some()),
                    program,
                    ..selector_of(layer_rule.effect, rule)
                };
                let server = spelled.or(rule.server.as_deref());
                Some(IndexedRule { rank: u32::try_from(rank).ok()?, server, selector })
            })
            .collect();
        Index::new(&filed)
    }
}

/// In an allow, a canonical name refers to the agent's own tools, never to those of an MCP server.
fn selector_of(effect: Effect, rule: &Rule) -> Selector<'_> {
    let Some(tool) = rule.tool.as_deref() else { return Selector::default() };
    let canonical = tools::canonical(tool).and_then(|tool| tools::index_of(tool.name));
    match canonical {
        Some(_) if effect == Effect::Allow && rule.server.is_some() => {
            Selector { exact: Some(tool), ..Selector::default() }
        }
        Some(index) => {
            Selector { canonical: Some(index), local: effect == Effect::Allow, ..Selector::default() }
        }
        None => Selector { exact: Some(tool), ..Selector::default() },
    }
}

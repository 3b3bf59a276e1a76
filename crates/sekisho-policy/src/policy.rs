//! A policy: every layer compiled into one immutable value, ready to judge.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::built_in::shipped;
use crate::cite::{Cite, RuleTable, Source};
use crate::extra::{Extra, Extras};
use crate::index::{Filed, Index, Selector};
use crate::layer::{Broken, Layer, Reads, Standing, Stated};
use crate::pattern::Folded;
use crate::protected::{Protected, ProtectedPaths, Protection};
use crate::rule::{Effect, LayerKind, Rule};
use crate::stored::{Blob, Row, Rows, Text, pack, unpack};
use crate::tools;

/// Every rule there is, indexed. Compiled once, shared freely, never changed.
pub struct Policy {
    pub(crate) table: Arc<RuleTable>,
    pub(crate) rules: Rows<Compiled, 16>,
    pub(crate) extras: Extras,
    pub(crate) patterns: Blob,
    /// Ranks below this are denies.
    pub(crate) denies: u32,
    pub(crate) index: Index,
    /// The managed rules alone, where one of them is a confirm: it yields to managed allows only.
    pub(crate) managed: Option<Index>,
    /// Allow rules that do not count; looked at only to explain.
    pub(crate) inert: Index,
    pub(crate) protected: ProtectedPaths,
    pub(crate) strict_redirects: bool,
    pub(crate) reads: Reads,
    pub(crate) broken: Vec<Broken>,
    pub(crate) notices: Vec<Notice>,
}

/// A rule as judging needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled {
    pub(crate) effect: Effect,
    pub(crate) layer: LayerKind,
    pub(crate) names_server: bool,
    /// Range in [`Policy::patterns`].
    pub(crate) pattern: (u32, u32),
    /// Position in [`Policy::extras`] plus one; 0 for a rule that depends on the name alone.
    pub(crate) extra: u32,
}

impl Row<16> for Compiled {
    fn to_row(self) -> [u8; 16] {
        let kind = u32::from(self.effect.number())
            | u32::from(self.layer.number()) << 8
            | u32::from(self.names_server) << 16;
        pack([kind, self.pattern.0, self.pattern.1, self.extra])
    }

    #[inline]
    fn of_row(row: [u8; 16]) -> Compiled {
        let [kind, start, end, extra] = unpack(row);
        let [effect, layer, names_server, _] = kind.to_le_bytes();
        Compiled {
            effect: Effect::numbered(effect),
            layer: LayerKind::numbered(layer),
            names_server: names_server != 0,
            pattern: (start, end),
            extra,
        }
    }
}

/// Something a person should know about the policy that is no error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The file it is about.
    pub source: String,
    /// What it is.
    pub message: String,
}

/// What a policy is compiled from.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The layers that were read, in any order; the built-in one is added by compiling.
    pub loaded: Vec<Layer>,
    /// The layers that could not be read.
    pub broken: Vec<Broken>,
}

impl From<Vec<Layer>> for Layers {
    fn from(loaded: Vec<Layer>) -> Layers {
        Layers { loaded, broken: Vec::new() }
    }
}

impl Policy {
    /// Compiles the layers, the built-in one included.
    pub fn compile(layers: Layers) -> Policy {
        let Layers { loaded, broken } = layers;
        let builtin = loaded.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or_default();
        let mut all: Vec<&Layer> = loaded.iter().collect();
        all.extend(shipped(builtin));
        let mut notices = Vec::new();
        let protected = protected_paths(&all, &mut notices);
        notices.extend(all.iter().flat_map(|layer| notice_of(layer)));
        Policy { broken, notices, ..Policy::of_these(&all, protected.into()) }
    }

    /// Compiles these layers and no other: not the built-in one either.
    pub(crate) fn of_these(loaded: &[&Layer], protected: ProtectedPaths) -> Policy {
        let mut counted: Vec<(usize, &Stated)> = Vec::new();
        let mut inert: Vec<(usize, &Stated)> = Vec::new();
        for (source, layer) in loaded.iter().enumerate() {
            let full = layer.standing == Standing::Full;
            let loosens = |stated: &&Stated| stated.effect == Effect::Allow && !full;
            inert.extend(layer.rules.iter().filter(loosens).map(|stated| (source, stated)));
            counted
                .extend(layer.rules.iter().filter(|stated| !loosens(stated)).map(|stated| (source, stated)));
        }
        let layer = |source: usize| loaded.get(source).map_or(LayerKind::BuiltIn, |layer| layer.kind);
        counted.sort_by_key(|(source, stated)| strength(layer(*source), stated));
        let denies = counted.partition_point(|(_, stated)| stated.effect == Effect::Deny);

        let mut compiler = Compiler::default();
        for (source, stated) in counted.iter().chain(&inert) {
            compiler.add(layer(*source), u32::try_from(*source).unwrap_or(u32::MAX), stated);
        }
        let all: Vec<&Stated> = counted.iter().chain(&inert).map(|(_, stated)| *stated).collect();
        let managed =
            |rank: usize| compiler.rules.get(rank).is_some_and(|rule| rule.layer == LayerKind::Managed);
        let managed_confirms = (denies..counted.len()).any(|rank| {
            managed(rank) && all.get(rank).is_some_and(|stated| stated.effect == Effect::Confirm)
        });
        let index = compiler.index(&all, 0..counted.len());
        let inert = compiler.index(&all, counted.len()..all.len());
        let managed = managed_confirms
            .then(|| compiler.index(&all, (denies..counted.len()).filter(|rank| managed(*rank))));
        let sources = loaded
            .iter()
            .map(|layer| Source {
                layer: layer.kind,
                name: Text::Own(Arc::clone(&layer.name)),
                text: Text::Own(Arc::clone(&layer.text)),
            })
            .collect();
        Policy {
            table: Arc::new(RuleTable { sources, cites: compiler.cites.into(), ids: compiler.ids.into() }),
            rules: compiler.rules.into(),
            extras: Extras::Own(compiler.extras),
            patterns: compiler.patterns.into(),
            denies: u32::try_from(denies).unwrap_or(u32::MAX),
            index,
            managed,
            inert,
            protected,
            strict_redirects: loaded.iter().any(|layer| layer.settings.strict_redirects),
            reads: reads_of(loaded),
            broken: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// How many rules there are, built-in ones included.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule at all, not even a built-in one.
    pub fn is_empty(&self) -> bool {
        self.rules.len() == 0
    }

    /// What a person should know about the policy.
    pub fn notices(&self) -> &[Notice] {
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

    pub(crate) fn extra(&self, rule: &Compiled) -> Option<&Extra> {
        rule.extra.checked_sub(1).and_then(|at| self.extras.get(at as usize))
    }

    pub(crate) fn pattern(&self, rule: &Compiled) -> &[u8] {
        self.patterns.all().get(rule.pattern.0 as usize..rule.pattern.1 as usize).unwrap_or_default()
    }
}

/// The order of strength: denies, then by priority, a confirm before an allow; built-in rules below every priority.
/// What follows only makes the cited rule the same each time.
fn strength(layer: LayerKind, stated: &Stated) -> impl Ord {
    let deny = stated.effect == Effect::Deny;
    let priority = if deny { 0 } else { i64::from(stated.rule.priority) };
    let built_in = layer == LayerKind::BuiltIn;
    (!deny, built_in, -priority, std::cmp::Reverse(stated.effect), layer, stated.line, stated.column)
}

/// Which files the built-in list lets a call read. Any layer may limit it; managed and global layers may lift the limit of
/// others, but not that of each other.
fn reads_of(layers: &[&Layer]) -> Reads {
    let is_trusted = |kind: LayerKind| matches!(kind, LayerKind::Managed | LayerKind::Global);
    let said = |trusted: bool| {
        let counted = layers.iter().filter(move |layer| is_trusted(layer.kind) == trusted);
        counted.filter_map(|layer| layer.settings.reads).max()
    };
    said(true).or_else(|| said(false)).unwrap_or_default()
}

/// The list of protected paths: added to by anyone, shortened by managed and global layers.
fn protected_paths(layers: &[&Layer], notices: &mut Vec<Notice>) -> Protected {
    let mut removed: Vec<&str> = Vec::new();
    for layer in layers.iter().filter(|layer| !layer.settings.unprotect.is_empty()) {
        if matches!(layer.kind, LayerKind::Managed | LayerKind::Global) {
            removed.extend(layer.settings.unprotect.iter().map(String::as_str));
        } else {
            let message = "protected_paths.remove is honoured from managed and global config only".into();
            notices.push(Notice { source: layer.name.to_string(), message });
        }
    }
    let added = layers.iter().flat_map(|layer| layer.settings.protect.iter().map(String::as_str));
    Protected::shipped_and(&removed, added)
}

fn notice_of(layer: &Layer) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut note = |message: String| notices.push(Notice { source: layer.name.to_string(), message });
    let allows = layer.rules.iter().filter(|stated| stated.effect == Effect::Allow).count();
    match layer.standing {
        Standing::Untrusted if allows > 0 => {
            note(format!(
                "{allows} allow rule(s) do not count: the file is not trusted; read it, then run `sekisho trust`"
            ));
        }
        Standing::OutsideRoot if allows > 0 => {
            note(format!(
                "{allows} allow rule(s) do not count: only the file at the workspace root can loosen"
            ));
        }
        _ => {}
    }
    if layer.kind == LayerKind::Project && layer.settings.reads == Some(Reads::Anywhere) {
        note("`reads` is loosened by managed and global config only".into());
    }
    if layer.kind == LayerKind::Project && layer.rules.iter().any(|stated| stated.rule.unrestricted) {
        note("`unrestricted` is never honoured from a project file".into());
    }
    notices
}

#[derive(Default)]
struct Compiler {
    cites: Vec<Cite>,
    ids: Vec<(u32, Uuid)>,
    rules: Vec<Compiled>,
    extras: Vec<Extra>,
    patterns: Vec<u8>,
}

impl Compiler {
    fn add(&mut self, layer: LayerKind, source: u32, stated: &Stated) {
        let rule = &stated.rule;
        let start = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX);
        if let Some(pattern) = &rule.tool_pattern {
            self.patterns.extend_from_slice(Folded::new(pattern).bytes());
        }
        let end = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX);
        let extra = Extra::of(layer, stated.effect, rule).map_or(0, |extra| {
            self.extras.push(extra);
            u32::try_from(self.extras.len()).unwrap_or(u32::MAX)
        });
        if let Some(id) = rule.id {
            self.ids.push((u32::try_from(self.rules.len()).unwrap_or(u32::MAX), id));
        }
        self.rules.push(Compiled {
            effect: stated.effect,
            layer,
            names_server: rule.server.is_some(),
            pattern: (start, end),
            extra,
        });
        self.cites.push(Cite {
            source,
            range: stated.range,
            line: stated.line,
            priority: rule.priority,
            effect: stated.effect,
        });
    }

    fn index(&self, rules: &[&Stated], ranks: impl Iterator<Item = usize>) -> Index {
        let ranks: Vec<usize> = ranks.collect();
        // Agents spell a server's name as names of tools allow. What forbids or asks is found under that as well.
        let spelled = |rank: &usize| {
            let stated = rules.get(*rank).filter(|stated| stated.effect.is_wide())?;
            let server = stated.rule.server.as_deref()?;
            Some((*rank, tools::spelled(server))).filter(|(_, spelled)| spelled != server)
        };
        let spelled: Vec<(usize, String)> = ranks.iter().filter_map(spelled).collect();
        let named = ranks.iter().map(|rank| (*rank, None));
        let named = named.chain(spelled.iter().map(|(rank, server)| (*rank, Some(server.as_str()))));
        let filed: Vec<Filed<'_>> = named
            .filter_map(|(rank, spelled)| {
                let (stated, compiled) = (rules.get(rank)?, self.rules.get(rank)?);
                let rule = &stated.rule;
                let pattern = self.patterns.get(compiled.pattern.0 as usize..compiled.pattern.1 as usize);
                let program =
                    compiled.extra.checked_sub(1).and_then(|at| self.extras.get(at as usize)?.program());
                let selector = Selector {
                    pattern: pattern.filter(|_| rule.tool_pattern.is_some()),
                    program,
                    ..selector_of(stated.effect, rule)
                };
                let server = spelled.or(rule.server.as_deref());
                Some(Filed { rank: u32::try_from(rank).ok()?, server, selector })
            })
            .collect();
        Index::new(&filed)
    }
}

/// Canonical names are ours: in an allow they speak of the agent's own tools, never of an MCP server's.
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

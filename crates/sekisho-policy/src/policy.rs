//! A policy: every layer compiled into one immutable value, ready to judge.

use std::sync::Arc;

use jiff::Timestamp;

use crate::cite::{Cite, RuleTable, Source};
use crate::hosts::HostPattern;
use crate::index::{Filed, Index, Selector};
use crate::layer::{Broken, Builtin, Layer, Standing, Stated};
use crate::paths::PathGlob;
use crate::pattern::Folded;
use crate::protected::{PROTECTED, Protected};
use crate::rule::{Effect, LayerKind, Rule};
use crate::shell::{CommandGlob, CommandWords};
use crate::tools;
use crate::verdict::Wait;

/// Every rule there is, indexed. Compiled once, shared freely, never changed.
pub struct Policy {
    pub(crate) table: Arc<RuleTable>,
    pub(crate) rules: Vec<Compiled>,
    pub(crate) extras: Vec<Extra>,
    pub(crate) patterns: Vec<u8>,
    /// Ranks below this are denies.
    pub(crate) denies: u32,
    pub(crate) index: Index,
    /// The managed rules alone, where one of them is a confirm: it yields to managed allows only.
    pub(crate) managed: Option<Index>,
    /// Allow rules that do not count; looked at only to explain.
    pub(crate) inert: Index,
    pub(crate) protected: Protected,
    pub(crate) strict_redirects: bool,
    pub(crate) broken: Vec<Broken>,
    notices: Vec<Notice>,
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

/// What a rule asks besides the tool's name and server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    pub(crate) agent: Option<Box<str>>,
    pub(crate) path: Option<PathGlob>,
    pub(crate) host: Option<HostPattern>,
    pub(crate) skill: Option<Box<str>>,
    /// For rules filed by program: the tool they name.
    pub(crate) tool: Option<Box<str>>,
    pub(crate) command: Option<CommandWords>,
    pub(crate) command_glob: Option<CommandGlob>,
    pub(crate) expires_at: Option<Timestamp>,
    /// A built-in allow of a file tool counts inside the workspace only.
    pub(crate) inside_workspace: bool,
    pub(crate) unrestricted: bool,
    /// A rule that was never checked and cannot be evaluated: it never allows, and asks where it would deny.
    pub(crate) unreadable: bool,
    pub(crate) wait: Wait,
}

/// Something a person should know about the policy that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let Layers { mut loaded, broken } = layers;
        let builtin = loaded.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or_default();
        loaded.extend(built_in(builtin));
        let mut notices = Vec::new();
        let protected = protected_paths(&loaded, &mut notices);

        let mut counted: Vec<(usize, &Stated)> = Vec::new();
        let mut inert: Vec<(usize, &Stated)> = Vec::new();
        for (source, layer) in loaded.iter().enumerate() {
            let full = layer.standing == Standing::Full;
            let loosens = |stated: &&Stated| stated.effect == Effect::Allow && !full;
            inert.extend(layer.rules.iter().filter(loosens).map(|stated| (source, stated)));
            counted
                .extend(layer.rules.iter().filter(|stated| !loosens(stated)).map(|stated| (source, stated)));
            notices.extend(notice_of(layer));
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
        compiler.table.sources = loaded
            .iter()
            .map(|layer| Source {
                layer: layer.kind,
                name: Arc::clone(&layer.name),
                text: Arc::clone(&layer.text),
            })
            .collect();
        compiler.rules.shrink_to_fit();
        compiler.table.cites.shrink_to_fit();
        Policy {
            table: Arc::new(compiler.table),
            rules: compiler.rules,
            extras: compiler.extras,
            patterns: compiler.patterns,
            denies: u32::try_from(denies).unwrap_or(u32::MAX),
            index,
            managed,
            inert,
            protected,
            strict_redirects: loaded.iter().any(|layer| layer.settings.strict_redirects),
            broken,
            notices,
        }
    }

    /// How many rules there are, built-in ones included.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule at all, not even a built-in one.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What a person should know about the policy.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    pub(crate) fn extra(&self, rule: &Compiled) -> Option<&Extra> {
        rule.extra.checked_sub(1).and_then(|at| self.extras.get(at as usize))
    }

    pub(crate) fn pattern(&self, rule: &Compiled) -> &[u8] {
        self.patterns.get(rule.pattern.0 as usize..rule.pattern.1 as usize).unwrap_or_default()
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

/// The layers shipped with sekisho, as far as a config lets them count. They are checked by the tests, so a fault cannot reach a user.
pub fn built_in(list: Builtin) -> Vec<Layer> {
    let mut texts = vec![include_str!("builtin/always.json")];
    if list <= Builtin::Seed {
        texts.push(include_str!("builtin/seed.json"));
    }
    if list <= Builtin::Full {
        texts.push(include_str!("builtin/more.json"));
    }
    texts.iter().filter_map(|text| Layer::parse(LayerKind::BuiltIn, "built-in", text).ok()).collect()
}

/// The list of protected paths: added to by anyone, shortened by managed and global layers.
fn protected_paths(layers: &[Layer], notices: &mut Vec<Notice>) -> Protected {
    let mut removed: Vec<&str> = Vec::new();
    for layer in layers.iter().filter(|layer| !layer.settings.unprotect.is_empty()) {
        if matches!(layer.kind, LayerKind::Managed | LayerKind::Global) {
            removed.extend(layer.settings.unprotect.iter().map(String::as_str));
        } else {
            let message = "protected_paths.remove is honoured from managed and global config only".into();
            notices.push(Notice { source: layer.name.to_string(), message });
        }
    }
    let kept = PROTECTED.iter().copied().filter(|entry| !removed.contains(entry));
    Protected::new(
        kept.chain(layers.iter().flat_map(|layer| layer.settings.protect.iter().map(String::as_str))),
    )
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
    if layer.kind == LayerKind::Project && layer.rules.iter().any(|stated| stated.rule.unrestricted) {
        note("`unrestricted` is never honoured from a project file".into());
    }
    notices
}

#[derive(Default)]
struct Compiler {
    table: RuleTable,
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
        let extra = extra_of(layer, stated.effect, rule).map_or(0, |extra| {
            self.extras.push(extra);
            u32::try_from(self.extras.len()).unwrap_or(u32::MAX)
        });
        if let Some(id) = rule.id {
            self.table.ids.insert(u32::try_from(self.rules.len()).unwrap_or(u32::MAX), id);
        }
        self.rules.push(Compiled {
            effect: stated.effect,
            layer,
            names_server: rule.server.is_some(),
            pattern: (start, end),
            extra,
        });
        self.table.cites.push(Cite {
            source,
            range: stated.range,
            line: stated.line,
            priority: rule.priority,
            effect: stated.effect,
        });
    }

    fn index(&self, rules: &[&Stated], ranks: impl Iterator<Item = usize>) -> Index {
        let filed: Vec<Filed<'_>> = ranks
            .filter_map(|rank| {
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
                Some(Filed { rank: u32::try_from(rank).ok()?, server: rule.server.as_deref(), selector })
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

impl Extra {
    /// The program's name under which the rule is filed, where it is about one.
    fn program(&self) -> Option<&str> {
        let words = self.command.as_ref().and_then(CommandWords::program);
        // A glob of a deny may match anywhere in a text, so it is filed under its tool.
        words.or_else(|| self.command_glob.as_ref().and_then(CommandGlob::program))
    }
}

/// What the rule asks besides name and server, if anything.
fn extra_of(layer: LayerKind, effect: Effect, rule: &Rule) -> Option<Extra> {
    let kind = rule.tool.as_deref().and_then(tools::by_name).map(|tool| tool.kind);
    let inside_workspace =
        layer == LayerKind::BuiltIn && effect == Effect::Allow && kind.is_some_and(tools::ToolKind::is_file);
    let path = rule.path.as_deref().map(|path| PathGlob::new(path, effect.is_wide()));
    let host = rule.host.as_deref().map(HostPattern::new);
    let glob = rule
        .command_glob
        .as_deref()
        .map(|glob| CommandGlob::new(glob, effect).map(|glob| glob.of_layer(layer)));
    let unreadable = path.as_ref().is_some_and(Result::is_err)
        || host.as_ref().is_some_and(Result::is_err)
        || glob.as_ref().is_some_and(Result::is_err);
    let shell = rule.command.is_some() || rule.command_glob.is_some();
    let extra = Extra {
        agent: rule.agent.as_deref().map(Into::into),
        path: path.and_then(Result::ok),
        host: host.and_then(Result::ok),
        unreadable,
        skill: rule.skill_name.as_deref().map(Into::into),
        tool: rule.tool.as_deref().filter(|_| shell).map(Into::into),
        command: rule.command.as_deref().map(CommandWords::new),
        command_glob: glob.and_then(Result::ok),
        expires_at: rule.expires_at,
        inside_workspace,
        unrestricted: rule.unrestricted && layer != LayerKind::Project,
        wait: Wait { timeout_s: rule.timeout_s, on_timeout: rule.on_timeout },
    };
    let asks = extra.agent.is_some()
        || extra.path.is_some()
        || extra.host.is_some()
        || extra.skill.is_some()
        || extra.command.is_some()
        || extra.command_glob.is_some()
        || extra.expires_at.is_some()
        || extra.inside_workspace
        || extra.unrestricted
        || extra.unreadable
        || extra.wait != Wait::default();
    asks.then_some(extra)
}

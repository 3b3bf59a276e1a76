//! A call and what it acts on (paths, hosts), computed once and only if a rule needs it.

use std::cell::{Cell, OnceCell};

use crate::call::Call;
use crate::call_paths::{PathTarget, file_urls, paths_of};
use crate::descriptor_actions::{Action, ActionKind};
use crate::hosts::{HostTarget, hosts_of};
use crate::index::CallNames;
use crate::input_condition;
use crate::judge_context::JudgeContext;
use crate::match_result::MatchResult;
use crate::paths::{PathGlob, is_within};
use crate::shell::AnalysedText;
use crate::tool_pattern::FoldedName;
use crate::tools::{self, TOOLS, Tool, ToolKind};

/// A call and its derived targets, computed once and only if a rule needs them.
pub(crate) struct CallTargets<'a> {
    pub(crate) call: &'a Call,
    pub(crate) context: &'a JudgeContext,
    pub(crate) tool: Option<&'static Tool>,
    canonical: Option<usize>,
    /// The tool's own entry in the table, if a descriptor says what it does instead.
    own: Option<usize>,
    pub(crate) folded: FoldedName<'a>,
    paths: OnceCell<Vec<PathTarget>>,
    hosts: OnceCell<Vec<HostTarget>>,
    /// The input in its canonical form, if it has one.
    input: OnceCell<Option<String>>,
    /// Set for one action of a described call: whether its tool is declared to change nothing.
    pub(crate) described: Option<ReadOnly>,
    /// The analysis of the call's shell text, until it is used. Boxed: few calls have one, and all are moved.
    pub(crate) analysed: Cell<Option<Box<AnalysedText>>>,
}

/// Whether a tool is declared to change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadOnly(pub(crate) bool);

impl<'a> CallTargets<'a> {
    pub(crate) fn new(call: &'a Call, context: &'a JudgeContext) -> CallTargets<'a> {
        let canonical = tools::index_of(&call.tool);
        CallTargets {
            call,
            context,
            tool: canonical.and_then(|index| TOOLS.get(index)),
            canonical,
            own: None,
            folded: FoldedName::new(&call.tool),
            paths: OnceCell::new(),
            hosts: OnceCell::new(),
            input: OnceCell::new(),
            described: None,
            analysed: Cell::new(None),
        }
    }

    /// The whole input in its canonical form, if it has one.
    pub(crate) fn canonical_input(&self) -> Option<&str> {
        self.input.get_or_init(|| input_condition::canonical(&self.call.input)).as_deref()
    }

    /// One action of a described call: the call under its own name and that of the canonical tool for the
    /// action.
    pub(crate) fn of_action(
        call: &'a Call,
        context: &'a JudgeContext,
        action: &Action<'_>,
    ) -> CallTargets<'a> {
        let canonical = action.tool.and_then(tools::index_of);
        // Rules for what another tool of this name does must not allow this one.
        let own = tools::canonical(&call.tool).filter(|tool| tool.kind == ToolKind::Other);
        let own =
            own.filter(|_| call.proven_descriptor().is_some()).and_then(|tool| tools::index_of(tool.name));
        let (paths, hosts) = match &action.kind {
            ActionKind::Touches { paths, hosts } => (paths.clone(), hosts.clone()),
            ActionKind::Runs(..) | ActionKind::RunsUnknown(_) => (Vec::new(), Vec::new()),
        };
        CallTargets {
            tool: canonical.and_then(|index| TOOLS.get(index)),
            canonical,
            own: own.filter(|own| Some(*own) != canonical),
            paths: OnceCell::from(paths),
            hosts: OnceCell::from(hosts),
            described: Some(ReadOnly(action.read_only)),
            ..CallTargets::new(call, context)
        }
    }

    pub(crate) fn kind(&self) -> ToolKind {
        self.tool.map_or(ToolKind::Other, |tool| tool.kind)
    }

    pub(crate) fn shown(&self) -> CallNames<'_> {
        CallNames {
            name: &self.call.tool,
            folded: self.folded.bytes(),
            canonical: self.canonical,
            own: self.own,
            server: self.call.server.as_ref().map(|server| server.id.as_str()),
        }
    }

    /// The paths that a call to a file tool names, or a `file:` URL; empty for other tools.
    pub(crate) fn paths(&self) -> &[PathTarget] {
        self.paths.get_or_init(|| match self.tool {
            Some(tool) if tool.kind.is_file() => paths_of(tool, self.call, self.context.home.as_deref()),
            Some(tool) if tool.kind == ToolKind::Web => file_urls(tool, &self.call.input),
            _ => Vec::new(),
        })
    }

    /// Whether the tool certainly does not have what `speaks` asks for: a note has no path. An MCP server's
    /// tool may have anything.
    pub(crate) fn lacks(&self, speaks: fn(ToolKind) -> bool) -> bool {
        let kind = self.kind();
        self.call.server.is_none() && kind != ToolKind::Other && !speaks(kind)
    }

    /// Whether a glob matches all possible values of the call's paths.
    pub(crate) fn fits_path(&self, glob: &PathGlob, wide: bool) -> MatchResult {
        let (root, home) = (self.context.root.as_deref(), self.context.home.as_deref());
        let touches = |kind: ToolKind| kind.is_file() || kind == ToolKind::Shell;
        if self.paths().is_empty() && self.lacks(touches) {
            return MatchResult::No;
        }
        let readings = self.paths().iter().flat_map(|target| target.readings(&self.context.facts));
        MatchResult::all_or_any(
            wide,
            readings.map(|path| path.map_or(MatchResult::Unknown, |path| glob.fit(path, root, home))),
        )
    }

    /// The first path of the call that leads out of the workspace, with all links followed. Without a root,
    /// every path is outside.
    pub(crate) fn outside_workspace(&self) -> Option<&str> {
        let root = self.context.root.as_deref();
        let outside = |path: &&str| root.is_none_or(|root| !is_within(path, root));
        let ends = self.paths().iter().flat_map(|target| target.link_targets(&self.context.facts));
        ends.flatten().find(outside)
    }

    /// The first path of the call from which a walk would go through the home directory.
    pub(crate) fn walks_home(&self) -> Option<&str> {
        let home = self.context.home.as_deref()?;
        let starts = self.paths().iter().flat_map(|target| target.readings(&self.context.facts));
        starts.flatten().find(|path| is_within(home, path))
    }

    pub(crate) fn hosts(&self) -> &[HostTarget] {
        self.hosts.get_or_init(|| match self.tool {
            Some(tool) if tool.kind == ToolKind::Web => hosts_of(tool, &self.call.input),
            _ => Vec::new(),
        })
    }
}

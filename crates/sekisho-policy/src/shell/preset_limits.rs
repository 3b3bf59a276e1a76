//! Limits on the allows of presets.

use sekisho_shell::cost_of_word;
use sekisho_shell::programs::{Detail, PresetList};
use sekisho_shell::script::Assignment;
use sekisho_shell::word::Piece;

use super::execution_plan::Step;
use super::harmless_variables::is_loop_name;
use super::plan_context::PlanContext;
use super::required_searches::expansion_inside;
use super::touched_paths::{TouchedPath, paths_of_step};
use crate::command_explanation::Explanation;
use crate::paths::is_within;
use crate::reason::Reason;

/// A name that no entry of the list of protected paths has.
const ANY_NAME: &str = "any name";

impl PlanContext<'_> {
    /// Why a command of a preset still needs confirmation. The preset `dev` trusts the code of the workspace, so its
    /// commands must run there, on files of the workspace.
    pub(super) fn reason_against_preset(self, preset: PresetList, step: &Step) -> Option<Reason> {
        let outside = match preset {
            PresetList::Dev => self.reason_against_variables().or_else(|| self.reason_against_place(step)),
            PresetList::LocalWork => return self.reason_against_local_work(step),
            PresetList::NetworkRead => None,
        };
        outside.or_else(|| self.reason_against_allow(step))
    }

    /// Why a command must not work where it does, or on the files that it names.
    fn reason_against_place(self, step: &Step) -> Option<Reason> {
        step.directories
            .iter()
            .map(|directory| directory.map_or(TouchedPath::Unknown, |path| TouchedPath::Path(path.into())))
            .chain(paths_of_step(step))
            .find_map(|touched| {
                self.reason_outside_workspace(&touched).or_else(|| self.reason_below_protected(&touched))
            })
            .or_else(|| self.reason_against_download(step))
    }

    /// A variable of the text whose value a program may evaluate. If the environment already has it, the programs that follow
    /// get the new value, and `make` expands `$(shell …)` in it. The environment seldom has names in lower case, so their
    /// values may be computed.
    fn reason_against_variables(self) -> Option<Reason> {
        let assignments = || self.plan.texts.iter().flat_map(|text| &text.script.assignments);
        let length = |assignment: &Assignment| cost_of_word(&assignment.value);
        if !self.plan.budget.spend(self.plan.texts.len() + assignments().map(length).sum::<usize>()) {
            return Some(Reason::WorkLimit);
        }
        let found = assignments().find(|assignment| !assignment.temporary && !is_plain_value(assignment))?;
        Some(Reason::Assignment { name: found.name.clone() })
    }

    /// Why the program that a command starts is not known to be installed in the project. Package managers install
    /// programs as links, and a path that does not exist resolves to one with the same end.
    fn reason_against_download(self, step: &Step) -> Option<Reason> {
        let installed = step.profile.installed.as_deref()?;
        let is_link = |path: Option<String>| {
            path.and_then(|path| self.resolved(&path)).is_some_and(|found| !found.ends_with(installed))
        };
        let mut paths = step.directories.paths_of_text(installed).into_iter().peekable();
        if paths.peek().is_some() && paths.all(is_link) {
            return None;
        }
        let (_, name) = installed.rsplit_once('/').unwrap_or(("", installed));
        let why = Explanation::naming(Detail::NotInstalled, Some(name));
        Some(Reason::Obstacle { word: name.to_owned(), why })
    }

    /// Why a command must not work in a directory: what lies in it is protected.
    fn reason_below_protected(self, touched: &TouchedPath) -> Option<Reason> {
        let TouchedPath::Path(path) = touched else { return None };
        let pattern = self.named(&format!("{path}/{ANY_NAME}"))?;
        Some(Reason::ProtectedPath { path: path.as_str().into(), pattern: pattern.into() })
    }

    /// Why a path is not known to be in the workspace, both as written and with links followed.
    pub(super) fn reason_outside_workspace(self, touched: &TouchedPath) -> Option<Reason> {
        let path = match touched {
            TouchedPath::Path(path) => path,
            TouchedPath::Glob { base, rest } if !rest.iter().any(|name| name == "..") => base,
            _ => return Some(Reason::PathUnknown),
        };
        let Some(root) = self.context.root.as_deref() else { return Some(Reason::PathUnknown) };
        match self.resolved(path) {
            Some(resolved) if is_within(path, root) && is_within(resolved, root) => match touched {
                TouchedPath::Glob { base, rest } => self.search_reason(&expansion_inside(base, rest), true),
                _ => None,
            },
            Some(_) => Some(Reason::OutsideWorkspace { path: path.clone() }),
            None => Some(Reason::PathUnknown),
        }
    }
}

/// Letters, digits, blanks and signs of paths and versions. With a name that the environment seldom has, the value may be
/// computed, or hold other signs, but not those with which `make` begins an expansion.
fn is_plain_value(assignment: &Assignment) -> bool {
    let is_seldom = is_loop_name(&assignment.name);
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || "_./+:,@%- ".contains(c) || is_seldom && !"$`".contains(c);
    let is_known = |piece: &Piece| match piece {
        Piece::Literal(text) => text.chars().all(is_plain),
        _ => is_seldom,
    };
    assignment.value.pieces.iter().all(is_known)
}

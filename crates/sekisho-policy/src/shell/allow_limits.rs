//! Limits on allow rules: the reasons to ask even though a rule allows a command.

use std::borrow::Cow;

use sekisho_shell::programs::{InnerCommand, PathUseKind};
use sekisho_shell::word::{Piece, Word};

use super::commit_messages::message_words;
use super::execution_plan::{ROOTED, Step};
use super::git_repository_risks;
use super::harmless_command::is_harmless;
use super::harmless_variables::{is_harmless_value, unlisted_in_command};
use super::plan_context::{PlanContext, compare_cost};
use super::portable_text::is_portable;
use super::redirect_safety::{RedirectSafety, redirect_safety};
use super::required_searches::expansion;
use super::step_fact_queries::glob_fact_queries;
use super::touched_paths::{TouchedPath, mentioned, paths_of_step, touched_by};
use super::undeclared_paths::{
    may_open_other_paths, possible_computed_names, possible_globs, possible_paths,
};
use super::working_directories::{cd_target, goes_back, pushed_directory};
use crate::command_explanation::{Detail, Explanation};
use crate::command_pattern::COMPUTED;
use crate::facts::{Fact, FactQuery};
use crate::file_search_query::FileSearch;
use crate::layer::Reads;
use crate::paths::{self, is_within, normalise_lexically, relative_to};
use crate::reason::Reason;

/// Commands that read no files of their working directory.
const READS_NO_FILES: &[&str] = &[
    ":", "[", "arch", "basename", "break", "continue", "date", "dirname", "echo", "exit", "false",
    "hostname", "id", "nproc", "printf", "pwd", "seq", "sleep", "test", "true", "uname", "uptime", "whoami",
];

impl PlanContext<'_> {
    /// Why a command that a rule allows still needs confirmation.
    pub(crate) fn reason_against_allow(self, step: &Step) -> Option<Reason> {
        let profile = &step.profile;
        let program = profile.program.as_deref()?;
        if let Some(name) = sets_variable(step) {
            return Some(Reason::Assignment { name });
        }
        if profile.changes_shell && program != "cd" && !is_harmless(profile) {
            return Some(Reason::ChangesShell { program: program.into() });
        }
        let own = &self.plan.variables;
        if let Some(text) = unlisted_in_command(program, &step.words, own) {
            return Some(Reason::Expansion { text });
        }
        if let Some(text) = self.unset_variable(step) {
            return Some(Reason::Expansion { text });
        }
        if !profile.evaluated_words.is_empty()
            && let Some(reason) = self.evaluated_reason(step)
        {
            return Some(reason);
        }
        if let Some(word) = self.hidden_option(step) {
            return Some(Reason::MayBeOption { word: self.written(step, word) });
        }
        let words = self.becomes_option(step).or_else(|| self.splits_option(step));
        if let Some(reason) = words.or_else(|| self.unquoted_reason(step)) {
            return Some(reason);
        }
        self.protected(step)
            .or_else(|| self.walk_reason(step))
            .or_else(|| self.compared_directories_reason(step))
            .or_else(|| self.pathspec_reason(step))
            .or_else(|| self.tracked_files_reason(step))
    }

    /// Why unquoted names from a variable need confirmation.
    fn unquoted_reason(self, step: &Step) -> Option<Reason> {
        self.unquoted(step).into_iter().find_map(|search| match search {
            Some(search) => self.search_reason(&search, true),
            None => Some(Reason::PathUnknown),
        })
    }

    /// A word that may become an option that has not been judged.
    fn hidden_option(self, step: &Step) -> Option<&Word> {
        let profile = &step.profile;
        // If the table knows the command as harmless, it has listed the words that remain to be checked.
        let vouched = profile.known && is_harmless(profile);
        let messages = message_words(step);
        let computed = |(at, word): &(usize, &Word)| word.literal().is_none() && !messages.contains(at);
        step.words.iter().enumerate().skip(1).filter(computed).find_map(|(at, word)| {
            let named = profile.option_globs.contains(&at);
            if !named && (vouched || !word.may_be_option()) {
                return None;
            }
            let plain = match word.pieces.first() {
                Some(Piece::Glob(_)) => {
                    let queries = glob_fact_queries(step, word);
                    !queries.is_empty() && queries.iter().all(|query| self.context.facts.glob_is_plain(query))
                }
                // `--file=$x`: the option is known, its value is not an option.
                Some(Piece::Literal(text)) => !vouched && text.contains('=') && !word.may_split(),
                _ => false,
            };
            (!plain).then_some(word)
        })
    }

    /// Why a command on the built-in list still needs confirmation.
    pub(crate) fn reason_against_builtin(self, step: &Step) -> Option<Reason> {
        let profile = &step.profile;
        match profile.program.as_deref() {
            Some("cd" | "pushd" | "popd") => return self.cd_reason(step),
            // The text it runs is analysed and judged like any other.
            Some(_) if runs_known_text(step) => return None,
            _ => {}
        }
        if let Some(preset) = profile.preset.filter(|_| !is_harmless(profile)) {
            return self.reason_against_preset(preset, step);
        }
        if let Err(obstacle) = &profile.harmless
            && !is_harmless(profile)
        {
            let word = step.words.get(obstacle.word).map(|word| self.written(step, word)).unwrap_or_default();
            let why = Explanation::naming(obstacle.detail, obstacle.name.as_deref());
            return Some(Reason::Obstacle { word, why });
        }
        if profile.program_text {
            return Some(Reason::ProgramText { program: profile.program.clone().unwrap_or_default() });
        }
        if profile.walks_directories
            && let Some(path) = self.walks_home(step)
        {
            return Some(Reason::WalksHome { path });
        }
        if profile.repository
            && let Some(reason) =
                step.directories.iter().find_map(|directory| self.of_repository(step, directory))
        {
            return Some(reason);
        }
        self.reason_against_allow(step).or_else(|| self.step_outside_reason(step))
    }

    /// Why a command that only reads needs confirmation while reads are limited to the workspace.
    fn step_outside_reason(self, step: &Step) -> Option<Reason> {
        if self.policy.reads != Reads::Workspace {
            return None;
        }
        let program = step.profile.program.as_deref().unwrap_or_default();
        let directories = step.directories.iter().filter(|_| !READS_NO_FILES.contains(&program));
        directories
            .map(|directory| directory.map_or(TouchedPath::Unknown, |path| TouchedPath::Path(path.into())))
            .chain(paths_of_step(step))
            .find_map(|touched| self.outside_reason(&touched))
    }

    /// Why reading a path needs confirmation while reads are limited to the workspace.
    pub(crate) fn outside_reason(self, touched: &TouchedPath) -> Option<Reason> {
        if self.policy.reads != Reads::Workspace {
            return None;
        }
        let (TouchedPath::Path(path) | TouchedPath::Glob { base: path, .. }) = touched else {
            return Some(Reason::PathUnknown);
        };
        let root = self.context.root.as_deref();
        match self.resolved(path) {
            Some(resolved) if root.is_some_and(|root| is_within(resolved, root)) => None,
            Some(_) => Some(Reason::outside(path.clone(), root)),
            None => Some(Reason::PathUnknown),
        }
    }

    /// A start directory from which a walk would go through the home directory.
    pub(super) fn walks_home(self, step: &Step) -> Option<String> {
        let home = self.context.home.as_deref()?;
        paths_of_step(step).into_iter().find_map(|touched| match touched {
            TouchedPath::Path(path) | TouchedPath::Glob { base: path, .. } => {
                let leads = self.resolved(&path).is_some_and(|resolved| is_within(home, resolved));
                (leads || is_within(home, &path)).then_some(path)
            }
            TouchedPath::Partly { text, .. } => {
                let start = text.split(COMPUTED).next().unwrap_or("");
                let above = start.starts_with('/') && start != ROOTED && home.starts_with(start);
                above.then(|| start.to_owned())
            }
            TouchedPath::Computed | TouchedPath::Unknown => None,
        })
    }

    pub(super) fn of_repository(self, step: &Step, directory: Option<&str>) -> Option<Reason> {
        let Some(directory) = directory else { return Some(Reason::RepositoryUnknown) };
        let Some(repository) = self.context.facts.repository(directory) else {
            return Some(Reason::RepositoryUnknown);
        };
        git_repository_risks::repository_reason(
            &step.words,
            repository,
            directory,
            self.context.root.as_deref(),
        )
        .or_else(|| {
            let tracked = !git_repository_risks::reads_tracked_files(step)
                || self.context.facts.tracks_no_link(directory);
            (!tracked).then(|| Reason::TrackedLinks { directory: directory.into() })
        })
    }

    /// `cd` is allowed inside the workspace, both by its text and with links followed. Elsewhere it is allowed
    /// if the whole text only reads.
    fn cd_reason(self, step: &Step) -> Option<Reason> {
        let program = step.profile.program.as_deref().unwrap_or_default();
        // It returns to a directory that has been judged.
        if goes_back(&step.words) || (program == "popd" && step.words.len() == 1) {
            return (!step.directories.knows_return(program)).then_some(Reason::PathUnknown);
        }
        let target = match program {
            "cd" => cd_target(&step.words),
            "pushd" => pushed_directory(&step.words).cloned(),
            _ => None,
        };
        let Some(target) = target else { return Some(Reason::PathUnknown) };
        // If the shell was started in a linked directory, `..` may also begin at the link's target.
        let climbs = target.literal().is_none_or(|text| paths::climbs(&text));
        if climbs && !step.directories.iter().all(|base| self.is_without_links(base)) {
            return Some(Reason::PathUnknown);
        }
        for path in step.directories.paths_of(&target) {
            let Some(path) = path else { return Some(Reason::PathUnknown) };
            let inside = |path: &str| self.context.root.as_deref().is_some_and(|root| is_within(path, root));
            match self.resolved(&path) {
                Some(resolved) if inside(&path) && inside(resolved) => {}
                Some(_) if self.policy.reads != Reads::Workspace && self.only_reads() => {
                    let reason = self.path_reason(&TouchedPath::Path(path), true);
                    if reason.is_some() {
                        return reason;
                    }
                }
                Some(_) => return Some(Reason::outside(path, self.context.root.as_deref())),
                None => return Some(Reason::PathUnknown),
            }
        }
        None
    }

    /// Whether a directory is where its text says.
    fn is_without_links(self, directory: Option<&str>) -> bool {
        let lexical = directory.and_then(normalise_lexically);
        lexical.is_some() && lexical.as_deref() == directory.and_then(|directory| self.resolved(directory))
    }

    /// Whether every command of the text is known to only read, and no redirect opens a file for writing.
    fn only_reads(self) -> bool {
        *self.plan.only_reads.get_or_init(|| {
            let is_reader = |step: &Step| {
                let repository = step.profile.repository
                    && step.directories.iter().any(|place| self.of_repository(step, place).is_some());
                let harmless = is_harmless(&step.profile) && !repository;
                matches!(step.profile.program.as_deref(), Some("cd" | "pushd" | "popd"))
                    || harmless
                    || runs_known_text(step)
            };
            let texts = &self.plan.texts;
            let mut redirects = texts.iter().flat_map(|text| &text.script.redirects);
            self.plan.steps.iter().all(is_reader)
                && self.plan.unknown.is_empty()
                && texts.iter().all(|text| text.script.opaque.is_empty())
                && redirects
                    .all(|redirect| redirect_safety(redirect, &self.plan.variables) != RedirectSafety::Opens)
        })
    }

    /// Why a path among the command's arguments needs confirmation.
    fn protected(self, step: &Step) -> Option<Reason> {
        let paths = paths_of_step(step);
        let computed =
            paths.iter().any(|path| matches!(path, TouchedPath::Computed | TouchedPath::Partly { .. }));
        paths
            .iter()
            .find_map(|path| self.path_reason(path, reads(step)))
            .or_else(|| computed.then(|| self.protected_elsewhere()).flatten())
            .or_else(|| computed.then(|| self.reads_computed(step)).flatten())
            .or_else(|| self.protected_word(step))
    }

    /// A protected path among the words that the table does not call paths. A program that is proven harmless
    /// opens no others.
    fn protected_word(self, step: &Step) -> Option<Reason> {
        if !may_open_other_paths(step) {
            return None;
        }
        let globs = possible_globs(step).into_iter().find_map(|glob| self.path_reason(&glob, reads(step)));
        let is_computed =
            |path: &TouchedPath| matches!(path, TouchedPath::Computed | TouchedPath::Partly { .. });
        let computed = |word: &Word| touched_by(step, word).iter().any(is_computed);
        let elsewhere = || {
            let computed = step.words.iter().skip(1).any(computed);
            computed.then(|| self.protected_elsewhere()).flatten()
        };
        globs
            .or_else(elsewhere)
            .or_else(|| self.protected_computed_name(step))
            .or_else(|| self.protected_possible_path(step))
            .or_else(|| self.undeclared_computed_reason(step))
    }

    /// A protected name that a partly computed word may become.
    fn protected_computed_name(self, step: &Step) -> Option<Reason> {
        possible_computed_names(step, &self.plan.budget).into_iter().find_map(|name| {
            if !self.plan.budget.spend(compare_cost(&name)) {
                return Some(Reason::PathUnknown);
            }
            let pattern = self.policy.protected.name_for_computed(&name)?.to_owned();
            Some(Reason::ProtectedPath { path: name.replace(COMPUTED, "…"), pattern })
        })
    }

    fn protected_possible_path(self, step: &Step) -> Option<Reason> {
        possible_paths(step, &self.plan.budget).iter().find_map(|path| {
            if !self.plan.budget.spend(compare_cost(path)) {
                return Some(Reason::PathUnknown);
            }
            let found = self.named_or_target(path, self.resolved(path))?;
            Some(Reason::ProtectedPath { path: path.clone(), pattern: found.into() })
        })
    }

    /// Whether a protected path is among the command's arguments, whatever rules match.
    pub(crate) fn touches_protected(self, step: &Step) -> bool {
        let paths = paths_of_step(step);
        let computed =
            paths.iter().any(|path| matches!(path, TouchedPath::Computed | TouchedPath::Partly { .. }));
        let protected = |path: &TouchedPath| is_about_protected(self.path_reason(path, reads(step)).as_ref());
        paths.iter().any(protected) || (computed && self.protected_elsewhere().is_some())
    }

    /// Positions of the words that name protected paths.
    pub(crate) fn protected_words(self, step: &Step) -> Vec<usize> {
        let names_protected = |word: &Word| {
            let paths = mentioned(step, word);
            paths.iter().any(|path| is_about_protected(self.path_reason(path, reads(step)).as_ref()))
        };
        let words = step.words.iter().enumerate();
        words.filter(|(_, word)| names_protected(word)).map(|(at, _)| at).collect()
    }

    pub(crate) fn is_protected(self, path: &TouchedPath) -> bool {
        is_about_protected(self.path_reason(path, false).as_ref())
    }

    /// A computed path may be any path that the text mentions: `cat $(echo .env)`.
    fn protected_elsewhere(self) -> Option<Reason> {
        self.plan.elsewhere.get_or_init(|| self.find_protected()).clone()
    }

    /// The first protected path that the text mentions anywhere.
    fn find_protected(self) -> Option<Reason> {
        let words = self.plan.steps.iter().flat_map(|step| step.words.iter().map(move |word| (step, word)));
        let fed = self.plan.texts.iter().enumerate().flat_map(|(at, text)| {
            let step = self.plan.steps.iter().find(|step| step.text == at);
            text.script.redirects.iter().filter_map(move |redirect| Some((step?, &redirect.target)))
        });
        words.chain(fed).find_map(|(step, word)| {
            let reasons =
                mentioned(step, word).into_iter().filter_map(|path| self.path_reason(&path, reads(step)));
            reasons.into_iter().find(|reason| is_about_protected(Some(reason)))
        })
    }

    /// Why a path needs confirmation. A command that only reads may read a file that controls what runs, if
    /// the file comes from the expansion of a glob.
    pub(crate) fn path_reason(self, path: &TouchedPath, reads: bool) -> Option<Reason> {
        let (root, home) = (self.context.root.as_deref(), self.context.home.as_deref());
        let list = &self.policy.protected;
        let reason =
            |path: &str, pattern: &str| Reason::ProtectedPath { path: path.into(), pattern: pattern.into() };
        match path {
            TouchedPath::Computed => None,
            TouchedPath::Unknown => Some(Reason::PathUnknown),
            TouchedPath::Partly { text, .. } if !self.plan.budget.spend(compare_cost(text)) => {
                Some(Reason::PathUnknown)
            }
            TouchedPath::Glob { rest, .. }
                if !self.plan.budget.spend(rest.iter().map(|name| compare_cost(name)).sum()) =>
            {
                Some(Reason::PathUnknown)
            }
            TouchedPath::Partly { text, within } => {
                let shown = text.replace(COMPUTED, "…");
                let pattern = list.pattern_for_computed(text, root, home);
                pattern.map(|pattern| reason(&shown, pattern)).or_else(|| {
                    within.iter().find_map(|directory| match directory {
                        Some(directory) => self.path_reason(&TouchedPath::Path(directory.clone()), reads),
                        None => Some(Reason::PathUnknown),
                    })
                })
            }
            TouchedPath::Path(path) => {
                let resolved = self.resolved(path);
                let found = self.named_or_target(path, resolved);
                match (found, resolved) {
                    (Some(pattern), _) => Some(reason(path, pattern)),
                    (None, None) => Some(Reason::PathUnknown),
                    (None, Some(_)) => None,
                }
            }
            TouchedPath::Glob { base, rest } => {
                let Some(resolved) = self.resolved(base) else { return Some(Reason::PathUnknown) };
                let meant = [base.as_str(), resolved].into_iter().find_map(|base| {
                    let hit = list.pattern_for_wildcards(base, rest, root, home)?;
                    Some(reason(&format!("{base}/{}", rest.join("/")), hit))
                });
                meant.or_else(|| self.search_reason(&expansion(base, rest), reads))
            }
        }
    }

    /// The pattern that protects a path that is named explicitly.
    pub(super) fn named(&self, path: &str) -> Option<&str> {
        if self.plan.unlisted.has(self.policy, path) {
            return None;
        }
        let (root, home) = (self.context.root.as_deref(), self.context.home.as_deref());
        self.policy.protected.protecting_pattern_if_named(path, &self.context.facts, root, home)
    }

    /// Like [`named`](Self::named), for a path and what it leads to.
    pub(super) fn named_or_target(&self, path: &str, target: Option<&str>) -> Option<&str> {
        self.named(path).or_else(|| self.named(target.filter(|target| *target != path)?))
    }

    /// Why the files that a search finds need confirmation.
    pub(super) fn search_reason(&self, search: &FileSearch, reads: bool) -> Option<Reason> {
        let home = self.context.home.as_deref();
        if !self.plan.budget.spend(search.cost()) {
            return Some(Reason::PathUnknown);
        }
        match self.context.facts.answer(&FactQuery::Files(search.clone()), home) {
            Some(Fact::Files(found)) => found.reason(search, reads),
            _ => Some(Reason::PathUnknown),
        }
    }

    /// The resolved path. Paths below the home directory are looked up with `~`, because
    /// [`required_facts`](crate::required_facts) does not know the home directory.
    pub(super) fn resolved(&self, path: &str) -> Option<&str> {
        let facts = &self.context.facts;
        facts.resolved(path).or_else(|| {
            let rest = relative_to(path, self.context.home.as_deref()?)?;
            facts.resolved(&if rest.is_empty() { "~".into() } else { format!("~/{rest}") })
        })
    }

    pub(super) fn written(self, step: &Step, word: &Word) -> String {
        let source = self.plan.texts.get(step.text).map_or("", |text| text.source.as_str());
        source.get(word.span.start as usize..word.span.end as usize).unwrap_or("").into()
    }
}

/// `bash -c TEXT` and `bash -lc TEXT`, which some agents use for every command, and `sh -c TEXT` if bash reads the text as
/// any shell does. `-e`, `-u`, `-x` and `-o pipefail` change nothing else.
fn runs_known_text(step: &Step) -> bool {
    let words: Option<Vec<_>> = step.words.iter().map(Word::literal).collect();
    let words = words.unwrap_or_default();
    let [_, settings @ .., option, text] = words.as_slice() else { return false };
    let letters = option.strip_prefix('-').unwrap_or_default();
    let runs = letters.chars().filter(|letter| *letter == 'c').count() == 1
        && letters.chars().all(|letter| "ceux".contains(letter));
    match step.profile.program.as_deref() {
        Some("bash") => (runs || letters == "lc") && settings_are_harmless(settings),
        Some("sh") => runs && settings_are_harmless(settings) && is_portable(text),
        _ => false,
    }
}

/// `-e`, `-u`, `-x` and `-o pipefail`, also in one word.
fn settings_are_harmless(settings: &[Cow<'_, str>]) -> bool {
    let mut settings = settings.iter();
    while let Some(setting) = settings.next() {
        let letters = setting.strip_prefix('-').unwrap_or_default();
        let (letters, is_named) =
            letters.strip_suffix('o').map_or((letters, false), |letters| (letters, true));
        let is_known =
            (is_named || !letters.is_empty()) && letters.chars().all(|letter| "eux".contains(letter));
        let name = if is_named { settings.next().map(|name| &**name) } else { Some("pipefail") };
        if !is_known || name != Some("pipefail") {
            return false;
        }
    }
    true
}

/// An option that makes the program run or read something else, which a user's allow covers only if it names the option.
pub(super) fn outside_reason(step: &Step) -> Option<Reason> {
    let option = step.profile.outside.as_ref()?;
    let why = Explanation::naming(Detail::OutsideAllow, Some(option));
    Some(Reason::Obstacle { word: option.clone(), why })
}

/// A variable that a wrapper such as `env` sets for the command it runs.
fn sets_variable(step: &Step) -> Option<String> {
    let inner = step.profile.inner_commands.iter().find_map(|inner| match inner {
        InnerCommand::Argv(words) => words.first(),
        _ => None,
    })?;
    let before = step.words.iter().skip(1).take_while(|word| word.span.start < inner.span.start);
    before.into_iter().find_map(|word| {
        let (name, _) = word.prefix().split_once('=')?;
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = word.literal();
        let value = value.as_deref().and_then(|text| text.split_once('=')).map(|(_, value)| value);
        (named && !value.is_some_and(|value| is_harmless_value(name, value))).then(|| name.to_owned())
    })
}

/// Whether the program is known to only read its path arguments.
pub(super) fn reads(step: &Step) -> bool {
    step.profile.known && step.profile.paths.iter().all(|path| path.access == PathUseKind::Read)
}

pub(super) fn is_about_protected(reason: Option<&Reason>) -> bool {
    matches!(reason, Some(Reason::ProtectedPath { .. } | Reason::ProtectedAmong { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_context::JudgeContext;
    use crate::policy::Policy;
    use crate::shell::execution_plan::ExecutionPlan;

    #[test]
    fn without_a_budget_computed_paths_are_unknown() {
        let policy = Policy::compile(crate::policy::Layers::from(Vec::new()));
        let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        context.facts.insert(FactQuery::Resolve("/w".into()), Fact::Resolved("/w".into()));
        let plan = ExecutionPlan::new("git log -- '*.rs'", Some("/w"), None);
        let judging = PlanContext { policy: &policy, context: &context, plan: &plan };
        let step = plan.steps.first().unwrap();
        let path = TouchedPath::Partly { text: format!("/w/a{COMPUTED}"), within: Vec::new() };
        assert!(judging.path_reason(&path, true).is_none() && judging.pathspec_reason(step).is_none());
        let glob = TouchedPath::Glob { base: "/w".into(), rest: vec![".en*".into()] };
        assert!(matches!(judging.path_reason(&glob, true), Some(Reason::ProtectedPath { .. })));
        plan.budget.exhaust();
        assert!(matches!(judging.path_reason(&path, true), Some(Reason::PathUnknown)));
        assert!(matches!(judging.path_reason(&glob, true), Some(Reason::PathUnknown)));
        assert!(matches!(judging.pathspec_reason(step), Some(Reason::PathUnknown)));
    }
}

//! Judges calls against this machine's config.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_host::{FactResolver, Workspace, load_layers};
use sekisho_policy::{
    Advice, Call, ConsideredRule, JudgeContext, Policy, Verdict, advise, judge, judge_and_trace,
    required_facts,
};

use crate::settings::Settings;

/// Number of directories whose policy is cached.
const REMEMBERED: usize = 4096;

/// A policy, and everything else needed to judge a call.
pub(crate) struct LocalJudge {
    pub(super) settings: Settings,
    workspace: Workspace,
    here: Arc<Policy>,
    broken: Vec<String>,
    problems: Vec<String>,
    around: JudgeContext,
    resolver: FactResolver,
    elsewhere: DirectoryPolicies,
}

/// Policies of directories other than the first, which can have project files of their own.
#[derive(Default)]
struct DirectoryPolicies {
    by_directory: HashMap<String, Option<Arc<Policy>>>,
    by_files: HashMap<Vec<PathBuf>, Arc<Policy>>,
}

impl LocalJudge {
    pub(super) fn new(settings: Settings, workspace: Workspace) -> LocalJudge {
        let loaded = load_layers(&settings.locations, &workspace);
        let broken = loaded.layers.broken.iter().map(|broken| broken.error.clone()).collect();
        let here = Arc::new(Policy::compile(loaded.layers));
        let mut around = JudgeContext::at(Timestamp::now());
        around.root = workspace.root.to_str().map(Into::into);
        around.home = settings.locations.home.as_deref().and_then(Path::to_str).map(Into::into);
        let resolver = FactResolver::new(settings.locations.home.as_deref());
        let mut elsewhere = DirectoryPolicies::default();
        elsewhere.by_files.insert(present(&workspace), Arc::clone(&here));
        LocalJudge {
            settings,
            workspace,
            here,
            broken,
            problems: loaded.problems,
            around,
            resolver,
            elsewhere,
        }
    }

    /// The directory of calls that name none.
    pub(super) fn cwd(&self) -> Option<String> {
        self.workspace.cwd.to_str().map(Into::into)
    }

    /// Errors of config files that do not load.
    pub(super) fn broken(&self) -> &[String] {
        &self.broken
    }

    /// Notices about the policy for the user.
    pub(super) fn notices(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let notices = self.here.notices().iter();
        let notices = notices.map(|notice| (Some(notice.source.as_str()), notice.message.as_str()));
        notices.chain(self.problems.iter().map(|problem| (None, problem.as_str())))
    }

    /// Judges a call in the first directory. Returns also the rules considered and what would allow the call.
    pub(super) fn explain(&mut self, call: &Call) -> (Verdict, Vec<ConsideredRule>, Advice) {
        let needs = required_facts(&self.here, call);
        self.around.facts = self.resolver.look_up(&self.here, &needs, self.around.root.as_deref());
        let (verdict, considered) = judge_and_trace(&self.here, call, &self.around);
        let advice = advise(call, &self.around, &verdict);
        (verdict, considered, advice)
    }

    /// Judges a call in the directory that it names. Fails if that is not a directory.
    pub(super) fn judge(&mut self, call: &Call) -> Result<Verdict, String> {
        let policy = match call.cwd.as_deref() {
            Some(cwd) if Path::new(cwd) != self.workspace.cwd => self.policy_at(cwd)?,
            _ => Arc::clone(&self.here),
        };
        let needs = required_facts(&policy, call);
        self.around.facts = self.resolver.look_up(&policy, &needs, self.around.root.as_deref());
        Ok(judge(&policy, call, &self.around))
    }

    fn policy_at(&mut self, cwd: &str) -> Result<Arc<Policy>, String> {
        let unknown = || format!("cwd: `{cwd}` is not a directory that can be read");
        if let Some(known) = self.elsewhere.by_directory.get(cwd) {
            return known.clone().ok_or_else(unknown);
        }
        let absolute = Some(Path::new(cwd)).filter(|path| path.is_absolute());
        let workspace = absolute.and_then(|path| self.workspace.at(path).ok());
        let policy = workspace.map(|workspace| {
            let files = present(&workspace);
            let compile = || {
                let loaded = load_layers(&self.settings.locations, &workspace);
                self.broken.extend(loaded.layers.broken.iter().map(|broken| broken.error.clone()));
                Arc::new(Policy::compile(loaded.layers))
            };
            Arc::clone(self.elsewhere.by_files.entry(files).or_insert_with(compile))
        });
        self.broken.dedup();
        if self.elsewhere.by_directory.len() < REMEMBERED {
            self.elsewhere.by_directory.insert(cwd.into(), policy.clone());
        }
        policy.ok_or_else(unknown)
    }
}

/// The project files that exist, in any state.
fn present(workspace: &Workspace) -> Vec<PathBuf> {
    let gone = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    workspace
        .configs()
        .into_iter()
        .filter(|path| {
            // A broken link in place of the directory is not the same as a missing directory.
            let directory = path.parent().unwrap_or(path);
            !directory.symlink_metadata().is_err_and(gone)
        })
        .collect()
}

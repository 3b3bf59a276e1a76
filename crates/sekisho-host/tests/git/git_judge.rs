//! Judges a git command in a real repository by the built-in list.

use std::path::Path;

use sekisho_host::look_up;
use sekisho_policy::{
    Call, Decision, Fact, JudgeContext, Layers, Policy, Reason, Repository, Verdict, advise, judge,
    required_facts,
};
use serde_json::json;

use super::test_repositories::TestDisk;

/// Git commands of the built-in list, with options that make them read more.
pub(crate) const READERS: &[&str] = &[
    "git status",
    "git status -sb --ignored",
    "git status -v",
    "git diff",
    "git diff --cached",
    "git diff --stat HEAD~1",
    "git diff HEAD~1 HEAD",
    "git log",
    "git log -p -2",
    "git log --oneline --all --graph --decorate",
    "git log --format='%an%n%(trailers)' -1",
    "git log -S one",
    "git log -p -m --first-parent",
    "git show",
    "git show --stat HEAD~1",
    "git show HEAD:a.txt",
    "git rev-parse HEAD",
    "git rev-parse --show-toplevel",
    "git ls-files",
    "git ls-files -m -o --exclude-standard",
    "git ls-files -s --eol",
    "git grep one",
    "git grep -n --cached one",
    "git grep one HEAD~1",
    "git blame a.txt",
    "git blame -w -M HEAD -- a.txt",
    "git describe --tags --always",
    "git describe --tags --dirty",
    "git branch",
    "git branch -avv",
    "git branch --list --sort=-committerdate",
    "git branch --show-current",
    "git tag",
    "git tag -l -n2 --sort=-creatordate",
    "git remote -v",
    "git remote get-url origin",
    "git config --list",
    "git config --get core.bare",
    "git stash list",
    "git stash list -p",
    "git reflog",
    "git reflog show -3 HEAD",
    "git worktree list",
    "git cat-file -p HEAD",
    "git cat-file -t v1",
    "git ls-tree -r -l HEAD",
    "git rev-list --count --all",
    "git rev-list --objects HEAD",
    "git merge-base HEAD HEAD~1",
    "git shortlog -sn HEAD",
];

/// Judges and advises as the program does.
pub(crate) struct GitJudge {
    policy: Policy,
    around: JudgeContext,
    disk_home: std::path::PathBuf,
}

impl GitJudge {
    /// With the workspace `w`.
    pub(crate) fn new(disk: &TestDisk) -> GitJudge {
        GitJudge::in_workspace(disk, "w")
    }

    pub(crate) fn in_workspace(disk: &TestDisk, root: &str) -> GitJudge {
        let mut around = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        around.root = Some(text(&disk.path(root)));
        around.home = Some(text(&disk.home()));
        GitJudge { policy: Policy::compile(Layers::from(Vec::new())), around, disk_home: disk.home() }
    }

    pub(crate) fn verdict(&self, command: &str, directory: &Path) -> (Verdict, Option<String>) {
        self.verdict_with(command, directory, |fact| fact)
    }

    /// Judges with facts that are changed on the way.
    pub(crate) fn verdict_with(
        &self,
        command: &str,
        directory: &Path,
        change: impl Fn(Fact) -> Fact,
    ) -> (Verdict, Option<String>) {
        let call = Call::new("bash", json!({ "command": command })).in_directory(text(directory));
        let mut around = self.around.clone();
        let (needs, root) = (required_facts(&self.policy, &call), around.root.clone());
        let facts = look_up(&self.policy, &needs, root.as_deref(), Some(&self.disk_home));
        let facts = facts.iter().map(|(need, fact)| (need.clone(), change(fact.clone())));
        around.facts = facts.collect::<Vec<_>>().into();
        let verdict = judge(&self.policy, &call, &around);
        let rewrite = advise(&call, &around, &verdict).rewrite;
        (verdict, rewrite)
    }

    pub(crate) fn allows(&self, command: &str, directory: &Path) -> bool {
        self.verdict(command, directory).0.decision == Decision::Allow
    }

    /// What was found in a directory: problem and setting or file name.
    pub(crate) fn found(&self, directory: &Path) -> Vec<String> {
        let (verdict, _) = self.verdict("git status", directory);
        let unproven = verdict.facts.iter().find_map(|(_, fact)| match fact {
            Fact::Repository(Repository::Unproven { findings }) => Some(findings.clone()),
            _ => None,
        });
        let findings = unproven.unwrap_or_default().into_iter().map(|finding| {
            let name = Path::new(&finding.file).file_name().unwrap().to_str().unwrap().to_owned();
            format!("{:?} {}", finding.problem, finding.key.unwrap_or(name))
        });
        findings.collect()
    }
}

/// Whether a verdict asks because of the repository, and not for another reason.
pub(crate) fn asks_about_repository(verdict: &Verdict) -> bool {
    let about = |reason: &Reason| {
        matches!(
            reason,
            Reason::RepositoryUnproven { .. } | Reason::RepositoryUnknown | Reason::TrackedLinks { .. }
        )
    };
    verdict.decision == Decision::Confirm && verdict.reasons.iter().any(about)
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

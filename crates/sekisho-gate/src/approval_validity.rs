//! Whether a yes still holds: what a person saw must be what would be done now.

use sekisho_policy::{Decision, Fact, Facts, FactQuery};

use crate::answer::Actor;
use crate::approval::Approval;
use crate::caller::CallerEnvironment;
use crate::gate::{Inner, Judgement};
use crate::display_notes::FileNote;
use crate::file_ports::CurrentFile;

impl Inner {
    /// Why a yes does not hold any more: it was a rule's, which does not allow the call now, or what a person saw is not
    /// what would be done.
    pub(crate) fn void_reason(&self, approval: &Approval, now: &Judgement) -> Option<String> {
        let answered = approval.fate.state.answered()?;
        if matches!(answered.by, Actor::Rule(_)) && now.verdict.decision != Decision::Allow {
            return Some("the rule that allowed it does not any more".into());
        }
        let then = answered.edited.as_ref().map_or(&approval.asked.verdict, |edited| &edited.verdict);
        if let Some(path) = redirected_path(&then.facts, &now.verdict.facts) {
            return Some(format!("`{path}` leads elsewhere than when it was shown"));
        }
        self.changed_file(approval).map(|path| format!("`{path}` has changed since it was shown"))
    }

    /// A file as it is now, where it is a file of this machine.
    pub(crate) fn file(&self, around: &CallerEnvironment, path: &str) -> CurrentFile {
        match self.is_this_machine(around) {
            true => self.ports.lookup.file(path),
            false => CurrentFile::NotShowable { sha256: None, why: FileNote::OtherMachine },
        }
    }

    /// A file that was shown and is no longer what it was.
    fn changed_file(&self, approval: &Approval) -> Option<String> {
        let around = &approval.asked.around;
        let changed = |path: &str, mark: &str| self.file(around, path).fingerprint() != Some(mark);
        let shown = &approval.asked.shown.files;
        shown.iter().find(|file| changed(&file.path, &file.mark)).map(|file| file.path.clone())
    }
}

/// A path that was followed to one place then and to another now.
fn redirected_path(then: &Facts, now: &Facts) -> Option<String> {
    Vec::from(then.clone()).into_iter().find_map(|fact| match fact {
        (FactQuery::Resolve(path), Fact::Resolved(to)) if now.resolved(&path) != Some(&to) => Some(path),
        _ => None,
    })
}

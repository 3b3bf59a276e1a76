//! Whether an approval still holds when it is claimed: what the approver saw must be what would run
//! now.

use sekisho_policy::{Decision, Fact, FactQuery, Facts};

use crate::answer::Actor;
use crate::approval::Approval;
use crate::caller::CallerEnvironment;
use crate::display_notes::FileNote;
use crate::gate::{Inner, Judgement};
use crate::host_ports::CurrentFile;

impl Inner {
    /// Why an approval no longer holds: a rule gave it and no longer allows the call, or the call would
    /// now do something other than what the approver saw.
    pub(crate) fn void_reason(&self, approval: &Approval, now: &Judgement) -> Option<String> {
        let answered = approval.fate.state.answered()?;
        if matches!(answered.by, Actor::Rule(_)) && now.verdict.decision != Decision::Allow {
            return Some("the rule that allowed the call no longer does".into());
        }
        let then = answered.edited.as_ref().map_or(&approval.asked.verdict, |edited| &edited.verdict);
        if let Some(path) = redirected_path(&then.facts, &now.verdict.facts) {
            return Some(format!("`{path}` points to a different file than when it was displayed"));
        }
        self.changed_file(approval).map(|path| format!("`{path}` has changed since it was displayed"))
    }

    /// Reads a file, if the call runs on this machine.
    pub(crate) fn file(&self, environment: &CallerEnvironment, path: &str) -> CurrentFile {
        match self.is_this_machine(environment) {
            true => self.ports.lookup.file(path),
            false => CurrentFile::NotShowable { sha256: None, why: FileNote::OtherMachine },
        }
    }

    /// The first displayed file that has changed since.
    fn changed_file(&self, approval: &Approval) -> Option<String> {
        let environment = &approval.asked.around;
        let changed = |path: &str, mark: &str| self.file(environment, path).fingerprint() != Some(mark);
        let shown = &approval.asked.shown.files;
        shown.iter().find(|file| changed(&file.path, &file.mark)).map(|file| file.path.clone())
    }
}

/// The first path that now resolves to a different file.
fn redirected_path(then: &Facts, now: &Facts) -> Option<String> {
    then.iter().find_map(|fact| match fact {
        (FactQuery::Resolve(path), Fact::Resolved(to)) if now.resolved(path) != Some(to) => {
            Some(path.clone())
        }
        _ => None,
    })
}

//! Whether a yes still holds: what a person saw must be what would be done now.

use sekisho_policy::{Decision, Fact, Facts, Need};

use crate::answer::By;
use crate::approval::Approval;
use crate::asker::Around;
use crate::gate::{Inner, Judged};
use crate::note::FileNote;
use crate::premises::FileNow;

impl Inner {
    /// Why a yes does not hold any more: it was a rule's, which does not allow the call now, or what a person saw is not
    /// what would be done.
    pub(crate) fn no_longer_holds(&self, approval: &Approval, now: &Judged) -> Option<String> {
        let answered = approval.fate.state.answered()?;
        if matches!(answered.by, By::Rule(_)) && now.verdict.decision != Decision::Allow {
            return Some("the rule that allowed it does not any more".into());
        }
        let then = answered.edited.as_ref().map_or(&approval.asked.verdict, |edited| &edited.verdict);
        if let Some(path) = led_elsewhere(&then.facts, &now.verdict.facts) {
            return Some(format!("`{path}` leads elsewhere than when it was shown"));
        }
        self.changed_file(approval).map(|path| format!("`{path}` has changed since it was shown"))
    }

    /// A file as it is now, where it is a file of this machine.
    pub(crate) fn file(&self, around: &Around, path: &str) -> FileNow {
        match self.is_here(around) {
            true => self.ports.preview.file(path),
            false => FileNow::Unshown { sha256: None, why: FileNote::OtherMachine },
        }
    }

    /// A file that was shown and is no longer what it was.
    fn changed_file(&self, approval: &Approval) -> Option<String> {
        let around = &approval.asked.around;
        let changed = |path: &str, mark: &str| self.file(around, path).mark() != Some(mark);
        let shown = &approval.asked.shown.files;
        shown.iter().find(|file| changed(&file.path, &file.mark)).map(|file| file.path.clone())
    }
}

/// A path that was followed to one place then and to another now.
fn led_elsewhere(then: &Facts, now: &Facts) -> Option<String> {
    Vec::from(then.clone()).into_iter().find_map(|fact| match fact {
        (Need::Resolve(path), Fact::Resolved(to)) if now.resolved(&path) != Some(&to) => Some(path),
        _ => None,
    })
}

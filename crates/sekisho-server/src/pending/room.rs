//! The room a credential has for open questions, taken before each is stored.

use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::ask::{Room, Taken};

use super::open::Weighed;
use crate::app::App;

/// The room of one credential.
pub(crate) struct OwnRoom {
    pub(crate) app: App,
    /// What the credential is called.
    pub(crate) name: String,
}

impl Room for OwnRoom {
    fn take(&self, question: &Approval) -> Result<Box<dyn Taken>, String> {
        let (id, weighed) = (question.id, Weighed::of(question));
        let taken = self.app.inner.pending.open().take(weighed, &self.app.settings().limits);
        taken.map_err(|much| format!("`{}` has {much}", self.name))?;
        Ok(Box::new(One { app: self.app.clone(), id }))
    }
}

/// The room of one question. Given back when dropped, unless the question has it by then.
struct One {
    app: App,
    id: ApprovalId,
}

impl Taken for One {
    fn keep(self: Box<Self>) {
        self.app.inner.pending.open().keep(self.id);
    }
}

impl Drop for One {
    fn drop(&mut self) {
        self.app.inner.pending.open().give_back(self.id);
    }
}

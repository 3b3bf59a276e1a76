//! The room a credential has for open questions, taken before each is stored.

use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::{ApprovalQuota, ApprovalReservation};

use super::usage::CountedApproval;
use crate::app::App;

/// The room of one credential.
pub(crate) struct CredentialQuota {
    pub(crate) app: App,
    /// What the credential is called.
    pub(crate) name: String,
}

impl ApprovalQuota for CredentialQuota {
    fn reserve(&self, question: &Approval) -> Result<Box<dyn ApprovalReservation>, String> {
        let (id, weighed) = (question.id, CountedApproval::of(question));
        let taken = self.app.inner.open_approvals.open().reserve(weighed, &self.app.settings().limits);
        taken.map_err(|much| format!("`{}` has {much}", self.name))?;
        Ok(Box::new(CredentialReservation { app: self.app.clone(), id }))
    }
}

/// The room of one question. Given back when dropped, unless the question has it by then.
struct CredentialReservation {
    app: App,
    id: ApprovalId,
}

impl ApprovalReservation for CredentialReservation {
    fn commit(self: Box<Self>) {
        self.app.inner.open_approvals.open().confirm(self.id);
    }
}

impl Drop for CredentialReservation {
    fn drop(&mut self) {
        self.app.inner.open_approvals.open().release(self.id);
    }
}

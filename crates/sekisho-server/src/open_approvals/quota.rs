//! A credential's quota of open approvals, reserved before each is stored.

use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::{ApprovalQuota, ApprovalReservation};

use super::usage::CountedApproval;
use crate::app::App;

/// The quota of one credential.
pub(crate) struct CredentialQuota {
    pub(crate) app: App,
    /// The name of the credential, for errors.
    pub(crate) name: String,
}

impl ApprovalQuota for CredentialQuota {
    fn reserve(&self, approval: &Approval) -> Result<Box<dyn ApprovalReservation>, String> {
        let (id, counted) = (approval.id, CountedApproval::of(approval));
        let reserved = self.app.inner.open_approvals.open().reserve(counted, &self.app.settings().limits);
        reserved.map_err(|excess| format!("`{}` has {excess}", self.name))?;
        Ok(Box::new(CredentialReservation { app: self.app.clone(), id }))
    }
}

/// The reservation for one approval. Dropping it releases the space, unless the approval was stored.
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

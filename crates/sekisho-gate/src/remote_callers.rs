//! `Gate` methods for callers that run their calls elsewhere. Delivering the answer spends the permit.

use std::future::Future;

use sekisho_policy::OnTimeout;

use crate::call_request::{CallRequest, TimeoutOverrides};
use crate::caller::{Caller, ExecutionSite};
use crate::gate::Gate;
use crate::refusal::{Refusal, RefusalCode};
use crate::submission::{RemoteSubmission, Progress, AllowedCall};

impl Gate {
    /// Submits a call for a remote caller and waits for a human if needed. Dropping the future
    /// withdraws the call.
    pub fn pass_remote(&self, ask: CallRequest) -> impl Future<Output = Result<AllowedCall, Refusal>> + Send {
        let mut ask = Box::new(CallRequest { caller: Caller { reach: ExecutionSite::Remote, ..ask.caller }, ..ask });
        async move {
            match remote_submission(self.inner.pass(&mut ask).await?)? {
                RemoteSubmission::Allowed(told) => Ok(told),
                RemoteSubmission::Pending(_) => Err(Refusal::new(RefusalCode::Closing)),
            }
        }
    }

    /// Submits a call for a remote caller that polls. The approval stays open without it until it
    /// expires. Submitting again under the same key takes the answer and spends it.
    pub fn submit_remote(&self, ask: CallRequest) -> impl Future<Output = Result<RemoteSubmission, Refusal>> + Send {
        let asker = Caller { reach: ExecutionSite::Remote, durable: true, ..ask.caller };
        let on_timeout = ask.timeout.on_timeout.or(Some(OnTimeout::Deny));
        let patience = TimeoutOverrides { on_timeout, ..ask.timeout };
        let ask = Box::new(CallRequest { caller: asker, timeout: patience, ..ask });
        async move { remote_submission(self.inner.submit(&ask).await?) }
    }
}

fn remote_submission(progress: Progress) -> Result<RemoteSubmission, Refusal> {
    match progress {
        Progress::Pending(id, _) => Ok(RemoteSubmission::Pending(id)),
        Progress::Replayed(told) => Ok(RemoteSubmission::Allowed(told)),
        Progress::Permit { permit, edited } => Ok(RemoteSubmission::Allowed(AllowedCall::from_permit(permit, edited))),
        // Only callers in this process have durable keys.
        Progress::Spent(_) => Err(Refusal::new(RefusalCode::AlreadyTaken)),
    }
}

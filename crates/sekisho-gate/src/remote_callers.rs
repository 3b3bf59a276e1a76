//! `Gate` methods for callers that run their calls elsewhere. Delivering the answer spends the permit.

use std::future::Future;

use sekisho_policy::OnTimeout;

use crate::call_request::{CallRequest, TimeoutOverrides};
use crate::caller::{Caller, ExecutionSite};
use crate::gate::Gate;
use crate::refusal::{Refusal, RefusalCode};
use crate::submission::{AllowedCall, Progress, RemoteSubmission};

impl Gate {
    /// Submits a call for a remote caller and waits for a human if needed. Dropping the future
    /// withdraws the call.
    pub fn pass_remote(
        &self,
        request: CallRequest,
    ) -> impl Future<Output = Result<AllowedCall, Refusal>> + Send {
        let mut request = Box::new(CallRequest {
            caller: Caller { reach: ExecutionSite::Remote, ..request.caller },
            ..request
        });
        async move {
            match remote_submission(self.inner.pass(&mut request).await?)? {
                RemoteSubmission::Allowed(allowed) => Ok(allowed),
                RemoteSubmission::Pending(_) => Err(Refusal::new(RefusalCode::Closing)),
            }
        }
    }

    /// Submits a call for a remote caller that polls. The approval stays open without it until it
    /// expires. Submitting again under the same key takes the answer and spends it.
    pub fn submit_remote(
        &self,
        request: CallRequest,
    ) -> impl Future<Output = Result<RemoteSubmission, Refusal>> + Send {
        let caller = Caller { reach: ExecutionSite::Remote, durable: true, ..request.caller };
        let on_timeout = request.timeout.on_timeout.or(Some(OnTimeout::Deny));
        let timeout = TimeoutOverrides { on_timeout, ..request.timeout };
        let request = Box::new(CallRequest { caller, timeout, ..request });
        async move { remote_submission(self.inner.submit(&request).await?) }
    }
}

fn remote_submission(progress: Progress) -> Result<RemoteSubmission, Refusal> {
    match progress {
        Progress::Pending(id, _) => Ok(RemoteSubmission::Pending(id)),
        Progress::Replayed(allowed) => Ok(RemoteSubmission::Allowed(allowed)),
        Progress::Permit(permit) => Ok(RemoteSubmission::Allowed(AllowedCall::from_permit(permit))),
        // Only callers in this process have durable keys.
        Progress::Spent(_) => Err(Refusal::new(RefusalCode::AlreadyTaken)),
    }
}

//! `CallRequest`: a call put to the gate, with its caller, timeout and quota.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use sekisho_policy::{Call, OnTimeout};

use crate::approval::Approval;
use crate::caller::{Caller, CallerEnvironment};
use crate::input_schema::InputSchema;

/// The caller's timeout. Where a field is unset, the deciding rule applies, and then the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeoutOverrides {
    /// The timeout in seconds.
    pub timeout_s: Option<u32>,
    /// What happens at the timeout.
    pub on_timeout: Option<OnTimeout>,
}

/// Limits a caller's open approvals. Space is reserved once an approval's size is known and before it
/// is stored, so concurrent requests cannot exceed the limit.
pub trait ApprovalQuota: Send + Sync {
    /// Reserves space for one approval. `Err` gives the reason in one line.
    fn reserve(&self, question: &Approval) -> Result<Box<dyn ApprovalReservation>, String>;
}

/// Reserved space. Dropping it releases the space: nothing was opened, or an equal approval was open
/// already.
pub trait ApprovalReservation: Send {
    /// Keeps the space until the approval ends, because the approval is now open.
    fn commit(self: Box<Self>);
}

/// A call put to the gate.
#[derive(Clone)]
pub struct CallRequest {
    /// The call to judge.
    pub call: Call,
    /// Who submits the call.
    pub caller: Caller,
    /// The caller's environment.
    pub environment: CallerEnvironment,
    /// The caller's timeout.
    pub timeout: TimeoutOverrides,
    /// The schema of the tool's input, if known. An edited input is checked against it.
    pub schema: Option<InputSchema>,
    /// The limit on open approvals. None means no limit.
    pub quota: Option<Arc<dyn ApprovalQuota>>,
    /// Held until the call is decided or its approval is stored: a reservation of memory for this
    /// request.
    pub memory_guard: Option<Arc<dyn Any + Send + Sync>>,
    /// Whether a confirm opens an approval even where confirmations are switched off.
    pub always_confirm: bool,
}

impl CallRequest {
    /// A request with default settings.
    pub fn new(call: Call, caller: Caller) -> CallRequest {
        CallRequest {
            call,
            caller,
            environment: CallerEnvironment::default(),
            timeout: TimeoutOverrides::default(),
            schema: None,
            quota: None,
            memory_guard: None,
            always_confirm: false,
        }
    }
}

impl fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRequest")
            .field("call", &self.call)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

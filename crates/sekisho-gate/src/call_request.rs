//! One asking: the call, who asks, and what it needs while it waits.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use sekisho_policy::{Call, OnTimeout};

use crate::approval::Approval;
use crate::caller::{CallerEnvironment, Caller};
use crate::input_schema::InputSchema;

/// How long an asker is willing to wait; what it leaves open the deciding rule says, and then the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeoutOverrides {
    /// Seconds.
    pub timeout_s: Option<u32>,
    /// What then.
    pub on_timeout: Option<OnTimeout>,
}

/// The room an asker has for open questions. It is taken when a question is about to be put, when it is known how large it is,
/// and before it is stored: of many that are put at once, no more come through than there is room for.
pub trait ApprovalQuota: Send + Sync {
    /// Takes the room of one question. `Err` says in one line why there is none.
    fn reserve(&self, question: &Approval) -> Result<Box<dyn ApprovalReservation>, String>;
}

/// Room that was taken. Dropped, it is given back: nothing was put, or somebody else had put the same.
pub trait ApprovalReservation: Send {
    /// The question is open and fills it from now on, until it ends.
    fn commit(self: Box<Self>);
}

/// One asking.
#[derive(Clone)]
pub struct CallRequest {
    /// The call.
    pub call: Call,
    /// Who asks.
    pub caller: Caller,
    /// What is around.
    pub environment: CallerEnvironment,
    /// How long it may take.
    pub timeout: TimeoutOverrides,
    /// The schema of the tool's input, where it is known. An edited input is checked by it.
    pub schema: Option<InputSchema>,
    /// The room for its question; without it there is always some.
    pub quota: Option<Arc<dyn ApprovalQuota>>,
    /// What is held until the call is decided or its question is stored: memory that was reserved for it.
    pub memory_guard: Option<Arc<dyn Any + Send + Sync>>,
    /// A confirm is a question even where questions are switched off.
    pub always_confirm: bool,
}

impl CallRequest {
    /// An asking with nothing special about it.
    pub fn new(call: Call, asker: Caller) -> CallRequest {
        CallRequest {
            call,
            caller: asker,
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
        f.debug_struct("Ask").field("call", &self.call).field("asker", &self.caller).finish_non_exhaustive()
    }
}

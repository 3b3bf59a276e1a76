//! Callers that run their calls elsewhere: they are told the answer, which spends the permit.

use std::future::Future;

use sekisho_policy::OnTimeout;

use crate::ask::{Ask, Patience};
use crate::asker::{Asker, Reach};
use crate::gate::Gate;
use crate::refusal::{Refusal, RefusalCode};
use crate::submission::{Begun, Progress, Told};

impl Gate {
    /// Asks for a remote caller, and waits for a human where it has to. Dropping the future withdraws the question.
    pub fn tell(&self, ask: Ask) -> impl Future<Output = Result<Told, Refusal>> + Send {
        let mut ask = Box::new(Ask { asker: Asker { reach: Reach::Remote, ..ask.asker }, ..ask });
        async move {
            match begun(self.inner.pass(&mut ask).await?)? {
                Begun::Told(told) => Ok(told),
                Begun::Asked(_) => Err(Refusal::of(RefusalCode::Closing)),
            }
        }
    }

    /// The same for a caller that does not wait but comes by again: the question stays open without it, until its time is
    /// up. Asking again under the same key takes the answer, which spends it.
    pub fn begin(&self, ask: Ask) -> impl Future<Output = Result<Begun, Refusal>> + Send {
        let asker = Asker { reach: Reach::Remote, durable: true, ..ask.asker };
        let on_timeout = ask.patience.on_timeout.or(Some(OnTimeout::Deny));
        let patience = Patience { on_timeout, ..ask.patience };
        let ask = Box::new(Ask { asker, patience, ..ask });
        async move { begun(self.inner.submit(&ask).await?) }
    }
}

fn begun(progress: Progress) -> Result<Begun, Refusal> {
    match progress {
        Progress::Pending(id, _) => Ok(Begun::Asked(id)),
        Progress::Again(told) => Ok(Begun::Told(told)),
        Progress::Permit { permit, edited } => Ok(Begun::Told(Told::spending(permit, edited))),
        // Durable keys are for callers of this process.
        Progress::Spent(_) => Err(Refusal::of(RefusalCode::AlreadyTaken)),
    }
}

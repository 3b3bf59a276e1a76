//! The conversation of a run that is driven here, as its model gets it.
//!
//! It is read once and then follows the steps of the run, with long results of older calls as references. So a run needs
//! no more memory than the window of its model, however long it is, and no step reads the whole run again. A run that
//! waits for people keeps nothing.

use sekisho_gate::ledger::LedgerError;
use uuid::Uuid;

use super::shared_parts::SharedParts;
use crate::context_window::fold;
use crate::conversation::Message;
use crate::machine::RunState;
use crate::model::{ModelError, ModelErrorCode};
use crate::runs::StoredRun;

/// The conversation of a run. Empty until it is needed.
#[derive(Debug, Default)]
pub(super) struct LiveConversation {
    messages: Option<Vec<Message>>,
    folded: usize,
}

impl LiveConversation {
    /// Reads the conversation, unless it is here.
    pub(super) async fn load(&mut self, inner: &SharedParts, run: &StoredRun) -> Result<(), ModelError> {
        if self.messages.is_none() {
            let folded = folded(&run.state);
            self.messages = Some(read(inner, run.id, folded).await.map_err(|error| unreadable(&error))?);
            self.folded = folded;
        }
        Ok(())
    }

    /// The messages that a request has. Empty if nothing was loaded.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.messages.clone().unwrap_or_default()
    }

    /// Whether new messages have to be told.
    pub(super) fn is_loaded(&self) -> bool {
        self.messages.is_some()
    }

    /// A step of the run was stored.
    pub(super) fn follow(&mut self, run: Uuid, state: &RunState, new: Vec<Message>) {
        if state.is_suspended() || state.has_ended() {
            *self = LiveConversation::default();
        } else if let Some(messages) = &mut self.messages {
            messages.extend(new);
            self.fold(run, state);
        }
    }

    fn fold(&mut self, run: Uuid, state: &RunState) {
        let folded = folded(state);
        if let Some(messages) = self.messages.as_mut().filter(|_| folded > self.folded) {
            fold(run, messages, folded);
            self.folded = folded;
        }
    }
}

/// How many messages of a run are folded.
fn folded(state: &RunState) -> usize {
    usize::try_from(state.folded).unwrap_or(usize::MAX)
}

/// Reads a conversation with its first messages folded, without having all of it in memory at once.
async fn read(inner: &SharedParts, run: Uuid, folded: usize) -> Result<Vec<Message>, LedgerError> {
    let mut messages: Vec<Message> = Vec::new();
    let mut page = inner.runs.messages_after(run, None).await?;
    while let Some(last) = page.last().map(|last| last.seq) {
        let mut new: Vec<Message> = page.into_iter().map(|stored| stored.message).collect();
        fold(run, &mut new, folded.saturating_sub(messages.len()));
        messages.append(&mut new);
        page = inner.runs.messages_after(run, Some(last)).await?;
    }
    Ok(messages)
}

/// The messages of a run could not be read.
fn unreadable(error: &LedgerError) -> ModelError {
    ModelError {
        code: ModelErrorCode::BadRequest,
        message: format!("the messages of the run could not be read: {error}"),
        request_id: None,
        retry_after: None,
    }
}

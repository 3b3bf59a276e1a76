//! What is stored with a run for its tools: the to-do list, and outputs that are too large for the model.
//!
//! A store implements [`RunStorage`]. Everything is durable once the future returns, and belongs to one run: nothing
//! finds the data of another.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::ledger::LedgerFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How far an item of a to-do list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}

/// An item of a to-do list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// What to do.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The model's own name for the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is being done, to show while it is in progress.
    #[serde(default, rename = "activeForm", skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
}

/// An output to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutput {
    /// The run it belongs to.
    pub run: Uuid,
    /// Its id within the run.
    pub id: Uuid,
    /// The text.
    pub text: String,
    /// When it was made.
    pub at: Timestamp,
}

/// Stores the data of runs.
pub trait RunStorage: Send + Sync {
    /// The to-do list of a run; empty if none was written.
    fn todos(&self, run: Uuid) -> LedgerFuture<'_, Vec<Todo>>;

    /// Replaces the to-do list of a run.
    fn set_todos(&self, run: Uuid, todos: Vec<Todo>, at: Timestamp) -> LedgerFuture<'_, ()>;

    /// Stores an output, unless the run has one with this id. Returns `false`, and stores nothing, if the outputs of
    /// the run would together be larger than this many bytes.
    fn keep_output(&self, output: RunOutput, most_bytes: usize) -> LedgerFuture<'_, bool>;

    /// An output of a run. None if this run has no such output, whatever others have.
    fn output(&self, run: Uuid, id: Uuid) -> LedgerFuture<'_, Option<String>>;
}

/// A run, and where its data is stored.
#[derive(Clone)]
pub struct CurrentRun {
    /// The run's id.
    pub id: Uuid,
    /// Where its data is stored.
    pub storage: Arc<dyn RunStorage>,
}

impl fmt::Debug for CurrentRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentRun").field("id", &self.id).finish_non_exhaustive()
    }
}

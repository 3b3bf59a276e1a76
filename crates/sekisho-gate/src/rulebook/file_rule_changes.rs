//! Changing a rule of the user's own file: checked before it is written, in force after it.

use std::fmt;

use sekisho_policy::{RuleError, validate};

use super::Rulebook;
use super::stored_layers::check;
use crate::host_ports::{RuleEdit, RuleEditError};
use crate::ledger::LedgerError;

/// Why a rule of a file was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEditError {
    /// The new rule has a fault.
    Rule(RuleError),
    /// The file does not say this at that line any more.
    Moved,
    /// The file was not written, in one line with the file and the way out.
    File(String),
    /// The file was written and the change is not on the record.
    Ledger(LedgerError),
}

impl fmt::Display for FileEditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileEditError::Rule(error) => error.fmt(f),
            FileEditError::Moved => f.write_str("the file has changed since the rule was read"),
            FileEditError::File(fault) => f.write_str(fault),
            FileEditError::Ledger(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileEditError {}

impl From<LedgerError> for FileEditError {
    fn from(error: LedgerError) -> FileEditError {
        FileEditError::Ledger(error)
    }
}

impl Rulebook {
    /// Changes or removes a rule of the user's own file. The caller puts it on the record.
    pub(crate) async fn edit_in_file(&self, edit: RuleEdit) -> Result<(), FileEditError> {
        if let Some((effect, rule)) = &edit.into {
            check(*effect, rule)
                .and_then(|()| validate::matches_something(rule))
                .map_err(FileEditError::Rule)?;
        }
        let files = std::sync::Arc::clone(&self.files);
        // Writing waits for locks and disks.
        let written = tokio::task::spawn_blocking(move || files.edit(edit)).await;
        self.publish();
        match written {
            Ok(Ok(())) => Ok(()),
            Ok(Err(RuleEditError::Moved)) => Err(FileEditError::Moved),
            Ok(Err(RuleEditError::Failed(fault))) => Err(FileEditError::File(fault)),
            Err(error) => Err(FileEditError::File(format!("the rule was not written: {error}"))),
        }
    }
}

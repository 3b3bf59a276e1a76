//! Implements the shared transaction interface for an open PostgreSQL transaction.

use std::sync::Arc;

use sekisho_gate::audit::{ChainRow, ChainWriter, KeyRing, WriterId};
use sekisho_gate::record::{AuditEntry, Record};

use super::open_transaction::OpenTransaction;
use crate::transaction::Transaction;
use crate::transaction_error::{TransactionResult, no_key};

impl Transaction for OpenTransaction<'_> {
    fn append(&mut self, record: &Record) -> TransactionResult<()> {
        OpenTransaction::append(self, record)
    }

    fn append_row(&mut self, record: &Record) -> TransactionResult<Option<ChainRow>> {
        let before = self.draft.rows.len();
        OpenTransaction::append(self, record)?;
        Ok(self.draft.rows.get(before).cloned())
    }

    fn write_chain_row(
        &mut self,
        chain_writer: &mut ChainWriter,
        line: &AuditEntry,
    ) -> TransactionResult<Option<ChainRow>> {
        self.lines.masked(line).map(|line| chain_writer.write(line).ok_or_else(no_key)).transpose()
    }

    fn keys(&self) -> Arc<KeyRing> {
        Arc::clone(self.draft.chain_state.keys())
    }

    fn writer(&self) -> WriterId {
        self.draft.chain_state.writer()
    }
}

/// Implements a trait of table operations: each method calls the named function with the open transaction.
macro_rules! operations {
    (impl $trait:ident for $type:ty {
        $($name:ident($($value:ident: $of:ty),*) -> $given:ty = $function:path;)*
    }) => {
        impl $trait for $type {
            $(fn $name(&self, $($value: $of),*) -> impl $crate::transaction::TableFuture<$given> {
                $function(&self.db, $($value),*)
            })*
        }
    };
}
pub(super) use operations;

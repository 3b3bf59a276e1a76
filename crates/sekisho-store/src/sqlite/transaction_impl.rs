//! Implements the shared transaction interface for an open SQLite transaction. Every future is ready at once.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use sekisho_gate::audit::{ChainRow, ChainWriter, KeyRing, WriterId};
use sekisho_gate::record::{AuditEntry, Record};

use super::open_transaction::OpenTransaction;
use crate::transaction::Transaction;
use crate::transaction_error::{TransactionError, TransactionResult, no_key};

impl Transaction for &OpenTransaction<'_> {
    fn append(&mut self, record: &Record) -> TransactionResult<()> {
        OpenTransaction::append(self, record)
    }

    fn append_row(&mut self, record: &Record) -> TransactionResult<Option<ChainRow>> {
        OpenTransaction::append_row(self, record)
    }

    fn write_chain_row(
        &mut self,
        chain_writer: &mut ChainWriter,
        line: &AuditEntry,
    ) -> TransactionResult<Option<ChainRow>> {
        self.with_masked(line, |line| chain_writer.write(line).ok_or_else(no_key)).transpose()
    }

    fn keys(&self) -> Arc<KeyRing> {
        OpenTransaction::keys(self)
    }

    fn writer(&self) -> WriterId {
        OpenTransaction::writer(self)
    }
}

/// Implements a trait of table operations: each method calls the named function with the open transaction.
macro_rules! operations {
    (impl $trait:ident for $type:ty {
        $($name:ident($($value:ident: $of:ty),*) -> $given:ty = $function:path;)*
    }) => {
        impl $trait for $type {
            $(fn $name(&self, $($value: $of),*) -> impl $crate::transaction::TableFuture<$given> {
                std::future::ready($function(self, $($value),*))
            })*
        }
    };
}
pub(super) use operations;

/// Runs steps that never wait.
pub(super) fn poll_ready<T>(steps: impl Future<Output = TransactionResult<T>>) -> TransactionResult<T> {
    match pin!(steps).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(given) => given,
        Poll::Pending => Err(TransactionError::inconsistent("a transaction step did not finish at once")),
    }
}

/// Appends entries to the audit log.
pub(super) fn note(tx: &OpenTransaction<'_>, records: &[Record]) -> TransactionResult<()> {
    records.iter().try_for_each(|record| tx.append(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_wait_are_an_error() {
        assert_eq!(poll_ready(async { Ok(1) }).unwrap(), 1);
        assert!(poll_ready(std::future::pending::<TransactionResult<()>>()).is_err());
    }
}

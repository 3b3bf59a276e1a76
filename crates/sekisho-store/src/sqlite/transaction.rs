//! A pen as what the steps of a transaction are written against: every operation is answered at once.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use sekisho_gate::audit::{Keys, Row, Scribe, WriterId};
use sekisho_gate::record::{Entry, Record};

use super::pen::Pen;
use crate::fault::{Fault, Scripted, no_key};
use crate::transaction::Transaction;

impl Transaction for &Pen<'_> {
    fn append(&mut self, record: &Record) -> Scripted<()> {
        Pen::append(self, record)
    }

    fn written_by(&mut self, scribe: &mut Scribe, line: &Entry) -> Scripted<Option<Row>> {
        self.with_masked(line, |line| scribe.write(line).ok_or_else(no_key)).transpose()
    }

    fn keys(&self) -> Arc<Keys> {
        Pen::keys(self)
    }

    fn writer(&self) -> WriterId {
        Pen::writer(self)
    }
}

/// Operations on tables by the functions that answer them.
macro_rules! operations {
    (impl $trait:ident for $type:ty {
        $($name:ident($($value:ident: $of:ty),*) -> $given:ty = $function:path;)*
    }) => {
        impl $trait for $type {
            $(fn $name(&self, $($value: $of),*) -> impl $crate::transaction::Given<$given> {
                std::future::ready($function(self, $($value),*))
            })*
        }
    };
}
pub(super) use operations;

/// Runs steps that wait for nothing.
pub(super) fn at_once<T>(steps: impl Future<Output = Scripted<T>>) -> Scripted<T> {
    match pin!(steps).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(given) => given,
        Poll::Pending => Err(Fault::wrong("a transaction waits for something that no statement gives")),
    }
}

/// Appends lines to the log.
pub(super) fn note(pen: &Pen<'_>, records: &[Record]) -> Scripted<()> {
    records.iter().try_for_each(|record| pen.append(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_wait_are_an_error() {
        assert_eq!(at_once(async { Ok(1) }).unwrap(), 1);
        assert!(at_once(std::future::pending::<Scripted<()>>()).is_err());
    }
}

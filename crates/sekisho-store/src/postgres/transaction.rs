//! A page as what the steps of a transaction are written against.

use std::sync::Arc;

use sekisho_gate::audit::{Keys, Row, Scribe, WriterId};
use sekisho_gate::record::{Entry, Record};

use super::page::Page;
use crate::fault::{Scripted, no_key};
use crate::transaction::Transaction;

impl Transaction for Page<'_> {
    fn append(&mut self, record: &Record) -> Scripted<()> {
        Page::append(self, record)
    }

    fn written_by(&mut self, scribe: &mut Scribe, line: &Entry) -> Scripted<Option<Row>> {
        self.lines.masked(line).map(|line| scribe.write(line).ok_or_else(no_key)).transpose()
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(self.draft.ink.keys())
    }

    fn writer(&self) -> WriterId {
        self.draft.ink.writer()
    }
}

/// Operations on tables by the functions that answer them.
macro_rules! operations {
    (impl $trait:ident for $type:ty {
        $($name:ident($($value:ident: $of:ty),*) -> $given:ty = $function:path;)*
    }) => {
        impl $trait for $type {
            $(fn $name(&self, $($value: $of),*) -> impl $crate::transaction::Given<$given> {
                $function(&self.db, $($value),*)
            })*
        }
    };
}
pub(super) use operations;

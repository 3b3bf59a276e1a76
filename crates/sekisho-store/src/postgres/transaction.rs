//! A page as what the steps of a transaction are written against.

use sekisho_gate::audit::{Seal, WriterId};
use sekisho_gate::record::Record;

use super::page::Page;
use crate::fault::Scripted;
use crate::transaction::Transaction;

impl Transaction for Page<'_> {
    fn append(&mut self, record: &Record) -> Scripted<()> {
        Page::append(self, record)
    }

    fn seal(&self) -> Seal {
        self.draft.ink.seal().clone()
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

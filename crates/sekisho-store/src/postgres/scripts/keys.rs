//! Holding keys against those that have signed before.

use std::sync::Arc;

use sekisho_gate::audit::Keys;

use super::super::page::Page;
use super::{KEYS, Script, tables};
use crate::fault::Scripted;
use crate::keys::has_signed;

/// Gets to know keys. The number of one that is another one than has signed before; then none is noted.
pub(in crate::postgres) struct MeetKeys(pub(in crate::postgres) Arc<Keys>);

impl Script for MeetKeys {
    type Given = Option<u32>;

    fn locks(&self) -> Option<i64> {
        Some(KEYS)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Option<u32>> {
        let mut new = Vec::new();
        for key in self.0.all() {
            let same = match tables::keys::print(&page.db, key.id).await? {
                Some(print) => print == key.print().0,
                None => {
                    new.push(key);
                    // Rows may be older than the list of keys.
                    has_signed(key, &tables::keys::signed(&page.db, key.id).await?)
                }
            };
            if !same {
                return Ok(Some(key.id));
            }
        }
        for key in new {
            tables::keys::note(&page.db, key).await?;
        }
        Ok(None)
    }
}

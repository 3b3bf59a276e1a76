//! The transactions, as scripts over one connection.
//!
//! Each runs inside a savepoint of the writer's transaction, or inside a reader's. What becomes of a question is asked of
//! the gate's own functions between reading and writing; a script only carries their answers to the tables.

mod asking;
mod auditing;
mod calls;
mod keys;
mod purging;
mod rules;
mod stepping;
mod sweeping;
mod tokens;

pub(super) use asking::{leave, open};
pub(super) use auditing::{checkpoint, prune_some, stats, take_in};
pub(super) use calls::{admit, finish, finish_ahead, note, retract};
pub(super) use keys::{meet, meet_at_opening};
pub(super) use purging::{purge, purgeable, raw_input};
pub(super) use rules::{add, all, remove, replace};
pub(super) use stepping::{step, step_ahead};
pub(super) use sweeping::sweep;
pub(super) use tokens::{add_link, add_token, follow_link, revoke_token};

use rusqlite::Connection;
use sekisho_gate::ledger::Snapshot;

use super::pen::Pen;
use super::tables;
use crate::fault::Scripted;

/// All that is pending, and the last event it reflects, at one moment.
pub(super) fn snapshot(db: &Connection) -> Scripted<Snapshot> {
    Ok(Snapshot {
        seq: tables::record::head(db)?,
        pending: tables::approvals::pending(db, None, usize::MAX)?,
    })
}

//! Implements the `RuleStore` port.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{LedgerError, LedgerFuture};
use sekisho_gate::record::Record;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use tokio::sync::watch;
use uuid::Uuid;

use super::state::State;
use super::{Access, MemoryLedger};

impl RuleStore for MemoryLedger {
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        self.run(Access::Read, move |state| {
            let rules = state.rules.iter().filter(|rule| !session_is_over(rule, at)).cloned().collect();
            Ok(StoredRules { revision: state.revision, rules })
        })
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, |state| {
            for (place, rule) in rules.iter().enumerate() {
                let mut others = state.rules.iter().chain(rules.iter().take(place));
                if others.any(|other| other.id == rule.id) {
                    return Err(LedgerError::permanent(format!("rule `{}` already exists", rule.id)));
                }
            }
            state.rules.extend(rules);
            changed(state, record);
            Ok(())
        })
    }

    fn replace(&self, _: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, |state| {
            let Some(place) = state.rules.iter_mut().find(|kept| kept.id == rule.id) else {
                return Ok(false);
            };
            *place = rule;
            changed(state, record);
            Ok(true)
        })
    }

    fn remove(&self, _: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| {
            let before = state.rules.len();
            state.rules.retain(|rule| rule.id != id);
            let removed = state.rules.len() < before;
            if removed {
                changed(state, record);
            }
            Ok(removed)
        })
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.0.revision.subscribe()
    }
}

/// A rule of a session ends with it; other expired rules stay in the list, for people to see.
fn session_is_over(rule: &StoredRule, at: Timestamp) -> bool {
    rule.session.is_some() && rule.rule.expires_at.is_some_and(|end| end <= at)
}

fn changed(state: &mut State, record: Record) {
    state.revision += 1;
    state.write(record);
}

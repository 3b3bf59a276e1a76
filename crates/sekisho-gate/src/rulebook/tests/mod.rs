//! The rulebook over fake ports.

mod active_policy;
mod remembered_rules;
mod rule_changes;

use crate::ledger_write_proof::WriteAccess;
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Call, Decision, Effect, JudgeContext, Layer, LayerKind, Layers, Rule, judge};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use super::*;
use crate::answer::{Actor, Approver, Role};
use crate::host_ports::{FileLayers, RuleEdit, RuleEditError, RuleWrite, RuleWriteError};
use crate::ids::v7;
use crate::ledger::{LedgerError, LedgerFuture as Later};
use crate::record::{EventPayload, Record, RecordKind};
use crate::rule_store::StoredRules;

pub(super) fn at(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(500_000 + hours)
}

pub(super) fn tool(name: &str) -> Rule {
    Rule { tool: Some(name.into()), ..Rule::default() }
}

pub(super) fn me() -> Actor {
    let (credential, name, how) = ("token-1".into(), "mia".into(), "api".into());
    Actor::Person(Approver { credential, name, role: Role::Admin, device: None, how })
}

/// A rule that somebody else put into the ledger.
pub(super) fn stored(effect: Effect, rule: Rule, session: Option<Session>) -> StoredRule {
    let (id, created_at, updated_at, created_by) = (v7(at(0)), at(0), at(0), "another".into());
    StoredRule { id, effect, rule, session, created_at, updated_at, created_by }
}

pub(super) fn session(credential: &str, agent: Option<&str>, scope: &str) -> Session {
    Session { credential: credential.into(), agent: agent.map(Into::into), scope: scope.into() }
}

/// Files with the content a test needs.
pub(super) struct FakeFiles {
    layers: Mutex<Layers>,
    generation: watch::Sender<u64>,
    pub(super) kept: Mutex<Vec<RuleWrite>>,
    pub(super) refuses: Mutex<Option<RuleWriteError>>,
}

impl FakeFiles {
    pub(super) fn say(&self, effect: Effect, rules: &[&str]) {
        let rules = rules.iter().map(|name| (effect, tool(name))).collect();
        let layer = Layer::from_rules(LayerKind::Global, "config.json", rules).unwrap();
        self.layers.lock().unwrap().loaded.push(layer);
        self.generation.send_modify(|generation| *generation += 1);
    }
}

impl PolicyFiles for FakeFiles {
    fn layers(&self, _root: Option<&str>, _cwd: Option<&str>) -> FileLayers {
        FileLayers { layers: self.layers.lock().unwrap().clone(), generation: *self.generation.borrow() }
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    fn remember(&self, keep: RuleWrite) -> Result<(), RuleWriteError> {
        if let Some(refusal) = self.refuses.lock().unwrap().clone() {
            return Err(refusal);
        }
        self.kept.lock().unwrap().push(keep.clone());
        let rules = keep.rules.iter().map(|rule| (keep.effect, rule.clone())).collect();
        let layer = Layer::from_rules(LayerKind::Global, "kept.json", rules).unwrap();
        self.layers.lock().unwrap().loaded.push(layer);
        self.generation.send_modify(|generation| *generation += 1);
        Ok(())
    }

    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        Err(RuleEditError::Failed(format!("line {}: these files only grow", edit.line)))
    }
}

/// A rule store in memory.
pub(super) struct FakeRules {
    pub(super) rules: Mutex<Vec<StoredRule>>,
    pub(super) records: Mutex<Vec<Record>>,
    pub(super) fails: Mutex<Option<LedgerError>>,
    pub(super) revision: watch::Sender<u64>,
}

impl FakeRules {
    fn write<T>(
        &self,
        record: Record,
        write: impl FnOnce(&mut Vec<StoredRule>) -> T,
    ) -> Result<T, LedgerError> {
        if let Some(error) = self.fails.lock().unwrap().clone() {
            return Err(error);
        }
        let wrote = write(&mut self.rules.lock().unwrap());
        self.records.lock().unwrap().push(record);
        self.revision.send_modify(|revision| *revision += 1);
        Ok(wrote)
    }

    pub(super) fn put(&self, rules: Vec<StoredRule>) {
        *self.rules.lock().unwrap() = rules;
        self.revision.send_modify(|revision| *revision += 1);
    }

    pub(super) fn fail(&self, message: Option<&str>) {
        *self.fails.lock().unwrap() = message.map(LedgerError::transient);
    }
}

impl RuleStore for FakeRules {
    fn all(&self, _at: Timestamp) -> Later<'_, StoredRules> {
        Box::pin(async {
            match self.fails.lock().unwrap().clone() {
                Some(error) => Err(error),
                None => Ok(StoredRules {
                    revision: *self.revision.borrow(),
                    rules: self.rules.lock().unwrap().clone(),
                }),
            }
        })
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> Later<'_, ()> {
        Box::pin(async { self.write(record, |kept| kept.extend(rules)) })
    }

    fn replace(&self, _: &WriteAccess, rule: StoredRule, record: Record) -> Later<'_, bool> {
        Box::pin(async {
            self.write(record, |kept| {
                let place = kept.iter_mut().find(|stored| stored.id == rule.id);
                place.map(|place| *place = rule).is_some()
            })
        })
    }

    fn remove(&self, _: &WriteAccess, id: Uuid, record: Record) -> Later<'_, bool> {
        Box::pin(async move {
            self.write(record, |kept| {
                let before = kept.len();
                kept.retain(|stored| stored.id != id);
                kept.len() < before
            })
        })
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }
}

pub(super) struct RulebookHarness {
    pub(super) files: Arc<FakeFiles>,
    pub(super) rules: Arc<FakeRules>,
    pub(super) book: Rulebook,
}

impl RulebookHarness {
    pub(super) fn new() -> RulebookHarness {
        let files = Arc::new(FakeFiles {
            layers: Mutex::default(),
            generation: watch::Sender::new(1),
            kept: Mutex::default(),
            refuses: Mutex::default(),
        });
        let rules = Arc::new(FakeRules {
            rules: Mutex::default(),
            records: Mutex::default(),
            fails: Mutex::default(),
            revision: watch::Sender::new(0),
        });
        let book = Rulebook::new(
            Arc::clone(&files) as Arc<dyn PolicyFiles>,
            Arc::clone(&rules) as Arc<dyn RuleStore>,
        );
        RulebookHarness { files, rules, book }
    }

    pub(super) fn force(&self, session: Option<&Session>) -> ActivePolicy {
        self.book.active_policy(&CallerEnvironment::default(), None, session)
    }

    pub(super) fn decide_in(&self, session: Option<&Session>, tool: &str) -> Decision {
        self.decide_at(at(0), session, tool)
    }

    pub(super) fn decide_at(&self, now: Timestamp, session: Option<&Session>, tool: &str) -> Decision {
        let call = Call::new(tool, json!({}));
        let mut context = JudgeContext::at(now);
        context.can_confirm = true;
        judge(&self.force(session).policy, &call, &context).decision
    }

    pub(super) fn decide(&self, tool: &str) -> Decision {
        self.decide_in(None, tool)
    }

    /// The one record since the last time.
    pub(super) fn recorded(&self) -> Record {
        let mut records = std::mem::take(&mut *self.rules.records.lock().unwrap());
        assert_eq!(records.len(), 1, "{records:?}");
        let record = records.pop().unwrap();
        assert_eq!(record.entry.kind, RecordKind::Rules);
        assert_eq!(record.event, Some(EventPayload::RulesChanged));
        record
    }
}

//! An answer remembered as rules.
//!
//! A session rule is stored in the ledger under the session's key, with an expiry. A project or global
//! rule is written to one of the user's files, where it looks like any other rule: no id, and no note
//! that nobody wrote. If the project file differs from what a human trusted, the rule is stored for the
//! session instead, and the human sees what changed.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Effect, Rule, RuleError, validate};
use serde_json::json;

use super::Rulebook;
use super::stored_layers::check;
use crate::answer::RuleScope;
use crate::caller::{CallerEnvironment, Session};
use crate::host_ports::{RuleWrite, RuleWriteError};
use crate::ids::{ApprovalId, v7};
use crate::ledger::LedgerError;
use crate::ledger_write_proof::WriteAccess;
use crate::record::{AuditEntry, AuditMessage, EventPayload, Record, RecordKind, SecretContext};
use crate::rule_store::StoredRule;

/// How long session rules last after they were created.
pub const SESSION_RULE_TTL: SignedDuration = SignedDuration::from_hours(12);

/// Rules to store.
#[derive(Clone, Debug)]
pub struct RememberRequest {
    /// Where they should apply.
    pub scope: RuleScope,
    /// The effect of the rules.
    pub effect: Effect,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The session of the answered call, if it has one.
    pub session: Option<Session>,
    /// The environment of the call.
    pub around: CallerEnvironment,
    /// Who stores them.
    pub by: String,
    /// The current time.
    pub now: Timestamp,
    /// The approval that was answered.
    pub approval: ApprovalId,
    /// The input that helps to find secrets in the rules.
    pub context: SecretContext,
}

/// Rules that were stored and are active.
#[derive(Clone, Debug, PartialEq)]
pub struct RememberOutcome {
    /// Where they apply. This can differ from the requested scope.
    pub scope: RuleScope,
    /// The rules as stored.
    pub rules: Vec<Rule>,
    /// The reason if they apply to the session only.
    pub untrusted_file: Option<UntrustedFile>,
    /// An audit record that still has to be written. Writing a file records nothing; writing to the
    /// ledger does.
    pub record: Option<Record>,
}

/// A project file that was not written to, because it differs from what a human trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedFile {
    /// The path of the file.
    pub path: String,
    /// What changed in it, for a human to read.
    pub diff: String,
}

/// Why nothing was remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RememberError {
    /// There is no rule to remember.
    Nothing,
    /// One of the rules is invalid.
    Rule(RuleError),
    /// The call belongs to no session.
    NoSession,
    /// The project file differs from what a human trusted, and there is no session to store the rules
    /// in instead.
    NotTrusted(UntrustedFile),
    /// The call belongs to no project.
    NoProject,
    /// The file was not written; one line with the file and what to do.
    File(String),
    /// The ledger did not store them, or the stored rules could not be read back; then nothing is
    /// allowed until they can.
    Ledger(LedgerError),
}

impl fmt::Display for RememberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RememberError::Nothing => f.write_str("no rule to remember; send at least one"),
            RememberError::Rule(error) => error.fmt(f),
            RememberError::NoSession => f.write_str(
                "the call names no conversation or run, so it has no session; choose project or global",
            ),
            RememberError::NotTrusted(moved) => write!(
                f,
                "{}: the current file is not trusted, and the call has no session to use instead; read it, then run `sekisho trust`",
                moved.path
            ),
            RememberError::NoProject => f.write_str("the call has no project; choose session or global"),
            RememberError::File(fault) => f.write_str(fault),
            RememberError::Ledger(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RememberError {}

impl From<LedgerError> for RememberError {
    fn from(error: LedgerError) -> RememberError {
        RememberError::Ledger(error)
    }
}

impl Rulebook {
    /// Stores rules in the requested scope. They are active when it returns. Idempotent.
    pub async fn remember(&self, request: RememberRequest) -> Result<RememberOutcome, RememberError> {
        if request.rules.is_empty() {
            return Err(RememberError::Nothing);
        }
        for rule in &request.rules {
            check(request.effect, rule)
                .and_then(|()| validate::matches_something(rule))
                .map_err(RememberError::Rule)?;
        }
        match (request.scope, &request.around.root) {
            (RuleScope::Session, _) => self.remember_in_session(request, None).await,
            (RuleScope::Project, None) => Err(RememberError::NoProject),
            (RuleScope::Project, Some(_)) | (RuleScope::Global, _) => self.remember_in_file(request).await,
        }
    }

    async fn remember_in_file(&self, request: RememberRequest) -> Result<RememberOutcome, RememberError> {
        let rules: Vec<Rule> = request.rules.iter().map(|rule| Rule { id: None, ..rule.clone() }).collect();
        let keep = RuleWrite {
            scope: request.scope,
            root: request.around.root.clone(),
            effect: request.effect,
            rules: rules.clone(),
            by: request.by.clone(),
            at: request.now,
        };
        match self.write(keep).await {
            Ok(()) => {
                self.publish();
                let scope = request.scope;
                let record = Some(request.record(scope, &rules));
                Ok(RememberOutcome { scope, rules, untrusted_file: None, record })
            }
            Err(RuleWriteError::NotTrusted { path, diff }) => {
                self.remember_in_session(request, Some(UntrustedFile { path, diff })).await
            }
            Err(RuleWriteError::Failed(fault)) => Err(RememberError::File(fault)),
        }
    }

    /// Writing waits for locks and disks, so it uses the runtime's blocking threads if there is a
    /// runtime.
    async fn write(&self, keep: RuleWrite) -> Result<(), RuleWriteError> {
        let files = std::sync::Arc::clone(&self.files);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return files.remember(keep) };
        let written = runtime.spawn_blocking(move || files.remember(keep)).await;
        written.unwrap_or_else(|error| {
            Err(RuleWriteError::Failed(format!("the rules were not written: {error}")))
        })
    }

    async fn remember_in_session(
        &self,
        request: RememberRequest,
        moved: Option<UntrustedFile>,
    ) -> Result<RememberOutcome, RememberError> {
        let Some(session) = request.session.clone() else {
            return Err(moved.map_or(RememberError::NoSession, RememberError::NotTrusted));
        };
        let _turn = self.writing.lock().await;
        self.refresh(request.now).await?;
        let kept = self.stored_layers();
        let there = |rule: &Rule| {
            kept.rules.iter().find(|stored| {
                stored.session.as_ref() == Some(&session)
                    && stored.effect == request.effect
                    && stored.rule.expires_at.is_none_or(|end| end > request.now)
                    && without_id_and_expiry(&stored.rule) == without_id_and_expiry(rule)
            })
        };
        let mut rules = Vec::new();
        let mut fresh = Vec::new();
        for rule in &request.rules {
            if let Some(stored) = there(rule) {
                rules.push(stored.rule.clone());
            } else {
                let stored = request.stored(&session, rule);
                rules.push(stored.rule.clone());
                fresh.push(stored);
            }
        }
        if !fresh.is_empty() {
            let record = request.record(RuleScope::Session, &rules);
            self.stored.add(&WriteAccess::GATE, fresh, record).await?;
            self.refresh(request.now).await?;
        }
        Ok(RememberOutcome { scope: RuleScope::Session, rules, untrusted_file: moved, record: None })
    }
}

/// A rule without its expiry and id.
fn without_id_and_expiry(rule: &Rule) -> Rule {
    Rule { id: None, expires_at: None, ..rule.clone() }
}

impl RememberRequest {
    fn stored(&self, session: &Session, rule: &Rule) -> StoredRule {
        let id = v7(self.now);
        let end = self.now.saturating_add(SESSION_RULE_TTL).unwrap_or(Timestamp::MAX);
        let expires_at = Some(rule.expires_at.map_or(end, |sooner| sooner.min(end)));
        StoredRule {
            id,
            effect: self.effect,
            rule: Rule { id: Some(id), expires_at, ..rule.clone() },
            session: Some(session.clone()),
            created_at: self.now,
            updated_at: self.now,
            created_by: self.by.clone(),
        }
    }

    fn record(&self, scope: RuleScope, rules: &[Rule]) -> Record {
        let session = self.session.as_ref().filter(|_| scope == RuleScope::Session);
        let root = self.around.root.as_ref().filter(|_| scope == RuleScope::Project);
        let body = json!({ "scope": scope, "effect": self.effect, "rules": rules, "session": session, "root": root, "by": self.by });
        let line = AuditMessage::Remembered { effect: self.effect, scope, by: self.by.clone() };
        let (text, body) = line.into_text_and_body(body);
        let mut entry = AuditEntry::without_call(RecordKind::Rules, self.now, None, text, body);
        entry.approval = Some(self.approval);
        entry.context = self.context.clone();
        Record { entry, event: Some(EventPayload::RulesChanged) }
    }
}

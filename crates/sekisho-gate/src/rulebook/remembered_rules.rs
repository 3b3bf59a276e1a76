//! Remembering an answer as rules.
//!
//! A rule for the session is kept in the ledger under the session's key and with an end. One for the project or for
//! everywhere is written to a file of the user's, in which it looks like any other: no id, no note that nobody wrote. If
//! the project file is not what a human trusted, the rule goes to the session, and the human is shown what changed.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Effect, Rule, RuleError, validate};
use serde_json::json;

use super::Rulebook;
use super::stored_layers::check;
use crate::write_access::WriteAccess;
use crate::answer::RuleScope;
use crate::caller::{CallerEnvironment, Session};
use crate::ids::{ApprovalId, v7};
use crate::ledger::LedgerError;
use crate::file_ports::{RuleWrite, RuleWriteError};
use crate::record::{EventPayload, SecretContext, AuditEntry, RecordKind, Record, AuditMessage};
use crate::rule_store::StoredRule;

/// A session's rules end this long after they were made.
pub const SESSION_RULE_TTL: SignedDuration = SignedDuration::from_hours(12);

/// Rules to keep.
#[derive(Clone, Debug)]
pub struct RememberRequest {
    /// Where they shall apply.
    pub scope: RuleScope,
    /// What they do.
    pub effect: Effect,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The session of the call that was answered, where it has one.
    pub session: Option<Session>,
    /// Where the call was to run.
    pub around: CallerEnvironment,
    /// Who has them kept.
    pub by: String,
    /// When.
    pub now: Timestamp,
    /// The question they answer.
    pub approval: ApprovalId,
    /// What the secrets of its call are known by.
    pub context: SecretContext,
}

/// Rules that are kept, and in force.
#[derive(Clone, Debug, PartialEq)]
pub struct RememberOutcome {
    /// Where they apply; not always where they were meant for.
    pub scope: RuleScope,
    /// The rules as they are kept.
    pub rules: Vec<Rule>,
    /// Why they apply in the session only.
    pub untrusted_file: Option<UntrustedFile>,
    /// What is still to be put on the record: writing a file leaves no line there, writing to the ledger does.
    pub record: Option<Record>,
}

/// The project file that was not written to, since it is not what a human trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedFile {
    /// The file.
    pub path: String,
    /// What changed in it, for a human to read.
    pub diff: String,
}

/// Why nothing was remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RememberError {
    /// There is no rule to remember.
    Nothing,
    /// One of the rules has a fault.
    Rule(RuleError),
    /// The call belongs to no session.
    NoSession,
    /// The project file is not what a human trusted, and there is no session to keep the rules in instead.
    NotTrusted(UntrustedFile),
    /// The call belongs to no project.
    NoProject,
    /// The file was not written, in one line with the file and the way out.
    File(String),
    /// The ledger did not keep them, or what it kept could not be read again; then nothing is allowed until it can.
    Ledger(LedgerError),
}

impl fmt::Display for RememberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RememberError::Nothing => f.write_str("there is no rule to remember; name one"),
            RememberError::Rule(error) => error.fmt(f),
            RememberError::NoSession => f.write_str(
                "the call names no conversation and no run, so there is no session to remember in; choose project or global",
            ),
            RememberError::NotTrusted(moved) => write!(
                f,
                "{}: nobody has trusted the file as it is now, and there is no session to remember in instead; read it, then run `sekisho trust`",
                moved.path
            ),
            RememberError::NoProject => {
                f.write_str("the call belongs to no project; choose session or global")
            }
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
    /// Keeps rules where they are wanted. They are in force when it returns. Doing it again does nothing more.
    pub async fn remember(&self, remembering: RememberRequest) -> Result<RememberOutcome, RememberError> {
        if remembering.rules.is_empty() {
            return Err(RememberError::Nothing);
        }
        for rule in &remembering.rules {
            check(remembering.effect, rule)
                .and_then(|()| validate::matches_something(rule))
                .map_err(RememberError::Rule)?;
        }
        match (remembering.scope, &remembering.around.root) {
            (RuleScope::Session, _) => self.in_session(remembering, None).await,
            (RuleScope::Project, None) => Err(RememberError::NoProject),
            (RuleScope::Project, Some(_)) | (RuleScope::Global, _) => self.in_file(remembering).await,
        }
    }

    async fn in_file(&self, remembering: RememberRequest) -> Result<RememberOutcome, RememberError> {
        let rules: Vec<Rule> =
            remembering.rules.iter().map(|rule| Rule { id: None, ..rule.clone() }).collect();
        let keep = RuleWrite {
            scope: remembering.scope,
            root: remembering.around.root.clone(),
            effect: remembering.effect,
            rules: rules.clone(),
            by: remembering.by.clone(),
            at: remembering.now,
        };
        match self.write(keep).await {
            Ok(()) => {
                self.publish();
                let scope = remembering.scope;
                let record = Some(remembering.record(scope, &rules));
                Ok(RememberOutcome { scope, rules, untrusted_file: None, record })
            }
            Err(RuleWriteError::NotTrusted { path, diff }) => {
                self.in_session(remembering, Some(UntrustedFile { path, diff })).await
            }
            Err(RuleWriteError::Failed(fault)) => Err(RememberError::File(fault)),
        }
    }

    /// Writing waits for locks and disks. Where there is a runtime it has threads for that.
    async fn write(&self, keep: RuleWrite) -> Result<(), RuleWriteError> {
        let files = std::sync::Arc::clone(&self.files);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return files.remember(keep) };
        let written = runtime.spawn_blocking(move || files.remember(keep)).await;
        written.unwrap_or_else(|error| Err(RuleWriteError::Failed(format!("the rules were not written: {error}"))))
    }

    async fn in_session(
        &self,
        remembering: RememberRequest,
        moved: Option<UntrustedFile>,
    ) -> Result<RememberOutcome, RememberError> {
        let Some(session) = remembering.session.clone() else {
            return Err(moved.map_or(RememberError::NoSession, RememberError::NotTrusted));
        };
        let _turn = self.writing.lock().await;
        self.refresh(remembering.now).await?;
        let kept = self.stored_layers();
        let there = |rule: &Rule| {
            kept.rules.iter().find(|stored| {
                stored.session.as_ref() == Some(&session)
                    && stored.effect == remembering.effect
                    && stored.rule.expires_at.is_none_or(|end| end > remembering.now)
                    && bare(&stored.rule) == bare(rule)
            })
        };
        let mut rules = Vec::new();
        let mut fresh = Vec::new();
        for rule in &remembering.rules {
            if let Some(stored) = there(rule) {
                rules.push(stored.rule.clone());
            } else {
                let stored = remembering.stored(&session, rule);
                rules.push(stored.rule.clone());
                fresh.push(stored);
            }
        }
        if !fresh.is_empty() {
            let record = remembering.record(RuleScope::Session, &rules);
            self.stored.add(&WriteAccess::GATE, fresh, record).await?;
            self.refresh(remembering.now).await?;
        }
        Ok(RememberOutcome { scope: RuleScope::Session, rules, untrusted_file: moved, record: None })
    }
}

/// What a rule says, whenever it ends and whatever it is called.
fn bare(rule: &Rule) -> Rule {
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
